/* test_web.c - the page's call: its numbers are the commands', bit for bit; what it refuses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/library/answers.h"

enum {
	LINE_MAX_BYTES = 65536
};

static const char *program; /* bin/paleo */
static struct paleo_web *web;

static void same(const char *where, double ours, double theirs)
{
	if (ours != theirs && !(isnan(ours) && isnan(theirs)))
		fail_msg("%s: %.17g in the answer, %.17g from the command", where, ours, theirs);
}

/* The lines of a command, each a JSON object. */
static FILE *run(const char *arguments)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s %s --format jsonl 2>/dev/null", program, arguments);
	FILE *lines = popen(command, "r");
	assert_non_null(lines);
	return lines;
}

/* The next line; NULL at the end. */
static struct paleo_json_doc *next(FILE *lines)
{
	static char line[LINE_MAX_BYTES];
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err;

	if (!fgets(line, sizeof(line), lines))
		return NULL;
	if (paleo_json_parse("line", 1, line, strlen(line), &doc, &err))
		fail_msg("%s", err.text);
	return doc;
}

/* Rows of `predict` against those of the answer. In the cost model of 2017 the command has also
 * those that take no time, and milliseconds. */
static void compare_rows(const struct paleo_json *answer, const char *arguments, int original)
{
	const struct paleo_json *row = paleo_json_first(get(answer, "rows"));
	FILE *lines = run(arguments);
	struct paleo_json_doc *doc;
	int count = 0;

	while ((doc = next(lines))) {
		const struct paleo_json *r = paleo_json_root(doc);
		double s = original ? number(r, "total_ms") / 1000 : number(r, "predicted_s");
		if (s != 0 || !original) {
			assert_non_null(row);
			assert_string_equal(text(row, "layer"), text(r, "layer"));
			assert_string_equal(text(row, "pass"), text(r, "pass"));
			same(text(r, "layer"), number(row, "s"), s);
			if (!original) {
				same("low", number(row, "low_s"), number(r, "predicted_low_s"));
				same("high", number(row, "high_s"), number(r, "predicted_high_s"));
				assert_string_equal(text(row, "kind"), text(r, "kind"));
				assert_string_equal(text(row, "source"), text(r, "source"));
			}
			row = paleo_json_next(row);
			count++;
		}
		paleo_json_free(doc);
	}
	assert_int_equal(pclose(lines), 0);
	assert_null(row);
	assert_true(count > 20);
}

/* Rows of `simulate` for one scheme against a curve. */
static void compare_curve(const struct paleo_json *answer, int curve, const char *arguments,
			  const char *scheme)
{
	const struct paleo_json *c = paleo_json_first(get(answer, "curves"));
	FILE *lines = run(arguments);
	struct paleo_json_doc *doc;
	int count = 0;

	for (int i = 0; i < curve; i++)
		c = paleo_json_next(c);
	assert_string_equal(text(c, "scheme"), scheme);
	const struct paleo_json *p = paleo_json_first(get(c, "points"));
	while ((doc = next(lines))) {
		const struct paleo_json *r = paleo_json_root(doc);
		if (!strcmp(text(r, "all_reduce"), scheme)) {
			assert_non_null(p);
			same("workers", number(p, "workers"), number(r, "workers"));
			same("batch", number(p, "batch"), number(r, "batch"));
			same("step", number(p, "step_s"), number(r, "step_s"));
			same("forward", number(p, "fwd_s"), number(r, "forward_s"));
			same("backward", number(p, "bwd_s"), number(r, "backward_s"));
			same("update", number(p, "update_s"), number(r, "update_s"));
			same("comm", number(p, "comm_s"), number(r, "comm_s"));
			same("speedup", number(p, "speedup"), number(r, "speedup"));
			same("memory", number(p, "memory_bytes"), number(r, "memory_bytes"));
			p = paleo_json_next(p);
			count++;
		}
		paleo_json_free(doc);
	}
	assert_int_equal(pclose(lines), 0);
	assert_null(p);
	assert_true(count > 1);
}

static void test_rows_are_those_of_predict(void **state)
{
	(void)state;
	struct paleo_json_doc *doc = ask(web, "{\"net\": \"resnet50\", \"device\": \"h100-sxm\", "
					      "\"dtype\": \"bf16\", \"batch\": 64}");
	compare_rows(paleo_json_root(doc),
		     "predict --device h100-sxm --dtype bf16 --batch 64 resnet50", 0);
	paleo_json_free(doc);
	doc = ask(web, "{\"net\": \"nin\", \"device\": \"l4\", \"cost_model\": \"datasheet\", "
		       "\"ppp_compute\": 0.5, \"ppp_memory\": 0.7, \"batch\": 9}");
	compare_rows(
		paleo_json_root(doc),
		"predict --device l4 --cost-model datasheet --ppp-compute 0.5 --ppp-memory 0.7 "
		"--batch 9 nin",
		0);
	paleo_json_free(doc);
	doc = ask(web, "{\"net\": \"gpt2\", \"device\": \"cpu-amd-epyc\", \"passes\": \"fwd\"}");
	compare_rows(paleo_json_root(doc), "predict --device cpu-amd-epyc --pass fwd gpt2", 0);
	paleo_json_free(doc);
	doc = ask(web,
		  "{\"net\": \"inception_v3\", \"device\": \"K80\", \"cost_model\": \"paleo2017\", "
		  "\"ppp_compute\": 0.62, \"batch\": 128}");
	compare_rows(paleo_json_root(doc),
		     "predict --cost-model paleo2017 --device K80 --ppp-compute 0.62 --batch 128 "
		     "inception_v3",
		     1);
	paleo_json_free(doc);
}

static void test_curves_are_those_of_simulate(void **state)
{
	static const char *const schemes[] = {"one-to-all", "tree", "butterfly", "mixing"};

	(void)state;
	struct paleo_json_doc *doc =
		ask(web, "{\"net\": \"vgg16\", \"device\": \"t4\", \"batch\": 32, "
			 "\"link\": \"infiniband-hdr\", \"scaling\": \"strong\", "
			 "\"workers\": [1, 3, 8], \"overlap\": 1, "
			 "\"optimizer\": \"adam\", "
			 "\"schemes\": [\"ring\", \"tree\"]}");
	const char *command = "simulate --device t4 --batch 32 --link infiniband-hdr "
			      "--scaling strong --workers 1,3,8 --overlap --optimizer adam "
			      "--all-reduce ring,tree vgg16";
	compare_curve(paleo_json_root(doc), 0, command, "ring");
	compare_curve(paleo_json_root(doc), 1, command, "tree");
	paleo_json_free(doc);
	doc = ask(web, "{\"net\": \"resnet18\", \"device\": \"a100-80-sxm\", \"dtype\": \"bf16\", "
		       "\"batch\": 16, \"strategy\": \"zero1\", \"link\": \"nvlink3\"}");
	compare_curve(paleo_json_root(doc), 0,
		      "simulate --device a100-80-sxm --dtype bf16 --batch 16 --strategy zero1 "
		      "--link nvlink3 --scaling weak resnet18",
		      "ring");
	paleo_json_free(doc);
	doc = ask(web, "{\"net\": \"nin\", \"device\": \"K20\", \"cost_model\": \"paleo2017\", "
		       "\"ppp_compute\": 0.21, \"ppp_comm\": 0.56, \"batch\": 256, "
		       "\"link\": \"infiniband\", \"scaling\": \"strong\"}");
	for (int i = 0; i < 4; i++)
		compare_curve(paleo_json_root(doc), i,
			      "simulate --cost-model paleo2017 --device K20 --ppp-compute 0.21 "
			      "--ppp-link "
			      "0.56 --batch 256 --link infiniband --scaling strong nin",
			      schemes[i]);
	paleo_json_free(doc);
}

/*
 * 2,000,000 images in steps of 4 x 16: 31,250 steps. Whole hours are rounded up, and each of the 4
 * workers costs 1.5 an hour.
 */
static void test_training_has_hours_and_a_price(void **state)
{
	static const char request[] = "{\"net\": \"nin\", \"device\": \"t4\", \"batch\": 16, "
				      "\"workers\": [4], \"epoch_size\": 500000, \"epochs\": 4, "
				      "\"usd_per_hour\": 1.5, \"whole_hours\": %d}";
	char text_of[300];

	(void)state;
	for (int whole = 0; whole < 2; whole++) {
		snprintf(text_of, sizeof(text_of), request, whole);
		struct paleo_json_doc *doc = ask(web, text_of);
		const struct paleo_json *c = paleo_json_first(get(paleo_json_root(doc), "curves"));
		const struct paleo_json *p = paleo_json_first(get(c, "points"));
		double hours = 31250 * number(p, "step_s") / 3600;
		hours = whole ? ceil(hours) : hours;
		assert_true(fabs(number(p, "hours") - hours) <= 1e-12 * hours);
		assert_true(fabs(number(p, "usd") - hours * 1.5 * 4) <= 1e-11 * hours);
		paleo_json_free(doc);
	}
}

/* A config.json is a prefill, whose curves are those of simulate, which trains it. */
static void test_config_is_trained_for_curves(void **state)
{
	(void)state;
	struct paleo_json_doc *doc =
		ask(web, "{\"net\": \"tests/golden/serving/llama/config.json\", \"device\": "
			 "\"l4\", \"batch\": 2, \"link\": \"nvlink3\", \"workers\": [1, 8]}");
	const struct paleo_json *root = paleo_json_root(doc);
	const struct paleo_json *memory = paleo_json_first(get(root, "memory"));
	const struct paleo_json *c = paleo_json_first(get(root, "curves"));
	const struct paleo_json *p = paleo_json_first(get(c, "points"));
	const char *said;
	struct paleo_error err;
	int fits = 1;

	assert_string_equal(text(get(root, "net"), "name"), "llama");
	compare_curve(root, 0,
		      "simulate --device l4 --batch 2 --link nvlink3 --scaling weak --workers 1,8 "
		      "tests/golden/serving/llama/config.json",
		      "ring");
	assert_int_equal(paleo_json_to_string(memory, &said, &err), PALEO_OK);
	assert_non_null(strstr(said, "weights and KV cache"));
	assert_int_equal(paleo_json_to_bool(get(p, "fits"), &fits, &err), PALEO_OK);
	assert_false(fits);
	paleo_json_free(doc);
}

/* Computing takes its interval with it, communication none: high - step is the same for a worker
 * alone and for eight. */
static void test_interval_of_a_step_is_that_of_computing(void **state)
{
	(void)state;
	struct paleo_json_doc *doc = ask(web, "{\"net\": \"resnet18\", \"device\": \"t4\", "
					      "\"batch\": 8, \"workers\": [1, 8]}");
	const struct paleo_json *root = paleo_json_root(doc), *step = NULL;

	for (const struct paleo_json *t = paleo_json_first(get(root, "totals")); t;
	     t = paleo_json_next(t))
		if (!strcmp(text(t, "what"), "training step"))
			step = t;
	assert_non_null(step);
	const struct paleo_json *c = paleo_json_first(get(root, "curves"));
	int points = 0;
	for (const struct paleo_json *p = paleo_json_first(get(c, "points")); p;
	     p = paleo_json_next(p), points++) {
		double up = number(step, "high_s") - number(step, "s");
		double down = number(step, "s") - number(step, "low_s");
		assert_true(up > 0 && down > 0);
		assert_true(fabs(number(p, "high_s") - number(p, "step_s") - up) < 1e-12);
		assert_true(fabs(number(p, "step_s") - number(p, "low_s") - down) < 1e-12);
	}
	assert_int_equal(points, 2);
	paleo_json_free(doc);
}

/* A rate counts images, or the tokens of all sequences: gpt2 has 1,024 each. */
static void test_items_have_a_unit(void **state)
{
	(void)state;
	struct paleo_json_doc *doc = ask(web, "{\"net\": \"gpt2\", \"device\": \"t4\", "
					      "\"batch\": 2, \"workers\": [1]}");
	const struct paleo_json *net = get(paleo_json_root(doc), "net");

	assert_true(number(net, "items") == 2048);
	assert_string_equal(text(net, "unit"), "tokens");
	paleo_json_free(doc);
	doc = ask(web, "{\"net\": \"resnet18\", \"device\": \"t4\", \"batch\": 8, "
		       "\"workers\": [1]}");
	net = get(paleo_json_root(doc), "net");
	assert_true(number(net, "items") == 8);
	assert_string_equal(text(net, "unit"), "images");
	paleo_json_free(doc);
}

static void refused(const char *request, const char *words)
{
	struct paleo_json_doc *doc = ask(web, request);
	const char *said = text(paleo_json_root(doc), "error");

	assert_int_equal(paleo_json_size(paleo_json_root(doc)), 1);
	if (!strstr(said, words))
		fail_msg("expected \"%s\" in \"%s\"", words, said);
	paleo_json_free(doc);
}

static void test_says_what_is_wrong(void **state)
{
	(void)state;
	refused("", "request:1:1");
	refused("[]", "request:1:1");
	refused("{\"nett\": \"vgg16\"}", "did you mean 'net'");
	refused("{\"net\": \"vgg17\", \"device\": \"t4\"}", "did you mean 'vgg16'");
	refused("{\"net\": \"vgg16\", \"device\": \"t44\"}", "t44");
	refused("{\"net\": \"vgg16\", \"device\": \"t4\", \"batch\": -1}", "batch");
	refused("{\"net\": \"vgg16\", \"device\": \"t4\", \"cost_model\": \"2017\"}",
		"cost_model is '2017'");
	refused("{\"net\": \"vgg16\", \"device\": \"t4\", \"link\": \"string\"}", "string");
	refused("{\"net\": \"vgg16\", \"device\": \"t4\", \"schemes\": [\"rings\"]}", "rings");
	refused("{\"net\": \"vgg16\", \"device\": \"t4\", \"strategy\": \"x\"}", "strategy 'x'");
	refused("{\"net\": \"vgg16\", \"device\": \"t4\", \"scaling\": \"wide\"}", "scaling");
	refused("{\"net\": \"vgg16\", \"device\": \"t4\", \"workers\": [0]}", "workers");
	refused("{\"net\": \"vgg16\", \"cost_model\": \"paleo2017\", \"device\": \"K81\"}", "K81");
	refused("{\"ask\": \"time\"}", "'time'");
}

/* After a refusal the next request is answered as if there had been none. */
static void test_goes_on_after_a_refusal(void **state)
{
	static const char good[] = "{\"net\": \"nin\", \"device\": \"t4\"}";

	(void)state;
	char *before = paleo_web_answer(web, good);
	refused("{\"net\": \"nin\", \"device\": \"none\"}", "none");
	char *after = paleo_web_answer(web, good);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void test_lists_what_there_is(void **state)
{
	(void)state;
	struct paleo_json_doc *doc = ask(web, "{\"ask\": \"lists\"}");
	const struct paleo_json *root = paleo_json_root(doc);
	const char *last = NULL;
	struct paleo_error err;

	for (const struct paleo_json *v = paleo_json_first(get(root, "nets")); v;
	     v = paleo_json_next(v)) {
		assert_int_equal(paleo_json_to_string(v, &last, &err), 0);
		assert_string_not_equal(last, "schema");
	}
	assert_string_equal(last, "wide_resnet50");
	assert_true(paleo_json_size(get(root, "models")) > 20);
	assert_true(paleo_json_size(get(root, "calibrations")) >= 1);
	assert_true(paleo_json_size(get(root, "devices")) > 50);
	assert_true(paleo_json_size(get(root, "links")) > 15);
	assert_true(paleo_json_size(get(root, "schemes")) > 8);
	assert_string_equal(text(paleo_json_first(get(root, "software")), "name"), "Caffe");
	paleo_json_free(doc);
}

static int set_up(void **state)
{
	(void)state;
	web = paleo_web_open();
	return !web;
}

static int tear_down(void **state)
{
	(void)state;
	paleo_web_close(web);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_those_of_predict),
		cmocka_unit_test(test_curves_are_those_of_simulate),
		cmocka_unit_test(test_config_is_trained_for_curves),
		cmocka_unit_test(test_training_has_hours_and_a_price),
		cmocka_unit_test(test_interval_of_a_step_is_that_of_computing),
		cmocka_unit_test(test_items_have_a_unit),
		cmocka_unit_test(test_says_what_is_wrong),
		cmocka_unit_test(test_goes_on_after_a_refusal),
		cmocka_unit_test(test_lists_what_there_is),
	};

	if (argc != 2)
		return 2;
	program = argv[1];
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
