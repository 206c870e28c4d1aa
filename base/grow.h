/* grow.h - arrays that double when they are full. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_GROW_H
#define PALEO_BASE_GROW_H

#include <stddef.h>

/*
 * `items`, an array of `count` items of `size` bytes with room for *room, made large
 * enough for one more: as it is, or moved, and *room is twice what it was. NULL without
 * memory: nothing has changed then, and `items` stay the caller's. Starts as NULL with
 * 0 of 0; free() it.
 */
void *paleo_grow(void *items, int count, int *room, size_t size);

#endif
