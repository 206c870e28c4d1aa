# warnings.cmake - the interface target paleo_flags: how all of our own C is compiled.
include(CheckCCompilerFlag)

add_library(paleo_flags INTERFACE)
target_compile_features(paleo_flags INTERFACE c_std_11)
target_compile_definitions(paleo_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_include_directories(paleo_flags INTERFACE ${CMAKE_SOURCE_DIR}
	${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)
target_compile_options(paleo_flags INTERFACE
	-Wall -Wextra -Wpedantic
	-Wconversion -Wno-sign-conversion
	-Wshadow -Wvla -Wundef -Wformat=2 -Wcast-qual -Wcast-align -Wwrite-strings
	-Wnull-dereference -Wpointer-arith
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
	-Wswitch-enum
	-fno-common
	-ffp-contract=off # the same sums on every processor
	-fno-semantic-interposition) # nobody replaces a function: calls within a file are inlined

check_c_compiler_flag(-Wmissing-variable-declarations PALEO_HAVE_MISSING_VARIABLE_DECLARATIONS)
if(PALEO_HAVE_MISSING_VARIABLE_DECLARATIONS)
	target_compile_options(paleo_flags INTERFACE -Wmissing-variable-declarations)
endif()
if(PALEO_WERROR)
	target_compile_options(paleo_flags INTERFACE -Werror)
endif()
