# package.cmake - what is installed besides the program and its plug-ins; a Debian package.

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
install(DIRECTORY bench/backends/cuda/devices/ DESTINATION share/paleo/cudnn-devices)
# What commands read, and the pages about it; not how it was made.
install(DIRECTORY results DESTINATION share/paleo
	FILES_MATCHING PATTERN "*.json" PATTERN "*.jsonl.gz" PATTERN "*.md"
	PATTERN results/studies/nets EXCLUDE)

include(install_library)
install(FILES LICENSE NOTICE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the paleo developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# Not worked out from the plug-ins: a missing vendor library must not keep the rest from installing.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, zlib1g")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libdnnl2 | libdnnl3")
include(CPack)
