#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel of the Python package, in isolation, and gives it the tag of the oldest systems that it runs on.
#
#   scripts/make-wheel.sh DIRECTORY      where the wheel goes
set -euo pipefail

destination=$1
source_directory=$(cd "$(dirname "$0")/.." && pwd)
tools=$source_directory/build/wheel-tools
log=$source_directory/build/wheel.log
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() { # COMMAND...
    "$@" >>"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        echo "make-wheel.sh: $* failed; the rest is in $log" >&2
        exit 1
    }
}

mkdir -p "$destination" "${tools%/*}"
: >"$log"
[ -x "$tools/bin/auditwheel" ] || quietly python3 -m venv "$tools"
[ -x "$tools/bin/auditwheel" ] || quietly "$tools/bin/pip" install auditwheel wheel
quietly "$tools/bin/pip" wheel --no-deps --wheel-dir "$work" "$source_directory"

quietly "$tools/bin/auditwheel" show "$work"/*.whl
said=$(tail -n 20 "$log" | tr '\n' ' ')
platform=$(sed -nE 's/.*is consistent with the following platform tag: *"([^"]*)".*/\1/p' <<<"$said")
if [[ $platform != manylinux* ]]; then
    echo "make-wheel.sh: the wheel's platform is '$platform', wanted manylinux; auditwheel says why in $log" >&2
    exit 1
fi
wheel=$("$tools/bin/python" -m wheel tags --remove --platform-tag "$platform" "$work"/*.whl)
mv "$work/$wheel" "$destination/"
echo "$destination/$wheel"
