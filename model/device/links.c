/* links.c - the links that are known, with sources, and a user's own or fitted ones as JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "model/device/link.h"

/*
 * Standards give bandwidths, not latencies. The latencies here are those that NCCL 2.2x assumes for
 * one hop of a ring in its Simple protocol (src/graph/tuning.cc, hwLat): 3.4 us over NVLink, 5.7 us
 * over PCI Express, 14 us over a network. They are a guess for other software: `paleo
 * calibrate --link` fits both numbers. The original's six networks have no latency, as in its code.
 */
#define HOP_NVLINK 3.4e-6
#define HOP_PCI 5.7e-6
#define HOP_NET 14e-6
#define NCCL "; latency: NCCL's hwLat, ring, Simple"
#define MEASURED "; collectives: aiconfigurator's nccl tables"
#define ORIGINAL "the original Paleo's network table; it counts no latency"

/* NOLINTBEGIN(bugprone-macro-parentheses): strings in parentheses initialise no array */
#define FIELDS(called, in_full, latency, rate, from)                                               \
	.name = called, .title = in_full, .source = from, .latency_s = (latency),                  \
	.bytes_per_s = (rate)
/* NOLINTEND(bugprone-macro-parentheses) */
#define LINK(...)                                                                                  \
	{                                                                                          \
		FIELDS(__VA_ARGS__)                                                                \
	}
/* The last four are of results/studies/nccl.csv. */
#define NVLINK(called, in_full, rate, from, ...)                                                   \
	{                                                                                          \
		FIELDS(called, in_full, HOP_NVLINK, rate, from NCCL MEASURED), .collective = {     \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
// clang-format off
static const struct paleo_link known[] = {
	LINK("aws", "AWS", 0, 0.25e9, ORIGINAL),
	LINK("ethernet", "Ethernet", 0, 1.25e9, ORIGINAL),
	LINK("ethernet20", "Ethernet", 0, 2.5e9, ORIGINAL),
	LINK("infiniband", "Infiniband", 0, 8.75e9, ORIGINAL),
	LINK("pcie2", "PCIe 2.0", 0, 8e9, ORIGINAL),
	LINK("pcie3", "PCIe 3.0", 0, 16e9, ORIGINAL),
	LINK("pcie2-x16", "PCI Express 2.0 x16", HOP_PCI, 16 * 5e9 * 8 / 10 / 8,
	     "PCI Express Base Specification 2.0: 16 lanes of 5 GT/s, 8b/10b" NCCL),
	LINK("pcie3-x16", "PCI Express 3.0 x16", HOP_PCI, 16 * 8e9 * 128 / 130 / 8,
	     "PCI Express Base Specification 3.0: 16 lanes of 8 GT/s, 128b/130b" NCCL),
	LINK("pcie4-x16", "PCI Express 4.0 x16", HOP_PCI, 16 * 16e9 * 128 / 130 / 8,
	     "PCI Express Base Specification 4.0: 16 lanes of 16 GT/s, 128b/130b" NCCL),
	LINK("pcie5-x16", "PCI Express 5.0 x16", HOP_PCI, 16 * 32e9 * 128 / 130 / 8,
	     "PCI Express Base Specification 5.0: 16 lanes of 32 GT/s, 128b/130b" NCCL),
	LINK("nvlink2", "NVLink 2, 6 links (V100)", HOP_NVLINK, 6 * 25e9,
	     "NVIDIA Tesla V100 whitepaper: 6 links of 25 GB/s each way" NCCL),
	NVLINK("nvlink3", "NVLink 3, 12 links (A100)", 12 * 25e9,
	       "NVIDIA A100 whitepaper: 12 links of 25 GB/s each way", 0.558, 8.89e-6, 0.789e-6, 0.873),
	LINK("nvlink3-8", "NVLink 3, 8 links (A800)", HOP_NVLINK, 8 * 25e9,
	     "NVIDIA A800 datasheet: 8 links of 25 GB/s each way" NCCL),
	NVLINK("nvlink4", "NVLink 4, 18 links (H100)", 18 * 25e9,
	       "NVIDIA H100 whitepaper: 18 links of 25 GB/s each way", 0.633, 4.87e-6, 0.760e-6, 0.869),
	LINK("nvlink4-8", "NVLink 4, 8 links (H800)", HOP_NVLINK, 8 * 25e9,
	     "NVIDIA H800 datasheet: 8 links of 25 GB/s each way" NCCL),
	NVLINK("nvlink5", "NVLink 5, 18 links (B200)", 18 * 50e9,
	       "NVIDIA Blackwell architecture brief: 18 links of 50 GB/s each way", 0.647, 8.18e-6, 1.20e-6, 0.727),
	LINK("xgmi3", "Infinity Fabric, 7 links (MI300X)", HOP_NVLINK, 7 * 64e9,
	     "AMD CDNA 3 whitepaper: 7 links of 64 GB/s each way; taken as NVLink" NCCL),
	LINK("ethernet-10g", "10 Gbit/s Ethernet", HOP_NET, 10e9 / 8,
	     "IEEE 802.3ae: 10 Gbit/s at the MAC" NCCL),
	LINK("ethernet-25g", "25 Gbit/s Ethernet", HOP_NET, 25e9 / 8,
	     "IEEE 802.3by: 25 Gbit/s at the MAC" NCCL),
	LINK("ethernet-100g", "100 Gbit/s Ethernet", HOP_NET, 100e9 / 8,
	     "IEEE 802.3ba: 100 Gbit/s at the MAC" NCCL),
	LINK("ethernet-200g", "200 Gbit/s Ethernet", HOP_NET, 200e9 / 8,
	     "IEEE 802.3bs: 200 Gbit/s at the MAC" NCCL),
	LINK("ethernet-400g", "400 Gbit/s Ethernet", HOP_NET, 400e9 / 8,
	     "IEEE 802.3bs: 400 Gbit/s at the MAC" NCCL),
	LINK("infiniband-edr", "InfiniBand EDR 4x", HOP_NET, 100e9 / 8,
	     "InfiniBand Trade Association roadmap: 100 Gbit/s of data" NCCL),
	LINK("infiniband-hdr", "InfiniBand HDR 4x", HOP_NET, 200e9 / 8,
	     "InfiniBand Trade Association roadmap: 200 Gbit/s of data" NCCL),
	LINK("infiniband-ndr", "InfiniBand NDR 4x", HOP_NET, 400e9 / 8,
	     "InfiniBand Trade Association roadmap: 400 Gbit/s of data" NCCL),
};
// clang-format on

enum {
	LINKS = sizeof(known) / sizeof(known[0])
};

const struct paleo_link *paleo_links(int *count)
{
	*count = LINKS;
	return known;
}

/* The next letter or digit, in lower case; 0 at the end. */
static int next_letter(const char **p)
{
	while (**p && !isalnum((unsigned char)**p))
		(*p)++;
	return **p ? tolower((unsigned char)*(*p)++) : 0;
}

/* Names without a letter or digit are the same as none. */
static int same_name(const char *a, const char *b)
{
	int letters = 0;

	for (;; letters++) {
		int x = next_letter(&a), y = next_letter(&b);
		if (x != y)
			return 0;
		if (!x)
			return letters > 0;
	}
}

const struct paleo_link *paleo_link_among(const struct paleo_link *list, int count,
					  const char *name)
{
	for (int i = 0; i < count; i++)
		if (same_name(list[i].name, name))
			return &list[i];
	return NULL;
}

const struct paleo_link *paleo_link_find(const char *name)
{
	return paleo_link_among(known, LINKS, name);
}

static int unknown(const char *name, struct paleo_error *err)
{
	const char *names[LINKS + 1] = {0};
	char all[512] = "";
	size_t at = 0;

	for (int i = 0; i < LINKS; i++) {
		names[i] = known[i].name;
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s", i ? ", " : "",
				       known[i].name);
		assert(at < sizeof(all));
	}
	const char *near = paleo_nearest(name, names);
	if (near)
		return paleo_fail(err, PALEO_EINPUT, "unknown link '%s' (did you mean '%s'?)", name,
				  near);
	return paleo_fail(err, PALEO_EINPUT,
			  "unknown link '%s', expected one of a file of your own, or of %s", name,
			  all);
}

void paleo_link_bundle(struct paleo_link *l, int count)
{
	l->bytes_per_s *= count;
	for (int i = 0; i < l->range_count; i++)
		l->ranges[i].bytes_per_s *= count;
}

int paleo_link_choose(const struct paleo_link *mine, int count, const char *name,
		      struct paleo_link *out, struct paleo_error *err)
{
	const struct paleo_link *l = paleo_link_among(mine, count, name);

	if (!l)
		l = paleo_link_find(name);
	if (!l)
		return unknown(name, err);
	*out = *l;
	return PALEO_OK;
}

/* Nodes as NVIDIA's and AMD's reference platforms join them (DGX, HGX, GB200 NVL72, MI300X: a
 * network adapter for each GPU or two); with PCI Express, and on desks, as is common. */
static const struct {
	const char *within, *between;
	int gpus, links;
	const char *devices;
} nodes[] = {
	{"nvlink2", "infiniband-edr", 8, 4, "v100-sxm2 v100-sxm2-32"},
	{"nvlink3", "infiniband-hdr", 8, 8, "a100-40-sxm a100-80-sxm"},
	{"nvlink4", "infiniband-ndr", 8, 8, "h100-sxm h200 h20"},
	{"nvlink5", "infiniband-ndr", 8, 8, "b200 b300"},
	{"nvlink5", "infiniband-ndr", 72, 72, "gb200 gb300"},
	{"nvlink4-8", "infiniband-ndr", 8, 8, "h800-sxm"},
	{"nvlink3-8", "infiniband-hdr", 8, 8, "a800-80-sxm"},
	{"xgmi3", "ethernet-400g", 8, 8, "mi300x mi325x"},
	{"pcie3-x16", "ethernet-100g", 8, 1, "t4 v100-pcie v100-pcie-32"},
	{"pcie4-x16", "ethernet-100g", 8, 1,
	 "a100-40-pcie a100-80-pcie a10 a10g a40 l4 l40 l40s a30 l20"},
	{"pcie5-x16", "ethernet-100g", 8, 1, "h100-pcie h100-nvl h200-nvl rtx-pro-6000-server"},
	{"pcie5-x16", "ethernet-10g", 4, 1, "rtx-pro-6000 rtx-5090 rtx-5080 rtx-5070-ti rtx-5070"},
	{"pcie4-x16", "ethernet-10g", 4, 1,
	 "rtx-6000-ada rtx-4090 rtx-4080-super rtx-4080 rtx-4070-ti rtx-4070 rtx-3090-ti"
	 " rtx-3090 rtx-3080-ti rtx-3080 rtx-3070 rtx-3060 rtx-a6000 rtx-a5000 rtx-a4000"},
};

static int is_word_of(const char *words, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = words; length && (at = strstr(at, word)) != NULL; at += length)
		if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return 1;
	return 0;
}

int paleo_node_usual(const char *device, struct paleo_node *out)
{
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		if (is_word_of(nodes[i].devices, device)) {
			*out = (struct paleo_node){.within = paleo_link_find(nodes[i].within),
						   .between = paleo_link_find(nodes[i].between),
						   .gpus = nodes[i].gpus,
						   .links = nodes[i].links};
			return 1;
		}
	}
	return 0;
}

/* Reads and writes links as JSON: a user's own, or fitted ones. */

#define RATE_LOW 1.0
#define RATE_HIGH 1e18
#define LATENCY_HIGH 3600.0

// clang-format off
#define TEXT(field, optional_) {#field, PALEO_FIELD_TEXT, offsetof(struct paleo_link, field), \
	.size = sizeof(((struct paleo_link *)0)->field), .optional = (optional_)}
#define NUMBER(of, field, from, to, ...) \
	{#field, PALEO_FIELD_NUMBER, offsetof(struct of, field), .low = (from), .high = (to), __VA_ARGS__}
static const struct paleo_json_field link_fields[] = {
	TEXT(name, 0),
	TEXT(title, 1),
	TEXT(source, 1),
	NUMBER(paleo_link, latency_s, 0, LATENCY_HIGH, .optional = 1),
	NUMBER(paleo_link, bytes_per_s, RATE_LOW, RATE_HIGH, .optional = 0),
	{0},
};

static const struct paleo_json_field range_fields[] = {
	NUMBER(paleo_link_range, to_bytes, 0, RATE_HIGH, .nullable = 1),
	NUMBER(paleo_link_range, latency_s, 0, LATENCY_HIGH, .optional = 0),
	NUMBER(paleo_link_range, bytes_per_s, RATE_LOW, RATE_HIGH, .optional = 0),
	NUMBER(paleo_link_range, se_latency_s, 0, RATE_HIGH, .optional = 1, .nullable = 1),
	NUMBER(paleo_link_range, se_bytes_per_s, 0, RATE_HIGH, .optional = 1, .nullable = 1),
	{0},
};
// clang-format on

static int read_range(const struct paleo_json *v, const struct paleo_link_range *before, int last,
		      struct paleo_link_range *r, struct paleo_error *err)
{
	if (paleo_json_type(v) != PALEO_JSON_OBJECT)
		return paleo_json_fail(v, err, "expected an object that describes a range");
	*r = (struct paleo_link_range){.se_latency_s = NAN, .se_bytes_per_s = NAN};
	PALEO_TRY(paleo_json_fields_read(v, range_fields, NULL, r, err));
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

		PALEO_TRY(read_range(v, i ? &l->ranges[i - 1] : NULL, i == size - 1, &l->ranges[i],
				     err));
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
			rc = paleo_json_fail(v, err, "duplicate link '%s'", links[n].name);
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
