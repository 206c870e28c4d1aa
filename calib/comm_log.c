/* comm_log.c - reads measured times of collective operations: logs and JSON of nccl-tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/comm_log.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
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

/* Adds a row that says something. */
static int add(struct paleo_comm_points *points, int ranks, double bytes, double time_us,
	       struct paleo_error *err)
{
	struct paleo_comm_point p = {.ranks = ranks, .bytes = bytes, .time_s = time_us * 1e-6};

	if (!(bytes > 0 && isfinite(bytes) && time_us > 0 && isfinite(time_us)))
		return PALEO_OK;
	return paleo_comm_points_add(points, &p, err);
}

/* What is known of a log while it is read. */
struct log {
	const char *path;
	int line, ranks;
	int size_at, time_at, wrong_at; /* columns; -1: no header yet, or none of this name */
};

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
	} else if (n > 1 && !strcmp(words[0], "Rank") && !fixed_ranks) {
		long rank = strtol(words[1], NULL, 10);
		if (rank >= l->ranks && rank < 1 << 20)
			l->ranks = (int)rank + 1;
	}
}

static int read_row(const struct log *l, char *text, struct paleo_comm_points *points,
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
			"%s:%d: %d ranks are named above, expected at least 2: give --ranks",
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
	return add(points, l->ranks, size, time, err);
}

static int read_text(const char *path, char *text, int ranks, struct paleo_comm_points *points,
		     struct paleo_error *err)
{
	struct log l = {.path = path, .ranks = ranks, .size_at = -1, .time_at = -1, .wrong_at = -1};
	int rc = PALEO_OK;

	for (char *line = text, *next; !rc && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		l.line++;
		char *start = line + strspn(line, " \t\r");
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
	return rc;
}

static int number(const struct paleo_json *object, const char *key, double *out,
		  struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	int rc = paleo_json_need(object, key, &v, err);

	return rc ? rc : paleo_json_to_double(v, 0, 1e18, out, err);
}

static int read_result(const struct paleo_json *v, int ranks, struct paleo_comm_points *points,
		       struct paleo_error *err)
{
	const struct paleo_json *out = NULL, *wrong;
	double size = 0, time = 0, count = 0;
	int rc = number(v, "size", &size, err);

	if (!rc)
		rc = paleo_json_need(v, "out_of_place", &out, err);
	if (!rc)
		rc = number(out, "time", &time, err);
	if (rc)
		return rc;
	wrong = paleo_json_get(out, "nwrong");
	if (wrong && paleo_json_type(wrong) == PALEO_JSON_NUMBER) {
		rc = paleo_json_to_double(wrong, -1, 1e18, &count, err);
		if (!rc && count > 0)
			rc = paleo_json_fail(wrong, err, "%.0f results were wrong", count);
	}
	return rc ? rc : add(points, ranks, size, time, err);
}

static int read_json(const struct paleo_json *root, int ranks, struct paleo_comm_points *points,
		     struct paleo_error *err)
{
	const struct paleo_json *results = NULL, *config = paleo_json_get(root, "config");
	const struct paleo_json *devices = config ? paleo_json_get(config, "devices") : NULL;
	int rc = paleo_json_need(root, "results", &results, err);

	if (rc)
		return rc;
	if (!ranks && devices)
		ranks = paleo_json_size(devices);
	if (ranks < 2)
		return paleo_json_fail(root, err,
				       "'config.devices' has %d entries, expected at least 2: "
				       "give --ranks",
				       ranks);
	for (const struct paleo_json *v = paleo_json_first(results); !rc && v;
	     v = paleo_json_next(v))
		rc = read_result(v, ranks, points, err);
	return rc;
}

int paleo_comm_log_parse(const char *name, char *text, size_t size, int ranks,
			 struct paleo_comm_points *points, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;

	if (text[strspn(text, " \t\r\n")] != '{')
		return read_text(name, text, ranks, points, err);
	int rc = paleo_json_parse(name, 1, text, size, &doc, err);
	if (!rc)
		rc = read_json(paleo_json_root(doc), ranks, points, err);
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
