#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Is the stack that docs/acl.md promises enough to find mistakes of all kinds? The first thread of a program has its
# arguments and what the loader needs there as well.
#
#   check_small_stack.sh PROGRAM-DIRECTORY      the programs KIND_wrong
set -euo pipefail
failed=0
n_programs=0
ulimit -s 64 # KiB
for program in "$1"/*_wrong; do
    case $program in
    */host-access*) continue ;; # which are stopped by the same signal, on purpose
    esac
    for level in warn all error; do
        status=0
        env -i REGRAD_CHECK=$level "$program" &>/dev/null || status=$?
        [ "$status" -le 1 ] || { echo "$program with $level: status $status"; failed=1; }
    done
    n_programs=$((n_programs + 1))
done
echo "$n_programs programs"
[ "$n_programs" -gt 50 ] || failed=1
exit $failed
