#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Are functions short (none over 50 lines, the median of src/ at most 10), macros no longer than ten
# lines, names of files unique in src/, does an idea have one word,
# and is every file laid out as .clang-format says? Scripts too have short
# functions and lines, and every source names its licence.
#
#   check_style.sh SOURCE-DIRECTORY [CLANG-FORMAT]
set -euo pipefail
cd "$1"
failed=0
complain() {
    [ -z "$1" ] || { echo "$1"; failed=1; }
}

mapfile -t files < <(find include src tools tests examples fuzz bench -name '*.[ch]' -o -name '*.cpp' | sort)
mapfile -t scripts < <(find scripts tests bench python .ci -name '*.sh' -o -name '*.py' -o -path .ci/run | sort)
mapfile -t ours < <(printf '%s\n' "${files[@]}" | grep '^src/')

# In this layout a function's braces, and no others, stand alone in the first column.
lengths() {
    awk '/^{/ {begin = FNR} /^}/ && begin {print FNR - begin + 1, FILENAME ":" begin; begin = 0}
         FNR == 1 {begin = 0}' "$@"
}
complain "$(lengths "${files[@]}" | awk '$1 > 50 {print $2 ": a function of " $1 " lines; 50 are the most"}')"
long_in_python=$(python3 - "${scripts[@]}" <<'END'
import ast
import sys

for path in (path for path in sys.argv[1:] if path.endswith(".py")):
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= 50:
            n_lines = node.end_lineno - node.lineno + 1
            print(f"{path}:{node.lineno}: a function of {n_lines} lines; 50 are the most")
END
)
complain "$long_in_python"
median=$(lengths "${ours[@]}" | sort -n | awk '{n[NR] = $1} END {print n[int((NR + 1) / 2)]}')
[ "$median" -le 10 ] || complain "the median function of src/ has $median lines; 10 are the most"

complain "$(awk 'FNR == 1 {n = 0} /\\$/ {n++; next}
                 n >= 10 {print FILENAME ":" FNR ": a macro of " n + 1 " lines; ten are the most"}
                 {n = 0}' "${files[@]}")"
complain "$(awk 'length > 120 {print FILENAME ":" FNR ": " length " columns; 120 are the most"}' \
    "${files[@]}" "${scripts[@]}")"
mapfile -t built < <(find . -name CMakeLists.txt -o -name '*.cmake' -o -name '*.in' -o -name '*.inc' -o -name Makefile |
    grep -v '^\./build' | sort)
complain "$(grep -L 'SPDX-License-Identifier: Apache-2\.0' "${files[@]}" "${scripts[@]}" "${built[@]}" |
    sed 's/$/: no line SPDX-License-Identifier: Apache-2.0/')"
complain "$(printf '%s\n' "${ours[@]##*/}" | sort | uniq -d | sed 's/$/: a file name that src\/ has twice/')"

# Words that kernels, operators and their tests had for ideas that have another word in the glossary of
# kernel/kernel.h: packed, fence or canonicalise, fused groups, shrink, shared rows, bilinear points, section, keep off.
retired='(^|[^a-z])(few_[a-z]|rg_few|pictures?|settle|carry|carried|reduce|squares?)([^a-z]|$)'
retired+='|_(few|picture|settle|carry|reduce)\b|rg_grid_(row|place|pair|quads|stage)\b|rg_spread|kernels->(lines|stage)'
complain "$(grep -rnEi "$retired" src/kernel src/op src/rt src/native tests/*.[ch] |
    sed -E 's/^([^:]*:[0-9]+):.*/\1: a retired word; see the glossary in src\/kernel\/kernel.h/')"
if [ $# -gt 1 ]; then
    complain "$("$2" --dry-run "${files[@]}" 2>&1 | grep 'warning:' | cut -d: -f1 | sort | uniq -c |
        awk '{print $2 ": clang-format would change " $1 " places"}' || true)"
fi

n_functions=$(lengths "${files[@]}" | wc -l)
echo "${#files[@]} files, ${#scripts[@]} scripts, $n_functions functions, median of src/ $median lines"
exit $failed
