#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times training steps of three models, with PyTorch alone and with regrad.torch in place of its functions.

    python train.py [ROUNDS]     by a Python that has regrad and PyTorch; ROUNDS: 15

The models are those of tests/frameworks/train/scripts: a spatial transformer, a U-Net and an estimator of optical flow.
A step is the loss, its gradient and the optimizer's update. Both kinds are timed in turn, in each round anew. Prints a
table in Markdown: the least and the median of milliseconds, in float32, with one and with two threads; and how much of
PyTorch's step its resampling operators take by themselves, which is what regrad can save at most.
"""

import argparse
import importlib.util
import re
import statistics
import time
from pathlib import Path

import regrad.torch
import torch

SCRIPTS = Path(__file__).parents[1] / "tests" / "frameworks" / "train" / "scripts"
MODELS = [  # a script, its model, images of a batch, and their size
    ("spatial_transformer", "SpatialTransformer", 32, 64),
    ("segmentation", "UNet", 4, 128),
    ("optical_flow", "FlowNet", 4, 128),
]
RESAMPLE = re.compile(r"aten::(_?upsample_|grid_sampler_)")
SKIPPED = 3  # steps before the first that is timed


class Training:
    """A model with its optimizer, and one batch."""

    def __init__(self, script, model, n, size):
        """Makes the same model and batch each time."""
        spec = importlib.util.spec_from_file_location(script, SCRIPTS / f"{script}.py")
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        torch.manual_seed(1)
        self.model = getattr(self.module, model)()
        self.batch = self.module.make_batch(n, size)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-4)

    def step(self):
        """One step. Returns how long it took, in milliseconds."""
        start = time.perf_counter()
        self.optimizer.zero_grad()
        self.module.loss_of(self.model, self.batch).backward()
        self.optimizer.step()
        return 1e3 * (time.perf_counter() - start)


def resampling_part(training):
    """The part of the time of PyTorch's operators that those take which resample."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        training.step()
    times = {event.key: event.self_cpu_time_total for event in profile.key_averages()}
    return sum(spent for name, spent in times.items() if RESAMPLE.match(name)) / sum(times.values())


def times_of(setting, n_threads, n_rounds):
    """The times of PyTorch's steps, those of ours, and PyTorch's part of resampling."""
    torch.set_num_threads(n_threads)
    plain, ours = Training(*setting), Training(*setting)
    times = [], []
    for _ in range(SKIPPED + n_rounds):
        times[0].append(plain.step())
        with regrad.torch.patch():
            times[1].append(ours.step())
    return times[0][SKIPPED:], times[1][SKIPPED:], resampling_part(plain)


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description="times training steps by PyTorch alone and with regrad.torch")
    parser.add_argument("rounds", type=int, nargs="?", default=15, help="steps that are timed")
    n_rounds = parser.parse_args().rounds
    print("| model | threads | PyTorch, least | median | regrad, least | median | PyTorch resamples |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for setting in MODELS:
        name, _, n, size = setting
        for n_threads in (1, 2):
            plain, ours, part = times_of(setting, n_threads, n_rounds)
            numbers = [f"{f(t):.2f}" for t in (plain, ours) for f in (min, statistics.median)]
            shape = f"{name.replace('_', ' ')}, {n} x {size} x {size}"
            print(f"| {shape} | {n_threads} | {' | '.join(numbers)} | {100 * part:.0f}% |", flush=True)


if __name__ == "__main__":
    main()
