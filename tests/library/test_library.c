/* test_library.c - the functions of libpaleo: what they give, and what they refuse. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "paleo/paleo.h"
#include "tests/unit/unit.h"

static struct paleo_error err;

/* The last call was refused for what the user gave, with a sentence that has these words. */
static void refused(int rc, const char *words)
{
	assert_int_equal(rc, PALEO_EINPUT);
	assert_int_equal(err.status, rc);
	if (!strstr(err.text, words))
		fail_msg("expected \"%s\" in \"%s\"", words, err.text);
}

static struct paleo_net *open_net(const char *name, int batch)
{
	struct paleo_net *net = NULL;

	assert_int_equal(paleo_net_open(name, batch, &net, &err), 0);
	return net;
}

static struct paleo_predictor *open_predictor(struct paleo_predictor_options o)
{
	struct paleo_predictor *p = NULL;

	if (paleo_predictor_open(&o, &p, &err))
		fail_msg("%s", err.text);
	return p;
}

static void test_version(void **state)
{
	(void)state;
	assert_string_equal(paleo_version(), PALEO_VERSION);
}

static void test_net(void **state)
{
	(void)state;
	struct paleo_net *net = open_net("nets/vgg16.json", 0), *other = NULL;

	assert_string_equal(paleo_net_name(net), "vgg16");
	assert_int_equal(paleo_net_with_batch(net, 7, &other, &err), 0);
	assert_int_equal(paleo_net_batch(other), 7);
	assert_int_not_equal(paleo_net_batch(net), 7);
	assert_string_equal(paleo_net_dtype_name(net), "f32");
	/* Simonyan and Zisserman 2014: 138 million */
	assert_int_equal((int)(paleo_net_weight_count(net) / 1e6 + 0.5), 138);
	assert_string_equal(paleo_net_layer_kind(net, 1), "Convolution");
	assert_non_null(paleo_net_layer_name(net, paleo_net_layer_count(net) - 1));
	assert_null(paleo_net_layer_name(net, paleo_net_layer_count(net)));
	assert_null(paleo_net_layer_kind(net, -1));
	paleo_net_close(other);
	paleo_net_close(net);
	paleo_net_close(NULL);
}

/* The converted network has the layers of the net file that `paleo convert` makes of it. */
static void test_caffe(void **state)
{
	(void)state;
	struct paleo_net *made = open_net("tests/data/caffe/flat.prototxt", 8);
	struct paleo_net *file = open_net("tests/data/caffe/flat.json", 8);

	assert_int_equal(paleo_net_batch(made), 8);
	assert_int_equal(paleo_net_layer_count(made), paleo_net_layer_count(file));
	for (int i = 0; i < paleo_net_layer_count(made); i++)
		assert_string_equal(paleo_net_layer_name(made, i), paleo_net_layer_name(file, i));
	paleo_net_close(made);
	paleo_net_close(file);
}

static void test_bad_nets(void **state)
{
	(void)state;
	struct paleo_net *net = NULL, *good = open_net("nin", 0);

	refused(paleo_net_open("tests/none.json", 0, &net, &err), "tests/none.json");
	refused(paleo_net_open("vgg61", 0, &net, &err), "did you mean 'vgg16'?");
	refused(paleo_net_open("LICENSE", 0, &net, &err), "LICENSE:2:");
	refused(paleo_net_open("tests/data/caffe/alexnet.prototxt", 0, &net, &err),
		"alexnet.prototxt:3:1: layer 'data'");
	refused(paleo_net_open("nin", -1, &net, &err), "a batch of -1");
	refused(paleo_net_open(NULL, 0, &net, &err), "name of a net is NULL");
	refused(paleo_net_open("nin", 0, NULL, &err), "NULL");
	refused(paleo_net_with_batch(good, 0, &net, &err), "batch");
	refused(paleo_net_with_batch(NULL, 1, &net, &err), "net is NULL");
	assert_int_equal(paleo_net_open("vgg61", 0, &net, NULL), PALEO_EINPUT);
	assert_null(net);
	paleo_net_close(good);
}

static void test_devices(void **state)
{
	(void)state;
	struct paleo_device *d = NULL;

	assert_int_equal(paleo_device_open("Tesla T4", NULL, &d, &err), 0);
	assert_string_equal(paleo_device_name(d), "t4");
	/* NVIDIA's datasheet: 8.1 TFLOP/s, 320 GB/s, no bf16 */
	assert_true(fabs(paleo_device_peak_flop_per_s(d, "f32") - 8.1e12) < 0.1e12);
	assert_true(fabs(paleo_device_bytes_per_s(d) - 320e9) < 1e9);
	assert_true(isnan(paleo_device_peak_flop_per_s(d, "bf16")));
	assert_true(isnan(paleo_device_peak_flop_per_s(d, "fp4")));
	assert_true(paleo_device_peak_flop_per_s(d, "int8") == 130e12); /* its datasheet */
	assert_true(isnan(paleo_device_peak_flop_per_s(d, "f99")));
	paleo_device_close(d);
	/* NVIDIA's datasheet of DGX B200: 72 PFLOP/s dense in fp4 of 8 GPUs */
	assert_int_equal(paleo_device_open("b200", NULL, &d, &err), 0);
	assert_true(fabs(paleo_device_peak_flop_per_s(d, "fp4") - 72e15 / 8) < 1e12);
	paleo_device_close(d);
	paleo_device_close(NULL);
	assert_non_null(paleo_device_name_at(0));
	assert_null(paleo_device_name_at(paleo_device_count()));
	assert_null(paleo_device_name_at(-1));
	refused(paleo_device_open("h300", NULL, &d, &err), "'h300'");
	refused(paleo_device_open("t4", "LICENSE", &d, &err), "LICENSE:2:");
	refused(paleo_device_open(NULL, NULL, &d, &err), "name of a device is NULL");
}

static void test_bad_predictors(void **state)
{
	(void)state;
	static const struct {
		struct paleo_predictor_options options;
		const char *words;
	} bad[] = {
		{{.device = NULL}, "no device and no calibration"},
		{{.device = "h300"}, "'h300'"},
		{{.device = "t4", .cost_model = "best"},
		 "the cost_model is 'best', expected one of auto"},
		{{.device = "t4", .dtype = "f99"}, "the dtype is 'f99'"},
		{{.device = "t4", .dtype = "bf16"}, "no peak FLOP/s for bf16"},
		{{.device = "t4", .ppp_compute = 3}, "ppp_compute is 3"},
		{{.device = "t4", .ppp_memory = NAN}, "ppp_memory is nan"},
		{{.device = "t4", .cost_model = "calibrated"}, "there is no calibration for 't4'"},
		{{.device = "t4", .device_file = "LICENSE"}, "LICENSE:2:"},
		{{.device = "t4", .calibration = "LICENSE"}, "LICENSE:2:"},
		{{.device = "t4", .cost_model = "presets", .ppp_compute = 1}, "fractions of peak"},
		{{.device = "cpu-i7", .cost_model = "presets"}, "is a CPU"},
	};
	struct paleo_predictor *p = NULL;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(paleo_predictor_open(&bad[i].options, &p, &err), bad[i].words);
	const struct paleo_predictor_options none = {.device = "t4", .calibration = "none.json"};
	assert_int_not_equal(paleo_predictor_open(&none, &p, &err), 0);
	assert_non_null(strstr(err.text, "none.json"));
	refused(paleo_predictor_open(NULL, &p, &err), "options is NULL");
	assert_null(p);
	paleo_predictor_close(NULL);
}

/* Of a peak of 8.141 TFLOP/s half is reached: twice the time at the peak. */
static void test_fractions(void **state)
{
	(void)state;
	struct paleo_predictor *half = open_predictor(
		(struct paleo_predictor_options){.device = "t4", .ppp_compute = 0.5});
	struct paleo_net *net = open_net("vgg16", 1);
	struct paleo_net_prediction *prediction = NULL;
	struct paleo_predicted_row r;

	double peak = paleo_device_peak_flop_per_s(paleo_predictor_device(half), "f32");
	assert_int_equal(paleo_net_predict(half, net, NULL, &prediction, &err), 0);
	assert_int_equal(paleo_net_prediction_row(prediction, 0, &r), 0);
	assert_string_equal(r.kind, "conv");
	assert_true(fabs(r.time.compute_s / (2 * r.flops / peak) - 1) < 1e-12);
	assert_true(isnan(r.time.low_s));
	assert_non_null(strstr(paleo_predictor_title(half), "PPP 0.5 compute"));
	assert_string_equal(paleo_predictor_dtype(half), "f32");
	paleo_net_prediction_close(prediction);
	paleo_net_close(net);
	paleo_predictor_close(half);
}

static void test_totals(void **state)
{
	(void)state;
	struct paleo_predictor *p =
		open_predictor((struct paleo_predictor_options){.device = "h100-sxm"});
	struct paleo_net *net = open_net("nin", 4);
	struct paleo_net_prediction *all = NULL, *fwd = NULL;
	const struct paleo_predict_options inference = {.passes = "fwd", .fuse = 1};
	struct paleo_predicted_total step, part;

	assert_int_equal(paleo_net_predict(p, net, NULL, &all, &err), 0);
	assert_int_equal(paleo_net_predict(p, net, &inference, &fwd, &err), 0);
	paleo_net_close(net); /* predictions live on */
	paleo_predictor_close(p);
	double sum = 0;
	struct paleo_predicted_row r;
	for (int i = 0; !paleo_net_prediction_row(all, i, &r); i++)
		sum += r.time.total_s;
	assert_int_equal(paleo_net_prediction_total(all, PALEO_TOTAL_STEP, &step), 0);
	assert_int_equal(step.rows, paleo_net_prediction_row_count(all));
	assert_int_equal(step.predicted, step.rows);
	assert_true(fabs(step.time.total_s / sum - 1) < 1e-12);
	assert_true(step.time.low_s < sum && sum < step.time.high_s);
	/* Inference has no backward pass, and nothing of a step but its forward pass. */
	assert_int_equal(paleo_net_prediction_total(fwd, PALEO_TOTAL_FORWARD, &part), 0);
	assert_int_equal(part.rows, paleo_net_prediction_row_count(fwd));
	assert_int_equal(paleo_net_prediction_total(fwd, PALEO_TOTAL_STEP, &part), PALEO_EINPUT);
	assert_int_equal(paleo_net_prediction_total(fwd, PALEO_TOTALS, &part), PALEO_EINPUT);
	assert_int_equal(paleo_net_prediction_row(fwd, -1, &r), PALEO_EINPUT);
	assert_int_equal(paleo_net_prediction_row(NULL, 0, &r), PALEO_EINPUT);
	paleo_net_prediction_close(all);
	paleo_net_prediction_close(fwd);
	paleo_net_prediction_close(NULL);
}

static void test_bad_predictions(void **state)
{
	(void)state;
	struct paleo_predictor *p =
		open_predictor((struct paleo_predictor_options){.device = "t4"});
	struct paleo_net *net = open_net("nin", 4);
	struct paleo_net_prediction *out = NULL;
	const struct paleo_predict_options passes = {.passes = "forward"},
					   layout = {.layout = "nc"}, fuse = {.fuse = 1};

	refused(paleo_net_predict(p, net, &passes, &out, &err), "expected one of all, fwd");
	refused(paleo_net_predict(p, net, &layout, &out, &err), "expected one of nchw, nhwc");
	refused(paleo_net_predict(p, net, &fuse, &out, &err), "fuse is for inference");
	refused(paleo_net_predict(NULL, net, NULL, &out, &err), "predictor is NULL");
	refused(paleo_net_predict(p, NULL, NULL, &out, &err), "net is NULL");
	assert_null(out);
	paleo_net_close(net);
	paleo_predictor_close(p);
}

static void test_bad_clusters(void **state)
{
	(void)state;
	static const struct {
		struct paleo_cluster cluster;
		const char *words;
	} bad[] = {
		{{.workers = -1}, "workers is -1"},
		{{.workers = 1 << 20}, "too many"},
		{{.link = "string"}, "'string'"},
		{{.link_file = "LICENSE"}, "LICENSE:2:"},
		{{.strategy = "chaos"}, "no strategy 'chaos'"},
		{{.all_reduce = "chain"}, "no all_reduce 'chain'"},
		{{.optimizer = "lion"}, "expected one of sgd"},
		{{.workers_per_node = 8}, "need node_link"},
		{{.bucket_bytes = -1}, "bucket_bytes is -1"},
	};
	struct paleo_predictor *p =
		open_predictor((struct paleo_predictor_options){.device = "t4"});
	struct paleo_net *net = open_net("nin", 32);
	struct paleo_cluster_step step = {.step_s = 1};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(paleo_net_simulate(p, net, &bad[i].cluster, &step, &err), bad[i].words);
	refused(paleo_net_simulate(p, net, NULL, &step, &err), "cluster is NULL");
	assert_true(step.step_s == 1);
	paleo_net_close(net);
	paleo_predictor_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version),         cmocka_unit_test(test_net),
		cmocka_unit_test(test_caffe),           cmocka_unit_test(test_bad_nets),
		cmocka_unit_test(test_devices),         cmocka_unit_test(test_bad_predictors),
		cmocka_unit_test(test_fractions),       cmocka_unit_test(test_totals),
		cmocka_unit_test(test_bad_predictions), cmocka_unit_test(test_bad_clusters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
