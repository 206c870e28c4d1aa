/* plugin_stub.c - a plug-in for the test of loading: of another interface, or none at all. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backend.h"

#ifdef WITH_TABLE
const struct paleo_backend *paleo_backend_table(void)
{
	static const struct paleo_backend table = {.abi = PALEO_BACKEND_ABI + 1};

	return &table;
}
#endif
