/* api.c - libpaleo: devices, nets, predictors, errors, version. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "library/api.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "library/find.h"
#include "library/source.h"
#include "model/net/layers/common.h"
#include "paleo/device.h"
#include "paleo/net.h"
#include "paleo/version.h"

const char *paleo_version(void)
{
	return PALEO_VERSION;
}

int paleo_api_word(const char *what, const char *word, const char *const *list, int *out,
		   struct paleo_error *err)
{
	char words[256] = "";

	for (int i = 0; list[i]; i++) {
		size_t at = strlen(words);
		if (!word || !strcmp(word, list[i])) {
			*out = word ? i : 0;
			return PALEO_OK;
		}
		snprintf(words + at, sizeof(words) - at, "%s%s", i ? ", " : "", list[i]);
	}
	return paleo_fail(err, PALEO_EINPUT, "the %s is '%s', expected one of %s", what, word,
			  words);
}

locale_t paleo_api_enter(void)
{
	locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	return own ? uselocale(own) : (locale_t)0;
}

void paleo_api_leave(const locale_t *callers)
{
	if (*callers)
		freelocale(uselocale(*callers));
}

int paleo_api_null(const char *what, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EINPUT, "the %s is NULL", what);
}

/* The functions of paleo/device.h. */

int paleo_device_count(void)
{
	int count;

	paleo_devices(&count);
	return count;
}

const char *paleo_device_name_at(int i)
{
	int count;
	const struct paleo_device *all = paleo_devices(&count);

	return i >= 0 && i < count ? all[i].name : NULL;
}

int paleo_device_open(const char *name, const char *file, struct paleo_device **out,
		      struct paleo_error *err)
{
	PALEO_API_BEGIN(err);

	if (!name || !out)
		return paleo_api_null(!name ? "name of a device" : "place for a device", err);
	struct paleo_device *d = malloc(sizeof(*d));
	if (!d)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a device");
	int rc = paleo_choose_device(file, name, NULL, d, err);
	if (rc)
		free(d);
	else
		*out = d;
	return rc;
}

void paleo_device_close(struct paleo_device *device)
{
	free(device);
}

const char *paleo_device_name(const struct paleo_device *device)
{
	return device->name;
}

const char *paleo_device_title(const struct paleo_device *device)
{
	return device->title;
}

/* Unknown numbers are 0 within the library. */
static double or_nan(double x)
{
	return x > 0 ? x : (double)NAN;
}

double paleo_device_peak_flop_per_s(const struct paleo_device *device, const char *dtype)
{
	struct paleo_error unread;
	int t;

	if (dtype && !strcmp(dtype, "fp4")) /* weights may be fp4, a net as a whole may not */
		return or_nan(device->fp4_flop_per_s);
	if (dtype && !strcmp(dtype, "int8"))
		return or_nan(device->int8_flop_per_s);
	if (!dtype || paleo_api_word("dtype", dtype, paleo_dtype_names, &t, &unread))
		return NAN;
	return or_nan(device->flop_per_s[t]);
}

double paleo_device_bytes_per_s(const struct paleo_device *device)
{
	return or_nan(device->mem_bytes_per_s);
}

double paleo_device_memory_bytes(const struct paleo_device *device)
{
	return or_nan(device->mem_bytes);
}

/* The functions of paleo/net.h. */

int paleo_net_open(const char *name, int batch, struct paleo_net **out, struct paleo_error *err)
{
	char path[PALEO_PATH_MAX], bare[PALEO_PATH_MAX];
	PALEO_API_BEGIN(err);

	if (!name || !out)
		return paleo_api_null(!name ? "name of a net" : "place for a net", err);
	const char *words = paleo_import_words(name);
	size_t length = words ? (size_t)(words - name) - 1 : strlen(name);
	if (length >= sizeof(bare))
		return paleo_find_net(name, path, err); /* whose message says so */
	snprintf(bare, sizeof(bare), "%.*s", (int)length, name);
	int rc = paleo_find_net(bare, path, err);
	return rc ? rc : paleo_import_net(path, words, batch, out, err);
}

int paleo_net_with_batch(const struct paleo_net *net, int batch, struct paleo_net **out,
			 struct paleo_error *err)
{
	PALEO_API_BEGIN(err);

	if (!net || !out)
		return paleo_api_null(!net ? "net" : "place for a net", err);
	if (batch < 1 || batch > PALEO_DIM_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "a batch of %d is not possible, expected 1 to %d", batch,
				  PALEO_DIM_MAX);
	return paleo_net_at_batch(net, batch, out, err);
}

void paleo_net_close(struct paleo_net *net)
{
	paleo_net_free(net);
}

const char *paleo_net_name(const struct paleo_net *net)
{
	return net->name;
}

const char *paleo_net_title(const struct paleo_net *net)
{
	return net->title;
}

int paleo_net_batch(const struct paleo_net *net)
{
	return net->batch;
}

const char *paleo_net_dtype_name(const struct paleo_net *net)
{
	return paleo_dtype_name(paleo_net_dtype(net));
}

double paleo_net_weight_count(const struct paleo_net *net)
{
	return paleo_net_weights(net);
}

int paleo_net_layer_count(const struct paleo_net *net)
{
	return net->count;
}

const char *paleo_net_layer_name(const struct paleo_net *net, int i)
{
	return i >= 0 && i < net->count ? net->layers[i]->name : NULL;
}

const char *paleo_net_layer_kind(const struct paleo_net *net, int i)
{
	return i >= 0 && i < net->count ? net->layers[i]->kind->type : NULL;
}

/* The functions of paleo/predictor.h. */

/* A fraction of a peak: 0 is not given; the limits are those of the program's options. */
static int check_fraction(const char *what, double x, struct paleo_error *err)
{
	if (x == 0 || (x >= 0.001 && x <= 2))
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT, "%s is %g, expected 0.001 to 2, or 0 for none", what,
			  x);
}

static int read_options(const struct paleo_predictor_options *o, struct paleo_source_wish *w,
			struct paleo_error *err)
{
	int cost_model = 0, dtype = 0;

	PALEO_TRY(paleo_api_word("cost_model", o->cost_model, paleo_cost_model_names, &cost_model,
				 err));
	PALEO_TRY(paleo_api_word("dtype", o->dtype, paleo_dtype_names, &dtype, err));
	PALEO_TRY(check_fraction("ppp_compute", o->ppp_compute, err));
	PALEO_TRY(check_fraction("ppp_memory", o->ppp_memory, err));
	*w = (struct paleo_source_wish){
		.cost_model = (enum paleo_cost_model)cost_model,
		.dtype = (enum paleo_dtype)dtype,
		.device = o->device,
		.devices = o->device_file,
		.calibration = o->calibration,
		.ppp_compute = o->ppp_compute,
		.ppp_memory = o->ppp_memory,
	};
	return PALEO_OK;
}

int paleo_predictor_open(const struct paleo_predictor_options *options,
			 struct paleo_predictor **out, struct paleo_error *err)
{
	struct paleo_source_wish wish;
	PALEO_API_BEGIN(err);

	if (!options || !out)
		return paleo_api_null(!options ? "options" : "place for a predictor", err);
	PALEO_TRY(read_options(options, &wish, err));
	struct paleo_predictor *p = calloc(1, sizeof(*p));
	if (!p)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a predictor");
	p->dtype = wish.dtype;
	int rc = paleo_choose_source(&wish, &p->source, err);
	if (rc)
		free(p);
	else
		*out = p;
	return rc;
}

void paleo_predictor_close(struct paleo_predictor *predictor)
{
	if (predictor)
		paleo_source_release(&predictor->source);
	free(predictor);
}

const char *paleo_predictor_title(const struct paleo_predictor *predictor)
{
	return predictor->source.title;
}

const struct paleo_device *paleo_predictor_device(const struct paleo_predictor *predictor)
{
	return &predictor->source.calibration.device;
}

const char *paleo_predictor_dtype(const struct paleo_predictor *predictor)
{
	return paleo_dtype_name(predictor->dtype);
}
