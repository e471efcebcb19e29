# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments are refused while JAX traces, in the library's words, and never from within a running program."""

import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import regrad.jax

X, G, GRID = (jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((2, 3, 4, 5), (2, 3, 6, 7), (2, 6, 7, 2)))
RESIZE, BACK = regrad.jax.upsample_bilinear2d, regrad.jax.upsample_bilinear2d_backward
SAMPLE, SAMPLE_BACK = regrad.jax.grid_sampler_2d, regrad.jax.grid_sampler_2d_backward


def like(shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


@pytest.mark.parametrize("call, given, error, words", [
    (lambda x: RESIZE(x, (0, 5)), [X], ValueError, "upsample_bilinear2d: output_size[0] is 0, must be 1 or more"),
    (lambda x: RESIZE(x, (6,)), [X], ValueError, "output_size has 1 sizes, wanted 2 or 4"),
    (lambda x: RESIZE(x, {6, 7}), [X], TypeError, "output_size is {6, 7}, wanted a sequence of whole numbers"),
    (RESIZE, [X], TypeError, "output_size is None"),
    (RESIZE, [X, like((2,), int)], TypeError, "wanted a sequence of whole numbers"),
    (lambda x, s: RESIZE(x, scales=s), [X, like(())], TypeError, "wanted 2 numbers"),
    (lambda x: RESIZE(x, (6, 7), scales=-1), [X], ValueError, "scales[0] is -1, wanted a positive number"),
    (lambda x: RESIZE(x, (6, 7), align_corners=1), [X], TypeError, "align_corners is 1, wanted True or False"),
    (lambda x: RESIZE(x, (6, 7), coordinates="x"), [X], ValueError, "coordinates is 'x', wanted 'half_pixel'"),
    (lambda x: RESIZE(x, (6, 7), out=x), [X], TypeError, "upsample_bilinear2d: got an unexpected keyword argument"),
    (lambda: RESIZE(output_size=(6, 7)), [], TypeError, "upsample_bilinear2d: missing a required argument: 'input'"),
    (lambda x: RESIZE(x, (6, 7)), [like((3, 4, 5))], ValueError, "input has 3 dimensions, wanted 4"),
    (lambda x: RESIZE(x, (6, 7)), [like(X.shape, int)], TypeError, "input.dtype is int64, wanted float16, bfloat16"),
    (lambda x: RESIZE([x], (6, 7)), [X], TypeError, "input is of type list, wanted an array of JAX or NumPy"),
    (lambda g: BACK(g, (2, 4, 4, 5)), [G], ValueError, "input_size[1] is 4, must be 3"),
    (SAMPLE, [X, like((3, 6, 7, 2))], ValueError, "grid_sampler_2d: grid.shape[0] is 3, must be 2"),
    (SAMPLE, [X, like(GRID.shape, jnp.bfloat16)], TypeError, "grid.dtype is bfloat16, must be float32"),
    (lambda x, grid: SAMPLE(x, grid, mode="cubic"), [X, GRID], ValueError, "mode is 'cubic', wanted 'bilinear' or"),
    (SAMPLE_BACK, [X, X, GRID], ValueError, "grid_sampler_2d_backward: grad_output.shape[2] is 4, must be 6"),
    (lambda *a: SAMPLE_BACK(*a, output_mask=(1, 0)), [G, X, GRID], TypeError, "output_mask[0] is 1, wanted True or"),
    (lambda *a: SAMPLE_BACK(*a, output_mask=True), [G, X, GRID], TypeError, "output_mask is True, wanted 2 values"),
    (regrad.jax.grid_sample, [like((3, 4, 5)), GRID], ValueError, "grid_sample: input has 3 dimensions, wanted 4, of"),
])  # fmt: skip
def test_what_is_refused(call, given, error, words):
    """`eval_shape` traces and runs nothing."""
    with pytest.raises(error, match=re.escape(words)):
        jax.eval_shape(call, *given)


def test_shapes_are_known_without_running():
    assert jax.eval_shape(lambda x: RESIZE(x, (6, 7)), like((1 << 30, 3, 4, 5), jnp.bfloat16)) == like(
        (1 << 30, 3, 6, 7), jnp.bfloat16
    )
    assert jax.eval_shape(SAMPLE, X, GRID) == G
    assert jax.eval_shape(SAMPLE_BACK, G, X, GRID) == (X, GRID)


def test_another_platform_is_refused():
    """JAX compiles for a platform that is not there."""
    traced = jax.jit(lambda x: RESIZE(x, (6, 7))).trace(X)
    with pytest.raises(NotImplementedError, match="upsample_bilinear2d: is compiled for another platform than the CPU"):
        traced.lower(lowering_platforms=("cuda",))
    traced.lower(lowering_platforms=("cpu",))


def test_other_arrays_are_refused():
    for value in (np.ma.ones(X.shape), memoryview(np.ones(X.shape)), 1.0):
        with pytest.raises(TypeError, match="input is of type .*, wanted an array of JAX or NumPy"):
            RESIZE(value, (6, 7))


@pytest.mark.parametrize("hidden", ["jax", "jax.experimental.buffer_callback"])
def test_without_jax(hidden):
    """The package is there without JAX, and with an older one; its JAX module says what to install."""
    program = f"import sys; sys.modules[{hidden!r}] = None; import regrad; import regrad.jax"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ImportError: regrad.jax needs JAX 0.6.2 or later (Python 3.10 or later): pip install 'jax>=" in done.stderr
