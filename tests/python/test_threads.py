# SPDX-License-Identifier: Apache-2.0
"""Threads: of the library, of Python, and what remains of them."""

import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import problems
import pytest
import regrad

N_THREADS = 8
X = problems.random_array(1, (2, 8, 96, 64), np.dtype("f4"))
GRID = np.random.default_rng(2).uniform(-1.2, 1.2, (2, 96, 64, 2)).astype("f4")

CALLS = {
    "bilinear": ("upsample_bilinear2d", (X, (150, 130)), {}),
    "bilinear_backward": ("upsample_bilinear2d_backward", (X, (40, 37)), {"align_corners": True}),
    "nearest": ("upsample_nearest_exact2d", (X, (150, 130)), {}),
    "nearest_backward": ("upsample_nearest_exact2d_backward", (X, (40, 37)), {}),
    "line": ("upsample_nearest_exact1d", (X.reshape(2, 8, -1), (9999,)), {}),
    "line_backward": ("upsample_nearest_exact1d_backward", (X.reshape(2, 8, -1), (999,)), {}),
    "graph": ("resize_bilinear_v2_grad", (X, (2, 8, 40, 37)), {}),
    "graph_nearest": ("upsample_nearest_exact2d_grad", (X, (96, 64), (40, 37)), {}),
    "grid": ("grid_sampler_2d", (X, GRID), {"mode": "bicubic"}),
    "grid_backward": ("grid_sampler_2d_backward", (X, X, GRID), {"padding_mode": "reflection"}),
}
EACH = pytest.mark.parametrize("name", CALLS)


def call(name):
    operator, arguments, options = CALLS[name]
    return all_bits(getattr(regrad, operator)(*arguments, **options))


def plan(name, **options):
    operator, arguments, others = CALLS[name]
    return regrad.Plan(operator, *arguments, **others, **options)


def arrays(name):
    """What a plan runs on."""
    return [a for a in CALLS[name][1] if isinstance(a, np.ndarray)]


def all_bits(results):
    return b"".join(problems.bits(r) for r in (results if isinstance(results, tuple) else (results,)))


def in_threads(function, n=N_THREADS):
    """What n threads return that begin together."""
    barrier = threading.Barrier(n)

    def begin(k):
        barrier.wait()
        return function(k)

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(begin, range(n)))


@EACH
def test_threads_of_the_library(name):
    wanted = call(name)
    for threads in (1, 2, 3):
        assert all_bits(plan(name, threads=threads).run(*arrays(name))) == wanted


@EACH
def test_threads_that_call_functions(name):
    wanted = call(name)
    regrad.cache_clear()  # all plan at the same time
    for found in in_threads(lambda _: [call(name) for _ in range(4)]):
        assert found == [wanted] * 4


@EACH
def test_threads_that_share_a_plan(name):
    wanted, shared = call(name), plan(name)
    for found in in_threads(lambda _: [all_bits(shared.run(*arrays(name))) for _ in range(4)]):
        assert found == [wanted] * 4


def test_threads_that_do_different_things():
    wanted = {name: call(name) for name in CALLS}
    names = list(CALLS)

    def work(k):
        for step in range(20):
            name = names[(k + step) % len(names)]
            assert call(name) == wanted[name]
            if k == 0:
                regrad.cache_clear()
            if k == 1:
                regrad.set_num_threads(1 + step % 3)
        return True

    try:
        assert all(in_threads(work))
    finally:
        regrad.set_num_threads(0)


def test_errors_belong_to_their_thread():
    def work(k):
        for _ in range(50):
            with pytest.raises(ValueError, match=r"^upsample_bilinear2d: input\.shape\[2\] is 0.*") as raised:
                regrad.upsample_bilinear2d(np.empty((1, k + 1, 0, 3), "f4"), (2, 2))
        return str(raised.value)

    assert len(in_threads(work)) == N_THREADS


def test_the_interpreter_goes_on_meanwhile():
    """Another thread of Python counts during a call, though the interpreter takes the lock from nobody."""
    source = np.zeros((1, 64, 1000, 1000), "f4")
    counts, stop = [0], threading.Event()

    def count():
        while not stop.wait(0.0005):
            counts[0] += 1

    thread = threading.Thread(target=count)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(100)
    try:
        thread.start()
        before = counts[0]
        regrad.upsample_bilinear2d(source, (700, 700))
        after = counts[0]
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()
    assert after > before


def run_child(program, **options):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False, **options
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_threads_that_outlive_the_interpreter():
    """Plans of the cache are not destroyed under threads that run them."""
    run_child("""
import threading, time
import numpy as np, regrad
x = np.ones((1, 8, 400, 400), "f4")
def work():
    while True:
        regrad.upsample_bilinear2d(x, (300, 300))
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("done", flush=True)
""")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_children_by_fork():
    """After a fork the library has no threads any more, and starts its own."""
    wanted = call("bilinear")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(call, ["bilinear"] * 4) == [wanted] * 4


def test_many_short_threads():
    run_child("""
import threading
import numpy as np, regrad
x = np.ones((1, 4, 64, 64), "f4")
for _ in range(300):
    threads = [threading.Thread(target=regrad.upsample_bilinear2d, args=(x, (90, 90))) for _ in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
print("done")
""")
