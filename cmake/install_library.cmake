# install_library.cmake - installs libpaleo with its headers, and what finds it: pkg-config, CMake.
#
# The packages name no folder of this machine: what is installed may be moved as a whole.
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/paleo)
install(TARGETS paleo_shared EXPORT paleoTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
	COMPONENT library NAMELINK_COMPONENT dev)
install(DIRECTORY include/paleo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(EXPORT paleoTargets NAMESPACE paleo:: DESTINATION ${package} COMPONENT dev)

configure_package_config_file(cmake/paleoConfig.cmake.in ${CMAKE_BINARY_DIR}/paleoConfig.cmake
	INSTALL_DESTINATION ${package})
# Until 1.0 a minor version may change the structures.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/paleoConfigVersion.cmake
	COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/paleoConfig.cmake ${CMAKE_BINARY_DIR}/paleoConfigVersion.cmake
	DESTINATION ${package} COMPONENT dev)

file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/paleo.pc.in ${CMAKE_BINARY_DIR}/paleo.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/paleo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
