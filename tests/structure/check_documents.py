#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does every link of the documents lead to a file and a heading that exist?

    check_documents.py SOURCE-DIRECTORY
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def files(patterns):
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def anchors(text):
    """As GitHub makes them from headings."""
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def dead_links(path):
    for link in LINK.findall(FENCE.sub("", path.read_text())):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if "://" not in link and not (target.exists() and (not anchor or anchor in anchors(target.read_text()))):
            yield f"{path}: {link} leads nowhere"


def main():
    documents = files(("*.md", "docs/**/*.md", "examples/**/*.md"))
    complaints = [line for path in documents for line in dead_links(path)]
    print("\n".join(complaints) or f"{len(documents)} documents")
    return int(bool(complaints))


sys.exit(main())
