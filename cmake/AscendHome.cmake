# SPDX-License-Identifier: Apache-2.0
# The tree that `regrad ascend-home` names: what there is, under the names of the vendor's layout.
# One for the build tree, and one for installed trees, whose links are relative, so that these may be moved.
set(arch_linux ${CMAKE_SYSTEM_PROCESSOR}-linux)

# The version of the interface, as its header says.
foreach(part MAJOR MINOR PATCH)
  file(STRINGS ${PROJECT_SOURCE_DIR}/include/acl/acl_rt.h line REGEX "^#define ACL_${part}_VERSION ")
  string(REGEX MATCH "[0-9]+$" ACL_${part}_VERSION "${line}")
endforeach()

function(link_to target name)
  get_filename_component(directory ${name} DIRECTORY)
  file(MAKE_DIRECTORY ${directory})
  file(CREATE_LINK ${target} ${name} SYMBOLIC)
endfunction()

function(make_ascend_home root include lib64 program)
  foreach(file set_env.sh regrad-ascend-home.txt)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/ascend-home/${file} ${root}/${file} COPYONLY)
  endforeach()
  file(MAKE_DIRECTORY ${root}/opp)
  foreach(package runtime opp toolkit) # as far as there is something of them
    file(CONFIGURE OUTPUT ${root}/share/info/${package}/version.info
      CONTENT "Version=${ACL_MAJOR_VERSION}.${ACL_MINOR_VERSION}.${ACL_PATCH_VERSION}\n")
  endforeach()
  link_to(${include} ${root}/include)
  link_to(${lib64} ${root}/lib64)
  link_to(../set_env.sh ${root}/bin/setenv.bash)
  link_to(${program} ${root}/bin/regrad)
  foreach(directory acllib ${arch_linux})
    link_to(../include ${root}/${directory}/include)
    link_to(../lib64 ${root}/${directory}/lib64)
  endforeach()
  link_to(../../../lib64 ${root}/${arch_linux}/devlib/linux/${CMAKE_SYSTEM_PROCESSOR})
endfunction()

make_ascend_home(${PROJECT_BINARY_DIR}/ascend-home
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/lib64 ${PROJECT_BINARY_DIR}/tools/regrad)

set(installed_home ${CMAKE_INSTALL_FULL_LIBDIR}/regrad/ascend-home)
file(RELATIVE_PATH include ${installed_home} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(RELATIVE_PATH lib64 ${installed_home} ${CMAKE_INSTALL_PREFIX}/lib64)
file(RELATIVE_PATH program ${installed_home}/bin ${CMAKE_INSTALL_FULL_BINDIR}/regrad)
make_ascend_home(${PROJECT_BINARY_DIR}/ascend-home-installed ${include} ${lib64} ${program})
install(DIRECTORY ${PROJECT_BINARY_DIR}/ascend-home-installed/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/regrad/ascend-home)
file(RELATIVE_PATH REGRAD_HOME_FROM_PROGRAM ${CMAKE_INSTALL_FULL_BINDIR} ${installed_home})
