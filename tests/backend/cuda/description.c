/* description.c - a GPU that is only described, as cuDNN takes it, from a file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "description.h"

#include <stdlib.h>

#include "base/file.h"
#include "bench/backends/cuda/session.h"

enum {
	TEXT_MAX = 1 << 16
};

int description_read(const char *path, cudnnBackendDescriptor_t *out, struct paleo_error *err)
{
	char *text;
	size_t size;
	int rc = paleo_file_read(path, TEXT_MAX, "a JSON file", &text, &size, err);

	*out = NULL;
	if (rc)
		return rc;
	cudnnStatus_t status =
		cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, out);
	if (!status)
		status = cudnnBackendSetAttribute(*out, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
						  CUDNN_TYPE_CHAR, (int64_t)size, text);
	if (!status)
		status = cudnnBackendFinalize(*out);
	free(text);
	rc = paleo_cudnn_check(status, "read the description", err);
	if (rc)
		paleo_error_prefix(err, "%s", path);
	return rc;
}
