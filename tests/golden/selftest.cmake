# selftest.cmake - shows that run_golden.cmake passes, fails, skips and updates where it should.
#
#   cmake -DWORK=scratch -P selftest.cmake
cmake_minimum_required(VERSION 3.22)

set(case ${WORK}/case)

# golden(name expected-code [NAME=VALUE...]) runs the case, with an environment, and judges its end.
function(golden name code)
	execute_process(
		COMMAND ${CMAKE_COMMAND} -E env ${ARGN} ${CMAKE_COMMAND} -DCASE=${case}
			-DSOURCE=${WORK}/source -DBUILD=${WORK}/source/build -DWORK=${WORK}/scratch
			-P ${CMAKE_CURRENT_LIST_DIR}/run_golden.cmake
		RESULT_VARIABLE ended OUTPUT_VARIABLE said ERROR_VARIABLE said)
	if(NOT ended EQUAL code)
		message(SEND_ERROR "${name}: ended with ${ended}, not ${code}:\n${said}")
	endif()
	set(said "${said}" PARENT_SCOPE)
endfunction()

# Writes the case anew: its command, then pairs of file and content.
function(write_case cmd)
	file(REMOVE_RECURSE ${case})
	file(WRITE ${case}/cmd "${cmd}")
	while(ARGN)
		list(POP_FRONT ARGN file content)
		file(WRITE ${case}/${file} "${content}")
	endwhile()
endfunction()

write_case("echo one\n" stdout "one\n")
golden("equal" 0)
write_case("echo one\n" stdout "two\n")
golden("other stdout" 1)
write_case("echo one\n")
golden("stdout where none is expected" 1)
write_case("echo one >&2\n" stderr "two\n")
golden("other stderr" 1)
write_case("exit 3\n")
golden("status not 0" 1)
write_case("exit 3\n" status "3\n")
golden("expected status" 0)
write_case("kill -9 $$\n")
golden("killed" 1)
write_case("printf '%s' 'a;b [c] \\ \"'\n")
file(WRITE ${case}/stdout "a;b [c] \\ \"") # not through a list, which would end at the ;
golden("signs that CMake reads" 0)
write_case("echo @SOURCE@ @BUILD@ @CASE@; pwd\n" stdout "@SOURCE@ @BUILD@ @CASE@\n@WORK@\n")
golden("marks" 0)

write_case("echo one\n" skip-if "true\n")
golden("skipped" 0)
if(NOT said MATCHES "^SKIPPED")
	message(SEND_ERROR "skipped: said '${said}'")
endif()
write_case("echo one\n" skip-if "false\n")
golden("not skipped" 1)

write_case("echo one; echo two >&2; exit 3\n" stdout "old\n")
golden("update" 0 PALEO_UPDATE_GOLDEN=1)
golden("updated" 0)
write_case("true\n" stdout "old\n" stderr "old\n" status "3\n")
golden("update to nothing" 0 PALEO_UPDATE_GOLDEN=1)
golden("updated to nothing" 0)
file(GLOB files ${case}/*)
if(NOT files STREQUAL "${case}/cmd")
	message(SEND_ERROR "update to nothing: left ${files}")
endif()
file(REMOVE ${case}/cmd)
golden("no cmd" 1)
