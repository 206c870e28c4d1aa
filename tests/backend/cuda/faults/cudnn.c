/* cudnn.c - stand-in for cuDNN: takes every graph; has an engine for norms on demand alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <cudnn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"

size_t cudnnGetVersion(void)
{
	if (is_fault("cudnn-9.27"))
		return 92700;
	return CUDNN_VERSION + (is_fault("cudnn-major") ? 10000 : 0);
}

const char *cudnnGetErrorString(cudnnStatus_t status)
{
	return status ? "CUDNN_STATUS_OF_THE_STAND_IN" : "CUDNN_STATUS_SUCCESS";
}

void cudnnGetLastErrorString(char *message, size_t size)
{
	if (size)
		*message = '\0';
}

cudnnStatus_t cudnnCreate(cudnnHandle_t *out)
{
	*out = malloc(1);
	return *out ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle)
{
	free(handle);
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream)
{
	(void)handle;
	(void)stream;
	return CUDNN_STATUS_SUCCESS;
}

/* The operation of the graph that was described last. */
static cudnnBackendDescriptorType_t *last_operation(void)
{
	static cudnnBackendDescriptorType_t type;

	return &type;
}

/* 1 if the last graph is a normalisation, and there is an engine for it. */
static int has_engine(void)
{
	cudnnBackendDescriptorType_t type = *last_operation();
	int is_norm = type == CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR ||
		      type == CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR;

	return is_norm &&
	       (is_fault("norm-fails") || is_fault("norm-slow") || is_fault("norm-fast"));
}

/* A descriptor is its type. */
cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
					   cudnnBackendDescriptor_t *out)
{
	*out = malloc(sizeof(type));
	if (!*out)
		return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
	memcpy(*out, &type, sizeof(type));
	if (type == CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR ||
	    type == CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR ||
	    type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR ||
	    type == CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR)
		*last_operation() = type;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t d)
{
	free(d);
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t name,
				       cudnnBackendAttributeType_t type, int64_t count,
				       const void *values)
{
	(void)d;
	(void)name;
	(void)type;
	(void)count;
	(void)values;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const d,
				       cudnnBackendAttributeName_t name,
				       cudnnBackendAttributeType_t type, int64_t wanted,
				       int64_t *count, void *values)
{
	static const char description[] = "{\"deviceName\": \"Stand-in\"}";

	(void)d;
	(void)type;
	*count = name == CUDNN_ATTR_ENGINEHEUR_RESULTS && has_engine();
	if (name != CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION)
		return CUDNN_STATUS_SUCCESS;
	*count = (int64_t)sizeof(description) - 1;
	if (values && wanted >= *count)
		memcpy(values, description, (size_t)*count);
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t d)
{
	cudnnBackendDescriptorType_t type;

	memcpy(&type, d, sizeof(type));
	if (type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR && is_fault("planner-crash"))
		raise(SIGSEGV);
	while (type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR && is_fault("planner-hang"))
		pause();
	if (type == CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR && is_fault("cudnn-parts"))
		return CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED;
	return CUDNN_STATUS_SUCCESS;
}

#ifndef WITHOUT_EXECUTE
static void do_nothing(void *argument)
{
	(void)argument;
}

/* Its results are never right. */
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
				  cudnnBackendDescriptor_t pack)
{
	int operations = is_fault("norm-slow") ? 100 : 1;

	(void)handle;
	(void)plan;
	(void)pack;
	if (is_fault("norm-fails"))
		return CUDNN_STATUS_EXECUTION_FAILED;
	for (int i = 0; i < operations; i++)
		cudaLaunchHostFunc(NULL, do_nothing, NULL);
	return CUDNN_STATUS_SUCCESS;
}
#endif

/* What has no graph begins with this, and ends here. */
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *out)
{
	(void)out;
	return CUDNN_STATUS_NOT_SUPPORTED;
}
