#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Is what the README shows true? Installs the library, then goes through the README's blocks in order:
# writes the C and CMake blocks to the files that their first lines name, runs the commands of the console
# blocks, and compares what they print with what is shown. Does the code at the top of regrad.h compile
# and run?
#
#   check_readme.sh SOURCE-DIRECTORY BUILD-DIRECTORY
#
# Blocks marked bash are not run here: make run, make test and make install are what CI does anyway.
set -euo pipefail
source_directory=$1
build_directory=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pictures="$work/build/release/examples/pictures"
mkdir -p "$pictures"
ln -s "$source_directory/examples" "$work/examples"
cmake --install "$build_directory" --prefix "$work/regrad" >"$work/install.log"
"$build_directory/examples/align" "$source_directory/examples/data/grace_hopper.jpg" "$pictures" >"$work/align.log"
cd "$work"

# Blocks by kind: c and cmake to commands that write files, console to commands and to what is shown.
awk '/^```$/ {
         if (file != "") print "END" > "commands"
         kind = ""; file = ""
     }
     kind == "c" || kind == "cmake" {
         if (file == "") {file = $2; print "cat >" file " <<\"END\"" > "commands"}
         else print > "commands"
     }
     kind == "console" {
         print > "shown"
         if (sub(/^\$ /, "")) {
             line = $0; gsub(/'\''/, "'\''\\'\'''\''", line)
             print "echo '\''$ " line "'\''" > "commands"; print > "commands"
         }
     }
     /^```[a-z]+$/ {kind = substr($0, 4)}' "$source_directory/README.md"
for kind in commands shown; do
    sed -i "s|/opt/regrad|$work/regrad|g" $kind
done
test "$(wc -l <commands)" -gt 10
bash -eu commands >printed 2>&1 || echo "a command failed" >>printed
diff -u shown printed

# The code in the first comment of regrad.h, with two tensors for it.
{
    printf '#include <regrad.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(void)\n{\n'
    printf 'float given[4] = {1, 1, 1, 1}, wanted[1] = {0};\n'
    printf 'const int64_t given_shape[] = {1, 1, 2, 2}, wanted_shape[] = {1, 1, 1, 1};\n'
    printf 'regrad_tensor grad_output = regrad_tensor_contiguous(given, REGRAD_FLOAT32, 4, given_shape);\n'
    printf 'regrad_tensor grad_input = regrad_tensor_contiguous(wanted, REGRAD_FLOAT32, 4, wanted_shape);\n'
    sed -n '/^#ifndef REGRAD_H/q; s/^ \*     //p' "$source_directory/include/regrad.h"
    printf 'return status != REGRAD_OK || wanted[0] != 4;\n}\n'
} >header.c
cc -Wall -Wextra -Werror header.c -Iregrad/include -Lregrad/lib -lregrad -o header
LD_LIBRARY_PATH=regrad/lib ./header
echo "every command printed what README.md shows, and the code in regrad.h runs"
