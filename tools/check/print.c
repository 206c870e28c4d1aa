/* print.c - the tables of a check: its devices with their verdicts, or the parts of each. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "bench/backend.h"
#include "tools/check/check.h"

static const char *const verdicts[] = {"good", "SLOW", "not judged", "FAULTY"};
static const char *const besides[] = {"its kind", "its siblings", "its past", "its kind's peaks"};

#define DEVICE_COLUMNS(X)                                                                          \
	X(PALEO_COLUMN_TEXT("verdict", "verdict"), .text = verdicts[c->verdict])                   \
	X(PALEO_COLUMN_TEXT("node", "node"), .text = c->results.condition.node)                    \
	X(PALEO_COLUMN_TEXT("unit", "device"), .text = unit)                                       \
	X(PALEO_COLUMN_PERCENT("slower", "slower %"), .number = c->worst.slower)                   \
	X(PALEO_COLUMN_TEXT("baseline", "than"), .text = is_judged ? besides[c->beside] : NULL)    \
	X(PALEO_COLUMN_TEXT("slow_part", "in"), .text = is_judged ? c->part : NULL)                \
	X(PALEO_COLUMN_TEXT("why", "why"), .text = why)

static const struct paleo_column device_columns[] = {DEVICE_COLUMNS(PALEO_COLUMN_OF)};

/* How people read a unit. */
static const struct {
	const char *unit, *shown;
	double scale;
} units[] = {
	{"FLOP/s", "GFLOP/s", 1e-9},
	{"B/s", "GB/s", 1e-9},
	{"s", "us", 1e6},
};

/* One part of one device. */
struct row {
	const struct checked *device;
	const char *name, *unit, *shown, *regime, *how;
	char title[64]; /* "gemm fwd bf16" of an op */
	char status[160];
	double value, scale, spread, of_datasheet, kind_s, slower[CHECK_BESIDES];
};

#define PART_COLUMNS(X)                                                                            \
	X(PALEO_COLUMN_SHOWN_TEXT("name"), .text = r->title)                                       \
	X(PALEO_COLUMN_DATA_TEXT("name"), .text = r->name)                                         \
	X(PALEO_COLUMN_SHOWN_NUMBER("measured", 1, 2), .number = r->value * r->scale)              \
	X(PALEO_COLUMN_SHOWN_TEXT("unit"), .text = r->shown)                                       \
	X(PALEO_COLUMN_DATA("value"), .number = r->value)                                          \
	X(PALEO_COLUMN_DATA_TEXT("unit"), .text = r->unit)                                         \
	X(PALEO_COLUMN_PERCENT("spread", "spread %"), .number = r->spread)                         \
	X(PALEO_COLUMN_DATA_TEXT("regime"), .text = r->regime)                                     \
	X(PALEO_COLUMN_NUMBER("of_datasheet", "of datasheet %", 100, 0),                           \
	  .number = r->of_datasheet)                                                               \
	X(PALEO_COLUMN_DATA("kind_s"), .number = r->kind_s)                                        \
	X(PALEO_COLUMN_PERCENT("slower_than_kind", "slower than kind %"),                          \
	  .number = r->slower[CHECK_KIND])                                                         \
	X(PALEO_COLUMN_PERCENT("slower_than_siblings", "than siblings %"),                         \
	  .number = r->slower[CHECK_SIBLINGS])                                                     \
	X(PALEO_COLUMN_PERCENT("slower_than_past", "than before %"),                               \
	  .number = r->slower[CHECK_PAST])                                                         \
	X(PALEO_COLUMN_PERCENT("slower_than_peaks", "than its kind's peaks %"),                    \
	  .number = r->slower[CHECK_PEAKS])                                                        \
	X(PALEO_COLUMN_SHOWN_TEXT("how"), .text = r->how ? r->how : r->name)                       \
	X(PALEO_COLUMN_DATA_TEXT("how"), .text = r->how)                                           \
	X(PALEO_COLUMN_DATA_TEXT("node"), .text = r->device->results.condition.node)               \
	X(PALEO_COLUMN_DATA_TEXT("unit_id"), .text = if_any(r->device->results.condition.unit))    \
	X(PALEO_COLUMN_DATA_TEXT("verdict"), .text = verdicts[r->device->verdict])                 \
	X(PALEO_COLUMN_DATA_TEXT("why"), .text = if_any(r->device->why))

static const char *if_any(const char *text)
{
	return text[0] ? text : NULL;
}

static const struct paleo_column part_columns[] = {PART_COLUMNS(PALEO_COLUMN_OF)};

static int add_device(struct paleo_table *t, const struct checked *c, struct paleo_error *err)
{
	const char *unit = c->results.condition.unit[0] ? c->results.condition.unit
			   : c->missing[0]              ? NULL
							: c->results.meta.device.name;
	const char *why = c->missing[0] ? c->missing : if_any(c->why);
	const int is_judged = !isnan(c->worst.slower);
	const struct paleo_cell cells[] = {DEVICE_COLUMNS(PALEO_CELL_OF)};

	return paleo_table_add(t, cells, err);
}

/* Of an op without a time, why; 0 if it was not measured. */
static int tell_status(const struct paleo_results *of, const struct check_part *part, struct row *r)
{
	struct paleo_error ignored;
	struct paleo_op w;
	const struct paleo_result *found =
		part->is_op && !paleo_op_parse(part->name, &w, &ignored)
			? paleo_results_find(of, &w, paleo_cache_mode_name(PALEO_COLD))
			: NULL;

	if (!found)
		return 0;
	snprintf(r->status, sizeof(r->status), "%s: %.120s",
		 paleo_record_status_name(found->status), found->reason);
	r->how = r->status;
	return 1;
}

/* The number of a part; 0 if this device has none. */
static int find_value(const struct checked *c, const struct check_part *part, struct row *r)
{
	const struct paleo_results *of = &c->results;
	const struct paleo_ceiling *x =
		part->is_op ? NULL
			    : paleo_ceiling_find(of->ceilings, of->ceiling_count, part->name);

	if (x) {
		double peak = check_datasheet(&of->meta.device, x);
		r->value = x->value;
		r->unit = x->unit;
		r->spread = x->spread;
		r->regime = x->regime;
		r->how = x->how;
		r->of_datasheet = peak > 0 ? x->value / peak : NAN;
		return 1;
	}
	r->value = part->is_op ? exp(checked_value(c, part).log_s) : NAN;
	r->unit = "s";
	r->regime = paleo_results_regime(of);
	return !isnan(r->value) || tell_status(of, part, r);
}

/* Of an op the key, which is long, tells how. */
static void name_row(const struct check_part *part, struct row *r)
{
	struct paleo_error ignored;
	struct paleo_op w;

	if (part->is_op && !paleo_op_parse(part->name, &w, &ignored)) {
		snprintf(r->title, sizeof(r->title), "%.30s %s %s", paleo_op_class(&w),
			 paleo_pass_name(w.pass), paleo_dtype_name(w.dtype));
	} else {
		snprintf(r->title, sizeof(r->title), "%.60s", part->name);
	}
}

static int add_part(struct paleo_table *t, const struct checks *all, const struct checked *c,
		    int part, struct paleo_error *err)
{
	struct row row = {.device = c,
			  .name = all->parts[part].name,
			  .spread = NAN,
			  .of_datasheet = NAN,
			  .scale = 1};
	const struct row *r = &row;

	if (!find_value(c, &all->parts[part], &row))
		return PALEO_OK;
	name_row(&all->parts[part], &row);
	row.shown = row.unit;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(row.unit, units[i].unit)) {
			row.shown = units[i].shown;
			row.scale = units[i].scale;
		}
	row.kind_s = c->kind_s[part];
	for (int b = 0; b < CHECK_BESIDES; b++)
		row.slower[b] = c->findings[b][part].slower;
	const struct paleo_cell cells[] = {PART_COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
}

static int print_parts(const struct checks *all, enum paleo_table_format format,
		       struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(part_columns);
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");

	for (int i = 0; i < all->count; i++)
		for (int p = 0; p < all->part_count && !rc; p++)
			if (all->items[i].is_now && !all->items[i].missing[0])
				rc = add_part(t, all, &all->items[i], p, err);
	if (!rc)
		rc = paleo_table_print(t, format, stdout, err);
	paleo_table_free(t);
	return rc;
}

static int print_devices(const struct checks *all, enum paleo_table_format format,
			 struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(device_columns);
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");

	for (int i = 0; i < all->count && !rc; i++)
		if (all->items[i].is_now)
			rc = add_device(t, &all->items[i], err);
	if (!rc)
		rc = paleo_table_print(t, format, stdout, err);
	paleo_table_free(t);
	return rc;
}

/* What its driver says of it, as far as it is known. */
static void print_condition(const struct checked *c, FILE *notes)
{
	const struct paleo_condition *d = &c->results.condition;
	const char *separator = "";

#define CLAUSE(is_known, ...)                                                                      \
	if (is_known) {                                                                            \
		fputs(separator, notes);                                                           \
		paleo_print(notes, __VA_ARGS__);                                                   \
		separator = ", ";                                                                  \
	}
	CLAUSE(d->power_limit_w > 0, "power limit %.0f of %.0f W", d->power_limit_w,
	       d->power_default_w)
	CLAUSE(d->pcie_generation, "PCIe generation %d of %d", d->pcie_generation,
	       d->pcie_generation_max)
	CLAUSE(d->pcie_width, "%d of %d PCIe lanes", d->pcie_width, d->pcie_width_max)
	CLAUSE(d->nvlinks, "%d NVLinks", d->nvlinks)
	CLAUSE(d->has_ecc, "ECC on, %d uncorrected errors", d->ecc_errors)
	CLAUSE(d->used_bytes > 0, "%.2f GB in use by others", 1e-9 * d->used_bytes)
#undef CLAUSE
	if (*separator)
		fputc('\n', notes);
}

/* "SLOW: node fake-1: 24.9 % slower than its siblings (median part): why". */
static void print_verdict(const struct checked *c, FILE *notes)
{
	char name[160];

	checked_name(c, name, sizeof(name));
	paleo_print(notes, "%s: %s", verdicts[c->verdict], name);
	if (c->missing[0])
		paleo_print(notes, ": %s", c->missing);
	else if (!isnan(c->worst.slower))
		paleo_print(notes, ": %.1f %% %s than %s (%s)", 100 * fabs(c->worst.slower),
			    c->worst.slower < 0 ? "faster" : "slower", besides[c->beside], c->part);
	if (c->slow_parts)
		paleo_print(notes, ", %d parts beyond chance", c->slow_parts);
	paleo_print(notes, "%s%s\n", c->why[0] ? ": " : "", c->why);
}

/* Says that a kind has a datasheet, but no peaks to be compared with, once for each kind. */
static void print_evidence(const struct checks *all, int device, FILE *notes)
{
	const struct checked *c = &all->items[device];
	const char *kind = c->results.meta.device.name;
	int has_datasheet = 0;

	for (int i = 0; i < c->results.ceiling_count; i++)
		has_datasheet |=
			check_datasheet(&c->results.meta.device, &c->results.ceilings[i]) > 0;
	if (!has_datasheet || !c->is_now || c->missing[0])
		return;
	for (int i = 0; i < all->count; i++) {
		const struct checked *other = &all->items[i];
		if (strcmp(other->results.meta.device.name, kind) != 0)
			continue;
		if (other->is_shipped || (i < device && other->is_now && !other->missing[0]))
			return;
	}
	paleo_print(notes,
		    "no peaks of another %s are known: what it reaches of its datasheet is not "
		    "judged\n",
		    kind);
}

int checks_print(const struct checks *all, const struct check_settings *s, struct paleo_error *err)
{
	enum paleo_table_format format = (enum paleo_table_format)s->format;
	FILE *notes = paleo_table_is_data(format) ? stderr : stdout;
	int count[CHECK_VERDICTS], now = 0, rc = PALEO_OK;

	checks_count(all, count);
	for (int v = 0; v < CHECK_VERDICTS; v++)
		now += count[v];
	if (!paleo_table_is_data(format))
		fputc('\n', stdout);
	if (paleo_table_is_data(format) || s->all || now == 1)
		rc = print_parts(all, format, err);
	if (!rc && !paleo_table_is_data(format) && s->all && now > 1)
		fputc('\n', stdout);
	if (!rc && !paleo_table_is_data(format) && now > 1)
		rc = print_devices(all, format, err);
	fputc('\n', notes);
	for (int i = 0; i < all->count && !rc; i++)
		print_evidence(all, i, notes);
	for (int i = 0; i < all->count && !rc; i++) {
		const struct checked *c = &all->items[i];
		if (!c->is_now || (now > 1 && c->verdict == CHECK_GOOD))
			continue;
		if (now == 1 && !c->missing[0])
			print_condition(c, notes);
		print_verdict(c, notes);
	}
	if (now > 1)
		paleo_print(notes, "%d devices: %d good, %d slow, %d faulty, %d not judged\n", now,
			    count[CHECK_GOOD], count[CHECK_SLOW], count[CHECK_FAULTY],
			    count[CHECK_NOT_JUDGED]);
	return rc;
}
