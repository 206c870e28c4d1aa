/* window.c - the sliding window of convolutions and poolings: keys, paddings, output size. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/window.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/net/layers/common.h"

/* The largest padding that an op can have. */
#define PAD_MAX 65536

int paleo_window_read_pair(const struct paleo_json *v, void *two, struct paleo_error *err)
{
	int *out = two;
	int four[4];

	PALEO_TRY(paleo_read_ints(v, 4, 1, four, err));
	if (four[0] != 1 || four[3] != 1)
		return paleo_json_fail(v, err,
				       "expected [1, vertical, horizontal, 1]: a window does not "
				       "span batch or channels");
	out[0] = four[1];
	out[1] = four[2];
	return PALEO_OK;
}

static int parse_padding_word(const struct paleo_json *v, struct paleo_window *w,
			      struct paleo_error *err)
{
	const char *word;

	PALEO_TRY(paleo_json_to_string(v, &word, err));
	if (!strcmp(word, "SAME"))
		w->padding = PALEO_PADDING_SAME;
	else if (!strcmp(word, "VALID"))
		w->padding = PALEO_PADDING_VALID;
	else
		return paleo_json_fail(v, err,
				       "unknown padding '%s', expected 'SAME', 'VALID', "
				       "[vertical, horizontal] or [top, bottom, left, right]",
				       word);
	return PALEO_OK;
}

static int parse_padding_list(const struct paleo_json *v, struct paleo_window *w,
			      struct paleo_error *err)
{
	int count = paleo_json_size(v);
	int pads[4];

	if (count != 2 && count != 4)
		return paleo_json_fail(v, err,
				       "expected [vertical, horizontal] or [top, bottom, left, "
				       "right], found %d numbers",
				       count);
	PALEO_TRY(paleo_read_ints(v, count, 0, pads, err));
	w->padding = PALEO_PADDING_LIST;
	for (int i = 0; i < 2; i++) {
		int first = count == 2 ? i : 2 * i;
		w->before[i] = pads[first];
		w->after[i] = pads[count == 2 ? first : first + 1];
	}
	return PALEO_OK;
}

/* One number, or [vertical, horizontal]. */
int paleo_window_read_dilation(const struct paleo_json *v, void *two, struct paleo_error *err)
{
	int *dilation = two;

	if (paleo_json_type(v) == PALEO_JSON_ARRAY)
		return paleo_read_ints(v, 2, 1, dilation, err);
	int rc = paleo_json_to_int(v, 1, PALEO_DIM_MAX, &dilation[0], err);
	dilation[1] = dilation[0];
	return rc;
}

int paleo_window_read_padding(const struct paleo_json *v, void *window, struct paleo_error *err)
{
	return paleo_json_type(v) == PALEO_JSON_ARRAY ? parse_padding_list(v, window, err)
						      : parse_padding_word(v, window, err);
}

static int fit_one(const struct paleo_window *w, int i, int in, struct paleo_window_fit *fit,
		   struct paleo_error *err)
{
	static const char *const sides[] = {"height", "width"};
	double reach = (w->size[i] - 1.0) * w->dilation[i] + 1;
	double stride = w->stride[i];
	double before = w->padding == PALEO_PADDING_LIST ? w->before[i] : 0;
	double after = w->padding == PALEO_PADDING_LIST ? w->after[i] : 0;
	double out;

	if (w->padding == PALEO_PADDING_SAME) {
		out = ceil(in / stride);
		double total = fmax((out - 1) * stride + reach - in, 0);
		before = floor(total / 2);
		after = total - before;
	} else {
		double room = in + before + after - reach;
		if (room < 0)
			return paleo_fail(err, PALEO_EINPUT,
					  "a window that reaches over %.0f does not fit into a %s "
					  "of %.0f, padding included",
					  reach, sides[i], in + before + after);
		out = floor(room / stride) + 1;
		if (w->ceil_mode && out - 1 < room / stride && out * stride < in + before)
			out++;
		if (w->ceil_mode)
			after = fmax(after, (out - 1) * stride + reach - in - before);
	}
	if (before > PAD_MAX || after > PAD_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "a padding of %.0f is too large, expected "
				  "at most %d",
				  fmax(before, after), PAD_MAX);
	fit->out[i] = (int)out;
	fit->before[i] = (int)before;
	fit->after[i] = (int)after;
	return paleo_check_dim(out, i ? "the output's width" : "the output's height", err);
}

int paleo_window_fit(const struct paleo_window *w, int height, int width,
		     struct paleo_window_fit *out, struct paleo_error *err)
{
	struct paleo_window_fit fit;

	PALEO_TRY(fit_one(w, 0, height, &fit, err));
	PALEO_TRY(fit_one(w, 1, width, &fit, err));
	*out = fit;
	return PALEO_OK;
}

/* " s2" for equal numbers, " s2x1" for different ones. */
static void append_pair(char *buf, size_t size, const char *mark, const int pair[2])
{
	size_t at = strlen(buf);

	if (pair[0] == pair[1])
		snprintf(buf + at, size - at, " %s%d", mark, pair[0]);
	else
		snprintf(buf + at, size - at, " %s%dx%d", mark, pair[0], pair[1]);
}

void paleo_window_describe(const struct paleo_window *w, char *buf, size_t size)
{
	snprintf(buf, size, "%dx%d", w->size[0], w->size[1]);
	append_pair(buf, size, "s", w->stride);
	if (w->dilation[0] != 1 || w->dilation[1] != 1)
		append_pair(buf, size, "d", w->dilation);

	size_t at = strlen(buf);
	if (w->padding == PALEO_PADDING_SAME)
		snprintf(buf + at, size - at, " same");
	else if (w->padding == PALEO_PADDING_VALID)
		snprintf(buf + at, size - at, " valid");
	else if (!memcmp(w->before, w->after, sizeof(w->before)))
		append_pair(buf, size, "p", w->before);
	else
		snprintf(buf + at, size - at, " p%d,%d,%d,%d", w->before[0], w->after[0],
			 w->before[1], w->after[1]);
}
