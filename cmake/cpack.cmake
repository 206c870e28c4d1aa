# cpack.cmake - packages: cpack -G DEB makes one for each part, cpack -G TGZ a folder that runs anywhere.
#
# Parts: the program with what needs no vendor that Debian lacks, its data, libpaleo, its headers, and
# each plug-in that stands on other vendors' libraries.
option(PALEO_BUNDLE_DNNL "put oneDNN, and what it needs, beside the plug-ins: for cpack -G TGZ" OFF)

# What a machine without oneDNN lacks; libraries of C and C++ are on every one. The plug-in names all of
# them itself, so that the loader looks for each of them beside it.
if(PALEO_BUNDLE_DNNL AND TARGET paleo-cpu)
	file(REAL_PATH ${DNNL_LIBRARY} dnnl)
	execute_process(COMMAND ldd ${dnnl} OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
	string(REGEX MATCHALL "lib(OpenCL|gomp|tbb)[.]so[.0-9]* => [^ ]+" listed "${listed}")
	list(APPEND listed "libdnnl.so.${DNNL_VERSION} => ${dnnl}")
	foreach(line IN LISTS listed)
		string(REGEX REPLACE "^([^ ]+) => (.*)$" "\\1;\\2" line "${line}")
		list(GET line 0 name)
		list(GET line 1 path)
		string(REGEX REPLACE "^(libdnnl.so.[0-9]+).*" "\\1" name "${name}")
		target_link_options(paleo-cpu PRIVATE "SHELL:-Wl,--no-as-needed ${path} -Wl,--as-needed")
		file(REAL_PATH ${path} path)
		install(FILES ${path} DESTINATION lib/paleo RENAME ${name} COMPONENT bundle)
	endforeach()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the paleo developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME paleo-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

get_property(plugins GLOBAL PROPERTY PALEO_PACKAGES)
list(REMOVE_DUPLICATES plugins)
list(REMOVE_ITEM plugins program)
set(CPACK_COMPONENTS_ALL program data library dev ${plugins})

# paleo_package(component name depends what) describes a package of Debian's. What it depends on is not
# worked out from the plug-ins: a missing vendor library must not keep the rest from being installed.
macro(paleo_package component name depends what)
	string(TOUPPER ${component} upper)
	set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
	set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
	set(CPACK_COMPONENT_${upper}_DESCRIPTION "${what}")
endmacro()

set(same "(= ${PROJECT_VERSION})")
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE libc OUTPUT_STRIP_TRAILING_WHITESPACE
	ERROR_QUIET)
string(REGEX REPLACE "^glibc (.*)" "libc6 (>= \\1)" libc "${libc}")
set(c "${libc}, zlib1g, libcjson1")
paleo_package(program paleo "paleo-data ${same}, ${c}" "${PROJECT_DESCRIPTION}")
paleo_package(data paleo-data "" "nets, calibrations, presets and pages of paleo")
paleo_package(library libpaleo${PROJECT_VERSION_MAJOR} "paleo-data ${same}, ${c}"
	"how long neural networks take: the library")
paleo_package(dev libpaleo-dev "libpaleo${PROJECT_VERSION_MAJOR} ${same}"
	"how long neural networks take: headers of the library")
foreach(plugin IN LISTS plugins)
	paleo_package(${plugin} paleo-${plugin} "paleo ${same}, ${libc}"
		"paleo's plug-in for ${plugin}; the vendor's libraries come from elsewhere")
endforeach()
set(CPACK_DEBIAN_DATA_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers)
if(DNNL_VERSION)
	string(REGEX MATCH "^[0-9]+" major ${DNNL_VERSION})
	set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libdnnl${major}")
endif()
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "libopenmpi3 | libopenmpi40, openmpi-bin")
include(CPack)
