/* error.h - a failure: a negative status and one sentence. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_ERROR_H
#define PALEO_ERROR_H

enum paleo_status {
	PALEO_OK = 0,
	PALEO_EINPUT = -1,       /* invalid input: file, key, option */
	PALEO_EIO = -2,          /* reading or writing failed */
	PALEO_ENOMEM = -3,       /* host or device memory ran out */
	PALEO_EUNSUPPORTED = -4, /* this backend cannot do this; not a failure */
	PALEO_EBACKEND = -5,     /* a vendor library failed, or returned something unusable */
	PALEO_ENODEVICE = -6,    /* there is no such device on this machine */
	PALEO_ELIBRARY = -7,     /* a vendor library is missing or unusable */
	PALEO_ETIMEOUT = -8,     /* a time limit was reached */
	PALEO_ECRASH = -9        /* a worker process died */
};

enum {
	PALEO_ERROR_MAX = 1024
};

/* An error. The sentence names the file, the line and the key where there is one, and says what was
 * expected. It may quote anything from a file: escape it before printing to a terminal. */
struct paleo_error {
	int status;                 /* one of enum paleo_status */
	char text[PALEO_ERROR_MAX]; /* the sentence; cut with "..." if too long */
};

#endif
