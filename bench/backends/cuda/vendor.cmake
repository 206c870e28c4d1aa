# vendor.cmake - what the CUDA plug-in needs, as CUDALibraries::all and CUDNN::cudnn.
# Libraries of kernels in the runtime; devices that are only described.
set(PALEO_CUDALibraries_MINIMUM 12.8)
set(PALEO_CUDNN_MINIMUM 9.8)
paleo_vendor(CUDA "CUDA toolkit 12.8 or newer with cuDNN 9.8 or newer" CUDALibraries CUDA CUDNN cuDNN)
