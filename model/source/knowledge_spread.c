/* knowledge_spread.c - transfer error between GPUs, estimated on GPUs with a nearer source. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/lines.h"
#include "model/predict/smooth.h"
#include "model/source/knowledge_pick.h"
#include "model/source/presets.h"

enum {
	CARDS_MIN = 2 /* fewer cards give no estimate */
};

/* Squared logs of one card's time over other sources' predictions. */
struct squares {
	double sum;
	int count;
};

/* One card that has a preset, and the sources it would have without. */
struct stranger {
	const struct paleo_calibration *preset;
	struct paleo_calibration middle; /* of the others, in one dtype */
	struct paleo_known_list
		list; /* its own among them; none: it does not compute in the type */
	struct squares found[PALEO_KNOWN_GROUPS][PALEO_NEARNESSES];
};

/* All cards, for they price the same ops. */
struct strangers {
	const struct paleo_calibration *presets;
	struct stranger *items; /* one of each */
	int count;
};

static int time_by(const struct paleo_device *measured, const struct paleo_device *d,
		   const struct paleo_class_model *f, const struct paleo_op *w, double *out_s,
		   struct paleo_error *err)
{
	struct paleo_parts t;
	struct paleo_class_model plain = *f;
	struct paleo_fitted_kernel model;

	/* corrections of other cards near a shape may not apply to this one */
	plain.correction.count = 0;
	plain.spread.count = 0;
	if (f->model) {
		model = *f->model;
		plain.model = &model;
		paleo_known_power(measured, d, w->dtype, &model);
	}
	int rc = paleo_class_model_time(d, &plain, w, &t, err);
	*out_s = t.total_s;
	return rc;
}

static int is_exact(const struct paleo_class_model *f, const struct paleo_op *w)
{
	return paleo_known_same_class(f, w) && f->dtype == w->dtype;
}

/* 1 if both are of one publisher's tables, the first word of their versions: how others time ops is
 * no difference between GPUs. */
static int same_publisher(const struct paleo_calibration *a, const struct paleo_calibration *b)
{
	size_t length = strcspn(a->versions, " _");

	return length == strcspn(b->versions, " _") && !strncmp(a->versions, b->versions, length);
}

/* 1 if both are of one stack: "TRTLLM" of "aiconfigurator TRTLLM-1.3.0rc20". */
static int same_stack(const struct paleo_calibration *a, const struct paleo_calibration *b)
{
	const char *x = strchr(a->versions, ' '), *y = strchr(b->versions, ' ');
	size_t length = x ? strcspn(x, "-") : 0;

	return x && y && length == strcspn(y, "-") && !strncmp(x, y, length);
}

/* 1 if the two are comparable as sources so near. */
static int are_comparable(const struct paleo_calibration *a, const struct paleo_calibration *b,
			  int n)
{
	if (n == PALEO_NEAR_ALL)
		return 1;
	return same_publisher(a, b) && (n == PALEO_NEAR_STACK || same_stack(a, b));
}

/* Prices an op measured on the card by the nearest source of each kind. */
static int compare(struct stranger *s, const struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_device *d = &s->preset->device;
	struct paleo_pick own = paleo_known_pick(&s->list, w, PALEO_NEAR_DEVICE);
	double own_s, other_s;

	if (!own.factor || s->list.items[own.from].nearness != PALEO_NEAR_DEVICE ||
	    !is_exact(own.factor, w))
		return PALEO_OK;
	int rc = time_by(d, d, own.factor, w, &own_s, err);
	for (int n = PALEO_NEAR_CHIP; !rc && n < PALEO_NEARNESSES; n++) {
		struct paleo_pick p = paleo_known_pick(&s->list, w, (enum paleo_nearness)n);
		if (!p.factor || (int)s->list.items[p.from].nearness != n ||
		    !are_comparable(s->list.items[own.from].calibration,
				    s->list.items[p.from].calibration, n) ||
		    (n == PALEO_NEAR_STACK && !is_exact(p.factor, w)))
			continue;
		struct squares *q = &s->found[paleo_known_group_of(w)][n];
		rc = time_by(&s->list.items[p.from].calibration->device, d, p.factor, w, &other_s,
			     err);
		q->sum += rc ? 0 : pow(log(own_s / other_s), 2);
		q->count++;
	}
	return rc;
}

static int compare_all(void *context, const struct paleo_op *w, struct paleo_error *err)
{
	struct strangers *all = context;

	for (int i = 0; i < all->count; i++)
		if (all->items[i].list.count)
			PALEO_TRY(compare(&all->items[i], w, err));
	return PALEO_OK;
}

static int same_device(const struct paleo_calibration *a, const struct paleo_calibration *b)
{
	return !strcmp(a->device.name, b->device.name);
}

/* 1: the device's presets, of which this is the first, have the dtype. A device with several
 * files is one card. */
static int is_card_of(const struct strangers *all, const struct paleo_calibration *preset,
		      enum paleo_dtype dtype)
{
	int has = 0;

	for (int i = 0; i < all->count; i++) {
		const struct paleo_calibration *c = &all->presets[i];
		if (!same_device(c, preset))
			continue;
		if (c < preset)
			return 0;
		for (int f = 0; f < c->count; f++)
			has |= c->models[f].dtype == dtype;
	}
	return has;
}

/* Sources for the card in one dtype, as if it had no preset. */
static int meet(const struct strangers *all, struct stranger *s, enum paleo_dtype dtype,
		struct paleo_error *err)
{
	const struct paleo_presets_for of = {
		.device = &s->preset->device, .dtype = dtype, .queued = 1, .except_self = 1};

	paleo_calibration_release(&s->middle);
	s->list.count = 0;
	if (!is_card_of(all, s->preset, dtype))
		return PALEO_OK;
	int rc = paleo_calibration_presets(&of, &s->middle, err);
	if (rc)
		return rc == PALEO_EUNSUPPORTED ? PALEO_OK : rc;
	const struct paleo_knowledge k = {
		.device = of.device, .presets = all->presets, .preset_count = all->count};
	paleo_known_list(&k, &s->middle, &s->list);
	return PALEO_OK;
}

/* All ops of one dtype. */
static int meet_all(struct strangers *all, enum paleo_dtype dtype, struct paleo_error *err)
{
	for (int i = 0; i < all->count; i++)
		PALEO_TRY(meet(all, &all->items[i], dtype, err));
	for (int size = 0; size < PALEO_SAMPLE_SIZES; size++)
		PALEO_TRY(paleo_samples_each(dtype, size, compare_all, all, err));
	return PALEO_OK;
}

static void add_card(const struct stranger *s, struct paleo_known_spread out[PALEO_KNOWN_GROUPS])
{
	for (int g = 0; g < PALEO_KNOWN_GROUPS; g++) {
		for (int n = 0; n < PALEO_NEARNESSES; n++) {
			const struct squares *q = &s->found[g][n];
			if (!q->count)
				continue;
			out[g].sd[n] += q->sum / q->count;
			out[g].cards[n]++;
		}
	}
}

/* From sums of squares to deviations. */
static void take_roots(struct paleo_known_spread *s)
{
	for (int n = 0; n < PALEO_NEARNESSES; n++)
		s->sd[n] = s->cards[n] >= CARDS_MIN ? sqrt(s->sd[n] / s->cards[n]) : NAN;
}

/* A source of the chip errs less than all GPUs do: by how much in the group of ops where that is
 * least, as a logarithm. */
static double nearer_by(const struct paleo_known_spread of[PALEO_KNOWN_GROUPS])
{
	double least = NAN;

	for (int g = 0; g < PALEO_KNOWN_GROUPS; g++) {
		double by = log(of[g].sd[PALEO_NEAR_CHIP] / of[g].sd[PALEO_NEAR_ALL]);
		least = isnan(by) ? least : fmax(by, least);
	}
	return isnan(least) ? 0 : fmin(least, 0);
}

static void put(struct paleo_known_spread *s, int n, double sd, int cards)
{
	s->sd[n] = sd;
	s->cards[n] = cards;
}

/* Where too few cards have data, a chip errs as in other groups, relative to all GPUs, and a family
 * halfway between them. Never less than nearer sources. */
static void settle(struct paleo_known_spread *s, double by)
{
	const int chip = PALEO_NEAR_CHIP, family = PALEO_NEAR_FAMILY, all = PALEO_NEAR_ALL;
	const int stack = PALEO_NEAR_STACK;

	if (isnan(s->sd[chip]))
		put(s, chip, s->sd[all] * exp(by), s->cards[all]);
	if (s->sd[all] < s->sd[chip])
		put(s, all, s->sd[chip], s->cards[chip]);
	if (isnan(s->sd[family]))
		put(s, family, sqrt(s->sd[chip] * s->sd[all]),
		    s->cards[chip] < s->cards[all] ? s->cards[chip] : s->cards[all]);
	if (s->sd[family] < s->sd[chip])
		put(s, family, s->sd[chip], s->cards[chip]);
	if (s->sd[all] < s->sd[family])
		put(s, all, s->sd[family], s->cards[family]);
	if (!(s->sd[stack] >= s->sd[chip]))
		put(s, stack, s->sd[chip], s->cards[chip]);
	for (int n = 0; n < chip; n++)
		put(s, n, s->sd[chip], s->cards[chip]);
}

int paleo_known_spreads_make(const struct paleo_calibration *presets, int count,
			     struct paleo_known_spreads *out, struct paleo_error *err)
{
	struct strangers all = {.presets = presets, .count = count};
	int rc = PALEO_OK;

	*out = (struct paleo_known_spreads){.presets = 0};
	all.items = calloc((size_t)all.count + 1, sizeof(*all.items));
	if (!all.items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < all.count; i++)
		all.items[i].preset = &presets[i];
	for (int t = 0; !rc && t < PALEO_DTYPES; t++)
		rc = meet_all(&all, (enum paleo_dtype)t, err);
	for (int i = 0; i < all.count; i++) {
		add_card(&all.items[i], out->of);
		paleo_calibration_release(&all.items[i].middle);
	}
	free(all.items);
	for (int g = 0; g < PALEO_KNOWN_GROUPS; g++)
		take_roots(&out->of[g]);
	double by = nearer_by(out->of);
	for (int g = 0; g < PALEO_KNOWN_GROUPS; g++)
		settle(&out->of[g], by);
	return rc;
}

enum {
	FILE_MAX_BYTES = 1 << 16,
	ROWS = PALEO_KNOWN_GROUPS * PALEO_NEARNESSES
};

/* Its columns, in their order. */
enum {
	GROUP,
	NEARNESS,
	CARDS,
	SD,
	PRESETS,
	COLUMNS
};

const char *const paleo_known_group_names[PALEO_KNOWN_GROUPS] = {
	[PALEO_KNOWN_PRODUCTS] = "GEMMs",
	[PALEO_KNOWN_CONVOLUTIONS] = "convolutions",
	[PALEO_KNOWN_FUSED] = "attention and experts",
	[PALEO_KNOWN_MOVES] = "memory-bound ops",
};

const char *const paleo_nearness_names[PALEO_NEARNESSES] = {
	[PALEO_NEAR_OWN] = "own",     [PALEO_NEAR_DEVICE] = "device", [PALEO_NEAR_CHIP] = "chip",
	[PALEO_NEAR_STACK] = "stack", [PALEO_NEAR_FAMILY] = "family", [PALEO_NEAR_ALL] = "all GPUs",
};

uint64_t paleo_presets_identity(uint64_t before, const char *name, uint64_t bytes)
{
	return paleo_hash(paleo_hash_bytes(before, name, strlen(name)) ^ bytes);
}

static int parse_row(int row, char *line, struct paleo_known_spreads *out)
{
	char *fields[COLUMNS], *end;
	int group = row / PALEO_NEARNESSES, nearness = row % PALEO_NEARNESSES;
	struct paleo_known_spread *s = &out->of[group];

	if (paleo_csv_split(line, fields, COLUMNS) != COLUMNS ||
	    strcmp(fields[GROUP], paleo_known_group_names[group]) != 0 ||
	    strcmp(fields[NEARNESS], paleo_nearness_names[nearness]) != 0)
		return 0;
	long cards = strtol(fields[CARDS], &end, 10);
	if (end == fields[CARDS] || *end || cards < 0 || cards > 1 << 20)
		return 0;
	s->cards[nearness] = (int)cards;
	s->sd[nearness] = fields[SD][0] ? strtod(fields[SD], &end) : NAN;
	if (fields[SD][0] && (*end || !(s->sd[nearness] >= 0 && s->sd[nearness] < 100)))
		return 0;
	uint64_t presets = strtoull(fields[PRESETS], &end, 16);
	if (end == fields[PRESETS] || *end || (row && presets != out->presets))
		return 0;
	out->presets = presets;
	return 1;
}

int paleo_known_spreads_load(const char *path, struct paleo_known_spreads *out,
			     struct paleo_error *err)
{
	struct paleo_known_spreads read = {.presets = 0};
	char *text = NULL, *line, *rest;
	size_t size = 0;
	int rc = paleo_file_read(path, FILE_MAX_BYTES, "a file of spreads", &text, &size, err);

	if (rc)
		return rc;
	line = strtok_r(text, "\n", &rest); /* the names of the columns */
	for (int row = 0; !rc && row < ROWS; row++) {
		line = line ? strtok_r(NULL, "\n", &rest) : NULL;
		if (!line || !parse_row(row, line, &read))
			rc = paleo_fail(err, PALEO_EINPUT,
					"%s:%d: expected the line of '%s' and '%s': make the file "
					"again (paleo validate --cost-model presets --format csv)",
					path, row + 2,
					paleo_known_group_names[row / PALEO_NEARNESSES],
					paleo_nearness_names[row % PALEO_NEARNESSES]);
	}
	free(text);
	if (!rc)
		*out = read;
	return rc;
}
