/* dnnl_v3.c - makes descriptors with the C interface of oneDNN 3. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/backends/cpu/prim.h"

#if DNNL_VERSION_MAJOR == 3

/* The layouts of a spec's tensors; NULL where there is none. */
struct layouts {
	dnnl_memory_desc_t src, weights, bias, dst;
	dnnl_primitive_attr_t attr;
};

static dnnl_status_t layout_of(const struct paleo_cpu_tensor *t, dnnl_memory_desc_t *out)
{
	if (!t->rank)
		return dnnl_success;
	if (t->layout)
		return dnnl_memory_desc_clone(out, (const_dnnl_memory_desc_t)t->layout);
	if (t->any)
		return dnnl_memory_desc_create_with_tag(out, t->rank, t->dims, t->type,
							dnnl_format_tag_any);
	return dnnl_memory_desc_create_with_strides(out, t->rank, t->dims, t->type, t->strides);
}

/* *out is NULL where no attributes are needed; otherwise dnnl_primitive_attr_destroy(). */
static dnnl_status_t attributes(const struct paleo_cpu_spec *s, dnnl_primitive_attr_t *out)
{
	dnnl_post_ops_t ops = NULL;
	dnnl_status_t rc;

	*out = NULL;
	if (s->post == dnnl_alg_kind_undef)
		return dnnl_success;
	rc = dnnl_primitive_attr_create(out);
	if (rc == dnnl_success)
		rc = dnnl_post_ops_create(&ops);
	if (rc == dnnl_success)
		rc = dnnl_post_ops_append_eltwise(ops, s->post, s->post_alpha, s->post_beta);
	if (rc == dnnl_success)
		rc = dnnl_primitive_attr_set_post_ops(*out, ops);
	dnnl_post_ops_destroy(ops);
	return rc;
}

static dnnl_status_t convolution(dnnl_engine_t e, const struct paleo_cpu_spec *s,
				 const struct layouts *l, const_dnnl_primitive_desc_t hint,
				 dnnl_primitive_desc_t *out)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_convolution_backward_data_primitive_desc_create(
			out, e, s->alg, l->src, l->weights, l->dst, s->strides, s->dilates,
			s->pad_l, s->pad_r, hint, NULL);
	if (s->prop == dnnl_backward_weights)
		return dnnl_convolution_backward_weights_primitive_desc_create(
			out, e, s->alg, l->src, l->weights, l->bias, l->dst, s->strides, s->dilates,
			s->pad_l, s->pad_r, hint, NULL);
	return dnnl_convolution_forward_primitive_desc_create(
		out, e, s->prop, s->alg, l->src, l->weights, l->bias, l->dst, s->strides,
		s->dilates, s->pad_l, s->pad_r, l->attr);
}

static dnnl_status_t inner_product(dnnl_engine_t e, const struct paleo_cpu_spec *s,
				   const struct layouts *l, const_dnnl_primitive_desc_t hint,
				   dnnl_primitive_desc_t *out)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_inner_product_backward_data_primitive_desc_create(
			out, e, l->src, l->weights, l->dst, hint, NULL);
	if (s->prop == dnnl_backward_weights)
		return dnnl_inner_product_backward_weights_primitive_desc_create(
			out, e, l->src, l->weights, l->bias, l->dst, hint, NULL);
	return dnnl_inner_product_forward_primitive_desc_create(out, e, s->prop, l->src, l->weights,
								l->bias, l->dst, l->attr);
}

static dnnl_status_t pooling(dnnl_engine_t e, const struct paleo_cpu_spec *s,
			     const struct layouts *l, const_dnnl_primitive_desc_t hint,
			     dnnl_primitive_desc_t *out)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_pooling_backward_primitive_desc_create(
			out, e, s->alg, l->src, l->dst, s->strides, s->kernel, s->dilates, s->pad_l,
			s->pad_r, hint, NULL);
	return dnnl_pooling_forward_primitive_desc_create(out, e, s->prop, s->alg, l->src, l->dst,
							  s->strides, s->kernel, s->dilates,
							  s->pad_l, s->pad_r, NULL);
}

static dnnl_status_t eltwise(dnnl_engine_t e, const struct paleo_cpu_spec *s,
			     const struct layouts *l, const_dnnl_primitive_desc_t hint,
			     dnnl_primitive_desc_t *out)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_eltwise_backward_primitive_desc_create(
			out, e, s->alg, l->src, l->src, l->src, s->alpha, s->beta, hint, NULL);
	return dnnl_eltwise_forward_primitive_desc_create(out, e, s->prop, s->alg, l->src, l->src,
							  s->alpha, s->beta, NULL);
}

static dnnl_status_t batch_norm(dnnl_engine_t e, const struct paleo_cpu_spec *s,
				const struct layouts *l, const_dnnl_primitive_desc_t hint,
				dnnl_primitive_desc_t *out)
{
	if (s->prop == dnnl_backward || s->prop == dnnl_backward_data)
		return dnnl_batch_normalization_backward_primitive_desc_create(
			out, e, s->prop, l->src, l->src, l->src, s->epsilon, s->norm_flags, hint,
			NULL);
	return dnnl_batch_normalization_forward_primitive_desc_create(
		out, e, s->prop, l->src, l->src, s->epsilon, s->norm_flags, NULL);
}

static dnnl_status_t layer_norm(dnnl_engine_t e, const struct paleo_cpu_spec *s,
				const struct layouts *l, const_dnnl_primitive_desc_t hint,
				dnnl_primitive_desc_t *out)
{
	if (s->prop != dnnl_forward_training)
		return dnnl_layer_normalization_backward_primitive_desc_create(
			out, e, s->prop, l->src, l->src, l->src, NULL, s->epsilon, s->norm_flags,
			hint, NULL);
	return dnnl_layer_normalization_forward_primitive_desc_create(
		out, e, s->prop, l->src, l->src, NULL, s->epsilon, s->norm_flags, NULL);
}

static dnnl_status_t lrn(dnnl_engine_t e, const struct paleo_cpu_spec *s, const struct layouts *l,
			 const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *out)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_lrn_backward_primitive_desc_create(out, e, s->alg, l->src, l->src,
							       l->src, s->size, s->alpha, s->beta,
							       1, hint, NULL);
	return dnnl_lrn_forward_primitive_desc_create(out, e, s->prop, s->alg, l->src, l->src,
						      s->size, s->alpha, s->beta, 1, NULL);
}

static dnnl_status_t softmax(dnnl_engine_t e, const struct paleo_cpu_spec *s,
			     const struct layouts *l, const_dnnl_primitive_desc_t hint,
			     dnnl_primitive_desc_t *out)
{
	int axis = s->dst.rank - 1;

	if (s->prop == dnnl_backward_data)
		return dnnl_softmax_backward_primitive_desc_create(out, e, s->alg, l->src, l->dst,
								   l->dst, axis, hint, NULL);
	return dnnl_softmax_forward_primitive_desc_create(out, e, s->prop, s->alg, l->src, l->dst,
							  axis, NULL);
}

static dnnl_status_t resampling(dnnl_engine_t e, const struct paleo_cpu_spec *s,
				const struct layouts *l, const_dnnl_primitive_desc_t hint,
				dnnl_primitive_desc_t *out)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_resampling_backward_primitive_desc_create(out, e, s->alg, NULL, l->src,
								      l->dst, hint, NULL);
	return dnnl_resampling_forward_primitive_desc_create(out, e, s->prop, s->alg, NULL, l->src,
							     l->dst, NULL);
}

static dnnl_status_t sum(dnnl_engine_t e, const struct paleo_cpu_spec *s, const struct layouts *l,
			 dnnl_primitive_desc_t *out)
{
	const_dnnl_memory_desc_t inputs[PALEO_CPU_SUM_MAX];
	float scales[PALEO_CPU_SUM_MAX];

	for (int i = 0; i < s->inputs; i++) {
		inputs[i] = l->src;
		scales[i] = 1;
	}
	return dnnl_sum_primitive_desc_create(out, e, l->dst, s->inputs, scales, inputs, NULL);
}

static dnnl_status_t make(dnnl_engine_t e, const struct paleo_cpu_spec *s, const struct layouts *l,
			  const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *out)
{
	/* Many kinds that we never ask for: the compiler's list would not help. */
	if (s->kind == dnnl_convolution)
		return convolution(e, s, l, hint, out);
	if (s->kind == dnnl_inner_product)
		return inner_product(e, s, l, hint, out);
	if (s->kind == dnnl_matmul)
		return dnnl_matmul_primitive_desc_create(out, e, l->src, l->weights, l->bias,
							 l->dst, l->attr);
	if (s->kind == dnnl_pooling)
		return pooling(e, s, l, hint, out);
	if (s->kind == dnnl_eltwise)
		return eltwise(e, s, l, hint, out);
	if (s->kind == dnnl_binary)
		return dnnl_binary_primitive_desc_create(out, e, s->alg, l->src, l->weights, l->dst,
							 NULL);
	if (s->kind == dnnl_batch_normalization)
		return batch_norm(e, s, l, hint, out);
	if (s->kind == dnnl_layer_normalization)
		return layer_norm(e, s, l, hint, out);
	if (s->kind == dnnl_lrn)
		return lrn(e, s, l, hint, out);
	if (s->kind == dnnl_softmax)
		return softmax(e, s, l, hint, out);
	if (s->kind == dnnl_resampling)
		return resampling(e, s, l, hint, out);
	if (s->kind == dnnl_reduction)
		return dnnl_reduction_primitive_desc_create(out, e, s->alg, l->src, l->dst, 0, 0,
							    NULL);
	if (s->kind == dnnl_sum)
		return sum(e, s, l, out);
	return dnnl_unimplemented;
}

/* In this version a descriptor is its own iterator. */
struct paleo_cpu_offers {
	dnnl_primitive_desc_t at; /* value of next(); NULL after the last */
};

static dnnl_status_t find_offers(dnnl_engine_t engine, const struct paleo_cpu_spec *spec,
				 const_dnnl_primitive_desc_t hint, struct paleo_cpu_offers *o)
{
	struct layouts l = {.src = NULL};
	dnnl_status_t rc = layout_of(&spec->src, &l.src);

	if (rc == dnnl_success)
		rc = layout_of(&spec->weights, &l.weights);
	if (rc == dnnl_success)
		rc = layout_of(&spec->bias, &l.bias);
	if (rc == dnnl_success)
		rc = layout_of(&spec->dst, &l.dst);
	if (rc == dnnl_success)
		rc = attributes(spec, &l.attr);
	if (rc == dnnl_success)
		rc = make(engine, spec, &l, hint, &o->at);
	dnnl_memory_desc_destroy(l.src);
	dnnl_memory_desc_destroy(l.weights);
	dnnl_memory_desc_destroy(l.bias);
	dnnl_memory_desc_destroy(l.dst);
	dnnl_primitive_attr_destroy(l.attr);
	return rc;
}

dnnl_status_t paleo_cpu_offers(dnnl_engine_t engine, const struct paleo_cpu_spec *spec,
			       const_dnnl_primitive_desc_t hint, struct paleo_cpu_offers **out)
{
	struct paleo_cpu_offers *o = calloc(1, sizeof(*o));

	if (!o)
		return dnnl_out_of_memory;
	dnnl_status_t rc = find_offers(engine, spec, hint, o);
	if (rc != dnnl_success) {
		paleo_cpu_offers_free(o);
		return rc;
	}
	*out = o;
	return dnnl_success;
}

dnnl_primitive_desc_t paleo_cpu_offers_next(struct paleo_cpu_offers *o)
{
	dnnl_primitive_desc_t d = NULL;

	if (!o->at)
		return NULL;
	if (dnnl_primitive_desc_clone(&d, o->at) != dnnl_success)
		return NULL;
	if (dnnl_primitive_desc_next_impl(o->at) != dnnl_success) {
		dnnl_primitive_desc_destroy(o->at);
		o->at = NULL;
	}
	return d;
}

void paleo_cpu_offers_free(struct paleo_cpu_offers *o)
{
	if (!o)
		return;
	dnnl_primitive_desc_destroy(o->at);
	free(o);
}

dnnl_status_t paleo_cpu_memory(dnnl_engine_t engine, const struct paleo_cpu_tensor *t, void *data,
			       dnnl_memory_t *out)
{
	dnnl_memory_desc_t layout = NULL;
	dnnl_status_t rc = layout_of(t, &layout);

	if (rc == dnnl_success)
		rc = dnnl_memory_create(out, layout, engine, data);
	dnnl_memory_desc_destroy(layout);
	return rc;
}

dnnl_status_t paleo_cpu_concat(dnnl_engine_t engine, int count, int axis,
			       const void *const *layouts, dnnl_primitive_desc_t *out)
{
	const_dnnl_memory_desc_t inputs[PALEO_CPU_JOIN_MAX];

	if (count > PALEO_CPU_JOIN_MAX)
		return dnnl_unimplemented;
	for (int i = 0; i < count; i++)
		inputs[i] = layouts[i];
	return dnnl_concat_primitive_desc_create(out, engine, NULL, count, axis, inputs, NULL);
}

dnnl_status_t paleo_cpu_part(dnnl_engine_t engine, const void *layout, const dnnl_dims_t dims,
			     const dnnl_dims_t offsets, dnnl_memory_t *out)
{
	dnnl_memory_desc_t part = NULL;
	dnnl_status_t rc = dnnl_memory_desc_create_submemory(&part, layout, dims, offsets);

	if (rc == dnnl_success)
		rc = dnnl_memory_create(out, part, engine, DNNL_MEMORY_NONE);
	dnnl_memory_desc_destroy(part);
	return rc;
}

dnnl_status_t paleo_cpu_memory_layout(dnnl_memory_t memory, const void **out)
{
	const_dnnl_memory_desc_t layout;
	dnnl_status_t rc = dnnl_memory_get_memory_desc(memory, &layout);

	if (rc == dnnl_success)
		*out = layout;
	return rc;
}

#endif
