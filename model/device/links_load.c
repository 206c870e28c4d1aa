/* links_load.c - reads and writes links as JSON: a user's own, or fitted ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_fields.h"
#include "model/device/link.h"

#define RATE_LOW 1.0
#define RATE_HIGH 1e18
#define LATENCY_HIGH 3600.0

#define LINK(field) offsetof(struct paleo_link, field)
static const struct paleo_json_field link_fields[] = {
	{.name = "name", .type = PALEO_FIELD_TEXT, .offset = LINK(name), .size = 32},
	{.name = "title",
	 .type = PALEO_FIELD_TEXT,
	 .offset = LINK(title),
	 .size = 64,
	 .optional = 1},
	{.name = "source",
	 .type = PALEO_FIELD_TEXT,
	 .offset = LINK(source),
	 .size = 256,
	 .optional = 1},
	{.name = "latency_s",
	 .type = PALEO_FIELD_NUMBER,
	 .offset = LINK(latency_s),
	 .high = LATENCY_HIGH,
	 .optional = 1},
	{.name = "bytes_per_s",
	 .type = PALEO_FIELD_NUMBER,
	 .offset = LINK(bytes_per_s),
	 .low = RATE_LOW,
	 .high = RATE_HIGH},
	{0},
};

#define RANGE(field) offsetof(struct paleo_link_range, field)
static const struct paleo_json_field range_fields[] = {
	{.name = "to_bytes",
	 .type = PALEO_FIELD_NUMBER,
	 .offset = RANGE(to_bytes),
	 .high = RATE_HIGH,
	 .nullable = 1},
	{.name = "latency_s",
	 .type = PALEO_FIELD_NUMBER,
	 .offset = RANGE(latency_s),
	 .high = LATENCY_HIGH},
	{.name = "bytes_per_s",
	 .type = PALEO_FIELD_NUMBER,
	 .offset = RANGE(bytes_per_s),
	 .low = RATE_LOW,
	 .high = RATE_HIGH},
	{.name = "se_latency_s",
	 .type = PALEO_FIELD_NUMBER,
	 .offset = RANGE(se_latency_s),
	 .high = RATE_HIGH,
	 .optional = 1,
	 .nullable = 1},
	{.name = "se_bytes_per_s",
	 .type = PALEO_FIELD_NUMBER,
	 .offset = RANGE(se_bytes_per_s),
	 .high = RATE_HIGH,
	 .optional = 1,
	 .nullable = 1},
	{0},
};

static int read_range(const struct paleo_json *v, const struct paleo_link_range *before, int last,
		      struct paleo_link_range *r, struct paleo_error *err)
{
	if (paleo_json_type(v) != PALEO_JSON_OBJECT)
		return paleo_json_fail(v, err, "expected an object that describes a range");
	*r = (struct paleo_link_range){.se_latency_s = NAN, .se_bytes_per_s = NAN};
	int rc = paleo_json_fields_read(v, range_fields, NULL, r, err);
	if (rc)
		return rc;
	if (last != isnan(r->to_bytes))
		return paleo_json_fail(v, err,
				       "'to_bytes' is null in the last range and there only");
	if (last)
		r->to_bytes = INFINITY;
	if (before && !(r->to_bytes > before->to_bytes))
		return paleo_json_fail(v, err, "'to_bytes' must grow from range to range");
	return PALEO_OK;
}

static int read_ranges(const struct paleo_json *list, struct paleo_link *l, struct paleo_error *err)
{
	int size = paleo_json_size(list);

	if (paleo_json_type(list) != PALEO_JSON_ARRAY || size == 0 || size > PALEO_LINK_RANGES_MAX)
		return paleo_json_fail(list, err, "expected an array of 1 to %d ranges",
				       PALEO_LINK_RANGES_MAX);
	for (const struct paleo_json *v = paleo_json_first(list); v; v = paleo_json_next(v)) {
		int i = l->range_count;
		int rc = read_range(v, i ? &l->ranges[i - 1] : NULL, i == size - 1, &l->ranges[i],
				    err);
		if (rc)
			return rc;
		l->range_count++;
	}
	return PALEO_OK;
}

static int read_link(const struct paleo_json *v, struct paleo_link *l, struct paleo_error *err)
{
	static const char *const others[] = {"ranges", NULL};

	if (paleo_json_type(v) != PALEO_JSON_OBJECT)
		return paleo_json_fail(v, err, "expected an object that describes a link");
	int rc = paleo_json_fields_read(v, link_fields, others, l, err);
	if (!rc && !paleo_link_among(l, 1, l->name))
		rc = paleo_json_fail(v, err, "'name' needs a letter or a digit");
	const struct paleo_json *ranges = paleo_json_get(v, "ranges");
	if (!rc && ranges)
		rc = read_ranges(ranges, l, err);
	if (!rc && !l->title[0])
		memcpy(l->title, l->name, sizeof(l->name));
	return rc;
}

static int read_root(const struct paleo_json *root, struct paleo_link **out, int *count,
		     struct paleo_error *err)
{
	static const char *const keys[] = {"links", NULL};
	const struct paleo_json *list = NULL;
	int n = 0;

	if (paleo_json_type(root) != PALEO_JSON_OBJECT)
		return paleo_json_fail(root, err, "expected an object with the key 'links'");
	int rc = paleo_json_only(root, keys, err);
	if (!rc)
		rc = paleo_json_need(root, "links", &list, err);
	if (rc)
		return rc;
	int size = paleo_json_size(list);
	if (paleo_json_type(list) != PALEO_JSON_ARRAY || size == 0)
		return paleo_json_fail(list, err, "expected an array of at least one link");
	struct paleo_link *links = calloc((size_t)size, sizeof(*links));
	if (!links)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d links", size);
	for (const struct paleo_json *v = paleo_json_first(list); !rc && v;
	     v = paleo_json_next(v)) {
		rc = read_link(v, &links[n], err);
		if (!rc && paleo_link_among(links, n, links[n].name))
			rc = paleo_json_fail(v, err, "link '%s' stands twice", links[n].name);
		n++;
	}
	if (rc) {
		free(links);
		return rc;
	}
	*out = links;
	*count = size;
	return PALEO_OK;
}

int paleo_links_load(const char *path, struct paleo_link **out, int *count, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	int rc = paleo_json_load(path, &doc, err);

	if (!rc)
		rc = read_root(paleo_json_root(doc), out, count, err);
	paleo_json_free(doc);
	return rc;
}

int paleo_links_text(const struct paleo_link *links, int count, char **out, struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_json_writer_new();

	if (!w)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_json_open_object(w, NULL);
	paleo_json_open_array(w, "links");
	for (int i = 0; i < count; i++) {
		paleo_json_open_object(w, NULL);
		paleo_json_fields_write(w, link_fields, &links[i]);
		if (links[i].range_count)
			paleo_json_open_array(w, "ranges");
		for (int k = 0; k < links[i].range_count; k++) {
			paleo_json_open_object(w, NULL);
			paleo_json_fields_write(w, range_fields, &links[i].ranges[k]);
			paleo_json_close(w);
		}
		if (links[i].range_count)
			paleo_json_close(w);
		paleo_json_close(w);
	}
	paleo_json_close(w);
	paleo_json_close(w);
	int rc = paleo_json_writer_text(w, 1, out, err);
	paleo_json_writer_free(w);
	return rc;
}
