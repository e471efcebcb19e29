#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program whose name has the end of a line in it: does a finding stay what it is?
#
#   check_forged.sh PROGRAM LIBRARY-PATH [EMULATOR...]
set -euo pipefail
program=$1 libraries=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
forged=$scratch/$'a\n  what     forged\e[31m'
cp "$program" "$forged"
status=0
LD_LIBRARY_PATH=$libraries REGRAD_CHECK=error "$@" "$forged" 2>"$scratch/err" || status=$?
cat -v "$scratch/err"
[ "$(grep -c '^  what ' "$scratch/err")" -eq "$(grep -c '^regrad check: ' "$scratch/err")" ]
grep -qF 'a\n  what     forged\x1b[31m' "$scratch/err"
[ "$(grep -c $'\e' "$scratch/err" || true)" -eq 0 ]
