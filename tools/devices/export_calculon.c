/* export_calculon.c - a system file of Calculon: rates of a device by the size of an op. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "model/device/link.h"
#include "tools/devices/export.h"

/* Calculon's names of dtypes, in the order in which they are written. */
static const struct {
	const char *name;
	enum paleo_dtype dtype;
} dtypes[] = {{"float8", PALEO_FP8},
	      {"float16", PALEO_F16},
	      {"bfloat16", PALEO_BF16},
	      {"float32", PALEO_F32}};

enum {
	DTYPES = sizeof(dtypes) / sizeof(dtypes[0]),
	GEMM_LARGEST = 16384, /* square, each next one half as wide */
	GEMM_SMALLEST = 64,
	MOVED_LARGEST = 1 << 30, /* bytes, each next one a quarter */
	MOVED_SMALLEST = 1 << 12
};

static void put_rounded(struct paleo_json_writer *w, const char *key, double value)
{
	paleo_json_put_double(w, key, round(value * 1e6) / 1e6);
}

/* A size and the share of the peak that ops of it reach; Calculon refuses more than 1. */
static void put_point(struct paleo_json_writer *w, double size, double share)
{
	paleo_json_open_array(w, NULL);
	put_rounded(w, NULL, size);
	put_rounded(w, NULL, fmin(share, 1));
	paleo_json_close(w);
}

static int put_gemms(struct paleo_json_writer *w, const struct paleo_calibration *c,
		     enum paleo_dtype dtype, struct paleo_error *err)
{
	paleo_json_open_array(w, "gflops_efficiency");
	for (int n = GEMM_LARGEST; n >= GEMM_SMALLEST; n /= 2) {
		struct paleo_prediction p;
		struct paleo_op op;
		PALEO_TRY(export_gemm(dtype, n, n, n, &op, err));
		PALEO_TRY(paleo_predict_op(c, &op, &p, err));
		put_point(w, n == GEMM_SMALLEST ? 0 : op.flops * 1e-9,
			  op.flops / p.parts.total_s / c->device.flop_per_s[dtype]);
	}
	paleo_json_close(w);
	return PALEO_OK;
}

static int put_matrix(struct paleo_json_writer *w, const struct paleo_device *d, const char *file,
		      struct paleo_error *err)
{
	int rc = PALEO_OK;

	paleo_json_open_object(w, "matrix");
	for (int i = 0; !rc && i < DTYPES; i++) {
		struct paleo_source source;
		if (!(d->flop_per_s[dtypes[i].dtype] > 0))
			continue;
		PALEO_TRY(export_source(d, file, dtypes[i].dtype, &source, err));
		paleo_json_open_object(w, dtypes[i].name);
		put_rounded(w, "tflops", d->flop_per_s[dtypes[i].dtype] * 1e-12);
		rc = put_gemms(w, &source.calibration, dtypes[i].dtype, err);
		paleo_json_close(w);
		paleo_source_release(&source);
	}
	paleo_json_close(w);
	return rc;
}

/* The cores are never the limit: such ops are priced by their bytes. */
static void put_vector(struct paleo_json_writer *w, const struct paleo_device *d)
{
	paleo_json_open_object(w, "vector");
	for (int i = 0; i < DTYPES; i++) {
		if (!(d->flop_per_s[dtypes[i].dtype] > 0))
			continue;
		paleo_json_open_object(w, dtypes[i].name);
		put_rounded(w, "tflops", d->flop_per_s[PALEO_F32] * 1e-12);
		paleo_json_open_array(w, "gflops_efficiency");
		put_point(w, 0, 1);
		paleo_json_close(w);
		paleo_json_close(w);
	}
	paleo_json_close(w);
}

/* Sums of two tensors, in the widest dtype that all devices have. */
static int put_moves(struct paleo_json_writer *w, const struct paleo_calibration *c,
		     struct paleo_error *err)
{
	paleo_json_open_array(w, "MB_efficiency");
	for (int bytes = MOVED_LARGEST; bytes >= MOVED_SMALLEST; bytes /= 4) {
		struct paleo_prediction p;
		struct paleo_op op = {.kind = PALEO_ELTWISE,
				      .pass = PALEO_FWD,
				      .dtype = PALEO_F32,
				      .geom.eltwise = {.op = PALEO_ADD,
						       .inputs = 2,
						       .count = floor(bytes / 12.0)}};
		PALEO_TRY(paleo_op_finish(&op, err));
		PALEO_TRY(paleo_predict_op(c, &op, &p, err));
		double moved = op.read_bytes + op.write_bytes;
		put_point(w, bytes == MOVED_SMALLEST ? 0 : moved * 1e-6,
			  moved / p.parts.total_s / c->device.mem_bytes_per_s);
	}
	paleo_json_close(w);
	return PALEO_OK;
}

static int put_memory(struct paleo_json_writer *w, const struct paleo_device *d, const char *file,
		      struct paleo_error *err)
{
	struct paleo_source source;

	PALEO_TRY(export_source(d, file, PALEO_F32, &source, err));
	paleo_json_open_object(w, "mem1");
	put_rounded(w, "GiB", d->mem_bytes / (1 << 30));
	put_rounded(w, "GBps", d->mem_bytes_per_s * 1e-9);
	int rc = put_moves(w, &source.calibration, err);
	paleo_json_close(w);
	paleo_source_release(&source);
	return rc;
}

/* Memory of the host, which nothing here knows: none, so that nothing is offloaded to it. */
static void put_no_host(struct paleo_json_writer *w)
{
	paleo_json_open_object(w, "mem2");
	paleo_json_put_int(w, "GiB", 0);
	paleo_json_put_int(w, "GBps", 1);
	paleo_json_open_array(w, "MB_efficiency");
	put_point(w, 0, 1);
	paleo_json_close(w);
	paleo_json_close(w);
}

/* An op moves `scalar` of its bytes, and `offset` more for each worker's part. */
static void put_network_op(struct paleo_json_writer *w, const char *name, int scalar, double offset)
{
	paleo_json_open_array(w, name);
	paleo_json_put_int(w, NULL, scalar);
	paleo_json_put_double(w, NULL, offset);
	paleo_json_close(w);
}

/* The link within a host, by which rings go; none where it is not known. */
static void put_networks(struct paleo_json_writer *w, const struct paleo_device *d)
{
	struct paleo_node node;

	paleo_json_open_array(w, "networks");
	if (paleo_node_usual(d->name, &node)) {
		paleo_json_open_object(w, NULL);
		put_rounded(w, "bandwidth", node.within->bytes_per_s * 1e-9);
		paleo_json_put_int(w, "efficiency", 1);
		paleo_json_put_int(w, "size", node.gpus);
		paleo_json_put_double(w, "latency", node.within->latency_s);
		paleo_json_open_object(w, "ops");
		put_network_op(w, "p2p", 1, NAN);
		put_network_op(w, "reduce_scatter", 1, -1);
		put_network_op(w, "all_gather", 1, -1);
		put_network_op(w, "all_reduce", 2, -1);
		paleo_json_close(w);
		paleo_json_put_bool(w, "must_be_filled", 1);
		paleo_json_put_int(w, "processor_usage", 0);
		paleo_json_close(w);
	}
	paleo_json_close(w);
}

static int put_system(struct paleo_json_writer *w, const struct paleo_device *d, const char *file,
		      struct paleo_error *err)
{
	paleo_json_open_object(w, NULL);
	PALEO_TRY(put_matrix(w, d, file, err));
	put_vector(w, d);
	PALEO_TRY(put_memory(w, d, file, err));
	put_no_host(w);
	paleo_json_put_string(w, "processing_mode", "roofline");
	put_networks(w, d);
	paleo_json_close(w);
	return PALEO_OK;
}

int export_calculon(const struct paleo_device *d, const char *file, struct paleo_error *err)
{
	struct paleo_json_writer *w;
	char *text = NULL;

	if (!(d->flop_per_s[PALEO_F32] > 0 && d->mem_bytes_per_s > 0 && d->mem_bytes > 0))
		return paleo_fail(err, PALEO_EINPUT,
				  "device '%s' lacks its peak FLOP/s in f32, its bandwidth or its "
				  "memory, which a system of Calculon needs: add them in a "
				  "--device-file",
				  d->name);
	w = paleo_json_writer_new();
	if (!w)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	int rc = put_system(w, d, file, err);
	if (!rc)
		rc = paleo_json_writer_text(w, 1, &text, err);
	if (!rc)
		fputs(text, stdout);
	free(text);
	paleo_json_writer_free(w);
	return rc;
}
