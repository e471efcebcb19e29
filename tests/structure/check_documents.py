#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does every link of the documents lead to a file and a heading that exist, and every `path` to a file? Does no text
that users read hold a phrase that cannot be read aloud?

    check_documents.py SOURCE-DIRECTORY
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FOLDERS = "bench|cmake|docs|examples|fuzz|include|python/acl|python/regrad|scripts|src|tests|tools"
PLACE = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)`")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PHRASE = re.compile(r"\b(?:of no use|(?:is|are|was|were|be) told|had better|but for|those of)\b", re.IGNORECASE)
# Headers, documents, and what the library and its program print.
READ = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "include/**/*.h")
PRINTING = ("src/**/*.c", "tools/**/*.c", "bench/*.c")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*')


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


def dead_places(path):
    for place in PLACE.findall(path.read_text()):
        if not (ROOT / place).exists() and "NAME" not in place:
            yield f"{path}: there is no {place}"


def phrases(path, text):
    for match in PHRASE.finditer(re.sub(r"[\s*\"]+", " ", text)):
        yield f"{path}: \"{match[0]}\" cannot be read aloud"


def main():
    documents = files(("*.md", "docs/**/*.md", "examples/**/*.md"))
    complaints = [line for path in documents for line in dead_links(path)]
    complaints += [line for path in documents for line in dead_places(path)]
    complaints += [line for path in files(READ) for line in phrases(path, path.read_text())]
    for path in files(PRINTING):
        complaints += phrases(path, "\n".join(STRING.findall(path.read_text())))
    print("\n".join(complaints) or f"{len(documents)} documents")
    return int(bool(complaints))


sys.exit(main())
