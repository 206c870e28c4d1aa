/* plugin.h - finds and opens backends and transports: a shared object each. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_PLUGIN_H
#define PALEO_BENCH_PLUGIN_H

#include "bench/backend.h"
#include "bench/transport.h"

/*
 * Looks for libpaleo-<name>.so in the folder named by the environment variable
 * PALEO_PLUGIN_DIR if set, else in ../lib/paleo beside the running program's own
 * folder, which is right in the build folder and where it is installed. The
 * plug-in stays open until the process ends. ELIBRARY when it is not there or does
 * not load, with the loader's own words and what to do; EBACKEND for another ABI
 * number. Called in a worker only.
 *
 * What its line in model/device/backends.def preloads is loaded first, from the folders that
 * the environment variable named there holds, with ':' between them: the plug-in gets that.
 */
int paleo_plugin_open(const char *name, const struct paleo_backend **out, struct paleo_error *err);

/* The same for a transport; its line stands in bench/transports.def. */
int paleo_plugin_open_transport(const char *name, const struct paleo_transport **out,
				struct paleo_error *err);

#endif
