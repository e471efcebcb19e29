#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does CMake's first step need a C compiler alone? What is missing is left out with one line that names it; where it
# is asked for, that line is an error. Nothing is built here.
#
#   check_options.sh SOURCE-DIRECTORY CC
set -euo pipefail
source_directory=$1
export CC=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n_passed=0
n_failed=0

# No program is found but the C compiler with its kin, and no package.
mkdir "$work/bin"
for program in cc gcc as ld ar ranlib nm objcopy objdump strip readelf make sh uname; do
    ln -s "$(command -v "$program")" "$work/bin/$program"
done
cmake=$(command -v cmake)
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_GENERATOR
bare=(env "PATH=$work/bin" CXX=/nowhere/c++ "$cmake" -S "$source_directory" -G "Unix Makefiles"
    "-DCMAKE_IGNORE_PATH=/usr/bin;/bin;/usr/local/bin" -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON)
full=("$cmake" -S "$source_directory")

# Squeezes white space: CMake breaks the lines of errors.
configure() { # yes|no DIRECTORY COMMAND...
    local succeeds=no
    if "${@:3}" -B "$work/$2" >"$work/log" 2>&1; then succeeds=yes; fi
    tr -s ' \n' ' ' <"$work/log" >"$work/said"
    [ "$succeeds" = "$1" ]
}
check() { # WHAT yes|no WANTED DIRECTORY COMMAND...
    if configure "$2" "$4" "${@:5}" && grep -qF -e "$3" "$work/said"; then
        n_passed=$((n_passed + 1))
    else
        printf '%s: wanted %s and "%s", got:\n' "$1" "$2" "$3"
        cat "$work/log"
        n_failed=$((n_failed + 1))
    fi
}
says_nothing_else() { # NUMBER; compilers differ in OpenMP
    [ "$(grep -v openmp "$work/log" | grep -c "not built")" -eq "$1" ] ||
        { cat "$work/log"; n_failed=$((n_failed + 1)); }
}
tests_lack="regrad: the tests are not built (REGRAD_TESTS=AUTO): missing: a C++ compiler, python3, bash, pkg-config,"
two_phase_lacks="regrad: the example two_phase is not built (REGRAD_EXAMPLES=AUTO): missing: a C++ compiler"
align_lacks="regrad: the example align is not built (REGRAD_EXAMPLES=AUTO): missing: libpng"

check "a bare machine, the tests" yes "$tests_lack" bare "${bare[@]}"
says_nothing_else 3
check "a bare machine, two_phase" yes "$two_phase_lacks" bare "${bare[@]}"
check "a bare machine, align" yes "$align_lacks" bare "${bare[@]}"
check "tests that are asked for" no "${tests_lack/AUTO/ON}" asked "${bare[@]}" -DREGRAD_TESTS=ON
check "examples that are asked for" no "${align_lacks/AUTO/TRUE}" asked "${bare[@]}" -DREGRAD_TESTS=OFF \
    -DREGRAD_EXAMPLES=TRUE
check "all that can be missing, off" yes "Build files have been written" off "${bare[@]}" -DREGRAD_TESTS=OFF \
    -DREGRAD_EXAMPLES=NO
says_nothing_else 0
check "a value that is none" no "regrad: REGRAD_TESTS is 'maybe'; wanted AUTO, ON or OFF" none "${bare[@]}" \
    -DREGRAD_TESTS=maybe

# What was missing counts as soon as it is there: `make run` on a machine without g++, then `make test`, which
# installs it.
check "a directory made without a C++ compiler" yes "$two_phase_lacks" later env CXX=/nowhere/c++ "${full[@]}"
check "the tests in it, with one" yes "Build files have been written" later "${full[@]}" -DREGRAD_TESTS=ON

without_acl=(-DREGRAD_ACL=OFF -DREGRAD_TESTS=OFF -DREGRAD_EXAMPLES=OFF)
bench_lacks="regrad: regrad-bench is not built (REGRAD_BENCH=ON): missing: the aclnn interface"
check "the benchmark without what it needs" no "$bench_lacks" bench "${full[@]}" "${without_acl[@]}" -DREGRAD_BENCH=ON
check "no aclnn interface" yes "Build files have been written" without "${full[@]}" "${without_acl[@]}"
if "$cmake" --build "$work/without" --target help | grep -E 'acl|ascend|opapi'; then
    echo "the targets above are there without the aclnn interface"
    n_failed=$((n_failed + 1))
fi
check "tests without the aclnn interface" yes "Build files have been written" tests "${full[@]}" -DREGRAD_ACL=OFF \
    -DREGRAD_TESTS=ON
if command -v musl-gcc >/dev/null; then
    acl_lacks="regrad: the aclnn interface is not built (REGRAD_ACL=AUTO): missing: glibc"
    check "musl" yes "$acl_lacks" musl env CC=musl-gcc "${full[@]}"
    check "musl with an aclnn interface" no "${acl_lacks/AUTO/ON}" musl_acl env CC=musl-gcc "${full[@]}" -DREGRAD_ACL=ON
fi

echo "$n_passed checks passed, $n_failed failed"
[ "$n_failed" -eq 0 ] && [ "$n_passed" -ge 10 ]
