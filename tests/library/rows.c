/* rows.c - prints what libpaleo predicts, or simulates, as the program's tables of csv have it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paleo/paleo.h"

/* What libpaleo gives is asked for in the user's language, "", and printed in that of C. */
static void speak(const char *language)
{
	setlocale(LC_ALL, language);
}

static void fail(const struct paleo_error *err)
{
	fprintf(stderr, "rows: %s\n", err->text);
	exit(1);
}

/* The shortest text that reads as the same number; nothing for NaN. */
static void number(double x)
{
	char text[40] = "";

	for (int digits = 15; !isnan(x) && digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	printf("%s,", text);
}

static void print_rows(const struct paleo_predictor *p, const struct paleo_net *net,
		       const struct paleo_predict_options *o)
{
	struct paleo_net_prediction *prediction = NULL;
	struct paleo_predicted_row r;
	struct paleo_error err;

	if (paleo_net_predict(p, net, o, &prediction, &err))
		fail(&err);
	speak("C");
	for (int i = 0; !paleo_net_prediction_row(prediction, i, &r); i++) {
		printf("%s,%d,%s,%s,%s,%s,", paleo_net_name(net), paleo_net_batch(net), r.layer,
		       r.kind, r.pass, r.dtype);
		number(r.flops);
		number(r.bytes);
		number(r.time.total_s);
		number(r.time.low_s);
		number(r.time.high_s);
		number(r.time.low50_s);
		number(r.time.high50_s);
		printf("%s,%s,%s\n", r.bound ? r.bound : "", r.op, r.source ? r.source : "");
	}
	paleo_net_prediction_close(prediction);
}

static void print_totals(const struct paleo_predictor *p, const struct paleo_net *net)
{
	static const char *const titles[] = {"forward", "backward", "forward + backward", "update",
					     "training step"};
	struct paleo_net_prediction *prediction = NULL;
	struct paleo_predicted_total t;
	struct paleo_error err;

	if (paleo_net_predict(p, net, NULL, &prediction, &err))
		fail(&err);
	speak("C");
	for (int i = 0; i < PALEO_TOTALS; i++) {
		if (paleo_net_prediction_total(prediction, (enum paleo_total)i, &t))
			continue;
		printf("%s %.3f %.3f\n", titles[i], 1e3 * t.time.low_s, 1e3 * t.time.high_s);
	}
	paleo_net_prediction_close(prediction);
}

static void print_step(const struct paleo_predictor *p, const struct paleo_net *net, int workers)
{
	const struct paleo_cluster cluster = {
		.workers = workers, .link = "ethernet-100g", .overlap = 1};
	struct paleo_cluster_step s;
	struct paleo_error err;

	speak("");
	if (paleo_net_simulate(p, net, &cluster, &s, &err))
		fail(&err);
	speak("C");
	printf("%d,", workers);
	number(s.fwd_s);
	number(s.bwd_s);
	number(s.update_s);
	number(s.comm_s);
	number(s.exposed_s);
	number(s.step_s);
	number(s.speedup);
	number(s.images_per_s);
	number(s.memory_bytes);
	putchar('\n');
}

/* rows predict|totals|simulate NET BATCH DEVICE LAW DTYPE [PASSES LAYOUT FUSE] */
int main(int argc, char **argv)
{
	struct paleo_predictor *predictor = NULL;
	struct paleo_net *net = NULL;
	struct paleo_error err;

	if (argc < 7)
		return 2;
	const struct paleo_predictor_options on = {
		.device = argv[4], .cost_model = argv[5], .dtype = argv[6]};
	const struct paleo_predict_options how = {.passes = argc > 7 ? argv[7] : NULL,
						  .layout = argc > 8 ? argv[8] : NULL,
						  .fuse = argc > 9 && atoi(argv[9])};
	speak("");
	if (paleo_predictor_open(&on, &predictor, &err) ||
	    paleo_net_open(argv[2], atoi(argv[3]), &net, &err))
		fail(&err);
	if (!strcmp(argv[1], "predict"))
		print_rows(predictor, net, &how);
	else if (!strcmp(argv[1], "totals"))
		print_totals(predictor, net);
	for (int n = 1; !strcmp(argv[1], "simulate") && n <= 64; n *= 8)
		print_step(predictor, net, n);
	paleo_net_close(net);
	paleo_predictor_close(predictor);
	return 0;
}
