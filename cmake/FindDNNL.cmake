# FindDNNL.cmake - finds oneDNN and makes the target DNNL::dnnl; DNNL_VERSION is e.g. 2.6.3.
#
# Not the package's own configuration file: Debian's wants the files of OpenCL.
# PALEO_DNNL_ROOT may name a folder that holds include/ and lib/.
include(FindPackageHandleStandardArgs)

find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.h HINTS ${PALEO_DNNL_ROOT}/include)
find_library(DNNL_LIBRARY dnnl HINTS ${PALEO_DNNL_ROOT}/lib)
mark_as_advanced(DNNL_INCLUDE_DIR DNNL_LIBRARY)

set(DNNL_VERSION)
if(DNNL_INCLUDE_DIR)
	file(READ ${DNNL_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h header)
	foreach(part IN ITEMS MAJOR MINOR PATCH)
		string(REGEX MATCH "#define +DNNL_VERSION_${part} +([0-9]+)" found "${header}")
		list(APPEND DNNL_VERSION ${CMAKE_MATCH_1})
	endforeach()
	list(JOIN DNNL_VERSION "." DNNL_VERSION)
endif()
find_package_handle_standard_args(DNNL
	REQUIRED_VARS DNNL_LIBRARY DNNL_INCLUDE_DIR VERSION_VAR DNNL_VERSION)

if(DNNL_FOUND AND NOT TARGET DNNL::dnnl)
	add_library(DNNL::dnnl UNKNOWN IMPORTED)
	set_target_properties(DNNL::dnnl PROPERTIES
		IMPORTED_LOCATION ${DNNL_LIBRARY}
		INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
endif()
