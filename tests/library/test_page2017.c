/* test_page2017.c - the curves of the original's page, of rows that did not ask cuDNN. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/cost_model/csv.h"
#include "tests/library/answers.h"

enum {
	SCHEMES = 3,
	COUNTS = 8 /* of workers: 1, 2, 4 ... 128 */
};

/* What the page drew at one setting of its controls; rows lie together. */
struct setting {
	char net[32], device[32], network[32], software[32], batch[16], scaling[16];
	double iteration_ms[SCHEMES][COUNTS];
	double speedup[SCHEMES][COUNTS];
	int filled;
};

/* How far we were from it. */
static struct {
	int settings, points, wrong;
	double worst[2]; /* of iterations: NiN, AlexNet */
} seen;

static struct paleo_web *web;
static const char *table; /* a gzip */
static int expected;      /* that it holds */

static int place_of(const char *scheme)
{
	return !strcmp(scheme, "one-to-all") ? 0 : !strcmp(scheme, "tree") ? 1 : 2;
}

/* The fractions of the software come from the page's own list. */
static const struct paleo_json *software_of(const struct paleo_json *lists, const char *name)
{
	for (const struct paleo_json *s = paleo_json_first(get(lists, "software")); s;
	     s = paleo_json_next(s))
		if (!strcasecmp(text(s, "name"), name))
			return s;
	fail_msg("the page has no software '%s'", name);
	return NULL;
}

/*
 * An iteration is computing and communication, so that their difference is printed twice rounded to
 * a thousandth, that of one scheme and that of another at as many workers: 0.001. In weak scaling
 * also against one worker, which communicates nothing.
 */
static int is_communication(const struct setting *s, int k, int i, const double ours_ms[SCHEMES],
			    double alone_ms)
{
	double theirs = s->iteration_ms[k][i];
	int good = 1;

	for (int other = 0; other < SCHEMES; other++)
		good &= fabs(theirs - s->iteration_ms[other][i] - (ours_ms[k] - ours_ms[other])) <
			0.00100001;
	if (!strcmp(s->scaling, "weak"))
		good &= fabs(theirs - s->iteration_ms[k][0] - (ours_ms[k] - alone_ms)) < 0.00100001;
	return good;
}

static void check_point(const struct setting *s, int k, int i, const double comm_ms[SCHEMES],
			const struct paleo_json *point)
{
	double error = number(point, "step_s") * 1000 / s->iteration_ms[k][i] - 1;
	double speedup = number(point, "speedup") / s->speedup[k][i] - 1;
	int alex = s->net[0] == 'a';

	seen.points++;
	seen.worst[alex] = fmax(seen.worst[alex], fabs(error));
	/* both iterations may be off, and the table has three digits behind the point */
	if (fabs(error) > 0.007 || !is_communication(s, k, i, comm_ms, 0) ||
	    fabs(speedup) > 0.014 + 0.0005 / s->speedup[k][i]) {
		seen.wrong++;
		print_error("%s %s %s %s %s %s, scheme %d, %g workers: iteration %.3f ms there, "
			    "%.3f here\n",
			    s->net, s->device, s->network, s->software, s->batch, s->scaling, k,
			    number(point, "workers"), s->iteration_ms[k][i],
			    number(point, "step_s") * 1000);
	}
}

static void check_setting(const struct setting *s, const struct paleo_json *lists)
{
	const struct paleo_json *software = software_of(lists, s->software);
	const struct paleo_json *points[SCHEMES];
	char request[400];

	snprintf(request, sizeof(request),
		 "{\"net\": \"%s\", \"device\": \"%s\", \"link\": \"%s\", \"batch\": %s, "
		 "\"scaling\": \"%s\", \"cost_model\": \"paleo2017\", \"ppp_compute\": %.17g, "
		 "\"ppp_comm\": %.17g}",
		 s->net, s->device, s->network, s->batch, s->scaling,
		 number(software, "ppp_compute"), number(software, "ppp_comm"));
	struct paleo_json_doc *doc = ask(web, request);
	const struct paleo_json *c =
		paleo_json_first(paleo_json_get(paleo_json_root(doc), "curves"));
	for (int k = 0; k < SCHEMES; k++, c = paleo_json_next(c))
		points[k] = paleo_json_first(paleo_json_get(c, "points"));
	for (int i = 0; i < COUNTS; i++) {
		double comm_ms[SCHEMES];
		for (int k = 0; k < SCHEMES; k++)
			comm_ms[k] = number(points[k], "comm_s") * 1000;
		for (int k = 0; k < SCHEMES; k++) {
			check_point(s, k, i, comm_ms, points[k]);
			points[k] = paleo_json_next(points[k]);
		}
	}
	paleo_json_free(doc);
	seen.settings++;
}

static int same_setting(const struct setting *s, const struct csv *c)
{
	return !strcmp(s->net, csv_text(c, "net")) && !strcmp(s->device, csv_text(c, "device")) &&
	       !strcmp(s->network, csv_text(c, "network")) &&
	       !strcmp(s->software, csv_text(c, "software")) &&
	       !strcmp(s->batch, csv_text(c, "batch")) &&
	       !strcmp(s->scaling, csv_text(c, "scaling"));
}

static void begin_setting(struct setting *s, const struct csv *c)
{
	*s = (struct setting){.filled = 0};
	snprintf(s->net, sizeof(s->net), "%s", csv_text(c, "net"));
	snprintf(s->device, sizeof(s->device), "%s", csv_text(c, "device"));
	snprintf(s->network, sizeof(s->network), "%s", csv_text(c, "network"));
	snprintf(s->software, sizeof(s->software), "%s", csv_text(c, "software"));
	snprintf(s->batch, sizeof(s->batch), "%s", csv_text(c, "batch"));
	snprintf(s->scaling, sizeof(s->scaling), "%s", csv_text(c, "scaling"));
}

/* tests/golden/paleo2017/page.csv.gz has 55 of 576 settings, of 2 nets, 4 devices, 3 links, 3 kinds
 * of software, 4 batches, 2 ways: any three values of these that may meet do so in one of the 55.
 */
static void test_every_row(void **state)
{
	struct paleo_json_doc *lists = ask(web, "{\"ask\": \"lists\"}");
	static struct csv c;
	struct setting s = {.filled = 0};

	(void)state;
	csv_open_path(&c, table);
	while (csv_next(&c)) {
		if (!same_setting(&s, &c))
			begin_setting(&s, &c);
		int k = place_of(csv_text(&c, "scheme"));
		int i = (int)lround(log2(csv_number(&c, "workers")));
		s.iteration_ms[k][i] = csv_number(&c, "iteration_ms");
		s.speedup[k][i] = csv_number(&c, "speedup");
		if (++s.filled == SCHEMES * COUNTS)
			check_setting(&s, paleo_json_root(lists));
	}
	csv_close(&c);
	paleo_json_free(lists);
	printf("%d settings, %d points: iterations within %.2f %% (NiN), %.2f %% (AlexNet v2)\n",
	       seen.settings, seen.points, 100 * seen.worst[0], 100 * seen.worst[1]);
	assert_int_equal(seen.points, expected);
	assert_int_equal(seen.wrong, 0);
}

/* test_page2017 TABLE POINTS */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_row)};

	if (argc != 3)
		return 2;
	table = argv[1];
	expected = atoi(argv[2]);
	web = paleo_web_open();
	int rc = web ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
	paleo_web_close(web);
	return rc;
}
