# run_golden.cmake - runs the command line of one case and compares what it says and returns.
#
#   cmake -DCASE=folder -DSOURCE=sources -DBUILD=build -DWORK=scratch -P run_golden.cmake
#
# A case is a folder with these files; an output that is not there is expected to be empty:
#   cmd       a command line for sh; @CASE@, @SOURCE@, @BUILD@ and @WORK@ stand for the folders.
#             It runs in @WORK@, which is emptied before, with @BUILD@/bin first in the path.
#   stdout, stderr   what it must print, with the same marks in place of the folders
#   status    the exit code, 0 if there is none
#   skip-if   a command line; if it ends with 0 the case is skipped
# With PALEO_UPDATE_GOLDEN=1 in the environment the last runs' answers become the expected ones.
cmake_minimum_required(VERSION 3.22)

# Puts the marks in place of the folders; the longest path first, as one may lie within another.
function(mark text result)
	string(REPLACE ${WORK} "@WORK@" text "${text}")
	string(REPLACE ${CASE} "@CASE@" text "${text}")
	string(REPLACE ${BUILD} "@BUILD@" text "${text}")
	string(REPLACE ${SOURCE} "@SOURCE@" text "${text}")
	set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Runs the command line in a file of the case.
function(run file status out err)
	file(READ ${CASE}/${file} line)
	string(CONFIGURE "${line}" line @ONLY)
	execute_process(
		COMMAND ${CMAKE_COMMAND} -E env --unset=PALEO_UPDATE_GOLDEN LC_ALL=C
			PATH=${BUILD}/bin:$ENV{PATH} sh -c "${line}"
		WORKING_DIRECTORY ${WORK}
		RESULT_VARIABLE code OUTPUT_VARIABLE stdout ERROR_VARIABLE stderr)
	mark("${stdout}" stdout)
	mark("${stderr}" stderr)
	set(${status} "${code}" PARENT_SCOPE)
	set(${out} "${stdout}" PARENT_SCOPE)
	set(${err} "${stderr}" PARENT_SCOPE)
endfunction()

# Reads an expected answer, or the default where there is no such file.
function(expected name default result)
	set(text "${default}")
	if(EXISTS ${CASE}/${name})
		file(READ ${CASE}/${name} text)
	endif()
	set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Writes an answer into the case, or removes the file where it is the default.
function(update name default text)
	if("${text}" STREQUAL "${default}")
		file(REMOVE ${CASE}/${name})
	else()
		file(WRITE ${CASE}/${name} "${text}")
	endif()
endfunction()

foreach(folder IN ITEMS CASE SOURCE BUILD WORK)
	if("${${folder}}" STREQUAL "")
		message(FATAL_ERROR "run_golden.cmake: -D${folder}= is missing")
	endif()
endforeach()
if(NOT EXISTS ${CASE}/cmd)
	message(FATAL_ERROR "'${CASE}' has no file 'cmd'")
endif()
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

if(EXISTS ${CASE}/skip-if)
	run(skip-if status stdout stderr)
	if(status STREQUAL 0)
		message("SKIPPED: its skip-if holds: ${stdout}")
		return()
	endif()
endif()

run(cmd status stdout stderr)
set(status "${status}\n")
set(default_stdout "")
set(default_stderr "")
set(default_status "0\n")
if("$ENV{PALEO_UPDATE_GOLDEN}" STREQUAL 1)
	foreach(name IN ITEMS stdout stderr status)
		update(${name} "${default_${name}}" "${${name}}")
	endforeach()
	message("UPDATED: ${CASE}")
	return()
endif()

set(failed "")
foreach(name IN ITEMS stdout stderr status)
	expected(${name} "${default_${name}}" want)
	if(NOT "${${name}}" STREQUAL "${want}")
		list(APPEND failed ${name})
		file(WRITE ${WORK}/expected.${name} "${want}")
		file(WRITE ${WORK}/actual.${name} "${${name}}")
		execute_process(COMMAND diff -u expected.${name} actual.${name}
			WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE difference)
		message("${difference}")
	endif()
endforeach()
if(failed)
	list(JOIN failed ", " failed)
	message(FATAL_ERROR "'${CASE}': ${failed} differ")
endif()
