# package.cmake - what is installed besides the program and its plug-ins; packages of it all.

# The program finds its data in share/paleo beside bin/, in the build folder too.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/paleo ${CMAKE_BINARY_DIR}/lib/paleo)
foreach(folder IN ITEMS nets results)
	file(RELATIVE_PATH source ${CMAKE_BINARY_DIR}/share/paleo ${CMAKE_SOURCE_DIR}/${folder})
	file(CREATE_LINK ${source} ${CMAKE_BINARY_DIR}/share/paleo/${folder} SYMBOLIC)
endforeach()
# Descriptions of GPUs for cuDNN's planner.
file(RELATIVE_PATH source ${CMAKE_BINARY_DIR}/share/paleo
	${CMAKE_SOURCE_DIR}/bench/backends/cuda/devices)
file(CREATE_LINK ${source} ${CMAKE_BINARY_DIR}/share/paleo/cudnn-devices SYMBOLIC)
install(DIRECTORY bench/backends/cuda/devices/ DESTINATION share/paleo/cudnn-devices COMPONENT data)
# What commands read, and the pages about it; not how it was made.
install(DIRECTORY results DESTINATION share/paleo COMPONENT data
	FILES_MATCHING PATTERN "*.json" PATTERN "*.jsonl.gz" PATTERN "ceilings*.jsonl" PATTERN "*.md" PATTERN spreads.csv
	PATTERN results/studies/nets EXCLUDE)

# A machine that has the program from elsewhere may lack libcjson; it lies beside the plug-ins then,
# where the program looks for it (RUNPATH, see targets.cmake).
if(PALEO_BUNDLE_CJSON)
	file(REAL_PATH ${CJSON_LIBRARY} cjson)
	file(COPY_FILE ${cjson} ${CMAKE_BINARY_DIR}/lib/paleo/libcjson.so.1 ONLY_IF_DIFFERENT)
	install(FILES ${CMAKE_BINARY_DIR}/lib/paleo/libcjson.so.1 DESTINATION lib/paleo COMPONENT bundle)
endif()

include(install_library)
install(FILES LICENSE NOTICE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT data)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT data
	PATTERN *.py EXCLUDE PATTERN *.sh EXCLUDE)

include(cpack)
