/* cudnn_rest.c - stand-in for cuDNN: what must be there, but is never called without a tensor. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

/* Declared as nothing but a symbol: the plug-in's calls of these are never reached. */
#define NEVER_CALLED(name)                                                                         \
	void name(void);                                                                           \
	void name(void)                                                                            \
	{                                                                                          \
		abort();                                                                           \
	}

NEVER_CALLED(cudnnDestroyTensorDescriptor)
NEVER_CALLED(cudnnSetTensor4dDescriptor)
NEVER_CALLED(cudnnCreateLRNDescriptor)
NEVER_CALLED(cudnnDestroyLRNDescriptor)
NEVER_CALLED(cudnnSetLRNDescriptor)
NEVER_CALLED(cudnnLRNCrossChannelForward)
NEVER_CALLED(cudnnLRNCrossChannelBackward)
NEVER_CALLED(cudnnSoftmaxForward)
NEVER_CALLED(cudnnSoftmaxBackward)
