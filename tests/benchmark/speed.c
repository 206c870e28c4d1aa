/* speed.c - how fast estimates are: by cost model, and as nets grow. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/benchmark/speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/net/net.h"
#include "model/predict/predict.h"

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

/* Seconds a layer of a chain. */
struct chain_time {
	double load_s, all_s; /* from its text to the net, to the sum of what is predicted */
	double text_bytes;    /* of all layers */
};

/* Loads a chain, lists its ops and adds up what is predicted for them. */
static struct chain_time chain_time(int count, const struct paleo_calibration *c)
{
	char *text = chain_text(count);
	struct paleo_error err = {0};
	struct paleo_op_list ops;
	struct paleo_prediction_sum sum;
	struct paleo_net *net;

	double start = speed_cpu_s();
	if (paleo_net_parse("chain", text, strlen(text), 0, &net, &err))
		speed_stop(&err);
	double load_s = (speed_cpu_s() - start) / count;
	if (paleo_net_ops(net, PALEO_F32, PALEO_PASSES_ALL, &ops, &err))
		speed_stop(&err);
	struct paleo_prediction *p = malloc((size_t)ops.count * sizeof(*p));
	if (!p)
		exit(1);
	for (int i = 0; i < ops.count; i++)
		if (paleo_predict_op(c, &ops.items[i].op, &p[i], &err))
			speed_stop(&err);
	if (paleo_prediction_add_up(p, ops.count, &sum, &err))
		speed_stop(&err);
	const struct chain_time t = {load_s, (speed_cpu_s() - start) / count, (double)strlen(text)};
	free(p);
	paleo_op_list_release(&ops);
	paleo_net_free(net);
	free(text);
	return t;
}

static void print_chains(void)
{
	static const int lengths[] = {1000, 10000, 100000};
	struct paleo_calibration c;
	struct paleo_error err = {0};
	double first = 0;

	if (paleo_calibration_datasheet(paleo_device_find("h100-sxm"), 1, 1, &c, &err))
		speed_stop(&err);
	for (int i = 0; i < 3; i++) {
		const struct chain_time t = chain_time(lengths[i], &c);
		first = i ? first : t.all_s;
		printf("a chain of %6d layers: %5.2f us a layer to load it (%.0f MB/s of its "
		       "text), "
		       "%5.2f us with ops, times and sum, %.2f times that of %d\n",
		       lengths[i], 1e6 * t.load_s, 1e-6 * t.text_bytes / (lengths[i] * t.load_s),
		       1e6 * t.all_s, t.all_s / first, lengths[0]);
	}
	paleo_calibration_release(&c);
}

static const struct {
	const char *name;
	void (*print)(void);
} parts[] = {
	{"chains", print_chains},         {"paleo2017", speed_print_2017},
	{"simulations", speed_print_sim}, {"cost_models", speed_print_cost_models},
	{"fits", speed_print_fits},
};

/* All parts, or those that are named: a profile wants one alone. */
int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int wanted = argc < 2;
		for (int a = 1; a < argc; a++)
			wanted |= !strcmp(argv[a], parts[i].name);
		if (wanted)
			parts[i].print();
	}
	return 0;
}
