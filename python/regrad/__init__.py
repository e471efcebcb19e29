# SPDX-License-Identifier: Apache-2.0
"""Gradients of image resampling on CPUs, exact and repeatable, and the forwards that they belong to.

The same call gives the same bits, whatever the number of threads, the instruction set, the batch or the layout.

>>> import numpy as np, regrad
>>> regrad.upsample_nearest_exact1d_backward(np.ones((1, 1, 6), "f4"), (4,))
array([[[1., 2., 1., 2.]]], dtype=float32)

Arrays may come from NumPy, PyTorch, JAX or anything else that has `__dlpack__` or the buffer protocol, in memory of the
CPU, with any strides. They are not copied. Results are NumPy arrays, or those that are given as `out`.

All functions may be called from any thread, and give the interpreter's lock up while they compute.
"""

from . import _functions
from ._arrays import Array, ArrayLike
from ._check import CheckResult, check
from ._functions import *  # noqa: F403
from ._library import library as _c
from ._plan import CacheInfo, cache_clear, cache_info, isa, num_threads, set_num_threads
from ._user_plan import Plan

__version__: str = _c.regrad_version().decode()

__all__ = [
    "Array",
    "ArrayLike",
    "CacheInfo",
    "CheckResult",
    "Plan",
    "__version__",
    "cache_clear",
    "cache_info",
    "check",
    "isa",
    "num_threads",
    "set_num_threads",
]
__all__ += _functions.__all__
