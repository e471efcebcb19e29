#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that a job needs, and nothing when they are all there.
#
#   scripts/install-packages.sh GROUP...      GROUP is one of: install, run, test, bench, wheel, ci, emulator
#
# Needs root or sudo only when something is missing.
set -euo pipefail

packages_of() {
    case $1 in
    install) echo gcc libc6-dev cmake $for_the_next_step ;;
    run) echo gcc libc6-dev make cmake pkgconf libpng-dev libjpeg-dev ;;
    test) packages_of run; echo g++ ninja-build libcmocka-dev libcjson-dev python3 python3-numpy locales git ;;
    bench) packages_of run; echo ninja-build python3 python3-torch python3-matplotlib libdnnl-dev ;;
    wheel) echo gcc libc6-dev make cmake python3 python3-venv ;;
    ci)
        packages_of test
        packages_of wheel
        echo clang clang-format llvm libclang-rt-14-dev libomp-14-dev valgrind libc6-dbg util-linux musl-tools
        echo chromium fonts-dejavu-core
        echo gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user
        echo libc6:arm64 libstdc++6:arm64 libgomp1:arm64 libcmocka-dev:arm64 libcjson-dev:arm64
        ;;
    emulator) echo bochs bochs-term bochsbios vgabios isolinux syslinux-common xorriso cpio busybox-static binutils ;;
    *)
        echo "install-packages.sh: '$1' is no group; the groups are install, run, test, bench, wheel, ci, emulator" >&2
        exit 2
        ;;
    esac
}

# Programs need not come from Debian's packages.
is_there() {
    local cc=${CC:-cc} cxx=${CXX:-c++}
    case $1 in
    gcc) command -v "${cc%% *}" ;;
    g++) command -v "${cxx%% *}" ;;
    libc6-dev) echo '#include <stdlib.h>' | "${cc%% *}" -E -x c - ;;
    make | cmake | python3 | git | valgrind) command -v "$1" ;;
    ninja-build) command -v ninja ;;
    pkgconf) command -v pkg-config ;;
    python3-venv) python3 -c 'import ensurepip, venv' ;;
    *) dpkg-query --show --showformat='${db:Status-Status}\n' "$1" | grep -x installed ;;
    esac >/dev/null 2>&1
}

if [ $# -eq 0 ]; then
    echo "usage: install-packages.sh GROUP... (install, run, test, bench, wheel, ci, emulator)" >&2
    exit 2
fi
# The README asks pkg-config about what is installed. Who is not root may do without it.
for_the_next_step=
[ "$(id -u)" -ne 0 ] || for_the_next_step=pkgconf
wanted=
for group in "$@"; do
    list=$(packages_of "$group")
    wanted+=" $list"
done
missing=()
for package in $(printf '%s\n' $wanted | sort -u); do
    is_there "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v dpkg-query >/dev/null; then
    echo "install-packages.sh: this is not Debian, so nothing is installed. These Debian packages name what is" >&2
    echo "needed and was not found: ${missing[*]}" >&2
    exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install-packages.sh: missing: ${missing[*]}" >&2
        echo "Installing them needs root, and there is no sudo. As root:" >&2
        echo "apt-get update && apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=sudo
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
fail() {
    tail -n 15 "$log" >&2
    echo "install-packages.sh: $1 failed; wanted: ${missing[*]}" >&2
    exit 1
}
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1 </dev/null
}

echo "installing ${missing[*]}"
if [[ " ${missing[*]} " == *:arm64\ * ]]; then
    $as_root dpkg --add-architecture arm64
fi
apt update || fail "apt-get update"
apt install --no-install-recommends "${missing[@]}" || fail "apt-get install"
