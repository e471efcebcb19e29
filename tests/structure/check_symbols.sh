#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does a library export what it is allowed to, and nothing else?
#
#   check_symbols.sh NM PATTERN LIBRARY [HEADER]    PATTERN: an extended regular expression for whole names
#
# A name that has a version is looked at with it: name@@VERSION. With a header, whose declarations begin with
# REGRAD_API, each function that this declares must be there.
# A library whose name ends in .a is looked at for its global symbols, which meet those of the program.
set -euo pipefail
nm=$1
pattern=$2
library=$3

case $library in
*.a) table=--extern-only ;;
*) table=--dynamic ;;
esac
names=$("$nm" "$table" --defined-only --format=posix "$library" | awk 'NF > 1 && $2 != "A" {print $1}')

others=$(grep -vxE "$pattern" <<<"$names" || true)
if [ -z "$names" ]; then
    echo "$library exports nothing"
    exit 1
elif [ -n "$others" ]; then
    printf '%s exports names that are not %s:\n%s\n' "$library" "$pattern" "$others"
    exit 1
fi
if [ $# -gt 3 ]; then
    declared=$(sed -n '/^REGRAD_API/,/(/p' "$4" | grep -oE 'regrad_[a-z0-9_]+\(' | tr -d '(' | sort)
    missing=$(comm -23 <(echo "$declared") <(sed 's/@.*//' <<<"$names" | sort))
    if [ -z "$declared" ] || [ -n "$missing" ]; then
        printf '%s does not export what %s declares:\n%s\n' "$library" "$4" "$missing"
        exit 1
    fi
fi
echo "$library exports $(wc -l <<<"$names") names, all $pattern"
