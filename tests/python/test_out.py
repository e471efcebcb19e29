# SPDX-License-Identifier: Apache-2.0
"""Results that are given as `out`."""

import numpy as np
import problems
import pytest
import regrad
from numpy.lib.stride_tricks import as_strided

SOURCE = problems.random_array(5, (2, 3, 6, 4), np.dtype("f4"))
WANTED = regrad.upsample_bilinear2d(SOURCE, (5, 9))
IMAGE = problems.random_array(6, (2, 3, 4, 5), np.dtype("f4"))
GRID = np.random.default_rng(7).uniform(-1.2, 1.2, (2, 6, 4, 2)).astype("f4")
GRADS = regrad.grid_sampler_2d_backward(SOURCE, IMAGE, GRID)


def resize(out, size=(5, 9)):
    return regrad.upsample_bilinear2d(SOURCE, size, out=out)


def test_gaps_are_left_alone():
    memory = np.full((2, 3, 10, 18), 5, "f4")
    out = memory[:, :, 1::2, ::2]
    assert resize(out) is out
    assert problems.bits(out) == problems.bits(WANTED)
    assert (memory[:, :, ::2] == 5).all() and (memory[..., 1::2] == 5).all()


def test_out_gives_the_size():
    out = np.empty((2, 3, 5, 9), "f4")
    assert resize(out, None) is out
    assert problems.bits(out) == problems.bits(WANTED)


def test_the_same_kind_comes_back():
    out = np.empty((2, 3, 5, 9), "f4").view(np.recarray)
    assert resize(out) is out


@pytest.mark.parametrize("shape", [(2, 3, 5, 8), (1, 3, 5, 9), (2, 3, 9, 5), (2, 3, 45), ()])
def test_another_shape(shape):
    with pytest.raises(ValueError, match=r"^upsample_bilinear2d: out\.shape is \(.*wanted \(2, 3, 5, 9\)"):
        resize(np.empty(shape, "f4"))


def test_read_only():
    out = np.empty((2, 3, 5, 9), "f4")
    out.flags.writeable = False
    with pytest.raises(ValueError, match="^upsample_bilinear2d: out is read-only, wanted memory that may be written"):
        resize(out)
    with pytest.raises(ValueError, match="^upsample_nearest_exact1d: out is read-only"):
        regrad.upsample_nearest_exact1d(np.ones((1, 1, 1), "u1"), (2,), out=b"ab")


def test_elements_that_overlap():
    memory = np.full(2 * 3 * 5 * 9, 8, "f4")
    out = as_strided(memory, (2, 3, 5, 9), (0, 4, 4, 4))
    with pytest.raises(ValueError, match="^upsample_bilinear2d: out.* overlap"):
        resize(out)
    assert (memory == 8).all()


@pytest.mark.parametrize("shift", [0, 1, 17])
def test_memory_of_an_input(shift):
    memory = problems.random_array(1, (2 * 36 + 20,), np.dtype("f4"))
    before = problems.bits(memory)
    source, out = memory[:36].reshape(1, 1, 6, 6), memory[shift : shift + 36].reshape(1, 1, 6, 6)
    with pytest.raises(ValueError, match="^upsample_bilinear2d: .*(out|input).*(out|input)"):
        regrad.upsample_bilinear2d(source, (6, 6), out=out)
    assert problems.bits(memory) == before


def test_beside_an_input_in_one_memory():
    memory = np.zeros((1, 1, 6, 12), "f4")
    memory[..., ::2] = 1
    out = memory[..., 1::2]
    try:  # whether views that interleave count as shared is not promised; what is written is
        regrad.upsample_bilinear2d(memory[..., ::2], (6, 6), out=out)
    except ValueError:
        assert not out.any()
    else:
        assert (out == 1).all()
    assert (memory[..., ::2] == 1).all()


# ---- Two results ----


def backward(out, **options):
    return regrad.grid_sampler_2d_backward(SOURCE, IMAGE, GRID, out=out, **options)


@pytest.mark.parametrize("given", [(True, True), (True, False), (False, True), (False, False)])
def test_both_or_one_of_two(given):
    out = [np.empty_like(g) if k else None for k, g in zip(given, GRADS)]
    found = backward(out)
    for k in range(2):
        assert found[k] is out[k] or out[k] is None
        assert problems.bits(found[k]) == problems.bits(GRADS[k])


@pytest.mark.parametrize("mask", [(True, False), (False, True), (False, False)])
def test_only_what_is_wanted(mask):
    found = backward(None, output_mask=mask)
    for k in range(2):
        assert (found[k] is not None) == mask[k]
        assert not mask[k] or problems.bits(found[k]) == problems.bits(GRADS[k])


def test_a_result_that_is_not_wanted_is_left_alone():
    out = (np.full(IMAGE.shape, 3, "f4"), np.empty(GRID.shape, "f4"))
    found = backward(out, output_mask=(False, True))
    assert found[0] is None and found[1] is out[1]
    assert (out[0] == 3).all()


def test_two_results_in_one_memory():
    memory = np.empty(120 + 96, "f4")
    out = (memory[:120].reshape(2, 3, 4, 5), memory[100:196].reshape(2, 6, 4, 2))
    with pytest.raises(ValueError, match=r"^grid_sampler_2d_backward: .*out\[[01]\].*out\[[01]\]"):
        backward(out)


@pytest.mark.parametrize("out, error, sentence", [
    ((None,), ValueError, r"out has 1 values, wanted 2"),
    ((None,) * 3, ValueError, r"out has 3 values, wanted 2"),
    (5, TypeError, r"out is 5, wanted"),
    ((None, np.empty((2, 6, 4, 3), "f4")), ValueError, r"out\[1\]\.shape\[3\] is 3, must be 2"),
    ((np.empty((2, 3, 4, 5)), None), TypeError, r"out\[0\]\.dtype is float64, must be float32"),
    (([], None), TypeError, r"out\[0\] is of type list, wanted an array"),
])  # fmt: skip
def test_wrong_results(out, error, sentence):
    with pytest.raises(error, match=f"^grid_sampler_2d_backward: {sentence}"):
        backward(out)
