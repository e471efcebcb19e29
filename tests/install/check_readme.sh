#!/usr/bin/env bash
# Is what the README shows true? Installs the library, writes the README's C and CMake blocks to the
# files that their first lines name, runs the commands of its console blocks, and compares what they
# print with what is shown. Then: do the links of all documents lead somewhere?
#
#   check_readme.sh SOURCE-DIRECTORY BUILD-DIRECTORY
#
# Blocks marked bash are not run here: make run, make test and make install are what CI does anyway,
# and check_install.sh compiles two_phase.cpp.
set -euo pipefail
source_directory=$1
build_directory=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/pictures"
cmake --install "$build_directory" --prefix "$work/regrad" >"$work/install.log"
"$build_directory/examples/align" "$source_directory/examples/data/grace_hopper.jpg" "$work/pictures" >"$work/align.log"
cd "$work"

# Blocks by kind: c and cmake to files, console to commands and to what is shown.
awk '/^```$/ {kind = ""; file = ""}
     kind == "c" || kind == "cmake" {
         if (file == "") {file = $2; next}
         print > file
     }
     kind == "console" {
         print > "shown"
         if (sub(/^\$ /, "")) {
             line = $0; gsub(/'\''/, "'\''\\'\'''\''", line)
             print "echo '\''$ " line "'\''" > "commands"; print > "commands"
         }
     }
     /^```[a-z]+$/ {kind = substr($0, 4)}' "$source_directory/README.md"
for kind in commands shown; do
    sed -i "s|/opt/regrad|$work/regrad|g; s|build/release/examples/pictures|$work/pictures|g" $kind
done
test "$(wc -l <commands)" -gt 10
bash -eu commands >printed 2>&1 || echo "a command failed" >>printed
diff -u shown printed

cd "$source_directory"
dead=$(grep -oE '\]\([^)#]+' ./*.md docs/*.md examples/data/*.md | sed 's/\](//' | while IFS=: read -r file link; do
    [[ $link == *://* ]] || [ -e "$(dirname "$file")/$link" ] || echo "$file: $link leads nowhere"
done)
[ -z "$dead" ] || { echo "$dead"; exit 1; }
echo "every command printed what README.md shows, and every link leads somewhere"
