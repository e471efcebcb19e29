# SPDX-License-Identifier: Apache-2.0
"""Memory: nothing grows with the number of calls, and no array is copied. Each program is a process of its own."""

import subprocess
import sys

import pytest

BEGIN = """
import gc, sys, threading
import numpy as np, regrad
def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":")) * 1024
"""
MIB = 1 << 20


def measure(program, *arguments):
    """The number that a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + program, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


CALLS = {
    "function": ("regrad.upsample_nearest_exact1d_backward(x, (4,))", 300_000),
    "out": ("regrad.upsample_nearest_exact1d_backward(x, (4,), out=y)", 100_000),
    "plan": ("plan.run(x)", 500_000),
    "grid": ("regrad.grid_sampler_2d_backward(g, g, points)", 40_000),
    "bfloat16": ("regrad.upsample_nearest_exact1d_backward(bits, (4,))", 40_000),
    "view": ("regrad.upsample_nearest_exact1d_backward(memoryview(x), (4,))", 10_000),
    "plans": ("regrad.Plan('upsample_nearest_exact1d_backward', x, (4,))", 10_000),
    "refusals": ("refused()", 10_000),
}


def test_the_calls_are_a_million():
    assert sum(n for _, n in CALLS.values()) >= 1_000_000


@pytest.mark.parametrize("name", CALLS)
def test_calls_do_not_grow(name):
    """The least that malloc gives is 32 bytes, so what loses it once in a call grows by 312 KiB or more."""
    call, n = CALLS[name]
    program = """
x, y = np.ones((1, 1, 6), "f4"), np.ones((1, 1, 4), "f4")
g, points = np.ones((1, 1, 2, 2), "f4"), np.zeros((1, 2, 2, 2), "f4")
bits = np.ones((1, 1, 6), "u2").view([("bfloat16", "u2")])
plan = regrad.Plan("upsample_nearest_exact1d_backward", x, (4,))
def refused():
    try:
        regrad.upsample_nearest_exact1d_backward(x, (0,))
    except ValueError:
        pass
def repeat(n):
    for _ in range(n):
        CALL
repeat(2000)
gc.collect()
before = status("VmRSS")
repeat(int(sys.argv[1]))
gc.collect()
print(status("VmRSS") - before)
"""
    assert measure(program.replace("CALL", call), n) <= 256 * 1024


def test_threads_take_their_workspace_along():
    """A thread's workspace ends with it: 100 threads need no more than 5."""
    program = """
x, y = np.ones((1, 1, 512, 512), "f4"), np.empty((1, 1, 700, 700), "f4")
plan = regrad.Plan("upsample_bilinear2d", x, (700, 700), threads=1)
assert plan.workspace_size > 0
def work(n):
    for _ in range(n):
        thread = threading.Thread(target=plan.run, args=(x,), kwargs={"out": y})
        thread.start()
        thread.join()
work(5)
before = status("VmRSS")
work(100)
print(status("VmRSS") - before)
"""
    assert measure(program) <= 2 * MIB


LAYOUTS = {
    "contiguous": "x = np.ones((1, 4, 2048, 2048), 'f4')",
    "channels_last": "x = np.ones((1, 2048, 2048, 4), 'f4').transpose(0, 3, 1, 2)",
    "strided": "x = np.ones((1, 4, 2048, 4096), 'f4')[..., ::2]",
    "reversed": "x = np.ones((1, 4, 2048, 2048), 'f4')[:, :, ::-1, ::-1]",
    "bfloat16": "x = np.ones((1, 8, 2048, 2048), 'u2').view([('bfloat16', 'u2')])",
    "buffer": "x = memoryview(np.ones((1, 4, 2048, 2048), 'f4'))",
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("given", [False, True])
def test_no_array_is_copied(layout, given):
    """A source has 64 MiB or more, the result 16. Tables, workspace and NumPy's own take less than 8."""
    program = """
LAYOUT
small = np.ones((1, 1, 8, 8), "f4")
regrad.upsample_bilinear2d(small, (4, 4))
given = sys.argv[1] == "True"
shape = np.asarray(x).shape[:2] + (1024, 1024)
out = np.ones(shape, np.asarray(x).dtype) if given else None
before = status("VmHWM")
regrad.upsample_bilinear2d(x, (1024, 1024), out=out)
print(status("VmHWM") - before)
"""
    growth = measure(program.replace("LAYOUT", LAYOUTS[layout]), given)
    assert growth <= (0 if given else 16 * MIB) + 8 * MIB


def test_the_cache_gives_back():
    program = """
x = np.ones((1, 1, 4, 1 << 19), "f4")
regrad.upsample_bilinear2d(x[:, :, :, :100], (2, 3))
before = status("VmRSS")
for n in range(2, 30):
    regrad.upsample_bilinear2d_backward(x, (4, n * 1000))
regrad.cache_clear()
gc.collect()
print(status("VmRSS") - before)
"""
    assert measure(program) <= 8 * MIB


def test_out_of_memory_is_an_error():
    """The process may have 64 MiB more than it has; a result of 256 MiB, and a workspace, are refused."""
    program = """
import resource
x = np.ones((1, 1, 64, 64), "f4")
out = np.empty((1, 1, 8192, 8192), "f4")
regrad.upsample_bilinear2d(x, (65, 65))
limit = status("VmSize") + (64 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
n = 0
for _ in range(3):
    try:
        regrad.upsample_bilinear2d(x, (8192, 8192))
    except MemoryError:
        n += 1
regrad.upsample_bilinear2d(x, (66, 66))
print(n)
"""
    assert measure(program) == 3
