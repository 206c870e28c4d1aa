# FindCUDNN.cmake - finds cuDNN and makes the target CUDNN::cudnn; CUDNN_VERSION is e.g. 9.19.0.
#
# Looks beside the CUDA toolkit, and in Python's wheels (nvidia/cudnn/{include,lib}), which have no
# libcudnn.so but a libcudnn.so.9. PALEO_CUDNN_ROOT may name a folder that holds include/ and lib/.
include(FindPackageHandleStandardArgs)

find_path(CUDNN_INCLUDE_DIR cudnn.h
	HINTS ${PALEO_CUDNN_ROOT}/include ${CUDAToolkit_INCLUDE_DIRS}
	PATHS /usr/local/cuda/include ${PALEO_WHEELS}
	PATH_SUFFIXES cudnn/include)
find_library(CUDNN_LIBRARY NAMES cudnn libcudnn.so.9
	HINTS ${PALEO_CUDNN_ROOT}/lib ${CUDAToolkit_LIBRARY_DIR}
	PATHS /usr/local/cuda/lib64 ${PALEO_WHEELS}
	PATH_SUFFIXES cudnn/lib)
mark_as_advanced(CUDNN_INCLUDE_DIR CUDNN_LIBRARY)

set(CUDNN_VERSION)
if(EXISTS ${CUDNN_INCLUDE_DIR}/cudnn_version.h)
	file(READ ${CUDNN_INCLUDE_DIR}/cudnn_version.h header)
	foreach(part IN ITEMS MAJOR MINOR PATCHLEVEL)
		string(REGEX MATCH "#define +CUDNN_${part} +([0-9]+)" found "${header}")
		list(APPEND CUDNN_VERSION ${CMAKE_MATCH_1})
	endforeach()
	list(JOIN CUDNN_VERSION "." CUDNN_VERSION)
endif()
find_package_handle_standard_args(CUDNN
	REQUIRED_VARS CUDNN_LIBRARY CUDNN_INCLUDE_DIR VERSION_VAR CUDNN_VERSION)

if(CUDNN_FOUND AND NOT TARGET CUDNN::cudnn)
	add_library(CUDNN::cudnn UNKNOWN IMPORTED)
	set_target_properties(CUDNN::cudnn PROPERTIES
		IMPORTED_LOCATION ${CUDNN_LIBRARY}
		INTERFACE_INCLUDE_DIRECTORIES ${CUDNN_INCLUDE_DIR})
endif()
