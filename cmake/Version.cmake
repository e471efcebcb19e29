# SPDX-License-Identifier: Apache-2.0
# The version has one home, include/regrad.h.
set(regrad_header ${CMAKE_CURRENT_LIST_DIR}/../include/regrad.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${regrad_header})
file(STRINGS ${regrad_header} lines REGEX "^#define REGRAD_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
string(REGEX MATCHALL "[0-9]+" regrad_version "${lines}")
string(REPLACE ";" "." regrad_version "${regrad_version}")
if(NOT regrad_version MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+$")
  message(FATAL_ERROR "${regrad_header} does not give the version as three numbers, but: ${lines}")
endif()
