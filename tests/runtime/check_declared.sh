#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Is every function that include/acl declares exported by the library, and named in docs/acl.md?
#
#   check_declared.sh SOURCE-DIRECTORY C-COMPILER NM LIBRARY
set -euo pipefail
source=$1
compiler=$2
nm=$3
library=$4

functions=$(cat "$source"/include/acl/*.h | "$compiler" -E -P -I"$source/include/acl" -x c - |
    tr '\n' ' ' | grep -oE '\bacl[A-Za-z0-9]+\(' | tr -d '(' | sort -u)
exported=$("$nm" -D --defined-only "$library" | awk '{print $3}')
failed=0
for function in $functions; do
    grep -qx "$function" <<<"$exported" || { echo "$function is declared, and not exported"; failed=1; }
    # Functions that differ in a timeout alone share a row.
    grep -qF "\`${function%WithTimeout}\`" "$source/docs/acl.md" ||
        { echo "docs/acl.md does not name $function"; failed=1; }
done
echo "$(wc -w <<<"$functions") functions"
[ "$failed" -eq 0 ] && [ "$(wc -w <<<"$functions")" -gt 90 ]
