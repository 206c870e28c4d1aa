/* speed.c - how fast estimates are: per layer, per net, by law, and as nets grow. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/benchmark/speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/laws/laws.h"

/* What the original Paleo takes for one estimate of VGG-16, forward, backward and update, in
 * process: median of 200 under Python 3.11 on another machine, told to us and not measured here. */
static const double original_vgg16_s = 1.59e-3;

enum {
	BATCHES = 64, /* different ones in turn, so that no answer is the one before */
	TURNS = 5
};

/* CPU time, which other processes do not add to. */
double speed_cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void speed_stop(const struct paleo_error *err)
{
	fprintf(stderr, "paleo-speed: %s\n", err->text);
	exit(1);
}

static struct paleo_costs *open_costs(const char *law, const struct paleo_net *net,
				      const struct paleo_calibration *c)
{
	struct paleo_law_options o = {.device_2017 = paleo_2017_device_find("K80"),
				      .calibration = c};
	struct paleo_costs *costs;
	struct paleo_error err = {0};

	if (paleo_costs_open(paleo_law_find(law), net, &o, &costs, &err))
		speed_stop(&err);
	return costs;
}

/* Seconds for one estimate of a whole net: the least of a few turns. */
static double net_s(const struct paleo_costs *costs, int rounds)
{
	struct paleo_error err = {0};
	struct paleo_cost cost;
	double best = INFINITY, sum = 0;

	for (int turn = 0; turn < TURNS; turn++) {
		double start = speed_cpu_s();
		for (int i = 0; i < rounds; i++) {
			if (paleo_costs_net(costs, PALEO_PASSES_ALL, 1 + i % BATCHES, &cost, &err))
				speed_stop(&err);
			sum += cost.total_s;
		}
		best = fmin(best, (speed_cpu_s() - start) / rounds);
	}
	if (!(sum > 0))
		exit(1);
	return best;
}

/* Estimates per second of single layers, one pass each. */
static double layers_per_s(const struct paleo_costs *costs, const struct paleo_net *net)
{
	struct paleo_error err = {0};
	struct paleo_cost cost;
	const int rounds = 20000;
	double best = INFINITY, sum = 0;

	for (int turn = 0; turn < TURNS; turn++) {
		double start = speed_cpu_s();
		for (int i = 0; i < rounds; i++)
			for (int l = 0; l < net->count; l++) {
				if (paleo_costs_layer(costs, l, PALEO_FWD, 1 + i % BATCHES, &cost,
						      &err))
					speed_stop(&err);
				sum += cost.total_s;
			}
		best = fmin(best, (speed_cpu_s() - start) / rounds / net->count);
	}
	if (!(sum > 0))
		exit(1);
	return 1 / best;
}

/* The text of a chain of `count` layers. */
static char *chain_text(int count)
{
	size_t size = (size_t)count * 80 + 256, at = 0;
	char *text = malloc(size);

	if (!text)
		exit(1);
	at += (size_t)snprintf(text, size,
			       "{\"name\": \"chain\", \"layers\": {\"x0\": {\"type\": \"Input\", "
			       "\"parents\": [], \"tensor\": [1, 8, 8, 4]}");
	for (int i = 1; i < count; i++)
		at += (size_t)snprintf(text + at, size - at,
				       ", \"x%d\": {\"type\": \"ReLU\", \"parents\": [\"x%d\"]}", i,
				       i - 1);
	snprintf(text + at, size - at, "}}");
	return text;
}

/* Seconds a layer to read a chain, list its works and add up its costs. */
static double chain_s_per_layer(int count, const struct paleo_calibration *c)
{
	char *text = chain_text(count);
	struct paleo_error err = {0};
	struct paleo_net *net;
	struct paleo_cost cost;

	double start = speed_cpu_s();
	if (paleo_net_parse("chain", text, strlen(text), 0, &net, &err))
		speed_stop(&err);
	struct paleo_costs *costs = open_costs("paleo", net, c);
	if (paleo_costs_net(costs, PALEO_PASSES_ALL, 1, &cost, &err))
		speed_stop(&err);
	double s = (speed_cpu_s() - start) / count;
	paleo_costs_close(costs);
	paleo_net_free(net);
	free(text);
	return s;
}

static void print_vgg16(const struct paleo_calibration *c)
{
	struct paleo_error err = {0};
	struct paleo_net *net;

	if (paleo_net_load("nets/vgg16.json", 0, &net, &err))
		speed_stop(&err);
	struct paleo_costs *ours = open_costs("paleo", net, c);
	struct paleo_costs *old = open_costs("paleo2017", net, c);
	double ours_s = net_s(ours, 20000), old_s = net_s(old, 2000);

	printf("law paleo, single layers:        %8.1f million estimates a second on one core\n",
	       1e-6 * layers_per_s(ours, net));
	printf("law paleo2017, single layers:    %8.1f million estimates a second on one core\n",
	       1e-6 * layers_per_s(old, net));
	printf("vgg16 in all passes, paleo:      %8.2f us\n", 1e6 * ours_s);
	printf("vgg16 in all passes, paleo2017:  %8.2f us, %.1f times as long\n", 1e6 * old_s,
	       old_s / ours_s);
	printf("the original, in Python:         %8.0f us (told, not measured here), %.0f and %.0f "
	       "times as long\n",
	       1e6 * original_vgg16_s, original_vgg16_s / ours_s, original_vgg16_s / old_s);
	paleo_costs_close(ours);
	paleo_costs_close(old);
	paleo_net_free(net);
}

int main(void)
{
	static const int lengths[] = {1000, 10000, 100000};
	struct paleo_calibration c;
	struct paleo_error err = {0};
	double first = 0;

	if (paleo_calibration_datasheet(paleo_device_find("h100-sxm"), 1, 1, &c, &err))
		speed_stop(&err);
	print_vgg16(&c);
	for (int i = 0; i < 3; i++) {
		double s = chain_s_per_layer(lengths[i], &c);
		first = i ? first : s;
		printf("a chain of %6d layers, loaded and added up: %6.2f us a layer, %.2f times "
		       "that of %d\n",
		       lengths[i], 1e6 * s, s / first, lengths[0]);
	}
	paleo_calibration_release(&c);
	speed_print_laws();
	return 0;
}
