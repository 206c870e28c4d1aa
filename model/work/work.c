/* work.c - checks a work, counts its FLOPs and bytes, names its class: by the table of kinds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/work/work.h"

#include <assert.h>

#include "model/work/kind.h"

static const struct paleo_kind_of_work *const kinds[PALEO_WORK_KINDS] = {
#define WORK(constant, name) [PALEO_##constant] = &paleo_work_##name,
#include "model/work/kinds.def"
#undef WORK
};

const struct paleo_kind_of_work *paleo_kind_of_work(enum paleo_work_kind kind)
{
	return kinds[kind];
}

const char *paleo_work_kind_name(enum paleo_work_kind kind)
{
	return kinds[kind]->name;
}

static void count_bytes(struct paleo_work *w)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	int n = paleo_work_operands(w, list);

	w->read_bytes = 0;
	w->write_bytes = 0;
	for (int i = 0; i < n; i++) {
		if (list[i].access & PALEO_READ)
			w->read_bytes += list[i].bytes;
		if (list[i].access & PALEO_WRITE)
			w->write_bytes += list[i].bytes;
	}
}

int paleo_work_has_dtype(const struct paleo_work *w)
{
	const struct paleo_kind_of_work *kind = kinds[w->kind];

	return !paleo_dtype_is_narrow(w->dtype) || (kind->has_narrow && kind->has_narrow(w));
}

int paleo_work_finish(struct paleo_work *w, struct paleo_error *err)
{
	assert(w->kind < PALEO_WORK_KINDS && w->pass < PALEO_PASSES && w->dtype < PALEO_DTYPES);
	if (!(kinds[w->kind]->passes & 1u << w->pass))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "'%s' has no pass '%s'",
				  paleo_work_kind_name(w->kind), paleo_pass_name(w->pass));
	if (!paleo_work_has_dtype(w))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "'%s %s' is not done in %s, which is for forward products: of "
				  "matrices in batches of 1, attention, experts; use %s",
				  paleo_work_kind_name(w->kind), paleo_pass_name(w->pass),
				  paleo_dtype_name(w->dtype),
				  paleo_dtype_name(paleo_dtype_wide(w->dtype)));

	const struct paleo_work given = *w;
	int rc = paleo_work_fields_fill(w, err);
	if (!rc)
		rc = kinds[w->kind]->finish(w, err);
	if (rc) {
		*w = given;
		paleo_error_prefix(err, "%s", paleo_work_kind_name(w->kind));
		return rc;
	}
	count_bytes(w);
	return PALEO_OK;
}

const char *paleo_work_class(const struct paleo_work *w)
{
	const struct paleo_kind_of_work *kind = kinds[w->kind];

	return kind->classes[kind->variant ? kind->variant(w) : 0][w->layout];
}
