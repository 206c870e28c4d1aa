/* cases_published.c - the tables of the published cases. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "tools/simulate/cases.h"

// clang-format off
#define POWERS_TO_8 {1, 2, 4, 8}
#define POWERS_TO_64 {1, 2, 4, 8, 16, 32, 64}
#define POWERS_TO_128 {1, 2, 4, 8, 16, 32, 64, 128}
#define TREE {"tree"}
#define PAPER_SCHEMES {"one-to-all", "tree", "butterfly"} /* those that the paper compares */

/* Devices, networks, batches and fractions of peak are those of the original's scripts. */
static const struct published_curve curves[] = {
	{.of = "firecaffe", .net = "nin", .device = "K20X", .network = "infiniband",
	 .ppp_comp = 0.21, .ppp_comm = 0.56, .parallel = "data", .strong = 1, .batch = 256,
	 .schemes = TREE, .workers = POWERS_TO_128},
	{.of = "firecaffe", .net = "nin", .device = "K20X", .network = "infiniband",
	 .ppp_comp = 0.21, .ppp_comm = 0.56, .parallel = "data", .strong = 1, .batch = 1024,
	 .schemes = TREE, .workers = POWERS_TO_128},
	{.of = "inception", .net = "inception_v3", .device = "K40", .network = "ethernet",
	 .ppp_comp = 0.62, .ppp_comm = 0.72, .parallel = "data", .batch = 256,
	 .schemes = TREE, .workers = {1, 2, 4, 8, 16, 50, 100}},
	{.of = "one-weird-trick", .device = "K20", .network = "pcie2",
	 .ppp_comp = 0.46, .ppp_comm = 0.75, .parallel = "hybrid", .batch = 128,
	 .schemes = TREE, .workers = POWERS_TO_8,
	 .nets = {"alex_v2_1gpu", "alex_v2_2gpu", "alex_v2_4gpu", "alex_v2_8gpu"}},
	{.of = "one-weird-trick", .net = "alex_v2_1gpu", .device = "K20", .network = "pcie2",
	 .ppp_comp = 0.46, .ppp_comm = 0.75, .parallel = "data", .batch = 128,
	 .schemes = TREE, .workers = POWERS_TO_8},
	{.of = "cloud", .net = "alex_v2", .device = "K80", .network = "ethernet20",
	 .ppp_comp = 0.62, .ppp_comm = 1, .parallel = "data", .strong = 1, .batch = 2048,
	 .schemes = PAPER_SCHEMES, .workers = POWERS_TO_128},
	{.of = "cloud", .net = "alex_v2", .device = "K80", .network = "ethernet20",
	 .ppp_comp = 0.62, .ppp_comm = 1, .parallel = "data", .batch = 2048,
	 .schemes = PAPER_SCHEMES, .workers = POWERS_TO_128},
	{.of = "cloud", .net = "alex_v2", .device = "K80", .network = "ethernet20",
	 .ppp_comp = 0.62, .ppp_comm = 1, .parallel = "data", .strong = 1, .batch = 256,
	 .schemes = PAPER_SCHEMES, .workers = POWERS_TO_128},
	{.of = "cloud", .net = "alex_v2", .device = "K80", .network = "ethernet20",
	 .ppp_comp = 0.62, .ppp_comm = 1, .parallel = "data", .batch = 256,
	 .schemes = PAPER_SCHEMES, .workers = POWERS_TO_128},
	{.of = "mxnet", .net = "inception_v3", .device = "K80", .network = "ethernet20",
	 .ppp_comp = 0.49, .ppp_comm = 0.72, .parallel = "data", .batch = 32,
	 .schemes = TREE, .workers = POWERS_TO_128},
	{.of = "mxnet", .net = "alex_v2", .device = "K80", .network = "ethernet20",
	 .ppp_comp = 0.49, .ppp_comm = 0.72, .parallel = "data", .batch = 512,
	 .schemes = TREE, .workers = POWERS_TO_128},
	/* No script of the original's is known: its API's defaults, and the batch of Radford et al. */
	{.of = "dcgan", .net = "dcgan_generator", .device = "K80", .network = "ethernet20",
	 .ppp_comp = 0.62, .ppp_comm = 0.72, .parallel = "data", .batch = 128,
	 .schemes = TREE, .workers = POWERS_TO_64},
	{.of = "dcgan", .net = "dcgan_discriminator", .device = "K80", .network = "ethernet20",
	 .ppp_comp = 0.62, .ppp_comm = 0.72, .parallel = "data", .batch = 128,
	 .schemes = TREE, .workers = POWERS_TO_64},
};

/* Only what could be checked against a source; most papers' figures are not among these. */
static const struct published_report reports[] = {
	{.of = "firecaffe", .net = "nin", .parallel = "data", .scheme = "tree", .batch = 1024,
	 .workers = 128, .speedup = 38, .source = "FireCaffe, Iandola et al. 2016"},
};
// clang-format on

const struct published_curve *published_curves(int *count)
{
	*count = (int)(sizeof(curves) / sizeof(curves[0]));
	return curves;
}

const struct published_report *published_report(const struct published_curve *c, const char *net,
						const char *scheme, int workers)
{
	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		const struct published_report *r = &reports[i];
		if (!strcmp(r->of, c->of) && !strcmp(r->net, net) &&
		    !strcmp(r->parallel, c->parallel) && !strcmp(r->scheme, scheme) &&
		    r->batch == c->batch && r->workers == workers)
			return r;
	}
	return NULL;
}
