# SPDX-License-Identifier: Apache-2.0
"""Refusals: the type of the error, and a sentence with the operator, the argument, what came and what was wanted."""

import ctypes

import numpy as np
import pytest
import regrad

X = np.ones((1, 1, 6, 6), "f4")
GRID = np.zeros((1, 3, 3, 2), "f4")
G = np.ones((1, 1, 3, 3), "f4")


def bilinear(*arguments, **options):
    return regrad.upsample_bilinear2d(X, *arguments, **options)


def backward(*arguments, **options):
    return regrad.upsample_bilinear2d_backward(X, *arguments, **options)


def volume(*arguments, **options):
    return regrad.upsample_trilinear3d(X[None], *arguments, **options)


def antialiased(*arguments, **options):
    return regrad.upsample_bilinear2d_aa(X, *arguments, **options)


def nearest(*arguments, **options):
    return regrad.upsample_nearest_exact2d(X, *arguments, **options)


def graph(*arguments, **options):
    return regrad.resize_bilinear_v2_grad(X, *arguments, **options)


def graph_nearest(*arguments, **options):
    return regrad.upsample_nearest_exact2d_grad(X, *arguments, **options)


def sample(image=X, grid=GRID, **options):
    return regrad.grid_sampler_2d(image, grid, **options)


def gradients(gradient=G, image=X, grid=GRID, **options):
    return regrad.grid_sampler_2d_backward(gradient, image, grid, **options)


def calls(*rows):
    """Rows of (call, error, sentence), where a sentence begins with the function's name."""
    return pytest.mark.parametrize("call, error, sentence", rows)


def check(call, error, sentence):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(sentence), str(raised.value)
    assert type(raised.value) is error


@calls(
    (lambda: bilinear(), TypeError, "upsample_bilinear2d: output_size is None, wanted 2 or 4 sizes, or scales or out"),
    (lambda: bilinear(3), TypeError, "upsample_bilinear2d: output_size is 3, wanted a sequence of whole numbers"),
    (lambda: bilinear("33"), TypeError, "upsample_bilinear2d: output_size is '33', wanted a sequence of whole"),
    (lambda: bilinear((3.0, 3)), TypeError, "upsample_bilinear2d: output_size is (3.0, 3), wanted a sequence of whole"),
    (lambda: bilinear({3, 4}), TypeError, "upsample_bilinear2d: output_size is {3, 4}, wanted a sequence of whole"),
    (lambda: bilinear({3: 1, 4: 2}), TypeError, "upsample_bilinear2d: output_size is {3: 1, 4: 2}, wanted a sequence"),
    (lambda: bilinear({3: 1, 4: 2}.keys()), TypeError, "upsample_bilinear2d: output_size is dict_keys([3, 4]), wanted"),
    (lambda: bilinear(b"33"), TypeError, "upsample_bilinear2d: output_size is b'33', wanted a sequence of whole"),
    (lambda: volume(), TypeError, "upsample_trilinear3d: output_size is None, wanted 3 or 5 sizes, or scales or out"),
    (lambda: volume((3, 3)), ValueError, "upsample_trilinear3d: output_size has 2 sizes, wanted 3 or 5"),
    (lambda: volume((3, 0, 3)), ValueError, "upsample_trilinear3d: output_size[1] is 0, must be 1 or more"),
    (lambda: volume(None, out=X), ValueError, "upsample_trilinear3d: out has 4 dimensions, wanted 5"),
    (lambda: bilinear((3,)), ValueError, "upsample_bilinear2d: output_size has 1 sizes, wanted 2 or 4"),
    (lambda: bilinear((3, 0)), ValueError, "upsample_bilinear2d: output_size[1] is 0, must be 1 or more"),
    (lambda: bilinear((1, 1, 0, 3)), ValueError, "upsample_bilinear2d: output_size[2] is 0, must be 1 or more"),
    (lambda: bilinear((-1, 3)), ValueError, "upsample_bilinear2d: output_size[0] is -1, wanted a size"),
    (lambda: bilinear((3, 2**70)), ValueError, f"upsample_bilinear2d: output_size[1] is {2**70}, wanted a size"),
    (lambda: bilinear((2**40, 2**40)), ValueError,
     "upsample_bilinear2d: out would have the shape (1, 1, 1099511627776, 1099511627776), wanted"),
    (lambda: bilinear((1, 2, 3, 3)), ValueError,
     "upsample_bilinear2d: output_size[1] is 2, must be 1, as input.shape[1]"),
    (lambda: backward(None), TypeError, "upsample_bilinear2d_backward: input_size is None, wanted 2 or 4 sizes"),
    (lambda: backward((2, 1, 3, 3)), ValueError,
     "upsample_bilinear2d_backward: input_size[0] is 2, must be 1, as grad_output.shape[0]"),
    (lambda: graph(None), TypeError, "resize_bilinear_v2_grad: original_image is None, wanted an array, or its shape"),
    (lambda: graph((6, 6)), ValueError, "resize_bilinear_v2_grad: original_image has 2 dimensions, wanted 4"),
    (lambda: graph((1, 2, 6, 6)), ValueError, "resize_bilinear_v2_grad: original_image.shape[1] is 2, must be 1, as"),
    (lambda: graph((1, 1, 6, 2**64)), ValueError, f"resize_bilinear_v2_grad: original_image.shape[3] is {2**64}"),
    (lambda: graph_nearest(None, (3, 3)), TypeError, "upsample_nearest_exact2d_grad: output_size is None, wanted"),
    (lambda: graph_nearest((6, 6), None), TypeError, "upsample_nearest_exact2d_grad: input_size is None, wanted"),
    (lambda: graph_nearest((6,), (3, 3)), ValueError, "upsample_nearest_exact2d_grad: output_size has 1 sizes"),
    (lambda: graph_nearest((6, 5), (3, 3)), ValueError,
     "upsample_nearest_exact2d_grad: output_size[1] is 5, must be 6, as grad_output.shape[3]"),
    (lambda: graph_nearest((2**70, 6), (3, 3)), ValueError,
     f"upsample_nearest_exact2d_grad: output_size[0] is {2**70}, wanted a size"),
    (lambda: graph_nearest((6, 6), (0, 3)), ValueError, "upsample_nearest_exact2d_grad: input_size[0] is 0, must be"),
)  # fmt: skip
def test_sizes(call, error, sentence):
    check(call, error, sentence)


POSITIVE = "wanted a positive number, or None, with which the sizes decide"


@calls(
    (lambda: bilinear((3, 3), scales="22"), TypeError, "upsample_bilinear2d: scales is '22', wanted 2 numbers"),
    (lambda: bilinear((3, 3), scales=(2, "")), TypeError, "upsample_bilinear2d: scales is (2, ''), wanted 2"),
    (lambda: bilinear((3, 3), scales=np.complex64(2)), TypeError, "upsample_bilinear2d: scales is "),
    (lambda: bilinear((3, 3), scales=10**400), TypeError, "upsample_bilinear2d: scales is 1000"),
    (lambda: bilinear((3, 3), scales=(1, 2, 3)), ValueError, "upsample_bilinear2d: scales has 3 values, wanted 2"),
    (lambda: bilinear((3, 3), scales=(2, np.nan)), ValueError, "upsample_bilinear2d: scales[1] is nan, must be finite"),
    (lambda: bilinear((3, 3), scales=np.inf), ValueError, "upsample_bilinear2d: scales[0] is inf, must be finite"),
    (lambda: bilinear(scales=1e300), ValueError,
     "upsample_bilinear2d: scales[0] is 1e+300, wanted one with which input.shape[2], 6, becomes a size of 1 or more"),
    (lambda: bilinear(scales=(1, 1e-9)), ValueError, "upsample_bilinear2d: scales[1] is 1e-09, wanted one with which"),
    (lambda: bilinear(scales=(2, None)), ValueError, "upsample_bilinear2d: scales[1] is None, wanted a number, or"),
    (lambda: bilinear(scales=0), ValueError, f"upsample_bilinear2d: scales[0] is 0, {POSITIVE}"),
    (lambda: bilinear(scales=(2, -1)), ValueError, f"upsample_bilinear2d: scales[1] is -1, {POSITIVE}"),
    (lambda: bilinear((3, 3), scales=[2, 0.0]), ValueError, f"upsample_bilinear2d: scales[1] is 0, {POSITIVE}"),
    (lambda: bilinear((3, 3), scales={2: 3}), TypeError, "upsample_bilinear2d: scales is {2: 3}, wanted 2 numbers"),
    (lambda: bilinear((3, 3), scales=b"22"), TypeError, "upsample_bilinear2d: scales is b'22', wanted 2 numbers"),
    (lambda: nearest((3, 3), scales=-1), ValueError, f"upsample_nearest_exact2d: scales[0] is -1, {POSITIVE}"),
    (lambda: graph((1, 1, 3, 3), scales=1e-60), ValueError, f"resize_bilinear_v2_grad: scales[0] is 1e-60, {POSITIVE}"),
    (lambda: volume((3, 3, 3), scales=(1, 2)), ValueError, "upsample_trilinear3d: scales has 2 values, wanted 3"),
    (lambda: volume((3, 3, 3), scales=(1, 5e-324, 2)), ValueError, "upsample_trilinear3d: scales[1] is 4.94066e-324"),
    (lambda: graph((1, 1, 3, 3), scales=(2, np.nan)), ValueError, "resize_bilinear_v2_grad: scales[1] is nan, must be"),
    (lambda: graph_nearest((6, 6), (3, 3), scales=(2, -1)), ValueError,
     f"upsample_nearest_exact2d_grad: scales[1] is -1, {POSITIVE}"),
    (lambda: regrad.upsample_nearest_exact1d(X[0], (3,), scales=-1), ValueError,
     f"upsample_nearest_exact1d: scales is -1, {POSITIVE}"),
)  # fmt: skip
def test_scales(call, error, sentence):
    check(call, error, sentence)


@pytest.mark.parametrize("scale", [2, 2.0, np.float32(2), np.int64(2), (2,), [2.0, 2], np.array([2, 2])], ids=repr)
def test_scales_are_numbers_of_any_kind(scale):
    assert bilinear(scales=scale).shape == (1, 1, 12, 12)


def test_scales_of_one_axis():
    """None beside a number: the sizes decide on this axis alone."""
    wanted = bilinear((9, 9), scales=(1.7, 9 / 6))
    assert np.array_equal(bilinear((9, 9), scales=(1.7, None)), wanted)
    assert np.array_equal(bilinear((9, 9), scales=(None, None)), bilinear((9, 9)))
    x = np.arange(6, dtype="f4").reshape(1, 1, 6)
    assert not np.array_equal(regrad.upsample_linear1d(x, (9,), scales=1.7), regrad.upsample_linear1d(x, (9,)))


def test_graph_operators_have_scales_in_single_precision():
    wanted = backward((9, 9), scales=float(np.float32(0.3)), coordinates="asymmetric")
    assert np.array_equal(graph((1, 1, 9, 9), scales=0.3), wanted)
    assert not np.array_equal(backward((9, 9), scales=0.4), backward((9, 9), scales=0.3))  # it depends on scales


COORDINATES = "wanted 'half_pixel' or 'align_corners' or 'asymmetric'"


@calls(
    (lambda: bilinear((3, 3), coordinates="x"), ValueError, f"upsample_bilinear2d: coordinates is 'x', {COORDINATES}"),
    (lambda: bilinear((3, 3), coordinates=1), ValueError, f"upsample_bilinear2d: coordinates is 1, {COORDINATES}"),
    (lambda: bilinear((3, 3), align_corners=1), TypeError, "upsample_bilinear2d: align_corners is 1, wanted True or"),
    (lambda: bilinear((3, 3), align_corners=True, coordinates="asymmetric"), ValueError,
     "upsample_bilinear2d: coordinates is 'asymmetric' and align_corners True, wanted one of both"),
    (lambda: nearest((3, 3), law="x"), ValueError, "upsample_nearest_exact2d: law is 'x', wanted 'forward' or"),
    (lambda: graph((1, 1, 3, 3), half_pixel_centers=0), TypeError,
     "resize_bilinear_v2_grad: half_pixel_centers is 0, wanted True or False"),
    (lambda: sample(mode="x"), ValueError, "grid_sampler_2d: mode is 'x', wanted 'bilinear' or 'nearest' or 'bicubic'"),
    (lambda: sample(padding_mode=0), ValueError, "grid_sampler_2d: padding_mode is 0, wanted 'zeros' or 'border' or"),
    (lambda: antialiased((3, 3), coordinates="asymmetric"), ValueError,
     "upsample_bilinear2d_aa: coordinates is 'asymmetric', wanted 'half_pixel' or 'align_corners'"),
    (lambda: regrad.grid_sampler_3d(X[None], np.zeros((1, 1, 1, 1, 3), "f4"), mode="bicubic"), ValueError,
     "grid_sampler_3d: mode is bicubic, which only two dimensions have, must be bilinear or nearest"),
    (lambda: gradients(output_mask={True, False}), TypeError, "grid_sampler_2d_backward: output_mask is {"),
    (lambda: gradients(output_mask=True), TypeError, "grid_sampler_2d_backward: output_mask is True, wanted 2 values"),
    (lambda: gradients(output_mask=(True,)), ValueError, "grid_sampler_2d_backward: output_mask has 1 values, wanted"),
    (lambda: gradients(output_mask=(1, 0)), TypeError, "grid_sampler_2d_backward: output_mask[0] is 1, wanted True"),
    (lambda: regrad.set_num_threads("2"), TypeError, "set_num_threads: n is '2', wanted a whole number"),
    (lambda: regrad.set_num_threads(1.5), TypeError, "set_num_threads: n is 1.5, wanted a whole number"),
)  # fmt: skip
def test_options(call, error, sentence):
    check(call, error, sentence)


@calls(
    (lambda: sample(X[0]), ValueError, "grid_sampler_2d: input has 3 dimensions, wanted 4"),
    (lambda: sample(grid=GRID[0]), ValueError, "grid_sampler_2d: grid has 3 dimensions, wanted 4"),
    (lambda: sample(grid=np.ones((1, 3, 3, 3), "f4")), ValueError, "grid_sampler_2d: grid.shape[3] is 3, must be 2"),
    (lambda: sample(grid=np.ones((2, 3, 3, 2), "f4")), ValueError,
     "grid_sampler_2d: grid.shape[0] is 2, must be 1, as input.shape[0]"),
    (lambda: sample(np.ones((1, 1, 0, 6), "f4")), ValueError, "grid_sampler_2d: input.shape[2] is 0, must be 1"),
    (lambda: gradients(np.ones((1, 1, 3, 4), "f4")), ValueError,
     "grid_sampler_2d_backward: grad_output.shape[3] is 4, must be 3, as grid.shape[2]"),
    (lambda: gradients(np.ones((1, 2, 3, 3), "f4")), ValueError,
     "grid_sampler_2d_backward: grad_output.shape[1] is 2, must be 1, as input.shape[1]"),
    (lambda: regrad.upsample_bilinear2d(np.ones((1, 1, 0, 3), "f4"), (2, 2)), ValueError,
     "upsample_bilinear2d: input.shape[2] is 0, must be 1 or more"),
)  # fmt: skip
def test_shapes(call, error, sentence):
    check(call, error, sentence)


def test_too_large_for_memory():
    sentence = "upsample_bilinear2d: out of memory for out.shape (1, 1, 1048576, 16777216) of float32, must be smaller"
    check(lambda: bilinear((2**20, 2**24)), MemoryError, sentence)


def test_too_large_for_numpy_without_elements():
    empty = np.empty((0, 1, 6, 6), "f4")
    sentence = "upsample_nearest_exact2d: out would have the shape (0, 1, 2097152, 1099511627776), wanted"
    check(lambda: regrad.upsample_nearest_exact2d(empty, (2**21, 2**40)), ValueError, sentence)


def released():
    view = memoryview(np.ones((1, 1, 6, 6), "f4"))
    view.release()
    return view


@calls(
    (lambda: regrad.upsample_bilinear2d(released(), (3, 3)), ValueError, "upsample_bilinear2d: input does not give"),
    (lambda: bilinear((6, 6), out=released()), ValueError, "upsample_bilinear2d: out does not give its memory away: "),
    (lambda: graph(released()), ValueError, "resize_bilinear_v2_grad: original_image does not give its memory away: "),
    (lambda: sample((ctypes.c_void_p * 3)()), TypeError,
     "grid_sampler_2d: input has elements of format '<P', wanted numbers"),
    (lambda: regrad.check("upsample_bilinear2d", X, (3, 3), seed=2**70), ValueError,
     f"check: seed is {2**70}, wanted a whole number from 0 to 2**63 - 1"),
    (lambda: regrad.check("upsample_bilinear2d", X, (3, 3), seed="a"), TypeError,
     "check: seed is 'a', wanted a whole number from 0 to 2**63 - 1"),
    (lambda: bilinear((3, 3), out=np.lib.stride_tricks.as_strided(X, (1, 1, 3, 3), (0, 0, 4, 4))), ValueError,
     "upsample_bilinear2d: out.strides in elements are (0, 0, 1, 1), with which elements overlap; must "),
)  # fmt: skip
def test_memory(call, error, sentence):
    check(call, error, sentence)


ENDLESS = [*range(100_000)]


@pytest.mark.parametrize("call", [
    lambda: bilinear((3, 3), out=ENDLESS),
    lambda: bilinear([*ENDLESS, "x"]),
    lambda: bilinear("x" * 100_000),
    lambda: bilinear((10**5000, 3)),
    lambda: bilinear((3, 3), scales=[*ENDLESS, "x"]),
    lambda: bilinear((3, 3), scales=np.full((99, 99), "x")),
    lambda: bilinear((3, 3), align_corners=ENDLESS),
    lambda: graph([*ENDLESS, "x"]),
    lambda: graph(ENDLESS),
    lambda: sample(mode=ENDLESS),
    lambda: gradients(out={k: k for k in ENDLESS}),
    lambda: regrad.Plan(ENDLESS),
    lambda: regrad.check("upsample_bilinear2d", X, (3, 3), seed=ENDLESS),
    lambda: regrad.set_num_threads(ENDLESS),
])  # fmt: skip
def test_sentences_have_an_end(call):
    with pytest.raises((TypeError, ValueError)) as raised:
        call()
    assert len(str(raised.value)) < 1200 and "\n" not in str(raised.value)


def test_no_refusal_is_kept():
    """A call that is refused leaves no plan behind, and the next one is not its victim."""
    for _ in range(3):
        with pytest.raises(ValueError):
            bilinear((0, 3))
    assert regrad.cache_info().currsize == 0
    assert bilinear((3, 3)).tolist() == np.ones((1, 1, 3, 3)).tolist()
