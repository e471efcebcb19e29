# SPDX-License-Identifier: Apache-2.0
"""Types of elements: which are taken, and which are refused with which sentence."""

import subprocess
import sys

import numpy as np
import problems
import pytest
import regrad

# A call of each operator with arrays of one type.
CALLS = {
    "resize_bilinear_v2_grad": lambda a: regrad.resize_bilinear_v2_grad(a(1, 1, 2, 2), (1, 1, 3, 3)),
    "upsample_nearest_exact2d_grad": lambda a: regrad.upsample_nearest_exact2d_grad(a(1, 1, 2, 2), (2, 2), (3, 3)),
    "grid_sampler_2d": lambda a: regrad.grid_sampler_2d(a(1, 1, 2, 2), a(1, 3, 3, 2)),
    "grid_sampler_3d": lambda a: regrad.grid_sampler_3d(a(1, 1, 2, 2, 2), a(1, 3, 3, 3, 3)),
    "grid_sampler_2d_backward": lambda a: regrad.grid_sampler_2d_backward(a(1, 1, 3, 3), a(1, 1, 2, 2), a(1, 3, 3, 2))[
        0
    ],
    "grid_sampler_3d_backward": lambda a: regrad.grid_sampler_3d_backward(
        a(1, 1, 3, 3, 3), a(1, 1, 2, 2, 2), a(1, 3, 3, 3, 3)
    )[1],
}


def resize(operator, n_axes):
    return lambda a: getattr(regrad, operator)(a(1, 1, *(2,) * n_axes), (3,) * n_axes)


CALLS.update({name: resize(name, problems.RESIZES[name][0]) for name in problems.RESIZES if name not in CALLS})
MOVING = [name for name in problems.KINDS if "nearest" in name]


def zeros_of(dtype):
    return lambda *shape: np.zeros(shape, dtype)


def test_there_is_a_call_of_every_operator():
    functions = [n for n in regrad.__all__ if n.startswith(("upsample", "grid", "resize"))]
    assert sorted(CALLS) == sorted(functions)


@pytest.mark.parametrize("operator", CALLS)
@pytest.mark.parametrize("dtype", problems.FLOATS, ids=str)
def test_floats_are_taken(operator, dtype):
    assert CALLS[operator](zeros_of(dtype)).dtype == dtype


@pytest.mark.parametrize("operator", CALLS)
def test_bytes_are_only_moved(operator):
    if operator in MOVING:
        assert CALLS[operator](zeros_of("u1")).dtype == np.uint8
    else:
        with pytest.raises(TypeError, match=rf"^{operator}: \w+\.dtype is uint8, must be float32, float16"):
            CALLS[operator](zeros_of("u1"))


@pytest.mark.parametrize("operator", CALLS)
@pytest.mark.parametrize("dtype", ["i4", "i1", "?", "c8", "u2", ">f4", "S4", "O", "M8[s]", "V2"])
def test_other_types(operator, dtype):
    types = "float32, float64 or uint8" if operator in MOVING else "float32 or float64"
    with pytest.raises(TypeError, match=rf"^{operator}: \w+\.dtype is \S+, wanted float16, bfloat16, {types} in the"):
        CALLS[operator](zeros_of(dtype))


def test_one_type_for_all_arrays():
    image, grid = np.zeros((1, 1, 2, 2), "f4"), np.zeros((1, 3, 3, 2), "f8")
    with pytest.raises(
        TypeError, match=r"^grid_sampler_2d: grid\.dtype is float64, must be float32, the type of input"
    ):
        regrad.grid_sampler_2d(image, grid)
    with pytest.raises(
        TypeError, match=r"^upsample_bilinear2d: out\.dtype is float64, must be float32, the type of input"
    ):
        regrad.upsample_bilinear2d(image, (3, 3), out=np.zeros((1, 1, 3, 3)))


def test_half_precision_is_summed_in_single():
    """4096 ones: in float16 the sum would stall at 2048."""
    gradient = np.ones((1, 1, 4096), "f2")
    assert regrad.upsample_nearest_exact1d_backward(gradient, (1,)).item() == 4096


def test_nan_is_one():
    """Every NaN is stored as the quiet one with sign 0."""
    gradient = np.full((1, 1, 4), np.nan, "f4")
    gradient.view("u4")[...] |= 0x80000123
    result = regrad.upsample_nearest_exact1d_backward(gradient, (2,))
    assert result.view("u4").tolist() == [[[0x7FC00000, 0x7FC00000]]]


def test_bfloat16_without_ml_dtypes():
    """Results are then bits under a name, and so may arguments be."""
    program = """
import sys
sys.modules["ml_dtypes"] = None
import numpy as np, regrad
class Half:
    def __init__(self, array): self.array = array
bits = np.array([[[0x3F80, 0x4000]]], "u2").view([("bfloat16", "u2")])
result = regrad.upsample_nearest_exact1d(bits, (4,))
assert result.dtype == bits.dtype, result.dtype
print(result["bfloat16"].tolist())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{[[[0x3F80, 0x3F80, 0x4000, 0x4000]]]}\n", "")
