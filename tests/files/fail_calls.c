/* fail_calls.c - preloaded: lets the N-th write of a file, or wish for memory, fail; or waits. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * PALEO_FAIL is "write:N", "memory:N", "worker:N" or "signal:N"; N 0: none fails. "write" are
 * write, fsync, rename, link, ftruncate and open to make a file; each fails with ENOSPC, and a
 * write has then written half of its bytes. "signal" are the same, which succeed, but before them
 * the process is told to end (SIGTERM). "pause:N": none fails, but N milliseconds pass
 * when a file was made, so that others come between. Of those that want memory the first
 * call of each place in the program counts: a place is where it was called, and by whom,
 * DEPTH calls up. PALEO_FAIL_COUNT names a file for the number of calls that there were. Only the
 * process that was started counts, not its children; "worker" is "memory" of its first
 * child alone.
 */
enum {
	DEPTH = 6,
	PLACES = 1 << 14 /* many more than a command has */
};

static struct {
	int is_of_memory, is_signal;
	long at, count, pause_ms;
	uint64_t seen[PLACES]; /* by hash; 0: none */
	pid_t pid;
	const char *counted;
	struct {
		pid_t pid;
		long count;
	} * child; /* of "worker": the first, in memory that both have; NULL: no child counts */
} fail;

__attribute__((constructor)) static void begin(void)
{
	void *none[1];
	const char *how = getenv("PALEO_FAIL");
	const char *colon = how ? strchr(how, ':') : NULL;

	fail.counted = getenv("PALEO_FAIL_COUNT");
	fail.is_of_memory = how && (how[0] == 'm' || !strncmp(how, "worker", 6));
	if (how && !strncmp(how, "worker", 6))
		fail.child = mmap(NULL, sizeof(*fail.child), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fail.is_signal = how && how[0] == 's';
	fail.at = colon ? strtol(colon + 1, NULL, 10) : 0;
	if (how && how[0] == 'p') {
		fail.pause_ms = fail.at;
		fail.at = 0;
	}
	backtrace(none, 1); /* its first call wants memory */
	fail.pid = getpid();
}

__attribute__((destructor)) static void end(void)
{
	char text[32];

	if (!fail.counted || fail.pid != getpid())
		return;
	int n = snprintf(text, sizeof(text), "%ld\n", fail.child ? fail.child->count : fail.count);
	long fd = syscall(SYS_openat, AT_FDCWD, fail.counted, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	syscall(SYS_write, fd, text, n);
	syscall(SYS_close, fd);
}

/* 1 if this place wants memory for the first time. */
static int is_new_place(void)
{
	void *callers[DEPTH + 2];             /* with this function and that which was called */
	uint64_t hash = 1469598103934665603u; /* FNV-1a, a word at a time */

	for (int i = 2, n = backtrace(callers, DEPTH + 2); i < n; i++)
		hash = (hash ^ (uintptr_t)callers[i]) * 1099511628211u;
	for (uint64_t i = hash ^ hash >> 32;; i++) {
		uint64_t *place = &fail.seen[i % PLACES];
		if (*place == hash)
			return 0;
		if (!*place) {
			*place = hash;
			return 1;
		}
	}
}

/* 1 if it has failed; to look further would take time alone. */
static int is_over(void)
{
	return fail.at && fail.count >= fail.at;
}

/* 1 if this is the process whose calls count. */
static int is_mine(void)
{
	pid_t me = getpid(), none = 0;

	if (!fail.child || !fail.pid || me == fail.pid)
		return me == fail.pid && !fail.child;
	return __atomic_compare_exchange_n(&fail.child->pid, &none, me, 0, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST) ||
	       none == me;
}

/* 1 if it is this call's turn to fail. */
static int is_turn(int is_of_memory)
{
	if (fail.is_of_memory != is_of_memory || !is_mine())
		return 0;
	if (is_of_memory && (is_over() || !is_new_place()))
		return 0;
	fail.count++;
	if (fail.child)
		fail.child->count = fail.count;
	if (fail.count != fail.at)
		return 0;
	if (fail.is_signal) {
		raise(SIGTERM);
		return 0;
	}
	errno = is_of_memory ? ENOMEM : ENOSPC;
	return 1;
}

ssize_t write(int fd, const void *text, size_t size)
{
	if (is_turn(0)) {
		syscall(SYS_write, fd, text, size / 2);
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_write, fd, text, size);
}

int fsync(int fd)
{
	return is_turn(0) ? -1 : (int)syscall(SYS_fsync, fd);
}

int ftruncate(int fd, off_t size)
{
	return is_turn(0) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int rename(const char *from, const char *to)
{
	return is_turn(0) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int link(const char *from, const char *to)
{
	return is_turn(0) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	if (flags & O_CREAT) {
		va_list args;
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
		if (is_turn(0))
			return -1;
	}
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	if ((flags & O_CREAT) && fail.pause_ms)
		nanosleep(&(struct timespec){.tv_nsec = fail.pause_ms * 1000000}, NULL);
	return fd;
}

/* Those of the C library itself, by names that need no search, which would want memory. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	return is_turn(1) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return is_turn(1) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return is_turn(1) ? NULL : __libc_realloc(old, size);
}
