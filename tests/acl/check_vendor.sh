#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Do programs that were written for the vendor's libraries build and run with ours, unchanged?
#
#   check_vendor.sh SOURCE-DIRECTORY LIBRARY-DIRECTORY CXX NM
set -euo pipefail
include=$1/include
programs=$1/tests/acl/vendor
libraries=$2
cxx=$3
nm=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$libraries"
n_passed=0
n_failed=0
check() { # WHAT COMMAND...
    local what=$1 output
    shift
    if output=$("$@" 2>&1); then
        n_passed=$((n_passed + 1))
    else
        printf '%s failed:\n%s\n' "$what" "$output"
        n_failed=$((n_failed + 1))
    fi
}

# Standard output must be the lines of the file, numbers but for the rounding of float32.
prints() { # FILE COMMAND...
    local wanted=$1
    shift
    "$@" >"$work/printed" || return 1
    paste -d '|' "$work/printed" "$wanted" | awk -F '|' '
        function abs(x) {return x < 0 ? -x : x}
        {n1 = split($1, got, " "); n2 = split($2, want, " ")
         for (i = 1; i <= n1 || i <= n2; i++)
             if (got[i] "" != want[i] "" &&
                 !(want[i] ~ /^-?[0-9]+\.[0-9]+$/ && abs(got[i] - want[i]) <= 1e-6 * abs(want[i])))
                 {print FNR ": " $1 ", wanted " $2; bad = 1}}
        END {exit bad}'
}

exports_the_same() { # LIBRARY LIBRARY
    cmp <("$nm" -D --defined-only "$1" | awk '{print $3}') <("$nm" -D --defined-only "$2" | awk '{print $3}')
}
is_called() { # NAME LIBRARY
    readelf -d "$2" | grep -q "SONAME.*\[$1\]"
}

# The documented command lines, as a whole once; the order of libraries has no say.
includes=("-I$include" "-I$include/aclnn" "-I$include/aclnnop")
compile() { # OUTPUT FLAGS...
    local output=$1
    shift
    "$cxx" -std=c++11 "${includes[@]}" "$program" "-L$libraries" "$@" -o "$work/$output"
}
program=$programs/four_gradients.cpp
check "compiling and linking" compile program -lopapi_cv -lascendcl -lnnopbase
check "running what was compiled" prints "$programs/four_gradients.txt" "$work/program"
check "compiling" "$cxx" -std=c++11 "${includes[@]}" -c "$program" -o "$work/program.o"
program=$work/program.o
for order in "-lopapi_cv -lascendcl -lnnopbase" "-lopapi_cv -lnnopbase -lascendcl" "-lascendcl -lopapi_cv -lnnopbase" \
    "-lascendcl -lnnopbase -lopapi_cv" "-lnnopbase -lopapi_cv -lascendcl" "-lnnopbase -lascendcl -lopapi_cv" \
    "-lascendcl -lnnopbase -lopapi" "-lopapi -lnnopbase -lascendcl" "-lacl_rt -lnnopbase -lopapi_math -lopapi_cv" \
    "-lascendcl -lnnopbase -lopapi -lacl_op_compiler" "-lacl_op_executor -lacl_mdl -lacl_tdt_queue -lacl_tdt_channel" \
    "-Wl,--as-needed -lascendcl -lnnopbase -lopapi" "-Wl,--no-as-needed -lopapi_cv -lascendcl -lnnopbase" \
    "-Wl,-z,now -lopapi_cv -lascendcl -lnnopbase" "-Wl,--no-undefined -lopapi"; do
    # shellcheck disable=SC2086
    check "linking with $order" compile program $order
    check "running with $order" prints "$programs/four_gradients.txt" "$work/program"
done

# By full path, as some build systems do.
check "linking by path" compile program "$libraries/libacl_rt.so" "$libraries/libnnopbase.so" \
    "$libraries/libopapi_math.so" "$libraries/libopapi_cv.so"
check "running by path" prints "$programs/four_gradients.txt" "$work/program"

# Neither touches device memory itself.
check "running isolated" prints "$programs/four_gradients.txt" env REGRAD_CHECK=isolate "$work/program"

# Each library by name, and nothing but one copy of each function.
check "compiling by_name" "$cxx" -std=c++11 "-I$include" "$programs/by_name.cpp" -o "$work/by_name" -pthread -ldl
names=(libascendcl.so libacl_rt.so libacl_mdl.so libacl_op_compiler.so libacl_op_executor.so libacl_tdt_channel.so
    libacl_tdt_queue.so libaclnn_math.so libaclnn_ops_infer.so libaclnn_ops_train.so libnnopbase.so libopapi.so
    libopapi_cv.so libopapi_math.so)
check "by_name isolated" env REGRAD_CHECK=isolate "$work/by_name" "${names[@]:0:2}"
for name in "${names[@]}"; do
    check "by_name $name" "$work/by_name" "$name" libascendcl.so
    check "$name is a regular file" test -f "$libraries/$name" -a ! -L "$libraries/$name"
    check "the name in $name" is_called "$name" "$libraries/$name"
    check "the names in $name" exports_the_same "$libraries/$name" "$libraries/libregrad_acl.so"
done

echo "$n_passed checks passed, $n_failed failed"
[ "$n_failed" -eq 0 ]
