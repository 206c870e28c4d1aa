/* worker.c - runs a backend in a child process: a crash, a hang or lack of memory costs one row. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/worker.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/clock.h"
#include "bench/worker_child.h"

/* Time limits for a child: to open its device, to measure its peaks, to measure all its ceilings,
 * to end on request, and to die. */
static const double OPEN_S = 120, PEAKS_S = 120, CEILINGS_S = 120, CLOSE_S = 3, DIE_S = 5;
static const double TELL_S = 0.25; /* interval of reports while waiting for a child */

enum {
	OPEN_TRIES = 3 /* a device may need a moment after a crash */
};

struct paleo_worker {
	struct paleo_worker_config config;
	char backend[33]; /* config.backend */
	pid_t pid;        /* 0: no child */
	int socket;
};

/* Waits until the child has ended; 1 if it has within `limit_s`. */
static int reap(pid_t pid, double limit_s, int *status)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	double end = paleo_now_s() + limit_s;

	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);
		if (got == pid)
			return 1;
		if ((got < 0 && errno != EINTR) || paleo_now_s() >= end)
			return 0;
		nanosleep(&moment, NULL);
	}
}

/* Lets go of a child that was killed or has died; its wait status, or -1 if it is not available:
 * the kernel may hold on to a process whose driver hangs. */
static int drop_child(struct paleo_worker *w)
{
	int status;

	if (!reap(w->pid, DIE_S, &status))
		status = -1;
	close(w->socket);
	w->pid = 0;
	w->socket = -1;
	return status;
}

static void kill_child(struct paleo_worker *w)
{
	if (!w->pid)
		return;
	kill(w->pid, SIGKILL);
	drop_child(w);
}

/* Reports how the child died; drops it. */
static int report_death(struct paleo_worker *w, struct paleo_error *err)
{
	int status = drop_child(w);

	if (status == -1)
		return paleo_fail(err, PALEO_ECRASH,
				  "the worker closed its connection and does not end");
	if (WIFEXITED(status))
		return paleo_fail(err, PALEO_ECRASH, "the worker ended by itself with code %d",
				  WEXITSTATUS(status));
	int number = WTERMSIG(status);
	return paleo_fail(err, PALEO_ECRASH, "the worker was killed by signal %d (%s)%s", number,
			  strsignal(number), number == SIGKILL ? ": memory may have run out" : "");
}

/* Waits for something to read until `end`, as poll() does. */
static int wait_until(const struct paleo_worker *w, double end)
{
	struct pollfd p = {.fd = w->socket, .events = POLLIN};

	for (;;) {
		double left = fmax(end - paleo_now_s(), 0), part = left;
		if (w->config.progress.report)
			part = fmin(left, TELL_S);
		int ready = poll(&p, 1, (int)fmin(ceil(part * 1e3), 1e9));
		if (ready > 0 || (ready < 0 && errno != EINTR) || (ready == 0 && part >= left))
			return ready;
		if (ready == 0)
			paleo_progress_report(&w->config.progress, 0, 0);
	}
}

/* Waits for a packet; ECRASH when the child dies, ETIMEOUT when it is killed for being late. */
static int receive(struct paleo_worker *w, void *message, size_t size, double limit_s,
		   struct paleo_error *err)
{
	if (wait_until(w, paleo_now_s() + limit_s) == 0) {
		kill_child(w);
		return paleo_fail(err, PALEO_ETIMEOUT, "no answer within %.3g s", limit_s);
	}
	ssize_t n = recv(w->socket, message, size, MSG_DONTWAIT);
	if (n == (ssize_t)size)
		return PALEO_OK;
	if (n > 0) /* never: one graph, one size */
		kill(w->pid, SIGKILL);
	return report_death(w, err);
}

/* Forks a child; the caller waits for its hello. */
static int start_child(struct paleo_worker *w, struct paleo_error *err)
{
	int ends[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return paleo_fail(err, PALEO_EIO, "no socket for a worker: %s", strerror(errno));
	fflush(NULL); /* otherwise both could write the buffered output */
	pid_t pid = fork();
	if (pid < 0) {
		int reason = errno;
		close(ends[0]);
		close(ends[1]);
		return paleo_fail(err, PALEO_EIO, "no process for a worker: %s", strerror(reason));
	}
	if (pid == 0) {
		close(ends[0]);
		paleo_worker_child(&w->config, ends[1], (int)parent);
	}
	close(ends[1]);
	w->pid = pid;
	w->socket = ends[0];
	return PALEO_OK;
}

/* A child with an open device; *info may be NULL. */
static int open_child(struct paleo_worker *w, struct paleo_device_info *info,
		      struct paleo_error *err)
{
	struct paleo_worker_hello hello;

	int rc = start_child(w, err);
	if (!rc)
		rc = receive(w, &hello, sizeof(hello), OPEN_S, err);
	if (rc) {
		paleo_error_prefix(err, "opening '%s'", w->backend);
		return rc;
	}
	if (hello.status) {
		*err = hello.error;
		drop_child(w);
		return hello.status;
	}
	if (info)
		*info = hello.info;
	return PALEO_OK;
}

/* A new child in place of one that was lost. */
static int replace_child(struct paleo_worker *w, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < OPEN_TRIES; i++) {
		rc = open_child(w, NULL, err);
		if (rc != PALEO_ECRASH)
			break;
	}
	return rc;
}

int paleo_worker_open(const struct paleo_worker_config *config, struct paleo_worker **out,
		      struct paleo_device_info *info, struct paleo_error *err)
{
	if (strlen(config->backend) >= sizeof((*out)->backend))
		return paleo_fail(err, PALEO_EINPUT, "'%.40s' is not a backend name",
				  config->backend);
	struct paleo_worker *w = calloc(1, sizeof(*w));
	if (!w)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a worker");
	w->config = *config;
	snprintf(w->backend, sizeof(w->backend), "%s", config->backend);
	w->config.backend = w->backend;
	if (w->config.op_timeout_s == 0)
		w->config.op_timeout_s = 60;
	w->socket = -1;
	int rc = open_child(w, info, err);
	if (rc) {
		paleo_worker_close(w);
		return rc;
	}
	*out = w;
	return PALEO_OK;
}

/* Sends bytes, in packets where they are many. */
static int tell(struct paleo_worker *w, const void *data, size_t size, struct paleo_error *err)
{
	const char *at = data;

	while (size > 0) {
		size_t most = size < PALEO_WORKER_PACKET ? size : PALEO_WORKER_PACKET;
		ssize_t n = send(w->socket, at, most, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != (ssize_t)most) {
			kill(w->pid, SIGKILL); /* most often it is dead already */
			return report_death(w, err);
		}
		at += most;
		size -= most;
	}
	return PALEO_OK;
}

/* Waits for the reply to a request. */
static int await(struct paleo_worker *w, const struct paleo_worker_request *request, void *reply,
		 size_t size, struct paleo_error *err)
{
	double limit_s =
		request->policy.timeout_s > 0 ? request->policy.timeout_s : w->config.op_timeout_s;
	limit_s += request->policy.budget_s + request->policy.sustain_s +
		   PALEO_ENERGY_WINDOW_MAX * request->policy.energy_s;
	if (w->config.op_limit_s > 0 && w->config.op_limit_s < limit_s)
		limit_s = w->config.op_limit_s;
	return receive(w, reply, size, limit_s, err);
}

/* Sends the request and waits for its reply. */
static int ask(struct paleo_worker *w, const struct paleo_worker_request *request, void *reply,
	       size_t size, struct paleo_error *err)
{
	int rc = tell(w, request, sizeof(*request), err);

	return rc ? rc : await(w, request, reply, size, err);
}

/* Status and reason of an op or a program without a reply. */
static enum paleo_record_status say_lost(const struct paleo_error *fault, char *reason, size_t size)
{
	snprintf(reason, size, "%.*s", (int)size - 1, fault->text);
	if (fault->status == PALEO_ETIMEOUT)
		return PALEO_RECORD_TIMEOUT;
	return fault->status == PALEO_ECRASH ? PALEO_RECORD_CRASH : PALEO_RECORD_FAILED;
}

/* Sees that there is a child. */
static int need_child(struct paleo_worker *w, struct paleo_error *err)
{
	return w->pid ? PALEO_OK : replace_child(w, err);
}

/* An answer's status, and its error where it is one. */
static int take_error(int status, const struct paleo_error *error, struct paleo_error *err)
{
	if (status)
		*err = *error;
	return status;
}

/* After an error of its library, a device may be of no use to the child any more. */
static void drop_failed(struct paleo_worker *w, enum paleo_record_status status)
{
	if (status == PALEO_RECORD_FAILED || status == PALEO_RECORD_CRASH)
		kill_child(w);
}

int paleo_worker_measure(struct paleo_worker *w, const struct paleo_op *op,
			 const struct paleo_bench_options *options,
			 const struct paleo_measure_policy *policy, struct paleo_record *out,
			 struct paleo_error *err)
{
	struct paleo_worker_request request = {
		.op = *op, .options = options ? *options : w->config.options, .policy = *policy};
	struct paleo_worker_reply reply;
	struct paleo_error fault = {0};

	int rc = need_child(w, err);
	int lost = !rc && ask(w, &request, &reply, sizeof(reply), &fault);
	if (!rc && !lost)
		rc = take_error(reply.status, &reply.error, err);
	if (rc || lost) {
		*out = paleo_measure_record(op, &request.options, policy);
		out->status = say_lost(rc ? err : &fault, out->reason, sizeof(out->reason));
		return rc;
	}
	*out = reply.record;
	if (policy->samples)
		memcpy(policy->samples, reply.samples, sizeof(reply.samples));
	drop_failed(w, out->status);
	return PALEO_OK;
}

int paleo_worker_algorithms(struct paleo_worker *w, const struct paleo_op *op, int most,
			    struct paleo_worker_answer *out, struct paleo_error *err)
{
	struct paleo_worker_request request = {.wish = PALEO_WISH_ALGORITHMS,
					       .op = *op,
					       .options = w->config.options,
					       .most = most};
	struct paleo_worker_answer answer = {0};

	int rc = need_child(w, err);
	if (rc) {
		*out = (struct paleo_worker_answer){.status = rc, .error = *err};
		return rc;
	}
	rc = ask(w, &request, &answer, sizeof(answer), &answer.error);
	if (rc) /* the child is gone */
		answer.status = rc;
	else if (answer.status && answer.status != PALEO_EUNSUPPORTED)
		kill_child(w); /* it may be of no use any more */
	*out = answer;
	return PALEO_OK;
}

int paleo_worker_describe(struct paleo_worker *w, char *text, size_t size, struct paleo_error *err)
{
	struct paleo_worker_request request = {.wish = PALEO_WISH_DESCRIPTION};
	struct paleo_worker_description answer;

	int rc = need_child(w, err);
	if (!rc)
		rc = ask(w, &request, &answer, sizeof(answer), err);
	if (!rc)
		rc = take_error(answer.status, &answer.error, err);
	if (rc)
		return rc;
	if (strlen(answer.text) >= size)
		return paleo_fail(err, PALEO_ENOMEM, "a description of %zu bytes is too long",
				  strlen(answer.text));
	memcpy(text, answer.text, strlen(answer.text) + 1);
	return PALEO_OK;
}

/* A request that a hello answers. */
static int ask_hello(struct paleo_worker *w, enum paleo_worker_wish wish, unsigned peaks,
		     const char *doing, struct paleo_worker_hello *answer, struct paleo_error *err)
{
	const struct paleo_worker_request request = {.wish = wish, .peaks = peaks};
	int rc = need_child(w, err);

	rc = rc ? rc : tell(w, &request, sizeof(request), err);
	rc = rc ? rc : receive(w, answer, sizeof(*answer), PEAKS_S, err);
	if (rc) {
		paleo_error_prefix(err, "%s '%s'", doing, w->backend);
		return rc;
	}
	if (answer->status)
		kill_child(w); /* it may be of no use any more */
	return take_error(answer->status, &answer->error, err);
}

int paleo_worker_speed(struct paleo_worker *w, struct paleo_rates *out, struct paleo_error *err)
{
	struct paleo_worker_hello answer;
	int rc = ask_hello(w, PALEO_WISH_SPEED, 0, "probing the speed of", &answer, err);

	if (!rc)
		*out = answer.info.now;
	return rc;
}

int paleo_worker_peaks(struct paleo_worker *w, unsigned wanted, struct paleo_device *d,
		       struct paleo_doubts *doubts, struct paleo_error *err)
{
	struct paleo_worker_hello answer;
	int rc = ask_hello(w, PALEO_WISH_PEAKS, wanted, "measuring the peaks of", &answer, err);

	if (rc)
		return rc;
	*d = answer.info.device;
	*doubts = answer.doubts;
	return PALEO_OK;
}

int paleo_worker_ceilings(struct paleo_worker *w, struct paleo_ceilings *out,
			  struct paleo_error *err)
{
	const struct paleo_worker_request request = {.wish = PALEO_WISH_CEILINGS,
						     .regime = out->regime};
	struct paleo_worker_limit answer = {.is_last = 0};
	int rc = need_child(w, err);
	if (!rc)
		rc = tell(w, &request, sizeof(request), err);
	double end_s = paleo_now_s() + CEILINGS_S;
	while (!rc && !answer.is_last) {
		rc = receive(w, &answer, sizeof(answer), fmax(end_s - paleo_now_s(), 0), err);
		if (!rc && !answer.is_last)
			rc = paleo_ceilings_put(out, &answer.item, err);
	}
	if (rc) {
		kill_child(w); /* it may still be talking */
		paleo_error_prefix(err, "measuring the ceilings of '%s'", w->backend);
		return rc;
	}
	out->skipped = answer.skipped;
	memcpy(out->why, answer.why, sizeof(out->why));
	*err = answer.error;
	if (answer.status)
		kill_child(w);
	return answer.status;
}

/* Sends the program and receives the result. A failure is a lost child's. */
static int ask_whole(struct paleo_worker *w, const struct paleo_worker_request *request,
		     struct paleo_worker_graph_reply *reply, struct paleo_pass_times *medians,
		     struct paleo_error *err)
{
	const struct paleo_graph *p = &request->graph;
	size_t size = (size_t)p->step_count * sizeof(double);
	double *both;

	int rc = tell(w, request, sizeof(*request), err);
	if (!rc)
		rc = tell(w, p->steps, (size_t)p->step_count * sizeof(*p->steps), err);
	if (!rc)
		rc = tell(w, p->uses, (size_t)p->use_count * sizeof(*p->uses), err);
	if (!rc)
		rc = tell(w, p->buffers, (size_t)p->buffer_count * sizeof(*p->buffers), err);
	if (!rc)
		rc = await(w, request, reply, sizeof(*reply), err);
	if (rc || reply->status || reply->result.status != PALEO_RECORD_OK)
		return rc;
	both = malloc(2 * size + 1);
	if (!both) {
		kill_child(w);
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %d steps", p->step_count);
	}
	for (size_t at = 0; !rc && at < 2 * size; at += PALEO_WORKER_PACKET) {
		size_t most = 2 * size - at;
		rc = receive(w, (char *)both + at,
			     most < PALEO_WORKER_PACKET ? most : PALEO_WORKER_PACKET,
			     w->config.op_timeout_s, err);
	}
	if (!rc) {
		memcpy(medians->step_s, both, size);
		memcpy(medians->change_s, both + p->step_count, size);
	}
	free(both);
	return rc;
}

int paleo_worker_graph(struct paleo_worker *w, const struct paleo_graph *p,
		       const struct paleo_bench_options *options,
		       const struct paleo_measure_policy *policy,
		       struct paleo_graph_run_result *out, struct paleo_pass_times *medians,
		       struct paleo_error *err)
{
	struct paleo_worker_request request = {.wish = PALEO_WISH_WHOLE,
					       .options = options ? *options : w->config.options,
					       .policy = *policy,
					       .graph = *p};
	struct paleo_worker_graph_reply reply = {0};
	struct paleo_error fault = {0};

	int rc = need_child(w, err);
	int lost = !rc && ask_whole(w, &request, &reply, medians, &fault);
	if (!rc && !lost)
		rc = take_error(reply.status, &reply.error, err);
	if (rc || lost) {
		*out = (struct paleo_graph_run_result){0};
		out->status = say_lost(rc ? err : &fault, out->reason, sizeof(out->reason));
		return rc;
	}
	*out = reply.result;
	drop_failed(w, out->status);
	return PALEO_OK;
}

void paleo_worker_close(struct paleo_worker *w)
{
	int status;

	if (!w)
		return;
	if (w->pid) {
		/* The child hears the end of the conversation and closes its device. */
		shutdown(w->socket, SHUT_RDWR);
		if (!reap(w->pid, CLOSE_S, &status)) {
			kill(w->pid, SIGKILL);
			reap(w->pid, DIE_S, &status);
		}
		close(w->socket);
	}
	free(w);
}
