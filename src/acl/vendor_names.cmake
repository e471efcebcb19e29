# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C file with an empty function for each name that LIBRARY exports; NM lists them.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T ([aA]cl|InitHugeMem|UnInitHugeMem|ReleaseHugeMem)[A-Za-z0-9_]*" lines "${listing}")
set(text "/* Names for the linker. The loader takes the functions themselves from the library that this one filters. */\n")
foreach(line ${lines})
  string(REPLACE " T " "" name ${line})
  string(APPEND text "void ${name}(void);\nvoid ${name}(void) {}\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
