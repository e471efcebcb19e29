#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The first result: finds the warp of a photograph, then computes the gradient of the search's last
# step once more with the command line program, and compares.
#
#   scripts/run-example.sh BUILD-DIRECTORY
set -euo pipefail
build=$1
source_directory=$(cd "$(dirname "$0")/.." && pwd)
out=$build/examples/pictures

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

if [ ! -x "$build/examples/align" ]; then
    echo "run-example.sh: $build/examples/align is not built: it needs libpng and libjpeg" >&2
    exit 1
fi
mkdir -p "$out"
show "$build/examples/align" "$source_directory/examples/data/grace_hopper.jpg" "$out"
tensors=("$out/grad_output.npy" "$out/photo.npy" "$out/grid.npy")
show "$build/tools/regrad" describe grid_sampler_2d_backward "${tensors[@]}"
show "$build/tools/regrad" run grid_sampler_2d_backward "${tensors[@]}" --grid-grad "$out/run_grid_grad.npy"
show "$build/tools/regrad" compare "$out/grid_grad.npy" "$out/run_grid_grad.npy"
printf '\nThe program and the command line agree. The pictures: %s/align.png, %s/input_grad.png\n' "$out" "$out"
