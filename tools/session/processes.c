/* processes.c - a transport without a launcher: this process and its children are the ranks. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/session/ranks.h"

struct paleo_transport_session {
	int ranks, rank;
	int to_first;         /* of a child: its pipe */
	struct pollfd *pipes; /* of rank 0: from each rank, -1 from its own */
	pid_t *children;      /* likewise */
};

static void release(struct paleo_transport_session *s)
{
	for (int i = 0; s->pipes && i < s->ranks; i++)
		if (s->pipes[i].fd >= 0)
			close(s->pipes[i].fd);
	if (s->to_first >= 0)
		close(s->to_first);
	free(s->pipes);
	free(s->children);
	free(s);
}

/* Rank 0 outlives its children, and ends them where one has failed. */
static void close_session(struct paleo_transport_session *s, int failed)
{
	if (!s)
		return;
	for (int i = 1; s->rank == 0 && i < s->ranks; i++)
		if (failed && s->children[i] > 0)
			kill(s->children[i], SIGTERM);
	for (int i = 1; s->rank == 0 && i < s->ranks; i++)
		while (s->children[i] > 0 && waitpid(s->children[i], NULL, 0) < 0 && errno == EINTR)
			;
	release(s);
}

/* Makes a child of this rank. In the child *rank is its own. */
static int make_child(struct paleo_transport_session *s, int rank, struct paleo_error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return paleo_fail(err, PALEO_EIO, "cannot make a pipe: %s", strerror(errno));
	pid_t child = fork();
	if (child < 0) {
		close(ends[0]);
		close(ends[1]);
		return paleo_fail(err, PALEO_EIO, "cannot make a process: %s", strerror(errno));
	}
	close(ends[child ? 1 : 0]);
	if (child) {
		s->pipes[rank] = (struct pollfd){.fd = ends[0], .events = POLLIN};
		s->children[rank] = child;
		return PALEO_OK;
	}
	for (int i = 0; i < rank; i++)
		if (s->pipes[i].fd >= 0)
			close(s->pipes[i].fd);
	free(s->pipes);
	s->pipes = NULL;
	s->to_first = ends[1];
	s->rank = rank;
	return PALEO_OK;
}

static int open_session(int ranks, struct paleo_transport_session **out,
			struct paleo_transport_info *info, struct paleo_error *err)
{
	struct paleo_transport_session *s = calloc(1, sizeof(*s));
	int rc = PALEO_OK;

	if (!s)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	s->ranks = ranks;
	s->to_first = -1;
	s->pipes = malloc((size_t)ranks * sizeof(*s->pipes));
	s->children = calloc((size_t)ranks, sizeof(*s->children));
	if (!s->pipes || !s->children)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ranks", ranks);
	for (int i = 0; s->pipes && i < ranks; i++)
		s->pipes[i].fd = -1;
	fflush(NULL); /* what is in buffers is this process's to write */
	for (int i = 1; !rc && i < ranks && s->rank == 0; i++)
		rc = make_child(s, i, err);
	if (rc) {
		close_session(s, 1);
		return rc;
	}
	info->ranks = ranks;
	info->rank = info->local = s->rank;
	snprintf(info->what, sizeof(info->what), "%d processes", ranks);
	*out = s;
	return PALEO_OK;
}

/* 1 if all bytes came. */
static int read_all(int fd, void *to, size_t size)
{
	char *at = to;

	while (size) {
		ssize_t n = read(fd, at, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		at += n;
		size -= (size_t)n;
	}
	return 1;
}

static int write_all(int fd, const void *from, size_t size)
{
	const char *at = from;

	while (size) {
		ssize_t n = write(fd, at, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		at += n;
		size -= (size_t)n;
	}
	return 1;
}

static int send_text(struct paleo_transport_session *s, const char *text, size_t size,
		     struct paleo_error *err)
{
	if (!write_all(s->to_first, &size, sizeof(size)) || !write_all(s->to_first, text, size))
		return paleo_fail(err, PALEO_EIO, "cannot write to the first process: %s",
				  strerror(errno));
	return PALEO_OK;
}

/* A child that has died says nothing, once. */
static int receive_text(struct paleo_transport_session *s, char **text, size_t *size, int *from,
			struct paleo_error *err)
{
	*text = NULL;
	if (poll(s->pipes, (nfds_t)s->ranks, 0) <= 0)
		return PALEO_OK;
	for (int i = 1; i < s->ranks; i++) {
		struct pollfd *p = &s->pipes[i];
		if (p->fd < 0 || !p->revents)
			continue;
		if (!read_all(p->fd, size, sizeof(*size)))
			*size = 0;
		char *found = calloc(*size + 1, 1);
		if (!found)
			return paleo_fail(err, PALEO_ENOMEM,
					  "out of memory: %zu bytes of another process", *size);
		if (!*size || !read_all(p->fd, found, *size)) {
			*size = 0;
			close(p->fd);
			p->fd = -1;
		}
		*text = found;
		*from = i;
		return PALEO_OK;
	}
	return PALEO_OK;
}

const struct paleo_transport ranks_processes = {
	.name = "processes",
	.open = open_session,
	.close = close_session,
	.send = send_text,
	.receive = receive_text,
};
