/* test_graph_run.c - whole passes of small nets on a backend, beside a plain computation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backend.h"
#include "interpret.h"

/*
 * test_graph_run BACKEND [DTYPE] [NET...] builds the nets below (or those named), lets the backend
 * run them forward, backward and with each optimiser, in both layouts, in f32 and bf16 (or the
 * dtype that is named), and fused; and compares all that is kept: the result, the gradients of all
 * weights, the new weights. test_graph_run gradients checks
 * the plain computation itself: gradients against differences of the result. Exit 0, 1, or 77 if
 * there is no such device.
 */
enum {
	SKIP = 77
};

#define DATA(c, size)                                                                              \
	"{\"name\": \"t\", \"layers\": {\"data\": {\"type\": \"Input\", \"parents\": [], "         \
	"\"tensor\": [3, " size ", " size ", " c "]},"
#define TOKENS(t, c)                                                                               \
	"{\"name\": \"t\", \"layers\": {\"data\": {\"type\": \"Input\", \"parents\": [], "         \
	"\"tensor\": [3, " t ", " c "]},"
#define CONV(name, parent, filter, more)                                                           \
	"\"" name "\": {\"type\": \"Convolution\", \"parents\": [\"" parent                        \
	"\"], \"filter\": " filter ", \"padding\": \"SAME\"" more "},"
#define ONE ", \"strides\": [1, 1, 1, 1]"
#define TWO ", \"strides\": [1, 2, 2, 1]"
#define RELU ", \"activation_fn\": \"relu\""
#define BATCH_NORM ", \"normalizer_fn\": \"batch_norm\", \"normalizer_params\": {\"scale\": true}"
#define NO_BIAS ", \"bias\": false"
#define GELU ", \"activation_fn\": \"gelu\""
#define NORM(type, name, parent)                                                                   \
	"\"" name "\": {\"type\": \"" type "\", \"parents\": [\"" parent "\"]},"
#define RESHAPE(name, parent, shape)                                                               \
	"\"" name "\": {\"type\": \"Reshape\", \"parents\": [\"" parent                            \
	"\"], \"output_shape\": " shape "},"
#define PLUS(name, a, b)                                                                           \
	"\"" name "\": {\"type\": \"Elementwise\", \"parents\": [\"" a "\", \"" b "\"]},"
#define PRODUCT(name, parent, outputs, more)                                                       \
	"\"" name "\": {\"type\": \"InnerProduct\", \"parents\": [\"" parent                       \
	"\"], \"num_outputs\": " outputs more "},"
#define FINAL(name, parent, outputs)                                                               \
	"\"" name "\": {\"type\": \"InnerProduct\", \"parents\": [\"" parent                       \
	"\"], \"num_outputs\": " outputs "}}}"
#define JOIN(name, a, b, dim)                                                                      \
	"\"" name "\": {\"type\": \"Concatenate\", \"parents\": [\"" a "\", \"" b                  \
	"\"], \"dim\": " dim "},"
#define HEADS(name, q, k, v, heads, kv_heads)                                                      \
	"\"" name "\": {\"type\": \"Attention\", \"parents\": [\"" q "\", \"" k "\", \"" v         \
	"\"], \"heads\": " heads ", \"kv_heads\": " kv_heads "},"
#define FUSED(name, q, k, v, more)                                                                 \
	"\"" name "\": {\"type\": \"FusedAttention\", \"parents\": [\"" q "\", \"" k "\", \"" v    \
	"\"], " more "},"
#define END                                                                                        \
	"\"f\": {\"type\": \"InnerProduct\", \"parents\": [\"last\"], \"num_outputs\": 20, "       \
	"\"activation_fn\": \"relu\"},"                                                            \
	"\"drop\": {\"type\": \"Dropout\", \"parents\": [\"f\"], \"dropout_keep_prob\": 0.5},"     \
	"\"g\": {\"type\": \"InnerProduct\", \"parents\": [\"drop\"], \"num_outputs\": 7},"        \
	"\"s\": {\"type\": \"Softmax\", \"parents\": [\"g\"]}}}"
#define POOL(name, parent, type)                                                                   \
	"\"" name "\": {\"type\": \"" type "\", \"parents\": [\"" parent                           \
	"\"], \"ksize\": [1, 3, 3, 1], \"strides\": [1, 2, 2, 1], \"padding\": \"SAME\"},"
#define ADD(name, a, b)                                                                            \
	"\"" name "\": {\"type\": \"Elementwise\", \"parents\": [\"" a "\", \"" b                  \
	"\"], \"activation_fn\": \"relu\"},"

/* Branches, joins and shortcuts; channels that fill blocks of 16, and channels that do not. */
static const struct {
	const char *name, *text;
} nets[] = {
	{"chain", DATA("3", "12") CONV("a", "data", "[3, 3, 3, 16]", ONE RELU) POOL(
			  "p", "a", "Pooling") "\"n\": {\"type\": \"LRN\", \"parents\": [\"p\"], "
					       "\"size\": 5}," CONV("last", "n", "[3, 3, 16, 32]",
								    ONE RELU) END},
	{"branches",
	 DATA("3", "9") CONV("a", "data", "[3, 3, 3, 16]", TWO BATCH_NORM RELU) CONV(
		 "b", "a", "[1, 1, 16, 32]", ONE BATCH_NORM RELU) CONV("c", "a", "[3, 3, 16, 16]",
								       ONE BATCH_NORM RELU)
		 CONV("d", "c", "[3, 3, 16, 16]", ONE) ADD("e", "a", "d") POOL("p", "e", "AvgPool")
			 CONV("h", "b", "[1, 1, 32, 48]",
			      TWO RELU) "\"last\": {\"type\": \"Concatenate\", \"parents\": "
					"[\"p\", \"h\"], \"dim\": 3}," END},
	/* what a device without convolutions can do */
	{"products",
	 DATA("3", "8")
		 POOL("p", "data",
		      "Pooling") "\"a\": {\"type\": \"InnerProduct\", \"parents\": [\"p\"], "
				 "\"num_outputs\": 12, "
				 "\"activation_fn\": \"relu\"},"
				 "\"b\": {\"type\": \"InnerProduct\", \"parents\": [\"a\"], "
				 "\"num_outputs\": 12},"
				 "\"c\": {\"type\": \"InnerProduct\", \"parents\": [\"a\"], "
				 "\"num_outputs\": 7},"
				 "\"d\": {\"type\": \"Elementwise\", \"parents\": [\"a\", \"b\"]},"
				 "\"e\": {\"type\": \"Concatenate\", \"parents\": [\"d\", \"c\"], "
				 "\"dim\": 1},"
				 "\"drop\": {\"type\": \"Dropout\", \"parents\": [\"e\"], "
				 "\"dropout_keep_prob\": 0.5},"
				 "\"f\": {\"type\": \"InnerProduct\", \"parents\": [\"drop\"], "
				 "\"num_outputs\": 5}}}"},
	/* layer and RMS normalisation between what has other layouts; a depthwise convolution */
	{"pixels",
	 DATA("3", "8") CONV("a", "data", "[2, 2, 3, 16]", TWO) NORM("LayerNorm", "b", "a")
		 CONV("c", "b", "[3, 3, 16, 16]", ONE ", \"groups\": 16") NORM("RMSNorm", "d", "c")
			 CONV("e", "d", "[1, 1, 16, 40]",
			      ONE GELU) CONV("f1", "e", "[1, 1, 40, 16]", ONE) PLUS("g1", "a", "f1")
				 NORM("LayerNorm", "h", "g1") POOL("last", "h", "AvgPool") END},
	/* the same where a device has no convolutions; a normalisation first, and of odd channels
	 */
	{"pixels of products",
	 DATA("3", "6") NORM("RMSNorm", "a", "data") POOL("p", "a", "Pooling") NORM(
		 "BatchNorm", "q", "p") NORM("LayerNorm", "b", "q") PRODUCT("k", "b", "11", GELU)
		 NORM("LayerNorm", "c", "k") NORM("RMSNorm", "d", "c") PLUS("e", "k", "d")
			 FINAL("f", "e", "5")},
	/* rows that add up, of tensors that had another shape before */
	{"reshaped",
	 DATA("3", "8") CONV("a", "data", "[3, 3, 3, 16]", TWO RELU) RESHAPE("b", "a", "[-1, 256]")
		 PRODUCT("c", "b", "9", RELU) JOIN("d", "b", "c", "1") PRODUCT("e", "d", "64", "")
			 RESHAPE("h", "e", "[-1, 2, 2, 16]") POOL("p", "a", "Pooling")
				 JOIN("last", "p", "h", "3") END},
	/* sequences: each token by itself, whatever the layout */
	{"tokens", TOKENS("6", "8") NORM("LayerNorm", "a", "data") PRODUCT("b", "a", "12", GELU)
			   PRODUCT("c", "b", "8", "") PLUS("d", "data", "c")
				   NORM("RMSNorm", "e", "d") JOIN("f1", "e", "b", "2")
					   JOIN("g1", "d", "e", "1") PRODUCT("h", "f1", "8", RELU)
						   JOIN("k", "h", "g1", "1") FINAL("f", "k", "5")},
	/* heads of attention: as many of keys; one for two, and one for all; to another sequence. A
	 * bias of keys shifts whole rows of scores, which a softmax does not see: its gradient
	 * would be nothing but what is left of rounding. */
	{"heads",
	 TOKENS("5", "12") PRODUCT("q", "data", "12", "") PRODUCT("k", "data", "12", NO_BIAS)
		 PRODUCT("v", "data", "12", GELU) HEADS("a", "q", "k", "v", "3", "3")
			 PLUS("b", "data", "a") NORM("LayerNorm", "c", "b") FINAL("f", "c", "5")},
	{"shared heads",
	 TOKENS("4", "8") PRODUCT("q", "data", "16", "")
		 JOIN("long", "data", "data2",
		      "1") "\"data2\": {\"type\": \"InnerProduct\", \"parents\": [\"data\"], "
			   "\"num_outputs\": 8}," PRODUCT("k", "long", "8", NO_BIAS) PRODUCT(
				   "v", "long", "8", "") HEADS("a", "q", "k", "v", "4", "2")
				   PRODUCT("k1", "a", "4", NO_BIAS) PRODUCT("v1", "a", "4", "")
					   HEADS("b", "a", "k1", "v1", "4", "1") PLUS("c", "a", "b")
						   FINAL("f", "c", "5")},
	/* the same in one kernel, causal and not */
	{"fused heads", TOKENS("5", "12") PRODUCT("q", "data", "12", "")
				PRODUCT("k", "data", "12", NO_BIAS) PRODUCT("v", "data", "12", GELU)
					FUSED("a", "q", "k", "v", "\"heads\": 3, \"causal\": true")
						PLUS("b", "data", "a") NORM("LayerNorm", "c", "b")
							FINAL("f", "c", "5")},
	{"fused shared heads",
	 TOKENS("4", "8") PRODUCT("q", "data", "16", "")
		 JOIN("long", "data", "data2",
		      "1") "\"data2\": {\"type\": \"InnerProduct\", \"parents\": [\"data\"], "
			   "\"num_outputs\": 8}," PRODUCT("k", "long", "8",
							  NO_BIAS) PRODUCT("v", "long", "8", "")
				   FUSED("a", "q", "k", "v", "\"heads\": 4, \"kv_heads\": 2")
					   FINAL("f", "a", "5")},
	{"odd channels",
	 DATA("3", "8") CONV("a", "data", "[3, 3, 3, 5]", ONE RELU) CONV("b", "a", "[1, 1, 5, 7]",
									 ONE BATCH_NORM RELU)
		 CONV("c", "a", "[3, 3, 5, 7]", ONE) ADD("e", "b", "c") POOL("p", "e", "Pooling")
			 POOL("q", "a", "AvgPool") "\"last\": {\"type\": \"Concatenate\", "
						   "\"parents\": [\"p\", \"q\"], \"dim\": 3}," END},
};

/* How a net is to be run. */
struct variant {
	enum paleo_dtype dtype;
	enum paleo_extent extent;
	enum paleo_update_rule rule;
	enum paleo_layout layout;
	int fuse;
};

/* Loads a net and connects its ops. */
static int make(const char *name, const char *text, const struct variant *how,
		struct paleo_graph *out)
{
	const struct paleo_ops_options o = {.dtype = how->dtype,
					    .layout = how->layout,
					    .passes = paleo_graph_passes(how->extent),
					    .fuse = how->fuse};
	struct paleo_op_list list = {0};
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};

	int rc = paleo_net_parse(name, text, strlen(text), 0, &net, &err);
	if (!rc)
		rc = paleo_net_ops_with(net, &o, &list, &err);
	if (!rc)
		rc = paleo_graph_build(net, &list, how->extent, how->rule, out, &err);
	paleo_op_list_release(&list);
	paleo_net_free(net);
	if (rc)
		printf("WRONG %s: %s\n", name, err.text);
	return rc;
}

static int interpret(struct values *v)
{
	for (int i = 0; i < v->graph->step_count; i++) {
		if (!interpret_step(v, i)) {
			printf("WRONG step %d is not known here\n", i);
			return 0;
		}
	}
	return 1;
}

/* Results of f32 sums in other orders differ by a few times 1e-7 of their size, here a buffer's
 * largest number, and the layers before multiply that. */
static const double tolerance = 1e-4;

/* In bf16 the weights alone are compared: an update moves them by 2^-10 of a gradient, and rounds
 * them by 2^-9 at most. */
static const double rounded_tolerance = 0x1p-7;

static int is_compared(const struct paleo_graph *p, int buffer)
{
	enum paleo_buffer_use use = p->buffers[buffer].use;

	if (p->dtype != PALEO_F32)
		return use == PALEO_USE_WEIGHTS || use == PALEO_USE_MASTER;
	return buffer == p->output || use == PALEO_USE_WEIGHTS || use == PALEO_USE_GRADIENTS;
}

/* 1 if the backend left in a buffer what was expected. */
static int is_right(const struct paleo_backend *b, struct paleo_graph_run *w,
		    const struct values *v, int buffer, const char *name)
{
	const struct paleo_buffer *f = &v->graph->buffers[buffer];
	int n = (int)(f->bytes / f->elem_bytes);
	double *index = malloc((size_t)n * sizeof(*index));
	float *found = malloc((size_t)n * sizeof(*found));
	struct paleo_error err = {0};
	double largest = 0, error = 0;

	for (int i = 0; index && i < n; i++)
		index[i] = i;
	int rc = index && found ? b->whole_read(w, buffer, index, n, found, &err) : 1;
	for (int i = 0; !rc && i < n; i++)
		largest = fmax(largest, fabs(v->of[buffer][i]));
	for (int i = 0; !rc && i < n; i++) {
		double e = fabs(found[i] - v->of[buffer][i]) / largest;
		error = e <= error ? error : e; /* NaN stays */
	}
	free(index);
	free(found);
	if (!rc && error <= (v->graph->dtype == PALEO_F32 ? tolerance : rounded_tolerance))
		return 1;
	printf("WRONG %s: buffer %d (use %d, %d numbers): error %g %s\n", name, buffer, (int)f->use,
	       n, error, err.text);
	return 0;
}

/* What a backend need not have: bf16, a kernel of attention in f32. */
static int may_lack(const struct paleo_graph *p)
{
	int attends = 0;

	for (int i = 0; i < p->step_count; i++)
		attends |= p->steps[i].op.kind == PALEO_ATTENTION;
	return attends || p->dtype != PALEO_F32;
}

/* Runs a program on the backend and here, and compares. */
static int check(const struct paleo_backend *b, struct paleo_session *s,
		 const struct paleo_graph *p, const char *name)
{
	const struct paleo_bench_options options = {.memory_limit_bytes = 1 << 28};
	struct paleo_pass_info info = {.layout_changes = 0};
	struct paleo_graph_run *w = NULL;
	struct paleo_error err = {0};
	struct values v = values_make(p);
	int good = 1, compared = 0;

	int rc = b->whole_prepare(s, p, &options, &w, &info, &err);
	if (rc) {
		int lacks = rc == PALEO_EUNSUPPORTED && may_lack(p);
		printf("%s %s: %s\n", lacks ? "skip " : "WRONG", name, err.text);
		values_free(&v);
		return lacks;
	}
	good = interpret(&v);
	for (int i = 0; good && i < p->buffer_count; i++) {
		if (!is_compared(p, i))
			continue;
		good &= is_right(b, w, &v, i, name);
		compared++;
	}
	double elapsed = NAN;
	rc = b->whole_run(w, &elapsed, NULL, &err);
	if (rc || !(elapsed > 0)) {
		printf("WRONG %s: a run took %g s %s\n", name, elapsed, err.text);
		good = 0;
	}
	b->whole_release(w);
	values_free(&v);
	if (good)
		printf("ok    %s: %d steps, %d layout changes, %d buffers are right\n", name,
		       p->step_count, info.layout_changes, compared);
	return good;
}

static int check_net(const struct paleo_backend *b, struct paleo_session *s, const char *dtype,
		     int net)
{
	static const struct variant variants[] = {
		{.extent = PALEO_EXTENT_FWD},
		{.extent = PALEO_EXTENT_BOTH},
		{.extent = PALEO_EXTENT_STEP},
		{.extent = PALEO_EXTENT_STEP, .rule = PALEO_MOMENTUM},
		{.extent = PALEO_EXTENT_STEP, .rule = PALEO_ADAM},
		{.extent = PALEO_EXTENT_FWD, .fuse = 1},
		{.extent = PALEO_EXTENT_FWD, .layout = PALEO_NHWC},
		{.extent = PALEO_EXTENT_FWD, .layout = PALEO_NHWC, .fuse = 1},
		{.extent = PALEO_EXTENT_STEP, .layout = PALEO_NHWC},
		{.extent = PALEO_EXTENT_STEP, .dtype = PALEO_BF16},
		{.extent = PALEO_EXTENT_STEP, .dtype = PALEO_BF16, .rule = PALEO_ADAM},
	};
	static const char *const rules[] = {"sgd", "momentum", "adam"};
	struct paleo_graph p;
	char name[96];
	int good = 1;

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		const struct variant *how = &variants[i];
		if (dtype && strcmp(dtype, paleo_dtype_name(how->dtype)) != 0)
			continue;
		snprintf(name, sizeof(name), "%s, %s, %s, %s, %s%s", nets[net].name,
			 paleo_dtype_name(how->dtype), paleo_extent_name(how->extent),
			 rules[how->rule], paleo_layout_name(how->layout),
			 how->fuse ? ", fused" : "");
		if (make(name, nets[net].text, how, &p))
			return 0;
		good &= check(b, s, &p, name);
		paleo_graph_release(&p);
	}
	return good;
}

/* All nets, or those that are named; in all dtypes, or the one that is named first. */
static int check_backend(const struct paleo_backend *b, struct paleo_session *s, char *const *only,
			 int count)
{
	const char *dtype = NULL;
	struct paleo_error ignored;
	enum paleo_dtype found;
	int good = 1, tried = 0;

	if (count && !paleo_dtype_parse(only[0], &found, &ignored)) {
		dtype = *only++;
		count--;
	}
	for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++) {
		int wanted = !count;
		for (int k = 0; k < count; k++)
			wanted |= !strcmp(only[k], nets[i].name);
		if (wanted)
			good &= check_net(b, s, dtype, (int)i);
		tried += wanted;
	}
	return good && tried;
}

/* The sum of the result times the gradient that is given for it. */
static double score(const struct paleo_graph *p, int given, int weights, int element, double by)
{
	struct values v = values_make(p);
	int n = (int)(p->buffers[p->output].bytes / p->buffers[p->output].elem_bytes);
	double sum = 0;

	v.of[weights][element] += by;
	if (!interpret(&v))
		return NAN;
	for (int i = 0; i < n; i++)
		sum += v.of[p->output][i] * v.of[given][i];
	values_free(&v);
	return sum;
}

/* The gradient that is given: the data with the dims of the result that is not the net's input,
 * which comes first. */
static int find_given(const struct paleo_graph *p)
{
	for (int i = p->buffer_count - 1; i > 0; i--)
		if (p->buffers[i].use == PALEO_USE_DATA &&
		    p->buffers[i].bytes == p->buffers[p->output].bytes)
			return i;
	return -1;
}

/* Each gradient of weights against (f(w + d) - f(w - d)) / 2d, at two of its elements. */
static int check_gradients(const struct paleo_graph *p, const char *name)
{
	struct values v = values_make(p);
	int given = find_given(p), good = interpret(&v), tried = 0;

	for (int step = 0; good && step < p->step_count; step++) {
		const struct paleo_graph_use *w = paleo_graph_find(p, step, PALEO_W, 0);
		const struct paleo_graph_use *dw = paleo_graph_find(p, step, PALEO_DY, 0);
		if (p->steps[step].op.kind != PALEO_UPDATE)
			continue;
		int n = (int)p->steps[step].op.geom.update.count;
		for (int e = 0; e < n; e += n / 2 + 1) {
			const double d = 1e-5;
			double slope = (score(p, given, w->buffer, e, d) -
					score(p, given, w->buffer, e, -d)) /
				       (2 * d);
			double found = v.of[dw->buffer][e];
			tried++;
			if (fabs(slope - found) <= 1e-8 + 1e-4 * fabs(slope))
				continue;
			printf("WRONG %s: gradient of buffer %d at %d is %g, expected %g\n", name,
			       w->buffer, e, found, slope);
			good = 0;
		}
	}
	values_free(&v);
	if (good)
		printf("ok    %s: %d gradients are slopes\n", name, tried);
	return good && tried > 0;
}

static int check_all_gradients(void)
{
	struct paleo_graph p;
	int good = 1;

	for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++) {
		for (int layout = 0; layout < PALEO_LAYOUTS; layout++) {
			const struct variant step = {.extent = PALEO_EXTENT_STEP,
						     .layout = (enum paleo_layout)layout};
			if (make(nets[i].name, nets[i].text, &step, &p))
				return 0;
			good &= check_gradients(&p, nets[i].name);
			paleo_graph_release(&p);
		}
	}
	return good;
}

int main(int argc, char **argv)
{
	const struct paleo_backend *b = NULL;
	struct paleo_session *s = NULL;
	struct paleo_error err = {0};

	if (argc < 2) {
		fprintf(stderr, "usage: test_graph_run BACKEND [DTYPE] [NET...] | gradients\n");
		return 2;
	}
	if (!strcmp(argv[1], "gradients"))
		return check_all_gradients() ? 0 : 1;
	int rc = paleo_plugin_open(argv[1], &b, &err);
	if (!rc)
		rc = b->open(0, 0, &s, &err);
	if (rc) {
		const int absent = rc == PALEO_ENODEVICE || rc == PALEO_ELIBRARY;
		fprintf(stderr, "%s%s\n", absent ? "skipped: " : "", err.text);
		return absent ? SKIP : 1;
	}
	int good = check_backend(b, s, argv + 2, argc - 2);
	b->close(s);
	return good ? 0 : 1;
}
