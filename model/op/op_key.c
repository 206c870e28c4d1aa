/* op_key.c - the text key of an op, from one table of field names. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "model/op/kind.h"

static const char *const kind_names[PALEO_OP_KINDS] = {
#define OP(constant, name) [PALEO_##constant] = #name,
#include "model/op/kinds.def"
#undef OP
};
const char *const paleo_pass_names[PALEO_PASSES + 1] = {
	[PALEO_FWD] = "fwd",
	[PALEO_BWD_DATA] = "bwd_data",
	[PALEO_BWD_FILTER] = "bwd_filter",
	[PALEO_PASS_UPDATE] = "update",
};
const char *const paleo_layout_names[PALEO_LAYOUTS + 1] = {"nchw", "nhwc", NULL};

const struct paleo_field *paleo_op_fields(enum paleo_op_kind kind)
{
	return paleo_op_kind_info(kind)->fields;
}

const struct paleo_field *paleo_field_of(enum paleo_op_kind kind, unsigned of)
{
	for (const struct paleo_field *f = paleo_op_fields(kind); f->name; f++)
		if (f->of & of)
			return f;
	return NULL;
}

double paleo_field_get(const struct paleo_op *w, const struct paleo_field *f)
{
	const char *at = (const char *)w + f->offset;
	double count;
	int value;

	if (f->type == PALEO_GEOM_COUNT) {
		memcpy(&count, at, sizeof(count));
		return count;
	}
	memcpy(&value, at, sizeof(value));
	return value;
}

void paleo_field_put(struct paleo_op *w, const struct paleo_field *f, double number)
{
	char *at = (char *)w + f->offset;
	int value;

	if (f->type == PALEO_GEOM_COUNT) {
		memcpy(at, &number, sizeof(number));
		return;
	}
	value = (int)number;
	memcpy(at, &value, sizeof(value));
}

static int word_count(const char *const *words)
{
	int n = 0;

	while (words[n])
		n++;
	return n;
}

static int check_field(const struct paleo_op *w, const struct paleo_field *f,
		       struct paleo_error *err)
{
	double value = paleo_field_get(w, f);
	double high = f->type == PALEO_GEOM_WORD ? word_count(f->words) - 1 : f->high;

	/* the comparison refuses NaN too; the cast refuses fractions */
	if (!(value >= f->low && value <= high) || value != (double)(long long)value)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' is %.15g, expected an integer from %.15g to %.15g", f->name,
				  value, f->low, high);
	return PALEO_OK;
}

/* An integer within its range, like nearly all; a 0 meaning 1 becomes 1. */
static int fill_int(struct paleo_op *w, const struct paleo_field *f, struct paleo_error *err)
{
	char *at = (char *)w + f->offset;
	int value;

	memcpy(&value, at, sizeof(value));
	if (value == 0 && f->normal == 1) {
		value = 1;
		memcpy(at, &value, sizeof(value));
	}
	return value >= f->low && value <= f->high ? PALEO_OK : check_field(w, f, err);
}

/* The first word of a list is always there. */
static int fill_word(const struct paleo_op *w, const struct paleo_field *f, struct paleo_error *err)
{
	int value;

	memcpy(&value, (const char *)w + f->offset, sizeof(value));
	return value == 0 ? PALEO_OK : check_field(w, f, err);
}

int paleo_op_fields_fill(struct paleo_op *w, struct paleo_error *err)
{
	int rc = PALEO_OK, has_layout = 0;

	for (const struct paleo_field *f = paleo_op_fields(w->kind); !rc && f->name; f++) {
		has_layout |= f->words == paleo_layout_names;
		if (f->type == PALEO_GEOM_INT)
			rc = fill_int(w, f, err);
		else
			rc = f->type == PALEO_GEOM_WORD ? fill_word(w, f, err)
							: check_field(w, f, err);
	}
	if (!has_layout)
		w->layout = PALEO_NCHW;
	return rc;
}

/* Puts a word at the end of a text of so many bytes; returns the new end. */
static size_t put_word(char *buf, size_t size, size_t at, const char *word)
{
	size_t length = strlen(word);

	assert(at + length < size);
	memcpy(buf + at, word, length + 1);
	return at + length;
}

void paleo_op_key(const struct paleo_op *w, char *buf, size_t size)
{
	size_t at = put_word(buf, size, 0, kind_names[w->kind]);

	at = put_word(buf, size, at, " ");
	at = put_word(buf, size, at, paleo_pass_names[w->pass]);
	at = put_word(buf, size, at, " ");
	at = put_word(buf, size, at, paleo_dtype_names[w->dtype]);
	for (const struct paleo_field *f = paleo_op_fields(w->kind); f->name; f++) {
		double value = paleo_field_get(w, f);
		if (value == f->normal)
			continue;
		at = put_word(buf, size, at, " ");
		at = put_word(buf, size, at, f->name);
		at = put_word(buf, size, at, "=");
		if (f->type == PALEO_GEOM_WORD)
			at = put_word(buf, size, at, f->words[(int)value]);
		else
			at += (size_t)paleo_number_fixed(value, 0, buf + at, size - at);
	}
	assert(at < size);
}

/* The position of `word` (length `size`) in a list of `count` names, or -1. */
static int find_word(const char *const *words, int count, const char *word, size_t size)
{
	for (int i = 0; i < count; i++)
		if (strlen(words[i]) == size && !memcmp(words[i], word, size))
			return i;
	return -1;
}

/* The next word of a key: its start, and its length in *size; NULL at the end. */
static const char *next_word(const char **rest, size_t *size)
{
	const char *start = *rest + strspn(*rest, " ");

	*size = strcspn(start, " ");
	*rest = start + *size;
	return *size ? start : NULL;
}

static int parse_head(const char **rest, struct paleo_op *w, struct paleo_error *err)
{
	static const struct {
		const char *what;
		const char *const *names;
		int count;
	} head[] = {
		{"kind of op", kind_names, PALEO_OP_KINDS},
		{"pass", paleo_pass_names, PALEO_PASSES},
		{"dtype", paleo_dtype_names, PALEO_DTYPES},
	};
	int found[3] = {0};

	for (int i = 0; i < 3; i++) {
		size_t size;
		const char *word = next_word(rest, &size);
		if (!word)
			return paleo_fail(err, PALEO_EINPUT, "the %s is missing", head[i].what);
		found[i] = find_word(head[i].names, head[i].count, word, size);
		if (found[i] < 0)
			return paleo_fail(err, PALEO_EINPUT, "unknown %s '%.*s'", head[i].what,
					  (int)size, word);
	}
	w->kind = (enum paleo_op_kind)found[0];
	w->pass = (enum paleo_pass)found[1];
	w->dtype = (enum paleo_dtype)found[2];
	return PALEO_OK;
}

/* A whole number of so many digits; above PALEO_OP_COUNT_MAX it need not be exact. -1: it is
 * none. */
static double whole_number(const char *text, size_t size)
{
	double value = size ? 0 : -1;

	for (size_t i = 0; i < size; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = 10 * value + (text[i] - '0');
	}
	return value;
}

/* Reads the value behind '=' into the field. */
static int parse_value(struct paleo_op *w, const struct paleo_field *f, const char *text,
		       size_t size, struct paleo_error *err)
{
	if (f->type == PALEO_GEOM_WORD) {
		int i = find_word(f->words, word_count(f->words), text, size);
		if (i < 0)
			return paleo_fail(err, PALEO_EINPUT, "unknown %s '%.*s'", f->name,
					  (int)size, text);
		paleo_field_put(w, f, i);
		return PALEO_OK;
	}
	double value = whole_number(text, size);
	if (!(value >= 0 && value <= PALEO_OP_COUNT_MAX))
		return paleo_fail(err, PALEO_EINPUT, "'%s' is '%.*s', expected an integer", f->name,
				  (int)size, text);
	if (f->type == PALEO_GEOM_INT && value > PALEO_OP_DIM_MAX)
		return paleo_fail(err, PALEO_EINPUT, "'%s' is %.0f, expected at most %.0f", f->name,
				  value, PALEO_OP_DIM_MAX);
	paleo_field_put(w, f, value);
	return PALEO_OK;
}

/* Reads one "name=value"; fields come in the table's order, so *f only moves forward. */
static int parse_field(struct paleo_op *w, const struct paleo_field **f, const char *word,
		       size_t size, struct paleo_error *err)
{
	const char *equals = memchr(word, '=', size);
	size_t name_size = equals ? (size_t)(equals - word) : size;

	while ((*f)->name &&
	       (strlen((*f)->name) != name_size || memcmp((*f)->name, word, name_size) != 0))
		(*f)++;
	if (!equals || !(*f)->name)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%.*s' is not a field of '%s', or out of order, or twice",
				  (int)size, word, kind_names[w->kind]);
	int rc = parse_value(w, *f, equals + 1, size - name_size - 1, err);
	(*f)++;
	return rc;
}

int paleo_op_parse(const char *key, struct paleo_op *out, struct paleo_error *err)
{
	struct paleo_op w = {0};
	const char *rest = key;
	const char *word;
	size_t size;

	int rc = parse_head(&rest, &w, err);
	if (rc)
		goto fail;
	const struct paleo_field *f = paleo_op_fields(w.kind);
	while ((word = next_word(&rest, &size))) {
		rc = parse_field(&w, &f, word, size, err);
		if (rc)
			goto fail;
	}
	rc = paleo_op_finish(&w, err);
	if (rc)
		goto fail;
	*out = w;
	return PALEO_OK;
fail:
	paleo_error_prefix(err, "op '%.200s'", key);
	return rc;
}

int paleo_op_equal(const struct paleo_op *a, const struct paleo_op *b)
{
	if (a->kind != b->kind || a->pass != b->pass || a->dtype != b->dtype)
		return 0;
	for (const struct paleo_field *f = paleo_op_fields(a->kind); f->name; f++)
		if (paleo_field_get(a, f) != paleo_field_get(b, f))
			return 0;
	return 1;
}

const char *paleo_pass_name(enum paleo_pass pass)
{
	return paleo_pass_names[pass];
}

const char *paleo_layout_name(enum paleo_layout layout)
{
	return paleo_layout_names[layout];
}

int paleo_op_has_layout(enum paleo_op_kind kind)
{
	for (const struct paleo_field *f = paleo_op_fields(kind); f->name; f++)
		if (f->words == paleo_layout_names)
			return 1;
	return 0;
}

int paleo_pass_parse(const char *word, enum paleo_pass *out, struct paleo_error *err)
{
	int i = find_word(paleo_pass_names, PALEO_PASSES, word, strlen(word));

	if (i < 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "unknown pass '%s', expected fwd, bwd_data, bwd_filter or update",
				  word);
	*out = (enum paleo_pass)i;
	return PALEO_OK;
}
