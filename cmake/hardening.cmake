# hardening.cmake - what makes mistakes in our C harder to misuse: all of our own code is built so.
# tests/house/hardening.sh reads the built program and plug-ins and holds them to it.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckPIESupported)

# The program is placed anywhere in memory; plug-ins are in any case.
check_pie_supported(LANGUAGES C)

# Tables of the linker cannot be written once the program runs, and so all is looked up at its start.
target_link_options(paleo_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

# An overflow on the stack ends the program.
target_compile_options(paleo_flags INTERFACE -fstack-protector-strong)

# Jumps arrive where code expects them, on processors that check it (x86).
check_c_compiler_flag(-fcf-protection PALEO_HAVE_CF_PROTECTION)
if(PALEO_HAVE_CF_PROTECTION)
	target_compile_options(paleo_flags INTERFACE -fcf-protection)
endif()

# The C library checks sizes, where the compiler knows them: it must optimize for that, and sanitizers
# check more.
set(flags "${CMAKE_C_FLAGS}")
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
string(APPEND flags " ${CMAKE_C_FLAGS_${type}}")
if(flags MATCHES "-O[123s]" AND NOT flags MATCHES "-fsanitize|-O0")
	set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
	check_c_source_compiles("
		#include <string.h>
		#if !defined(__has_builtin) || !__has_builtin(__builtin_dynamic_object_size)
		#error
		#endif
		int main(void) { return (int)strlen(\"\"); }" PALEO_HAVE_FORTIFY_3)
	unset(CMAKE_REQUIRED_FLAGS)
	set(PALEO_FORTIFY $<IF:$<BOOL:${PALEO_HAVE_FORTIFY_3}>,3,2>)
	target_compile_options(paleo_flags INTERFACE
		-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${PALEO_FORTIFY})
endif()
