#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times what a call from Python takes beside the same call from C, and measures the memory that calls take.

    python.py REGRAD-BENCH [ROUNDS]     by a Python that has the package regrad; ROUNDS: 200

Prints two tables in Markdown. Times are microseconds of one thread. All subjects are timed in turn, in each round anew,
and the least of all rounds is printed. Ends with status 1 if a call has taken memory for a copy of an array.
"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import threading
import timeit
from pathlib import Path

import numpy as np
import regrad
from regrad import _arrays, _library, _plan

N_CALLS = 200  # in one round: short enough to be left alone at times, on a machine with other work
MIB = 1 << 20

# A line for regrad-bench, and the same call: operator, shapes of the arrays, other arguments, options.
SHAPES = [
    ("bilinear float32 NCHW 1x1x8x8 -> 16x16", "upsample_bilinear2d_backward", [(1, 1, 16, 16)], [(8, 8)], {}),
    ("nearest_exact float32 NCL 1x1x8 -> 16", "upsample_nearest_exact1d_backward", [(1, 1, 16)], [(8,)], {}),
    ("grid_sample float32 NCHW 1x1x8x8 -> 8x8 smooth border", "grid_sampler_2d_backward",
     [(1, 1, 8, 8), (1, 1, 8, 8), (1, 8, 8, 2)], [], {"padding_mode": "border"}),
]  # fmt: skip


# ---- Times ----


class PlainPrepared(_plan.Prepared):
    """A plan that ctypes alone runs: what binding.c does is done in Python."""

    def __init__(self, call):
        """Makes the plan, and notes the strides that it wants."""
        super().__init__(call)
        self.operands, self.address = call.operands, 0  # `try_run` leaves all runs to `run`
        self.strides = [tuple(s * o.dtype.itemsize for s in o.tensor.stride[: len(o.shape)]) for o in self.operands]
        self.pointers = ctypes.c_void_p * len(self.operands)
        self.size, self.own = self.workspace_size, threading.local()

    def workspace(self):
        """The address of the calling thread's workspace."""
        if not hasattr(self.own, "address"):
            self.own.memory = np.empty(self.size + 64, np.uint8)
            self.own.address = (self.own.memory.ctypes.data + 63) // 64 * 64
        return self.own.address

    def run(self, arrays):
        """Compares the arrays with the plan's, and runs it."""
        pointers = self.pointers(), self.pointers()
        for array, operand, strides in zip(arrays, self.operands, self.strides):
            if array.shape != operand.shape or array.strides != strides:
                raise ValueError(f"{operand.name} is not as the plan wants it")
            pointers[operand.is_output][operand.place] = array.ctypes.data
        if run_plainly(self._plan, *pointers, self.workspace(), self.size) != 0:
            raise ValueError(_library.last_message())


run_plainly = _library.library.regrad_plan_run
run_plainly.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_size_t]


def subjects_of(operator, shapes, others, options):
    """The calls of one shape by name: from least to most convenient."""
    random = np.random.default_rng(1)
    arrays = [random.random(shape, np.float32) for shape in shapes]
    plan, plain = (regrad.Plan(operator, *arrays, *others, **options) for _ in range(2))
    plain._prepared = PlainPrepared(plan._prepared.call)
    function, out = getattr(regrad, operator), plan.run(*arrays)
    return {
        "plan.run, out": lambda: plan.run(*arrays, out=out),
        "plan.run": lambda: plan.run(*arrays),
        "function, out": lambda: function(*arrays, *others, out=out, **options),
        "function": lambda: function(*arrays, *others, **options),
        "ctypes alone, out": lambda: plain.run(*arrays, out=out),
        "ctypes alone": lambda: plain.run(*arrays),
    }


def time_in_c(program, scratch):
    """One round of regrad-bench: microseconds of regrad_plan_run by shape."""
    workload, measured = Path(scratch, "tiny.txt"), Path(scratch, "tiny.json")
    workload.write_text("# Tiny shapes\n\n" + "\n".join(shape[0] for shape in SHAPES) + "\n", encoding="utf-8")
    words = [program, "--threads=1", "--peers=none", "--rounds=3", f"--json={measured}", str(workload)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    results = json.loads(measured.read_text(encoding="utf-8"))["results"]
    return [result["ours"]["min"] * 1e6 for result in results]


def measure_times(program, n_rounds):
    """The least time of each subject, C's first, by shape."""
    shapes = [subjects_of(*shape[1:]) for shape in SHAPES]
    least = [dict.fromkeys(["C", *subjects], float("inf")) for subjects in shapes]
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(n_rounds):
            for times, seconds in zip(least, time_in_c(program, scratch)):
                times["C"] = min(times["C"], seconds)
            for times, subjects in zip(least, shapes):
                for name, call in subjects.items():
                    times[name] = min(times[name], timeit.timeit(call, number=N_CALLS) / N_CALLS * 1e6)
    return least


def print_times(least):
    """Times by shape, and the worst difference to C of each way to call."""
    names = list(least[0])
    print(f"| microseconds | {' | '.join(names)} |\n|---|{'--:|' * len(names)}")
    for shape, times in zip(SHAPES, least):
        print(f"| {shape[0]} | {' | '.join(f'{times[name]:.2f}' for name in names)} |")
    worst = [max(times[name] - times["C"] for times in least) for name in names]
    print(f"| most over C | {' | '.join(f'{over:.2f}' for over in worst)} |")


# ---- Memory ----


class Shared:
    """An array as other libraries give theirs away: by DLPack alone."""

    def __init__(self, array):
        """Keeps the array."""
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


def cases():
    """Title, array or what stands for it, and result or None."""
    shape, half = (1, 16, 2048, 2048), (1, 16, 1024, 1024)
    ones, out = np.ones(shape, np.float32), np.ones(half, np.float32)
    last = np.ones((1, 2048, 2048, 16), np.float32).transpose(0, 3, 1, 2)
    yield "float32", ones, out
    yield "float32, a new result", ones, None
    yield "by DLPack", Shared(ones), out
    yield "by the buffer protocol", memoryview(ones), out
    yield "channels last, a new result", last, None
    yield "rows from bottom to top", ones[:, :, ::-1], out[:, :, ::-1]
    yield "every second column", np.ones((1, 16, 2048, 4096), np.float32)[..., ::2], out
    bits = np.full(shape, 0x3F80, np.uint16)
    yield "bfloat16", bits.view(_arrays.bfloat16()), np.ones(half, np.uint16).view(_arrays.bfloat16())


def status_bytes(name):
    """A line of the process's status, in bytes."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[name].split()[0]) * 1024


def memory_of(call):
    """How far the memory of the process has grown at most while it made a call, and the call's result."""
    Path("/proc/self/clear_refs").write_text("5")  # forgets the most so far
    before = status_bytes("VmRSS")
    result = call()
    return status_bytes("VmHWM") - before, result


def print_memory():
    """Memory of a gradient of bilinear resize by case. Returns whether no case has taken more than it must."""
    print("\n| MiB | array | result | new memory | result's part | workspace's part |\n|---|--:|--:|--:|--:|--:|")
    fits = True
    for title, array, out in cases():
        regrad.cache_clear()  # and the workspace
        plan = regrad.Plan("upsample_bilinear2d_backward", array, (1024, 1024), out=out)
        grown, result = memory_of(lambda plan=plan, array=array, out=out: plan.run(array, out=out))
        made = 0 if out is not None else result.nbytes
        given = _arrays.view(array, "array").nbytes
        parts = [given, result.nbytes, grown, made, plan.workspace_size]
        print(f"| {title} | {' | '.join(f'{part / MIB:.2f}' for part in parts)} |")
        fits = fits and grown <= made + plan.workspace_size + MIB
    return fits


def main():
    """Times, then memory."""
    if len(sys.argv) not in (2, 3) or not os.access(sys.argv[1], os.X_OK):
        sys.exit("usage: python.py REGRAD-BENCH [ROUNDS]")
    regrad.set_num_threads(1)
    print_times(measure_times(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 200))
    if not print_memory():
        sys.exit("python.py: a call has taken more memory than for its result and its workspace")


if __name__ == "__main__":
    main()
