# SPDX-License-Identifier: Apache-2.0
"""Arrays as they come: order, strides, offsets, no elements, no dimensions, other kinds of object."""

import array
import ctypes

import numpy as np
import problems
import pytest
import regrad
from hypothesis import given
from hypothesis import strategies as st

TYPES = [*problems.FLOATS, np.dtype("u1")]
SHAPE = (2, 3, 5, 7)


def values(dtype="f4", shape=SHAPE):
    return problems.random_array(3, shape, np.dtype(dtype))


def forward(array, **options):
    return regrad.upsample_nearest_exact2d(array, (4, 9), **options)


@given(problems.resizes(), st.sampled_from(problems.FLOATS), st.tuples(problems.layouts(5), problems.layouts(5)))
def test_no_bit_depends_on_the_layout(problem, dtype, layouts):
    source = problems.random_array(1, problem.source, dtype)
    wanted = problems.bits(problem.call(source))
    laid = problems.lay_out(source, layouts[0])
    out = problems.lay_out(np.zeros(problem.result, dtype), layouts[1])
    assert problems.bits(problem.call(laid)) == wanted
    assert problem.call(laid, out=out) is out
    assert problems.bits(out) == wanted


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_strides_of_zero(dtype):
    row = values(dtype, (1, 3, 1, 7))
    spread = np.broadcast_to(row, SHAPE)
    assert 0 in spread.strides and not spread.flags.writeable
    assert problems.bits(forward(spread)) == problems.bits(forward(spread.copy()))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_inputs_may_be_read_only(dtype):
    given_array = values(dtype)
    wanted = problems.bits(forward(given_array))
    given_array.flags.writeable = False
    assert problems.bits(forward(given_array)) == wanted


@pytest.mark.parametrize("shape", [(0, 3, 5, 7), (2, 0, 5, 7), (0, 0, 5, 7)])
@pytest.mark.parametrize("step", [1, 2])
def test_no_elements(shape, step):
    empty = np.empty((*shape[:2], shape[2] * step, shape[3]), "f4")[:, :, ::step]
    assert forward(empty).shape == (*shape[:2], 4, 9)
    plan = regrad.Plan("upsample_nearest_exact2d", empty, (4, 9))
    assert plan.run(empty).shape == (*shape[:2], 4, 9)
    out = np.empty((*shape[:2], 4, 9 * step), "f4")[..., ::step]
    assert forward(empty, out=out) is out


def test_a_gradient_without_points_is_zero():
    grads = regrad.grid_sampler_2d_backward(np.empty((2, 3, 0, 4), "f4"), values(), np.empty((2, 0, 4, 2), "f4"))
    assert grads[0].shape == SHAPE and not grads[0].any()
    assert grads[1].shape == (2, 0, 4, 2)


def test_a_gradient_without_channels_is_zero():
    grads = regrad.grid_sampler_2d_backward(
        np.empty((1, 0, 2, 2), "f4"), np.empty((1, 0, 3, 3), "f4"), np.ones((1, 2, 2, 2), "f4")
    )
    assert grads[0].shape == (1, 0, 3, 3)
    assert grads[1].shape == (1, 2, 2, 2) and not grads[1].any()


@pytest.mark.parametrize("shape", [(), (3,), (3, 5), (1, 3, 5), (1, 1, 3, 5, 7)])
def test_wrong_ranks(shape):
    with pytest.raises(ValueError, match=f"^upsample_bilinear2d: input has {len(shape)} dimensions, wanted 4"):
        regrad.upsample_bilinear2d(np.ones(shape, "f4"), (4, 4))


def test_0d_is_no_plane():
    with pytest.raises(ValueError, match="^upsample_nearest_exact1d: input has 0 dimensions, wanted 3"):
        regrad.upsample_nearest_exact1d(np.float32(1), (4,))
    with pytest.raises(ValueError, match="^upsample_nearest_exact3d: input has 0 dimensions, wanted 5"):
        regrad.upsample_nearest_exact3d(np.float32(1), scales=2)


def test_the_memory_format_is_kept():
    last = np.ones((2, 5, 7, 3), "f4").transpose(0, 3, 1, 2)
    result = regrad.upsample_bilinear2d(last, (4, 9))
    assert result.strides[1] == 4 and result.transpose(0, 2, 3, 1).flags.c_contiguous
    assert regrad.upsample_bilinear2d(np.ones(SHAPE, "f4"), (4, 9)).flags.c_contiguous
    line = regrad.upsample_nearest_exact1d(np.ones((2, 7, 3), "f4").transpose(0, 2, 1), (9,))
    assert line.transpose(0, 2, 1).flags.c_contiguous
    grads = regrad.grid_sampler_2d_backward(np.ones((2, 3, 4, 4), "f4"), last, np.zeros((2, 4, 4, 2), "f4"))
    assert grads[0].transpose(0, 2, 3, 1).flags.c_contiguous and grads[1].flags.c_contiguous


def test_the_memory_format_of_volumes_is_kept():
    last = np.moveaxis(np.ones((2, 4, 5, 7, 3), "f4"), -1, 1)
    for function in (regrad.upsample_trilinear3d, regrad.upsample_nearest3d_backward):
        result = function(last, (3, 4, 9))
        assert result.shape == (2, 3, 3, 4, 9) and np.moveaxis(result, 1, -1).flags.c_contiguous
        assert function(np.ascontiguousarray(last), (3, 4, 9)).flags.c_contiguous
    grid, gradient = np.zeros((2, 2, 4, 4, 3), "f4"), np.ones((2, 3, 2, 4, 4), "f4")
    assert np.moveaxis(regrad.grid_sampler_3d(last, grid), 1, -1).flags.c_contiguous
    grads = regrad.grid_sampler_3d_backward(gradient, last, grid)
    assert np.moveaxis(grads[0], 1, -1).flags.c_contiguous and grads[1].flags.c_contiguous


class Subclass(np.ndarray):
    """NumPy's arrays under another name."""


def test_subclasses_become_plain_arrays():
    result = forward(values().view(Subclass))
    assert type(result) is np.ndarray
    assert problems.bits(result) == problems.bits(forward(values()))


def test_the_mask_of_an_array_would_be_lost():
    masked = np.ma.masked_array(values(), values() > 0)
    with pytest.raises(TypeError, match="^upsample_nearest_exact2d: input is a masked array, .*wanted"):
        forward(masked)


def test_the_buffer_protocol():
    data = array.array("f", [1, 2, 3, 4, 5, 6])
    buffer = memoryview(data).cast("B").cast("f", (1, 1, 6))
    assert regrad.upsample_nearest_exact1d_backward(buffer, (3,)).tolist() == [[[3, 7, 11]]]
    result = memoryview(array.array("f", [0] * 3)).cast("B").cast("f", (1, 1, 3))
    assert regrad.upsample_nearest_exact1d_backward(buffer, (3,), out=result) is result
    assert result.tolist() == [[[3, 7, 11]]]


def test_the_buffer_protocol_without_a_shape():
    """An array of ctypes has dimensions in its buffer alone, and bytes are an array of one dimension, not a shape."""
    source = ((ctypes.c_float * 6 * 4) * 1 * 1)()
    source[0][0][3][5] = 1
    wanted = regrad.resize_bilinear_v2_grad(np.asarray(source), (1, 1, 2, 3))
    assert wanted.any()
    image = ((ctypes.c_float * 3 * 2) * 1 * 1)()
    assert not hasattr(image, "shape")
    assert problems.bits(regrad.resize_bilinear_v2_grad(source, image)) == problems.bits(wanted)
    for flat in (array.array("q", (1, 1, 2, 3)), b"abcd"):
        with pytest.raises(ValueError, match="^resize_bilinear_v2_grad: original_image has 1 dimensions, wanted 4"):
            regrad.resize_bilinear_v2_grad(source, flat)


class Elsewhere:
    """An image on another device."""

    shape = (1, 1, 2, 3)

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **_):
        raise AssertionError


def test_of_an_image_only_the_shape_counts():
    assert regrad.resize_bilinear_v2_grad(np.ones((1, 1, 4, 6), "f4"), Elsewhere()).shape == Elsewhere.shape


def test_an_exported_buffer_is_released():
    data = array.array("f", [1] * 6)
    regrad.upsample_nearest_exact1d(memoryview(data).cast("B").cast("f", (1, 1, 6)), (3,))
    data.append(1)  # raises BufferError while someone holds the memory


@pytest.mark.parametrize("value", [[[[1.0]]], 3, None, "abc", object(), {}], ids=repr)
def test_what_is_no_array(value):
    with pytest.raises(TypeError, match="^upsample_nearest_exact2d: input is of type .*, wanted an array"):
        forward(value)


def test_misaligned_memory():
    bytes_of = np.zeros(4 * 36 + 1, "u1")
    shifted = bytes_of[1:].view("f4").reshape(1, 1, 6, 6)
    with pytest.raises(ValueError, match="^upsample_nearest_exact2d: .*input"):
        forward(shifted)


def test_strides_between_elements():
    records = np.zeros((1, 1, 6, 6), [("a", "u1"), ("x", "f4")])["x"]
    with pytest.raises(
        ValueError, match=r"^upsample_nearest_exact2d: input.strides are .* bytes, wanted multiples of 4"
    ):
        forward(records)
