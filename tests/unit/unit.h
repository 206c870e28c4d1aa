/* unit.h - what every unit test includes: cmocka and the headers it wants before it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_UNIT_H
#define PALEO_TESTS_UNIT_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#endif
