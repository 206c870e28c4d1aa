/* api.h - export macro of libpaleo; rules common to all of its headers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_API_H
#define PALEO_API_H

/*
 * Units: seconds, bytes, FLOPs (a multiply-add counts two), bytes/s, FLOP/s. Unknown numbers are
 * NaN.
 *
 * Errors: a function that can fail returns PALEO_OK or a negative status (paleo/error.h). It leaves
 * its out-parameters untouched then. `err` may be NULL: only the status is returned then.
 *
 * NULL: a function that can fail says PALEO_EINPUT where a pointer it needs is NULL. All other
 * functions require valid pointers, except those that close.
 *
 * Ownership: objects returned by functions ending in _open, _predict or _with_batch are owned by
 * the caller, who closes them with the _close of their type (NULL allowed). Returned strings belong
 * to their object and live as long as it. Strings passed in are not kept.
 *
 * Threads: all functions may be called from any thread. Any number of threads may read one object
 * at once; it is closed when no thread reads it any more.
 *
 * Options are structs of which a field that is 0 or NULL means the default: initialise them with
 * {0}, or {} in C++. Until version 1.0 they may grow with a minor version; programs must be
 * recompiled then.
 */

#define PALEO_API __attribute__((visibility("default")))

#endif
