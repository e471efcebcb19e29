#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the programs and outputs on the pages of docs/check the tested ones, and does each kind have its row and page?

    document.py DOCUMENTS [--write]

A comment <!-- NAME --> on a line of its own stands for a file of this directory; the block in fences that follows must
be that file, less the line with its licence. With --write it is made so.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
LICENCE = "/* SPDX-License-Identifier: Apache-2.0 */\n"
MARK = re.compile(r"<!-- ([\w.-]+) -->\n(?:```\w*\n.*?\n```\n)?", re.DOTALL)
FINDING = re.compile(r"^regrad check: ([a-z-]+)", re.MULTILINE)


def block(match):
    name = match[1]
    language = "c" if name.endswith(".c") else "text"
    text = (HERE / name).read_text().removeprefix(LICENCE)
    return f"<!-- {name} -->\n```{language}\n{text}```\n"


def main():
    documents = pathlib.Path(sys.argv[1])
    complaints, shown = [], {}
    for page in sorted(documents.glob("check/*.md")):
        text = page.read_text()
        wanted = MARK.sub(block, text)
        shown.update({match[1]: page.stem for match in MARK.finditer(text) if page.stem != "reading"})
        if "--write" in sys.argv:
            page.write_text(wanted)
        elif text != wanted:
            complaints.append(f"{page} differs from the files that it shows: run {sys.argv[0]} {documents} --write")
    index = (documents / "check.md").read_text()
    for file in sorted(HERE.iterdir()):
        if file.name.endswith((".expected", "_wrong.c", "_right.c")) and file.name not in shown:
            complaints.append(f"no page of {documents}/check shows {file.name}")
        for kind in FINDING.findall(file.read_text()) if file.name.endswith(".expected") else ():
            if shown.get(file.name) not in (kind, "leaks"):
                complaints.append(f"{file.name} belongs on check/{kind}.md")
            if f"[{kind}](check/{kind}.md)" not in index:
                complaints.append(f"check.md has no row for {kind}")
    print("\n".join(complaints), end="\n" if complaints else "")
    return int(bool(complaints))


sys.exit(main())
