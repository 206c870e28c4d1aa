/* mpi.c - collective operations through MPI: every process is a rank. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/transport.h"

struct paleo_transport_session {
	MPI_Comm comm, group; /* all ranks; those of a collective */
	int ranks, rank;      /* of all */
	int group_ranks, group_rank;
	enum paleo_collective what;
	size_t count;
	float *in, *out;
};

static int check(int code, const char *call, struct paleo_error *err)
{
	char text[MPI_MAX_ERROR_STRING + 1] = "";
	int length = 0;

	if (code == MPI_SUCCESS)
		return PALEO_OK;
	MPI_Error_string(code, text, &length);
	return paleo_fail(err, PALEO_EBACKEND, "%s: %s", call, text);
}

/* Number of nodes, as each one's first rank counts 1; and this rank's number in its node. */
static int find_nodes(MPI_Comm comm, int *nodes, int *local, struct paleo_error *err)
{
	MPI_Comm node;
	int first;
	int rc = check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
		       "MPI_Comm_split_type", err);

	if (rc)
		return rc;
	MPI_Comm_rank(node, local);
	MPI_Comm_free(&node);
	first = *local == 0;
	return check(MPI_Allreduce(&first, nodes, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce", err);
}

/* Waits for a request; MPI_Wait() would keep a processor busy that others may measure. */
static int await(MPI_Request *request, const char *call, struct paleo_error *err)
{
	const struct timespec moment = {.tv_nsec = 2000000};
	int done = 0;

	for (;;) {
		int rc = check(MPI_Test(request, &done, MPI_STATUS_IGNORE), call, err);
		if (rc || done)
			return rc;
		nanosleep(&moment, NULL);
	}
}

static int wait_for_all(MPI_Comm comm, struct paleo_error *err)
{
	MPI_Request all;
	int rc = check(MPI_Ibarrier(comm, &all), "MPI_Ibarrier", err);

	return rc ? rc : await(&all, "MPI_Test", err);
}

/* The library's version is some lines of text; the first one up to a comma is enough. */
static void describe(const struct paleo_transport_session *s, int hosts,
		     struct paleo_transport_info *info)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	int length = 0;

	MPI_Get_library_version(version, &length);
	version[strcspn(version, ",\n")] = '\0';
	info->ranks = s->ranks;
	snprintf(info->what, sizeof(info->what), "%.128s, %d ranks on %d host%s", version, s->ranks,
		 hosts, hosts == 1 ? "" : "s");
}

static void close_session(struct paleo_transport_session *s, int failed)
{
	if (!s)
		return;
	free(s->in);
	free(s->out);
	if (failed && s->ranks > 1)
		MPI_Abort(s->comm, failed); /* does not return */
	struct paleo_error ignored;
	(void)wait_for_all(s->comm, &ignored);
	free(s);
	MPI_Finalize();
}

static int open_session(int ranks, struct paleo_transport_session **out,
			struct paleo_transport_info *info, struct paleo_error *err)
{
	int hosts = 1;
	struct paleo_transport_session *s = calloc(1, sizeof(*s));

	if (!s)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	/* A failure here ends the process with MPI's own message. */
	int rc = check(MPI_Init(NULL, NULL), "MPI_Init", err);
	if (rc) {
		free(s);
		return rc;
	}
	s->comm = MPI_COMM_WORLD;
	MPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN);
	MPI_Comm_size(s->comm, &s->ranks);
	MPI_Comm_rank(s->comm, &s->rank);
	info->rank = s->rank;
	s->group = s->comm;
	s->group_ranks = s->ranks;
	s->group_rank = s->rank;
	if (ranks != PALEO_ANY_RANKS && (s->ranks < 2 || (ranks && ranks != s->ranks)))
		rc = paleo_fail(err, PALEO_ENODEVICE,
				"MPI has %d rank%s, expected %s%d: start it with 'mpirun -np %d'",
				s->ranks, s->ranks == 1 ? "" : "s", ranks ? "" : "at least ",
				ranks ? ranks : 2, ranks ? ranks : 2);
	if (!rc)
		rc = find_nodes(s->comm, &hosts, &info->local, err);
	if (rc) {
		close_session(s, 0); /* all ranks are here */
		return rc;
	}
	describe(s, hosts, info);
	*out = s;
	return PALEO_OK;
}

static int launch(struct paleo_transport_session *s, struct paleo_error *err)
{
	int all = (int)s->count, part = all / s->group_ranks;

	switch (s->what) {
	case PALEO_ALL_REDUCE:
		return check(MPI_Allreduce(s->in, s->out, all, MPI_FLOAT, MPI_SUM, s->group),
			     "MPI_Allreduce", err);
	case PALEO_ALL_GATHER:
		return check(
			MPI_Allgather(s->in, part, MPI_FLOAT, s->out, part, MPI_FLOAT, s->group),
			"MPI_Allgather", err);
	case PALEO_REDUCE_SCATTER:
		return check(
			MPI_Reduce_scatter_block(s->in, s->out, part, MPI_FLOAT, MPI_SUM, s->group),
			"MPI_Reduce_scatter_block", err);
	}
	return paleo_fail(err, PALEO_EUNSUPPORTED, "collective %d is not known to mpi",
			  (int)s->what);
}

static int prepare(struct paleo_transport_session *s, enum paleo_collective what, size_t count,
		   struct paleo_error *err)
{
	int waited = wait_for_all(s->group, err); /* whose devices may still be measured */

	if (waited)
		return waited;
	free(s->in);
	free(s->out);
	s->in = s->out = NULL;
	if (count > INT_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "%zu numbers are more than MPI counts in one call (%d)", count,
				  INT_MAX);
	s->what = what;
	s->count = count;
	s->in = malloc(count * sizeof(*s->in));
	s->out = malloc(count * sizeof(*s->out));
	if (!s->in || !s->out)
		return paleo_fail(err, PALEO_ENOMEM,
				  "out of memory: %zu bytes for each of two vectors",
				  count * sizeof(*s->in));
	for (size_t i = 0; i < count; i++) {
		s->in[i] = paleo_collective_input(s->group_rank, i);
		s->out[i] = -1;
	}
	int rc = launch(s, err);
	return rc ? rc
		  : paleo_collective_check(what, s->group_ranks, s->group_rank, count, s->out, err);
}

static int run(struct paleo_transport_session *s, int reps, double *elapsed_s,
	       struct paleo_error *err)
{
	int rc = check(MPI_Barrier(s->group), "MPI_Barrier", err);
	double start = MPI_Wtime();

	for (int i = 0; !rc && i < reps; i++)
		rc = launch(s, err);
	if (rc)
		return rc;
	double mine = MPI_Wtime() - start;
	return check(MPI_Allreduce(&mine, elapsed_s, 1, MPI_DOUBLE, MPI_MAX, s->group),
		     "MPI_Allreduce", err);
}

static int set_group(struct paleo_transport_session *s, int group, int *ranks,
		     struct paleo_error *err)
{
	MPI_Comm comm;
	int rc = wait_for_all(s->comm, err);

	if (!rc)
		rc = check(
			MPI_Comm_split(s->comm, group < 0 ? MPI_UNDEFINED : group, s->rank, &comm),
			"MPI_Comm_split", err);
	if (rc)
		return rc;
	if (s->group != s->comm && s->group != MPI_COMM_NULL)
		MPI_Comm_free(&s->group);
	s->group = comm;
	s->group_ranks = s->group_rank = 0;
	if (comm != MPI_COMM_NULL) {
		MPI_Comm_size(comm, &s->group_ranks);
		MPI_Comm_rank(comm, &s->group_rank);
	}
	*ranks = s->group_ranks;
	return PALEO_OK;
}

static int send_text(struct paleo_transport_session *s, const char *text, size_t size,
		     struct paleo_error *err)
{
	MPI_Request sent;

	if (size > INT_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "%zu bytes are more than MPI sends",
				  size);
	/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): await() tests it until it is done */
	int rc = check(MPI_Issend(text, (int)size, MPI_BYTE, 0, 0, s->comm, &sent), "MPI_Issend",
		       err);
	return rc ? rc : await(&sent, "MPI_Test", err);
	/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */
}

static int receive_text(struct paleo_transport_session *s, char **text, size_t *size, int *from,
			struct paleo_error *err)
{
	MPI_Status status;
	int is_there = 0, count = 0;
	int rc = check(MPI_Iprobe(MPI_ANY_SOURCE, 0, s->comm, &is_there, &status), "MPI_Iprobe",
		       err);

	*text = NULL;
	if (rc || !is_there)
		return rc;
	MPI_Get_count(&status, MPI_BYTE, &count);
	char *found = calloc((size_t)count + 1, 1);
	if (!found)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory: %d bytes of another rank",
				  count);
	rc = check(
		MPI_Recv(found, count, MPI_BYTE, status.MPI_SOURCE, 0, s->comm, MPI_STATUS_IGNORE),
		"MPI_Recv", err);
	if (rc) {
		free(found);
		return rc;
	}
	*text = found;
	*size = (size_t)count;
	*from = status.MPI_SOURCE;
	return PALEO_OK;
}

const struct paleo_transport *paleo_transport_table(void)
{
	static const struct paleo_transport table = {
		.abi = PALEO_TRANSPORT_ABI,
		.name = "mpi",
		.open = open_session,
		.close = close_session,
		.prepare = prepare,
		.run = run,
		.group = set_group,
		.send = send_text,
		.receive = receive_text,
	};

	return &table;
}
