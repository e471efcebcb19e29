# SPDX-License-Identifier: Apache-2.0
"""PyTorch's `interpolate` and `grid_sample` on the CPU, with gradients that are exact, repeatable and fast.

>>> import torch, regrad.torch
>>> image = torch.ones(1, 1, 4, 4, requires_grad=True)
>>> regrad.torch.interpolate(image, scale_factor=2, mode="bilinear").sum().backward()
>>> float(image.grad[0, 0, 0, 0])
4.0

`regrad.torch.install()` puts both in place of those of `torch.nn.functional`, for a whole program.
"""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError("regrad.torch needs PyTorch 2.4 or later: pip install 'torch>=2.4'") from error

from ._functional import grid_sample, interpolate
from ._patch import install, patch, uninstall

__all__ = ["grid_sample", "install", "interpolate", "patch", "uninstall"]
