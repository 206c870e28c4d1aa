# web.cmake - the live page: its call against the commands, in node and in Chromium.
add_executable(web_answer web_answer.c)
target_link_libraries(web_answer PRIVATE paleo_web paleo_flags)
add_executable(test_web test_web.c)
add_executable(test_page2017 test_page2017.c ../cost_model/csv.c)
foreach(test IN ITEMS test_web test_page2017)
	target_link_libraries(${test} PRIVATE paleo_web paleo_flags ${CMOCKA_LIBRARY})
	target_include_directories(${test} SYSTEM PRIVATE ${CMOCKA_INCLUDE_DIR})
endforeach()
add_test(NAME library.web COMMAND test_web $<TARGET_FILE:paleo> WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
add_test(NAME library.page2017 COMMAND test_page2017
	tests/golden/paleo2017/page.csv.gz 1320 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
add_test(NAME library.page COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/page.sh ${CMAKE_BINARY_DIR}/page
	$<TARGET_FILE:web_answer> ${CMAKE_CURRENT_BINARY_DIR}/page WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
find_program(PALEO_CHROMIUM NAMES chromium chromium-browser google-chrome)
mark_as_advanced(PALEO_CHROMIUM)
add_test(NAME library.browser COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/browser.sh "${PALEO_CHROMIUM}"
	${CMAKE_BINARY_DIR}/page ${CMAKE_CURRENT_BINARY_DIR}/browser WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set_tests_properties(library.web library.page2017 library.page library.browser PROPERTIES
	LABELS library SKIP_RETURN_CODE 77 TIMEOUT 300 ENVIRONMENT PALEO_DATA_DIR=${CMAKE_BINARY_DIR}/share/paleo)
