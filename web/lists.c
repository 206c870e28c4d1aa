/* lists.c - lists for the page's menus: nets, devices, links, ways to share a step. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "library/find.h"
#include "library/source.h"
#include "model/device/link.h"
#include "web/job.h"

/*
 * Efficiencies (fractions of the peaks) behind "software" on the original's page. It did not
 * publish them; they were found by comparing its curves with the cost model.
 */
static const struct {
	const char *name;
	double ppp_compute, ppp_comm;
} software[] = {
	{"Caffe", 0.21, 0.56},
	{"MXNet", 0.49, 0.72},
	{"TensorFlow", 0.62, 0.72},
};

/* Cloud presets of the original's page: device, link, the price of 2016. */
static const struct {
	const char *name, *device, *link;
	double usd_per_hour; /* of one GPU; started hours are billed in full */
} clouds[] = {
	{"AWS EC2 P2 (2016)", "K80", "ethernet20", 0.9},
};

static void put_device(struct paleo_json_writer *w, const struct paleo_device *d)
{
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "name", d->name);
	paleo_json_put_string(w, "title", d->title);
	paleo_json_open_array(w, "dtypes");
	for (int t = 0; t < PALEO_DTYPES; t++)
		if (d->flop_per_s[t] > 0)
			paleo_json_put_string(w, NULL, paleo_dtype_name((enum paleo_dtype)t));
	paleo_json_close(w);
	paleo_json_close(w);
}

static void put_devices(struct paleo_json_writer *w)
{
	int count;
	const struct paleo_device *all = paleo_devices(&count);

	paleo_json_open_array(w, "devices");
	for (int i = 0; i < count; i++)
		put_device(w, &all[i]);
	paleo_json_close(w);
}

static void put_named(struct paleo_json_writer *w, const char *name, const char *what)
{
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "name", name);
	paleo_json_put_string(w, "title", what);
	paleo_json_close(w);
}

static void put_ways(struct paleo_json_writer *w)
{
	int count;
	const struct paleo_link *links = paleo_links(&count);

	paleo_json_open_array(w, "links");
	for (int i = 0; i < count; i++) {
		char title[128];
		snprintf(title, sizeof(title), "%s, %.4g GB/s", links[i].title,
			 links[i].bytes_per_s / 1e9);
		put_named(w, links[i].name, title);
	}
	paleo_json_close(w);
	const struct paleo_scheme *schemes = paleo_schemes(&count);
	paleo_json_open_array(w, "schemes");
	for (int i = 0; i < count; i++)
		put_named(w, schemes[i].name, schemes[i].what);
	paleo_json_close(w);
	const struct paleo_strategy *strategies = paleo_strategies(&count);
	paleo_json_open_array(w, "strategies");
	for (int i = 0; i < count; i++)
		put_named(w, strategies[i].name, strategies[i].what);
	paleo_json_close(w);
	paleo_json_open_array(w, "cost_models");
	for (int i = 0; i < PALEO_COST_MODELS; i++)
		paleo_json_put_string(w, NULL, paleo_cost_model_names[i]);
	paleo_json_put_string(w, NULL, "paleo2017");
	paleo_json_close(w);
}

static void put_original(struct paleo_json_writer *w)
{
	paleo_json_open_array(w, "software");
	for (size_t i = 0; i < sizeof(software) / sizeof(software[0]); i++) {
		paleo_json_open_object(w, NULL);
		paleo_json_put_string(w, "name", software[i].name);
		paleo_json_put_double(w, "ppp_compute", software[i].ppp_compute);
		paleo_json_put_double(w, "ppp_comm", software[i].ppp_comm);
		paleo_json_close(w);
	}
	paleo_json_close(w);
	paleo_json_open_array(w, "clouds");
	for (size_t i = 0; i < sizeof(clouds) / sizeof(clouds[0]); i++) {
		paleo_json_open_object(w, NULL);
		paleo_json_put_string(w, "name", clouds[i].name);
		paleo_json_put_string(w, "device", clouds[i].device);
		paleo_json_put_string(w, "link", clouds[i].link);
		paleo_json_put_double(w, "usd_per_hour", clouds[i].usd_per_hour);
		paleo_json_close(w);
	}
	paleo_json_close(w);
}

/* schema.json defines a net's file. */
static int put_net(void *context, const char *path, struct paleo_error *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char bare[128];

	(void)err;
	snprintf(bare, sizeof(bare), "%.*s", (int)(strrchr(name, '.') - name), name);
	if (strcmp(bare, "schema") != 0)
		paleo_json_put_string(context, NULL, bare);
	return PALEO_OK;
}

/* Listed under the name of its folder. */
static int put_calibration(void *context, const char *path, struct paleo_error *err)
{
	char bare[256];
	size_t end = (size_t)(strrchr(path, '/') - path), start = end;

	(void)err;
	while (start > 0 && path[start - 1] != '/')
		start--;
	snprintf(bare, sizeof(bare), "%.*s", (int)(end - start), path + start);
	paleo_json_put_string(context, NULL, bare);
	return PALEO_OK;
}

int paleo_web_lists(struct paleo_json_writer *w, struct paleo_error *err)
{
	paleo_json_open_array(w, "nets");
	int rc = paleo_find_nets("nets", put_net, w, err);
	paleo_json_close(w);
	paleo_json_open_array(w, "models");
	if (!rc)
		rc = paleo_find_nets("nets/llm", put_net, w, err);
	paleo_json_close(w);
	paleo_json_open_array(w, "calibrations");
	if (!rc)
		rc = paleo_find_calibrations(put_calibration, w, err);
	paleo_json_close(w);
	put_devices(w);
	put_ways(w);
	put_original(w);
	return rc;
}
