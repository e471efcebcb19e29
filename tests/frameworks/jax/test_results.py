# SPDX-License-Identifier: Apache-2.0
"""Results beside the reference, the package's functions, and JAX's own resize."""

import cases
import jax
import jax.numpy as jnp
import numpy as np
import problems
import pytest
import regrad
import regrad.jax

FLOATS = problems.FLOATS


@pytest.mark.parametrize("problem", cases.RESIZES, ids=cases.name_of)
def test_a_resize_is_the_reference(problem):
    """All types in one program, so that the test compiles once."""
    sources = [problems.random_array(cases.SEED + k, problem.source, dtype) for k, dtype in enumerate(FLOATS)]
    results = jax.jit(lambda arrays: [cases.resize(problem)(a) for a in arrays])(sources)
    for source, result in zip(sources, results):
        assert result.shape == problem.result and result.dtype == source.dtype
        problem.expect(source).check(np.asarray(result), source.dtype)
        assert cases.same(result, problem.call(source))


@pytest.mark.parametrize("problem", cases.GRIDS, ids=cases.name_of)
def test_a_grid_sample_is_the_reference(problem):
    given = [problem.arrays(cases.SEED, dtype) for dtype in FLOATS]

    def both(g, x, grid):
        return cases.sampler(problem)(x, grid), *cases.sampler_backward(problem)(g, x, grid)

    for arrays, results in zip(given, jax.jit(lambda all: [both(*arrays) for arrays in all])(given)):
        for n, sums in enumerate(problem.expect(*arrays)):
            for expected, result in zip(sums, results):
                expected.check(np.asarray(result[n]), arrays[0].dtype)


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


@pytest.mark.parametrize("sizes", [((9, 12), (14, 25)), ((20, 15), (7, 11)), ((8, 21), (16, 6))])
@pytest.mark.parametrize("name", FILTERS)
def test_resizes_are_those_of_jax(name, sizes):
    """JAX has these four with the same law. Both compute in float64: weights and sums are off by some roundings of 1."""
    method, antialias = FILTERS[name]
    (small, large), batch = sizes, (2, 3)
    x = problems.random_array(cases.SEED, (*batch, *small), np.dtype("f8"))
    g = problems.random_array(cases.SEED + 1, (*batch, *large), np.dtype("f8"))
    theirs, their_vjp = jax.vjp(lambda x: jax.image.resize(x, (*batch, *large), method, antialias=antialias), x)
    ours, our_vjp = jax.vjp(lambda x: getattr(regrad.jax, name)(x, large), x)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-13)
    np.testing.assert_allclose(our_vjp(g)[0], their_vjp(g)[0], rtol=0, atol=1e-13)


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
    problem = cases.GRIDS[0]._replace(n_in=(60, 70), n_out=(90, 80), batch=(2, 17))
    arrays = problem.arrays(cases.SEED, np.dtype("f4"))
    found = []
    for n in (1, 2, 3, 3):
        regrad.set_num_threads(n)
        found.append(jax.jit(cases.sampler_backward(problem))(*arrays))
    regrad.set_num_threads(0)
    assert all(cases.same(f, found[0]) for f in found[1:])
    assert np.isfinite(np.asarray(found[0][0])).all() and jnp.abs(found[0][0]).max() > 0
