/* parts.c - the layers that a transformer is written of: GEMMs, norms, sums. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/transformer/write.h"

int paleo_hf_divided(int size, int parts)
{
	return (size + parts - 1) / parts;
}

static const char *name_of(struct paleo_hf_job *j, const char *what)
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

static void put(struct paleo_json_writer *w, const struct paleo_hf_key *keys)
{
	for (const struct paleo_hf_key *k = keys; k && k->form != PALEO_HF_END; k++) {
		if (!k->key)
			continue;
		switch (k->form) {
		case PALEO_HF_INT:
			paleo_json_put_int(w, k->key, k->number);
			break;
		case PALEO_HF_FLAG:
			paleo_json_put_bool(w, k->key, k->number);
			break;
		case PALEO_HF_RATE:
			paleo_json_put_double(w, k->key, k->rate);
			break;
		case PALEO_HF_WORD:
			paleo_json_put_string(w, k->key, k->word);
			break;
		case PALEO_HF_LIST:
			paleo_json_open_array(w, k->key);
			for (int i = 0; i < k->number; i++)
				paleo_json_put_int(w, NULL, k->list[i]);
			paleo_json_close(w);
			break;
		case PALEO_HF_MORE:
			put(w, k->more);
			break;
		case PALEO_HF_END:
			break;
		}
	}
}

const char *paleo_hf_layer(struct paleo_hf_job *j, const char *what, const char *type,
			   const char *const *parents, const struct paleo_hf_key *keys)
{
	const char *name = name_of(j, what);

	paleo_json_open_object(j->w, name);
	paleo_json_put_string(j->w, "type", type);
	paleo_json_open_array(j->w, "parents");
	for (; *parents; parents++)
		paleo_json_put_string(j->w, NULL, *parents);
	paleo_json_close(j->w);
	put(j->w, keys);
	paleo_json_close(j->w);
	return name;
}

/* The GEMM that a layer of this name is, or a part of; -1: none that files name. */
static int gemm_of(const char *what)
{
	static const struct {
		const char *what;
		enum paleo_hf_gemm gemm;
	} names[] = {{"qkv", PALEO_HF_GEMM_QKV},
		     {"qv", PALEO_HF_GEMM_QKV},
		     {"q", PALEO_HF_GEMM_QKV},
		     {"k", PALEO_HF_GEMM_QKV},
		     {"v", PALEO_HF_GEMM_QKV},
		     {"q_gate", PALEO_HF_GEMM_QKV},
		     {"project", PALEO_HF_GEMM_OUT},
		     {"expand", PALEO_HF_GEMM_EXPAND},
		     {"gate", PALEO_HF_GEMM_EXPAND},
		     {"up", PALEO_HF_GEMM_EXPAND},
		     {"contract", PALEO_HF_GEMM_CONTRACT},
		     {"shared_expand", PALEO_HF_GEMM_SHARED_EXPAND},
		     {"shared_gate", PALEO_HF_GEMM_SHARED_EXPAND},
		     {"shared_up", PALEO_HF_GEMM_SHARED_EXPAND},
		     {"shared_contract", PALEO_HF_GEMM_SHARED_CONTRACT},
		     {"experts", PALEO_HF_GEMM_EXPERTS},
		     {"down", PALEO_HF_GEMM_DOWN},
		     {"q_a", PALEO_HF_GEMM_DOWN},
		     {"latent", PALEO_HF_GEMM_DOWN},
		     {"k_turned", PALEO_HF_GEMM_DOWN},
		     {"q_b", PALEO_HF_GEMM_Q_B},
		     {"kv_b", PALEO_HF_GEMM_KV_B},
		     {"index_q", PALEO_HF_GEMM_INDEX},
		     {"index_k", PALEO_HF_GEMM_INDEX},
		     {"in", PALEO_HF_GEMM_SCAN_IN},
		     {"z", PALEO_HF_GEMM_SCAN_IN},
		     {"mixed", PALEO_HF_GEMM_SCAN_IN},
		     {"scan_project", PALEO_HF_GEMM_SCAN_OUT}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(what, names[i].what))
			return names[i].gemm;
	return -1;
}

const struct paleo_weight_type *paleo_hf_type_of(const struct paleo_hf_job *j, const char *what)
{
	int gemm = j->layer < 0 ? -1 : gemm_of(what);

	return &j->m->weights[gemm < 0 ? 0 : j->m->layer[j->layer].stored[gemm]];
}

/* Storage type key, omitted where the net's dtype suffices. */
struct paleo_hf_key paleo_hf_stored(const struct paleo_hf_job *j, const struct paleo_weight_type *t)
{
	const struct paleo_weight_type *most = &j->m->weights[0];
	int net = most->dtype ? most->dtype - 1 : (int)j->m->dtype;
	int own = t->dtype ? t->dtype - 1 : (int)j->m->dtype;

	return WHERE(t->stored || own != net,
		     WORD("weights", paleo_weight_type_name(t, j->m->dtype)));
}

struct paleo_hf_key paleo_hf_codes(const struct paleo_hf_job *j, const struct paleo_weight_type *t)
{
	return WHERE(j->m->codes && (t->dtype || t->stored) && j->o.phase != PALEO_HF_TRAIN,
		     FLAG("codes", 1));
}

struct paleo_hf_key paleo_hf_shared(const struct paleo_hf_job *j)
{
	return WHERE(j->layer >= 0 && j->m->layer[j->layer].again, FLAG("shared", 1));
}

static const char *product(struct paleo_hf_job *j, const char *what, const char *x, int outputs,
			   int bias, const struct paleo_weight_type *t)
{
	return paleo_hf_layer(j, what, "InnerProduct", PARENTS(x),
			      KEYS(INT("num_outputs", outputs), FLAG("bias", bias),
				   paleo_hf_stored(j, t), paleo_hf_codes(j, t),
				   paleo_hf_shared(j)));
}

const char *paleo_hf_product(struct paleo_hf_job *j, const char *what, const char *x, int outputs,
			     int bias)
{
	return product(j, what, x, outputs, bias, paleo_hf_type_of(j, what));
}

const char *paleo_hf_wide_product(struct paleo_hf_job *j, const char *what, const char *x,
				  int outputs, int bias)
{
	return product(j, what, x, outputs, bias, &j->m->weights[1]);
}

const char *paleo_hf_slice(struct paleo_hf_job *j, const char *what, const char *x, int from,
			   int channels)
{
	return paleo_hf_layer(
		j, what, "Slice", PARENTS(x),
		KEYS(INT("dim", 2), INT("from", from), INT("size", channels), FLAG("view", 1)));
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

/* A norm of all channels; after a sum, it is fused with that where there is no backward pass. */
const char *paleo_hf_norm(struct paleo_hf_job *j, const char *what, const char *x, int behind_sum)
{
	static const struct {
		int rms, no_shift, no_scale;
	} norms[] = {
		[PALEO_HF_RMS_NORM] = {.rms = 1},
		[PALEO_HF_RMS_NORM_FIXED] = {.rms = 1, .no_scale = 1},
		[PALEO_HF_LAYER_NORM_NO_SHIFT] = {.no_shift = 1},
		[PALEO_HF_LAYER_NORM_FIXED] = {.no_shift = 1, .no_scale = 1},
	};
	int rms = norms[j->m->norm].rms, sum = rms && behind_sum && j->o.phase != PALEO_HF_TRAIN;

	return paleo_hf_layer(j, what, rms ? "RMSNorm" : "LayerNorm", PARENTS(x),
			      KEYS(WHERE(sum, FLAG("sum", 1)),
				   WHERE(norms[j->m->norm].no_shift, FLAG("shift", 0)),
				   WHERE(norms[j->m->norm].no_scale, FLAG("scale", 0)),
				   paleo_hf_shared(j)));
}

const char *paleo_hf_rms_norm(struct paleo_hf_job *j, const char *what, const char *x, int heads,
			      int learns)
{
	return paleo_hf_layer(
		j, what, "RMSNorm", PARENTS(x),
		KEYS(WHERE(heads > 1, INT("heads", heads)), WHERE(!learns, FLAG("scale", 0))));
}

const char *paleo_hf_of_two(struct paleo_hf_job *j, const char *what, const char *op, const char *a,
			    const char *b)
{
	return paleo_hf_layer(j, what, "Elementwise", PARENTS(a, b), KEYS(WORD("op", op)));
}

const char *paleo_hf_sum(struct paleo_hf_job *j, const char *what, const char *a, const char *b)
{
	return paleo_hf_layer(j, what, "Elementwise", PARENTS(a, b), NULL);
}

const char *paleo_hf_dropped(struct paleo_hf_job *j, const char *what, const char *x)
{
	double rate = j->o.phase == PALEO_HF_TRAIN ? j->m->dropout : 0;

	if (!(rate > 0 && rate < 1))
		return x;
	return paleo_hf_layer(j, what, "Dropout", PARENTS(x),
			      KEYS(RATE("dropout_keep_prob", 1 - rate)));
}

const char *paleo_hf_gated(struct paleo_hf_job *j, const char *what, const char *x,
			   const char *from, int gates)
{
	char by[32];

	snprintf(by, sizeof(by), "%s_by", what);
	const char *gate = paleo_hf_layer(
		j, by, "InnerProduct", PARENTS(from),
		KEYS(INT("num_outputs", gates), FLAG("bias", 0), WORD("activation_fn", "sigmoid")));
	return paleo_hf_of_two(j, what, "mul", x, gate);
}

void paleo_hf_learned(struct paleo_hf_job *j, const char *what, const char *x, int numbers)
{
	paleo_hf_layer(j, what, "Parameter", PARENTS(x),
		       KEYS(LIST("output_shape", 3, -1, 1, numbers)));
}
