/* plan_sweep.c - plans ops with cuDNN, for a device that is only described. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/backend/cuda/description.h"
#include "tests/backend/cuda/driver/sweep.h"

/*
 * plan_sweep version
 *     prints cuDNN's: 91900
 *
 * plan_sweep plan SECONDS DESCRIPTION.json <KEYS
 *     prints a line for each: device, kind, pass, type, layout, key, verdict, engine, 1 if it was
 *     compiled at run time, bytes of workspace, reason. Ops are planned in children: one that
 *     crashes, or takes longer than SECONDS, costs its own line.
 */
enum {
	OPS_PER_CHILD = 400, /* what cuDNN keeps goes with the child */
	CANNOT_PLAN = 2      /* what a child ends with where no op is to blame */
};

/* What a sweep is made of. */
struct sweep {
	const char *path; /* of the description */
	char device[64];  /* its name: "h200" */
	int limit_ms;     /* for each op */
	struct paleo_op *ops;
	int count;
};

static int read_ops(FILE *in, struct sweep *s, struct paleo_error *err)
{
	char line[PALEO_OP_KEY_MAX + 1];
	int capacity = 0;

	while (fgets(line, sizeof(line), in)) {
		if (s->count == capacity) {
			capacity = capacity ? 2 * capacity : 1024;
			void *more = realloc(s->ops, (size_t)capacity * sizeof(*s->ops));
			if (!more)
				return paleo_fail(err, PALEO_ENOMEM, "no memory for the ops");
			s->ops = more;
		}
		line[strcspn(line, "\n")] = '\0';
		int rc = paleo_op_parse(line, &s->ops[s->count], err);
		if (rc)
			return rc;
		s->count++;
	}
	return PALEO_OK;
}

/* All at once, so that a crash leaves no half of it. */
static void print_answer(const struct sweep *s, const struct paleo_op *w,
			 const struct sweep_answer *a)
{
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(w, key, sizeof(key));
	printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%.0f\t%s\n", s->device,
	       paleo_op_kind_name(w->kind), paleo_pass_name(w->pass), paleo_dtype_name(w->dtype),
	       paleo_layout_name(w->layout), key, sweep_verdict_name(a->verdict), a->engine,
	       strstr(a->engine, " rtc") != NULL, a->workspace_bytes, a->reason);
	fflush(stdout);
}

/* The child: the ops from `first` on, a byte into the pipe after each. */
static int plan_ops(const struct sweep *s, int first, int end, int pipe_end)
{
	cudnnBackendDescriptor_t device = NULL;
	struct paleo_error err = {0};

	if (description_read(s->path, &device, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return CANNOT_PLAN;
	}
	for (int i = first; i < end; i++) {
		struct sweep_answer a;
		sweep_ask(device, &s->ops[i], &a);
		print_answer(s, &s->ops[i], &a);
		if (write(pipe_end, "", 1) != 1)
			return CANNOT_PLAN;
	}
	return 0;
}

/* How many ops the child has done when it ends, or is stopped. */
static int watch(const struct sweep *s, pid_t child, int pipe_end, int *stopped)
{
	struct pollfd ready = {.fd = pipe_end, .events = POLLIN};
	char bytes[64];
	int done = 0;

	*stopped = 0;
	for (;;) {
		if (poll(&ready, 1, s->limit_ms) == 0) {
			*stopped = 1;
			kill(child, SIGKILL);
			return done;
		}
		ssize_t got = read(pipe_end, bytes, sizeof(bytes));
		if (got <= 0)
			return done;
		done += (int)got;
	}
}

/* Plans ops from `first` on; returns the first that is left, or -1 if nothing works. */
static int run_child(const struct sweep *s, int first)
{
	int end = s->count - first > OPS_PER_CHILD ? first + OPS_PER_CHILD : s->count;
	int ends[2], stopped, status;

	if (pipe(ends))
		return -1;
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		_exit(plan_ops(s, first, end, ends[1]));
	}
	close(ends[1]);
	int next = child < 0 ? first : first + watch(s, child, ends[0], &stopped);
	close(ends[0]);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	if (next == end)
		return next;
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_PLAN)
		return -1;
	struct sweep_answer a = {.verdict = stopped ? SWEEP_TIMEOUT : SWEEP_CRASH};
	if (stopped)
		snprintf(a.reason, sizeof(a.reason), "no answer in %d s", s->limit_ms / 1000);
	else if (WIFSIGNALED(status))
		snprintf(a.reason, sizeof(a.reason), "signal %d", WTERMSIG(status));
	else /* a sanitizer's end, or a library's */
		snprintf(a.reason, sizeof(a.reason), "exit code %d", WEXITSTATUS(status));
	print_answer(s, &s->ops[next], &a);
	return next + 1;
}

static int plan_all(const char *path, int seconds, struct paleo_error *err)
{
	struct sweep s = {.path = path, .limit_ms = 1000 * seconds};
	const char *slash = strrchr(path, '/');

	snprintf(s.device, sizeof(s.device), "%s", slash ? slash + 1 : path);
	s.device[strcspn(s.device, ".")] = '\0';
	int rc = read_ops(stdin, &s, err);
	for (int next = 0; !rc && next < s.count;) {
		next = run_child(&s, next);
		if (next < 0)
			rc = paleo_fail(err, PALEO_EBACKEND, "%s: no child can plan", path);
	}
	free(s.ops);
	return rc;
}

int main(int argc, char **argv)
{
	struct paleo_error err = {0};
	int seconds = argc == 4 ? (int)strtol(argv[2], NULL, 10) : 0, rc = PALEO_OK;

	if (argc == 2 && !strcmp(argv[1], "version")) {
		printf("%zu\n", cudnnGetVersion());
	} else if (seconds > 0 && !strcmp(argv[1], "plan")) {
		rc = plan_all(argv[3], seconds, &err);
	} else {
		fprintf(stderr, "usage: plan_sweep version | plan SECONDS DESCRIPTION <KEYS\n");
		return 2;
	}
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	return rc ? 1 : 0;
}
