# SPDX-License-Identifier: Apache-2.0
"""Derivatives, batches and control flow."""

import cases
import jax
import jax.numpy as jnp
import numpy as np
import problems
import pytest
import regrad.jax
from jax.test_util import check_grads

F4, F8 = np.dtype("f4"), np.dtype("f8")


def smooth_arrays(problem):
    """grad_output, input and grid in float64, of a grid whose points are off the lines where a sample has a kink."""
    g, x, _ = problem.arrays(cases.SEED, F8)
    generator = np.random.default_rng(cases.SEED)
    shape = (problem.batch[0], *problem.n_out, len(problem.n_in))
    pixel = generator.integers(0, 2, shape) + generator.uniform(0.1, 0.9, shape)  # within the first pixels
    return g, x, (2 * pixel + 1) / problem.n_in[::-1] - 1


# ---- Derivatives ----


@pytest.mark.parametrize("name", ["upsample_nearest1d", "upsample_lanczos2d_aa"])
def test_resizes_have_all_derivatives(name):
    """Forward and reverse, twice, through a function that is not linear."""
    problem = next(cases.resizes(name))
    function = cases.resize(problem)
    check_grads(jax.jit(lambda x: jnp.sin(function(x))), (problems.random_array(cases.SEED, problem.source, F8),), 2)


@pytest.mark.parametrize("n, mode", [(2, "bicubic"), (3, "bilinear")])
def test_grid_samples_have_gradients(n, mode):
    problem = cases.grid_sample(n, mode)
    g, x, grid = smooth_arrays(problem)
    sample = jax.jit(lambda x, grid: jnp.sin(cases.sampler(problem)(x, grid)))
    check_grads(sample, (x, grid), 1, ("rev",))
    check_grads(lambda x: sample(x, grid), (x,), 2, ("rev",))
    backward = cases.sampler_backward(problem, output_mask=(True, False))
    check_grads(lambda g, x: backward(g, x, grid)[0], (g, x), 1, ("rev",))


def test_gradients_are_those_of_the_package():
    """The gradient of the sum of g times the result is the package's function of g, to the bit."""
    for problem in (*cases.resizes("upsample_bicubic2d"), *cases.resizes("upsample_nearest1d")):
        if not problem.operator.endswith("_backward"):
            x, g = (problems.random_array(cases.SEED, shape, F4) for shape in (problem.source, problem.result))
            _, vjp = jax.vjp(cases.resize(problem), x)
            assert cases.same(vjp(g)[0], problem._replace(operator=f"{problem.operator}_backward").call(g))
    problem = cases.grid_sample(2)
    g, x, grid = problem.arrays(cases.SEED, F4)
    assert cases.same(jax.vjp(cases.sampler(problem), x, grid)[1](g), problem.backward(g, x, grid))


def wanted_gradients(function, *arguments):
    """The masks of the gradients that a program computes."""
    return [
        dict(equation.params["operation"].options)["output_mask"]
        for equation in equations(jax.make_jaxpr(function)(*arguments).jaxpr)
        if equation.primitive.name == "regrad" and equation.params["operation"].name.endswith("_backward")
    ]


def equations(jaxpr):
    """All equations of a program, of its inner ones too."""
    for equation in jaxpr.eqns:
        yield equation
        for value in equation.params.values():
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                yield from equations(inner)


def test_only_wanted_gradients_are_computed():
    problem = cases.grid_sample(2)
    _, x, grid = problem.arrays(cases.SEED, F4)
    loss = jax.jit(lambda x, grid: cases.sampler(problem)(x, grid).sum())
    assert wanted_gradients(jax.grad(loss, 0), x, grid) == [(True, False)]
    assert wanted_gradients(jax.grad(loss, 1), x, grid) == [(False, True)]
    assert wanted_gradients(jax.grad(loss, (0, 1)), x, grid) == [(True, True)]
    assert wanted_gradients(jax.grad(lambda x: loss(x, grid) + 0 * x.sum()), x) == [(True, False)]
    g = np.ones((*problem.batch, *problem.n_out), F4)
    assert cases.sampler_backward(problem, output_mask=(False, False))(g, x, grid) == (None, None)
    assert cases.sampler_backward(problem, output_mask=[False, True])(g, x, grid)[0] is None


def test_hessian_and_transpose_of_a_resize():
    """A resize is the matrix of the reference, so the Hessian of the sum of squares is twice its square."""
    problem = next(cases.resizes("upsample_bicubic2d"))._replace(batch=(1, 1))
    x, function = problems.random_array(cases.SEED, problem.source, F8), cases.resize(problem)
    matrix = problem.matrix(F8).weight.astype(float)
    flat = jax.jit(lambda x: (function(x.reshape(problem.source)) ** 2).sum())
    np.testing.assert_allclose(jax.hessian(flat)(x.ravel()), 2 * matrix.T @ matrix, rtol=0, atol=1e-14)
    g = problems.random_array(cases.SEED, problem.result, F8)
    (result,) = jax.linear_transpose(function, x)(g)
    np.testing.assert_allclose(result.ravel(), matrix.T @ g.ravel(), rtol=0, atol=1e-14)


def test_derivatives_that_are_not_there():
    problem = cases.grid_sample(2)
    _, x, grid = smooth_arrays(problem)

    def loss(x, grid):
        return (cases.sampler(problem)(x, grid) ** 2).sum()

    def of_gradient(index):
        return lambda x, grid: (jax.grad(loss, index)(x, grid) ** 2).sum()

    grids = "^grid_sampler_2d_backward: grid_grad has no derivative; wanted jax.lax.stop_gradient"
    for index in (0, 1):
        with pytest.raises(NotImplementedError, match=grids):
            jax.jit(jax.grad(of_gradient(1), index))(x, grid)
    with pytest.raises(NotImplementedError, match="input_grad has no derivative with respect to grid; wanted jax"):
        jax.grad(of_gradient(0), 1)(x, grid)
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jvp(lambda x: loss(x, grid), (x,), (x,))
    jax.grad(lambda x: of_gradient(1)(x, jax.lax.stop_gradient(grid)) * 0 + loss(x, grid))  # made, not called
    both = jax.grad(lambda x: (jax.grad(loss, (0, 1))(x, grid)[0] ** 2).sum())(x)
    assert cases.same(both, jax.grad(of_gradient(0))(x, grid))


# ---- Batches ----


@pytest.mark.parametrize("name", cases.RESIZES)
def test_a_batch_of_resizes_is_separate_calls(name):
    """A batch of batches, of which one is the last axis; all modes in one program."""
    calls = list(cases.resizes(name))
    functions = [jax.vmap(jax.vmap(cases.resize(problem)), in_axes=-1, out_axes=1) for problem in calls]
    sources = [problems.random_array(cases.SEED, (2, *problem.source, 4), F4) for problem in calls]
    results = jax.jit(lambda sources: [f(x) for f, x in zip(functions, sources)])(sources)
    for problem, x, result in zip(calls, sources, results):
        wanted = np.stack([np.stack([problem.call(x[i, ..., k]) for k in range(4)]) for i in range(2)])
        assert cases.same(result, wanted)


@pytest.mark.parametrize("n_batch", [1, 2])
@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)])
def test_a_batch_of_samples_is_separate_calls(axes, n_batch):
    """Both the sample and its gradients, also where all of the batch share the image or the grid."""
    problem = cases.grid_sample(2)._replace(batch=(n_batch, 3))
    given = [problem.arrays(cases.SEED + k, F4) for k in range(3)]
    g, x, grid = (np.stack(arrays) for arrays in zip(*given))
    x, grid = (a if axis == 0 else a[0] for a, axis in zip((x, grid), axes))
    pairs = [(x[k] if axes[0] == 0 else x, grid[k] if axes[1] == 0 else grid) for k in range(3)]
    wanted = np.stack([problem.call(*pair) for pair in pairs])
    assert cases.same(jax.vmap(cases.sampler(problem), axes)(x, grid), wanted)
    gradients = [problem.backward(one, *pair) for one, pair in zip(g, pairs)]
    wanted = [np.stack(results) for results in zip(*gradients)]
    assert cases.same(jax.jit(jax.vmap(cases.sampler_backward(problem), (0, *axes)))(g, x, grid), wanted)
    vjp = jax.vmap(lambda g, x, grid: jax.vjp(cases.sampler(problem), x, grid)[1](g), (0, *axes))
    assert cases.same(vjp(g, x, grid), wanted)


def test_gradients_of_what_a_batch_shares_are_summed():
    problem = cases.grid_sample(2)
    g, x, grid = problem.arrays(cases.SEED, F8)
    images = np.stack([x, 2 * x, 3 * x])
    found = jax.grad(lambda grid: (g * jax.vmap(cases.sampler(problem), (0, None))(images, grid)).sum())(grid)
    wanted = sum(problem.backward(g, image, grid)[1] for image in images)
    np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-12)


# ---- Control flow ----


def test_loops_and_recomputation():
    """Three times up and down in `scan`, with and without keeping what is between."""
    x = problems.random_array(cases.SEED, (1, 2, 4, 5), F8)

    def step(x, _):
        return jnp.sin(regrad.jax.upsample_bilinear2d(regrad.jax.upsample_bicubic2d(x, (7, 9)), (4, 5))), None

    def unrolled(x):
        return step(step(step(x, None)[0], None)[0], None)[0].sum()

    wanted = jax.jit(jax.grad(unrolled))(x)
    for body in (step, jax.checkpoint(step)):
        found = jax.jit(jax.grad(lambda x, body=body: jax.lax.scan(body, x, None, length=3)[0].sum()))(x)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13)


def test_a_transformer_learns():
    """An affine map is found by the gradient of the grid, twice with the same bits."""
    x = jnp.asarray(problems.random_array(cases.SEED, (1, 1, 4, 4), F4))
    image = regrad.jax.upsample_bicubic2d(x, (24, 24))
    y, x = jnp.meshgrid(jnp.linspace(-0.8, 0.8, 20), jnp.linspace(-0.8, 0.8, 20), indexing="ij")
    points = jnp.stack([x, y, jnp.ones_like(x)], -1).astype(F4)

    def warp(theta):
        return regrad.jax.grid_sample(image, (points @ theta.T)[None].astype(F4), padding_mode="border")

    target = warp(jnp.array([[1.02, 0.03, 0.02], [-0.03, 0.98, -0.02]], F4))
    loss = jax.jit(jax.value_and_grad(lambda theta: ((warp(theta) - target) ** 2).mean()))

    def train():
        theta, losses = jnp.array([[1, 0, 0], [0, 1, 0]], F4), []
        for _ in range(60):
            value, gradient = loss(theta)
            theta, losses = theta - 0.02 * gradient, [*losses, float(value)]
        return losses

    losses = train()
    assert losses[-1] < 0.1 * losses[0]
    assert train() == losses
