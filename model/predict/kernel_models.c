/* kernel_models.c - the kernel models: laws for one kind of work each, with their parameters. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/kernel_models.h"

#include <math.h>
#include <string.h>

enum {
	COMPUTE,
	MEMORY,
	OVERHEAD
};

double paleo_kernel_model_footprint(const struct paleo_tile_product *g,
				    const struct paleo_tile_device *d, int copies)
{
	double weights = g->element_bytes * g->k * g->n;
	double turns = fmax(1, fmin(copies, ceil(d->cache_bytes / weights)));

	return g->bytes + (turns - 1) * weights;
}

static int is_product(const struct paleo_work *w)
{
	return w->kind == PALEO_GEMM && paleo_dtype_wide(w->dtype) == w->dtype;
}

static int is_quantised(const struct paleo_work *w)
{
	return w->kind == PALEO_GEMM && !is_product(w);
}

static void init_tile(struct paleo_fitted_kernel *m, enum paleo_dtype dtype)
{
	m->params.tile = paleo_tile_params_init(dtype);
}

static void price_tile(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_work *w, double parts_s[3], double *total_s)
{
	struct paleo_tile_product product = paleo_tile_product_of_work(w);
	double quantise_s = paleo_tile_quantise_s(&m->params.tile, d, &product);
	struct paleo_tile_choice choice;

	product.foot_bytes = paleo_kernel_model_footprint(&product, d, m->copies);
	paleo_tile_kernel_s(&m->params.tile, d, &product, m->sets[0], PALEO_TILE_SPLIT_MAX,
			    &choice);
	parts_s[COMPUTE] = choice.compute_s;
	parts_s[MEMORY] = fmax(choice.memory_s, choice.cache_s) + quantise_s;
	parts_s[OVERHEAD] = m->params.tile.launch_us * 1e-6;
	*total_s = paleo_tile_launched_s(&m->params.tile, quantise_s + choice.kernel_s);
}

static int is_depthwise(const struct paleo_work *w)
{
	return w->kind == PALEO_CONV && w->geom.conv.groups > 1 &&
	       w->geom.conv.groups == w->geom.conv.c;
}

static void price_vector(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			 const struct paleo_work *w, double parts_s[3], double *total_s)
{
	const struct paleo_vector_params *p = &m->params.vector;

	parts_s[COMPUTE] = paleo_vector_compute_s(p, d, w->flops);
	parts_s[MEMORY] = paleo_vector_memory_s(p, d, w->read_bytes + w->write_bytes);
	parts_s[OVERHEAD] = p->launch_us * 1e-6;
	*total_s = parts_s[OVERHEAD] + fmax(parts_s[COMPUTE], parts_s[MEMORY]);
}

static int is_convolution(const struct paleo_work *w)
{
	return w->kind == PALEO_CONV;
}

static void init_conv(struct paleo_fitted_kernel *m, enum paleo_dtype dtype)
{
	(void)dtype;
	m->params.conv = paleo_conv_params_init();
}

/* The parts of what an algorithm takes in all. */
static void conv_parts(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_work *w, enum paleo_conv_algorithm a, double total_s,
		       double parts_s[3])
{
	const struct paleo_conv_params *p = &m->params.conv;

	parts_s[OVERHEAD] = paleo_conv_launches_s(p, a);
	parts_s[MEMORY] = (w->read_bytes + w->write_bytes) / (p->ppp_memory * d->mem_bytes_per_s);
	parts_s[COMPUTE] = total_s - parts_s[OVERHEAD];
}

static void price_conv(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_work *w, double parts_s[3], double *total_s)
{
	const struct paleo_conv_params *p = &m->params.conv;
	const struct paleo_conv_sets sets = {m->sets[0], m->sets[1], m->sets[2]};
	enum paleo_conv_algorithm a = PALEO_CONV_PRECOMP;

	*total_s = paleo_conv_fastest_s(p, d, w, &sets, &a);
	conv_parts(m, d, w, a, *total_s, parts_s);
}

/* What a library calls its algorithm, in the law's terms: the faster of two. A matrix of patches,
 * or images in another order, are moved besides, as its workspace says and not as the law would. */
static int price_conv_method(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			     const struct paleo_work *w, const struct paleo_method_cost *how,
			     double parts_s[3], double *total_s)
{
	static const struct {
		enum paleo_conv_algorithm one, other;
		int moves;
	} ways[PALEO_METHODS] = {
		[PALEO_METHOD_IMPLICIT] = {PALEO_CONV_PRECOMP, PALEO_CONV_IMPLICIT, 0},
		[PALEO_METHOD_EXPLICIT] = {PALEO_CONV_PRECOMP, PALEO_CONV_IMPLICIT, 1},
		[PALEO_METHOD_TRANSPOSED] = {PALEO_CONV_PRECOMP, PALEO_CONV_IMPLICIT, 1},
		[PALEO_METHOD_WINOGRAD] = {PALEO_CONV_WINOGRAD, PALEO_CONV_WINOGRAD, 0},
		[PALEO_METHOD_WINOGRAD_STEPS] = {PALEO_CONV_NONFUSED, PALEO_CONV_NONFUSED, 0},
		[PALEO_METHOD_FFT] = {PALEO_CONV_FFT, PALEO_CONV_FFT, 0},
	};
	const struct paleo_conv_params *p = &m->params.conv;
	const struct paleo_conv_sets sets = {m->sets[0], m->sets[1], m->sets[2]};
	enum paleo_conv_algorithm a = ways[how->method].one, other = ways[how->method].other;
	double times_s[PALEO_CONV_ALGORITHMS];
	struct paleo_work unturned = *w;

	unturned.layout = PALEO_NHWC;
	paleo_conv_times(p, d, &unturned, &sets, times_s);
	if (times_s[other] < times_s[a])
		a = other;
	if (!isfinite(times_s[a]))
		return 0;
	*total_s = times_s[a];
	if (ways[how->method].moves)
		*total_s += paleo_conv_move_s(p, d, how->more_bytes);
	conv_parts(m, d, w, a, *total_s, parts_s);
	return 1;
}

/* Rows and columns of a work on rows; 0 of others. */
static double rows_of(const struct paleo_work *w, double *cols)
{
	*cols = 0;
	if (w->kind == PALEO_SOFTMAX) {
		*cols = w->geom.softmax.cols;
		return w->geom.softmax.rows;
	}
	if (w->kind == PALEO_NORM &&
	    (w->geom.norm.mode == PALEO_LAYER_NORM || w->geom.norm.mode == PALEO_RMS_NORM)) {
		const struct paleo_norm_geom *g = &w->geom.norm;
		*cols = g->c;
		return (double)g->n * g->h * g->w;
	}
	return 0;
}

static int is_on_rows(const struct paleo_work *w)
{
	double cols;

	return rows_of(w, &cols) > 0;
}

static int is_stream(const struct paleo_work *w)
{
	return w->kind != PALEO_CONV && w->kind != PALEO_GEMM && !is_on_rows(w);
}

static void price_stream(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			 const struct paleo_work *w, double parts_s[3], double *total_s)
{
	const struct paleo_stream_params *p = &m->params.stream;
	double cols, rows = rows_of(w, &cols);

	*total_s = paleo_stream_s(p, d, w->read_bytes + w->write_bytes, rows, cols);
	parts_s[OVERHEAD] = p->launch_us * 1e-6;
	parts_s[COMPUTE] = 0;
	parts_s[MEMORY] = fmax(0, *total_s - parts_s[OVERHEAD]);
}

static void take(const struct paleo_onednn_time *t, double parts_s[3], double *total_s)
{
	parts_s[COMPUTE] = t->compute_s;
	parts_s[MEMORY] = t->memory_s;
	parts_s[OVERHEAD] = t->overhead_s;
	*total_s = t->total_s;
}

static void price_blocks(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			 const struct paleo_work *w, double parts_s[3], double *total_s)
{
	struct paleo_onednn_time t;

	paleo_onednn_conv_time(&m->params.blocks, d, w, &t);
	take(&t, parts_s, total_s);
}

static void price_groups(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			 const struct paleo_work *w, double parts_s[3], double *total_s)
{
	struct paleo_onednn_time t;

	paleo_onednn_grouped_time(&m->params.groups, d, w, &t);
	take(&t, parts_s, total_s);
}

static unsigned long long uses_all(const struct paleo_work *w)
{
	(void)w;
	return ~0ULL;
}

static int is_pooling(const struct paleo_work *w)
{
	return w->kind == PALEO_POOL;
}

static void price_windows(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			  const struct paleo_work *w, double parts_s[3], double *total_s)
{
	struct paleo_onednn_time t;

	paleo_onednn_pool_time(&m->params.windows, d, w, &t);
	take(&t, parts_s, total_s);
}

static void take_sweep(const struct paleo_host_time *t, double parts_s[3], double *total_s)
{
	parts_s[COMPUTE] = t->compute_s;
	parts_s[MEMORY] = t->memory_s;
	parts_s[OVERHEAD] = t->overhead_s;
	*total_s = t->compute_s + t->memory_s + t->overhead_s;
}

static void price_channels(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			   const struct paleo_work *w, double parts_s[3], double *total_s)
{
	struct paleo_host_time t;

	paleo_host_norm_time(&m->params.norm, d, w, &t);
	take_sweep(&t, parts_s, total_s);
}

static void price_loop(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		       const struct paleo_work *w, double parts_s[3], double *total_s)
{
	struct paleo_host_time t;

	paleo_host_loop_time(&m->params.loop, d, w, &t);
	take_sweep(&t, parts_s, total_s);
}

/* oneDNN's layouts have blocks of 8 channels for SSE and AVX2, of 16 for AVX-512. */
static const double lanes[] = {8, 16, 0};

static const struct paleo_kernel_model forms[] = {
	{.name = "tile",
	 .what = "products: the best of a library's tiles and splits",
	 .parameters = paleo_tile_parameters,
	 .count = PALEO_TILE_PARAMETERS,
	 .sets = {{"tiles", paleo_tile_name}},
	 .applies = is_product,
	 .init = init_tile,
	 .price = price_tile},
	{.name = "quantised",
	 .what = "products whose activations are quantised first: that, and the best of tiles",
	 .parameters = paleo_tile_parameters,
	 .count = PALEO_TILE_QUANTISED,
	 .sets = {{"tiles", paleo_tile_name}},
	 .applies = is_quantised,
	 .init = init_tile,
	 .price = price_tile},
	{.name = "vector",
	 .what = "depthwise convolutions: vector units or memory, whichever takes longer",
	 .parameters = paleo_vector_parameters,
	 .count = PALEO_VECTOR_PARAMETERS,
	 .applies = is_depthwise,
	 .price = price_vector},
	{.name = "conv",
	 .what = "convolutions: the best of a library's algorithms",
	 .parameters = paleo_conv_parameters,
	 .count = PALEO_CONV_PARAMETERS,
	 .sets = {{"implicit_tiles", paleo_tile_name},
		  {"nonfused_tiles", paleo_tile_name},
		  {"winograd_blocks", paleo_conv_block_name}},
	 .applies = is_convolution,
	 .init = init_conv,
	 .price = price_conv,
	 .price_method = price_conv_method},
	{.name = "stream",
	 .what = "what moves data: two levels of memory",
	 .parameters = paleo_stream_parameters,
	 .count = PALEO_STREAM_FLAT,
	 .applies = is_stream,
	 .price = price_stream},
	{.name = "stream_rows",
	 .what = "what moves data row by row: two levels of memory, short and long rows",
	 .parameters = paleo_stream_parameters,
	 .count = PALEO_STREAM_ROWS,
	 .applies = is_on_rows,
	 .price = price_stream},
	{.name = "blocks",
	 .what = "convolutions on a processor: blocks of channels, row by row",
	 .host = 1,
	 .parameters = paleo_onednn_conv_parameters,
	 .count = PALEO_ONEDNN_CONV,
	 .first = lanes,
	 .uses = paleo_onednn_conv_uses,
	 .across = 1,
	 .applies = paleo_onednn_conv_applies,
	 .price = price_blocks},
	{.name = "groups",
	 .what = "convolutions of groups on a processor: depthwise, or one by one",
	 .host = 1,
	 .parameters = paleo_onednn_grouped_parameters,
	 .count = PALEO_GROUPS,
	 .first = lanes,
	 .uses = paleo_onednn_grouped_uses,
	 .across = 1,
	 .applies = paleo_onednn_grouped_apply,
	 .price = price_groups},
	{.name = "windows",
	 .what = "poolings on a processor: outputs and the pixels of their windows",
	 .host = 1,
	 .parameters = paleo_onednn_pool_parameters,
	 .count = PALEO_ONEDNN_POOL,
	 .first = lanes,
	 .uses = uses_all,
	 .applies = is_pooling,
	 .price = price_windows},
	{.name = "channels",
	 .what = "batch normalisations on a processor: blocks of channels, and the last cache",
	 .host = 1,
	 .parameters = paleo_host_norm_parameters,
	 .count = PALEO_SWEEP_NORM,
	 .first = lanes,
	 .uses = uses_all,
	 .applies = paleo_host_is_norm,
	 .price = price_channels},
	{.name = "loop",
	 .what = "loops of the program's own on a processor: by one thread, or by all",
	 .host = 1,
	 .parameters = paleo_host_loop_parameters,
	 .count = PALEO_SWEEP_LOOP,
	 .applies = paleo_host_is_loop,
	 .price = price_loop},
};

enum {
	FORMS = sizeof(forms) / sizeof(forms[0])
};

const struct paleo_kernel_model *paleo_kernel_models(int *count)
{
	*count = FORMS;
	return forms;
}

const struct paleo_kernel_model *paleo_kernel_model_find(const char *name)
{
	for (int i = 0; i < FORMS; i++)
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	return NULL;
}

const struct paleo_kernel_model *paleo_kernel_model_for(const struct paleo_work *w, int host)
{
	for (int i = 0; i < FORMS; i++)
		if (forms[i].host == host && forms[i].applies(w))
			return &forms[i];
	return NULL;
}

void paleo_kernel_model_init(const struct paleo_kernel_model *f, enum paleo_dtype dtype,
			     struct paleo_fitted_kernel *out)
{
	*out = (struct paleo_fitted_kernel){.kernel = f};
	for (const struct paleo_parameter *q = f->parameters; q->name; q++)
		paleo_parameter_set(q, &out->params, q->init);
	if (f->init)
		f->init(out, dtype);
	for (int s = 0; s < PALEO_KERNEL_SETS_MAX && f->sets[s].name; s++)
		for (int i = 0; f->sets[s].item(i); i++)
			out->sets[s] |= 1U << i;
	for (int i = 0; i < PALEO_KERNEL_PARAMETERS_MAX; i++)
		out->se[i] = NAN;
}

/* What the forms of processors ask for. */
static int host_device(const struct paleo_kernel_model *kernel, const struct paleo_device *d,
		       enum paleo_dtype dtype, struct paleo_tile_device *out,
		       struct paleo_error *err)
{
	if (!(d->flop_per_s[dtype] > 0 && d->mem_bytes_per_s > 0 && d->sm_count > 0))
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"device '%s': the form '%s' needs mem_bytes_per_s, sm_count and a "
			"peak for %s",
			d->name, kernel->name, paleo_dtype_name(dtype));
	*out = (struct paleo_tile_device){.flop_per_s = d->flop_per_s[dtype],
					  .mem_bytes_per_s = d->mem_bytes_per_s,
					  .cache_bytes = d->cache_bytes,
					  .sm_count = d->sm_count};
	return PALEO_OK;
}

int paleo_kernel_model_device(const struct paleo_kernel_model *kernel, const struct paleo_device *d,
			      enum paleo_dtype dtype, int copies, struct paleo_tile_device *out,
			      struct paleo_error *err)
{
	int rc = kernel->host ? host_device(kernel, d, dtype, out, err)
			      : paleo_tile_device_of(d, dtype, out, err);

	/* So little that nothing stays: what is missed is all. A processor's forms tell by
	 * themselves what a work uses twice. */
	if (!rc && copies == 0 && !kernel->host)
		out->cache_bytes = 1;
	return rc;
}

double paleo_kernel_model_time(const struct paleo_fitted_kernel *m,
			       const struct paleo_tile_device *d, const struct paleo_work *w,
			       double parts_s[3])
{
	double total_s = 0;

	m->kernel->price(m, d, w, parts_s, &total_s);
	return total_s;
}
