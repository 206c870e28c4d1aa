/* mpi.c - collective operations through MPI: every process is a rank. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/transport.h"

struct paleo_transport_session {
	MPI_Comm comm;
	int ranks, rank;
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

/* How many hosts take part: each one's first rank counts 1. */
static int count_hosts(MPI_Comm comm, int *hosts, struct paleo_error *err)
{
	MPI_Comm host;
	int rank = 0, first;
	int rc = check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
		       "MPI_Comm_split_type", err);

	if (rc)
		return rc;
	MPI_Comm_rank(host, &rank);
	MPI_Comm_free(&host);
	first = rank == 0;
	return check(MPI_Allreduce(&first, hosts, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce", err);
}

/* The library's version is some lines of text; the first up to a comma says enough. */
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
		MPI_Abort(s->comm, 1); /* does not return */
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
	/* A failure in here ends the process, with MPI's own words. */
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
	if (s->ranks < 2 || (ranks && ranks != s->ranks))
		rc = paleo_fail(err, PALEO_ENODEVICE,
				"MPI has %d rank%s, expected %s%d: start it with 'mpirun -np %d'",
				s->ranks, s->ranks == 1 ? "" : "s", ranks ? "" : "at least ",
				ranks ? ranks : 2, ranks ? ranks : 2);
	if (!rc)
		rc = count_hosts(s->comm, &hosts, err);
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
	int all = (int)s->count, part = all / s->ranks;

	switch (s->what) {
	case PALEO_ALL_REDUCE:
		return check(MPI_Allreduce(s->in, s->out, all, MPI_FLOAT, MPI_SUM, s->comm),
			     "MPI_Allreduce", err);
	case PALEO_ALL_GATHER:
		return check(
			MPI_Allgather(s->in, part, MPI_FLOAT, s->out, part, MPI_FLOAT, s->comm),
			"MPI_Allgather", err);
	case PALEO_REDUCE_SCATTER:
		return check(
			MPI_Reduce_scatter_block(s->in, s->out, part, MPI_FLOAT, MPI_SUM, s->comm),
			"MPI_Reduce_scatter_block", err);
	}
	return paleo_fail(err, PALEO_EUNSUPPORTED, "collective %d is not known to mpi",
			  (int)s->what);
}

static int prepare(struct paleo_transport_session *s, enum paleo_collective what, size_t count,
		   struct paleo_error *err)
{
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
		s->in[i] = paleo_collective_input(s->rank, i);
		s->out[i] = -1;
	}
	int rc = launch(s, err);
	return rc ? rc : paleo_collective_check(what, s->ranks, s->rank, count, s->out, err);
}

static int run(struct paleo_transport_session *s, int reps, double *elapsed_s,
	       struct paleo_error *err)
{
	int rc = check(MPI_Barrier(s->comm), "MPI_Barrier", err);
	double start = MPI_Wtime();

	for (int i = 0; !rc && i < reps; i++)
		rc = launch(s, err);
	if (rc)
		return rc;
	double mine = MPI_Wtime() - start;
	return check(MPI_Allreduce(&mine, elapsed_s, 1, MPI_DOUBLE, MPI_MAX, s->comm),
		     "MPI_Allreduce", err);
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
	};

	return &table;
}
