#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Are mistakes about locks found: by debug builds when they happen, and by clang, if it is here, before?
#
#   check_locks.sh SOURCE-DIRECTORY C-COMPILER [CLANG]
set -euo pipefail
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Whether a debug build and clang let statements pass. The rank of outer is before that of inner and of other.
cases=(
    "passes passes  rg_lock(&outer); rg_lock(&inner); n++; rg_unlock(&inner); rg_unlock(&outer);"
    "passes passes  rg_lock(&inner); needs(); rg_unlock(&inner);"
    "fails  passes  rg_lock(&inner); rg_lock(&outer); rg_unlock(&outer); rg_unlock(&inner);"
    "fails  passes  rg_lock(&inner); rg_lock(&other); rg_unlock(&other); rg_unlock(&inner);"
    "fails  fails   rg_lock(&inner); rg_lock(&inner); rg_unlock(&inner);"
    "fails  fails   rg_unlock(&inner);"
    "fails  fails   needs();"
    "passes fails   n++;"
    "passes fails   rg_lock(&inner); without(); rg_unlock(&inner);"
    "passes fails   rg_lock(&inner);"
)

write() { # STATEMENT
    cat <<END
#include "acl/sys/lock.h"
static struct rg_lock outer = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_RUNTIME};
static struct rg_lock inner = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_HANDLE};
static struct rg_lock other = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_HANDLE};
RG_GUARDED_BY(inner) static int n;
RG_NEEDS(inner) static void needs(void)
{
    rg_lock_assert(&inner);
    n++;
}
RG_WITHOUT(inner) static void without(void)
{
}
int main(void)
{
    $1
    (void)outer, (void)other, (void)needs, (void)without;
    return 0;
}
END
}

verdict() {
    "$@" >/dev/null 2>&1 && echo passes || echo fails
}

failed=0
expect() { # WANTED GOT WHO STATEMENT
    [ "$1" = "$2" ] || { echo "$3: $2, must be $1: $4"; failed=1; }
}

for case in "${cases[@]}"; do
    read -r debug static statement <<<"$case"
    write "$statement" >"$scratch/case.c"
    "$2" -std=gnu17 -Isrc "$scratch/case.c" src/acl/sys/lock.c -o "$scratch/case" -pthread
    expect "$debug" "$(verdict timeout 10 "$scratch/case")" "debug build" "$statement"
    [ $# -lt 3 ] && continue
    analyse=("$3" -std=gnu17 -Isrc -Wall -Wthread-safety -Werror -fsyntax-only)
    expect "$static" "$(verdict "${analyse[@]}" "$scratch/case.c")" clang "$statement"
done
echo "${#cases[@]} cases"
exit $failed
