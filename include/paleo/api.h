/* api.h - marks what libpaleo exports; the rules that all of its headers share. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_API_H
#define PALEO_API_H

/*
 * Units: seconds, bytes, FLOPs (a product with its sum counts two), bytes/s, FLOP/s. Unknown
 * numbers are NaN.
 *
 * Errors: a function that can fail returns PALEO_OK or a negative status (paleo/error.h). It leaves
 * its out-parameters untouched then. `err` may be NULL: only the status tells then.
 *
 * NULL: a function that can fail says PALEO_EINPUT where a pointer it needs is NULL. All others
 * want what they are given, but for those that close.
 *
 * Ownership: what a function ending in _open, _predict or _with_batch gives is the caller's, who
 * closes it with the _close of its type (NULL allowed). Strings that are returned belong to the
 * object they are of, and live as long as it. Strings that are passed in are not kept.
 *
 * Threads: all functions may be called from any thread. Any number of threads may read one object
 * at once; it is closed when no thread reads it any more.
 *
 * Options are structs of which a field that is 0 or NULL means the default: initialise them with
 * {0}, or {} in C++. Until version 1.0 they may grow with a minor version; programs are compiled
 * again then.
 */

#define PALEO_API __attribute__((visibility("default")))

#endif
