#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Do the examples in Python run as they stand, write their pictures, and say what they lack?
#
#   check_examples.sh PYTHON        one that has regrad with its extra `examples`
set -euo pipefail
python=$1
examples=$(cd "$(dirname "$0")/../.." && pwd)/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$python" "$examples/align.py"
"$python" "$examples/deterministic.py"
for picture in align.png input_grad.png; do
    head -c 4 $picture | grep -q PNG || { echo "$picture is no PNG"; exit 1; }
done

# Without what is optional, align.py cannot begin; deterministic.py leaves something out.
for module in PIL matplotlib ml_dtypes; do
    mkdir -p "without/$module"
    echo 'raise ImportError' >"without/$module/__init__.py"
done
if PYTHONPATH=without "$python" "$examples/align.py" 2>said; then
    echo "align.py needs no Pillow"
    exit 1
fi
grep -x '.*not installed: pip install pillow' said
PYTHONPATH=without "$python" "$examples/deterministic.py" >said
grep -x 'bfloat16 is left out: pip install ml_dtypes' said
grep -x 'The heat map is left out: pip install matplotlib' said
