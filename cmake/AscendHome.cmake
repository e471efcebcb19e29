# SPDX-License-Identifier: Apache-2.0
# The tree that `regrad ascend-home` names: what there is, under the names of the vendor's layout.
# One for the build tree, all links, and one for installed trees, which holds the headers and libraries under the vendor's
# names themselves; its links are relative, so that these trees may be moved.
set(arch_linux ${CMAKE_SYSTEM_PROCESSOR}-linux)

# The version of the interface, as its header says.
foreach(part MAJOR MINOR PATCH)
  file(STRINGS ${PROJECT_SOURCE_DIR}/include/acl/acl_rt.h line REGEX "^#define ACL_${part}_VERSION ")
  string(REGEX MATCH "[0-9]+$" ACL_${part}_VERSION "${line}")
endforeach()

# Copies, not links, since a module finds the library relative to its own file.
file(GLOB python_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python ${PROJECT_SOURCE_DIR}/python/acl/*.py)

function(link_to target name)
  get_filename_component(directory ${name} DIRECTORY)
  file(MAKE_DIRECTORY ${directory})
  file(CREATE_LINK ${target} ${name} SYMBOLIC)
endfunction()

function(make_ascend_home root)
  foreach(file set_env.sh regrad-ascend-home.txt)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/ascend-home/${file} ${root}/${file} COPYONLY)
  endforeach()
  foreach(file IN LISTS python_files)
    configure_file(${PROJECT_SOURCE_DIR}/python/${file} ${root}/python/site-packages/${file} COPYONLY)
  endforeach()
  file(MAKE_DIRECTORY ${root}/opp)
  foreach(package runtime opp toolkit) # as far as there is something of them
    file(CONFIGURE OUTPUT ${root}/share/info/${package}/version.info
      CONTENT "Version=${ACL_MAJOR_VERSION}.${ACL_MINOR_VERSION}.${ACL_PATCH_VERSION}\nProvider=regrad\n")
  endforeach()
  link_to(../set_env.sh ${root}/bin/setenv.bash)
  foreach(directory acllib ${arch_linux})
    link_to(../include ${root}/${directory}/include)
    link_to(../lib64 ${root}/${directory}/lib64)
  endforeach()
  link_to(../../../lib64 ${root}/${arch_linux}/devlib/linux/${CMAKE_SYSTEM_PROCESSOR})
endfunction()

set(built ${PROJECT_BINARY_DIR}/ascend-home)
make_ascend_home(${built})
link_to(${PROJECT_SOURCE_DIR}/include ${built}/include)
link_to(${PROJECT_BINARY_DIR}/lib64 ${built}/lib64)
link_to(${PROJECT_BINARY_DIR}/tools/regrad ${built}/bin/regrad)

# What is not under a vendor's name lies where all programs find it, and has a link here.
set(staged ${PROJECT_BINARY_DIR}/ascend-home-installed)
set(installed ${CMAKE_INSTALL_FULL_LIBDIR}/regrad/ascend-home)
file(REMOVE_RECURSE ${staged})
make_ascend_home(${staged})
foreach(name libregrad_acl.so libregrad_acl.so.${abi} libregrad.so.${abi})
  file(RELATIVE_PATH library ${installed}/lib64 ${CMAKE_INSTALL_FULL_LIBDIR}/${name})
  link_to(${library} ${staged}/lib64/${name})
endforeach()
file(RELATIVE_PATH program ${installed}/bin ${CMAKE_INSTALL_FULL_BINDIR}/regrad)
link_to(${program} ${staged}/bin/regrad)
