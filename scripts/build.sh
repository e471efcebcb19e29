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

mkdir -p "$directory"
log=$directory/configure.log
if ! cmake -S "$source_directory" -B "$directory" -G Ninja "$@" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
cmake --build "$directory" --parallel "$jobs"
