/* test_backend.c - runs small ops of every kind on a backend and checks every result. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backend.h"
#include "bench/clock.h"
#include "bench/reference.h"
#include "ops.h"

/*
 * test_backend BACKEND [TEXT] prints a line for each op (whose key contains
 * TEXT): "ok", its largest error and the tolerance, its key. Exit 0 if all were
 * right or of a dtype that the device may lack as a whole, 1 if not, 77 if
 * there is no device to test on. A plug-in that was built but does not load is a
 * fault. What is going to be run is told on standard error, line by line: where
 * it dies, the last line is of the op that it died of.
 */
enum {
	SKIP = 77,
	SAMPLES = 4096, /* all elements of all but a few results */
	/* one set of the largest op's operands; of most ops, many sets */
	MEMORY_BYTES = 1 << 24
};

/* 1 if a CPU without bf16 of its own, or oneDNN kept from using it, would be no surprise. */
static int cpu_may_lack_bf16(void)
{
#if defined(__x86_64__)
	return !__builtin_cpu_supports("avx512bf16") || getenv("DNNL_MAX_CPU_ISA");
#else
	return 1;
#endif
}

static int is_allowed(void)
{
	return 1;
}

/* Dtypes that a backend need not have. It has all of a type's ops or none. */
static const struct {
	const char *backend;
	enum paleo_dtype dtype;
	int (*may_lack)(void);
} exempt[] = {
	{"cpu", PALEO_TF32, is_allowed},        /* CPUs have no such type */
	{"cpu", PALEO_F16, is_allowed},         /* not asked for yet */
	{"cpu", PALEO_BF16, cpu_may_lack_bf16}, /* older CPUs lack it */
	{"cuda", PALEO_F16, is_allowed},        /* not asked for yet */
	{"cuda", PALEO_BF16, is_allowed},       /* not asked for yet */
	{"cpu", PALEO_FP8, is_allowed},         /* oneDNN has it on few CPUs */
	{"cuda", PALEO_FP8, is_allowed},        /* Ada and newer have it */
};

struct tally {
	int right, wrong, unsupported;
	int tried[PALEO_DTYPES], lacking[PALEO_DTYPES];
};

static int is_exempt(const struct paleo_backend *b, enum paleo_dtype dtype)
{
	for (size_t i = 0; i < sizeof(exempt) / sizeof(exempt[0]); i++) {
		if (!strcmp(exempt[i].backend, b->name) && exempt[i].dtype == dtype)
			return exempt[i].may_lack();
	}
	return 0;
}

/* An op that one backend refuses for a reason of its own; bench/backends/cpu/plan_image.c. */
static int is_known_gap(const struct paleo_backend *b, const struct paleo_op *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;

	/* what cuDNN has no engine for: dtypes, sizes of heads, rows of experts, scans; and
	 * not yet */
	if (!strcmp(b->name, "cuda") &&
	    (w->kind == PALEO_ATTENTION || w->kind == PALEO_MOE || w->kind == PALEO_SCAN ||
	     w->kind == PALEO_CAUSAL_CONV || (w->kind == PALEO_NORM && w->geom.norm.add)))
		return 1;
	/* bench/backends/cuda/plans/gemm.c: x w^T with rows of whole 16 bytes */
	if (!strcmp(b->name, "cuda") && w->dtype == PALEO_FP8)
		return g->trans_a || !g->trans_b || g->k % 16 || g->n % 8;
	return !strcmp(b->name, "cpu") && w->kind == PALEO_POOL && w->pass == PALEO_BWD_DATA &&
	       w->dtype == PALEO_BF16 && w->layout == PALEO_NHWC;
}

static void say(struct tally *t, int good, const char *key, const char *what)
{
	printf("%-5s %s: %s\n", good ? "ok" : "WRONG", key, what);
	if (good)
		t->right++;
	else
		t->wrong++;
}

/* Checks the results, then that it can be timed at all, and the results of that. */
static void check_job(const struct paleo_backend *b, struct paleo_job *j, const struct paleo_op *w,
		      const char *key, struct tally *t)
{
	struct paleo_verification v, again;
	struct paleo_checks *c = NULL;
	struct paleo_error err = {0};
	char text[256];
	double elapsed = NAN;

	int rc = paleo_checks_make(w, SAMPLES, &c, &err);
	if (!rc)
		rc = paleo_checks_compare(c, b, j, &v, &err);
	if (!rc)
		rc = b->run(j, 2, &elapsed, &err);
	if (!rc && b->replays && paleo_checks_hold_again(c)) {
		rc = paleo_checks_compare(c, b, j, &again, &err);
		if (!rc && v.error <= v.tolerance)
			v = again;
	}
	paleo_checks_free(c);
	if (rc) {
		say(t, 0, key, err.text);
		return;
	}
	if (!(elapsed > 0) || isinf(elapsed)) {
		snprintf(text, sizeof(text), "two runs took %g s", elapsed);
		say(t, 0, key, text);
		return;
	}
	int good = v.error <= v.tolerance;
	snprintf(text, sizeof(text),
		 "error %.1e of %.1e, %d elements (%s[%d] at %.0f: %.9g, expected %.9g)", v.error,
		 v.tolerance, v.checked, paleo_role_name(v.role), v.copy, v.index, v.found,
		 v.expected);
	say(t, good, key, text);
}

static void check_op(const struct paleo_backend *b, struct paleo_session *s, const char *key,
		     struct tally *t)
{
	const struct paleo_bench_options options = {.memory_limit_bytes = MEMORY_BYTES};
	struct paleo_op w;
	struct paleo_job *j = NULL;
	struct paleo_job_info info = {0};
	struct paleo_error err = {0};

	int rc = paleo_op_parse(key, &w, &err);
	if (rc == PALEO_EUNSUPPORTED) /* no such op in this dtype */
		return;
	if (rc) {
		say(t, 0, key, err.text);
		return;
	}
	fprintf(stderr, "next  %s\n", key);
	rc = b->prepare(s, &w, &options, &j, &info, &err);
	t->tried[w.dtype] += !is_known_gap(b, &w);
	if (rc == PALEO_EUNSUPPORTED && is_known_gap(b, &w)) {
		printf("none  %s: %s\n", key, err.text);
		t->unsupported++;
	} else if (rc == PALEO_EUNSUPPORTED && is_exempt(b, w.dtype)) {
		printf("none  %s: %s\n", key, err.text);
		t->unsupported++;
		t->lacking[w.dtype]++;
	} else if (rc) {
		say(t, 0, key, err.text);
	} else if (!info.algorithm.name[0]) {
		say(t, 0, key, "the algorithm has no name");
	} else {
		check_job(b, j, &w, key, t);
	}
	if (!rc)
		b->release(j);
}

static const char *pass_of(char letter)
{
	switch (letter) {
	case 'f':
		return "fwd";
	case 'd':
		return "bwd_data";
	case 'w':
		return "bwd_filter";
	default:
		return "update";
	}
}

/* The op in every layout that it has. */
static void check_layouts(const struct paleo_backend *b, struct paleo_session *s, const char *key,
			  const char *text, struct tally *t)
{
	char longer[PALEO_OP_KEY_MAX + 16];
	struct paleo_op w;
	struct paleo_error err;

	if (strstr(key, text))
		check_op(b, s, key, t);
	if (paleo_op_parse(key, &w, &err) || !paleo_op_has_layout(w.kind))
		return;
	snprintf(longer, sizeof(longer), "%s layout=nhwc", key);
	if (strstr(longer, text))
		check_op(b, s, longer, t);
}

static void check_all(const struct paleo_backend *b, struct paleo_session *s, const char *text,
		      struct tally *t)
{
	char key[PALEO_OP_KEY_MAX];

	for (int d = 0; d < PALEO_DTYPES; d++) {
		for (const struct small_op *w = small_ops; w->kind; w++) {
			for (const char *p = w->passes; *p; p++) {
				snprintf(key, sizeof(key), "%s %s %s %s", w->kind, pass_of(*p),
					 paleo_dtype_name((enum paleo_dtype)d), w->fields);
				check_layouts(b, s, key, text, t);
			}
		}
	}
}

/* Whether others took a CPU from this process since the two readings. */
static int was_disturbed(double delay_s, const struct paleo_busy *start)
{
	const struct paleo_busy now = paleo_busy_read();

	return paleo_quiet_delay_s() > delay_s || now.steal_ticks > start->steal_ticks;
}

/* More probes than their arrays have windows: from the last it goes back to the first. A rate is 0
 * where others disturbed it, and only there. */
static void check_probe(const struct paleo_backend *b, struct paleo_session *s, struct tally *t)
{
	struct paleo_error err = {0};
	struct paleo_rates seen;
	const struct paleo_busy start = paleo_busy_read();
	const double delay_s = paleo_quiet_delay_s();
	int rates = 0, known = 0;

	if (!b->probe)
		return;
	for (int i = 0; i < 100; i++) {
		if (b->probe(s, &seen, &err)) {
			say(t, 0, "probe", err.text);
			return;
		}
		rates += seen.flop_per_s >= 0 && isfinite(seen.flop_per_s) &&
			 seen.bytes_per_s >= 0 && isfinite(seen.bytes_per_s);
		known += seen.flop_per_s > 0 && seen.bytes_per_s > 0;
	}
	say(t, rates == 100, "probe", "is two rates");
	say(t, known > 0 || was_disturbed(delay_s, &start), "probe",
	    "is known where nothing disturbs it");
}

/* An op that is refused in a type whose other ops run is a gap that nobody allowed. */
static void check_types(struct tally *t)
{
	for (int d = 0; d < PALEO_DTYPES; d++) {
		if (!t->lacking[d] || t->lacking[d] == t->tried[d])
			continue;
		printf("WRONG %s: %d of %d ops are unsupported, expected none or all\n",
		       paleo_dtype_name((enum paleo_dtype)d), t->lacking[d], t->tried[d]);
		t->wrong++;
	}
}

int main(int argc, char **argv)
{
	const struct paleo_backend *b;
	struct paleo_session *s;
	struct paleo_device_info info;
	struct paleo_error err = {0};
	struct tally t = {0};

	if (argc < 2) {
		fprintf(stderr, "usage: test_backend BACKEND [TEXT]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0); /* whoever ends it has all lines */
	int rc = paleo_plugin_open(argv[1], &b, &err);
	if (!rc)
		rc = b->open(0, 0, &s, &err);
	if (rc) {
		printf("%s%s: %s\n", rc == PALEO_ENODEVICE ? "skipped: " : "", argv[1], err.text);
		return rc == PALEO_ENODEVICE ? SKIP : 1;
	}
	rc = b->describe(s, &info, &err);
	if (rc) {
		printf("%s: %s\n", argv[1], err.text);
		b->close(s);
		return 1;
	}
	printf("%s: %s (%s)\n", argv[1], info.device.title, info.versions);
	check_all(b, s, argc > 2 ? argv[2] : "", &t);
	check_types(&t);
	check_probe(b, s, &t);
	b->close(s);
	printf("%d right, %d wrong, %d unsupported\n", t.right, t.wrong, t.unsupported);
	return t.wrong || !t.right;
}
