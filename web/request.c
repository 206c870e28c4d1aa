/* request.c - reads the page's request: net, device, workers and cost model. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "model/device/link.h"
#include "model/net/layers/common.h"
#include "web/job.h"

#define AT(field) offsetof(struct paleo_web_request, field)
#define TEXT(field)                                                                                \
	{                                                                                          \
		.name = #field, .type = PALEO_FIELD_TEXT, .offset = AT(field),                     \
		.size = sizeof(((struct paleo_web_request *)NULL)->field), .optional = 1           \
	}
#define NUMBER(field, from, to)                                                                    \
	{                                                                                          \
		.name = #field, .type = PALEO_FIELD_NUMBER, .offset = AT(field), .low = (from),    \
		.high = (to), .optional = 1                                                        \
	}
#define WHOLE(field, from, to)                                                                     \
	{                                                                                          \
		.name = #field, .type = PALEO_FIELD_INT, .offset = AT(field), .low = (from),       \
		.high = (to), .optional = 1                                                        \
	}

static const struct paleo_json_field fields[] = {
	TEXT(ask),
	TEXT(net),
	TEXT(device),
	TEXT(cost_model),
	TEXT(dtype),
	TEXT(passes),
	TEXT(layout),
	WHOLE(batch, 0, PALEO_DIM_MAX),
	WHOLE(fuse, 0, 1),
	NUMBER(ppp_compute, 0, 2),
	NUMBER(ppp_memory, 0, 2),
	NUMBER(ppp_comm, 0, 2),
	TEXT(algorithm),
	TEXT(link),
	TEXT(strategy),
	TEXT(optimizer),
	TEXT(scaling),
	WHOLE(overlap, 0, 1),
	NUMBER(epoch_size, 0, 1e15),
	NUMBER(epochs, 0, 1e9),
	NUMBER(usd_per_hour, 0, 1e9),
	WHOLE(whole_hours, 0, 1),
	{0},
};

/* The array of a key, which may be missing. */
static int find_list(const struct paleo_json *root, const char *key, const struct paleo_json **out,
		     struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(root, key);

	*out = v ? paleo_json_first(v) : NULL;
	if (v &&
	    (paleo_json_type(v) != PALEO_JSON_ARRAY || paleo_json_size(v) > PALEO_WEB_LIST_MAX))
		return paleo_json_fail(v, err, "expected an array of at most %d",
				       PALEO_WEB_LIST_MAX);
	return PALEO_OK;
}

static int read_workers(const struct paleo_json *root, struct paleo_web_request *r,
			struct paleo_error *err)
{
	const struct paleo_json *v;
	int rc = find_list(root, "workers", &v, err);

	for (; !rc && v; v = paleo_json_next(v))
		rc = paleo_json_to_int(v, 1, PALEO_WORKERS_MAX, &r->workers[r->worker_count++],
				       err);
	for (int n = 1; !rc && !paleo_json_get(root, "workers") && n <= 128; n *= 2)
		r->workers[r->worker_count++] = n;
	return rc;
}

static int read_schemes(const struct paleo_json *root, struct paleo_web_request *r,
			struct paleo_error *err)
{
	const struct paleo_json *v;
	const char *word = NULL;

	PALEO_TRY(find_list(root, "schemes", &v, err));
	for (; v; v = paleo_json_next(v)) {
		PALEO_TRY(paleo_json_to_string(v, &word, err));
		snprintf(r->schemes[r->scheme_count++], sizeof(r->schemes[0]), "%s", word);
	}
	return PALEO_OK;
}

static int check_scaling(const struct paleo_json *root, const struct paleo_web_request *r,
			 struct paleo_error *err)
{
	if (!r->scaling[0] || !strcmp(r->scaling, "weak") || !strcmp(r->scaling, "strong"))
		return PALEO_OK;
	return paleo_json_fail(paleo_json_get(root, "scaling"), err, "expected weak or strong");
}

static int read_root(const struct paleo_json *root, struct paleo_web_request *r,
		     struct paleo_error *err)
{
	static const char *const others[] = {"workers", "schemes", NULL};

	PALEO_TRY(paleo_json_fields_read(root, fields, others, r, err));
	PALEO_TRY(check_scaling(root, r, err));
	PALEO_TRY(read_workers(root, r, err));
	return read_schemes(root, r, err);
}

int paleo_web_request_read(const char *text, struct paleo_web_request *out, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	int rc = paleo_json_parse("request", 1, text, strlen(text), &doc, err);

	*out = (struct paleo_web_request){.batch = 0};
	if (!rc)
		rc = read_root(paleo_json_root(doc), out, err);
	paleo_json_free(doc);
	return rc;
}
