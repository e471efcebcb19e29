# SPDX-License-Identifier: Apache-2.0
"""The workflow of docs/ci.md: its steps, but for the checkout and the installation, on a program with mistakes."""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from check_cli_exec import PLANTED_SOURCE, Exec
from cli import REGRAD

PAGE = Path(__file__).resolve().parents[2] / "docs" / "ci.md"


class Workflow(Exec):
    def setUp(self):
        super().setUp()
        text = re.search(r"<!-- check.yml -->\n```yaml\n(.*?)```\n", PAGE.read_text("utf-8"), re.S).group(1)
        self.lines = text.splitlines()
        self.steps = re.findall(r"^      - run: (.*)$", text, re.M)

    def step(self, text, status):
        """As GitHub runs it."""
        os.makedirs(self.path("bin"), exist_ok=True)
        if not os.path.exists(self.path("bin/regrad")):
            os.symlink(REGRAD, self.path("bin/regrad"))
        with open(self.path("step"), "w") as file:
            file.write(text)
        variables = self.environment(GITHUB_WORKSPACE=self.directory.name, GITHUB_ACTIONS="true",
                                     PATH=f"{self.path('bin')}:{os.environ['PATH']}")
        done = subprocess.run(["bash", "-e", "step"], cwd=self.directory.name, env=variables, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, status, (text, done.stdout, done.stderr))
        return done

    def test_it_is_short(self):
        self.assertEqual(len(self.lines), 10)

    def test_steps(self):
        install, compiling, checking = self.steps
        self.assertTrue(install.startswith("cmake -S regrad "), install)
        print(f"not run: {install}", file=sys.stderr)
        shutil.copy(PLANTED_SOURCE, self.path("client.c"))
        Path(self.path("known.txt")).touch()
        self.step(compiling, 0)
        told = re.findall("^::(.*?) file=client.c,line=([0-9]+).*,title=(.*?)::", self.step(checking, 99).stderr, re.M)
        self.assertEqual([(level, kind) for level, _, kind in told],
                         [("notice", "scale-inverted"), ("error", "race-stream"), ("error", "race-host"),
                          ("error", "leak-array")])
        lines = Path(PLANTED_SOURCE).read_text("utf-8").splitlines()
        for _, line, kind in told:
            self.assertIn("aclFinalize" if kind == "leak-array" else "mistake: " + kind, lines[int(line) - 1])
        self.assertIn("report.html", self.files())
        Path(self.path("known.txt")).write_text("race-* * client.c:*\nleak-* * main\n")
        self.assertEqual(re.findall("^::(.*?) ", self.step(checking, 0).stderr, re.M), ["notice"])


if __name__ == "__main__":
    unittest.main()
