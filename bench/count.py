#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what one run of a ready plan does, on the simulated processor of valgrind, and prints a table in Markdown.

    count.py REGRAD-BENCH [WORKLOAD-FILE]       default: counts.txt beside this file

Times differ from machine to machine and from hour to hour; these numbers depend on the code and the compiler only.
One thread, instruction set AVX2, the best one that valgrind knows (REGRAD_ISA in the environment chooses another).
Only regrad_plan_run is counted. The simulated caches: 32 KiB (8-way) and 1 MiB (16-way), lines of 64 bytes; a line that
is written is read first, as without streaming stores. Valgrind's counts of loads are left out: it takes a fused
multiply-add with an operand in memory for as many loads as the vector has lanes.
"""
import os
import re
import subprocess
import sys
import tempfile

LINE = 64
CACHES = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64"]
HEAD = """\
Instructions of one run of a ready plan with one thread, and the bytes that it moves: into a first-level cache of
32 KiB, into a second-level cache of 1 MiB from beyond it, and back. The last two columns are what must be read and
written. All by element of grad_output, simulated by valgrind with REGRAD_ISA=%s.

| shape | instructions | bytes into L1 | into L2 | back from L2 | must read | must write |
|---|--:|--:|--:|--:|--:|--:|"""


def fail(told):
    sys.exit("count.py: " + told)


def run(words, **options):
    try:
        return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              **options).stdout
    except FileNotFoundError:
        fail("there is no %s; the Debian package valgrind is needed" % words[0])
    except subprocess.CalledProcessError as error:
        fail("%s: status %d\n%s" % (" ".join(words), error.returncode, error.stderr))


def list_shapes(program, workload):
    """The shapes of a workload: text, bytes that must be read, bytes that must be written."""
    lines = re.findall(r"^  (.*?) +reads +(\d+), writes +(\d+) bytes$", run([program, "--list", workload]), re.M)
    return [(text, int(read), int(written)) for text, read, written in lines]


def n_elements(shape):
    """The elements of grad_output: N and C of the input, and the sizes after the arrow."""
    before, after = re.search(r"(\d+(?:x\d+)+) -> (\d+(?:x\d+)*)", shape).groups()
    n = 1
    for size in before.split("x")[:2] + after.split("x"):
        n *= int(size)
    return n


def count(program, shape, scratch):
    """Valgrind's events by name."""
    workload, counted = os.path.join(scratch, "shape.txt"), os.path.join(scratch, "callgrind.out")
    with open(workload, "w", encoding="utf-8") as file:
        file.write("# One shape\n\n%s\n" % shape)
    run(["valgrind", "--tool=callgrind", "--cache-sim=yes", "--simulate-wb=yes", "--toggle-collect=regrad_plan_run",
         "--callgrind-out-file=" + counted, *CACHES, program, "--once", "--threads=1", workload])
    with open(counted, encoding="utf-8") as file:
        lines = dict(line.split(":", 1) for line in file if line.startswith(("events:", "totals:")))
    events = dict(zip(lines["events"].split(), map(int, lines["totals"].split())))
    if events["Ir"] == 0:
        fail("%s: nothing was counted; is regrad_plan_run inlined?" % shape)
    return events


def row(shape, events, must_read, must_write):
    n = n_elements(shape)
    into_first = LINE * (events["D1mr"] + events["D1mw"])
    into_second = LINE * (events["DLmr"] + events["DLmw"])
    back = LINE * (events["DLdmr"] + events["DLdmw"])
    numbers = [events["Ir"], into_first, into_second, back, must_read, must_write]
    return "| %s | %s |" % (shape, " | ".join("%.2f" % (number / n) for number in numbers))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: count.py REGRAD-BENCH [WORKLOAD-FILE]")
    program = sys.argv[1]
    workload = sys.argv[2] if len(sys.argv) == 3 else os.path.join(os.path.dirname(__file__), "counts.txt")
    os.environ.setdefault("REGRAD_ISA", "avx2")
    print(HEAD % os.environ["REGRAD_ISA"])
    with tempfile.TemporaryDirectory() as scratch:
        for shape, must_read, must_write in list_shapes(program, workload):
            print(row(shape, count(program, shape, scratch), must_read, must_write), flush=True)


main()
