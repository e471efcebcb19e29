#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Can the files of src/acl be read one after another? Each uses only files before it, and each folder only folders
# before it, each header includes only headers before it, and what a header declares is in the file of the same name.
# (Which folder may include which, check_layers.sh knows.)
#
#   check_folders.sh NM LIBRARY SOURCE-DIRECTORY      the static library that is made of src/acl
set -euo pipefail
symbols=$("$1" -A --format=posix "$2" | sed 's/^.*\[\(.*\)\.c\.o\]: /\1 /')
failed=0

check_circles() { # WHAT; reads pairs: a user, and what it uses
    local pairs loop
    pairs=$(cat)
    if [ "$(wc -l <<<"$pairs")" -gt 20 ] && loop=$(tsort <<<"$pairs" 2>&1 >/dev/null); then
        echo "$1: $(wc -l <<<"$pairs") uses, no circle"
    else
        echo "$1: a circle: $(sed -n '2,${/loop/q; s/.*: //p}' <<<"${loop-}" | paste -sd' ')"
        failed=1
    fi
}

cd "$3/src"
uses=$(awk '
    $3 ~ /^[A-TV-Z]$/ {owner[$2] = $1}
    $3 ~ /^[Uvw]$/ {user[++n] = $1; name[n] = $2}
    END {for (k = 1; k <= n; k++) if (name[k] in owner) print user[k], owner[name[k]]}' <<<"$symbols")
check_circles files <<<"$uses"
check_circles folders < <(awk 'NR == FNR {folder[$2] = $1; next} {print folder[$1], folder[$2]}' \
    <(find acl -name '*.c' | sed -E 's|^acl/(.*)/(.*)\.c$|\1 \2|') - <<<"$uses")
check_circles headers < <(grep -r '^#include "acl/.*/' acl --include='*.h' | sed 's/:.*"\(.*\)"/ \1/')

elsewhere=$(grep -roE '^[a-z][^(]*\brg_\w+\(' acl --include='*.h' |
    sed -E 's|^acl/(.*/)(.*)\.h:.*\b(rg_\w+)\($|\2 \3 \1|' |
    awk 'NR == FNR {owner[$2] = $1; next}
        $2 in owner && owner[$2] != $1 {print $3 $1 ".h declares " $2 ", which is in " owner[$2] ".c"}' \
        <(awk '$3 == "T"' <<<"$symbols") -)
[ -z "$elsewhere" ] || { echo "$elsewhere"; failed=1; }
exit $failed
