# SPDX-License-Identifier: Apache-2.0
"""Calls of operators by JAX and by the package, and the problems of tests/python that go with them."""

import os

import jax
import numpy as np
import problems
import regrad.jax

SEED = int(os.environ.get("REGRAD_TEST_SEED", "1"))
N_IN, N_OUT = (3, 7, 4), (5, 4, 6)


def resizes(name):
    """A resize and its gradient in each mode, with scales and without."""
    n, modes = problems.KINDS[name]
    for operator in (name, f"{name}_backward"):
        for k, mode in enumerate(modes):
            scales = (0.5, 1.75, 2.0)[3 - n :] if k else None
            yield problems.Resize(operator, mode, (2, 3), N_IN[:n], N_OUT[:n], scales)


def grid_sample(n, mode="bilinear", padding="zeros", align_corners=False):
    """A grid sample in n dimensions."""
    return problems.GridSample(mode, padding, align_corners, (2, 3), N_IN[:n], N_OUT[:n])


RESIZES = tuple(problems.KINDS)
SAMPLES = [(n, mode) for n in (2, 3) for mode in problems.MODES[: 5 - n]]


def resize(problem):
    """The function of one array that JAX has for a resize."""
    sizes, options = problem.arguments()
    return lambda x: getattr(regrad.jax, problem.operator)(x, *sizes, **options)


def sampler(problem):
    """The function of image and grid that JAX has for a grid sample."""
    return lambda x, grid: regrad.jax.grid_sample(x, grid, **problem.options)


def sampler_backward(problem, **more):
    """The function for both gradients of a grid sample."""
    function = getattr(regrad.jax, f"grid_sampler_{len(problem.n_in)}d_backward")
    return lambda g, x, grid: function(g, x, grid, **problem.options, **more)


def same(results, wanted):
    """Have two trees of arrays the same bits?"""
    results, wanted = jax.tree.leaves(results), jax.tree.leaves(wanted)
    assert len(results) == len(wanted)
    for result, array in zip(results, wanted):
        assert result.shape == array.shape and result.dtype == array.dtype
        assert problems.bits(np.asarray(result)) == problems.bits(np.asarray(array))
    return True
