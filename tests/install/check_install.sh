#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs into an empty prefix, moves it, and builds and runs programs against it outside of the tree:
# C and C++, shared and static, by find_package and by pkg-config; then, where the aclnn interface is
# installed, a program in its style by the command lines that its documentation gives, and by scripts that know the
# layout of the vendor's toolkit.
#
#   check_install.sh SOURCE-DIRECTORY BUILD-DIRECTORY CC CXX
set -euo pipefail
source_directory=$1
build_directory=$2
export CC=$3 CXX=$4
version=$(awk '/^#define REGRAD_VERSION_/ {text = text "." $3} END {print substr(text, 2)}' \
    "$source_directory/include/regrad.h")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/moved here"
home="$prefix/lib/regrad/ascend-home"
n_passed=0
n_failed=0

check() { # WHAT WANTED-OUTPUT COMMAND...
    local what=$1 wanted=$2 output
    shift 2
    if output=$("$@" 2>&1) && [[ $output == *"$wanted"* ]]; then
        n_passed=$((n_passed + 1))
    else
        printf '%s: wanted a success that prints "%s", got:\n%s\n' "$what" "$wanted" "$output"
        n_failed=$((n_failed + 1))
    fi
}
needs_library() { # yes|no PROGRAM
    local needed=no
    if readelf -d "$2" | grep NEEDED | grep -qF "[libregrad.so.${version%.*}]"; then needed=yes; fi
    [ "$needed" = "$1" ]
}

# A program in the style of a real client, linked or opening the libraries by name, must end well and say nothing.
compile_client() { # SOURCE
    local compiler=("$CXX" -std=c++11)
    [[ $1 == *.cpp ]] || compiler=("$CC" -std=gnu17)
    "${compiler[@]}" "-I$home/include" "$1" "-L$home/lib64" -lopapi -lnnopbase -lascendcl -ldl -pthread -o client
}
run_client() ( # SOURCE; in a shell of its own
    local arguments=() said
    case ${1##*/} in
    op_plugin.cpp) arguments=(libopapi_cv.so) ;;
    mindspore.cpp) arguments=(libascendcl.so libopapi.so) ;;
    mindnlp.c) arguments=(libascendcl.so libnnopbase.so libopapi.so) ;;
    esac
    export REGRAD_DEVICES=2 REGRAD_CHECK=error REGRAD_CHECK_SUPPRESS=chip-format,executor-destroyed
    said=$(LD_LIBRARY_PATH="$home/lib64" ./client "${arguments[@]}" 2>&1) || return
    echo "$said"
    [ -z "$said" ]
)

cmake --install "$build_directory" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$prefix"
cp -r "$source_directory/tests/install/consumer" "$work/consumer"
cd "$work"

check "find_package" "" cmake -S consumer -B build -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
check "the build with find_package" "" cmake --build build -j 2
for language in c cpp; do
    check "find_package, $language, shared" "1 2 1 2" "build/${language}_regrad"
    check "find_package, $language, static" "1 2 1 2" "build/${language}_regrad_static"
    check "find_package, $language, shared is shared" "" needs_library yes "build/${language}_regrad"
    check "find_package, $language, static is static" "" needs_library no "build/${language}_regrad_static"
done
if [ -x "$prefix/bin/regrad" ] && [ -e "$home/lib64/libascendcl.so" ]; then
    check "a test by regrad::program" "1/1 Test #1: exec" ctest --test-dir build
    check "regrad::program runs the test" "ended with status 0; 0 findings, 0 notes" ctest --test-dir build -V
fi

export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
check "the version by pkg-config" "$version" pkg-config --modversion regrad
with_pkg_config() { # COMPILER SOURCE OUTPUT [-static] [PACKAGE]
    local flags=(--cflags --libs)
    [ "${4:-}" = "" ] || flags+=(--static)
    eval "$1 $2 -o $3 ${4:-} $(pkg-config "${flags[@]}" "${5:-regrad}")"
}
check "cc with pkg-config" "" with_pkg_config "$CC" consumer/consumer.c c_shared
check "cc with pkg-config, static" "" with_pkg_config "$CC" consumer/consumer.c c_static -static
check "c++ with pkg-config" "" with_pkg_config "$CXX -std=c++11" consumer/consumer.cpp cpp_shared
check "c++ with pkg-config, static" "" with_pkg_config "$CXX -std=c++11" consumer/consumer.cpp cpp_static -static
for language in c cpp; do
    check "pkg-config, $language, shared" "1 2 1 2" env LD_LIBRARY_PATH="$prefix/lib" "./${language}_shared"
    check "pkg-config, $language, static" "1 2 1 2" "./${language}_static"
done

if [ -x "$prefix/bin/regrad" ]; then
    check "the installed program" "$version" "$prefix/bin/regrad" --version
fi

if [ -e "$home/lib64/libascendcl.so" ]; then
    cp "$source_directory/examples/two_phase.cpp" .
    acl_compile=("$CXX" -std=c++11 "-I$home/include" "-I$home/include/aclnn" "-I$home/include/aclnnop"
        two_phase.cpp "-L$home/lib64")
    for libraries in "-lopapi_cv -lascendcl -lnnopbase" "-lascendcl -lnnopbase -lopapi"; do
        # shellcheck disable=SC2086
        check "two_phase.cpp with $libraries" "" "${acl_compile[@]}" $libraries -o two_phase
        check "two_phase by $libraries" "" env LD_LIBRARY_PATH="$home/lib64" ./two_phase
    done
    for source in "$source_directory"/tests/clients/*.{c,cpp}; do
        check "client ${source##*/}" "" compile_client "$source"
        check "running client ${source##*/}" "" run_client "$source"
    done
    check "the version of regrad_acl by pkg-config" "$version" pkg-config --modversion regrad_acl
    check "two_phase.cpp with pkg-config" "" with_pkg_config "$CXX -std=c++11" two_phase.cpp acl_shared "" regrad_acl
    check "two_phase by pkg-config" "" env LD_LIBRARY_PATH="$prefix/lib" ./acl_shared
    check "two_phase.cpp with pkg-config, static" "" \
        with_pkg_config "$CXX -std=c++11" two_phase.cpp acl_static -static regrad_acl
    check "two_phase by pkg-config, static" "" ./acl_static
fi

fails() { # COMMAND...
    ! "$@"
}
# The steps of build and run scripts for the toolkit: they do not quote.
build_script() { # OUTPUT
    # shellcheck disable=SC2086
    $CXX two_phase.cpp -I $ASCEND_HOME_PATH/include -I $ASCEND_HOME_PATH/include/aclnn -L $ASCEND_HOME_PATH/lib64 \
        -lopapi_cv -lascendcl -lnnopbase -o $1
}
run_script() { # SCRIPT PROGRAM [ARGUMENT...]
    env -i PATH="$PATH" bash -eu -c '. "$1" && shift && "$@"' run_script "$@"
}
if [ -x "$prefix/bin/regrad" ] && [ -e "$home/lib64/libascendcl.so" ]; then
    ASCEND_HOME_PATH=$("$prefix/bin/regrad" ascend-home)
    check "ascend-home" "" test "$ASCEND_HOME_PATH" = "$home"
    check "ascend-home --install" "" "$prefix/bin/regrad" ascend-home --install "$work/Ascend/latest"
    check "the run script of two_phase" "should be" run_script "$ASCEND_HOME_PATH/bin/setenv.bash" ./two_phase
    for ASCEND_HOME_PATH in "$ASCEND_HOME_PATH" "$work/Ascend/latest"; do
        export ASCEND_HOME_PATH
        rm -rf toolkit
        check "CMake in $ASCEND_HOME_PATH" "" cmake -S "$source_directory/tests/install/toolkit" -B toolkit -G Ninja \
            -DPROGRAM="$work/two_phase.cpp"
        check "the build in $ASCEND_HOME_PATH" "" cmake --build toolkit
        check "by_name in $ASCEND_HOME_PATH" "should be" run_script "$ASCEND_HOME_PATH/set_env.sh" toolkit/by_name
        check "by_path in $ASCEND_HOME_PATH" "should be" run_script "$ASCEND_HOME_PATH/set_env.sh" toolkit/by_path
        check "by_path is not found otherwise" "" fails env -u LD_LIBRARY_PATH toolkit/by_path
    done
    check "the build script of two_phase" "" build_script by_script
    for root in "$home" "$work/Ascend/latest"; do
        check "the module acl in $root" "" \
            run_script "$root/set_env.sh" python3 "$source_directory/tests/clients/python_acl.py"
    done
    check "regrad exec" "0 findings" env -u LD_LIBRARY_PATH "$prefix/bin/regrad" exec ./by_script
fi

# A prefix that others use as well gets no header and no library under a vendor's name, wherever they look for these.
ours="bin/regrad include/regrad.h lib/cmake"
for name in libregrad libregrad_acl; do
    ours+=" lib/$name.a lib/$name.so lib/$name.so.${version%.*} lib/$name.so.$version"
done
if [ -e "$home/lib64/libascendcl.so" ]; then
    check "the names in what others use too" "$ours lib/pkgconfig lib/regrad!" bash -c 'cd "$1"
        echo $(find bin include lib -mindepth 1 -maxdepth 1 | LC_ALL=C sort)!' bash "$prefix"
fi

# Nothing of a real toolkit is overwritten, wherever in it a file lies.
install_into() { # DIRECTORY [CMAKE-OPTION...]
    cmake --install "$build_directory" --prefix "$work/$1" "${@:2}"
}
spares() { # WHAT FILE
    local inside=real/lib/regrad/ascend-home/$2
    mkdir -p "$(dirname "$inside")"
    echo "the vendor's" >"$inside"
    check "an installation over $1" "is not regrad's; nothing is installed" refuses install_into real
    check "an installation over $1 does nothing" "1" bash -c 'find real -type f | wc -l'
    check "$1 afterwards" "the vendor's" cat "$inside"
    rm -r real
}
refuses() { # COMMAND...
    local said
    if said=$("$@" 2>&1); then return 1; fi
    tr -s ' \n' ' ' <<<"$said"
}
if [ -e "$home/lib64/libascendcl.so" ]; then
    for file in lib64/libascendcl.so lib64/libopapi_math.so include/acl/acl.h include/aclnnop/aclnn_util.h set_env.sh \
        bin/setenv.bash acllib/include/acl/acl.h python/site-packages/acl/__init__.py; do
        spares "a real $file" "$file"
    done
    mkdir -p real/lib/regrad toolkit-of-others/lib64
    ln -s "$work/toolkit-of-others" real/lib/regrad/ascend-home
    check "an installation through a link" "is not regrad's; nothing is installed" refuses install_into real
    check "an installation through a link does nothing" "0" bash -c 'find toolkit-of-others -type f | wc -l'
    rm -r real
    mkdir -p real/include/acl real/lib64
    echo "the vendor's" | tee real/include/acl/acl.h >real/lib64/libascendcl.so
    check "an installation beside a real toolkit" "" install_into real
    check "a real toolkit afterwards" "the vendor's the vendor's" bash -c 'echo $(cat real/*/acl/acl.h real/lib64/*)'
fi

# Over itself, and away again with all that it made, and with nothing else.
check "an installation over our own" "" install_into "moved here"
touch "$work/moved here/lib/of-others"
uninstall=(cmake -DPREFIX="$prefix" -P "$source_directory/cmake/install/uninstall.cmake")
check "make uninstall" "files removed" "${uninstall[@]}"
check "make uninstall leaves what is not ours" "moved here/lib/of-others" find "moved here" -type f -o -type l
check "make uninstall leaves no directories" "3" bash -c 'find "moved here" | wc -l'
check "make uninstall twice" "nothing is removed" refuses "${uninstall[@]}"

# Parts.
check "the runtime alone" "" install_into runtime --component regrad_runtime
check "the files of the runtime" "LICENSE libregrad.so.${version%.*} libregrad.so.$version" \
    bash -c 'echo $(find runtime ! -type d -printf "%f\n" | sort)'
check "development without the aclnn interface" "" install_into runtime --component regrad_development
find_parts=(cmake -S consumer -B build_runtime "-DCMAKE_PREFIX_PATH=$work/runtime")
check "find_package without the aclnn interface" "" "${find_parts[@]}"
check "find_package of the aclnn interface alone" "aclnn interface is not installed" \
    refuses "${find_parts[@]}" -DCOMPONENTS=acl
check "find_package of the command alone" "command is not installed" refuses "${find_parts[@]}" -DCOMPONENTS=program
check "find_package of what is no component" "components are acl and program, not tools" \
    refuses "${find_parts[@]}" -DCOMPONENTS=tools

echo "$n_passed checks passed, $n_failed failed"
[ "$n_failed" -eq 0 ]
