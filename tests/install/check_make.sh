#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does `make install` of a user without root need the compiler and CMake alone? And does it lay down the very files
# that a build in another directory, by another user and another generator, has made?
#
#   check_make.sh SOURCE-DIRECTORY BUILD-DIRECTORY      root too runs it as another user, who is nobody
set -euo pipefail
source_directory=$1
build_directory=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
    echo "$*"
    failed=1
}

# All programs but those that the user may be without, or may not use.
mkdir "$work/bin"
for program in /bin/* /usr/bin/*; do
    case ${program##*/} in
    c++* | g++* | *-g++* | clang* | ninja* | *pkg-config* | pkgconf* | python* | sudo | su | apt* | git) ;;
    *) ln -sf "$program" "$work/bin" ;;
    esac
done
mkdir "$work/clone" "$work/home" "$work/no-cmake"
(cd "$source_directory" && tar -c --exclude=./build --exclude=./.git .) | tar -x -C "$work/clone"
cp -P "$work/bin/"* "$work/no-cmake"
rm "$work/no-cmake/cmake"
chmod 755 "$work"
as_user=()
if [ "$(id -u)" -eq 0 ]; then
    chown -R 65534:65534 "$work/clone" "$work/home"
    as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
user() { # COMMAND...
    (cd "$work/clone" && "${as_user[@]}" env -i "PATH=$work/bin" "HOME=$work/home" "CC=${CC:-cc}" CXX=/nowhere/c++ \
        "$@") 2>&1
}

# What cannot go well ends before the build.
if said=$(user make install PREFIX=/proc/regrad); then complain "installed into /proc: $said"; fi
[[ $said == *"nothing can be installed into /proc/regrad: /proc is no directory"* ]] || complain "wrong words: $said"
if said=$(user make install 'PREFIX=~/regrad'); then complain "installed into ~: $said"; fi
[[ $said == *"the shell has not replaced the ~; wanted a directory, for instance PREFIX=\$HOME/regrad"* ]] ||
    complain "wrong words about ~: $said"
if said=$(user "PATH=$work/no-cmake" make install "PREFIX=$work/home/none"); then complain "no CMake: $said"; fi
[[ $said == *"missing: cmake"* ]] || complain "wrong words about CMake: $said"
[ ! -e "$work/clone/build" ] || complain "something was built for nothing"

user make install "PREFIX=$work/home/a tree" >"$work/log" || complain "make install failed: $(cat "$work/log")"
grep -q "which takes about .* minute" "$work/log" || complain "it is not said how long the build takes"
"${as_user[@]}" mv "$work/home/a tree" "$work/home/regrad"
user "$work/home/regrad/bin/regrad" --version || complain "the program does not run"

cmake --install "$build_directory" --prefix "$work/other" >"$work/log"
diff -r --no-dereference "$work/other" "$work/home/regrad" >"$work/differences" ||
    complain "the files of two builds differ: $(cat "$work/differences")"
[ "$(find "$work/other" -type f | wc -l)" -gt 50 ] || complain "there is hardly a file"

user make uninstall "PREFIX=$work/home/regrad" || complain "make uninstall failed"
left=$(find "$work/home" -mindepth 1)
[ -z "$left" ] || complain "make uninstall leaves $left"
exit $failed
