/* ranks.c - processes that share a task: joins them, and has what each says in rank 0. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/clock.h"

/* A rank that answers later than so many budgets after rank 0 itself is given up. */
static const double LATE = 2, LATE_S = 60;

/* The first byte of a message says what it is. */
enum {
	SAYS_NAME = 'n',
	SAYS_READY = 'r',
	SAYS_TEXT = 't',
	SAYS_FAILURE = 'f'
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

const char *ranks_launcher(void)
{
	const char *launcher = paleo_transport_launcher();

	return is_alone() ? NULL : launcher;
}

int ranks_join(const char *launcher, int processes, struct ranks **out, struct paleo_error *err)
{
	struct ranks *r = calloc(1, sizeof(*r));

	*out = r;
	if (!r)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	stop_hold(&r->old);
	r->transport = &ranks_processes;
	int rc = launcher ? paleo_plugin_open_transport(launcher, &r->transport, err) : PALEO_OK;
	if (!rc && !r->transport->send)
		rc = paleo_fail(err, PALEO_EUNSUPPORTED, "'%s' has no ranks in other processes",
				launcher);
	if (!rc)
		rc = r->transport->open(launcher ? PALEO_ANY_RANKS : processes, &r->session,
					&r->info, err);
	if (rc)
		return rc;
	r->all = calloc((size_t)r->info.ranks, sizeof(*r->all));
	return r->all ? PALEO_OK
		      : paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ranks", r->info.ranks);
}

int ranks_device(const struct ranks *r, const char *devices, char device[DEVICE_NAME_MAX],
		 struct paleo_error *err)
{
	struct device_list list;
	int local = r->info.local;

	if (!strcmp(devices, "auto") || !strcmp(devices, "all")) {
		snprintf(device, DEVICE_NAME_MAX, "%d", local);
		return PALEO_OK;
	}
	PALEO_TRY(device_list_parse(devices, &list, err));
	if (list.count == 1)
		local = 0;
	if (local >= list.count)
		return paleo_fail(err, PALEO_ENODEVICE,
				  "rank %d of its node, but --device lists %d: one rank per device",
				  local, list.count);
	memcpy(device, list.names[local], DEVICE_NAME_MAX);
	return session_check(device, err);
}

/* Takes what a rank says, also rank 0 itself. */
static int hear(struct ranks *r, int from, char what, const char *text, size_t size,
		struct paleo_error *err)
{
	struct rank *rank = &r->all[from];

	if (what == SAYS_NAME) {
		const char *blank = strchr(text, ' ');
		int length = blank ? (int)(blank - text) : 0;
		snprintf(rank->node, sizeof(rank->node), "%.*s", length, text);
		snprintf(rank->device, sizeof(rank->device), "%.60s, rank %d", text + length + 1,
			 from);
		return PALEO_OK;
	}
	if (what == SAYS_READY) {
		rank->is_ready = 1;
		return PALEO_OK;
	}
	rank->said++;
	if (what == SAYS_FAILURE) {
		snprintf(rank->failure, sizeof(rank->failure), "%.*s", (int)size, text);
		return PALEO_OK;
	}
	if (!rank->lines)
		rank->lines = paleo_collect(&rank->text);
	if (!rank->lines || fwrite(text, 1, size, rank->lines) != size || fflush(rank->lines))
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the records of rank %d",
				  from);
	return PALEO_OK;
}

static int say(struct ranks *r, char what, const char *text, size_t size, struct paleo_error *err)
{
	if (r->info.rank == 0)
		return hear(r, 0, what, text, size, err);
	char *message = malloc(size + 1);
	if (!message)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a message to rank 0");
	message[0] = what;
	memcpy(message + 1, text, size);
	int rc = r->transport->send(r->session, message, size + 1, err);
	free(message);
	return rc;
}

int ranks_say_name(struct ranks *r, const char *device, struct paleo_error *err)
{
	char name[128] = "";

	session_node(name, sizeof(name) - DEVICE_NAME_MAX - 8);
	size_t used = strlen(name);
	snprintf(name + used, sizeof(name) - used, " %.32s", device);
	return say(r, SAYS_NAME, name, strlen(name) + 1, err);
}

int ranks_say(struct ranks *r, const char *text, size_t size, struct paleo_error *err)
{
	return say(r, SAYS_TEXT, text, size, err);
}

int ranks_say_failure(struct ranks *r, const char *why, struct paleo_error *err)
{
	return say(r, SAYS_FAILURE, why, strlen(why) + 1, err);
}

/* Takes all that has arrived. */
static int hear_all(struct ranks *r, struct paleo_error *err)
{
	char *text;
	size_t size;
	int from, rc;

	do {
		rc = r->transport->receive(r->session, &text, &size, &from, err);
		if (rc || !text)
			break;
		r->all[from].is_gone |= !size;
		if (size)
			rc = hear(r, from, text[0], text + 1, size - 1, err);
		free(text);
	} while (!rc);
	return rc;
}

int ranks_heard(const struct ranks *r, int texts)
{
	int n = 0;

	for (int i = 0; i < r->info.ranks; i++)
		n += r->all[i].is_gone ||
		     (texts ? r->all[i].said >= texts : r->all[i].is_ready || r->all[i].said);
	return n;
}

int ranks_gather(struct ranks *r, int texts, double budget_s, struct paleo_error *err)
{
	const struct timespec moment = {.tv_nsec = 5000000};
	double end_s = paleo_now_s() + LATE * budget_s + LATE_S;
	int rc = PALEO_OK;

	while (!rc && ranks_heard(r, texts) < r->info.ranks && paleo_now_s() < end_s &&
	       !stop_came()) {
		rc = hear_all(r, err);
		nanosleep(&moment, NULL);
	}
	return rc ? rc : hear_all(r, err);
}

int ranks_meet(struct ranks *r, double budget_s, struct paleo_error *err)
{
	PALEO_TRY(say(r, SAYS_READY, "", 0, err));
	return r->info.rank ? PALEO_OK : ranks_gather(r, 0, budget_s, err);
}

const char *ranks_silence(void)
{
	return stop_came() ? "no answer before this run was ended, as launchers do when a rank dies"
			   : "no answer: the rank has died or hangs";
}

void ranks_end(struct ranks *r, int code)
{
	if (!r)
		return;
	int is_short = r->all && r->info.rank == 0 && ranks_heard(r, 1) < r->info.ranks;
	if (r->session)
		r->transport->close(r->session, is_short ? (code ? code : 1) : 0);
	stop_release(&r->old);
	for (int i = 0; r->all && i < r->info.ranks; i++) {
		if (r->all[i].lines)
			fclose(r->all[i].lines);
		free(r->all[i].text.text);
	}
	free(r->all);
	free(r);
}
