/* told.h - who is told how far something has come that takes long. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_TOLD_H
#define PALEO_BASE_TOLD_H

/* A plain value; all zero: nobody is told. */
struct paleo_told {
	/* `done` of `count` are done; count 0: the same as before, and it goes on. */
	void (*tell)(void *self, int done, int count);
	void *self;
};

static inline void paleo_tell(const struct paleo_told *t, int done, int count)
{
	if (t->tell)
		t->tell(t->self, done, count);
}

#endif
