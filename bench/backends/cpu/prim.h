/* prim.h - this plug-in's calls of oneDNN, common to its versions 2 and 3. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_PRIM_H
#define PALEO_BENCH_BACKENDS_CPU_PRIM_H

#include <oneapi/dnnl/dnnl.h>

#if DNNL_VERSION_MAJOR != 2 && DNNL_VERSION_MAJOR != 3
#error "this needs oneDNN 2 or 3"
#endif

/*
 * The C interface of oneDNN changed with version 3: descriptors of operations are
 * gone, and those of memory became handles. Only dnnl_v2.c and dnnl_v3.c know, of
 * which one is empty. Elsewhere a descriptor of memory is a
 * `const void *`, which both interfaces take and give.
 */

enum {
	PALEO_CPU_RANK_MAX = 5
};

/* A tensor in oneDNN's terms. A plain value; rank 0: none. */
struct paleo_cpu_tensor {
	int rank;
	int any; /* 1: oneDNN chooses the layout, strides are unused */
	dnnl_data_type_t type;
	dnnl_dims_t dims;
	dnnl_dims_t strides; /* in elements */
	const void *layout;  /* NULL, or a descriptor to take instead of all this; borrowed */
};

/*
 * A primitive to be made. In backward passes a tensor also represents its gradient, which has the
 * same layout: src for diff_src, dst for diff_dst. Unused fields are zero.
 */
struct paleo_cpu_spec {
	dnnl_primitive_kind_t kind;
	dnnl_prop_kind_t prop;
	dnnl_alg_kind_t alg;
	struct paleo_cpu_tensor src, weights, bias, dst; /* binary: weights is the second input */
	int inputs;                                      /* of a sum, all like src */
	dnnl_dims_t kernel, strides, dilates, pad_l, pad_r;
	float alpha, beta;    /* eltwise, lrn */
	dnnl_alg_kind_t post; /* a fused activation of a GEMM; undef: none */
	float post_alpha, post_beta;
	dnnl_dim_t size;     /* lrn: channels in the sum */
	float epsilon;       /* normalisations */
	unsigned norm_flags; /* dnnl_use_scale, dnnl_use_shift */
};

/* Most inputs of a sum. */
enum {
	PALEO_CPU_SUM_MAX = 64
};

/* All that oneDNN offers for a primitive, its own choice first. */
struct paleo_cpu_offers;

/* Asks for them; `hint` is the forward primitive's descriptor, or NULL. *out is owned:
 * paleo_cpu_offers_free(). dnnl_unimplemented where oneDNN cannot do it. */
dnnl_status_t paleo_cpu_offers(dnnl_engine_t engine, const struct paleo_cpu_spec *spec,
			       const_dnnl_primitive_desc_t hint, struct paleo_cpu_offers **out);

/* The next one, the first at the first call; NULL after the last. Owned by the caller:
 * dnnl_primitive_desc_destroy(). */
dnnl_primitive_desc_t paleo_cpu_offers_next(struct paleo_cpu_offers *o);
void paleo_cpu_offers_free(struct paleo_cpu_offers *o); /* NULL allowed */

/* Most inputs of a join. */
enum {
	PALEO_CPU_JOIN_MAX = 128
};

/* Makes a memory object on the caller's buffer. *out is owned: dnnl_memory_destroy(). */
dnnl_status_t paleo_cpu_memory(dnnl_engine_t engine, const struct paleo_cpu_tensor *t, void *data,
			       dnnl_memory_t *out);

/* Describes joining `count` tensors of these layouts along dimension `axis`; oneDNN chooses the
 * result's. *out is owned. */
dnnl_status_t paleo_cpu_concat(dnnl_engine_t engine, int count, int axis,
			       const void *const *layouts, dnnl_primitive_desc_t *out);

/* Makes a memory object, yet without a buffer, that is the part of `dims` at `offsets` of a tensor
 * of this layout. *out is owned. */
dnnl_status_t paleo_cpu_part(dnnl_engine_t engine, const void *layout, const dnnl_dims_t dims,
			     const dnnl_dims_t offsets, dnnl_memory_t *out);

/* The memory's descriptor, which lives as long as the memory. */
dnnl_status_t paleo_cpu_memory_layout(dnnl_memory_t memory, const void **out);

#endif
