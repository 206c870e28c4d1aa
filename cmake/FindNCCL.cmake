# FindNCCL.cmake - finds NCCL and makes the target NCCL::nccl; NCCL_VERSION is e.g. 2.28.9.
#
# Looks beside the CUDA toolkit, and in Python's wheels (nvidia/nccl/{include,lib}), which have no
# libnccl.so but a libnccl.so.2.
include(FindPackageHandleStandardArgs)

find_path(NCCL_INCLUDE_DIR nccl.h
	HINTS ${CUDAToolkit_INCLUDE_DIRS}
	PATHS /usr/local/cuda/include ${PALEO_WHEELS}
	PATH_SUFFIXES nccl/include)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2
	HINTS ${CUDAToolkit_LIBRARY_DIR}
	PATHS /usr/local/cuda/lib64 ${PALEO_WHEELS}
	PATH_SUFFIXES nccl/lib)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)

set(NCCL_VERSION)
if(EXISTS ${NCCL_INCLUDE_DIR}/nccl.h)
	file(READ ${NCCL_INCLUDE_DIR}/nccl.h header)
	foreach(part IN ITEMS MAJOR MINOR PATCH)
		string(REGEX MATCH "#define +NCCL_${part} +([0-9]+)" found "${header}")
		list(APPEND NCCL_VERSION ${CMAKE_MATCH_1})
	endforeach()
	list(JOIN NCCL_VERSION "." NCCL_VERSION)
endif()
find_package_handle_standard_args(NCCL
	REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)

if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
	add_library(NCCL::nccl UNKNOWN IMPORTED)
	set_target_properties(NCCL::nccl PROPERTIES
		IMPORTED_LOCATION ${NCCL_LIBRARY}
		INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
