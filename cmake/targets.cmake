# targets.cmake - functions with which the folders declare libraries, plug-ins and the program.

# What a user runs: the program and its plug-ins; all that bootstrap.sh builds.
add_custom_target(programs)

# paleo_library(base error.c ...) makes the static library paleo_base.
function(paleo_library name)
	add_library(paleo_${name} STATIC ${ARGN})
	target_link_libraries(paleo_${name} PUBLIC paleo_flags)
endfunction()

# paleo_plugin(cpu [TEST_ONLY] [PACKAGE cuda] a.c ...) makes lib/paleo/libpaleo-cpu.so, a target named paleo-cpu.
# Only what is marked visible is exported, and nothing of the static libraries within it.
# It looks for its libraries beside itself, then in the usual place of CUDA, then where they were
# found when it was built. A TEST_ONLY plug-in is not installed; one with a PACKAGE is packed alone.
function(paleo_plugin name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "TEST_ONLY" "PACKAGE" "")
	set(target paleo-${name})
	add_library(${target} MODULE ${arg_UNPARSED_ARGUMENTS})
	target_link_libraries(${target} PRIVATE paleo_model paleo_flags)
	target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
	set_target_properties(${target} PROPERTIES
		C_VISIBILITY_PRESET hidden
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/paleo
		BUILD_WITH_INSTALL_RPATH ON
		INSTALL_RPATH "$ORIGIN;/usr/local/cuda/lib64"
		INSTALL_RPATH_USE_LINK_PATH ON)
	if(NOT arg_TEST_ONLY)
		add_dependencies(programs ${target})
		if(NOT arg_PACKAGE)
			set(arg_PACKAGE program)
		endif()
		set_property(GLOBAL APPEND PROPERTY PALEO_PACKAGES ${arg_PACKAGE})
		install(TARGETS ${target} LIBRARY DESTINATION lib/paleo COMPONENT ${arg_PACKAGE})
	endif()
endfunction()

# paleo_program(paleo.c ...) makes bin/paleo, a target named paleo.
function(paleo_program)
	add_executable(paleo ${ARGN})
	add_dependencies(programs paleo)
	target_link_libraries(paleo PRIVATE paleo_flags)
	set_target_properties(paleo PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin
		BUILD_WITH_INSTALL_RPATH ON
		INSTALL_RPATH "$ORIGIN/../lib/paleo")
	install(TARGETS paleo RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endfunction()

# paleo_command_link(profile) makes bin/paleo-profile, another name of bin/paleo.
# Call it where paleo_program() was called.
function(paleo_command_link name)
	set(link ${CMAKE_BINARY_DIR}/bin/paleo-${name})
	add_custom_command(TARGET paleo POST_BUILD
		COMMAND ${CMAKE_COMMAND} -E create_symlink paleo ${link} VERBATIM)
	install(FILES ${link} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endfunction()
