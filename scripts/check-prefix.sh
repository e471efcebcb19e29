#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Can files be written to a prefix, or to its directory under DESTDIR? Says so before a build, not after it.
#
#   scripts/check-prefix.sh PREFIX
set -euo pipefail
prefix=$1
if [ -z "$prefix" ]; then
    echo "check-prefix.sh: PREFIX is empty; wanted a directory, for instance PREFIX=\$HOME/regrad" >&2
    exit 1
fi
if [[ $prefix == "~"* ]]; then
    echo "check-prefix.sh: PREFIX is '$prefix', and the shell has not replaced the ~; wanted a directory," \
        "for instance PREFIX=\$HOME/regrad" >&2
    exit 1
fi
[[ $prefix == /* ]] || prefix=$PWD/$prefix

for directory in "" /bin /include /lib /lib/cmake /lib/pkgconfig /lib/regrad /share /share/doc; do
    path=${DESTDIR:-}$prefix$directory
    # What is not there yet is made in the first directory above it that is.
    while [ ! -e "$path" ]; do path=$(dirname "$path"); done
    if [ ! -d "$path" ] || [ ! -w "$path" ] || [ ! -x "$path" ]; then
        echo "check-prefix.sh: nothing is built, for nothing can be installed into ${DESTDIR:-}$prefix:" \
            "$path is no directory that $(id -un) may write to. Choose another PREFIX, for instance" \
            "make install PREFIX=\$HOME/regrad" >&2
        exit 1
    fi
done
