#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Do the arrows between the layers hold? Looks at every #include of a file of ours.
#
#   check_layers.sh SOURCE-DIRECTORY
set -euo pipefail
cd "$1"

# What a directory may include: regrad (regrad.h), vendor (the headers of the aclnn interface), the
# name of another layer, one file of it, or a header of third_party/. The folders of src/acl are
# layers, from the lowest to the highest.
acl="regrad base/environment.h base/format.h base/half.h base/overlap.h base/plural.h base/thread.h vendor"
may_include() {
    case $1 in
    src/base) echo regrad base ;;
    src/kernel) echo regrad base kernel ;;
    src/rt) echo regrad base rt ;;
    src/op) echo regrad base kernel op rt/cache.h rt/given.h rt/parallel.h ;;
    src/native) echo regrad base kernel op rt native ;;
    src/acl/sys) echo "$acl" acl/sys ;;
    src/acl/tell) echo "$acl" acl/sys acl/tell ;;
    src/acl/handle) echo "$acl" acl/sys acl/tell acl/handle ;;
    src/acl/store) echo "$acl" acl/sys acl/tell acl/handle acl/store ;;
    src/acl/context) echo "$acl" acl/sys acl/tell acl/handle acl/store acl/context ;;
    src/acl/stream) echo "$acl" acl/sys acl/tell acl/handle acl/store acl/context acl/stream ;;
    src/acl/device) echo "$acl" acl/sys acl/tell acl/handle acl/store acl/context acl/stream acl/device ;;
    src/acl/memory) echo "$acl" acl/sys acl/tell acl/handle acl/store acl/context acl/stream acl/memory ;;
    src/acl/object) echo "$acl" acl/tell acl/handle acl/context acl/object ;;
    src/acl/math) echo "$acl" acl/math ;;
    src/acl/executor)
        echo "$acl" acl/sys acl/tell acl/handle acl/store acl/context acl/stream acl/memory acl/object acl/math \
            acl/executor
        ;;
    src/acl/aclnn) echo "$acl" acl/tell acl/handle acl/context acl/device acl/object acl/math acl/executor acl/aclnn ;;
    src/acl/life)
        echo "$acl" acl/sys acl/tell acl/handle acl/store acl/context acl/stream acl/device acl/executor acl/life
        ;;
    tools) echo regrad vendor own cJSON.h ;;
    examples) echo regrad vendor own ;;
    bench) echo regrad vendor own element.h ;; # of tools/: what is in an element of each type
    esac
}

# Where an include of $2 in a file of the directory $1 leads.
kind_of() {
    if [[ $2 == *..* ]]; then
        echo nowhere # the name of a file begins at src/
    elif [ "$2" = regrad.h ]; then
        echo regrad
    elif [ -e "src/$2" ]; then
        case $2 in
        acl/*) echo "${2%/*}" ;;
        *) echo "${2%%/*}" ;;
        esac
    elif [ -e "$1/$2" ] || [ -e "${1%%/*}/$2" ] ||
        { [[ $1 == tools/* ]] && compgen -G "tools/*/$2" >/dev/null; }; then # not from tools/ itself
        echo own
    elif compgen -G "include/{,acl/,aclnn/,aclnnop/}$2" >/dev/null || [ -e "include/$2" ]; then
        echo vendor
    else
        echo nowhere
    fi
}

n_passed=0
n_failed=0
while IFS=: read -r file line include; do
    [[ $include != '<'* || -e src/${include#<} ]] || continue # of the system
    include=${include#<}
    directory=$(dirname "$file")
    case $file in
    src/acl/*) layer=$(cut -d/ -f1-3 <<<"$file") ;;
    src/*) layer=$(cut -d/ -f1,2 <<<"$file") ;;
    *) layer=${file%%/*} ;;
    esac
    kind=$(kind_of "$directory" "$include")
    [ "$kind" != own ] || [ "${layer%%/*}" != src ] || kind=${layer#src/}
    if [[ " $(may_include "$layer") " == *" $kind "* || " $(may_include "$layer") " == *" $include "* ]]; then
        n_passed=$((n_passed + 1))
    else
        echo "$file:$line: includes \"$include\" ($kind); $layer may include: $(may_include "$layer")"
        n_failed=$((n_failed + 1))
    fi
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include [<"]' src tools examples bench \
    --include='*.[ch]' --include='*.cpp' |
    sed -E 's/^([^:]*:[0-9]+):[^<"]*("|(<))([^">]*)[">].*/\1:\3\4/')

echo "$n_passed includes passed, $n_failed failed"
[ "$n_failed" -eq 0 ] && [ "$n_passed" -gt 20 ]
