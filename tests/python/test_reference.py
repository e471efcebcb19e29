# SPDX-License-Identifier: Apache-2.0
"""All operators against the reference, and each gradient as the transpose of its forward."""

import json
import pathlib

import numpy as np
import problems
import pytest
import reference
import regrad
from hypothesis import given
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**32 - 1)
FLOATS = st.sampled_from(problems.FLOATS)


def check_resize(problem, dtype, seed, layout):
    source = problems.random_array(seed, problem.source, dtype)
    result = problem.call(problems.lay_out(source, layout))
    assert result.shape == problem.result and result.dtype == dtype
    problem.expect(source).check(result, dtype)


@given(problems.resizes(), FLOATS, SEEDS, problems.layouts(5))
def test_resize_is_the_reference(problem, dtype, seed, layout):
    check_resize(problem, dtype, seed, layout)


@pytest.mark.parametrize("operator", problems.RESIZES)
def test_each_resize_is_the_reference(operator):
    """Operators are so many that some are drawn seldom."""
    n_axes, modes = problems.RESIZES[operator]
    layout = problems.Layout(tuple(range(5)), (1,) * 5, 0)
    for mode in modes:
        for n_in, n_out in (((3, 7, 4), (5, 4, 6)), ((6, 5, 8), (4, 9, 3)), ((1, 2, 5), (6, 1, 5))):
            for scales in (None, (0.5, 1.75, 2.0)[3 - n_axes :]):
                problem = problems.Resize(operator, mode, (2, 3), n_in[:n_axes], n_out[:n_axes], scales)
                for seed, dtype in enumerate(problems.FLOATS):
                    check_resize(problem, dtype, seed, layout)


NEAREST_FORWARDS = tuple(name for name in problems.KINDS if "nearest" in name)


@given(problems.resizes(NEAREST_FORWARDS), st.sampled_from([np.dtype("u1"), *problems.FLOATS]), SEEDS)
def test_nearest_forwards_move_elements(problem, dtype, seed):
    source = problems.random_array(seed, problem.source, dtype)
    output, owner = np.nonzero(problem.matrix(dtype).weight)
    planes = source.reshape(*problem.batch, -1)
    wanted = np.zeros((*problem.batch, int(np.prod(problem.n_out))), dtype)
    wanted[..., output] = planes[..., owner]
    assert problems.bits(problem.call(source)) == problems.bits(wanted)


@pytest.mark.parametrize("operator", NEAREST_FORWARDS)
def test_nearest_forwards_keep_every_bit(operator):
    n_axes, _ = problems.RESIZES[operator]
    source = np.array([0x80000000, 0xFFC00123, 0x7F800001, 1], "u4").reshape((1, 1) + (1,) * (n_axes - 1) + (4,))
    problem = problems.Resize(operator, "forward", (1, 1), (1,) * (n_axes - 1) + (4,), (1,) * (n_axes - 1) + (8,), None)
    assert problem.call(source.view("f4")).view("u4").ravel().tolist() == np.repeat(source.ravel(), 2).tolist()


KEPT = [name for name in problems.KINDS if "nearest" not in name]


@pytest.mark.parametrize("scales", [None, 2.0])
@pytest.mark.parametrize("operator", KEPT + [f"{name}_backward" for name in KEPT])
def test_an_axis_that_keeps_its_length_is_copied(operator, scales):
    """NaN stays in its row or column. A bicubic axis with a scale is resampled: see docs/operators.md."""
    n_axes, modes = problems.RESIZES[operator]
    n_in, n_out = (5,) * n_axes, (5,) * (n_axes - 1) + (9,)
    for mode in modes:
        problem = problems.Resize(operator, mode, (1, 2), n_in, n_out, scales and (scales,) * n_axes)
        is_copied = "cubic2d" not in operator or operator.find("_aa") > 0 or scales is None or mode == "align_corners"
        if n_axes > 1 and is_copied:
            source = problems.random_array(1, problem.source, np.dtype("f4"))
            source[:, :, 2] = np.nan
            has_nan = np.isnan(problem.call(source))
            assert has_nan[:, :, 2].all() and has_nan.sum() == has_nan[:, :, 2].size
        same = problem._replace(n_out=n_in)
        source = problems.random_array(2, same.source, np.dtype("f4"))
        assert (problems.bits(same.call(source)) == problems.bits(source)) == is_copied


@given(problems.grid_samples(), FLOATS, SEEDS, st.tuples(*[problems.layouts(5)] * 3))
def test_grid_sample_is_the_reference(problem, dtype, seed, layouts):
    gradient, image, grid = given_arrays = problem.arrays(seed, dtype)
    g, x, points = (problems.lay_out(a, layout) for a, layout in zip(given_arrays, layouts))
    output = problem.call(x, points)
    input_grad, grid_grad = problem.backward(g, x, points)
    assert (output.shape, input_grad.shape, grid_grad.shape) == (gradient.shape, image.shape, grid.shape)
    for n, sums in enumerate(problem.expect(gradient, image, grid)):
        for expected, result in zip(sums, (output, input_grad, grid_grad)):
            expected.check(result[n], dtype)


def check_adjoint(x, forward, g, gradient, n_terms, magnitude):
    """<forward(x), g> is <x, gradient(g)>.

    M, the sum of |g| |weight| |x|, bounds both products. Each side errs by (n + 4) u M for the results, where n is the
    most terms that one has, and by 2 sqrt(N) u M at most for the product of N elements, which NumPy sums by halves.
    """
    left, right = np.vdot(forward, g), np.vdot(x, gradient)
    bound = 2 * (n_terms + 4 + 2 * np.sqrt(max(x.size, g.size))) * 2.0**-53 * magnitude
    assert abs(left - right) <= bound, (left, right, bound)


@given(problems.resizes(tuple(problems.FORWARDS)), SEEDS)
def test_resize_gradients_are_transposes(problem, seed):
    g = problems.random_array(seed, problem.source, np.dtype("f8"))
    x = problems.random_array(seed + 1, problem.result, np.dtype("f8"))
    forward = problem._replace(operator=problems.FORWARDS[problem.operator])
    found = forward.expect(np.abs(x))
    magnitude = np.vdot(found.magnitude, np.abs(g))
    n_terms = max(found.n_terms.max(), problem.expect(g).n_terms.max())
    check_adjoint(x, forward.call(x), g, problem.call(g), n_terms, magnitude)


@given(problems.grid_samples(), SEEDS)
def test_grid_sample_gradients_are_transposes(problem, seed):
    g, x, grid = problem.arrays(seed, np.dtype("f8"))
    forward = problem.call(x, grid)
    gradient, _ = problem.backward(g, x, grid)
    n_terms, magnitude = 0, 0
    for (output, input_grad, _), sample in zip(problem.expect(g, x, grid), np.abs(g)):
        magnitude += np.vdot(output.magnitude, sample)
        n_terms = max(n_terms, output.n_terms.max(), input_grad.n_terms.max())
    # The weights of both are the same ones, so what bicubic weights are off by counts for neither.
    check_adjoint(x, forward, g, gradient, n_terms, magnitude)


# ---- Worked values of docs/operators.md ----


def ones(*shape):
    return np.ones(shape, "f4")


@pytest.mark.parametrize(
    "result, wanted",
    [
        (lambda: regrad.upsample_nearest_exact1d_backward(ones(1, 1, 6), (4,)), [1, 2, 1, 2]),
        (
            lambda: regrad.upsample_nearest_exact1d_backward(
                np.arange(1, 9, dtype="f4").reshape(1, 1, 8), (3,), scales=2
            ),
            [3, 7, 26],
        ),
        (
            lambda: regrad.upsample_nearest_exact1d_backward(
                np.arange(1, 9, dtype="f4").reshape(1, 1, 8), (3,), scales=2, law="gather"
            ),
            [3, 7, 11],
        ),
        (lambda: regrad.upsample_bilinear2d_backward(ones(1, 1, 1, 1), (2, 2)), [0.25] * 4),
        (lambda: regrad.upsample_bilinear2d_backward(ones(1, 1, 1, 1), (2, 2), align_corners=True), [1, 0, 0, 0]),
        (lambda: regrad.upsample_bilinear2d_backward(ones(1, 1, 1, 10), (1, 2), align_corners=True), [5, 5]),
        (lambda: regrad.upsample_bilinear2d_backward(ones(1, 1, 1, 4), (1, 16)), [0, 0.5, 0.5, 0] * 4),
        (lambda: regrad.resize_bilinear_v2_grad(ones(1, 1, 1, 4), (1, 1, 1, 16), half_pixel_centers=True),
         [0, 0.5, 0.5, 0] * 4),
    ],
)  # fmt: skip
def test_worked_values(result, wanted):
    assert result().ravel().tolist() == wanted


@pytest.mark.parametrize("function", [
    lambda g: regrad.upsample_nearest_exact2d_backward(g, (8, 4), scales=(2, 2)),
    lambda g: regrad.upsample_nearest_exact2d_grad(g, (4, 2), (8, 4), scales=2),
])  # fmt: skip
def test_worked_nearest_in_two_dimensions(function):
    wanted = np.zeros((8, 4))
    wanted[0, 0], wanted[1, 0] = 0 + 1 + 2 + 3, 4 + 5 + 6 + 7
    assert function(np.arange(8, dtype="f4").reshape(1, 1, 4, 2))[0, 0].tolist() == wanted.tolist()


def test_worked_grid_gradient():
    image = np.array([0, 1, 3], "f4").reshape(1, 1, 1, 3)
    grid = np.array([0.66650390625, 0], "f4").reshape(1, 1, 1, 2)
    input_grad, grid_grad = regrad.grid_sampler_2d_backward(np.ones((1, 1, 1, 1), "f4"), image, grid)
    assert input_grad.ravel().tolist() == [0, 0.000244140625, 0.999755859375]
    assert grid_grad[0, 0, 0, 0] == 3


def test_the_reference_knows_the_laws_apart():
    """26 to 11 has outputs with other owners under the other law, as docs/operators.md says."""
    forward = reference.nearest_axis(26, 11, 0, "forward", 0.5)
    by_gather = reference.nearest_axis(26, 11, 0, "gather", 0.5)
    assert not np.array_equal(forward.weight, by_gather.weight)


# ---- Cases of tests/data ----

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
CASES = [case for name in ("cases", "family") for case in json.loads((DATA / f"{name}.json").read_text())]


def check_values(result, values, sums, dtype):
    """A result, and the reference, are the values that were written down, with NaN where these have it."""
    values = np.array([float(v) for v in values], reference.EXACT)
    result = result.astype(reference.EXACT).ravel()
    assert np.isnan(result).tolist() == np.isnan(values).tolist()
    with np.errstate(invalid="ignore"):
        same = (result == values) | np.isnan(values)
    apart = np.abs(np.where(same, 0, result) - np.where(same, 0, values))
    bound = np.where(same, 0, sums.bound(dtype).ravel() + sums.bound("f8" if dtype == "f8" else "f4").ravel())
    assert (apart <= bound).all(), (result, values)


def numbers(case, name, shape):
    return np.array([float(v) for v in case[name]]).astype(case["dtype"]).reshape(shape)


def check_resize_case(case):
    n_in, n_out = tuple(case["input_size"][2:]), tuple(case["output_size"])
    mode = case.get("law") or ("align_corners" if case.get("align_corners") else "half_pixel")
    if mode == "half_pixel" and not case.get("half_pixel_centers", True):
        mode = "asymmetric"
    scales = tuple(s or None for s in case["scales"])
    problem = problems.Resize(case["op"], mode, tuple(case["input_size"][:2]), n_in, n_out, scales)
    given_name, name = ("grad_output", "grad_input") if problems.is_gradient(case["op"]) else ("input", "output")
    source = numbers(case, given_name, problem.source)
    with np.errstate(invalid="ignore"):
        sums = problem.expect(source)
    check_values(problem.call(source), case[name], sums, case["dtype"])


def check_grid_case(case):
    shape, points = tuple(case["input_size"]), tuple(case["grid_size"])
    mode, padding = problems.MODES[case["interpolation_mode"]], problems.PADDINGS[case["padding_mode"]]
    problem = problems.GridSample(mode, padding, case["align_corners"], shape[:2], shape[2:], points[1:-1])
    image, grid = numbers(case, "input", shape), numbers(case, "grid", points)
    out_shape = (*shape[:2], *points[1:-1])
    gradient = numbers(case, "grad_output", out_shape) if "grad_output" in case else np.ones(out_shape, case["dtype"])
    with np.errstate(invalid="ignore"):
        samples = list(problem.expect(gradient, image, grid))
    if "output" in case:
        found = {"output": problem.call(image, grid)}
        kinds = (0,)
    else:
        mask = case.get("output_mask", (True, True))
        found = dict(zip(("input_grad", "grid_grad"), problem.backward(gradient, image, grid, output_mask=mask)))
        kinds = (1, 2)
    for kind, (name, result) in zip(kinds, found.items()):
        if case[name] is None:
            assert result is None
            continue
        values = np.reshape(case[name], (len(samples), -1))
        for sums, one, wanted in zip(samples, result, values):
            check_values(one, wanted.tolist(), sums[kind], case["dtype"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_cases(case):
    if "grid_size" in case:
        check_grid_case(case)
    else:
        check_resize_case(case)
