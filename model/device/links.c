/* links.c - the links that are known, with sources: networks, PCI Express, NVLink. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "model/device/link.h"

/*
 * Standards state rates, not latencies. The latencies here are those that NCCL 2.2x
 * counts for one hop of a ring in its Simple protocol (src/graph/tuning.cc, hwLat):
 * 3.4 us over NVLink, 5.7 us over PCI Express, 14 us over a network. They are a guess
 * for other software: `paleo calibrate-comm` fits both numbers. The original's six
 * networks have no latency, as in its code.
 */
#define HOP_NVLINK 3.4e-6
#define HOP_PCI 5.7e-6
#define HOP_NET 14e-6
#define NCCL "; latency: NCCL's hwLat, ring, Simple"
#define ORIGINAL "the original Paleo's network table; it counts no latency"

// clang-format off
static const struct paleo_link links[] = {
	{ .name = "aws", .title = "AWS", .source = ORIGINAL, .bytes_per_s = 0.25e9 },
	{ .name = "ethernet", .title = "Ethernet", .source = ORIGINAL, .bytes_per_s = 1.25e9 },
	{ .name = "ethernet20", .title = "Ethernet", .source = ORIGINAL, .bytes_per_s = 2.5e9 },
	{ .name = "infiniband", .title = "Infiniband", .source = ORIGINAL, .bytes_per_s = 8.75e9 },
	{ .name = "pcie2", .title = "PCIe 2.0", .source = ORIGINAL, .bytes_per_s = 8e9 },
	{ .name = "pcie3", .title = "PCIe 3.0", .source = ORIGINAL, .bytes_per_s = 16e9 },
	{ .name = "pcie2-x16", .title = "PCI Express 2.0 x16",
	  .source = "PCI Express Base Specification 2.0: 16 lanes of 5 GT/s, 8b/10b" NCCL,
	  .latency_s = HOP_PCI, .bytes_per_s = 16 * 5e9 * 8 / 10 / 8 },
	{ .name = "pcie3-x16", .title = "PCI Express 3.0 x16",
	  .source = "PCI Express Base Specification 3.0: 16 lanes of 8 GT/s, 128b/130b" NCCL,
	  .latency_s = HOP_PCI, .bytes_per_s = 16 * 8e9 * 128 / 130 / 8 },
	{ .name = "pcie4-x16", .title = "PCI Express 4.0 x16",
	  .source = "PCI Express Base Specification 4.0: 16 lanes of 16 GT/s, 128b/130b" NCCL,
	  .latency_s = HOP_PCI, .bytes_per_s = 16 * 16e9 * 128 / 130 / 8 },
	{ .name = "pcie5-x16", .title = "PCI Express 5.0 x16",
	  .source = "PCI Express Base Specification 5.0: 16 lanes of 32 GT/s, 128b/130b" NCCL,
	  .latency_s = HOP_PCI, .bytes_per_s = 16 * 32e9 * 128 / 130 / 8 },
	{ .name = "nvlink2", .title = "NVLink 2, 6 links (V100)",
	  .source = "NVIDIA Tesla V100 whitepaper: 6 links of 25 GB/s each way" NCCL,
	  .latency_s = HOP_NVLINK, .bytes_per_s = 6 * 25e9 },
	{ .name = "nvlink3", .title = "NVLink 3, 12 links (A100)",
	  .source = "NVIDIA A100 whitepaper: 12 links of 25 GB/s each way" NCCL,
	  .latency_s = HOP_NVLINK, .bytes_per_s = 12 * 25e9 },
	{ .name = "nvlink3-8", .title = "NVLink 3, 8 links (A800)",
	  .source = "NVIDIA A800 datasheet: 8 links of 25 GB/s each way" NCCL,
	  .latency_s = HOP_NVLINK, .bytes_per_s = 8 * 25e9 },
	{ .name = "nvlink4", .title = "NVLink 4, 18 links (H100)",
	  .source = "NVIDIA H100 whitepaper: 18 links of 25 GB/s each way" NCCL,
	  .latency_s = HOP_NVLINK, .bytes_per_s = 18 * 25e9 },
	{ .name = "nvlink4-8", .title = "NVLink 4, 8 links (H800)",
	  .source = "NVIDIA H800 datasheet: 8 links of 25 GB/s each way" NCCL,
	  .latency_s = HOP_NVLINK, .bytes_per_s = 8 * 25e9 },
	{ .name = "nvlink5", .title = "NVLink 5, 18 links (B200)",
	  .source = "NVIDIA Blackwell architecture brief: 18 links of 50 GB/s each way" NCCL,
	  .latency_s = HOP_NVLINK, .bytes_per_s = 18 * 50e9 },
	{ .name = "xgmi3", .title = "Infinity Fabric, 7 links (MI300X)",
	  .source = "AMD CDNA 3 whitepaper: 7 links of 64 GB/s each way; taken as NVLink" NCCL,
	  .latency_s = HOP_NVLINK, .bytes_per_s = 7 * 64e9 },
	{ .name = "ethernet-10g", .title = "10 Gbit/s Ethernet",
	  .source = "IEEE 802.3ae: 10 Gbit/s at the MAC" NCCL,
	  .latency_s = HOP_NET, .bytes_per_s = 10e9 / 8 },
	{ .name = "ethernet-25g", .title = "25 Gbit/s Ethernet",
	  .source = "IEEE 802.3by: 25 Gbit/s at the MAC" NCCL,
	  .latency_s = HOP_NET, .bytes_per_s = 25e9 / 8 },
	{ .name = "ethernet-100g", .title = "100 Gbit/s Ethernet",
	  .source = "IEEE 802.3ba: 100 Gbit/s at the MAC" NCCL,
	  .latency_s = HOP_NET, .bytes_per_s = 100e9 / 8 },
	{ .name = "ethernet-200g", .title = "200 Gbit/s Ethernet",
	  .source = "IEEE 802.3bs: 200 Gbit/s at the MAC" NCCL,
	  .latency_s = HOP_NET, .bytes_per_s = 200e9 / 8 },
	{ .name = "ethernet-400g", .title = "400 Gbit/s Ethernet",
	  .source = "IEEE 802.3bs: 400 Gbit/s at the MAC" NCCL,
	  .latency_s = HOP_NET, .bytes_per_s = 400e9 / 8 },
	{ .name = "infiniband-edr", .title = "InfiniBand EDR 4x",
	  .source = "InfiniBand Trade Association roadmap: 100 Gbit/s of data" NCCL,
	  .latency_s = HOP_NET, .bytes_per_s = 100e9 / 8 },
	{ .name = "infiniband-hdr", .title = "InfiniBand HDR 4x",
	  .source = "InfiniBand Trade Association roadmap: 200 Gbit/s of data" NCCL,
	  .latency_s = HOP_NET, .bytes_per_s = 200e9 / 8 },
	{ .name = "infiniband-ndr", .title = "InfiniBand NDR 4x",
	  .source = "InfiniBand Trade Association roadmap: 400 Gbit/s of data" NCCL,
	  .latency_s = HOP_NET, .bytes_per_s = 400e9 / 8 },
};
// clang-format on

enum {
	LINKS = sizeof(links) / sizeof(links[0])
};

const struct paleo_link *paleo_links(int *count)
{
	*count = LINKS;
	return links;
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
	return paleo_link_among(links, LINKS, name);
}

static int unknown(const char *name, struct paleo_error *err)
{
	const char *names[LINKS + 1] = {0};
	char all[512] = "";
	size_t at = 0;

	for (int i = 0; i < LINKS; i++) {
		names[i] = links[i].name;
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s", i ? ", " : "",
				       links[i].name);
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

static const struct {
	const char *device, *link;
	int gpus; /* of a usual host, or of a rack that switches join */
} within[] = {
	{"v100-sxm2", "nvlink2", 8},
	{"v100-sxm2-32", "nvlink2", 8},
	{"a100-40-sxm", "nvlink3", 8},
	{"a100-80-sxm", "nvlink3", 8},
	{"h100-sxm", "nvlink4", 8},
	{"h200", "nvlink4", 8},
	{"b200", "nvlink5", 8},
	{"gb200", "nvlink5", 72},
	{"b300", "nvlink5", 8},
	{"gb300", "nvlink5", 72},
	{"h20", "nvlink4", 8},
	{"h800-sxm", "nvlink4-8", 8},
	{"a800-80-sxm", "nvlink3-8", 8},
	{"mi300x", "xgmi3", 8},
	{"mi325x", "xgmi3", 8},
	{"t4", "pcie3-x16", 8},
	{"a100-40-pcie", "pcie4-x16", 8},
	{"a100-80-pcie", "pcie4-x16", 8},
	{"a10", "pcie4-x16", 8},
	{"a10g", "pcie4-x16", 8},
	{"a40", "pcie4-x16", 8},
	{"l4", "pcie4-x16", 8},
	{"l40", "pcie4-x16", 8},
	{"l40s", "pcie4-x16", 8},
	{"h100-pcie", "pcie5-x16", 8},
	{"h100-nvl", "pcie5-x16", 8},
	{"h200-nvl", "pcie5-x16", 8},
	{"rtx-pro-6000-server", "pcie5-x16", 8},
	{"rtx-pro-6000", "pcie5-x16", 4},
	{"rtx-5090", "pcie5-x16", 4},
	{"rtx-5080", "pcie5-x16", 4},
	{"rtx-5070-ti", "pcie5-x16", 4},
	{"rtx-5070", "pcie5-x16", 4},
	{"v100-pcie", "pcie3-x16", 8},
	{"v100-pcie-32", "pcie3-x16", 8},
	{"a30", "pcie4-x16", 8},
	{"l20", "pcie4-x16", 8},
	{"rtx-6000-ada", "pcie4-x16", 4},
	{"rtx-4090", "pcie4-x16", 4},
	{"rtx-4080-super", "pcie4-x16", 4},
	{"rtx-4080", "pcie4-x16", 4},
	{"rtx-4070-ti", "pcie4-x16", 4},
	{"rtx-4070", "pcie4-x16", 4},
	{"rtx-3090-ti", "pcie4-x16", 4},
	{"rtx-3090", "pcie4-x16", 4},
	{"rtx-3080-ti", "pcie4-x16", 4},
	{"rtx-3080", "pcie4-x16", 4},
	{"rtx-3070", "pcie4-x16", 4},
	{"rtx-3060", "pcie4-x16", 4},
	{"rtx-a6000", "pcie4-x16", 4},
	{"rtx-a5000", "pcie4-x16", 4},
	{"rtx-a4000", "pcie4-x16", 4},
};

const struct paleo_link *paleo_link_within(const char *device, int *gpus)
{
	for (size_t i = 0; i < sizeof(within) / sizeof(within[0]); i++) {
		if (!strcmp(within[i].device, device)) {
			*gpus = within[i].gpus;
			return paleo_link_find(within[i].link);
		}
	}
	return NULL;
}
