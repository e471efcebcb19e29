# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays down. Nothing in it names the prefix, so the tree may be moved afterwards. The components:
# regrad_runtime, regrad_development, regrad_acl (all of the aclnn interface) and regrad_tools.
include(CMakePackageConfigHelpers)
set(libdir ${CMAKE_INSTALL_LIBDIR})
set(package_directory ${libdir}/cmake/regrad)
set(home ${libdir}/regrad/ascend-home)
set(manifest ${CMAKE_INSTALL_DATAROOTDIR}/regrad/install_manifest.txt)

function(install_script name) # COMPONENT...
  configure_file(${PROJECT_SOURCE_DIR}/cmake/install/${name}.cmake.in ${PROJECT_BINARY_DIR}/install/${name}.cmake @ONLY)
  install(SCRIPT ${PROJECT_BINARY_DIR}/install/${name}.cmake ${ARGN})
endfunction()

# These come before all that is installed.
if(REGRAD_ACL)
  install_script(spare_toolkit COMPONENT regrad_acl)
endif()
if(PROJECT_IS_TOP_LEVEL)
  install_script(note_directories)
endif()

set_target_properties(regrad PROPERTIES INSTALL_RPATH "")
install(TARGETS regrad regrad_static EXPORT regrad-targets
  LIBRARY DESTINATION ${libdir} COMPONENT regrad_runtime NAMELINK_COMPONENT regrad_development
  ARCHIVE DESTINATION ${libdir} COMPONENT regrad_development)
install(FILES ${PROJECT_SOURCE_DIR}/include/regrad.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT regrad_development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT regrad_runtime)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/regrad-config.cmake.in
  ${PROJECT_BINARY_DIR}/install/regrad-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/regrad-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/regrad-config.cmake ${PROJECT_BINARY_DIR}/install/regrad-config-version.cmake
  DESTINATION ${package_directory} COMPONENT regrad_development)
install(EXPORT regrad-targets NAMESPACE regrad:: DESTINATION ${package_directory} COMPONENT regrad_development)

# From the directory of the pkg-config files to others.
foreach(directory LIBDIR INCLUDEDIR)
  file(RELATIVE_PATH pc_to_${directory} ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_${directory}})
  string(REGEX REPLACE "/$" "" pc_to_${directory} ${pc_to_${directory}})
endforeach()
function(install_pkg_config name component)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/install/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/install/${name}.pc DESTINATION ${libdir}/pkgconfig COMPONENT ${component})
endfunction()
install_pkg_config(regrad regrad_development)

# The headers under the vendor's names and the libraries under them go to a place of their own, where they hide no
# real toolkit.
if(REGRAD_ACL)
  install(TARGETS regrad_acl regrad_acl_static EXPORT regrad-acl-targets COMPONENT regrad_acl
    LIBRARY DESTINATION ${libdir} ARCHIVE DESTINATION ${libdir})
  install(TARGETS ${vendor_targets} LIBRARY DESTINATION ${home}/lib64 COMPONENT regrad_acl)
  foreach(directory acl aclnn aclnnop nnopbase)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/${directory} DESTINATION ${home}/include COMPONENT regrad_acl
      FILES_MATCHING PATTERN "*.h")
  endforeach()
  install(DIRECTORY ${PROJECT_BINARY_DIR}/ascend-home-installed/ DESTINATION ${home} COMPONENT regrad_acl)
  install(EXPORT regrad-acl-targets NAMESPACE regrad:: DESTINATION ${package_directory} COMPONENT regrad_acl)
  install_pkg_config(regrad_acl regrad_acl)
endif()

if(REGRAD_TOOLS)
  file(RELATIVE_PATH libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(regrad_program PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
  install(TARGETS regrad_program EXPORT regrad-program-targets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    COMPONENT regrad_tools)
  install(EXPORT regrad-program-targets NAMESPACE regrad:: DESTINATION ${package_directory} COMPONENT regrad_tools)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT regrad_tools)
  install(FILES ${PROJECT_SOURCE_DIR}/third_party/cjson/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.cJSON
    COMPONENT regrad_tools)
endif()

# This comes after all that is installed.
if(PROJECT_IS_TOP_LEVEL)
  install_script(note_files)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DPREFIX=${CMAKE_INSTALL_PREFIX} -DMANIFEST=${manifest}
    -P ${PROJECT_SOURCE_DIR}/cmake/install/uninstall.cmake VERBATIM)
endif()
