#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the Python package. What it needs comes from pip, into environments below build/python-tests.
#
#   run.sh pythons                   prints the oldest and the newest Python from 3.9 on that this machine has
#   run.sh static                    mypy and ruff
#   run.sh wheel PYTHON [OPTION...]  pytest, with these options, on the wheel in dist/, in a new environment, which
#                                    also has JAX if pip has a wheel, and Dask, but not PyTorch, which is too large
#   run.sh editable                  imports the package from `pip install --editable`
#   run.sh examples                  the examples, with the wheel in dist/
#   run.sh sanitize [OPTION...]      the same on the build asan-ubsan, without what measures memory
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$PWD/build/python-tests

pythons() {
    local python
    for python in $(compgen -G '/usr/bin/python3.[0-9]*') $(compgen -G '/usr/local/bin/python3.[0-9]*') \
        $(compgen -G "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.*/bin/python3.[0-9]*"); do
        [[ $python =~ /python3\.[0-9]+t?$ ]] || continue
        "$python" -c 'import ensurepip, sys
if sys.version_info >= (3, 9): print(*sys.version_info[:3], sys.executable)' 2>/dev/null || true
    done | sort -n -k2,2 -k3,3 | cut -d' ' -f4 | sed -n '1p;$p' | uniq
}

environment() { # DIRECTORY PYTHON PACKAGE...
    local directory=$1 python=$2
    shift 2
    "$python" -m venv --clear "$directory"
    "$directory/bin/pip" --quiet --disable-pip-version-check install "$@"
}

check_static() {
    environment "$work/static" python3 ruff
    "$work/static/bin/ruff" check python/regrad tests/python tests/frameworks
    "$work/static/bin/ruff" format --check python/regrad tests/python tests/frameworks
}

# The tests see no other programs than those of the environment, so no compiler.
run_pytest() { # DIRECTORY [NAME=VALUE...] [OPTION...]
    local directory=$1 variables=("REGRAD_TEST_SEED=${REGRAD_TEST_SEED:-1}")
    [ -z "${REGRAD_TEST_COUNT:-}" ] || variables+=("REGRAD_TEST_COUNT=$REGRAD_TEST_COUNT")
    shift
    while [[ ${1-} == [A-Z]*=* ]]; do
        variables+=("$1")
        shift
    done
    env -i PATH="$directory/bin" HOME="$HOME" PYTHONDONTWRITEBYTECODE=1 "${variables[@]}" \
        "$directory/bin/python" -m pytest -p no:cacheprovider --quiet tests/python "$@"
}

test_wheel() { # PYTHON [OPTION...]
    local directory=$work/wheel-${1##*/} numpy=numpy
    case $1 in # the oldest NumPy that the package allows has wheels for this Python, and for no newer one
    *python3.9) numpy=numpy==$(sed -nE 's/^dependencies = \["numpy>=([0-9.]+)"\]$/\1/p' pyproject.toml).* ;;
    esac
    environment "$directory" "$1" -r tests/python/requirements.txt "$numpy" dist/regrad-*.whl
    if [ "$numpy" = numpy ]; then # JAX needs a newer one than the oldest
        "$directory/bin/pip" --quiet --disable-pip-version-check install --only-binary=:all: jax 2>/dev/null ||
            echo "pip has no wheel of JAX for $1: the tests of its arrays are skipped"
        "$directory/bin/pip" --quiet --disable-pip-version-check install 'dask[array]'
    fi
    shift
    run_pytest "$directory" --doctest-modules --doctest-ignore-import-errors --pyargs regrad "$@"
}

# The interpreter has no sanitizers, so their library is loaded before it. It would report the interpreter's own leaks.
sanitize() { # [OPTION...]
    local package=$work/sanitized component
    cmake --preset asan-ubsan >"$work/sanitized.log"
    cmake --build --preset asan-ubsan --parallel "$(nproc)" --target regrad_python >>"$work/sanitized.log"
    rm -rf "$package" && mkdir -p "$package" && cp -r python/regrad "$package"
    for component in regrad_runtime regrad_python; do
        cmake --install build/asan-ubsan --prefix "$package/regrad/native" --component $component
    done >>"$work/sanitized.log"
    environment "$work/sanitizers" python3 -r tests/python/requirements.txt numpy
    run_pytest "$work/sanitizers" "LD_PRELOAD=$(gcc -print-file-name=libasan.so)" PYTHONPATH="$package" \
        ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
        --ignore=tests/python/test_memory.py "$@"
}

# The modules come from the repository then, and what was compiled from the environment.
check_editable() {
    local root=$PWD
    environment "$work/editable" python3 --editable .
    (cd / && "$work/editable/bin/python" -c "
import numpy, pathlib, regrad
assert pathlib.Path(regrad.__file__).is_relative_to('$root/python'), regrad.__file__
assert regrad.check('upsample_bicubic2d', numpy.ones((1, 1, 4, 4)), (3, 5)).ok")
    "$work/editable/bin/regrad" --version
}

check_examples() {
    environment "$work/examples" python3 dist/regrad-*.whl matplotlib ml_dtypes pillow
    tests/python/check_examples.sh "$work/examples/bin/python"
}

mkdir -p "$work"
case ${1-} in
pythons) pythons ;;
static) check_static ;;
wheel) test_wheel "${@:2}" ;;
examples) check_examples ;;
editable) check_editable ;;
sanitize) sanitize "${@:2}" ;;
*)
    echo "usage: run.sh pythons | static | wheel PYTHON [OPTION...] | editable | examples | sanitize [OPTION...]" >&2
    exit 2
    ;;
esac
