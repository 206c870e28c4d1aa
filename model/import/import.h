/* import.h - reads a net from a file of any format: a path in, a net out. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_IMPORT_H
#define PALEO_MODEL_IMPORT_IMPORT_H

#include "model/net/net.h"

/*
 * The format goes by the path's ending: ".prototxt" is a network of Caffe's, whose layers of the
 * phase TRAIN are taken; all else is a net file. `batch` and *out as paleo_net_load(). EIO; EINPUT
 * with file, line, layer and key; ENOMEM.
 */
int paleo_import_net(const char *path, int batch, struct paleo_net **out, struct paleo_error *err);

#endif
