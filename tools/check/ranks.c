/* ranks.c - a check under mpirun or srun: each rank measures a device, rank 0 has them all. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/stats.h"
#include "base/text.h"
#include "bench/clock.h"
#include "bench/sweep.h"
#include "bench/transport.h"
#include "tools/check/check.h"
#include "tools/session/progress.h"
#include "tools/session/session.h"

/* A rank that answers later than so many budgets after rank 0 itself is given up. */
static const double LATE = 2, LATE_S = 60;

/* An all-reduce between pairs of ranks: its size, and the time for its samples. */
static const double REDUCED_BYTES = 16 << 20, REDUCE_S = 0.1;

enum {
	NAME_BYTES = 128,
	ROUNDS_MOST = 63
};

/* What rank 0 knows of a rank. */
struct rank {
	char node[NAME_BYTES]; /* "": it has never been heard */
	char device[NAME_BYTES];
	int has_answered, has_reduced;
	struct paleo_collected text; /* its records */
	FILE *lines;                 /* to it */
};

struct check_ranks {
	const struct paleo_transport *transport;
	struct paleo_transport_session *session;
	struct paleo_transport_info info;
	struct rank *ranks; /* of rank 0 */
	struct stop old;
};

/* The first byte of a text says what it is. */
enum {
	SAYS_NAME = 'n',
	SAYS_RECORDS = 'r',
	SAYS_FAILURE = 'f',
	SAYS_REDUCED = 'a' /* one more line of records: its all-reduces */
};

/* With one task there is nothing to join. */
static int is_alone(void)
{
	static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const char *size = getenv(sizes[i]);
		if (size)
			return !strcmp(size, "1");
	}
	return 0;
}

const char *check_launcher(void)
{
	const char *launcher = paleo_transport_launcher();

	return is_alone() ? NULL : launcher;
}

/* A list of devices is divided by the ranks of a node; auto and all are its GPUs. */
static int choose_device(const struct check_settings *s, int local, char *device, size_t size,
			 struct paleo_error *err)
{
	struct device_list list;

	if (!strcmp(s->device, "auto") || !strcmp(s->device, "all")) {
		snprintf(device, size, "%d", local);
		return PALEO_OK;
	}
	int rc = device_list_parse(s->device, &list, err);
	if (rc)
		return rc;
	if (list.count == 1)
		local = 0;
	if (local >= list.count)
		return paleo_fail(err, PALEO_ENODEVICE,
				  "rank %d of its node, but --device lists %d: one rank per device",
				  local, list.count);
	snprintf(device, size, "%s", list.names[local]);
	return session_check(device, err);
}

static int say(struct check_ranks *r, char what, const char *text, size_t size,
	       struct paleo_error *err)
{
	char *message = malloc(size + 1);

	if (!message)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a message to rank 0");
	message[0] = what;
	memcpy(message + 1, text, size);
	int rc = r->transport->send(r->session, message, size + 1, err);
	free(message);
	return rc;
}

/* Takes what a rank says, also rank 0 itself. */
static int hear(struct check_ranks *r, int from, char what, const char *text, size_t size,
		struct checks *all, struct paleo_error *err)
{
	struct rank *rank = &r->ranks[from];

	if (what == SAYS_NAME) {
		const char *blank = strchr(text, ' ');
		int length = blank ? (int)(blank - text) : 0;
		snprintf(rank->node, sizeof(rank->node), "%.*s", length, text);
		snprintf(rank->device, sizeof(rank->device), "%.60s, rank %d", text + length + 1,
			 from);
		return PALEO_OK;
	}
	rank->has_reduced |= what == SAYS_REDUCED;
	rank->has_answered |= what != SAYS_REDUCED;
	if (what == SAYS_FAILURE)
		return checks_add_missing(all, rank->node, rank->device, text, err);
	if (!rank->lines)
		rank->lines = paleo_collect(&rank->text);
	if (!rank->lines)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the records of rank %d",
				  from);
	fwrite(text, 1, size, rank->lines);
	return PALEO_OK;
}

/* Takes all that has arrived. */
static int hear_all(struct check_ranks *r, struct checks *all, struct paleo_error *err)
{
	char *text;
	size_t size;
	int from, rc;

	do {
		rc = r->transport->receive(r->session, &text, &size, &from, err);
		if (rc || !text)
			break;
		if (size)
			rc = hear(r, from, text[0], text + 1, size - 1, all, err);
		free(text);
	} while (!rc);
	return rc;
}

/* The ranks that have answered, or have sent their all-reduces. */
static int count_heard(const struct check_ranks *r, int reduced)
{
	int n = 0;

	for (int i = 0; i < r->info.ranks; i++)
		n += reduced ? r->ranks[i].has_reduced : r->ranks[i].has_answered;
	return n;
}

/* Waits for the others. */
static int gather(struct check_ranks *r, double budget_s, int reduced, struct checks *all,
		  struct paleo_error *err)
{
	const struct timespec moment = {.tv_nsec = 5000000};
	double end_s = paleo_now_s() + LATE * budget_s + LATE_S;
	int rc = PALEO_OK;

	while (!rc && count_heard(r, reduced) < r->info.ranks && paleo_now_s() < end_s &&
	       !stop_came()) {
		rc = hear_all(r, all, err);
		nanosleep(&moment, NULL);
	}
	return rc ? rc : hear_all(r, all, err);
}

/* The records of the ranks in their order; of those that did not answer, that. */
static int take_answers(struct check_ranks *r, struct checks *all, FILE *lines,
			struct paleo_error *err)
{
	char name[32];
	int rc = PALEO_OK;

	for (int i = 0; i < r->info.ranks && !rc; i++) {
		struct rank *rank = &r->ranks[i];
		snprintf(name, sizeof(name), "rank %d", i);
		if (!rank->has_answered) {
			rc = checks_add_missing(
				all, rank->node[0] ? rank->node : "?",
				rank->node[0] ? rank->device : name,
				stop_came() ? "no answer before this run was ended, as launchers "
					      "do when a rank dies"
					    : "no answer: the rank has died or hangs",
				err);
		} else if (rank->lines) {
			rc = fflush(rank->lines)
				     ? paleo_fail(err, PALEO_ENOMEM, "out of memory for records")
				     : checks_add_text(all, name, rank->text.text, rank->text.size,
						       1, err);
			fwrite(rank->text.text, 1, rank->text.size, lines);
		}
	}
	return rc;
}

/* Two ranks on one device measure each other. */
static void refuse_doubles(struct checks *all)
{
	for (int i = 0; i < all->count; i++)
		for (int k = 0; k < all->count; k++) {
			struct checked *c = &all->items[i];
			if (i == k || !c->results.has_condition ||
			    !all->items[k].results.has_condition ||
			    !checked_same_device(c, &all->items[k]))
				continue;
			snprintf(c->missing, sizeof(c->missing),
				 "several ranks measured it at the same time: start one rank per "
				 "device");
		}
}

/* Measures the device of this rank, and says what came of it. */
static int measure_own(struct check_ranks *r, const struct check_settings *s, struct checks *all,
		       struct paleo_error *err)
{
	struct check_file file = {.path = ""};
	struct check_settings own = *s;
	char device[DEVICE_NAME_MAX] = "", name[NAME_BYTES] = "", *text = NULL;
	size_t size = 0;
	struct paleo_error why;
	int rc, failed = choose_device(s, r->info.local, device, sizeof(device), &why);

	own.quiet = s->quiet || r->info.rank != 0;
	own.is_silent = r->info.rank != 0;
	check_node(name, sizeof(name) - DEVICE_NAME_MAX - 8);
	size_t used = strlen(name);
	snprintf(name + used, sizeof(name) - used, " %.32s", device);
	rc = r->info.rank ? say(r, SAYS_NAME, name, strlen(name) + 1, err)
			  : hear(r, 0, SAYS_NAME, name, 0, all, err);
	if (rc)
		return rc;
	if (!failed)
		failed = check_measure_text(&own, device, &file, &text, &size, &why);
	char what = failed ? SAYS_FAILURE : SAYS_RECORDS;
	const char *said = failed ? why.text : text;
	size = failed ? strlen(why.text) + 1 : size;
	rc = r->info.rank ? say(r, what, said, size, err) : hear(r, 0, what, said, size, all, err);
	free(text);
	return rc;
}

/* Whom a rank meets in a round in which all meet in pairs, of `m` ranks, an even number: those
 * whose sum is the round, but for the last one, who meets who would meet himself. */
static int partner(int rank, int round, int m)
{
	if (rank == m - 1)
		return (int)((long long)round * (m / 2) % (m - 1));
	int other = (round - rank + m - 1) % (m - 1);
	return other == rank ? m - 1 : other;
}

/* The time of an all-reduce in this rank's group. */
static int reduce(struct check_ranks *r, int ranks, double *out_s, struct paleo_error *err)
{
	const struct paleo_sweep_options o = {.what = PALEO_ALL_REDUCE,
					      .from_bytes = REDUCED_BYTES,
					      .to_bytes = REDUCED_BYTES,
					      .factor = 2,
					      .samples = 5,
					      .budget_s = REDUCE_S};
	struct paleo_sweep_point *points = NULL;
	int count = 0;
	int rc = paleo_sweep(r->transport, r->session, ranks, &o, &points, &count, err);

	if (!rc)
		*out_s = points[0].median_s;
	free(points);
	return rc;
}

/* All-reduces with each other rank in turn, *n of them as bytes a second, then of all together. */
static int reduce_in_turn(struct check_ranks *r, double *rates, int *n, double *all_s,
			  struct paleo_error *err)
{
	int me = r->info.rank, m = r->info.ranks + r->info.ranks % 2, ranks, rc = PALEO_OK;
	int rounds = m - 1 < ROUNDS_MOST ? m - 1 : ROUNDS_MOST;
	double time_s = NAN;

	for (int round = 0; round < rounds && !rc; round++) {
		int other = partner(me, round, m);
		int has_partner = other < r->info.ranks;
		rc = r->transport->group(r->session, has_partner ? (me < other ? me : other) : -1,
					 &ranks, err);
		if (rc || !has_partner)
			continue;
		rc = reduce(r, ranks, &time_s, err);
		if (!rc)
			rates[(*n)++] = REDUCED_BYTES / time_s;
	}
	if (!rc)
		rc = r->transport->group(r->session, 0, &ranks, err);
	return rc ? rc : reduce(r, ranks, all_s, err);
}

/* What a rank says of them: a ceiling of its device. */
static int say_reduced(struct check_ranks *r, double *rates, int n, struct checks *all,
		       struct paleo_error *err)
{
	struct paleo_ceiling c = {.unit = "B/s", .spread = NAN};
	struct paleo_collected text = {0};
	FILE *lines = paleo_collect(&text);

	if (!lines)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the all-reduces");
	paleo_sort(rates, (size_t)n);
	c.value = paleo_quantile_sorted(rates, (size_t)n, 0.5);
	if (n > 2)
		c.spread = (paleo_quantile_sorted(rates, (size_t)n, 0.75) -
			    paleo_quantile_sorted(rates, (size_t)n, 0.25)) /
			   c.value;
	snprintf(c.name, sizeof(c.name), "all_reduce_of_%d", r->info.ranks);
	snprintf(c.how, sizeof(c.how), "%.0f MB with each of %d others, the median: %.60s",
		 1e-6 * REDUCED_BYTES, n, r->info.what);
	int rc = paleo_ceiling_write(&c, lines, err);
	if (!rc && paleo_collect_close(lines))
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the all-reduces");
	if (!rc)
		rc = r->info.rank ? say(r, SAYS_REDUCED, text.text, text.size, err)
				  : hear(r, 0, SAYS_REDUCED, text.text, text.size, all, err);
	free(text.text);
	return rc;
}

static int reduce_all(struct check_ranks *r, const struct check_settings *s, struct checks *all,
		      struct paleo_error *err)
{
	double *rates = calloc((size_t)r->info.ranks + 1, sizeof(*rates)), all_s = NAN;
	int n = 0;
	int rc = rates ? reduce_in_turn(r, rates, &n, &all_s, err)
		       : paleo_fail(err, PALEO_ENOMEM, "out of memory for the all-reduces");

	if (!rc)
		rc = say_reduced(r, rates, n, all, err);
	free(rates);
	if (rc || r->info.rank)
		return rc;
	paleo_print(paleo_table_is_data(s->format) ? stderr : stdout,
		    "all-reduce of %.0f MB: %.3f ms: %s\n", 1e-6 * REDUCED_BYTES, 1e3 * all_s,
		    r->info.what);
	return gather(r, s->budget_s, 1, all, err);
}

static int join(struct check_ranks *r, const char *transport, struct paleo_error *err)
{
	int rc = paleo_plugin_open_transport(transport, &r->transport, err);

	if (!rc && !r->transport->send)
		rc = paleo_fail(err, PALEO_EUNSUPPORTED, "'%s' has no ranks in other processes",
				transport);
	if (!rc)
		rc = r->transport->open(PALEO_ANY_RANKS, &r->session, &r->info, err);
	if (rc)
		return rc;
	r->ranks = calloc((size_t)r->info.ranks, sizeof(*r->ranks));
	return r->ranks
		       ? PALEO_OK
		       : paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ranks", r->info.ranks);
}

int check_ranks(const struct check_settings *s, const char *transport, struct checks *all,
		FILE *lines, struct check_ranks **out, int *rank, struct paleo_error *err)
{
	struct check_ranks *r = calloc(1, sizeof(*r));

	*out = r;
	if (!r)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	stop_hold(&r->old);
	int rc = join(r, transport, err);
	*rank = r->info.rank;
	if (!rc)
		rc = measure_own(r, s, all, err);
	if (!rc && *rank == 0)
		rc = gather(r, s->budget_s, 0, all, err);
	/* where one does not answer the others wait for it, and are ended */
	int is_whole = *rank || count_heard(r, 0) == r->info.ranks;
	if (!rc && s->collective >= 0 && is_whole && r->info.ranks > 1)
		rc = reduce_all(r, s, all, err);
	if (rc || *rank)
		return rc;
	rc = take_answers(r, all, lines, err);
	refuse_doubles(all);
	return rc;
}

static void release_ranks(struct check_ranks *r)
{
	for (int i = 0; r->ranks && i < r->info.ranks; i++) {
		if (r->ranks[i].lines)
			fclose(r->ranks[i].lines);
		free(r->ranks[i].text.text);
	}
	free(r->ranks);
	free(r);
}

void check_ranks_end(struct check_ranks *r, int code)
{
	if (!r)
		return;
	int is_short = r->ranks && r->info.rank == 0 && count_heard(r, 0) < r->info.ranks;
	if (r->session)
		r->transport->close(r->session, is_short ? (code ? code : EXIT_ROWS) : 0);
	stop_release(&r->old);
	release_ranks(r);
}
