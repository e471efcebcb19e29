#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests regrad.torch, regrad.jax and regrad.dask, and programs that use them.
#
#   run.sh environments               makes what is missing of the two environments, newest and oldest
#   run.sh all DIRECTORY              runs all tests in these environments, with the wheel in dist/, two parts at a
#                                     time. DIRECTORY gets a report in JUnit's format, and a log, of each part
#   run.sh part ENVIRONMENT PART [OPTION...]   one of them: pytest, with these options, on tests/frameworks/PART
#   run.sh types                      mypy, which reads the frameworks' types
#   run.sh here PYTHON                the parts that PYTHON has the packages for, with the package built from this
#                                     source; exit status 77 and one line where it lacks PyTorch
#
# The environments take 11 GB, since PyPI's wheels of PyTorch for x86-64 are those with CUDA. So they lie outside the
# repository, in REGRAD_FRAMEWORKS (~/.cache/regrad/frameworks), and are kept until the month or a list changes.
set -euo pipefail
cd "$(dirname "$0")/../.."
kept=${REGRAD_FRAMEWORKS:-${XDG_CACHE_HOME:-$HOME/.cache}/regrad/frameworks}
site=$PWD/build/frameworks/site
has_pytorch='
import importlib.metadata, sys
sys.exit(tuple(map(int, importlib.metadata.version("torch").split(".")[:2])) < (2, 4))'

# uv installs these gigabytes in half a minute, for which pip takes three.
make_environment() { # newest|oldest
    local directory=$kept/$1 list=tests/frameworks/$1.txt made_for
    made_for=$(date +%Y-%m; cat "$list")
    [ "$(cat "$directory/made-for" 2>/dev/null)" != "$made_for" ] || return 0
    echo "making $directory"
    rm -rf "$directory"
    python3 -m venv "$directory"
    "$directory/bin/pip" --quiet --disable-pip-version-check install uv
    "$directory/bin/uv" pip install --quiet --no-cache --python "$directory/bin/python" --requirements "$list"
    echo "$made_for" >"$directory/made-for"
}

# Two runs on one machine do not make the same environment at the same time.
make_environments() {
    mkdir -p "$kept"
    (
        flock 9
        make_environment newest
        make_environment oldest
    ) 9>"$kept/lock"
}

install_package() { # PYTHON WHEEL|SOURCE
    rm -rf "$site"
    "$1" -m pip --quiet --disable-pip-version-check install --no-deps --target "$site" "$2"
}

run_pytest() { # PYTHON PART [OPTION...]
    local python=$1 part=$2
    shift 2
    [[ $part != torch && $part != dask ]] || set -- --doctest-modules --pyargs "regrad.$part" "$@"
    PYTHONPATH=$site PYTHONPYCACHEPREFIX=$PWD/build/frameworks/pycache "$python" -m pytest -p no:cacheprovider --quiet \
        "tests/frameworks/$part" "$@"
}

run_part() { # ENVIRONMENT PART [OPTION...]
    local environment=$1
    shift
    run_pytest "$kept/$environment/bin/python" "$@"
}

# A part for xargs: it fails when the tests fail, so that xargs does.
log_part() { # DIRECTORY ENVIRONMENT PART
    local log=$1/$2-$3.log before=$SECONDS status=0
    timeout --kill-after=10 600 "$0" part "$2" "$3" --junit-xml="$1/$2-$3.xml" >"$log" 2>&1 </dev/null || status=$?
    echo "$2 $3: status $status, $((SECONDS - before)) s" >>"$log"
    return $status
}

run_all() { # DIRECTORY
    local directory=$1 status=0
    mkdir -p "$directory"
    make_environments
    install_package "$kept/newest/bin/python" dist/regrad-*.whl
    # What takes longest comes first.
    printf '%s\n' 'newest torch' 'newest train' 'oldest torch' 'newest dask' 'newest jax' |
        xargs -P 2 -L 1 "$0" log "$directory" || status=1
    cat "$directory"/*.log
    return $status
}

# What the tests of a part import. Prints the first package that PYTHON lacks.
missing_of() { # PYTHON PART
    local package packages=(pytest hypothesis ml_dtypes)
    case $2 in
    torch) packages+=(expecttest) ;;
    train) packages+=(torchvision kornia) ;;
    jax) packages+=(jax) ;;
    dask) packages+=(dask distributed zarr) ;;
    esac
    for package in "${packages[@]}"; do
        "$1" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$package') is None)" || echo "$package"
    done | head -n 1
}

run_here() { # PYTHON
    local part missing
    if ! "$1" - 2>/dev/null <<<"$has_pytorch"; then
        echo "skipped: $1 has no PyTorch of 2.4 or later; tests/frameworks/run.sh makes environments that have"
        exit 77
    fi
    install_package "$1" .
    for part in torch train jax dask; do
        missing=$(missing_of "$1" "$part")
        if [ -n "$missing" ]; then
            echo "skipped: tests/frameworks/$part, as $1 has no $missing"
        else
            run_pytest "$1" "$part"
        fi
    done
}

case $#:${1-} in
2:here | 2:all | [3-9]:part) ;;
*:here | *:all | *:part) set -- ;;
esac
case ${1-} in
environments) make_environments ;;
all) run_all "${@:2}" ;;
part) run_part "${@:2}" ;;
log) log_part "${@:2}" ;;
types) "$kept/newest/bin/mypy" --strict python/regrad ;;
here) run_here "${@:2}" ;;
*)
    sed -n '5,12s/^#   //p' "$0" >&2
    exit 2
    ;;
esac
