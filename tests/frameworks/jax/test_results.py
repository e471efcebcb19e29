# SPDX-License-Identifier: Apache-2.0
"""Results beside the reference, the package's functions, and JAX's own resize."""

import cases
import jax
import numpy as np
import problems
import pytest
import regrad
import regrad.jax

FLOATS = problems.FLOATS


@pytest.mark.parametrize("name", cases.RESIZES)
def test_a_resize_is_the_reference(name):
    """All modes and types in one program, so that the test compiles once."""
    calls = [(problem, dtype) for problem in cases.resizes(name) for dtype in FLOATS]
    sources = [problems.random_array(cases.SEED, problem.source, dtype) for problem, dtype in calls]
    functions = [cases.resize(problem) for problem, _ in calls]
    results = jax.device_get(jax.jit(lambda sources: [f(x) for f, x in zip(functions, sources)])(sources))
    for (problem, dtype), source, result in zip(calls, sources, results):
        assert result.shape == problem.result and result.dtype == dtype
        problem.expect(source).check(result, dtype)
        assert cases.same(result, problem.call(source))


@pytest.mark.parametrize("n, mode", cases.SAMPLES)
def test_a_grid_sample_is_the_reference(n, mode):
    samples = [cases.grid_sample(n, mode, padding, padding == "border") for padding in problems.PADDINGS]
    calls = [(problem, problem.arrays(cases.SEED, dtype)) for problem in samples for dtype in FLOATS]

    def all_of(given):
        for (problem, _), (g, x, grid) in zip(calls, given):
            yield cases.sampler(problem)(x, grid), *cases.sampler_backward(problem)(g, x, grid)

    found = jax.device_get(jax.jit(lambda given: list(all_of(given)))([arrays for _, arrays in calls]))
    for (problem, arrays), results in zip(calls, found):
        assert cases.same(results, (problem.call(*arrays[1:]), *problem.backward(*arrays)))
        for k, sums in enumerate(problem.expect(*arrays)):
            for expected, result in zip(sums, results):
                expected.check(result[k], arrays[0].dtype)


def test_bytes_are_moved():
    x = problems.random_array(cases.SEED, (2, 3, 4, 5), np.dtype("u1"))
    result = regrad.jax.upsample_nearest_exact2d(x, (9, 7))
    rows, columns = ((np.arange(n) + 0.5) * m / n for n, m in ((9, 4), (7, 5)))
    assert cases.same(result, x[:, :, rows.astype(int)][..., columns.astype(int)])


FILTERS = {
    "upsample_bilinear2d": ("linear", False),
    "upsample_bilinear2d_aa": ("linear", True),
    "upsample_lanczos2d_aa": ("lanczos3", True),
    "upsample_bicubic2d_aa": ("cubic", True),
}


@pytest.mark.parametrize("name", FILTERS)
def test_resizes_are_those_of_jax(name):
    """JAX has these four with the same law. In float64 both are off by some roundings of 1."""
    n_in, n_out = (20, 12), (14, 25)
    method, antialias = FILTERS[name]
    x = problems.random_array(cases.SEED, (2, 3, *n_in), np.dtype("f8"))
    g = problems.random_array(cases.SEED + 1, (2, 3, *n_out), np.dtype("f8"))

    @jax.jit
    def both(x, g):
        theirs = jax.vjp(lambda x: jax.image.resize(x, g.shape, method, antialias=antialias), x)
        ours = jax.vjp(lambda x: getattr(regrad.jax, name)(x, n_out), x)
        return [(value, vjp(g)[0]) for value, vjp in (ours, theirs)]

    for result, wanted in zip(*both(x, g)):
        np.testing.assert_allclose(result, wanted, rtol=0, atol=1e-13)


def test_types_follow_jax():
    """NumPy's float64 becomes float32 where JAX has no float64, as everywhere in JAX."""
    x = np.ones((1, 1, 4))
    assert regrad.jax.upsample_linear1d(x, (8,)).dtype == np.float64
    with jax.enable_x64(False):
        assert regrad.jax.upsample_linear1d(x, (8,)).dtype == np.float32


def test_sizes_and_scales():
    x = problems.random_array(cases.SEED, (2, 3, 6, 8), np.dtype("f4"))
    resize = regrad.jax.upsample_bilinear2d
    wanted = regrad.upsample_bilinear2d(x, scales=(2, 0.5))
    for scales in ((2, 0.5), [2, 0.5], np.array([2, 0.5]), iter([2, 0.5])):
        assert cases.same(resize(x, scales=scales), wanted)
    assert cases.same(resize(x, (2, 3, 12, 4)), resize(x, [12, 4]))
    assert resize(x[:0], (12, 4)).shape == (0, 3, 12, 4)


def test_layouts_are_of_jax():
    """XLA may keep an array in any order; the operator gets it row by row."""
    x = problems.random_array(cases.SEED, (2, 6, 8, 3), np.dtype("f4"))
    program = jax.jit(lambda x: regrad.jax.upsample_bilinear2d(x.transpose(0, 3, 1, 2) * 2, (5, 9)))
    assert cases.same(program(x), regrad.upsample_bilinear2d(x.transpose(0, 3, 1, 2) * 2, (5, 9)))


def test_threads_change_no_bit():
    problem = cases.grid_sample(2)._replace(n_in=(60, 70), n_out=(90, 80), batch=(2, 17))
    arrays = problem.arrays(cases.SEED, np.dtype("f4"))
    found = []
    for n in (1, 2, 3, 3):
        regrad.set_num_threads(n)
        found.append(jax.jit(cases.sampler_backward(problem))(*arrays))
    regrad.set_num_threads(0)
    assert all(cases.same(f, found[0]) for f in found[1:])
    assert np.isfinite(np.asarray(found[0][0])).all() and np.abs(found[0][0]).max() > 0
