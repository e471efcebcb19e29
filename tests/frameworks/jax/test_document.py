# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/frameworks.md, the examples of the docstrings, and the names."""

import doctest
import inspect
import re
from pathlib import Path

import jax
import pytest
import regrad
import regrad.jax

DOCUMENT = Path(__file__).resolve().parents[3] / "docs/frameworks.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
OURS = [block for block in BLOCKS if "regrad.jax" in block]


def test_there_are_programs():
    assert OURS


@pytest.mark.parametrize("block", OURS, ids=range(len(OURS)))
def test_the_document(block):
    with jax.enable_x64(False):
        exec(compile(block, "docs/frameworks.md", "exec"), {"__name__": "block"})


@pytest.mark.parametrize("name", ["", *regrad.jax.__all__])
def test_examples(name):
    found = regrad.jax if not name else getattr(regrad.jax, name)
    examples = doctest.DocTestFinder(recurse=False).find(found, name or "regrad.jax", globs={})
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    with jax.enable_x64(False):
        for example in examples:
            runner.run(example)
    results = runner.summarize(verbose=False)
    assert results.attempted > 0 and results.failed == 0


def test_the_names_are_those_of_the_package():
    operators = [name for name in regrad.__all__ if name.startswith(("upsample_", "grid_"))]
    graph = ["resize_bilinear_v2_grad", "upsample_nearest_exact2d_grad"]
    assert sorted(regrad.jax.__all__) == sorted({"grid_sample", *operators} - set(graph))
    for name in regrad.jax.__all__:
        function = getattr(regrad.jax, name)
        assert function.__name__ == name and ">>>" in function.__doc__
        if name != "grid_sample":
            wanted = [p for p in inspect.signature(getattr(regrad, name)).parameters if p != "out"]
            assert list(inspect.signature(function).parameters) == wanted
