#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a locale with a decimal comma and runs a program that uses it; 77 where the system has not what that needs.
#
#   check_locale.sh PROGRAM [EMULATOR...]
set -euo pipefail
program=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
localedef -i de_DE -f UTF-8 "$scratch/de_DE.UTF-8" >"$scratch/log" 2>&1 || true # warnings count as failures
[ -e "$scratch/de_DE.UTF-8/LC_NUMERIC" ] || exit 77
LOCPATH=$scratch "$@" "$program"
