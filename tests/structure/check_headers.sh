#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does each public header compile alone, as C99, C17 and C++11, by every compiler that is here?
#
#   check_headers.sh SOURCE-DIRECTORY COMPILER...      C compilers; NAME++ is their C++ one (gcc: g++)
set -euo pipefail
cd "$1"
shift

# The vendor's own headers of these names need C++, so programs that include them are C++. Ours are
# usable from both.
flags="-fsyntax-only -Wall -Wextra -Wpedantic -Werror -Iinclude -Iinclude/aclnn -Iinclude/aclnnop"
n_passed=0
n_failed=0
check() { # COMPILER-AND-STANDARD... HEADER
    local header=${*: -1}
    local compile=("${@:1:$#-1}")
    # shellcheck disable=SC2086
    if printf '#include "%s"\n#include "%s"\nextern int nothing;\n' "$header" "$header" | "${compile[@]}" $flags -; then
        n_passed=$((n_passed + 1))
    else
        echo "include/$header does not compile alone: ${compile[*]}"
        n_failed=$((n_failed + 1))
    fi
}

for compiler in "$@"; do
    case $compiler in
    *gcc) cxx=${compiler%gcc}g++ ;;
    *) cxx=$compiler++ ;;
    esac
    while read -r header; do
        check "$compiler" -x c -std=c99 "$header"
        check "$compiler" -x c -std=c17 "$header"
        check "$cxx" -x c++ -std=c++11 "$header"
    done < <(cd include && find . -name '*.h' -printf '%P\n' | sort)
done

echo "$n_passed compilations passed, $n_failed failed"
[ "$n_failed" -eq 0 ] && [ "$n_passed" -gt 0 ]
