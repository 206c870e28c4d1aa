/* fit_comm_best.c - the form of a link's times that tells best what it has not seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "calib/fit_comm.h"

enum {
	SIZES_MIN = 5,    /* fewer do not tell a form when one of them is left out */
	SIZES_ALONE = 32, /* so many are left out one by one */
	PARTS = 8         /* of more */
};

static int fit_form(enum paleo_comm_form form, struct paleo_comm_points *points, int passes,
		    struct paleo_link *link, struct paleo_comm_fit *fit, struct paleo_error *err)
{
	if (form == PALEO_COMM_CURVE)
		return paleo_fit_comm_curve(points, passes, link, fit, err);
	if (form == PALEO_COMM_BETWEEN)
		return paleo_fit_comm_between(points, passes, link, fit, err);
	return paleo_fit_comm(points, passes, PALEO_LINK_RANGES_MAX, link, fit, err);
}

/* Sizes are numbered from 0; a part has every parts-th of them. */
static int count_sizes(const struct paleo_comm_points *p)
{
	int sizes = p->count > 0;

	for (int i = 1; i < p->count; i++)
		sizes += p->items[i].bytes > p->items[i - 1].bytes;
	return sizes;
}

/* Copies the points inside or outside a part. */
static void split(const struct paleo_comm_points *all, int part, int parts, int inside,
		  struct paleo_comm_points *out)
{
	int size = 0;

	out->count = 0;
	for (int i = 0; i < all->count; i++) {
		size += i > 0 && all->items[i].bytes > all->items[i - 1].bytes;
		if ((size % parts == part) == inside)
			out->items[out->count++] = all->items[i];
	}
}

/* Mean error of a form at the sizes that are left out in turn; NaN if it cannot be had. ENOMEM. */
static int held_out(enum paleo_comm_form form, const struct paleo_comm_points *all, int passes,
		    struct paleo_comm_points *some, double *mean, struct paleo_error *err)
{
	int sizes = count_sizes(all), parts = sizes <= SIZES_ALONE ? sizes : PARTS;
	struct paleo_link link = {0};
	struct paleo_comm_fit fit;
	double sum = 0;

	*mean = NAN;
	for (int part = 0; part < parts; part++) {
		split(all, part, parts, 0, some);
		int rc = fit_form(form, some, passes, &link, &fit, err);
		if (rc)
			return rc == PALEO_ENOMEM ? rc : PALEO_OK;
		split(all, part, parts, 1, some);
		for (int i = 0; i < some->count; i++) {
			const struct paleo_comm_point *p = &some->items[i];
			sum += fabs(log(paleo_comm_link_s(&link, p, passes) / p->time_s));
		}
	}
	*mean = sum / all->count;
	return PALEO_OK;
}

int paleo_fit_comm_best(struct paleo_comm_points *points, int passes, struct paleo_link *link,
			struct paleo_comm_fit *fit, struct paleo_error *err)
{
	double errors[PALEO_COMM_FORMS] = {NAN, NAN, NAN};
	enum paleo_comm_form best = PALEO_COMM_RANGES;
	/* It also sorts them, and tells what is wrong with them. */
	int rc = paleo_fit_comm(points, passes, PALEO_LINK_RANGES_MAX, link, fit, err);

	if (rc || count_sizes(points) < SIZES_MIN)
		return rc;
	struct paleo_comm_points some = {
		.items = malloc((size_t)points->count * sizeof(*some.items))};
	if (!some.items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points", points->count);
	for (int form = 0; !rc && form < PALEO_COMM_FORMS; form++) {
		/* With all sizes there are more of them than where some are left out. */
		if (form == PALEO_COMM_BETWEEN && count_sizes(points) > PALEO_LINK_RANGES_MAX + 1)
			continue;
		rc = held_out((enum paleo_comm_form)form, points, passes, &some, &errors[form],
			      err);
		if (errors[form] < errors[best])
			best = (enum paleo_comm_form)form;
	}
	free(some.items);
	if (!rc)
		rc = fit_form(best, points, passes, link, fit, err);
	for (int form = 0; !rc && form < PALEO_COMM_FORMS; form++)
		fit->held_out[form] = errors[form];
	return rc;
}
