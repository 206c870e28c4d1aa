/* answer.h - the one call of the page: a request in, an answer out, both JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_WEB_ANSWER_H
#define PALEO_WEB_ANSWER_H

#include "base/error.h"

/* State kept between requests: the last net and the last predictor. */
struct paleo_web;

struct paleo_web *paleo_web_open(void); /* NULL if memory ran out */
void paleo_web_close(struct paleo_web *web);

/*
 * Answers a request (job.h) with title, device, totals, rows, kinds and curves, as ops.c and
 * paleo2017.c write them; an error with {"error": "a sentence"}. Times are in seconds, unknown ones
 * null. The text is the caller's: free(). NULL if memory ran out.
 */
char *paleo_web_answer(struct paleo_web *web, const char *request);

#endif
