#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""deterministic.py - the same bits whatever the threads, the layout and the batch; errors of types; a heat map.

    python deterministic.py

It prints what it compares, writes input_grad.png into the working directory if matplotlib is installed, and ends with
status 1 if bits differ or an error is larger than docs/numerics.md allows. bfloat16 needs ml_dtypes.
"""

import sys

import numpy as np
import regrad

random = np.random.default_rng(1)


def swirl(h, w):
    """A grid that turns about its middle and draws points there, the more the nearer: (1, h, w, 2)."""
    y, x = np.meshgrid(np.linspace(-1, 1, h), np.linspace(-1, 1, w), indexing="ij")
    nearness = np.exp(-3 * (x**2 + 2 * y**2))
    points = (x + 1j * y) * np.exp(3j * nearness) * (1 - 0.4 * nearness)
    return np.stack([points.real, points.imag], axis=-1)[None].astype(np.float32)


def gradients(grad_output, image, grid):
    """All gradients of a resize and of a grid sample."""
    resized = regrad.upsample_bilinear2d_backward(grad_output, (50, 70))
    return resized, *regrad.grid_sampler_2d_backward(grad_output, image, grid)


def channels_last(array):
    """The same array with the channels of a pixel side by side in memory."""
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


def are_same(ones, others):
    """Are all bits the same?"""
    return all(one.tobytes() == other.tobytes() for one, other in zip(ones, others))


def check_bits():
    """Computes the same gradients in several ways. Returns whether they are the same."""
    grad_output, image = (random.standard_normal((4, 16, 128, 160), np.float32) for _ in range(2))
    grid = swirl(128, 160).repeat(4, axis=0)
    expected = gradients(grad_output, image, grid)
    ways = {}
    for n in (1, 2, 3):
        regrad.set_num_threads(n)
        ways[f"threads: {n}"] = gradients(grad_output, image, grid)
    regrad.set_num_threads(0)
    ways["channels last"] = gradients(channels_last(grad_output), channels_last(image), grid)
    samples = [gradients(*(array[n : n + 1] for array in (grad_output, image, grid))) for n in range(4)]
    ways["sample by sample"] = tuple(np.concatenate(parts) for parts in zip(*samples))
    for name, found in ways.items():
        print(f"{name:18} {'the same bits' if are_same(expected, found) else 'OTHER BITS'}")
    return all(are_same(expected, found) for found in ways.values())


def types():
    """Types with the error of one rounding."""
    found = [(np.dtype(np.float16), 2.0**-11), (np.dtype(np.float32), 2.0**-24)]
    try:
        import ml_dtypes

        found.insert(1, (np.dtype(ml_dtypes.bfloat16), 2.0**-8))
    except ImportError:
        print("bfloat16 is left out: pip install ml_dtypes")
    return found


def check_errors():
    """Gradients of doubling beside those of float64, on the same numbers. Returns whether the errors are small.

    All numbers are positive, and the weights of doubling exact, so the bound of docs/numerics.md is relative: one
    rounding to the type, and at most 16 terms in float32.
    """
    print("\ntype      largest relative error   bound")
    numbers, good = random.uniform(0.5, 1, (1, 8, 256, 256)), True
    for dtype, rounding in types():
        given = numbers.astype(dtype)
        exact = regrad.upsample_bilinear2d_backward(given.astype(np.float64), (128, 128))
        found = regrad.upsample_bilinear2d_backward(given, (128, 128)).astype(np.float64)
        error, bound = (abs(found - exact) / exact).max(), rounding + (16 + 4) * 2.0**-24
        print(f"{dtype.name:8} {error:13.2g} {bound:18.2g}")
        good = good and error <= bound
    return good


def draw(path):
    """How often each pixel of an image is read by a swirl: the gradient of the sum of all samples."""
    try:
        from matplotlib.image import imsave
    except ImportError:
        print("\nThe heat map is left out: pip install matplotlib")
        return
    ones, image = np.ones((1, 1, 1024, 1024), np.float32), np.ones((1, 1, 256, 256), np.float32)
    input_grad, _ = regrad.grid_sampler_2d_backward(ones, image, swirl(1024, 1024), output_mask=(True, False))
    imsave(path, input_grad[0, 0], cmap="inferno")
    print(f"\nwrote {path}")


def main():
    """All of it."""
    good = [check_bits(), check_errors()]
    draw("input_grad.png")
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
