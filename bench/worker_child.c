/* worker_child.c - the child's side of a worker: opens the backend and serves ops. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/worker_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/backend.h"
#include "bench/clock.h"

enum {
	EXIT_ORPHAN = 71 /* the parent was gone before the child began */
};

/* The parent handles terminal signals; there is no input; only the parent writes to stdout. */
static void settle(int parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_ORPHAN);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	paleo_watch_stops();
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (nothing >= 0) {
		dup2(nothing, STDIN_FILENO);
		close(nothing);
	}
	dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* Whether the device has an energy counter, and why not. */
static void find_energy(const struct paleo_backend *b, struct paleo_session *s,
			struct paleo_device_info *info)
{
	struct paleo_error why;
	double joules;

	if (!b->energy)
		snprintf(info->no_energy, sizeof(info->no_energy), "it has no energy counter");
	else if (b->energy(s, &joules, &why))
		snprintf(info->no_energy, sizeof(info->no_energy), "%.190s", why.text);
}

static int open_device(const struct paleo_worker_config *config, const struct paleo_backend **b,
		       struct paleo_session **s, struct paleo_device_info *info,
		       struct paleo_error *err)
{
	int rc = paleo_plugin_open(config->backend, b, err);

	if (!rc && config->description && (!(*b)->open_described || !(*b)->algorithms))
		rc = paleo_fail(err, PALEO_EUNSUPPORTED,
				"backend '%s' does not support described devices", config->backend);
	else if (!rc && config->description)
		rc = (*b)->open_described(config->description, s, err);
	else if (!rc)
		rc = (*b)->open(config->device, config->options.threads, s, err);
	if (!rc)
		rc = (*b)->describe(*s, info, err);
	if (!rc && !config->description)
		find_energy(*b, *s, info);
	return rc;
}

/* Sends one packet; 1 if the other end took it. */
static int say(int socket, const void *message, size_t size)
{
	ssize_t n;

	do
		n = send(socket, message, size, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size;
}

/* Receives one packet; 0 when the other end is closed. */
static int hear(int socket, void *message, size_t size)
{
	ssize_t n;

	do
		n = recv(socket, message, size, 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size;
}

static int answer_measure(int socket, struct paleo_open_device *d,
			  const struct paleo_worker_request *request)
{
	struct paleo_worker_reply reply = {0};
	struct paleo_measure_policy policy = request->policy;

	policy.samples = reply.samples;
	reply.status = paleo_measure(d, &request->op, &request->options, &policy, &reply.record,
				     &reply.error);
	return say(socket, &reply, sizeof(reply));
}

/* A backend without the requested hook. */
static int lacks(const struct paleo_backend *b, const char *what, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EUNSUPPORTED, "backend '%s' does not %s", b->name, what);
}

static int answer_algorithms(int socket, struct paleo_open_device *d,
			     const struct paleo_worker_request *request)
{
	struct paleo_worker_answer answer = {0};

	answer.status = d->b->algorithms
				? d->b->algorithms(d->s, &request->op, &request->options,
						   request->most, &answer.list, &answer.error)
				: lacks(d->b, "tell its algorithms", &answer.error);
	return say(socket, &answer, sizeof(answer));
}

static int answer_description(int socket, struct paleo_open_device *d,
			      const struct paleo_worker_request *request)
{
	struct paleo_worker_description answer = {0};

	(void)request;
	answer.status = d->b->description ? d->b->description(d->s, answer.text,
							      sizeof(answer.text), &answer.error)
					  : lacks(d->b, "describe its device", &answer.error);
	return say(socket, &answer, sizeof(answer));
}

static int answer_peaks(int socket, struct paleo_open_device *d,
			const struct paleo_worker_request *request)
{
	struct paleo_worker_hello answer = {0};

	answer.status = d->b->describe(d->s, &answer.info, &answer.error);
	if (!answer.status && d->b->ceilings)
		answer.status = d->b->ceilings(d->s, request->peaks, &answer.info.device,
					       &answer.doubts, &answer.error);
	return say(socket, &answer, sizeof(answer));
}

static int answer_speed(int socket, struct paleo_open_device *d,
			const struct paleo_worker_request *request)
{
	const double probe_s = 1;
	struct paleo_worker_hello answer = {0};

	(void)request;
	answer.status = paleo_probes_now(d, probe_s, &answer.info.now, &answer.error);
	return say(socket, &answer, sizeof(answer));
}

/* Each ceiling is sent when it is measured. */
static int say_ceiling(const struct paleo_ceiling *c, void *listener, struct paleo_error *err)
{
	const struct paleo_worker_limit one = {.item = *c};

	if (say(*(const int *)listener, &one, sizeof(one)))
		return PALEO_OK;
	return paleo_fail(err, PALEO_ECRASH, "the parent no longer receives ceilings");
}

static int answer_ceilings(int socket, struct paleo_open_device *d,
			   const struct paleo_worker_request *request)
{
	struct paleo_ceilings list = {
		.regime = request->regime, .on_add = say_ceiling, .listener = &socket};
	struct paleo_worker_limit last = {.is_last = 1};

	last.status = d->b->list_ceilings ? d->b->list_ceilings(d->s, &list, &last.error)
					  : lacks(d->b, "measure its ceilings", &last.error);
	last.skipped = list.skipped;
	memcpy(last.why, list.why, sizeof(last.why));
	return say(socket, &last, sizeof(last));
}

static int say_array(int socket, const void *data, size_t size)
{
	const char *at = data;

	for (; size > PALEO_WORKER_PACKET; size -= PALEO_WORKER_PACKET, at += PALEO_WORKER_PACKET)
		if (!say(socket, at, PALEO_WORKER_PACKET))
			return 0;
	return size == 0 || say(socket, at, size);
}

/* Receives an array that is freed by the caller; *out is NULL where there is no memory for it, and
 * the data is skipped. 0 when the other end is closed. */
static int hear_array(int socket, int count, size_t item, void **out)
{
	size_t size = (size_t)count * item;
	char *data = malloc(size + 1), nowhere;

	for (size_t at = 0; at < size; at += PALEO_WORKER_PACKET) {
		size_t n = size - at < PALEO_WORKER_PACKET ? size - at : PALEO_WORKER_PACKET;
		if (data ? !hear(socket, data + at, n) : !hear(socket, &nowhere, 1)) {
			free(data);
			return 0;
		}
	}
	*out = data;
	return 1;
}

static int answer_whole(int socket, struct paleo_open_device *d,
			const struct paleo_worker_request *request)
{
	struct paleo_worker_graph_reply reply = {.result.status = PALEO_RECORD_OOM};
	struct paleo_graph p = request->graph;
	size_t steps = (size_t)p.step_count;
	void *arrays[3] = {NULL};

	int going = hear_array(socket, p.step_count, sizeof(*p.steps), &arrays[0]) &&
		    hear_array(socket, p.use_count, sizeof(*p.uses), &arrays[1]) &&
		    hear_array(socket, p.buffer_count, sizeof(*p.buffers), &arrays[2]);
	p.steps = arrays[0];
	p.uses = arrays[1];
	p.buffers = arrays[2];
	double *medians = calloc(2 * steps + 1, sizeof(*medians));
	snprintf(reply.result.reason, sizeof(reply.result.reason), "no memory for %zu steps",
		 steps);
	if (going && medians && p.steps && p.uses && p.buffers) {
		reply.result.medians =
			(struct paleo_pass_times){.step_s = medians, .change_s = medians + steps};
		reply.status = paleo_measure_graph(d->b, d->s, &p, &request->options,
						   &request->policy, &reply.result, &reply.error);
	}
	going = going && say(socket, &reply, sizeof(reply));
	if (going && !reply.status && reply.result.status == PALEO_RECORD_OK)
		going = say_array(socket, medians, 2 * steps * sizeof(*medians));
	free(medians);
	paleo_graph_release(&p);
	return going;
}

/* Each answers a wish; 0 when the other end is closed. */
static int (*const answers[])(int socket, struct paleo_open_device *d,
			      const struct paleo_worker_request *request) = {
	[PALEO_WISH_MEASURE] = answer_measure,
	[PALEO_WISH_ALGORITHMS] = answer_algorithms,
	[PALEO_WISH_DESCRIPTION] = answer_description,
	[PALEO_WISH_PEAKS] = answer_peaks,
	[PALEO_WISH_SPEED] = answer_speed,
	[PALEO_WISH_CEILINGS] = answer_ceilings,
	[PALEO_WISH_WHOLE] = answer_whole,
};

_Noreturn void paleo_worker_child(const struct paleo_worker_config *config, int socket, int parent)
{
	const struct paleo_backend *b = NULL;
	struct paleo_session *s = NULL;
	struct paleo_worker_hello hello = {0};
	struct paleo_worker_request request;

	settle(parent);
	if (config->variable)
		setenv(config->variable, config->value, 1);
	hello.status = open_device(config, &b, &s, &hello.info, &hello.error);
	struct paleo_open_device d = {.b = b, .s = s};
	int going = say(socket, &hello, sizeof(hello)) && !hello.status;
	while (going && hear(socket, &request, sizeof(request)))
		going = answers[request.wish](socket, &d, &request);
	if (s)
		b->close(s);
	_exit(0); /* the parent's buffers and clean-up are not the child's */
}
