#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does docs/performance.md say of each constant of the files that plan and share out work what it is worth, or that it
# decides nothing? And does regrad.h explain each word that plans say of the ways in which they compute?
#
#   check_thresholds.sh SOURCE-DIRECTORY
set -euo pipefail
cd "$1"

# Constants are enumerators and static const numbers, in capitals.
constants_of() { # FILE...
    grep -hoE '\b[A-Z][A-Z_]{3,} = [^,;}]*' "$@" | sed 's/ =.*//' | sort -u
}

mapfile -t files < <(find src/op -name 'resize*' -o -name 'grid*' -o -name columns.c -o -name plan.c | sort)
mapfile -t constants < <(constants_of "${files[@]}" src/rt/parallel.c src/rt/cache.c)
n_missing=0
for constant in "${constants[@]}"; do
    grep -qw -- "$constant" docs/performance.md || {
        echo "$constant: docs/performance.md does not say what it is worth"
        n_missing=$((n_missing + 1))
    }
done
# Plans do not say what only their runs choose.
met=$(grep -rhoP 'rg_way_meet\(\KRG_[A-Z_]+' src/op)
mapfile -t words < <(grep -vwF "$met" src/op/way.c | sed -nE 's/^ *\[RG_[A-Z_]+\] = "(.*)",/\1/p')
for word in "${words[@]}"; do
    grep -qE "^ \*   $word  " include/regrad.h || {
        echo "$word: include/regrad.h does not say what that is"
        n_missing=$((n_missing + 1))
    }
done
echo "${#words[@]} words, ${#constants[@]} constants, $n_missing without a word"
[ "$n_missing" -eq 0 ] && [ "${#constants[@]}" -gt 10 ] && [ "${#words[@]}" -gt 10 ]
