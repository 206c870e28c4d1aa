/* parts.c - the layers of which all of a transformer is written: products, norms, sums. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/import/hf/write.h"

int paleo_hf_divided(int size, int parts)
{
	return (size + parts - 1) / parts;
}

const char *paleo_hf_name(struct paleo_hf_job *j, const char *what)
{
	char *buf = j->names[j->next_name++ % PALEO_HF_NAMES];

	if (j->layer < 0)
		snprintf(buf, sizeof(j->names[0]), "%s", what);
	else if (j->layer < j->m->layers)
		snprintf(buf, sizeof(j->names[0]), "l%d_%s", j->layer + 1, what);
	else
		snprintf(buf, sizeof(j->names[0]), "e%d_%s", j->layer - j->m->layers + 1, what);
	return buf;
}

const char *paleo_hf_begin_of(struct paleo_hf_job *j, const char *what, const char *type,
			      const char *const *parents, int count)
{
	const char *name = paleo_hf_name(j, what);

	paleo_json_open_object(j->w, name);
	paleo_json_put_string(j->w, "type", type);
	paleo_json_open_array(j->w, "parents");
	for (int i = 0; i < count; i++)
		paleo_json_put_string(j->w, NULL, parents[i]);
	paleo_json_close(j->w);
	return name;
}

void paleo_hf_put_list(struct paleo_hf_job *j, const char *key, const int *sizes, int count)
{
	paleo_json_open_array(j->w, key);
	for (int i = 0; i < count; i++)
		paleo_json_put_int(j->w, NULL, sizes[i]);
	paleo_json_close(j->w);
}

const char *paleo_hf_begin(struct paleo_hf_job *j, const char *what, const char *type,
			   const char *first, const char *second)
{
	const char *const parents[] = {first, second};

	return paleo_hf_begin_of(j, what, type, parents, (first != NULL) + (second != NULL));
}

void paleo_hf_put_wide(struct paleo_hf_job *j)
{
	const struct paleo_weight_type *t = &j->m->weights;

	if (t->dtype && t->dtype - 1 != (int)j->m->dtype)
		paleo_json_put_string(j->w, "weights", paleo_dtype_name(j->m->dtype));
}

/* The net's number type says it where no more is to be said. */
void paleo_hf_put_stored(struct paleo_hf_job *j)
{
	if (j->m->weights.stored)
		paleo_json_put_string(j->w, "weights",
				      paleo_weight_type_name(&j->m->weights, j->m->dtype));
}

void paleo_hf_put_experts_stored(struct paleo_hf_job *j)
{
	const struct paleo_weight_type *t = &j->m->experts_weights;

	if (t->stored || t->dtype)
		paleo_json_put_string(j->w, "weights", paleo_weight_type_name(t, j->m->dtype));
	else
		paleo_hf_put_stored(j);
}

void paleo_hf_put_shared(struct paleo_hf_job *j)
{
	if (j->layer >= 0 && j->m->layer[j->layer].again)
		paleo_json_put_bool(j->w, "shared", 1);
}

static const char *product(struct paleo_hf_job *j, const char *what, const char *x, int outputs,
			   int bias, int wide)
{
	const char *name = paleo_hf_begin(j, what, "InnerProduct", x, NULL);

	paleo_json_put_int(j->w, "num_outputs", outputs);
	paleo_json_put_bool(j->w, "bias", bias);
	if (wide)
		paleo_hf_put_wide(j);
	else
		paleo_hf_put_stored(j);
	paleo_hf_put_shared(j);
	paleo_json_close(j->w);
	return name;
}

const char *paleo_hf_product(struct paleo_hf_job *j, const char *what, const char *x, int outputs,
			     int bias)
{
	return product(j, what, x, outputs, bias, j->m->only_experts);
}

const char *paleo_hf_slice(struct paleo_hf_job *j, const char *what, const char *x, int from,
			   int channels)
{
	const char *name = paleo_hf_begin(j, what, "Slice", x, NULL);

	paleo_json_put_int(j->w, "dim", 2);
	paleo_json_put_int(j->w, "from", from);
	paleo_json_put_int(j->w, "size", channels);
	paleo_json_put_bool(j->w, "view", 1);
	paleo_json_close(j->w);
	return name;
}

const char *paleo_hf_part(struct paleo_hf_job *j, const char *what, const struct paleo_hf_parts *p,
			  int from, int channels)
{
	if (j->o.phase == PALEO_HF_TRAIN)
		return paleo_hf_product(j, what, p->x, channels, p->bias);
	return paleo_hf_slice(j, what, p->all, from, channels);
}

struct paleo_hf_parts paleo_hf_together(struct paleo_hf_job *j, const char *what, const char *x,
					int outputs, int bias)
{
	struct paleo_hf_parts p = {.x = x, .bias = bias};

	if (j->o.phase != PALEO_HF_TRAIN)
		p.all = paleo_hf_product(j, what, x, outputs, bias);
	return p;
}

/* A norm of all channels; behind a sum, it takes that in where there is no backward pass. */
const char *paleo_hf_norm(struct paleo_hf_job *j, const char *what, const char *x, int behind_sum)
{
	enum paleo_hf_norm norm = j->m->norm;
	int rms = norm == PALEO_HF_RMS_NORM || norm == PALEO_HF_RMS_NORM_FIXED;
	const char *name = paleo_hf_begin(j, what, rms ? "RMSNorm" : "LayerNorm", x, NULL);

	if (rms && behind_sum && j->o.phase != PALEO_HF_TRAIN)
		paleo_json_put_bool(j->w, "sum", 1);
	if (norm == PALEO_HF_LAYER_NORM_NO_SHIFT || norm == PALEO_HF_LAYER_NORM_FIXED)
		paleo_json_put_bool(j->w, "shift", 0);
	if (norm == PALEO_HF_LAYER_NORM_FIXED || norm == PALEO_HF_RMS_NORM_FIXED)
		paleo_json_put_bool(j->w, "scale", 0);
	paleo_hf_put_shared(j);
	paleo_json_close(j->w);
	return name;
}

const char *paleo_hf_of_two(struct paleo_hf_job *j, const char *what, const char *op, const char *a,
			    const char *b)
{
	const char *name = paleo_hf_begin(j, what, "Elementwise", a, b);

	paleo_json_put_string(j->w, "op", op);
	paleo_json_close(j->w);
	return name;
}

const char *paleo_hf_gated(struct paleo_hf_job *j, const char *what, const char *x,
			   const char *from, int gates)
{
	char by[32];

	snprintf(by, sizeof(by), "%s_by", what);
	const char *gate = paleo_hf_begin(j, by, "InnerProduct", from, NULL);
	paleo_json_put_int(j->w, "num_outputs", gates);
	paleo_json_put_bool(j->w, "bias", 0);
	paleo_json_put_string(j->w, "activation_fn", "sigmoid");
	paleo_json_close(j->w);
	return paleo_hf_of_two(j, what, "mul", x, gate);
}

const char *paleo_hf_sum(struct paleo_hf_job *j, const char *what, const char *a, const char *b)
{
	const char *name = paleo_hf_begin(j, what, "Elementwise", a, b);

	paleo_json_close(j->w);
	return name;
}

const char *paleo_hf_wide_product(struct paleo_hf_job *j, const char *what, const char *x,
				  int outputs, int bias)
{
	return product(j, what, x, outputs, bias, 1);
}
