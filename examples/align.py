#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""align.py - finds how a photograph was warped, by gradient descent through grid sampling: align.c in Python.

    python align.py [SEED]

A random affine map, chosen by SEED, warps the photograph and is put aside. The program looks for the map that brings
the warped picture back, from pictures of 1/16 of the size up to the full size. It writes align.png into the working
directory: the photograph, the warped one, the result, and four times the difference. It ends with status 1 if a corner
is a quarter of a pixel off, or more.
"""

import sys
from pathlib import Path

import numpy as np
import regrad

try:
    from PIL import Image
except ImportError:
    sys.exit("align.py reads and writes pictures with Pillow, which is not installed: pip install pillow")

LEVELS, STEPS, WANTED = 5, 60, 0.25


def random_map(seed, h, w):
    """Turns, grows, shears and shifts. It reads from more than the photograph, so that all of it stays in sight."""
    random = np.random.default_rng(seed)
    turn, shear = random.choice([-1, 1]) * random.uniform(0.1, 0.25), random.uniform(-0.1, 0.1)
    grow, shift = random.uniform(1.4, 1.6, 2), random.uniform(-0.1, 0.1, 2)
    x = [grow[0] * np.cos(turn), (shear - grow[1] * np.sin(turn)) * h / w, shift[0]]
    y = [grow[0] * np.sin(turn) * w / h, grow[1] * np.cos(turn), shift[1]]
    return np.array([x, y])


def pixel_centres(h, w):
    """(x, y, 1) of each pixel, x and y from -1 to 1: (h, w, 3)."""
    y, x = np.meshgrid((2 * np.arange(h) + 1) / h - 1, (2 * np.arange(w) + 1) / w - 1, indexing="ij")
    return np.stack([x, y, np.ones((h, w))], axis=-1)


def grid_of(affine, centres):
    """Where the map sends each pixel: (1, h, w, 2)."""
    return (centres @ affine.T)[None].astype(np.float32)


def corner_error(found, truth, h, w):
    """How far apart two maps put the worst of the four corners, in pixels."""
    corners = np.array([[-1, -1, 1], [-1, 1, 1], [1, -1, 1], [1, 1, 1]])
    return np.hypot(*((corners @ (found - truth).T) * [w / 2, h / 2]).T).max()


def descend(affine, reference, warped):
    """Moves a map against the gradient of the mean squared error, by steps of a pixel that shrink to a hundredth."""
    centres = pixel_centres(*reference.shape[2:])
    mean = square = 0
    for step in range(STEPS):
        grid = grid_of(affine, centres)
        difference = regrad.grid_sampler_2d(warped, grid) - reference
        grad_output = 2 / difference.size * difference
        _, grid_grad = regrad.grid_sampler_2d_backward(grad_output, warped, grid, output_mask=(False, True))
        gradient = np.einsum("hwi,hwk->ik", grid_grad[0], centres)  # with respect to the 6 numbers, by the chain rule
        mean = 0.8 * mean + 0.2 * gradient  # the rule called Adam, so that one length of steps suits all numbers
        square = 0.95 * square + 0.05 * gradient**2
        size = np.sqrt(square / (1 - 0.95 ** (step + 1)))
        length = 2 / reference.shape[3] * 0.01 ** (step / STEPS)
        affine = affine - length * mean / (1 - 0.8 ** (step + 1)) / (size + 1e-30)
    return affine


def halve(image):
    """Half the height and the width."""
    return regrad.upsample_bilinear2d(image, (image.shape[2] // 2, image.shape[3] // 2))


def save(path, *images):
    """Writes pictures side by side."""
    row = np.concatenate([image[0] for image in images], axis=2).clip(0, 1)
    Image.fromarray((row * 255 + 0.5).astype(np.uint8).transpose(1, 2, 0)).save(path)


def main():
    """Warps, searches, and says how well that went."""
    pixels = np.asarray(Image.open(Path(__file__).parent / "data" / "grace_hopper.jpg").convert("RGB"), np.float32)
    photo = pixels.transpose(2, 0, 1)[None] / 255  # (1, 3, h, w), channels last in memory
    h, w = photo.shape[2:]
    secret = random_map(int(sys.argv[1]) if len(sys.argv) > 1 else 1, h, w)
    truth = np.linalg.inv(np.vstack([secret, [0, 0, 1]]))[:2]
    # The warp itself is bicubic, so that the search, which is bilinear, cannot meet it exactly.
    levels = [(photo, regrad.grid_sampler_2d(photo, grid_of(secret, pixel_centres(h, w)), mode="bicubic"))]
    for _ in range(LEVELS - 1):
        levels.append(tuple(halve(image) for image in levels[-1]))

    found = np.eye(3)[:2]
    for reference, warped in reversed(levels):
        found = descend(found, reference, warped)
        print(f"{reference.shape[3]:4} x {reference.shape[2]:<4} corners {corner_error(found, truth, h, w):7.3f} off")
    photo, warped = levels[0]
    result = regrad.grid_sampler_2d(warped, grid_of(found, pixel_centres(h, w)))
    save("align.png", photo, warped, result, 4 * abs(result - photo))
    error = corner_error(found, truth, h, w)
    print(f"The corners are {error:.3f} pixels off at worst; less than {WANTED} was wanted. See align.png.")
    return int(error >= WANTED)


if __name__ == "__main__":
    sys.exit(main())
