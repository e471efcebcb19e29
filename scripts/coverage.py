#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is each line of src/op and of a kernel's body run by a test? Reads what a build with gcc's --coverage has counted.

    coverage.py BUILD-DIRECTORY EXCEPTIONS

A body is compiled once for each instruction set and type; a line is run if one of them ran it. EXCEPTIONS names lines
that no test reaches, each with its function, its text and a reason: "FILE | FUNCTION | TEXT | REASON". An exception
that is run, or that is no longer there, is an error too.

Where the processor has no AVX-512, lines that are compiled for it alone are not looked at, and exceptions whose reason
begins with "AVX-512" hold. Where it has, there are no such exceptions.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

FOLDERS = ("src/op/", "src/kernel/body/")
ROOT = pathlib.Path(__file__).resolve().parent.parent


def counts_of(build):
    """How often each (file, line) ran, in all objects, and its function; and how often in objects for AVX-512."""
    counts, wide, functions, elsewhere = collections.Counter(), collections.Counter(), {}, set()
    objects = sorted(str(path.resolve()) for path in build.glob("src/**/*.gcno"))
    output = subprocess.run(["gcov", "--json-format", "--stdout", *objects], check=True, capture_output=True, text=True,
                            cwd=build)
    for unit in map(json.loads, output.stdout.splitlines()):
        for file in unit["files"]:
            # The build maps directories away, but a compiler's cache may undo that.
            mapped = ROOT / file["file"]
            found = mapped if mapped.exists() else os.path.join(unit["current_working_directory"], file["file"])
            path = os.path.relpath(found, ROOT)
            if path.startswith(FOLDERS):
                for line in file["lines"]:
                    counts[path, line["line_number"]] += line["count"]
                    if "kernels_avx512" in unit["data_file"]:
                        wide[path, line["line_number"]] += line["count"]
                    else:
                        elsewhere.add((path, line["line_number"]))
                    functions[path, line["line_number"]] = line.get("function_name", "")
    if not any(wide.values()):
        counts = {place: count for place, count in counts.items() if place in elsewhere}
    return counts, functions, any(wide.values())


def exceptions_of(path, has_avx512):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    parts = [[part.strip() for part in line.split(" | ")] for line in lines]
    return {tuple(part[:3]) for part in parts if not (has_avx512 and part[3].startswith("AVX-512"))}


def main():
    counts, functions, has_avx512 = counts_of(pathlib.Path(sys.argv[1]))
    excepted = exceptions_of(pathlib.Path(sys.argv[2]), has_avx512)
    texts = {path: (ROOT / path).read_text(encoding="utf-8").splitlines() for path, _ in counts}
    missed, used = [], set()
    for (path, line), count in sorted(counts.items()):
        place = (path, functions[path, line], texts[path][line - 1].strip())
        if count == 0 and place in excepted:
            used.add(place)
        elif count == 0:
            missed.append(f"{path}:{line}: no test runs, in {place[1]}: {place[2]}")
    missed += ["an exception that is run or gone: " + " | ".join(place) for place in sorted(excepted - used)]
    print(*missed, f"{len(counts)} lines of {len(texts)} files, {len(used)} excepted, {len(missed)} missed", sep="\n")
    return 1 if missed or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
