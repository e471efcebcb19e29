# SPDX-License-Identifier: Apache-2.0
"""Arrays of frameworks, where these are installed, and the programs of docs/python.md, some of which use them."""

import importlib.util
import multiprocessing
import pathlib
import re

import numpy as np
import problems
import pytest
import regrad
from regrad._command import PROGRAM

X = problems.random_array(8, (2, 3, 5, 4), np.dtype("f4"))
WANTED = regrad.upsample_bilinear2d_backward(X, (7, 6))


def backward(array, **options):
    return regrad.upsample_bilinear2d_backward(array, (7, 6), **options)


DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs/python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_document(block):
    if re.search("^import torch$", block, re.MULTILINE):
        pytest.importorskip("torch")
    if "regrad.check(" in block and not PROGRAM.exists():
        pytest.skip("the command is not there: this is no wheel")
    exec(compile(block, "docs/python.md", "exec"), {"__name__": "block"})


def test_dask():
    array = pytest.importorskip("dask.array")
    with pytest.raises(TypeError, match=r"grad_output is of type dask\.array\.core\.Array, wanted an array"):
        backward(array.from_array(X))


def test_pytorch():
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(X)
    assert problems.bits(backward(tensor)) == problems.bits(WANTED)
    assert problems.bits(backward(tensor.to(memory_format=torch.channels_last))) == problems.bits(WANTED)
    out = torch.empty(WANTED.shape)
    assert backward(tensor, out=out) is out
    assert problems.bits(out.numpy()) == problems.bits(WANTED)


def test_pytorch_bfloat16():
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(X).to(torch.bfloat16)
    out = torch.empty(WANTED.shape, dtype=torch.bfloat16)
    backward(tensor, out=out)
    # bfloat16 has 8 digits; a sum of rounded gradients is off by that of its terms, which here stay below 16
    assert np.abs(out.float().numpy() - WANTED).max() <= 16 * 2.0**-8


def test_pytorch_refusals():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="^upsample_bilinear2d_backward: grad_output does not give its memory away: "):
        backward(torch.from_numpy(X.copy()).requires_grad_())
    with pytest.raises(TypeError, match="^upsample_bilinear2d_backward: grad_output (lies on|does not give)"):
        backward(torch.empty(X.shape, device="meta"))


def test_jax():
    """In a process of its own: JAX starts threads, and other tests fork."""
    if importlib.util.find_spec("jax") is None:
        pytest.skip("JAX is not installed")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.apply(check_jax)


def check_jax():
    import jax

    array = jax.device_put(X, jax.devices("cpu")[0])
    assert problems.bits(backward(array)) == problems.bits(WANTED)
    half = backward(array.astype(jax.numpy.bfloat16))
    assert half.dtype == array.astype(jax.numpy.bfloat16).dtype
    with pytest.raises(ValueError, match="^upsample_bilinear2d_backward: out is read-only, wanted memory that may be"):
        backward(X, out=jax.numpy.zeros(WANTED.shape))
