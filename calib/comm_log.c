/* comm_log.c - reads measured times of collective operations: logs and JSON of nccl-tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/comm_log.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/json.h"

enum {
	WORDS_MAX = 32,
	FILE_BYTES_MAX = 64 << 20
};

int paleo_comm_points_add(struct paleo_comm_points *points, const struct paleo_comm_point *p,
			  struct paleo_error *err)
{
	struct paleo_comm_point *items =
		paleo_grow(points->items, points->count, &points->room, sizeof(*items));

	if (!items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	points->items = items;
	items[points->count++] = *p;
	return PALEO_OK;
}

void paleo_comm_points_release(struct paleo_comm_points *points)
{
	if (!points)
		return;
	free(points->items);
	*points = (struct paleo_comm_points){0};
}

/* Adds a row, if it has bytes and a time. */
static int add(struct paleo_comm_points *points, int ranks, double bytes, double time_us,
	       struct paleo_error *err)
{
	struct paleo_comm_point p = {.ranks = ranks, .bytes = bytes, .time_s = time_us * 1e-6};

	if (!(bytes > 0 && isfinite(bytes) && time_us > 0 && isfinite(time_us)))
		return PALEO_OK;
	return paleo_comm_points_add(points, &p, err);
}

/* Programs of nccl-tests. A ring sends in `steps` (n - 1) steps, which an all-reduce does twice as
 * often as the others, and an all-to-all takes as many; 0: it is none of these. `bus` is busbw over
 * algbw, of n / (n - 1); 0: unknown. */
static const struct collective {
	const char *name;
	int steps, bus, is_send; /* 1: to the next rank alone */
} collectives[] = {
	{"all_reduce_perf", 2, 2, 0},     {"all_gather_perf", 1, 1, 0},
	{"reduce_scatter_perf", 1, 1, 0}, {"alltoall_perf", 1, 1, 0},
	{"broadcast_perf", 0, 0, 0},      {"reduce_perf", 0, 0, 0},
	{"gather_perf", 0, 1, 0},         {"scatter_perf", 0, 1, 0},
	{"sendrecv_perf", 1, 0, 1},       {"hypercube_perf", 0, 1, 0},
};

enum {
	COLLECTIVES = sizeof(collectives) / sizeof(collectives[0]),
	REDUCE_SCATTER = 2
};

/* State of reading a log. */
struct log {
	const char *path;
	int line, ranks;
	/* columns; -1: no header yet, or none of this name */
	int size_at, time_at, wrong_at, redop_at, algbw_at, busbw_at;
	const struct collective *named; /* the program; NULL: not named */
	double fastest, bus;            /* the highest algbw, and busbw over it */
	int is_reducing;                /* 1: its redop is one */
};

/* The program that a text names; NULL: none. "all_reduce_perf" ends with the name of another. */
static const struct collective *find_collective(const char *text)
{
	const struct collective *found = NULL;

	for (int i = 0; i < COLLECTIVES; i++) {
		const char *at = strstr(text, collectives[i].name);
		if (at && (at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')))
			found = &collectives[i];
	}
	return found;
}

/* The program that has these numbers, where it is not named: a link is usually measured by
 * all_reduce_perf. */
static const struct collective *guess(const struct log *l)
{
	double bus = l->bus * l->ranks / (l->ranks - 1);

	if (!(l->bus > 0) || (fabs(bus - 2) < 0.1 && l->is_reducing))
		return &collectives[0];
	return fabs(bus - 1) < 0.05 && l->is_reducing ? &collectives[REDUCE_SCATTER] : NULL;
}

/* Makes the times those of an all-reduce, which a link's are: of a ring that goes round once the
 * double, as of a message from each to each, or to the next. */
static int settle(const struct log *l, struct paleo_comm_points *points, int first,
		  struct paleo_error *err)
{
	const struct collective *c = l->named ? l->named : guess(l);

	if (!c)
		return paleo_fail(
			err, PALEO_EINPUT,
			"%s: busbw is %.3g of algbw, as in no log of all_reduce_perf: logs "
			"of all_gather_perf and reduce_scatter_perf must name the program",
			l->path, l->bus);
	if (!c->steps)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: is of %s, expected all_reduce_perf, all_gather_perf, "
				  "reduce_scatter_perf, alltoall_perf or sendrecv_perf",
				  l->path, c->name);
	for (int i = first; i < points->count; i++) {
		struct paleo_comm_point *p = &points->items[i];
		p->time_s *= 2.0 / c->steps;
		if (c->is_send) { /* an all-reduce of two sends halves, twice */
			p->ranks = 2;
			p->bytes *= 2;
		}
	}
	return PALEO_OK;
}

/* Cuts what mpirun --tag-output and srun -l put before a line: "[1,0]<stdout>:" and "0:". */
static char *without_tag(char *line)
{
	size_t word = strcspn(line, " \t");
	char *colon = memchr(line, ':', word);

	if (colon && line[0] == '[' && colon[-1] == '>')
		return colon + 1;
	return colon && colon > line && strspn(line, "0123456789") == (size_t)(colon - line)
		       ? colon + 1
		       : line;
}

/* Splits a line at blanks, in place. */
static int split(char *line, char *words[WORDS_MAX])
{
	int n = 0;

	for (char *p = line; *p && n < WORDS_MAX;) {
		while (isspace((unsigned char)*p))
			*p++ = '\0';
		if (!*p)
			break;
		words[n++] = p;
		while (*p && !isspace((unsigned char)*p))
			p++;
	}
	return n;
}

static int find_word(char *const *words, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(words[i], name))
			return i;
	return -1;
}

/* A line behind '#': the names of columns, a rank, or something else. The first "time" and
 * "#wrong" are those out of place. */
static void read_comment(struct log *l, char *text, int fixed_ranks)
{
	char *words[WORDS_MAX];
	int n = split(text, words);
	int size = find_word(words, n, "size"), time = find_word(words, n, "time");

	if (size >= 0 && time >= 0) {
		l->size_at = size;
		l->time_at = time;
		l->wrong_at = find_word(words, n, "#wrong");
		l->redop_at = find_word(words, n, "redop");
		l->algbw_at = find_word(words, n, "algbw");
		l->busbw_at = find_word(words, n, "busbw");
	} else if (n > 1 && !strcmp(words[0], "Rank") && !fixed_ranks) {
		long rank = strtol(words[1], NULL, 10);
		if (rank >= l->ranks && rank < 1 << 20)
			l->ranks = (int)rank + 1;
	}
}

/* Notes what a row says of the program. */
static void note_bus(struct log *l, char *const *words, int n)
{
	double algbw = l->algbw_at >= 0 && l->algbw_at < n ? strtod(words[l->algbw_at], NULL) : 0;

	if (!(algbw > l->fastest) || l->busbw_at < 0 || l->busbw_at >= n)
		return;
	l->fastest = algbw;
	l->bus = strtod(words[l->busbw_at], NULL) / algbw;
	l->is_reducing =
		l->redop_at < 0 || l->redop_at >= n || strcmp(words[l->redop_at], "none") != 0;
}

static int read_row(struct log *l, char *text, struct paleo_comm_points *points,
		    struct paleo_error *err)
{
	char *words[WORDS_MAX], *size_end, *time_end;
	int n = split(text, words);

	if (n == 0 || !isdigit((unsigned char)words[0][0]))
		return PALEO_OK; /* a word of the program that started it */
	if (l->size_at < 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: numbers before a header with 'size' and 'time'", l->path,
				  l->line);
	if (l->ranks < 2)
		return paleo_fail(
			err, PALEO_EINPUT,
			"%s:%d: %d ranks are named above, expected at least 2: give --workers",
			l->path, l->line, l->ranks);
	if (n <= l->size_at || n <= l->time_at)
		return paleo_fail(err, PALEO_EINPUT, "%s:%d: %d columns, fewer than the header has",
				  l->path, l->line, n);
	double size = strtod(words[l->size_at], &size_end);
	double time = strtod(words[l->time_at], &time_end);
	if (*size_end || *time_end)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s:%d: size '%s' and time '%s', expected two numbers", l->path,
				  l->line, words[l->size_at], words[l->time_at]);
	if (l->wrong_at >= 0 && n > l->wrong_at && strtod(words[l->wrong_at], NULL) > 0)
		return paleo_fail(err, PALEO_EINPUT, "%s:%d: %s results were wrong", l->path,
				  l->line, words[l->wrong_at]);
	note_bus(l, words, n);
	return add(points, l->ranks, size, time, err);
}

static int read_text(const char *path, char *text, int ranks, struct paleo_comm_points *points,
		     struct paleo_error *err)
{
	struct log l = {.path = path,
			.ranks = ranks,
			.size_at = -1,
			.time_at = -1,
			.wrong_at = -1,
			.redop_at = -1,
			.algbw_at = -1,
			.busbw_at = -1};
	int rc = PALEO_OK, first = points->count;

	for (char *line = text, *next; !rc && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		l.line++;
		const struct collective *named = find_collective(line);
		if (named)
			l.named = named;
		char *start = without_tag(line);
		start += strspn(start, " \t\r");
		if (*start == '#')
			read_comment(&l, start + 1, ranks);
		else
			rc = read_row(&l, start, points, err);
	}
	if (!rc && l.size_at < 0)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: no header with 'size' and 'time', expected a log of "
				"nccl-tests or its JSON",
				path);
	return rc ? rc : settle(&l, points, first, err);
}

static int number(const struct paleo_json *object, const char *key, double *out,
		  struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	int rc = paleo_json_need(object, key, &v, err);

	return rc ? rc : paleo_json_to_double(v, 0, 1e18, out, err);
}

/* Notes what a result says of the program. */
static void note_result(struct log *l, const struct paleo_json *v, const struct paleo_json *out)
{
	const struct paleo_json *alg = paleo_json_get(out, "alg_bw");
	const struct paleo_json *bus = paleo_json_get(out, "bus_bw");
	const struct paleo_json *redop = paleo_json_get(v, "redop");
	double algbw = 0, busbw = 0;
	const char *word = "";
	struct paleo_error ignored;

	if (!alg || !bus || paleo_json_to_double(alg, 0, 1e18, &algbw, &ignored) ||
	    paleo_json_to_double(bus, 0, 1e18, &busbw, &ignored) || !(algbw > l->fastest))
		return;
	l->fastest = algbw;
	l->bus = busbw / algbw;
	l->is_reducing =
		!redop || paleo_json_to_string(redop, &word, &ignored) || strcmp(word, "none") != 0;
}

static int read_result(struct log *l, const struct paleo_json *v, struct paleo_comm_points *points,
		       struct paleo_error *err)
{
	const struct paleo_json *out = NULL, *wrong;
	double size = 0, time = 0, count = 0;

	PALEO_TRY(number(v, "size", &size, err));
	PALEO_TRY(paleo_json_need(v, "out_of_place", &out, err));
	PALEO_TRY(number(out, "time", &time, err));
	wrong = paleo_json_get(out, "nwrong");
	if (wrong && paleo_json_type(wrong) == PALEO_JSON_NUMBER) {
		PALEO_TRY(paleo_json_to_double(wrong, -1, 1e18, &count, err));
		if (count > 0)
			return paleo_json_fail(wrong, err, "%.0f results were wrong", count);
	}
	note_result(l, v, out);
	return add(points, l->ranks, size, time, err);
}

/* The program in the command line, "args". */
static const struct collective *named_in_args(const struct paleo_json *root)
{
	const struct paleo_json *args = paleo_json_get(root, "args");
	const struct collective *found = NULL;
	struct paleo_error ignored;
	const char *word;

	for (const struct paleo_json *v = args ? paleo_json_first(args) : NULL; v && !found;
	     v = paleo_json_next(v))
		if (!paleo_json_to_string(v, &word, &ignored))
			found = find_collective(word);
	return found;
}

static int read_json(const char *path, const struct paleo_json *root, int ranks,
		     struct paleo_comm_points *points, struct paleo_error *err)
{
	const struct paleo_json *results = NULL, *config = paleo_json_get(root, "config");
	const struct paleo_json *devices = config ? paleo_json_get(config, "devices") : NULL;

	PALEO_TRY(paleo_json_need(root, "results", &results, err));
	if (!ranks && devices)
		ranks = paleo_json_size(devices);
	if (ranks < 2)
		return paleo_json_fail(root, err,
				       "'config.devices' has %d entries, expected at least 2: "
				       "give --workers",
				       ranks);
	struct log l = {.path = path, .ranks = ranks, .named = named_in_args(root)};
	int first = points->count;
	for (const struct paleo_json *v = paleo_json_first(results); v; v = paleo_json_next(v))
		PALEO_TRY(read_result(&l, v, points, err));
	return settle(&l, points, first, err);
}

int paleo_comm_log_parse(const char *name, char *text, size_t size, int ranks,
			 struct paleo_comm_points *points, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;

	if (text[strspn(text, " \t\r\n")] != '{')
		return read_text(name, text, ranks, points, err);
	int rc = paleo_json_parse(name, 1, text, size, &doc, err);
	if (!rc)
		rc = read_json(name, paleo_json_root(doc), ranks, points, err);
	paleo_json_free(doc);
	return rc;
}

int paleo_comm_log_read(const char *path, int ranks, struct paleo_comm_points *points,
			struct paleo_error *err)
{
	char *text = NULL;
	size_t size = 0;
	int rc = paleo_file_read(path, FILE_BYTES_MAX, "a log of nccl-tests", &text, &size, err);

	if (!rc)
		rc = paleo_comm_log_parse(path, text, size, ranks, points, err);
	free(text);
	return rc;
}
