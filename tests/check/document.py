#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the programs and outputs in docs/check.md those that are tested?

    document.py DOCUMENT [--write]

A comment <!-- NAME --> on a line of its own stands for a file of this directory; the block in fences that follows must
be that file, less the line with its licence. With --write it is made so.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
LICENCE = "/* SPDX-License-Identifier: Apache-2.0 */\n"
MARK = re.compile(r"<!-- ([\w.-]+) -->\n(?:```\w*\n.*?\n```\n)?", re.DOTALL)


def block(match):
    name = match[1]
    language = "c" if name.endswith(".c") else "text"
    text = (HERE / name).read_text().removeprefix(LICENCE)
    return f"<!-- {name} -->\n```{language}\n{text}```\n"


def main():
    path = pathlib.Path(sys.argv[1])
    text = path.read_text()
    wanted = MARK.sub(block, text)
    shown = {match[1] for match in MARK.finditer(text)}
    missing = sorted(file.name for file in HERE.iterdir()
                     if file.name.endswith((".expected", "_wrong.c", "_right.c")) and file.name not in shown)
    if "--write" in sys.argv:
        path.write_text(wanted)
    elif text != wanted:
        print(f"{path} differs from the files that it shows: run {sys.argv[0]} {path} --write")
    for name in missing:
        print(f"{path} does not show {name}")
    return int(bool(missing) or (text != wanted and "--write" not in sys.argv))


sys.exit(main())
