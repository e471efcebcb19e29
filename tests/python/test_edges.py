# SPDX-License-Identifier: Apache-2.0
"""What interrupts a call, and what calls in odd ways."""

import os
import signal
import sys
import threading
import time
import typing

import numpy as np
import pytest
import regrad
from problems import bits
from regrad._command import PROGRAM

X = np.ones((1, 1, 6), "f4")


def test_handlers_of_signals_may_call():
    """The cache is entered again while its own thread is in it."""
    calls = []

    def handle(*_):
        if not calls or calls[-1] == "done":
            calls.append("begun")
            regrad.upsample_nearest_exact1d(X, (4,))
            calls[-1] = "done"

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            assert bits(regrad.upsample_nearest_exact1d(X, (4,))) == bits(np.ones((1, 1, 4), "f4"))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(calls) > 10


def test_children_of_fork_may_call():
    """Another thread of the parent may be in the cache when it forks."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            regrad.upsample_nearest_exact1d(X, (4,))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(50):
            child = os.fork()
            if child == 0:
                signal.alarm(20)  # a child that waits for ever ends by it
                regrad.upsample_nearest_exact1d(X, (4,))
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join()


def test_the_mask_is_read_once():
    image, grid = np.ones((1, 1, 2, 2), "f4"), np.zeros((1, 2, 2, 2), "f4")
    wanted = regrad.grid_sampler_2d_backward(image, image, grid)[0]
    got = regrad.grid_sampler_2d_backward(image, image, grid, output_mask=iter((True, False)))
    assert got[1] is None and bits(got[0]) == bits(wanted)


def test_sizes_that_are_no_plain_integers_do_not_stay_in_the_cache():
    x = np.ones((1, 1, 6, 6), "f4")
    regrad.cache_clear()
    regrad.upsample_bilinear2d(x, (True, np.int64(3)))
    assert regrad.upsample_bilinear2d(x, (1, 3)).shape == (1, 1, 1, 3)


@pytest.mark.skipif(not PROGRAM.exists(), reason="the command is not there: this is no wheel")
def test_check_takes_what_plans_take():
    x = np.ones((1, 1, 6, 6), "f4")
    assert regrad.check("upsample_bilinear2d", input=x, output_size=(3, 3), align_corners=np.True_, threads=2).ok
    assert regrad.check("grid_sampler_2d", x, grid=np.zeros((1, 2, 2, 2), "f4"), mode="nearest").ok
    backward = "upsample_nearest_exact2d_backward"
    assert regrad.check(backward, x, input_size=(3, 3), law="gather", scales=(s for s in (2, 2))).ok
    assert regrad.check("upsample_trilinear3d", x[None], (3, 3, 3), scales=(None, 2, 0.5), seed=np.int64(3)).ok
    assert regrad.check("upsample_lanczos2d_aa", x, scales=0.5, coordinates="half_pixel").ok
    with pytest.raises(ValueError, match="^check: seed is -1, wanted"):
        regrad.check("upsample_bilinear2d", x, (3, 3), seed=-1)
    with pytest.raises(ValueError, match=r"^check: input \(input.npy\): holds NaN"):
        regrad.check("upsample_bilinear2d", x * np.nan, (3, 3))


@pytest.mark.skipif(sys.version_info < (3, 10), reason="Python 3.9 cannot evaluate X | None")
def test_hints_can_be_read():
    assert "input" in typing.get_type_hints(regrad.upsample_bilinear2d)


class Copies:
    """Gives a copy of its memory away, and says so."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        return self.array.__dlpack__(max_version=(1, 1), copy=True)


@pytest.mark.skipif(int(np.__version__.split(".")[0]) < 2 or np.__version__.startswith("2.0"), reason="no DLPack 1")
def test_results_are_not_lost_in_copies():
    with pytest.raises(
        ValueError, match="^upsample_nearest_exact1d: out gives a copy of its memory away, .* wanted its own memory"
    ):
        regrad.upsample_nearest_exact1d(X, (4,), out=Copies(np.zeros((1, 1, 4), "f4")))


def test_bfloat16_of_the_other_byte_order():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([[[1, 2]]], ml_dtypes.bfloat16)
    with pytest.raises(TypeError, match="wanted float16, bfloat16"):
        regrad.upsample_nearest_exact1d(array.view(array.dtype.newbyteorder()), (4,))
