/* time.c - the time of a layer in the cost model of 2017; its devices and units. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/paleo2017/net.h"

/* Devices and networks of the original, and how counts become times. */

/*
 * Values of the original's device.py, odd ones included: the clock of the CPU is ten times the
 * intended one (6 x 35000 MHz), that of the K20 is not its 706 MHz, and the K80 is both of its dies
 * (quirk 26).
 */
static const struct paleo_2017_device devices[] = {
	{"CPU_I7", "CPU i7 5930K", 210000, 289, 68, 0},
	{"GEFORCE_750_M", "GeForce 750 M", 941, 722.7, 80, 1},
	{"GEFORCE_780_TI", "GeForce 780 Ti", 875, 5040, 336, 1},
	{"K20", "K20", 1000, 3520, 208, 1},
	{"K20X", "K20X", 1000, 3935, 250, 1},
	{"K40", "K40", 745, 4290, 288, 1},
	{"K80", "K80", 560, 5600, 480, 1},
	{"TITAN_X", "Titan X", 1000, 6144, 336.5, 1},
};

static const struct paleo_2017_network networks[] = {
	{"aws", "AWS", 2},
	{"ethernet", "Ethernet", 10},
	{"ethernet20", "Ethernet", 20},
	{"infiniband", "Infiniband", 70},
	{"pcie2", "PCIe 2.0", 64},
	{"pcie3", "PCIe 3.0", 128},
};

enum {
	DEVICES = (int)(sizeof(devices) / sizeof(devices[0])),
	NETWORKS = (int)(sizeof(networks) / sizeof(networks[0]))
};

const struct paleo_2017_device *paleo_2017_device_find(const char *name)
{
	for (int i = 0; i < DEVICES; i++)
		if (!strcasecmp(devices[i].name, name))
			return &devices[i];
	return NULL;
}

const struct paleo_2017_network *paleo_2017_network_find(const char *name)
{
	for (int i = 0; i < NETWORKS; i++)
		if (!strcasecmp(networks[i].name, name))
			return &networks[i];
	return NULL;
}

int paleo_2017_device_from(const struct paleo_device *d, struct paleo_2017_device *out,
			   struct paleo_error *err)
{
	if (!(d->flop_per_s[PALEO_F32] > 0) || !(d->mem_bytes_per_s > 0) || !(d->clock_hz > 0))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the cost model paleo2017 needs a device's f32 peak, bandwidth "
				  "and clock; of '%s' one is unknown",
				  d->name);
	*out = (struct paleo_2017_device){
		.clock_mhz = d->clock_hz / 1e6,
		.peak_gflops = d->flop_per_s[PALEO_F32] / 1e9,
		.mem_gb_per_s = d->mem_bytes_per_s / 1e9,
		.is_gpu = d->compute_capability > 0,
	};
	snprintf(out->name, sizeof(out->name), "%s", d->name);
	snprintf(out->title, sizeof(out->title), "%s", d->title);
	return PALEO_OK;
}

/* The order of the operations below is the original's: another one changes the last bit. */

double paleo_2017_comp_ms(const struct paleo_2017_units *u, double flops)
{
	if (flops == 0)
		return 0;
	return fmax(u->tick_ms, flops / 1e9 / u->peak_gflops * 1000 / u->ppp_comp);
}

/* Over a link of so many GB/s. */
static double link_ms(const struct paleo_2017_units *u, double bytes, double gb_per_s,
		      double ppp_comm)
{
	/* 2^30 against a bandwidth in 10^9 bytes/s: 7 % too fast (quirk 3). */
	return fmax(u->tick_ms, bytes / 1073741824.0 / gb_per_s * 1000 / ppp_comm);
}

double paleo_2017_comm_ms(const struct paleo_2017_units *u, double bytes)
{
	/* The fraction for computing scales the memory's traffic, too (quirk 4). */
	return link_ms(u, bytes, u->mem_gb_per_s, u->ppp_comp);
}

double paleo_2017_pipelined(const struct paleo_2017_time *t)
{
	return fmax(t->comp_ms, t->comm_ms);
}

struct paleo_2017_time paleo_2017_update(const struct paleo_2017_device *device, double bytes)
{
	/* Fractions of peak do not reach the update (quirk 2). */
	struct paleo_2017_units u = paleo_2017_units_of(device, 1);
	struct paleo_2017_time t = {
		.comp_ms = paleo_2017_comp_ms(&u, 2 * floor(bytes / 4)),
		.comm_ms = 3 * paleo_2017_comm_ms(&u, bytes),
	};

	t.total_ms = t.comp_ms + t.comm_ms;
	return t;
}

/* The time of a layer. */

int paleo_2017_algorithms_named(const char *name, struct paleo_2017_algorithms *out,
				struct paleo_error *err)
{
	static const struct {
		const char *name;
		struct paleo_2017_algorithms algorithms;
	} known[] = {
		{"gemm", {0, 0, 0}},
		{"precomp", {1, 1, 1}},
		{"fft", {4, 2, 2}},
		{"fft_tiling", {5, 3, 2}},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, name) != 0)
			continue;
		*out = known[i].algorithms;
		return PALEO_OK;
	}
	return paleo_fail(err, PALEO_EINPUT,
			  "unknown algorithm '%s', expected gemm, precomp, fft or fft_tiling",
			  name);
}

/* Maps cuDNN's algorithm number to one of the original's ways. */
static int find_way(const struct paleo_2017_options *o, enum paleo_2017_pass pass,
		    enum paleo_2017_way *out, struct paleo_error *err)
{
	static const enum paleo_2017_way fwd[] = {
		PALEO_2017_GEMM, PALEO_2017_GEMM,       PALEO_2017_GEMM,   PALEO_2017_GEMM,
		PALEO_2017_FFT,  PALEO_2017_FFT_TILING, PALEO_2017_NOTHING};
	static const enum paleo_2017_way data[] = {PALEO_2017_GEMM, PALEO_2017_GEMM_MEMORY,
						   PALEO_2017_FFT, PALEO_2017_FFT_TILING,
						   PALEO_2017_NOTHING};
	static const enum paleo_2017_way filter[] = {PALEO_2017_GEMM, PALEO_2017_GEMM,
						     PALEO_2017_FFT, PALEO_2017_GEMM};
	const enum paleo_2017_way *ways = fwd;
	int id = o->algorithms.fwd, count = 7;

	if (!o->device->is_gpu) {
		*out = PALEO_2017_GEMM;
		return PALEO_OK;
	}
	if (pass == PALEO_2017_BWD_DATA) {
		ways = data;
		id = o->algorithms.bwd_data;
		count = 5;
	} else if (pass == PALEO_2017_BWD_FILTER) {
		ways = filter;
		id = o->algorithms.bwd_filter;
		count = 4;
	}
	if (id < 0 || id >= count)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"the original has no algorithm %d for this pass, expected 0 to %d", id,
			count - 1);
	*out = ways[id];
	return PALEO_OK;
}

/* State of pricing a layer, common to all its passes. */
struct pricing {
	const struct paleo_2017_net *net;
	int layer, n;
	const struct paleo_2017_options *options;
	struct paleo_2017_units units;
};

static int no_gradient(const struct paleo_2017_layer *l, const struct paleo_2017_conv *c,
		       struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EUNSUPPORTED,
			  "layer '%s': the original ends here, since its gradient is %.0fx%.0f; "
			  "the cost model 'datasheet' has the correct one",
			  l->layer->name, c->oh, c->ow);
}

/* The way of a convolution's pass; those of the transposed convolution are the same, swapped, and
 * use the other's algorithms. */
static int conv_way(const struct pricing *r, enum paleo_2017_pass pass, enum paleo_2017_way *out,
		    struct paleo_error *err)
{
	const struct paleo_2017_layer *l = &r->net->layers[r->layer];
	const struct paleo_2017_price *p = &r->net->prices[r->layer];
	const struct paleo_2017_conv *c = paleo_2017_conv_of_pass(p, pass);
	enum paleo_2017_pass as = pass;

	if (p->form == PALEO_2017_DECONV && pass != PALEO_2017_BWD_FILTER)
		as = pass == PALEO_2017_FWD ? PALEO_2017_BWD_DATA : PALEO_2017_FWD;
	if (!c->fits)
		return no_gradient(l, c, err);
	if (as == PALEO_2017_BWD_DATA && !l->backprop) {
		*out = PALEO_2017_NOTHING;
		return PALEO_OK;
	}
	int rc = find_way(r->options, as, out, err);
	if (!rc && l->filter[0] == 1 && l->filter[1] == 1)
		*out = PALEO_2017_GEMM;
	return rc;
}

/* One pass that is not BWD, without fetches. */
static struct paleo_2017_time price(const struct pricing *r, enum paleo_2017_pass pass,
				    enum paleo_2017_way way)
{
	const struct paleo_2017_price *p = &r->net->prices[r->layer];
	const struct paleo_2017_line *line = &p->lines[pass];

	if (way != PALEO_2017_GEMM) {
		const struct paleo_2017_conv at = paleo_2017_conv_at(p, pass, r->n);
		return paleo_2017_conv_time(&r->units, &at, way);
	}
	if (r->n <= line->batch_max)
		return paleo_2017_line_time(&r->units, line, r->n);
	const struct paleo_2017_counts c = paleo_2017_counts_at(r->net, r->layer, pass, r->n);
	return paleo_2017_counted(&r->units, &c);
}

/* Inputs that lie on other devices. With several parents the link is halved for each that is in
 * another group of four, and stays so for those that follow (quirk 5). */
static int fetch_ms(const struct pricing *r, double *out, struct paleo_error *err)
{
	const struct paleo_2017_options *o = r->options;
	const struct paleo_2017_layer *l = &r->net->layers[r->layer];
	double link = o->link_gb_per_s > 0 ? o->link_gb_per_s : o->device->mem_gb_per_s;
	double sum = 0;

	for (int i = 0; i < l->parent_count; i++) {
		const struct paleo_2017_layer *p = &r->net->layers[l->parents[i]];
		if (paleo_2017_same_device(l, p))
			continue;
		if (l->parent_count > 1 && l->device / 4 != p->device / 4) {
			if (!(o->link_gb_per_s > 0))
				return paleo_fail(
					err, PALEO_EUNSUPPORTED,
					"layer '%s': the original ends here, since it halves "
					"a link between groups of four devices, and there "
					"is none without hybrid parallelism",
					l->layer->name);
			link /= 2;
		}
		sum += link_ms(&r->units, paleo_2017_count_at(&p->out, r->n) * 4, link,
			       o->ppp_comm);
	}
	*out = sum;
	return PALEO_OK;
}

int paleo_2017_time(const struct paleo_2017_net *net, int layer, enum paleo_2017_pass pass,
		    const struct paleo_2017_options *o, struct paleo_2017_time *out,
		    struct paleo_error *err)
{
	const struct pricing r = {
		.net = net,
		.layer = layer,
		.n = o->batch ? o->batch : net->source->file_batch,
		.options = o,
		.units = paleo_2017_units_of(o->device, o->ppp_comp),
	};
	const enum paleo_2017_form form = net->prices[layer].form;
	const int both = pass == PALEO_2017_BWD, last = both ? PALEO_2017_BWD_FILTER : (int)pass;
	struct paleo_2017_time time = {0};
	double fetch = 0;

	for (int k = both ? PALEO_2017_BWD_DATA : last; k <= last; k++) {
		enum paleo_2017_way way = PALEO_2017_GEMM;
		if (form == PALEO_2017_CONV || form == PALEO_2017_DECONV)
			PALEO_TRY(conv_way(&r, (enum paleo_2017_pass)k, &way, err));
		const struct paleo_2017_time t = price(&r, (enum paleo_2017_pass)k, way);
		paleo_2017_add(&time, &t);
	}
	if (net->prices[layer].fetches && !o->no_fetch) {
		PALEO_TRY(fetch_ms(&r, &fetch, err));
		time.comm_ms += fetch;
		time.total_ms += fetch;
	}
	*out = time;
	return PALEO_OK;
}
