/* streams.c - several residual streams: how they become one, and several again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/import/hf/write.h"

void paleo_hf_learned(struct paleo_hf_job *j, const char *what, const char *x, int numbers)
{
	paleo_hf_begin(j, what, "Parameter", x, NULL);
	paleo_json_open_array(j->w, "output_shape");
	paleo_json_put_int(j->w, NULL, -1);
	paleo_json_put_int(j->w, NULL, 1);
	paleo_json_put_int(j->w, NULL, numbers);
	paleo_json_close(j->w);
	paleo_json_close(j->w);
}

/*
 * Hyper-connections (Zhu et al. 2024, arXiv 2409.19606), as DeepSeek-V4 has them. One kernel reads
 * the streams and writes their weighed sum; one reads the streams and what is added to them, and
 * writes the streams. So they are priced as sums, which move the same bytes. The factors come from
 * a product of all streams, a number for each of its outputs and a few for its parts; what is done
 * to them is little, and costs nothing here.
 */
static void factors(struct paleo_hf_job *j, const char *prefix, const char *streams, int outputs,
		    int parts)
{
	char what[32];

	snprintf(what, sizeof(what), "%s_factors", prefix);
	paleo_hf_wide_product(j, what, streams, outputs, 1);
	snprintf(what, sizeof(what), "%s_scales", prefix);
	paleo_hf_learned(j, what, streams, parts);
}

/* Parts of what is not one yet: `width` apart, of `name` with a number. */
static void cut(struct paleo_hf_job *j, const char *name, const char *x, int width,
		const char *parts[PALEO_HF_STREAMS_MAX])
{
	for (int i = 0; i < j->m->streams; i++) {
		char what[32];
		snprintf(what, sizeof(what), "%s_stream%d", name, i + 1);
		parts[i] = paleo_hf_slice(j, what, x, i * width, j->m->hidden);
	}
}

const char *paleo_hf_spread(struct paleo_hf_job *j, const char *x)
{
	const char *parts[PALEO_HF_STREAMS_MAX];

	cut(j, "first", x, 0, parts);
	const char *name = paleo_hf_begin_of(j, "streams", "Concatenate", parts, j->m->streams);
	paleo_json_put_int(j->w, "dim", 2);
	paleo_json_close(j->w);
	return name;
}

const char *paleo_hf_collapse(struct paleo_hf_job *j, const char *prefix, const char *streams,
			      int last)
{
	const char *parts[PALEO_HF_STREAMS_MAX];
	int n = j->m->streams;

	if (last)
		factors(j, prefix, streams, n, 1);
	else
		factors(j, prefix, streams, n * (2 + n), 3);
	cut(j, prefix, streams, j->m->hidden, parts);
	const char *name = paleo_hf_begin_of(j, prefix, "Elementwise", parts, n);
	paleo_json_close(j->w);
	return name;
}
