#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Is regrad a good part of another project: by add_subdirectory, and by FetchContent from a directory and from a git
# repository? See parent/CMakeLists.txt.
#
#   check_subproject.sh SOURCE-DIRECTORY CC JOBS
set -euo pipefail
source_directory=$1
export CC=$2
jobs=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n_passed=0
check() { # WHAT COMMAND...
    local what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        n_passed=$((n_passed + 1))
    else
        echo "$what failed: $*"
        cat "$work/log"
        exit 1
    fi
}

cp -r "$source_directory/tests/install/parent" "$work/parent"
cp "$source_directory/tests/install/consumer/consumer.c" "$work/parent"
# Unoptimised, which takes a tenth of the time. The kernels refuse the parent's -ffast-math, should it reach them.
configure=(cmake -S "$work/parent" -B "$work/build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0
    -DCMAKE_C_FLAGS=-ffast-math)
build=(cmake --build "$work/build" --parallel "$jobs")

check "add_subdirectory" "${configure[@]}" "-DREGRAD_SOURCE=$source_directory"
check "directories of tests, tools and examples are not there" bash -c \
    '! grep "^-- directories:" "$1" | grep -E "tests|tools|examples|bench|fuzz"' bash "$work/log"
check "building" "${build[@]}"
for program in shared static without_acl with_regrad_acl with_regrad_acl_static; do
    check "$program" "$work/build/$program"
done
check "installing" cmake --install "$work/build" --prefix "$work/prefix"
check "nothing but the parent's is installed" test "$(cd "$work/prefix" && find . ! -type d)" = ./bin/shared

# The same sources under another name, so that what is built stays built.
check "FetchContent of a directory" "${configure[@]}" "-DFETCH=SOURCE_DIR;$source_directory"
check "building after FetchContent" "${build[@]}"
check "a program after FetchContent" "$work/build/shared"
mkdir "$work/repository"
(cd "$source_directory" && tar -c --exclude=./build --exclude=./.git .) | tar -x -C "$work/repository"
(cd "$work/repository" && git init -q -b main && git add -A &&
    git -c user.name=test -c user.email=test@localhost commit -qm test)
check "FetchContent of a repository" cmake -S "$work/parent" -B "$work/fetched" \
    "-DFETCH=GIT_REPOSITORY;file://$work/repository;GIT_TAG;main"

# Installed where it is asked for, by its own rules.
check "with REGRAD_INSTALL" "${configure[@]}" "-DREGRAD_SOURCE=$source_directory" -DFETCH= -DREGRAD_INSTALL=ON
check "building for it" "${build[@]}"
check "installing all" cmake --install "$work/build" --prefix "$work/all"
check "regrad is installed then" test -e "$work/all/include/regrad.h" -a -e "$work/all/lib/cmake/regrad"
echo "$n_passed checks passed"
