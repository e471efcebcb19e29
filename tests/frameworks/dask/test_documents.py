# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/scale.md, and the example."""

import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np
import problems
import pytest
import regrad

ROOT = pathlib.Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs/scale.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def run_block(block):
    names = {"__name__": "block"}
    with warnings.catch_warnings():
        exec(compile(block, "docs/scale.md", "exec"), names)
    return names


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_document(block):
    run_block(block)


@pytest.mark.parametrize("n_parts", [1, 3, 9])
def test_parts_of_the_document_make_the_whole(n_parts):
    """Parts are done in any order, and one of them twice."""
    da, zarr = pytest.importorskip("dask.array"), pytest.importorskip("zarr", minversion="3")
    halve_part = run_block(next(block for block in BLOCKS if "def halve_part" in block))["halve_part"]
    images = np.random.default_rng(1).random((11, 2, 8, 6), np.float32)
    result = zarr.create_array(zarr.storage.MemoryStore(), shape=(11, 2, 4, 3), chunks=(3, 2, 4, 3), dtype="f4")
    for part in (*reversed(range(n_parts)), 0):
        halve_part(da.from_array(images, chunks=(2, 2, 8, 6)), result, part, n_parts)
    assert problems.bits(result[...]) == problems.bits(regrad.upsample_bilinear2d_aa(images, (4, 3)))


def test_the_example(tmp_path):
    pytest.importorskip("distributed")
    pytest.importorskip("zarr", minversion="3")
    command = [
        sys.executable,
        str(ROOT / "examples/dask_resize.py"),
        "--gigabytes",
        "0.05",
        "--directory",
        str(tmp_path),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "the bits of memory"
    assert list(tmp_path.iterdir()) == []
