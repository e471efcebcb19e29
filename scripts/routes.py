#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which ways of computing have tests run, on which instruction sets? Reads the lines of tests/check_routes.c.

    routes.py FILE ISA...

Prints a table. It fails if a way did not run on one of these instruction sets that has kernels for it, or on none.
"""
import sys


def main():
    path, isas = sys.argv[1], sys.argv[2:]
    with open(path, encoding="utf-8") as file:
        lines = [line.split()[1:] for line in file]
    ran = {(name, isa) for name, isa, state in lines if state == "ran"}
    absent = {(name, isa) for name, isa, state in lines if state == "not-compiled"} - ran
    names = list(dict.fromkeys(name for name, _, _ in lines))
    mark = {(name, isa): "ran" if (name, isa) in ran else "-" if (name, isa) in absent else "NOT RUN"
            for name in names for isa in isas}
    width = max(map(len, names), default=0)
    for name in [""] + names:
        print(" ".join([f"{name:{width}}"] + [f"{mark[name, isa] if name else isa:8}" for isa in isas]).rstrip())
    bad = [f"{name} on {isa}" for (name, isa), state in mark.items() if state == "NOT RUN"]
    bad += [f"{name} on any instruction set" for name in names if all(mark[name, isa] == "-" for isa in isas)]
    print(f"{len(names)} ways ('-': no kernels for it)" + "".join(f"; not run: {way}" for way in bad))
    return 1 if bad or not names else 0


if __name__ == "__main__":
    sys.exit(main())
