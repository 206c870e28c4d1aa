# vendors.cmake - finds cJSON, zlib, and the vendor libraries of the plug-ins.
#
# Sets PALEO_BACKENDS, the names of all backends, and for each that needs a vendor library
# PALEO_CPU_FOUND, as the vendor.cmake in its folder says; PALEO_TRANSPORTS, the names of those that can
# be built, and for each PALEO_mpi_LINKS. A missing vendor library is no fault: one line says so.

find_package(CJSON REQUIRED QUIET)
find_package(ZLIB REQUIRED QUIET)

# Where Python keeps NVIDIA's libraries, if someone installed them there.
file(GLOB PALEO_WHEELS
	$ENV{VIRTUAL_ENV}/lib/python3*/site-packages/nvidia
	$ENV{CONDA_PREFIX}/lib/python3*/site-packages/nvidia
	$ENV{HOME}/.local/lib/python3*/site-packages/nvidia
	/usr/local/lib/python3*/*-packages/nvidia
	/opt/*/lib/python3*/site-packages/nvidia)
# Other places are known to the Python that is in use.
execute_process(COMMAND python3 -c "import site; print(';'.join(site.getsitepackages()))"
	OUTPUT_VARIABLE places OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
foreach(place IN LISTS places)
	if(IS_DIRECTORY ${place}/nvidia)
		list(APPEND PALEO_WHEELS ${place}/nvidia)
	endif()
endforeach()

# paleo_vendor(CPU "what is needed" DNNL oneDNN ...) finds the packages, each followed by the name that
# people know, unless the option PALEO_CPU is OFF; says in one line what came of it, and sets
# PALEO_CPU_FOUND and DNNL_VERSION.
function(paleo_vendor name needed)
	set(PALEO_${name} AUTO CACHE STRING "${name} plug-in: AUTO, ON (it must build) or OFF")
	set_property(CACHE PALEO_${name} PROPERTY STRINGS AUTO ON OFF)
	set(PALEO_${name}_FOUND FALSE PARENT_SCOPE)
	if("${PALEO_${name}}" STREQUAL OFF)
		message(STATUS "${name} plug-in: not built (PALEO_${name}=OFF)")
		return()
	endif()
	set(versions)
	while(ARGN)
		list(POP_FRONT ARGN package known_as)
		find_package(${package} ${PALEO_${package}_MINIMUM} QUIET)
		if(NOT ${package}_FOUND)
			if("${PALEO_${name}}" STREQUAL ON)
				message(FATAL_ERROR "PALEO_${name}=ON, but ${needed} was not found")
			endif()
			message(STATUS "${name} plug-in: not built (no ${needed}; all else works)")
			return()
		endif()
		if(NOT ${package}_VERSION) # FindMPI knows one for each language
			set(${package}_VERSION ${${package}_C_VERSION})
		endif()
		set(${package}_VERSION ${${package}_VERSION} PARENT_SCOPE)
		list(APPEND versions "${known_as} ${${package}_VERSION}")
	endwhile()
	list(JOIN versions ", " versions)
	message(STATUS "${name} plug-in: ${versions}")
	set(PALEO_${name}_FOUND TRUE PARENT_SCOPE)
endfunction()

# Each backend of the list has a folder, which says what it needs.
set(backends_list ${CMAKE_SOURCE_DIR}/model/device/backends.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${backends_list})
file(STRINGS ${backends_list} lines REGEX "^BACKEND\\(")
set(PALEO_BACKENDS)
foreach(line IN LISTS lines)
	string(REGEX REPLACE "^BACKEND\\(([a-z0-9]+),.*" "\\1" backend "${line}")
	list(APPEND PALEO_BACKENDS ${backend})
	include(${CMAKE_SOURCE_DIR}/bench/backends/${backend}/vendor.cmake OPTIONAL)
endforeach()

# Transports measure links between workers, and few machines have what they need.
set(transports_list ${CMAKE_SOURCE_DIR}/bench/transports.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${transports_list})
file(STRINGS ${transports_list} lines REGEX "^TRANSPORT\\(")
set(PALEO_TRANSPORTS)
foreach(line IN LISTS lines)
	if(NOT line MATCHES "^TRANSPORT\\(([a-z0-9]+), \"([^\"]*)\", \"([^\"]*)\",")
		message(FATAL_ERROR "bench/transports.def: name, targets and needs in one line, not '${line}'")
	endif()
	set(transport ${CMAKE_MATCH_1})
	set(needs ${CMAKE_MATCH_3})
	string(REPLACE " " ";" PALEO_${transport}_LINKS "${CMAKE_MATCH_2}")
	string(REGEX REPLACE "([^;:]+)::[^;]+" "\\1;\\1" packages "${PALEO_${transport}_LINKS}")
	string(TOUPPER ${transport} name)
	paleo_vendor(${name} "${needs}" ${packages})
	if(PALEO_${name}_FOUND)
		list(APPEND PALEO_TRANSPORTS ${transport})
	endif()
endforeach()
