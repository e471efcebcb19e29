# SPDX-License-Identifier: Apache-2.0
"""Results, types, memory formats, warnings and errors beside PyTorch's own."""

import itertools
import re
import warnings

import cases
import numpy as np
import pytest
import regrad.torch
import torch
import torch.nn.functional as F


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@pytest.mark.parametrize(("n_axes", "options"), cases.ALL_RESIZES, ids=str)
@pytest.mark.parametrize("size", [{"size": (8, 3, 11)}, {"scale_factor": 1.7}, {"scale_factor": 0.6}], ids=str)
def test_resize(n_axes, options, size, dtype):
    """Beside PyTorch in float64, given the numbers as they were rounded."""
    if "size" in size:
        size = {"size": size["size"][:n_axes]}
    x = cases.image(n_axes, dtype)
    exact = x.detach().double().requires_grad_()
    result = regrad.torch.interpolate(x, **size, **options)
    assert cases.is_ours(result) and result.dtype is dtype
    wanted = F.interpolate(exact, **size, **options)
    if "nearest" in options["mode"]:
        assert torch.equal(result.double(), wanted)
    grad = torch.randn(result.shape, dtype=torch.float64).to(dtype)
    (found,) = torch.autograd.grad(result, x, grad)
    (wanted_grad,) = torch.autograd.grad(wanted, exact, grad.double())
    cases.check_close(result, wanted, dtype, "result")
    cases.check_close(found, wanted_grad, dtype, "gradient")


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@pytest.mark.parametrize(("n_axes", "options"), cases.SAMPLES, ids=str)
def test_sample(n_axes, options, dtype):
    x, grid = cases.image(n_axes, dtype), cases.points(n_axes, dtype)
    exact = [t.detach().double().requires_grad_() for t in (x, grid)]
    result = regrad.torch.grid_sample(x, grid, **options)
    assert cases.is_ours(result) and result.dtype is dtype
    wanted = F.grid_sample(*exact, **options)
    grad = torch.randn(result.shape, dtype=torch.float64).to(dtype)
    found = torch.autograd.grad(result, (x, grid), grad)
    gradients = torch.autograd.grad(wanted, exact, grad.double())
    if options["mode"] == "nearest":
        assert torch.equal(result.double(), wanted)
    for f, w, what in zip((result, *found), (wanted, *gradients), ("result", "input_grad", "grid_grad")):
        cases.check_close(f, w, dtype, what)


def test_bytes():
    """uint8 is taken by nearest resizes, and left to PyTorch by others."""
    x = torch.randint(0, 256, (2, 3, 5, 7), dtype=torch.uint8)
    for options in ({}, {"mode": "nearest-exact"}, {"mode": "bilinear"}, {"mode": "bilinear", "antialias": True}):
        assert torch.equal(regrad.torch.interpolate(x, (8, 9), **options), F.interpolate(x, (8, 9), **options))


def strided(n_axes):
    """Images in several memory formats, with gaps, turned, and with an axis that repeats."""
    x = cases.image(n_axes, requires_grad=False)
    yield x
    if n_axes > 1:
        yield x.to(memory_format=torch.channels_last if n_axes == 2 else torch.channels_last_3d)
    yield torch.randn(2, 6, *x.shape[2:])[:, ::2]
    yield x.transpose(2, -1)
    yield x[:, :1].expand(-1, 3, *x.shape[2:])
    yield x[:1, :1]


@pytest.mark.parametrize(("n_axes", "options"), cases.ALL_RESIZES, ids=str)
def test_memory_format_of_resizes(n_axes, options):
    for x in strided(n_axes):
        size = (4, 9, 3)[:n_axes]
        result = regrad.torch.interpolate(x, size, **options)
        assert result.stride() == F.interpolate(x, size, **options).stride()
        assert cases.bits([result]) == cases.bits([regrad.torch.interpolate(x.contiguous(), size, **options)])


def test_channels_last_gradients():
    x = cases.image(2, requires_grad=False).to(memory_format=torch.channels_last).requires_grad_()
    result = regrad.torch.interpolate(x, (8, 8), mode="bilinear")
    grad = torch.randn(result.shape).to(memory_format=torch.channels_last)
    (found,) = torch.autograd.grad(result, x, grad)
    assert found.is_contiguous(memory_format=torch.channels_last)
    plain = cases.run_all(regrad.torch.interpolate, [x.detach().contiguous().requires_grad_()], grad.contiguous(),
                          size=(8, 8), mode="bilinear")  # fmt: skip
    assert cases.bits([result, found]) == cases.bits(plain)


@pytest.mark.parametrize("n_axes", [2, 3])
def test_memory_format_of_samples(n_axes):
    grid = cases.points(n_axes, requires_grad=False)
    for x in strided(n_axes):
        points = grid[: x.shape[0]]
        for other in (points, torch.stack([points, points], -1)[..., 0]):
            result = regrad.torch.grid_sample(x, other, align_corners=False)
            assert result.stride() == F.grid_sample(x, other, align_corners=False).stride()
            wanted = regrad.torch.grid_sample(x.contiguous(), points, align_corners=False)
            assert cases.bits([result]) == cases.bits([wanted])


@pytest.mark.parametrize("mask", [(True, False), (False, True)])
def test_one_gradient(mask):
    tensors = [cases.image(2), cases.points(2)]
    both = cases.run_all(regrad.torch.grid_sample, tensors, align_corners=False)
    one = cases.run_all(
        regrad.torch.grid_sample, [t.detach().requires_grad_(m) for t, m in zip(tensors, mask)], align_corners=False
    )
    assert cases.bits(one) == cases.bits([both[0], both[1 + mask.index(True)]])


def test_same_bits_over_threads():
    """PyTorch's number of threads is the number that is used, and changes no bit."""
    x, grid = torch.randn(2, 5, 150, 170, requires_grad=True), 2 * torch.rand(2, 120, 90, 2) - 1
    found, before = [], torch.get_num_threads()
    try:
        for n_threads in (1, 2, 3):
            torch.set_num_threads(n_threads)
            found.append(
                cases.bits(
                    cases.run_all(regrad.torch.interpolate, [x], scale_factor=1.3, mode="bicubic")
                    + cases.run_all(regrad.torch.grid_sample, [x, grid.requires_grad_()], align_corners=False)
                )
            )
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("options", [
    {"size": 5}, {"size": np.int64(5)}, {"size": [5, 6]}, {"size": (np.int32(5), 6)}, {"size": torch.Size([5, 6])},
    {"scale_factor": 2}, {"scale_factor": 1.5}, {"scale_factor": np.float32(1.3)}, {"scale_factor": (2, 0.7)},
    {"scale_factor": 1.3, "recompute_scale_factor": True}, {"size": 3, "recompute_scale_factor": False},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_sizes(options, mode):
    x = cases.image(2, torch.float64)
    result = regrad.torch.interpolate(x, mode=mode, **options)
    assert cases.is_ours(result)
    assert torch.allclose(result, F.interpolate(x, mode=mode, **options), rtol=1e-13, atol=1e-13)


def test_sizes_of_scales():
    """As many outputs as PyTorch makes, for lengths and scales whose product is hardly whole."""
    for length, (p, q) in itertools.product((1, 7, 48, 49, 99, 300), ((1, 3), (2, 3), (1, 49), (7, 10), (11, 7))):
        x, scale = torch.empty(1, 1, length, requires_grad=True), p / q
        if length * scale >= 1:
            result = regrad.torch.interpolate(x, scale_factor=scale, mode="linear")
            assert result.shape == F.interpolate(x, scale_factor=scale, mode="linear").shape and cases.is_ours(result)


def outcome(function, *arguments, **options):
    """What a call does: its error, or its result's shape and type, and its warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = function(*arguments, **options)
        except Exception as error:
            return type(error), re.sub(r"0x[0-9a-f]+", "", str(error))
    return result.shape, result.dtype, [(w.category, str(w.message)[:90], w.filename) for w in seen]


ONE = torch.rand(1, 1, 4, 4)
RESIZE_OUTCOMES = [
    {}, {"size": 5.0}, {"size": True}, {"size": (5.0, 5.0)}, {"size": (5,)}, {"size": 0},
    {"size": 3, "scale_factor": 2},
    {"size": np.array([5, 6])}, {"size": torch.tensor(5)}, {"scale_factor": 0.0}, {"scale_factor": -1.0},
    {"scale_factor": 0.1}, {"scale_factor": float("inf")}, {"scale_factor": float("nan")}, {"scale_factor": (2,)},
    {"scale_factor": torch.tensor(1.5)}, {"size": 3, "recompute_scale_factor": True}, {"size": 3, "mode": "area"},
    {"size": 3, "align_corners": False}, {"size": 3, "mode": "bilinear", "align_corners": 1},
    {"size": 3, "antialias": True}, {"size": 3, "mode": "linear"}, {"size": 3, "mode": "what"},
    {"size": 3, "mode": None},
    {"size": 3, "mode": "lanczos"}, {"size": 3, "mode": "lanczos", "antialias": True, "align_corners": True},
]  # fmt: skip


@pytest.mark.parametrize("options", RESIZE_OUTCOMES, ids=str)
def test_outcomes_of_interpolate(options):
    assert outcome(regrad.torch.interpolate, ONE, **options) == outcome(F.interpolate, ONE, **options)


@pytest.mark.parametrize("shape", [(0, 1, 4, 4), (1, 0, 4, 4), (1, 1, 0, 4), (4, 4), (1, 1, 1, 4, 4, 4)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.uint8, torch.complex64], ids=str)
def test_outcomes_of_other_inputs(shape, dtype):
    x = torch.zeros(shape, dtype=dtype)
    for options in ({"size": 3}, {"size": 3, "mode": "bilinear"}, {"scale_factor": 2.0}):
        assert outcome(regrad.torch.interpolate, x, **options) == outcome(F.interpolate, x, **options)


SAMPLE_OUTCOMES = [
    ((ONE, torch.rand(2, 2, 2, 2)), {}), ((ONE, torch.rand(1, 2, 2, 3)), {}),
    ((ONE, torch.rand(1, 2, 2, 2).double()), {}),
    ((ONE, torch.rand(1, 2, 2, 2)), {}), ((ONE, torch.rand(1, 2, 2, 2)), {"mode": "what"}),
    ((ONE, torch.rand(1, 2, 2, 2)), {"padding_mode": "what"}), ((ONE, torch.rand(1, 2, 2, 2)), {"align_corners": 1}),
    ((ONE[None], torch.rand(1, 2, 2, 2, 3)), {"mode": "bicubic"}), ((ONE[:0], torch.rand(0, 2, 2, 2)), {}),
    ((ONE[:, :0], torch.rand(1, 2, 2, 2)), {}), ((ONE[:, :, :0], torch.rand(1, 2, 2, 2)), {}),
    ((ONE, torch.rand(1, 0, 2, 2)), {}), ((ONE.byte(), torch.rand(1, 2, 2, 2).byte()), {}), ((ONE, 3), {}),
    ((ONE[0], torch.rand(1, 2, 2, 2)), {}),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "options"), SAMPLE_OUTCOMES)
def test_outcomes_of_grid_sample(arguments, options):
    ours, theirs = (outcome(f, *arguments, **options) for f in (regrad.torch.grid_sample, F.grid_sample))
    if isinstance(ours[0], torch.Size):  # PyTorch's own words after the first ones differ, and where it warns from
        ours, theirs = [(*o[:2], [(w[0], w[1][:80]) for w in o[2]]) for o in (ours, theirs)]
    assert ours == theirs


def test_other_tensors_fall_through():
    meta = torch.empty(1, 1, 4, 4, device="meta")
    assert regrad.torch.interpolate(meta, 3).device.type == "meta"

    class Mine(torch.Tensor):
        seen = []

        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            cls.seen.append(function)
            return super().__torch_function__(function, types, args, kwargs or {})

    regrad.torch.interpolate(ONE.as_subclass(Mine), 3)
    regrad.torch.grid_sample(ONE, torch.rand(1, 2, 2, 2).as_subclass(Mine), align_corners=False)
    assert F.interpolate in Mine.seen and F.grid_sample in Mine.seen


def test_negative_bit():
    x = torch.randn(1, 1, 4, 4, dtype=torch.complex64).conj().imag
    assert x.is_neg()
    assert torch.equal(regrad.torch.interpolate(x, 3, mode="bilinear"),
                       regrad.torch.interpolate(x.resolve_neg(), 3, mode="bilinear"))  # fmt: skip


def test_deterministic_without_a_warning():
    torch.use_deterministic_algorithms(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cases.run_all(regrad.torch.interpolate, [cases.image(2)], scale_factor=2.0, mode="bicubic")
            cases.run_all(regrad.torch.grid_sample, [cases.image(2), cases.points(2)], align_corners=False)
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
def test_autocast(dtype):
    """As PyTorch's: a grid sample is computed in float32, a resize in the type of its input."""
    x, grid = cases.image(2, dtype), cases.points(2)
    with torch.autocast("cpu", torch.bfloat16):
        for call in (
            lambda m: m.interpolate(x, 3, mode="bilinear"),
            lambda m: m.grid_sample(x, grid, align_corners=False),
        ):
            assert outcome(call, regrad.torch)[:2] == outcome(call, F)[:2]
        if dtype is not torch.float64:
            ours = torch.ops.regrad.grid_sample(x, grid, "bilinear", "zeros", False)
            assert ours.dtype is torch.float32
            assert cases.bits([ours]) == cases.bits([regrad.torch.grid_sample(x, grid, align_corners=False)])
