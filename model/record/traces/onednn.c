/* onednn.c - what benchdnn --mode=P and ONEDNN_VERBOSE print of oneDNN's times. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "model/op/op.h"
#include "model/record/traces/trace.h"

enum {
	FIELDS_MAX = 64,
	LINE_MAX_BYTES = 1 << 20,
	DIMS_MAX = 12,
	TYPE_MAX = 16
};

/* A primitive that ran. Texts are of the line. */
struct call {
	const char *kind, *sizes; /* "convolution"; "mb2ic16ih7oc16oh7kh5ph2" */
	enum paleo_pass pass;
	int bias, act;
	char types[2][TYPE_MAX]; /* of source and weights */
	const char *why;         /* it has no op; NULL */
	double time_ms;
};

struct reader {
	const char *path;
	struct paleo_trace *to;
	int line, fields, problem, time; /* of benchdnn's template: how many, and which */
	int perf, verbose;               /* lines of each */
	int is_cut;                      /* 1: benchdnn's last lines lack its summary */
};

int paleo_trace_is_onednn(const char *head, size_t size)
{
	return (size > 5 && !memcmp(head, "perf,", 5)) ||
	       paleo_trace_has(head, size, "Output template: ") ||
	       paleo_trace_has(head, size, "onednn_verbose,") ||
	       paleo_trace_has(head, size, "dnnl_verbose,");
}

/* The number behind a key of a descriptor such as "g1mb2_ic16ih7n\"name\""; `none` without it. */
static long size_of(const char *sizes, const char *key, long none)
{
	while (*sizes && *sizes != '"') {
		const size_t letters = strspn(sizes, "abcdefghijklmnopqrstuvwxyz");
		char *end = NULL;
		const double value = strtod(sizes + letters, &end);
		if (letters && (end == sizes + letters || *sizes == 'n')) /* the name */
			return none;
		if (letters == strlen(key) && !strncmp(sizes, key, letters))
			return value >= 0 && value <= 1 << 24 ? (long)value : none;
		sizes = letters ? end : sizes + 1;
	}
	return none;
}

/* As an op's dimension; 0, which no op has, where it is too large. */
static int dim(long size)
{
	return size >= 0 && size <= 1 << 24 ? (int)size : 0;
}

/* One direction of a convolution. Where pads are not given, both sides have the same. */
struct side {
	long in, out, taps, stride, dil, before, after;
};

static struct side side_of(const char *sizes, char axis, const struct side *none)
{
	const char in[] = {'i', axis, 0}, out[] = {'o', axis, 0}, taps[] = {'k', axis, 0};
	const char stride[] = {'s', axis, 0}, dil[] = {'d', axis, 0}, pad[] = {'p', axis, 0};
	struct side s = {.in = size_of(sizes, in, none->in),
			 .out = size_of(sizes, out, none->out),
			 .taps = size_of(sizes, taps, none->taps),
			 .stride = size_of(sizes, stride, none->stride),
			 .dil = size_of(sizes, dil, none->dil - 1) + 1};
	const long reach = s.dil * (s.taps - 1) + 1;

	s.before = size_of(sizes, pad, none->before);
	if (s.before < 0)
		s.before = s.out > 0 ? ((s.out - 1) * s.stride - s.in + reach) / 2 : 0;
	s.before = s.before < 0 ? 0 : s.before;
	if (s.out <= 0 && s.stride > 0)
		s.out = (s.in - reach + 2 * s.before) / s.stride + 1;
	s.after = (s.out - 1) * s.stride + reach - s.in - s.before;
	s.after = s.after < 0 ? 0 : s.after;
	return s;
}

static void fill_conv(const struct call *c, struct paleo_op *w)
{
	const struct side none = {.stride = 1, .dil = 1, .before = -1};
	const struct side flat = {1, 1, 1, 1, 1, 0, 0};
	const char *sizes = c->sizes;
	const int has_rows = size_of(sizes, "ih", 0) > 0;
	const struct side h = has_rows ? side_of(sizes, 'h', &none) : flat;
	const struct side x = side_of(sizes, 'w', has_rows ? &h : &none);

	w->kind = PALEO_CONV;
	w->geom.conv = (struct paleo_conv_geom){.n = dim(size_of(sizes, "mb", 2)),
						.c = dim(size_of(sizes, "ic", 0)),
						.h = dim(h.in),
						.w = dim(x.in),
						.k = dim(size_of(sizes, "oc", 0)),
						.r = dim(h.taps),
						.s = dim(x.taps),
						.stride_h = dim(h.stride),
						.stride_w = dim(x.stride),
						.pad_t = dim(h.before),
						.pad_l = dim(x.before),
						.pad_b = dim(h.after),
						.pad_r = dim(x.after),
						.dil_h = dim(h.dil),
						.dil_w = dim(x.dil),
						.groups = dim(size_of(sizes, "g", 1)),
						.bias = c->pass != PALEO_BWD_DATA && c->bias,
						.act = c->act};
}

static void fill_product(const struct call *c, struct paleo_op *w)
{
	const char *sizes = c->sizes;
	const long height = size_of(sizes, "ih", 1), width = size_of(sizes, "iw", height);
	const int pixels = dim(height * width), in = dim(size_of(sizes, "ic", 0));
	const int n = dim(size_of(sizes, "mb", 2)), o = dim(size_of(sizes, "oc", 0)),
		  i = dim((long)in * pixels);
	struct paleo_gemm_geom *g = &w->geom.gemm;

	w->kind = PALEO_GEMM;
	*g = (struct paleo_gemm_geom){.m = n, .n = o, .k = i, .batch = 1, .trans_b = 1};
	if (c->pass == PALEO_BWD_DATA)
		*g = (struct paleo_gemm_geom){.m = n, .n = i, .k = o, .batch = 1};
	if (c->pass == PALEO_BWD_FILTER)
		*g = (struct paleo_gemm_geom){.m = o, .n = i, .k = n, .batch = 1, .trans_a = 1};
	g->bias = c->pass != PALEO_BWD_DATA && c->bias;
	g->act = c->act;
}

/* The dimensions of "2x10x30", up to what follows; their count. */
static int read_dims(const char **text, int dims[DIMS_MAX])
{
	int count = 0;

	while (count < DIMS_MAX) {
		char *end = NULL;
		const double value = strtod(*text, &end);
		if (end == *text)
			break;
		*text = end;
		dims[count++] = value >= 1 && value <= 1 << 24 ? (int)value : 0;
		if (*end != 'x')
			break;
		(*text)++;
	}
	return count;
}

/* "2x10x30:2x30x20": batches of one matrix each, or of one for all, which are more rows. */
static int fill_matmul(const struct call *c, struct paleo_op *w)
{
	struct paleo_gemm_geom *g = &w->geom.gemm;
	const char *text = c->sizes;
	int x[DIMS_MAX], y[DIMS_MAX], rank = read_dims(&text, x), repeated = 1, same = 1;
	double batch = 1;

	if (rank < 2 || *text++ != ':' || read_dims(&text, y) != rank)
		return 0;
	for (int i = 0; i < rank - 2; i++) {
		batch *= x[i];
		repeated &= y[i] == 1;
		same &= y[i] == x[i];
	}
	if ((!same && !repeated) || x[rank - 1] != y[rank - 2] || batch > 1 << 24 ||
	    batch * x[rank - 2] > 1 << 24)
		return 0;
	w->kind = PALEO_GEMM;
	*g = (struct paleo_gemm_geom){.m = x[rank - 2] * (same ? 1 : (int)batch),
				      .n = y[rank - 1],
				      .k = x[rank - 1],
				      .batch = same ? (int)batch : 1,
				      .act = c->act};
	g->bias = g->batch == 1 && c->bias;
	return 1;
}

/* 1: *w is its op; 0: c->why may say why there is none. */
static int op_of(struct call *c, struct paleo_op *w)
{
	const int is_matmul = !strcmp(c->kind, "matmul");
	const int is_conv = !strcmp(c->kind, "convolution") || !strcmp(c->kind, "conv");
	const int is_product = !strcmp(c->kind, "inner_product") || !strcmp(c->kind, "ip");
	struct paleo_error ignored;

	*w = (struct paleo_op){.pass = c->pass};
	if (c->why || (!is_matmul && !is_conv && !is_product))
		return 0;
	c->why = "mixed or integer types";
	if (strcmp(c->types[0], c->types[1]) != 0 || !paleo_dtype_of_table(c->types[0], &w->dtype))
		return 0;
	c->why = "sizes that ops here do not have";
	if (size_of(c->sizes, "id", 1) > 1 || size_of(c->sizes, "kd", 1) > 1)
		return 0;
	if (is_conv)
		fill_conv(c, w);
	else if (is_product)
		fill_product(c, w);
	else if (!fill_matmul(c, w))
		return 0;
	return !paleo_op_finish(w, &ignored);
}

static int add(struct reader *r, struct call *c, struct paleo_error *err)
{
	struct paleo_op w;
	const double time_s = 1e-3 * c->time_ms;

	if (!(c->time_ms >= 0 && c->time_ms < 3.6e6))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: its time is no number of milliseconds below an hour",
				  r->path, r->line);
	r->to->out->total_s += time_s;
	if (!(time_s > 0) || !op_of(c, &w))
		return paleo_trace_add_unmatched(r->to, c->kind, time_s, 1, c->why, err);
	r->to->out->matched_s += time_s;
	return paleo_trace_add(r->to, &w, c->kind, &time_s, 1, err);
}

/* The pass by oneDNN's word, or by benchdnn's. The gradient of both is none of ops here. */
static void take_pass(struct call *c, const char *word)
{
	if (!strcmp(word, "backward_data") || !strcmp(word, "BWD_D"))
		c->pass = PALEO_BWD_DATA;
	else if (!strcmp(word, "backward_weights") || !strncmp(word, "BWD_W", 5))
		c->pass = PALEO_BWD_FILTER;
	else if (!strncmp(word, "backward", 8) || !strncmp(word, "BWD", 3))
		c->why = "a gradient of both";
}

/* A ReLU alone is fused into ops here. */
static void take_post_ops(struct call *c, const char *attributes)
{
	const char *at = strstr(attributes, "post");

	if (!at)
		return;
	at += strlen("post-ops") + strspn(at + strlen("post-ops"), ":='");
	at += strncmp(at, "eltwise_", 8) ? 0 : 8;
	if (!strncmp(at, "relu", 4) && !strchr(at, '+') && !strstr(at, ";e") && !strstr(at, ";s"))
		c->act = 1 + PALEO_RELU;
	else if (*at)
		c->why = "with post-ops";
}

/* The first word of a list of types, "bf16:bf16:f32" or "bf16bf16f32"; what follows it. */
static const char *next_type(const char *text, char type[TYPE_MAX])
{
	static const char *const types[] = {"bf16", "f32", "f16", "f64", "s32", "s8", "u8", NULL};

	text += *text == ':';
	for (int i = 0; types[i]; i++)
		if (!strncmp(text, types[i], strlen(types[i]))) {
			snprintf(type, TYPE_MAX, "%s", types[i]);
			return text + strlen(types[i]);
		}
	snprintf(type, TYPE_MAX, "?");
	return text;
}

static void take_types(struct call *c, const char *list)
{
	const char *rest = next_type(list, c->types[0]);

	if (!*rest || *rest == '_')
		snprintf(c->types[1], TYPE_MAX, "%s", c->types[0]);
	else
		next_type(rest, c->types[1]);
}

static int split(char *line, char separator, char *fields[FIELDS_MAX])
{
	int count = 0;

	while (line && count < FIELDS_MAX) {
		fields[count++] = line;
		line = strchr(line, separator);
		if (line)
			*line++ = '\0';
	}
	return line ? FIELDS_MAX + 1 : count;
}

static double number_of(const char *text)
{
	char *end = NULL;
	const double value = strtod(text, &end);

	return end > text && !*end ? value : (double)NAN;
}

/* "perf,%engine%,%impl%,%name%,%prb%,%Gops%,%-time%,%-Gflops%,%0time%,%0Gflops%" */
static int read_template(struct reader *r, char *text, struct paleo_error *err)
{
	char *fields[FIELDS_MAX];
	int is_perf = !strncmp(text, "perf,", 5);

	r->fields = split(text, ',', fields);
	r->problem = r->time = -1;
	for (int i = 0; i < r->fields && i < FIELDS_MAX; i++) {
		if (!strcmp(fields[i], "%prb%"))
			r->problem = i;
		if (!strcmp(fields[i], "%0time%"))
			r->time = i;
	}
	if (!is_perf || r->fields > FIELDS_MAX || r->problem < 0 || r->time < r->problem)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: the template lacks %%prb%% or %%0time%% after it: run "
				  "benchdnn with its own --perf-template=def",
				  r->path, r->line);
	return PALEO_OK;
}

/* Options and the descriptor, as benchdnn takes them: "--conv --dir=FWD_I mb2ic16ih7oc16kh3". */
static void read_problem(char *problem, struct call *c)
{
	char *words[FIELDS_MAX];
	const int count = split(problem, ' ', words);
	int bias = -1;

	c->bias = 1; /* FWD_B, which it does not print */
	take_types(c, "f32");
	for (int i = 0; i < count && i < FIELDS_MAX; i++) {
		const char *word = words[i], *value = strchr(word, '=');
		if (strncmp(word, "--", 2) != 0)
			c->sizes = *c->sizes ? c->sizes : word;
		else if (!value && !*c->kind)
			c->kind = word + 2;
		else if (value && !strncmp(word, "--dir=", 6)) {
			c->bias = strstr(value, "_B") || strstr(value, "WB");
			take_pass(c, value + 1);
		} else if (!strncmp(word, "--dt=", 5) || !strncmp(word, "--cfg=", 6))
			take_types(c, value + 1);
		else if (!strncmp(word, "--attr-post-ops=", 16))
			take_post_ops(c, word);
		else if (!strncmp(word, "--bia", 5) && strstr(word, "dt="))
			bias = strstr(word, "undef") == NULL;
	}
	if (!strcmp(c->kind, "matmul"))
		c->bias = bias > 0;
}

static int read_perf(struct reader *r, char *line, struct paleo_error *err)
{
	char *fields[FIELDS_MAX];
	struct call c = {.kind = "", .sizes = ""};
	const int count = split(line, ',', fields), more = count - r->fields;

	if (!r->fields)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: a line 'perf' before 'Output template:', which says what "
				  "its fields are",
				  r->path, r->line);
	if (more < 0 || count > FIELDS_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: %d fields, expected %d as the template has", r->path,
				  r->line, count, r->fields);
	for (int i = r->problem; i < r->problem + more; i++)
		fields[i][strlen(fields[i])] = ','; /* within the problem */
	read_problem(fields[r->problem], &c);
	if (!*c.kind || !*c.sizes)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: the problem names no driver and sizes, expected '--conv "
				  "mb1ic3...'",
				  r->path, r->line);
	c.time_ms = number_of(fields[r->time + more]);
	r->perf++;
	return add(r, &c, err);
}

/* engine, primitive, implementation, pass, tensors, attributes, auxiliary, sizes, milliseconds */
static int read_verbose(struct reader *r, char *line, struct paleo_error *err)
{
	char *fields[FIELDS_MAX];
	const int count = split(line, ',', fields);
	struct call c = {.kind = ""};

	if (count < 9 || count > FIELDS_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: %d fields after 'exec', expected the 9 of a primitive",
				  r->path, r->line, count);
	const char *source = strstr(fields[4], "src_"), *weights = strstr(fields[4], "wei_");
	c.kind = fields[1];
	c.sizes = fields[count - 2];
	c.bias = strstr(fields[4], "bia_") != NULL && !strstr(fields[4], "bia_undef");
	c.time_ms = number_of(fields[count - 1]);
	next_type(source ? source + 4 : "", c.types[0]);
	next_type(weights ? weights + 4 : "", c.types[1]);
	take_pass(&c, fields[3]);
	take_post_ops(&c, fields[5]);
	r->verbose++;
	return add(r, &c, err);
}

static int read_line(struct reader *r, char *line, struct paleo_error *err)
{
	static const char template[] = "Output template: ";
	char *verbose = strstr(line, "nn_verbose,"), *exec;
	const size_t size = strlen(line);

	if (size && line[size - 1] == '\r')
		line[size - 1] = '\0';
	if (!strncmp(line, template, sizeof(template) - 1))
		return read_template(r, line + sizeof(template) - 1, err);
	if (!strncmp(line, "tests:", 6))
		r->is_cut = 0;
	if (!strncmp(line, "perf,", 5)) {
		r->is_cut = 1;
		return read_perf(r, line, err);
	}
	exec = verbose && !strstr(line, ",graph,") ? strstr(verbose, ",exec,") : NULL;
	return exec ? read_verbose(r, exec + 6, err) : PALEO_OK;
}

static int check(const struct reader *r, int is_whole, struct paleo_error *err)
{
	if (!is_whole || r->is_cut)
		return paleo_fail(err, PALEO_EINPUT, "%s:%d: the file is truncated: %s", r->path,
				  r->line,
				  is_whole ? "benchdnn's last line begins with 'tests:'"
					   : "its last line has no end");
	if (r->perf && r->verbose)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: has each time twice: run benchdnn without ONEDNN_VERBOSE",
				  r->path);
	if (r->perf || r->verbose)
		return PALEO_OK;
	return paleo_fail(
		err, PALEO_EINPUT,
		"%s: has no time of a primitive, expected lines 'perf,' of benchdnn --mode=P "
		"or ',exec,' of ONEDNN_VERBOSE=profile_exec",
		r->path);
}

int paleo_trace_read_onednn(const char *path, struct paleo_trace *to, struct paleo_error *err)
{
	struct reader r = {.path = path, .to = to};
	struct paleo_lines *lines = NULL;
	struct paleo_line line = {.is_whole = 1};
	int there = 1, is_whole = 1;
	int rc = paleo_lines_open(path, LINE_MAX_BYTES, "a log of oneDNN", &lines, err);

	while (!rc && !(rc = paleo_lines_next(lines, &line, &there, err)) && there) {
		r.line++;
		is_whole = line.is_whole;
		rc = is_whole ? read_line(&r, line.text, err) : PALEO_OK;
	}
	paleo_lines_close(lines);
	if (!rc)
		rc = check(&r, is_whole, err);
	if (r.perf)
		to->out->steps = 1;
	return rc;
}
