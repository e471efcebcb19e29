#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times what a call of regrad.torch takes beside the same call of PyTorch, on tiny tensors where calling is all.

    torch_calls.py [ROUNDS]     by a Python that has regrad and PyTorch; ROUNDS: 100

Prints a table in Markdown: microseconds of one thread. All subjects are timed in turn, in each round anew, and the
least of all rounds is printed.
"""

import argparse
import timeit

import regrad.torch
import torch
import torch.nn.functional as F  # noqa: N812

N_CALLS = 100  # in one round: short enough to be left alone at times, on a machine with other work


def resize(**options):
    """A resize of an image of 8x8 pixels to 16x16, by PyTorch and by regrad, and what it is differentiated by."""
    image = torch.rand(1, 1, 8, 8, requires_grad=True)
    calls = [lambda f=f: f(image, (16, 16), **options) for f in (F.interpolate, regrad.torch.interpolate)]
    return calls, [image], torch.rand(1, 1, 16, 16)


def sample():
    """A grid sample of 8x8 pixels at 8x8 points, likewise."""
    image, grid = torch.rand(1, 1, 8, 8, requires_grad=True), torch.rand(1, 8, 8, 2, requires_grad=True)
    calls = [lambda f=f: f(image, grid, align_corners=False) for f in (F.grid_sample, regrad.torch.grid_sample)]
    return calls, [image, grid], torch.rand(1, 1, 8, 8)


CASES = {
    "interpolate, nearest": resize(),
    "interpolate, bilinear": resize(mode="bilinear"),
    "interpolate, bicubic": resize(mode="bicubic"),
    "grid_sample": sample(),
}


def train(call, leaves, grad):
    """A call, its gradient, and the leaves as they were before."""

    def step():
        call().backward(grad)
        for leaf in leaves:
            leaf.grad = None

    return step


def main():
    """The table."""
    parser = argparse.ArgumentParser(description="times tiny calls of regrad.torch beside PyTorch's own")
    parser.add_argument("rounds", type=int, nargs="?", default=100, help="of which the least time counts")
    options = parser.parse_args()
    torch.set_num_threads(1)
    steps = {name: [*calls, *[train(c, leaves, grad) for c in calls]] for name, (calls, leaves, grad) in CASES.items()}
    least = {name: [float("inf")] * 4 for name in steps}
    for _ in range(options.rounds):
        for name, subjects in steps.items():
            for k, subject in enumerate(subjects):
                least[name][k] = min(least[name][k], timeit.timeit(subject, number=N_CALLS) / N_CALLS * 1e6)
    print("| microseconds | forward: PyTorch | regrad | forward and backward: PyTorch | regrad | over |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, times in least.items():
        print(f"| {name} | {' | '.join(f'{time:.1f}' for time in times)} | {times[3] - times[2]:.1f} |")


if __name__ == "__main__":
    main()
