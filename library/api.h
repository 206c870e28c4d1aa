/* api.h - shared by the functions of include/paleo. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_LIBRARY_API_H
#define PALEO_LIBRARY_API_H

#include <locale.h>

#include "library/source.h"
#include "paleo/predictor.h"

struct paleo_predictor {
	struct paleo_source source;
	enum paleo_dtype dtype;
};

/* Finds a word in a list that ends with NULL; a NULL word is the first. The message names `what` it
 * is. EINPUT lists the valid words. */
int paleo_api_word(const char *what, const char *word, const char *const *list, int *out,
		   struct paleo_error *err);

/* Says that `what` is NULL. EINPUT. */
int paleo_api_null(const char *what, struct paleo_error *err);

#define PALEO_API_BUCKET_BYTES (25.0 * 1048576) /* default of the option */

/* "sgd", "momentum", "adam", in the order of enum paleo_update_rule, and NULL. */
extern const char *const paleo_api_optimizers[];

/* Numbers in files have points, also where the caller's language has commas. The first gives this
 * thread the language of C, and returns the caller's; the second puts it back. */
locale_t paleo_api_enter(void);
void paleo_api_leave(const locale_t *callers);

/* Starts an exported function: replaces a NULL `err`, and sets the C locale until it returns. */
#define PALEO_API_BEGIN(err)                                                                       \
	struct paleo_error unread;                                                                 \
	__attribute__((cleanup(paleo_api_leave), unused)) const locale_t callers =                 \
		paleo_api_enter();                                                                 \
	(err) = (err) ? (err) : &unread

#endif
