#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does the wrong program of a kind get exactly the finding that its page in docs/check shows, and the right one none?
#
#   check_finding.sh KIND REFUSED FROM OFF PROGRAM-DIRECTORY [EMULATOR...]
#
# PROGRAM-DIRECTORY has the programs KIND_wrong and KIND_right, and finding_blocks. They return 0 when every call was
# accepted, 1 when the guilty one was refused.
# REFUSED  the levels in which it is refused: never, error, check (all but off) or always (off too); or stops: the
#          program ends by SIGSEGV; passes: so it does, but not in all
# FROM     the lowest level in which it is found: warn, error or isolate
# OFF      yes; no where the wrong program must not be run without the check mode, because it would touch what is gone
set -euo pipefail
kind=$1 refused=$2 from=$3 off=$4 programs=$5
shift 5
source_directory=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset REGRAD_CHECK REGRAD_CHECK_LOG REGRAD_CHECK_SUPPRESS
failed=0

complain() {
    echo "$kind: $1"
    failed=1
}

# Addresses, and everything behind the name of a function, change from build to build.
without_addresses() {
    sed -E 's/0x[0-9a-f]+/0x.../g; /^ +lib[a-z]+san\.so/d' "$1" # without the frames of a sanitizer
}

# Runs a program; leaves its standard error and its log in the scratch directory, and its status in $status.
run() { # PROGRAM LEVEL EMULATOR...
    local program=$programs/$1 level=$2
    shift 2
    rm -f "$scratch/log"
    status=0
    REGRAD_CHECK=$level REGRAD_CHECK_LOG=$scratch/log "$@" "$program" 2>"$scratch/raw" || status=$?
    without_addresses "$scratch/raw" >"$scratch/err"
}

expect_status() { # WANTED WHAT
    [ "$status" -eq "$1" ] || complain "$2 returned $status, must return $1"
}

expect_blocks() { # FILE WHAT
    diff -u "$source_directory/$kind.expected" "$1" || complain "$2 differs from what is expected"
}

expect_silence() { # WHAT
    if [ -s "$scratch/err" ] || [ -e "$scratch/log" ]; then
        cat "$scratch/err"
        complain "$1 has a finding"
    fi
}

is_refused_in() {
    case $refused-$1 in
    always-* | check-warn | check-all | check-error | check-isolate | error-error | error-isolate) return 0 ;;
    *) return 1 ;;
    esac
}

# What the wrong program returns in a level.
status_in() {
    case $refused in
    stops) echo $((128 + $(kill -l SEGV))) ;;
    passes) [ "$1" = isolate ] && echo $((128 + $(kill -l SEGV))) || echo 0 ;;
    *) is_refused_in "$1" && echo 1 || echo 0 ;;
    esac
}

levels="warn all error"
[ "$from" = warn ] || levels="all $from"
for level in $levels; do
    run "${kind}_wrong" "$level" "$@"
    expect_status "$(status_in "$level")" "the wrong program with $level"
    expect_blocks "$scratch/err" "standard error with $level"
    "$@" "$programs/finding_blocks" "$scratch/log" >"$scratch/blocks" || complain "the log is not as it must be"
    without_addresses "$scratch/blocks" >"$scratch/log_blocks"
    expect_blocks "$scratch/log_blocks" "the log with $level"
done
if [ "$off" = yes ]; then
    run "${kind}_wrong" off "$@"
    expect_status "$(status_in off)" "the wrong program with off"
    expect_silence "the wrong program with off"
fi
if [ "$from" = error ]; then
    run "${kind}_wrong" warn "$@"
    expect_silence "the wrong program with warn"
fi
REGRAD_CHECK_SUPPRESS=$(sed -n 's/^regrad check: \([a-z-]*\).*/\1/p' "$source_directory/$kind.expected" | sort -u |
    paste -sd,)
export REGRAD_CHECK_SUPPRESS
run "${kind}_wrong" "${levels%% *}" "$@"
expect_silence "the wrong program, suppressed,"
unset REGRAD_CHECK_SUPPRESS
for level in off warn error ${levels##* }; do
    run "${kind}_right" "$level" "$@"
    expect_status 0 "the right program with $level"
    expect_silence "the right program with $level"
done
exit $failed
