# SPDX-License-Identifier: Apache-2.0
# The options, which docs/building.md lists, and what each needs. After this file each of them is true or false.
include(CheckLanguage)
include(CheckSymbolExists)

option(REGRAD_TOOLS "Build the command line program" ${PROJECT_IS_TOP_LEVEL})
option(REGRAD_INSTALL "Make rules that install the library" ${PROJECT_IS_TOP_LEVEL})
option(REGRAD_PYTHON "Build what of the Python package is compiled: see pyproject.toml" OFF)
option(REGRAD_WERROR "Treat warnings as errors" OFF)
option(REGRAD_FUZZ "Make the fuzz targets, which the tests only replay, libFuzzer programs (needs clang)" OFF)
set(REGRAD_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=, for instance address,undefined")

# Of three values: ON is an error where something that is needed is missing, AUTO is OFF there. As a part of another
# project, what is only for work on regrad is OFF, unless it is asked for.
set(auto_at_top OFF)
if(PROJECT_IS_TOP_LEVEL)
  set(auto_at_top AUTO)
endif()
set(REGRAD_ACL AUTO CACHE STRING "Build the aclnn interface (needs glibc)")
set(REGRAD_TESTS ${auto_at_top} CACHE STRING
  "Build the tests (need glibc, cmocka, cJSON, pkg-config, a C++ compiler, Python and bash)")
set(REGRAD_EXAMPLES ${auto_at_top} CACHE STRING
  "Build the examples (align needs libpng and libjpeg, openmp OpenMP, two_phase a C++ compiler)")
set(REGRAD_BENCH OFF CACHE STRING "Build regrad-bench (needs the aclnn interface)")
set_property(CACHE REGRAD_ACL REGRAD_TESTS REGRAD_EXAMPLES REGRAD_BENCH PROPERTY STRINGS AUTO ON OFF)

# Says what is not built and what it lacks. Under ON that is an error.
function(regrad_lacks option what) # MISSING...
  list(JOIN ARGN ", " missing)
  set(mode STATUS)
  if(NOT ${option} STREQUAL "AUTO")
    set(mode FATAL_ERROR)
  endif()
  message(${mode} "regrad: ${what} not built (${option}=${${option}}): missing: ${missing}")
endfunction()

# Makes an option true or false.
macro(regrad_decide option what) # MISSING...
  if(${option} AND NOT "${ARGN}" STREQUAL "")
    regrad_lacks(${option} "${what}" ${ARGN})
    set(${option} OFF)
  endif()
endmacro()

foreach(option REGRAD_ACL REGRAD_TESTS REGRAD_EXAMPLES REGRAD_BENCH)
  string(TOUPPER "${${option}}" value)
  if(NOT value MATCHES "^(AUTO|ON|OFF|1|0|TRUE|FALSE|YES|NO|Y|N)$")
    message(FATAL_ERROR "regrad: ${option} is '${${option}}'; wanted AUTO, ON or OFF")
  endif()
  set(${option} ${value})
endforeach()

check_symbol_exists(__GLIBC__ features.h REGRAD_HAVE_GLIBC)
set(missing_glibc)
if(NOT REGRAD_HAVE_GLIBC)
  set(missing_glibc "glibc")
endif()
regrad_decide(REGRAD_ACL "the aclnn interface is" ${missing_glibc})

# C++ is for programs that use the library.
if(REGRAD_TESTS OR (REGRAD_EXAMPLES AND REGRAD_ACL))
  if(NOT CMAKE_CXX_COMPILER) # check_language keeps what it has not found, and it may have been installed since
    unset(CMAKE_CXX_COMPILER CACHE)
  endif()
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
  endif()
endif()

if(REGRAD_TESTS)
  set(missing ${missing_glibc})
  if(NOT CMAKE_CXX_COMPILER)
    list(APPEND missing "a C++ compiler")
  endif()
  foreach(program python3 bash)
    find_program(REGRAD_FOUND_${program} ${program})
    if(NOT REGRAD_FOUND_${program})
      list(APPEND missing ${program})
    endif()
  endforeach()
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
    pkg_check_modules(CJSON QUIET IMPORTED_TARGET libcjson)
  else()
    list(APPEND missing "pkg-config")
  endif()
  if(NOT CMOCKA_FOUND)
    list(APPEND missing "cmocka")
  endif()
  if(NOT CJSON_FOUND)
    list(APPEND missing "cJSON")
  endif()
  regrad_decide(REGRAD_TESTS "the tests are" ${missing})
endif()

set(missing)
if(NOT REGRAD_ACL)
  set(missing "the aclnn interface (REGRAD_ACL)")
endif()
regrad_decide(REGRAD_BENCH "regrad-bench is" ${missing})
if(REGRAD_FUZZ AND NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "regrad: no libFuzzer programs (REGRAD_FUZZ=${REGRAD_FUZZ}): missing: clang")
endif()
