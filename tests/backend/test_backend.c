/* test_backend.c - runs small works of every kind on a backend and checks every result. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/plugin.h"
#include "bench/reference.h"
#include "works.h"

/*
 * test_backend BACKEND [TEXT] prints a line for each work (whose key contains
 * TEXT): "ok", its largest error and the tolerance, its key. Exit 0 if all were
 * right or may be unsupported, 1 if not, 77 if there is no device to test on. A
 * plug-in that was built but does not load is a fault.
 */
enum {
	SKIP = 77,
	SAMPLES = 4096 /* all elements of all but a few results */
};

/* What a backend need not do: works whose key contains the text. */
static const struct {
	const char *backend, *text, *why;
} exempt[] = {
	{"cpu", " tf32 ", "processors have no such type"}, {"cpu", " f16 ", "not asked for yet"},
	{"cpu", " bf16 ", "older processors lack it"},     {"cuda", " f16 ", "not asked for yet"},
	{"cuda", " bf16 ", "not asked for yet"},
};

struct tally {
	int right, wrong, unsupported;
};

static int is_exempt(const struct paleo_backend *b, const char *key)
{
	for (size_t i = 0; i < sizeof(exempt) / sizeof(exempt[0]); i++) {
		if (!strcmp(exempt[i].backend, b->name) && strstr(key, exempt[i].text))
			return 1;
	}
	return 0;
}

static void say(struct tally *t, int good, const char *key, const char *what)
{
	printf("%-5s %s: %s\n", good ? "ok" : "WRONG", key, what);
	if (good)
		t->right++;
	else
		t->wrong++;
}

/* Checks the results, then that it can be timed at all. */
static void check_job(const struct paleo_backend *b, struct paleo_job *j,
		      const struct paleo_work *w, const char *key, struct tally *t)
{
	struct paleo_verification v;
	struct paleo_error err = {0};
	char text[256];
	double elapsed = NAN;

	int rc = paleo_verify(b, j, w, SAMPLES, &v, &err);
	if (!rc)
		rc = b->run(j, 2, &elapsed, &err);
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

static void check_work(const struct paleo_backend *b, struct paleo_session *s, const char *key,
		       struct tally *t)
{
	const struct paleo_bench_options options = {.memory_limit_bytes = 1 << 28};
	struct paleo_work w;
	struct paleo_job *j = NULL;
	struct paleo_job_info info = {0};
	struct paleo_error err = {0};

	int rc = paleo_work_parse(key, &w, &err);
	if (!rc)
		rc = b->prepare(s, &w, &options, &j, &info, &err);
	if (rc == PALEO_EUNSUPPORTED && is_exempt(b, key)) {
		printf("none  %s: %s\n", key, err.text);
		t->unsupported++;
	} else if (rc) {
		say(t, 0, key, err.text);
	} else if (!info.algorithm[0]) {
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

static void check_all(const struct paleo_backend *b, struct paleo_session *s, const char *text,
		      struct tally *t)
{
	char key[PALEO_WORK_KEY_MAX];

	for (int d = 0; d < PALEO_DTYPES; d++) {
		for (const struct small_work *w = small_works; w->kind; w++) {
			for (const char *p = w->passes; *p; p++) {
				snprintf(key, sizeof(key), "%s %s %s %s", w->kind, pass_of(*p),
					 paleo_dtype_name((enum paleo_dtype)d), w->fields);
				if (strstr(key, text))
					check_work(b, s, key, t);
			}
		}
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
	int rc = paleo_plugin_open(argv[1], &b, &err);
	if (!rc)
		rc = b->open(0, &s, &err);
	if (rc) {
		printf("%s: %s\n", argv[1], err.text);
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
	b->close(s);
	printf("%d right, %d wrong, %d unsupported\n", t.right, t.wrong, t.unsupported);
	return t.wrong || !t.right;
}
