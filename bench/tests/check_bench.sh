#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does regrad-bench read all workloads of the project and refuse malformed lines, do its files hold what they
# should, and do the peers that are there compute what regrad computes?
#
#   check_bench.sh PROGRAM SOURCE-DIRECTORY SCRATCH-DIRECTORY
set -euo pipefail
program=$1 source_directory=$2 scratch=$3
failed=0
complain() {
    echo "$1"
    failed=1
}

n_lines=$(sed -e '1d' -e 's/#.*//' "$source_directory"/../shapes/*.txt | grep -c '[a-z]')
n_listed=$("$program" --list | grep -c ' reads ')
[ "$n_lines" -eq "$n_listed" ] || complain "the workloads hold $n_lines shapes, and $n_listed are listed"

# A line, and what the complaint about it must name.
refuse() {
    printf '# title\n\n%s\n' "$1" >"$scratch/wrong.txt"
    local status=0
    "$program" --list "$scratch/wrong.txt" >"$scratch/wrong.log" 2>&1 || status=$?
    [ $status -eq 2 ] || complain "exit status $status for '$1'"
    grep -qF "wrong.txt:3: " "$scratch/wrong.log" || complain "no line number for '$1'"
    grep -qF "$2" "$scratch/wrong.log" || complain "'$2' is not named for '$1': $(cat "$scratch/wrong.log")"
}
refuse 'bicycle float32 NCHW 1x1x2x2 -> 4x4' "'bicycle' is no operator"
refuse 'bicubic float32 NCDHW 1x1x2x2x2 -> 4x4x4' "'NCDHW' is no layout of bicubic"
refuse 'trilinear float32 NCDHW 1x1x2x2 -> 4x4x4' '5 sizes are wanted'
refuse 'trilinear float32 NCDHW 1x1x2x2x2 -> 4x4' '3 sizes are wanted'
refuse 'trilinear float32 NCDHW 1x1x2x2x2 -> 4x4x4 scale=2x2' 'one number is wanted, or 3'
refuse 'trilinear float32 NCDHW 1x1x2x2x2 -> 4x4x4 aclnn' 'regrad_upsample_trilinear3d_backward through aclnn'
refuse 'grid_sample float32 NCDHW 1x1x2x2x2 -> 4x4x4 bicubic' 'in two dimensions only'
refuse 'bilinear float31 NCHW 1x1x2x2 -> 4x4' "'float31' is no type"
refuse 'bilinear float32 NCWH 1x1x2x2 -> 4x4' "'NCWH' is no layout"
refuse 'bilinear float32 NCHW 1x1x2 -> 4x4' '4 sizes are wanted'
refuse 'bilinear float32 NCHW 1x1x2x0 -> 4x4' '4 sizes are wanted'
refuse 'bilinear float32 NCHW 1x1x2x2 4x4' "'->' is wanted"
refuse 'bilinear float32 NCHW 1x1x2x2 -> 4' '2 sizes are wanted'
refuse 'bilinear float32 NCHW 1x1x2x2' 'ends too soon'
refuse 'bilinear float32 NCHW 1x1x2x2 -> 4x4 fast' "'fast' is no word"
refuse 'bilinear float32 NCHW 1x1x2x2 -> 4x4 scale=-2' "'-2' is no scale"
refuse 'bilinear float32 NCL 1x1x2 -> 4' 'NCL'
refuse 'nearest_exact float32 NCHW 1x1x2x2 -> 4x4 align_corners' 'align_corners'
refuse 'bilinear float32 NCHW 1x1x2x2 -> 4x4 zeros' "'zeros' is for grid_sample only"
refuse 'nearest_exact float32 NCL 1x1x2 -> 4 bicubic' "'bicubic' is for grid_sample only"
refuse 'grid_sample float32 NCHW 1x1x2x2 -> 4x4 scale=2' 'grid_sample has no scale'
refuse 'grid_sample float32 NCHW 1x1x2x2 -> 4x4 forward grid_grad' 'forward has no gradients'
refuse 'bilinear float32 NCHW 1x1x2x2 -> 4x4 forward aclnn' 'gradients only'
refuse 'grid_sample float32 NCHW 1x1x2x2 -> 4x4 plan' 'plans of resizes only'
refuse 'bilinear float32 NCHW 1099511627776x1099511627776x2x2 -> 4x4' '2^60 are the most'

# An option, and what the complaint about it must name.
refuse_option() {
    local status=0
    "$program" --list "$1" "$source_directory/tiny.txt" >"$scratch/wrong.log" 2>&1 || status=$?
    [ $status -eq 2 ] || complain "exit status $status for $1"
    grep -qF -- "$1: $2" "$scratch/wrong.log" || complain "'$2' is not named for $1: $(cat "$scratch/wrong.log")"
}
refuse_option --threads=1,,2 'nothing stands before a comma'
refuse_option --threads=1, 'nothing stands after the last comma'
refuse_option --threads= 'nothing stands there'
refuse_option --peers=,oneDNN 'nothing stands before a comma'
refuse_option --peers=none,oneDNN 'none, or names'
refuse_option --rounds=2.5 'a whole number from 1 to 32'
refuse_option --sweep=0 'a number from 1 to'
refuse_option --sweep=4 'random shapes, or workload files'
refuse_option --seed=1.5 'a whole number from 0'
refuse_option --filter=bicycle 'no line holds that'
refuse_option '--operators=upsample_bicubic2d,*_4d' 'no line is of such an operator'
refuse_option --plot=picture.jpg 'a name that ends in .svg or .png'
refuse_option --plot=pictures.d/svg 'a name that ends in .svg or .png'

"$program" --rounds=2 --budget=0 --threads=1,2 --json="$scratch/tiny.json" --markdown="$scratch/tiny.md" \
    "$source_directory/tiny.txt" >"$scratch/tiny.log" || complain "exit status $?"
n_tiny=$(sed -e '1d' "$source_directory/tiny.txt" | wc -l)
n_call=$(grep -c ' call$' "$source_directory/tiny.txt")
/usr/bin/python3 "$source_directory/check_json.py" "$scratch/tiny.json" "$n_tiny" 1 "$n_call" || failed=1
n_rows=$(grep -cE '^\|.*\| [12] \| [0-9.]+ [mun]?s \|' "$scratch/tiny.md")
[ "$n_rows" -eq $((2 * n_tiny)) ] || complain "$n_rows rows in Markdown, of $((2 * n_tiny))"

n_ran=$("$program" --once --threads=2 "$source_directory/tiny.txt" | grep -c '^ran ')
[ "$n_ran" -eq "$n_tiny" ] || complain "--once ran $n_ran shapes of $n_tiny"

# The same shapes from the same seed everywhere, others from another, and all of them run.
drawn=$("$program" --sweep=200 --seed=1 --list | cksum)
[ "$drawn" = "3139200603 25648" ] || complain "seed 1 has drawn other shapes: $drawn"
[ "$drawn" != "$("$program" --sweep=200 --seed=2 --list | cksum)" ] || complain "two seeds have drawn the same shapes"
n_others=$("$program" --sweep=50 --operators='upsample_bi*2d_backward,grid_sampler_3d*' --list | grep ' reads ' |
    grep -vcE '^  (bilinear|bicubic) .* NC?HWC? |^  grid_sample .* N(CDHW|DHWC) ' || true)
[ "$n_others" -eq 0 ] || complain "$n_others of the shapes of three operators are of others"
"$program" --sweep=20 --filter=float16 --rounds=1 --budget=0 --peers=none --threads=1 --json="$scratch/sweep.json" \
    --markdown="$scratch/sweep.md" >"$scratch/sweep.log" 2>&1 || complain "exit status $?"
grep -q 'resizes, ns an element' "$scratch/sweep.log" || complain 'no quantiles of random shapes'
grep -q '2-D grid samples, of the floor' "$scratch/sweep.md" || complain 'no quantiles of random shapes in Markdown'
grep -q '"call"' "$scratch/sweep.json" || complain 'no times of calls in JSON'

if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
    "$program" --rounds=1 --budget=0 --peers=none --quick --plot="$scratch/tiny.svg" "$source_directory/tiny.txt" \
        >/dev/null || complain "exit status $?"
    grep -q '<svg' "$scratch/tiny.svg" || complain "no picture"
fi
exit $failed
