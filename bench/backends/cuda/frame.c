/* frame.c - fills in a kernel's argument: the op's geometry, and its tensors' addresses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "bench/backends/cuda/job.h"
#include "bench/fill.h"

static void pool_frame(const struct paleo_pool_geom *g, struct paleo_frame *f)
{
	f->n = g->n;
	f->c = g->c;
	f->in_h = g->h;
	f->in_w = g->w;
	f->out_h = g->p;
	f->out_w = g->q;
	f->r = g->r;
	f->s = g->s;
	f->stride_h = g->stride_h;
	f->stride_w = g->stride_w;
	f->pad_t = g->pad_t;
	f->pad_l = g->pad_l;
	f->whole_window = g->mode == PALEO_POOL_AVG_PAD;
}

static void upsample_frame(const struct paleo_upsample_geom *g, struct paleo_frame *f)
{
	f->n = g->n;
	f->c = g->c;
	f->in_h = g->h;
	f->in_w = g->w;
	f->out_h = g->h * g->scale_h;
	f->out_w = g->w * g->scale_w;
	f->scale_h = g->scale_h;
	f->scale_w = g->scale_w;
}

/* Kernels that only distinguish channels see an NHWC image as one of single pixels. Counts beyond
 * the type's range are clamped to its maximum, which is too many for all kernels. */
static void fold_pixels(const struct paleo_op *w, struct paleo_frame *f)
{
	double pixels = (double)f->n * f->in_h * f->in_w;

	if (w->layout != PALEO_NHWC || f->c == 1)
		return;
	f->n = pixels > INT_MAX ? INT_MAX : (int)pixels;
	f->in_h = f->in_w = 1;
}

static void norm_frame(const struct paleo_norm_geom *g, struct paleo_frame *f)
{
	f->n = g->n;
	f->c = g->c;
	f->in_h = g->h;
	f->in_w = g->w;
	f->per_row = g->mode == PALEO_LAYER_NORM || g->mode == PALEO_RMS_NORM;
	f->centred = g->mode != PALEO_RMS_NORM;
}

/* The bias of a convolution belongs to its result. */
static void conv_frame(const struct paleo_conv_geom *g, struct paleo_frame *f)
{
	f->n = g->n;
	f->c = g->k;
	f->in_h = g->p;
	f->in_w = g->q;
}

/* The bias gradient of a GEMM is a sum over op(A): its channels are the rows of C. */
static void gemm_frame(const struct paleo_gemm_geom *g, struct paleo_frame *f)
{
	f->n = g->trans_a ? g->k : 1;
	f->c = g->m;
	f->in_h = 1;
	f->in_w = g->trans_a ? 1 : g->k;
}

static void eltwise_frame(const struct paleo_eltwise_geom *g, struct paleo_frame *f)
{
	f->count = (long long)g->count;
	f->tensors = g->inputs;
	f->small = (long long)g->small;
}

static void reduce_frame(const struct paleo_reduce_geom *g, struct paleo_frame *f)
{
	f->n = g->rows;
	f->in_w = g->cols;
	f->factor = g->op == PALEO_REDUCE_MEAN ? 1 / (float)g->cols : 1;
}

/* Rows of the result. */
static void embedding_frame(const struct paleo_embedding_geom *g, struct paleo_frame *f)
{
	f->n = g->tokens;
	f->c = g->dim;
	f->limit = (unsigned)g->vocab;
}

static void rope_frame(const struct paleo_rope_geom *g, struct paleo_frame *f)
{
	f->n = g->rows;
	f->c = g->heads;
	f->in_w = g->dim;
}

static void attention_frame(const struct paleo_attention_geom *g, struct paleo_frame *f)
{
	f->n = g->batch;
	f->in_h = paleo_attention_seen(g);
	f->out_h = g->q;
	f->c = g->heads;
	f->kv_heads = g->kv_heads;
	f->in_w = g->qk;
	f->out_w = g->latent ? 0 : g->v;
	f->rope = g->rope;
}

static void moe_frame(const struct paleo_moe_geom *g, struct paleo_frame *f)
{
	f->n = g->tokens;
	f->c = g->hidden;
	f->in_w = g->inter;
	f->topk = g->topk;
	f->locals = g->local;
}

static void cross_entropy_frame(const struct paleo_cross_entropy_geom *g, struct paleo_frame *f)
{
	f->n = g->rows;
	f->in_w = g->cols;
	f->factor = 1 / (float)g->rows;
}

struct paleo_frame paleo_frame_of(const struct paleo_op *w)
{
	struct paleo_frame f;

	memset(&f, 0, sizeof(f));
	f.stream = paleo_fill_stream(PALEO_MASK, 0); /* of dropout */
	f.pixel_step = 1;
	switch ((int)w->kind) {
	case PALEO_CONV:
		conv_frame(&w->geom.conv, &f);
		fold_pixels(w, &f);
		break;
	case PALEO_GEMM:
		gemm_frame(&w->geom.gemm, &f);
		break;
	case PALEO_POOL:
		pool_frame(&w->geom.pool, &f);
		f.pixel_step = w->layout == PALEO_NHWC ? f.c : 1;
		break;
	case PALEO_NORM:
		norm_frame(&w->geom.norm, &f);
		fold_pixels(w, &f);
		break;
	case PALEO_UPSAMPLE:
		upsample_frame(&w->geom.upsample, &f);
		f.pixel_step = w->layout == PALEO_NHWC ? f.c : 1;
		break;
	case PALEO_ELTWISE:
		eltwise_frame(&w->geom.eltwise, &f);
		break;
	case PALEO_UPDATE:
		f.count = (long long)w->geom.update.count;
		break;
	case PALEO_REDUCE:
		reduce_frame(&w->geom.reduce, &f);
		break;
	case PALEO_EMBEDDING:
		embedding_frame(&w->geom.embedding, &f);
		break;
	case PALEO_ROPE:
		rope_frame(&w->geom.rope, &f);
		break;
	case PALEO_ATTENTION:
		attention_frame(&w->geom.attention, &f);
		break;
	case PALEO_MOE:
		moe_frame(&w->geom.moe, &f);
		break;
	case PALEO_CROSS_ENTROPY:
		cross_entropy_frame(&w->geom.cross_entropy, &f);
		break;
	default: /* its kernels need none */
		break;
	}
	return f;
}

struct paleo_frame paleo_frame_of_fill(const struct paleo_job *j, const struct paleo_operand *o,
				       int tensor)
{
	struct paleo_frame f = paleo_frame_of(&j->op);

	f.x = f.mask = paleo_job_address(j, o->role, tensor, 0);
	f.count = (long long)paleo_job_tensor_count(j, o, tensor);
	f.stream = paleo_fill_stream(o->role, tensor);
	f.factor = (float)paleo_fill_scale(&j->op, o->role);
	f.second_moment = o->role == PALEO_STATE2;
	f.wide = o->elem_bytes == sizeof(float);
	f.limit = (unsigned)paleo_filler_of(&j->op, o->role, tensor).index_limit;
	f.in_turn = j->op.kind == PALEO_MOE;
	f.pixel_step = 1;
	if (o->rank == 4 && j->op.layout == PALEO_NHWC) {
		f.c = f.pixel_step = (int)o->dims[1];
		f.in_h = (int)o->dims[2];
		f.in_w = (int)o->dims[3];
	}
	return f;
}

/* Elements from one tensor of x to the next, or of dx: they are of one size. */
static long long distance(const struct paleo_job *j)
{
	for (int i = 0; i < j->operand_count; i++) {
		const struct paleo_operand *o = &j->operands[i];
		int is_input = o->role == PALEO_X || o->role == PALEO_DX;
		if (!is_input || o->copies < 2 || (!j->placed && !j->layout.base))
			continue;
		const char *first = paleo_job_address(j, o->role, 0, 0);
		const char *second = paleo_job_address(j, o->role, 1, 0);
		return (long long)(second - first) / o->elem_bytes;
	}
	return 0;
}

void paleo_parts_bind(struct paleo_parts *p, const struct paleo_job *j, int copy)
{
	const struct paleo_copy_geom *g = &j->op.geom.copy;
	int joins = j->op.pass == PALEO_FWD;
	uintptr_t bytes = (uintptr_t)paleo_dtype_bytes(j->op.dtype), all = PALEO_PACK_BYTES;

	if (j->op.kind != PALEO_COPY)
		return;
	p->whole = paleo_job_address(j, joins ? PALEO_Y : PALEO_DY, 0, copy);
	p->rows = g->rows;
	p->count = g->parts;
	p->row_units = g->cols; /* elements, at first */
	all |= (uintptr_t)p->whole | (uintptr_t)g->cols * bytes;
	for (int i = 0; i < g->parts; i++) {
		p->part[i] = paleo_job_address(j, joins ? PALEO_X : PALEO_DX, i, copy);
		p->units[i] = paleo_job_part(j, i, &p->start[i]);
		all |= (uintptr_t)p->part[i] | (uintptr_t)p->units[i] * bytes;
	}
	p->unit_bytes = (int)(all & -all); /* the lowest bit that any has */
	int elements = p->unit_bytes / (int)bytes;
	p->row_units /= elements;
	for (int i = 0; i < g->parts; i++) {
		p->units[i] /= elements;
		p->start[i] /= elements;
	}
}

/* The second tensor of an operand; NULL where it has one. */
static void *second(const struct paleo_job *j, enum paleo_role role, int copy)
{
	const struct paleo_operand *o = paleo_job_operand(j, role);

	return o && o->copies > 1 ? paleo_job_address(j, role, 1, copy) : NULL;
}

void paleo_frame_bind(struct paleo_frame *f, const struct paleo_job *j, int copy)
{
	/* The bias gradient of a GEMM sums A, which is the incoming gradient. */
	enum paleo_role summed = j->op.kind == PALEO_GEMM ? PALEO_X : PALEO_DY;

	f->x = paleo_job_address(j, PALEO_X, 0, copy);
	f->w = paleo_job_address(j, PALEO_W, 0, copy);
	f->bias = paleo_job_address(j, PALEO_BIAS, 0, copy);
	f->y = paleo_job_address(j, PALEO_Y, 0, copy);
	f->dy = paleo_job_address(j, summed, 0, copy);
	f->dx = paleo_job_address(j, PALEO_DX, 0, copy);
	f->dw = paleo_job_address(j, PALEO_DW, 0, copy);
	f->dbias = paleo_job_address(j, PALEO_DBIAS, 0, copy);
	f->scale = paleo_job_address(j, PALEO_SCALE, 0, copy);
	f->shift = paleo_job_address(j, PALEO_SHIFT, 0, copy);
	f->dscale = paleo_job_address(j, PALEO_DSCALE, 0, copy);
	f->dshift = paleo_job_address(j, PALEO_DSHIFT, 0, copy);
	f->more = second(j, j->op.pass == PALEO_FWD ? PALEO_X : PALEO_DY, copy);
	f->sum = second(j, PALEO_Y, copy);
	f->mask = paleo_job_address(j, PALEO_MASK, 0, copy);
	f->index = paleo_job_address(j, PALEO_INDEX, 0, copy);
	f->angles = paleo_job_address(j, PALEO_ANGLES, 0, copy);
	f->k = paleo_job_address(j, PALEO_K, 0, copy);
	f->v = paleo_job_address(j, PALEO_V, 0, copy);
	f->fresh = paleo_job_address(j, PALEO_NEW, 0, copy);
	f->keys = paleo_job_address(j, PALEO_DK, 0, copy);
	f->values = paleo_job_address(j, PALEO_DV, 0, copy);
	f->appended = paleo_job_address(j, PALEO_APPENDED, 0, copy);
	f->gate = paleo_job_address(j, PALEO_GATE, 0, copy);
	f->inner = paleo_job_address(j, PALEO_INNER, 0, copy);
	f->between = paleo_job_address(j, PALEO_DINNER, 0, copy);
	f->master = paleo_job_address(j, PALEO_MASTER, 0, copy);
	f->state1 = paleo_job_address(j, PALEO_STATE1, 0, copy);
	f->state2 = paleo_job_address(j, PALEO_STATE2, 0, copy);
	f->workspace = paleo_job_workspace(j);
	f->distance = distance(j);
	if (f->in_place)
		f->x = f->y;
	if (f->turned)
		f->x = f->dx;
	if (f->from_between)
		f->x = f->between;
}
