# FindCUDALibraries.cmake - finds cudart, cublasLt and NVRTC and makes the target CUDALibraries::all.
#
# Looks in the CUDA toolkit (CUDAToolkit_ROOT, nvcc in PATH, /usr/local/cuda) and in Python's wheels,
# which have one folder for all since CUDA 13 (nvidia/cu13), one each before, and no plain lib*.so.
# CUDA as a language of CMake is not used: there is no .cu file here.
include(FindPackageHandleStandardArgs)
find_package(CUDAToolkit QUIET)

set(CUDALibraries_VARIABLES)
# Finds one library and its header, and adds both to what is required.
function(paleo_find_cuda_part library header wheel)
	find_path(CUDALibraries_${library}_INCLUDE_DIR ${header}
		HINTS ${CUDAToolkit_INCLUDE_DIRS}
		PATHS /usr/local/cuda/include ${PALEO_WHEELS}
		PATH_SUFFIXES cu13/include ${wheel}/include)
	find_library(CUDALibraries_${library}_LIBRARY
		NAMES ${library} lib${library}.so.13 lib${library}.so.12
		HINTS ${CUDAToolkit_LIBRARY_DIR}
		PATHS /usr/local/cuda/lib64 ${PALEO_WHEELS}
		PATH_SUFFIXES cu13/lib ${wheel}/lib)
	mark_as_advanced(CUDALibraries_${library}_INCLUDE_DIR CUDALibraries_${library}_LIBRARY)
	set(CUDALibraries_VARIABLES ${CUDALibraries_VARIABLES} CUDALibraries_${library}_LIBRARY
		CUDALibraries_${library}_INCLUDE_DIR PARENT_SCOPE)
endfunction()
paleo_find_cuda_part(cudart cuda_runtime_api.h cuda_runtime)
paleo_find_cuda_part(cublasLt cublasLt.h cublas)
paleo_find_cuda_part(nvrtc nvrtc.h cuda_nvrtc)

set(CUDALibraries_VERSION)
if(EXISTS ${CUDALibraries_cudart_INCLUDE_DIR}/cuda_runtime_api.h)
	file(STRINGS ${CUDALibraries_cudart_INCLUDE_DIR}/cuda_runtime_api.h line
		REGEX "#define +CUDART_VERSION +[0-9]+" LIMIT_COUNT 1)
	string(REGEX MATCH "([0-9]+)0([0-9])0" found "${line}")
	set(CUDALibraries_VERSION ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
endif()
find_package_handle_standard_args(CUDALibraries
	REQUIRED_VARS ${CUDALibraries_VARIABLES} VERSION_VAR CUDALibraries_VERSION)

if(CUDALibraries_FOUND AND NOT TARGET CUDALibraries::all)
	add_library(CUDALibraries::all INTERFACE IMPORTED)
	foreach(library IN ITEMS cudart cublasLt nvrtc)
		target_include_directories(CUDALibraries::all
			INTERFACE ${CUDALibraries_${library}_INCLUDE_DIR})
		target_link_libraries(CUDALibraries::all
			INTERFACE ${CUDALibraries_${library}_LIBRARY})
	endforeach()
endif()
