#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Is what the README shows true? Goes through the README's blocks in order: writes the C, CMake and Python
# blocks to the files that their first lines name, runs the commands of the console blocks, and compares
# what they print with what is shown.
#
#   check_readme.sh SOURCE-DIRECTORY BUILD-DIRECTORY           installs the library, and runs all but the following
#   check_readme.sh SOURCE-DIRECTORY BUILD-DIRECTORY python    the section "From Python", in a copy of the sources
#
# The first also asks: does the code at the top of regrad.h compile and run? The second needs venv, and pip needs to
# reach its index: without them its status is 77. Blocks marked bash are not run here: make run, make test and make
# install are what CI does anyway.
set -euo pipefail
source_directory=$1
build_directory=$2

work=$(mktemp -d "$build_directory/readme.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

# Blocks by kind: c, cmake and python to commands that write files, console to commands and to what is shown.
run_blocks() { # LEAST-COMMANDS; reads a part of the README
    awk '/^```$/ {
             if (file != "") print "END" > "commands"
             kind = ""; file = ""
         }
         kind == "c" || kind == "cmake" || kind == "python" {
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
         /^```[a-z]+$/ {kind = substr($0, 4)}'
    for kind in commands shown; do
        sed -i "s|/opt/regrad|$work/regrad|g" $kind
    done
    test "$(wc -l <commands)" -gt "$1"
    bash -eu commands >printed 2>&1 || echo "a command failed" >>printed
    diff -u shown printed
}

python_section='/^## From Python$/,/^## /'
if [ "${3-}" = python ]; then
    if ! python3 -m venv try || ! try/bin/pip download --quiet --no-deps --dest try scikit-build-core; then
        echo "left out: it needs Python's venv, and pip to reach its index"
        exit 77
    fi
    tar -C "$source_directory" --exclude='./build*' --exclude=./.git -cf - . | tar -xf -
    mkdir build
    export PIP_DISABLE_PIP_VERSION_CHECK=1
    sed -n "$python_section p" "$source_directory/README.md" | run_blocks 5
    echo "every command of From Python printed what README.md shows"
    exit
fi

pictures="$work/build/release/examples/pictures"
mkdir -p "$pictures"
ln -s "$source_directory/examples" "$work/examples"
cmake --install "$build_directory" --prefix "$work/regrad" >"$work/install.log"
"$build_directory/examples/align" "$source_directory/examples/data/grace_hopper.jpg" "$pictures" >"$work/align.log"
sed "$python_section d" "$source_directory/README.md" | run_blocks 10

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
