/* mutate_json.c - changes JSON by its values: sizes, signs, ranks, doubled and moved members. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/mutate.h"

enum {
	VALUES_MAX = 4096,
	DEPTH_MAX = 64,
	TEXT_MAX = 1 << 16
};

/* A value is [at, end); with its key, if it has one, it begins at `from`. */
struct value {
	size_t from, at, end;
};

struct values {
	struct value of[VALUES_MAX];
	size_t count;
};

static const char *const words[] = {
	"0",
	"1",
	"-1",
	"2",
	"3",
	"0.5",
	"1e-300",
	"1e300",
	"65536",
	"2147483647",
	"2147483648",
	"-2147483648",
	"4294967296",
	"9007199254740993",
	"9223372036854775807",
	"9223372036854775808",
	"-9223372036854775808",
	"true",
	"false",
	"null",
	"\"\"",
	"[]",
	"{}",
	"[0,-1,2]",
	"[[1,[2]],3]",
	"\"/dev/zero\"",
};

static size_t end_of_string(const struct bytes *b, size_t i)
{
	for (i++; i < b->size && b->at[i] != '"'; i++)
		i += b->at[i] == '\\';
	return i < b->size ? i + 1 : b->size;
}

static size_t end_of_word(const struct bytes *b, size_t i)
{
	while (i < b->size && b->at[i] && (isalnum(b->at[i]) || strchr("+-._", b->at[i])))
		i++;
	return i;
}

/* What is no JSON, too, gives values: those that can be told apart. */
static void find(const struct bytes *b, struct values *v)
{
	size_t open[DEPTH_MAX], depth = 0, key = SIZE_MAX;

	v->count = 0;
	for (size_t i = 0, end; i < b->size && v->count < VALUES_MAX; i = end) {
		uint8_t c = b->at[i];
		struct value *new = &v->of[v->count];

		end = c == '"' ? end_of_string(b, i) : end_of_word(b, i);
		if (c == '"') {
			size_t next = end;

			while (next < b->size && isspace(b->at[next]))
				next++;
			if (next < b->size && b->at[next] == ':') {
				key = i;
				end = next + 1;
				continue;
			}
		} else if (end == i) {
			end = i + 1;
			if ((c == '}' || c == ']') && depth)
				v->of[open[--depth]].end = end;
			if ((c != '{' && c != '[') || depth == DEPTH_MAX)
				continue;
			open[depth++] = v->count;
		}
		*new = (struct value){key == SIZE_MAX ? i : key, i, end};
		key = SIZE_MAX;
		v->count++;
	}
}

/* A number next to that of the text: one more, one less, twice, half, the other sign. */
static int number_beside(const char *text, uint64_t *random, char *out, size_t size)
{
	char *end;
	double n = strtod(text, &end);
	const double beside[] = {n + 1, n - 1, n * 2, n / 2, -n};

	return end != text && !*end ? snprintf(out, size, "%.17g", beside[random_below(random, 5)])
				    : 0;
}

/* The comma of a member that goes away goes, too. */
static void take_away(struct bytes *b, const struct value *x)
{
	size_t from = x->from, to = x->end;

	while (to < b->size && isspace(b->at[to]))
		to++;
	if (to < b->size && b->at[to] == ',') {
		to++;
	} else {
		while (from && isspace(b->at[from - 1]))
			from--;
		from -= from && b->at[from - 1] == ',';
	}
	splice(b, from, to, NULL, 0);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static struct values values;
	static char text[TEXT_MAX];
	uint64_t random = random_start(seed);
	struct bytes b = {data, size, max};

	find(&b, &values);
	if (!values.count || random_below(&random, 3) == 0)
		return LLVMFuzzerMutate(data, size, max);

	const struct value *x = &values.of[random_below(&random, values.count)];
	const struct value *y = &values.of[random_below(&random, values.count)];
	const char *word = words[random_below(&random, sizeof(words) / sizeof(words[0]))];
	const char *of_x = (const char *)data + x->at, *of_y = (const char *)data + y->at;
	int x_size = (int)(x->end - x->at), y_size = (int)(y->end - y->at), n;
	int key_size = (int)(x->at - x->from);

	switch (random_below(&random, 8)) {
	case 0: /* a size at an edge, or of another type */
		n = snprintf(text, TEXT_MAX, "%s", word);
		break;
	case 1: /* a size beside */
		snprintf(text, TEXT_MAX, "%.*s", x_size < 40 ? x_size : 0, of_x);
		n = number_beside(text, &random, text, TEXT_MAX);
		break;
	case 2: /* that of another key */
		n = snprintf(text, TEXT_MAX, "%.*s", y_size, of_y);
		break;
	case 3: /* one rank more */
		n = snprintf(text, TEXT_MAX, "[%.*s]", x_size, of_x);
		break;
	case 4: /* the same name twice, with another value */
		n = snprintf(text, TEXT_MAX, "%.*s, %.*s%s", x_size, of_x, key_size,
			     of_x - key_size, word);
		break;
	case 5: /* the same twice */
		n = snprintf(text, TEXT_MAX, "%.*s, %.*s", x_size, of_x, key_size + x_size,
			     of_x - key_size);
		break;
	case 6: /* a member of another place */
		n = snprintf(text, TEXT_MAX, "%.*s, %.*s", x_size, of_x, (int)(y->end - y->from),
			     (const char *)data + y->from);
		break;
	default:
		take_away(&b, x);
		return b.size;
	}
	if (n > 0 && n < TEXT_MAX)
		splice(&b, x->at, x->end, text, (size_t)n);
	return b.size;
}
