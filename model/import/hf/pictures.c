/* pictures.c - writes how a transformer takes a picture: patches, learned tokens, places. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/hf/write.h"

int paleo_hf_tokens_of_picture(const struct paleo_hf_model *m)
{
	int side = m->image / m->patch;

	return side * side + m->family->front + m->registers;
}

static const char *in_front(struct paleo_hf_job *j, const char *what, const char *x, int tokens)
{
	if (!tokens)
		return x;
	const char *name = paleo_hf_begin(j, what, "ClassToken", x, NULL);
	paleo_json_put_int(j->w, "tokens", tokens);
	paleo_json_close(j->w);
	return name;
}

/* Each patch becomes a token; registers (Darcet et al. 2023) have no place. */
const char *paleo_hf_begin_pictures(struct paleo_hf_job *j)
{
	const struct paleo_hf_model *m = j->m;
	int side = m->image / m->patch;
	const int image[4] = {j->o.batch, m->image, m->image, m->channels};
	const int filter[4] = {m->patch, m->patch, m->channels, m->hidden};
	const int strides[4] = {1, m->patch, m->patch, 1}, tokens[3] = {-1, side * side, m->hidden};

	paleo_hf_begin(j, "pictures", "Input", NULL, NULL);
	paleo_hf_put_list(j, "tensor", image, 4);
	paleo_json_close(j->w);
	const char *x = paleo_hf_begin(j, "patches", "Convolution", "pictures", NULL);
	paleo_hf_put_list(j, "filter", filter, 4);
	paleo_hf_put_list(j, "strides", strides, 4);
	paleo_json_put_string(j->w, "padding", "VALID");
	paleo_json_put_bool(j->w, "bias", !m->family->bare_patches);
	paleo_json_close(j->w);
	x = paleo_hf_begin(j, "tokens", "Reshape", x, NULL);
	paleo_hf_put_list(j, "output_shape", tokens, 3);
	paleo_json_close(j->w);
	x = in_front(j, "class_token", x, m->family->front);
	if (m->positions != PALEO_HF_ROTARY && !m->family->by_distance) {
		x = paleo_hf_begin(j, "places", "Position", x, NULL);
		paleo_json_close(j->w);
	}
	x = in_front(j, "registers", x, m->registers);
	return m->family->embedding_norm ? paleo_hf_norm(j, "norm0", x, 0) : x;
}

/* One learned query reads all tokens, and goes through an MLP. */
const char *paleo_hf_pool(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;
	const int shape[3] = {-1, 1, m->hidden};

	const char *probe = paleo_hf_begin(j, "probe", "Parameter", x, NULL);
	paleo_hf_put_list(j, "output_shape", shape, 3);
	paleo_json_close(j->w);
	const char *const parents[] = {paleo_hf_product(j, "pool_q", probe, m->hidden, 1),
				       paleo_hf_product(j, "pool_k", x, m->hidden, 1),
				       paleo_hf_product(j, "pool_v", x, m->hidden, 1)};
	x = paleo_hf_begin_of(j, "pool", "FusedAttention", parents, 3);
	paleo_json_put_int(j->w, "heads", m->heads);
	paleo_json_close(j->w);
	const char *sum = paleo_hf_product(j, "pool_project", x, m->hidden, 1);
	x = paleo_hf_norm(j, "pool_norm", sum, 0);
	x = paleo_hf_dense(j, x, m->inner, "pool_");
	return paleo_hf_sum(j, "pool_sum", sum, x);
}
