#!/usr/bin/env bash
# Does a library export what it is allowed to, and nothing else?
#
#   check_symbols.sh NM PATTERN LIBRARY...      PATTERN: an extended regular expression for whole names
#
# A library whose name ends in .a is looked at for its global symbols. A library that exports nothing
# is one that only names others, which is allowed to all but the first.
set -euo pipefail
nm=$1
pattern=$2
shift 2

n_passed=0
n_failed=0
n_exported_by_first=
for library in "$@"; do
    case $library in
    *.a) names=$("$nm" --extern-only --defined-only --format=posix "$library" | awk 'NF > 1 {print $1}') ;;
    *) names=$("$nm" --dynamic --defined-only --format=posix "$library" | awk '{print $1}') ;;
    esac
    n_names=0
    while read -r name; do
        [ -n "$name" ] || continue
        n_names=$((n_names + 1))
        if [[ $name =~ ^($pattern)$ ]]; then
            n_passed=$((n_passed + 1))
        else
            echo "$library exports $name, which is not $pattern"
            n_failed=$((n_failed + 1))
        fi
    done <<<"$names"
    n_exported_by_first=${n_exported_by_first:-$n_names}
done

echo "$n_passed symbols passed, $n_failed failed"
[ "$n_failed" -eq 0 ] && [ "$n_exported_by_first" -gt 0 ]
