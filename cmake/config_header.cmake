# config_header.cmake - generates paleo_config.h: git revision, names of our folders.
#
# The revision changes with every commit, so it is asked for at build time. The header is rewritten
# only when it differs: what includes it is then compiled again, and nothing else.
# Run with -P and -DSOURCE= -DOUT= it writes the header; included it adds the target.

if(NOT CMAKE_SCRIPT_MODE_FILE)
	add_custom_target(paleo_config_header
		COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR}
			-DOUT=${CMAKE_BINARY_DIR}/include/paleo_config.h
			-P ${CMAKE_CURRENT_LIST_FILE}
		BYPRODUCTS ${CMAKE_BINARY_DIR}/include/paleo_config.h
		VERBATIM)
	add_dependencies(paleo_flags paleo_config_header)
	return()
endif()

set(REVISION unknown)
find_program(GIT git)
if(GIT)
	# A copy of the sources inside someone else's repository is not that repository.
	execute_process(COMMAND ${GIT} rev-parse --show-toplevel WORKING_DIRECTORY ${SOURCE}
		OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
	file(REAL_PATH ${SOURCE} source)
	if(top STREQUAL source)
		execute_process(COMMAND ${GIT} describe --always --dirty --tags
			WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE failed OUTPUT_VARIABLE described
			OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
		if(NOT failed)
			set(REVISION ${described})
		endif()
	endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/paleo_config.h.in ${OUT} @ONLY)
