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

from ._arrays import Array, ArrayLike
from ._check import CheckResult, check
from ._functions import (
    grid_sampler_2d,
    grid_sampler_2d_backward,
    grid_sampler_3d,
    grid_sampler_3d_backward,
    resize_bilinear_v2_grad,
    upsample_bicubic2d,
    upsample_bicubic2d_aa,
    upsample_bicubic2d_aa_backward,
    upsample_bicubic2d_backward,
    upsample_bilinear2d,
    upsample_bilinear2d_aa,
    upsample_bilinear2d_aa_backward,
    upsample_bilinear2d_backward,
    upsample_lanczos2d_aa,
    upsample_lanczos2d_aa_backward,
    upsample_linear1d,
    upsample_linear1d_backward,
    upsample_nearest1d,
    upsample_nearest1d_backward,
    upsample_nearest2d,
    upsample_nearest2d_backward,
    upsample_nearest3d,
    upsample_nearest3d_backward,
    upsample_nearest_exact1d,
    upsample_nearest_exact1d_backward,
    upsample_nearest_exact2d,
    upsample_nearest_exact2d_backward,
    upsample_nearest_exact2d_grad,
    upsample_nearest_exact3d,
    upsample_nearest_exact3d_backward,
    upsample_trilinear3d,
    upsample_trilinear3d_backward,
)
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
    "grid_sampler_2d",
    "grid_sampler_2d_backward",
    "grid_sampler_3d",
    "grid_sampler_3d_backward",
    "isa",
    "num_threads",
    "resize_bilinear_v2_grad",
    "set_num_threads",
    "upsample_bicubic2d",
    "upsample_bicubic2d_aa",
    "upsample_bicubic2d_aa_backward",
    "upsample_bicubic2d_backward",
    "upsample_bilinear2d",
    "upsample_bilinear2d_aa",
    "upsample_bilinear2d_aa_backward",
    "upsample_bilinear2d_backward",
    "upsample_lanczos2d_aa",
    "upsample_lanczos2d_aa_backward",
    "upsample_linear1d",
    "upsample_linear1d_backward",
    "upsample_nearest1d",
    "upsample_nearest1d_backward",
    "upsample_nearest2d",
    "upsample_nearest2d_backward",
    "upsample_nearest3d",
    "upsample_nearest3d_backward",
    "upsample_nearest_exact1d",
    "upsample_nearest_exact1d_backward",
    "upsample_nearest_exact2d",
    "upsample_nearest_exact2d_backward",
    "upsample_nearest_exact2d_grad",
    "upsample_nearest_exact3d",
    "upsample_nearest_exact3d_backward",
    "upsample_trilinear3d",
    "upsample_trilinear3d_backward",
]
