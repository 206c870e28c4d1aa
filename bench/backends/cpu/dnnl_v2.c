/* dnnl_v2.c - makes descriptors with the C interface of oneDNN 2. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/backends/cpu/prim.h"

#if DNNL_VERSION_MAJOR == 2

/* The layouts of a spec's tensors; a zero descriptor means that there is none. */
struct layouts {
	dnnl_memory_desc_t src, weights, bias, dst;
};

/* Any operation's descriptor. */
union operation {
	dnnl_convolution_desc_t convolution;
	dnnl_inner_product_desc_t inner_product;
	dnnl_matmul_desc_t matmul;
	dnnl_pooling_v2_desc_t pooling;
	dnnl_eltwise_desc_t eltwise;
	dnnl_binary_desc_t binary;
	dnnl_batch_normalization_desc_t batch_norm;
	dnnl_layer_normalization_desc_t layer_norm;
	dnnl_lrn_desc_t lrn;
	dnnl_softmax_v2_desc_t softmax;
	dnnl_resampling_desc_t resampling;
	dnnl_reduction_desc_t reduction;
};

static dnnl_status_t layout_of(const struct paleo_cpu_tensor *t, dnnl_memory_desc_t *out)
{
	if (!t->rank) {
		*out = (dnnl_memory_desc_t){.ndims = 0};
		return dnnl_success;
	}
	if (t->layout) {
		*out = *(const dnnl_memory_desc_t *)t->layout;
		return dnnl_success;
	}
	if (t->any)
		return dnnl_memory_desc_init_by_tag(out, t->rank, t->dims, t->type,
						    dnnl_format_tag_any);
	return dnnl_memory_desc_init_by_strides(out, t->rank, t->dims, t->type, t->strides);
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
		rc = dnnl_post_ops_append_eltwise(ops, 1, s->post, s->post_alpha, s->post_beta);
	if (rc == dnnl_success)
		rc = dnnl_primitive_attr_set_post_ops(*out, ops);
	dnnl_post_ops_destroy(ops);
	return rc;
}

static dnnl_status_t convolution(const struct paleo_cpu_spec *s, const struct layouts *l,
				 dnnl_convolution_desc_t *d)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_dilated_convolution_backward_data_desc_init(
			d, s->alg, &l->src, &l->weights, &l->dst, s->strides, s->dilates, s->pad_l,
			s->pad_r);
	if (s->prop == dnnl_backward_weights)
		return dnnl_dilated_convolution_backward_weights_desc_init(
			d, s->alg, &l->src, &l->weights, &l->bias, &l->dst, s->strides, s->dilates,
			s->pad_l, s->pad_r);
	return dnnl_dilated_convolution_forward_desc_init(d, s->prop, s->alg, &l->src, &l->weights,
							  &l->bias, &l->dst, s->strides, s->dilates,
							  s->pad_l, s->pad_r);
}

static dnnl_status_t inner_product(const struct paleo_cpu_spec *s, const struct layouts *l,
				   dnnl_inner_product_desc_t *d)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_inner_product_backward_data_desc_init(d, &l->src, &l->weights, &l->dst);
	if (s->prop == dnnl_backward_weights)
		return dnnl_inner_product_backward_weights_desc_init(d, &l->src, &l->weights,
								     &l->bias, &l->dst);
	return dnnl_inner_product_forward_desc_init(d, s->prop, &l->src, &l->weights, &l->bias,
						    &l->dst);
}

static dnnl_status_t pooling(const struct paleo_cpu_spec *s, const struct layouts *l,
			     dnnl_pooling_v2_desc_t *d)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_pooling_v2_backward_desc_init(d, s->alg, &l->src, &l->dst, s->strides,
							  s->kernel, s->dilates, s->pad_l,
							  s->pad_r);
	return dnnl_pooling_v2_forward_desc_init(d, s->prop, s->alg, &l->src, &l->dst, s->strides,
						 s->kernel, s->dilates, s->pad_l, s->pad_r);
}

static dnnl_status_t eltwise(const struct paleo_cpu_spec *s, const struct layouts *l,
			     dnnl_eltwise_desc_t *d)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_eltwise_backward_desc_init(d, s->alg, &l->src, &l->src, s->alpha,
						       s->beta);
	return dnnl_eltwise_forward_desc_init(d, s->prop, s->alg, &l->src, s->alpha, s->beta);
}

static dnnl_status_t batch_norm(const struct paleo_cpu_spec *s, const struct layouts *l,
				dnnl_batch_normalization_desc_t *d)
{
	if (s->prop == dnnl_backward || s->prop == dnnl_backward_data)
		return dnnl_batch_normalization_backward_desc_init(d, s->prop, &l->src, &l->src,
								   s->epsilon, s->norm_flags);
	return dnnl_batch_normalization_forward_desc_init(d, s->prop, &l->src, s->epsilon,
							  s->norm_flags);
}

static dnnl_status_t layer_norm(const struct paleo_cpu_spec *s, const struct layouts *l,
				dnnl_layer_normalization_desc_t *d)
{
	if (s->prop != dnnl_forward_training)
		return dnnl_layer_normalization_backward_desc_init(d, s->prop, &l->src, &l->src,
								   NULL, s->epsilon, s->norm_flags);
	return dnnl_layer_normalization_forward_desc_init(d, s->prop, &l->src, NULL, s->epsilon,
							  s->norm_flags);
}

static dnnl_status_t lrn(const struct paleo_cpu_spec *s, const struct layouts *l,
			 dnnl_lrn_desc_t *d)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_lrn_backward_desc_init(d, s->alg, &l->src, &l->src, s->size, s->alpha,
						   s->beta, 1);
	return dnnl_lrn_forward_desc_init(d, s->prop, s->alg, &l->src, s->size, s->alpha, s->beta,
					  1);
}

static dnnl_status_t softmax(const struct paleo_cpu_spec *s, const struct layouts *l,
			     dnnl_softmax_v2_desc_t *d)
{
	int axis = s->dst.rank - 1;

	if (s->prop == dnnl_backward_data)
		return dnnl_softmax_v2_backward_desc_init(d, s->alg, &l->src, &l->dst, &l->dst,
							  axis);
	return dnnl_softmax_v2_forward_desc_init(d, s->prop, s->alg, &l->src, &l->dst, axis);
}

static dnnl_status_t resampling(const struct paleo_cpu_spec *s, const struct layouts *l,
				dnnl_resampling_desc_t *d)
{
	if (s->prop == dnnl_backward_data)
		return dnnl_resampling_backward_desc_init(d, s->alg, NULL, &l->src, &l->dst);
	return dnnl_resampling_forward_desc_init(d, s->prop, s->alg, NULL, &l->src, &l->dst);
}

static dnnl_status_t sum(dnnl_engine_t engine, const struct paleo_cpu_spec *s,
			 const struct layouts *l, dnnl_primitive_desc_t *out)
{
	dnnl_memory_desc_t inputs[PALEO_CPU_SUM_MAX];
	float scales[PALEO_CPU_SUM_MAX];

	for (int i = 0; i < s->inputs; i++) {
		inputs[i] = l->src;
		scales[i] = 1;
	}
	return dnnl_sum_primitive_desc_create(out, &l->dst, s->inputs, scales, inputs, NULL,
					      engine);
}

/* Describes the operation; all kinds but the sum, which has no operation descriptor. */
static dnnl_status_t describe(const struct paleo_cpu_spec *s, const struct layouts *l,
			      union operation *o)
{
	/* Many kinds that we never ask for: the compiler's list would not help. */
	if (s->kind == dnnl_convolution)
		return convolution(s, l, &o->convolution);
	if (s->kind == dnnl_inner_product)
		return inner_product(s, l, &o->inner_product);
	if (s->kind == dnnl_matmul)
		return dnnl_matmul_desc_init(&o->matmul, &l->src, &l->weights, &l->bias, &l->dst);
	if (s->kind == dnnl_pooling)
		return pooling(s, l, &o->pooling);
	if (s->kind == dnnl_eltwise)
		return eltwise(s, l, &o->eltwise);
	if (s->kind == dnnl_binary)
		return dnnl_binary_desc_init(&o->binary, s->alg, &l->src, &l->weights, &l->dst);
	if (s->kind == dnnl_batch_normalization)
		return batch_norm(s, l, &o->batch_norm);
	if (s->kind == dnnl_layer_normalization)
		return layer_norm(s, l, &o->layer_norm);
	if (s->kind == dnnl_lrn)
		return lrn(s, l, &o->lrn);
	if (s->kind == dnnl_softmax)
		return softmax(s, l, &o->softmax);
	if (s->kind == dnnl_resampling)
		return resampling(s, l, &o->resampling);
	if (s->kind == dnnl_reduction)
		return dnnl_reduction_desc_init(&o->reduction, s->alg, &l->src, &l->dst, 0, 0);
	return dnnl_unimplemented;
}

/* A sum has no iterator: it has one implementation. */
struct paleo_cpu_offers {
	dnnl_primitive_desc_iterator_t iterator; /* at the value of next(); NULL after the last */
	dnnl_primitive_desc_t only;
};

static dnnl_status_t find_offers(dnnl_engine_t engine, const struct paleo_cpu_spec *spec,
				 const_dnnl_primitive_desc_t hint, struct paleo_cpu_offers *o)
{
	struct layouts l;
	union operation op;
	dnnl_status_t rc = layout_of(&spec->src, &l.src);

	if (rc == dnnl_success)
		rc = layout_of(&spec->weights, &l.weights);
	if (rc == dnnl_success)
		rc = layout_of(&spec->bias, &l.bias);
	if (rc == dnnl_success)
		rc = layout_of(&spec->dst, &l.dst);
	if (rc != dnnl_success)
		return rc;
	if (spec->kind == dnnl_sum)
		return sum(engine, spec, &l, &o->only);
	dnnl_primitive_attr_t attr = NULL;
	rc = describe(spec, &l, &op);
	if (rc == dnnl_success)
		rc = attributes(spec, &attr);
	if (rc == dnnl_success)
		rc = dnnl_primitive_desc_iterator_create(&o->iterator, &op, attr, engine, hint);
	dnnl_primitive_attr_destroy(attr);
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

static void end_offers(struct paleo_cpu_offers *o)
{
	if (o->iterator)
		dnnl_primitive_desc_iterator_destroy(o->iterator);
	o->iterator = NULL;
}

dnnl_primitive_desc_t paleo_cpu_offers_next(struct paleo_cpu_offers *o)
{
	dnnl_primitive_desc_t d = o->only;

	o->only = NULL;
	if (!o->iterator)
		return d;
	d = dnnl_primitive_desc_iterator_fetch(o->iterator);
	if (dnnl_primitive_desc_iterator_next(o->iterator) != dnnl_success)
		end_offers(o);
	return d;
}

void paleo_cpu_offers_free(struct paleo_cpu_offers *o)
{
	if (!o)
		return;
	end_offers(o);
	dnnl_primitive_desc_destroy(o->only);
	free(o);
}

dnnl_status_t paleo_cpu_memory(dnnl_engine_t engine, const struct paleo_cpu_tensor *t, void *data,
			       dnnl_memory_t *out)
{
	dnnl_memory_desc_t layout;
	dnnl_status_t rc = layout_of(t, &layout);

	if (rc != dnnl_success)
		return rc;
	return dnnl_memory_create(out, &layout, engine, data);
}

dnnl_status_t paleo_cpu_concat(dnnl_engine_t engine, int count, int axis,
			       const void *const *layouts, dnnl_primitive_desc_t *out)
{
	dnnl_memory_desc_t inputs[PALEO_CPU_JOIN_MAX];

	if (count > PALEO_CPU_JOIN_MAX)
		return dnnl_unimplemented;
	for (int i = 0; i < count; i++)
		inputs[i] = *(const dnnl_memory_desc_t *)layouts[i];
	return dnnl_concat_primitive_desc_create(out, NULL, count, axis, inputs, NULL, engine);
}

dnnl_status_t paleo_cpu_part(dnnl_engine_t engine, const void *layout, const dnnl_dims_t dims,
			     const dnnl_dims_t offsets, dnnl_memory_t *out)
{
	dnnl_memory_desc_t part;
	dnnl_status_t rc = dnnl_memory_desc_init_submemory(&part, layout, dims, offsets);

	if (rc == dnnl_success)
		rc = dnnl_memory_create(out, &part, engine, DNNL_MEMORY_NONE);
	return rc;
}

dnnl_status_t paleo_cpu_memory_layout(dnnl_memory_t memory, const void **out)
{
	const dnnl_memory_desc_t *layout;
	dnnl_status_t rc = dnnl_memory_get_memory_desc(memory, &layout);

	if (rc == dnnl_success)
		*out = layout;
	return rc;
}

#endif
