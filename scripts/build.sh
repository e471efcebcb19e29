#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds, with few words when all goes well.
#
#   scripts/build.sh DIRECTORY JOBS [CMAKE-OPTION...]
set -euo pipefail

directory=$1
jobs=$2
shift 2
source_directory=$(cd "$(dirname "$0")/.." && pwd)

# What `make` was called with is not for the build that CMake makes.
unset MAKEFLAGS MFLAGS MAKELEVEL

# A directory keeps the generator that it was made with.
generator=()
if [ ! -e "$directory/CMakeCache.txt" ] && command -v ninja >/dev/null; then
    generator=(-G Ninja)
fi
mkdir -p "$directory"
log=$directory/configure.log
if ! cmake -S "$source_directory" -B "$directory" ${generator[@]+"${generator[@]}"} "$@" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
grep 'not built' "$log" || true
# Library, command and examples take 100 seconds of one core; tests four times as much.
seconds=100
[[ " $* " != *" -DREGRAD_TESTS=ON "* ]] || seconds=500
minutes="$(((seconds / jobs + 59) / 60)) minutes"
if [ ! -e "$directory/src/libregrad.a" ]; then
    echo "building in $directory, which takes about ${minutes/#1 minutes/a minute} (JOBS=$jobs)"
fi
cmake --build "$directory" --parallel "$jobs"
