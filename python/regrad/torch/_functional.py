# SPDX-License-Identifier: Apache-2.0
"""`interpolate` and `grid_sample`: the arguments of PyTorch's functions, and what is left to these."""

from __future__ import annotations

import math
import warnings
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from . import _operators

# PyTorch's own, whatever is put in their place later.
torch_interpolate: Any = F.interpolate
torch_grid_sample: Any = F.grid_sample

_FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
_KINDS = (torch.Tensor, torch.nn.Parameter)

# By the mode, antialias and the number of axes.
_RESIZES = {
    ("nearest", False, 1): "upsample_nearest1d",
    ("nearest", False, 2): "upsample_nearest2d",
    ("nearest", False, 3): "upsample_nearest3d",
    ("nearest-exact", False, 1): "upsample_nearest_exact1d",
    ("nearest-exact", False, 2): "upsample_nearest_exact2d",
    ("nearest-exact", False, 3): "upsample_nearest_exact3d",
    ("linear", False, 1): "upsample_linear1d",
    ("bilinear", False, 2): "upsample_bilinear2d",
    ("trilinear", False, 3): "upsample_trilinear3d",
    ("bicubic", False, 2): "upsample_bicubic2d",
    ("bilinear", True, 2): "upsample_bilinear2d_aa",
    ("bicubic", True, 2): "upsample_bicubic2d_aa",
}
if hasattr(torch.ops.aten, "_upsample_lanczos2d_aa"):
    _RESIZES["lanczos", True, 2] = "upsample_lanczos2d_aa"


def _is_ours(tensor: Any) -> bool:
    """Is it a tensor in plain memory of the CPU?"""
    return (
        (type(tensor) in _KINDS or isinstance(tensor, torch._subclasses.FakeTensor))
        and tensor.device.type == "cpu"
        and tensor.layout is torch.strided
        and not tensor.is_nested
    )


def _output_size(input: Tensor, size: Any, scale_factor: Any, recompute: Any) -> tuple[Any, tuple[float, ...]] | None:
    """The size and the scales of the output, or None for what PyTorch refuses."""
    n_axes = input.dim() - 2
    if (size is None) == (scale_factor is None):
        return None
    if size is not None:
        sizes = tuple(size) if isinstance(size, (tuple, list)) else (size,) * n_axes
        usual = all(isinstance(s, (int, torch.SymInt)) and s > 0 for s in sizes)
        return (sizes, ()) if usual and len(sizes) == n_axes and recompute is None else None
    scales = tuple(scale_factor) if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * n_axes
    if len(scales) != n_axes or not all(isinstance(s, (float, int)) and math.isfinite(s) and s > 0 for s in scales):
        return None
    sizes = tuple([math.floor(n * float(s)) for n, s in zip(input.shape[2:], scales)])
    if not all(s > 0 for s in sizes):
        return None
    return sizes, () if recompute else tuple([float(s) for s in scales])


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """`torch.nn.functional.interpolate`."""
    operator = _is_ours(input) and _RESIZES.get((mode, antialias, input.dim() - 2))
    if operator and (input.dtype in _FLOATS or (input.dtype is torch.uint8 and "nearest" in mode)):
        found = _output_size(input, size, scale_factor, recompute_scale_factor)
        if found and (align_corners is None or "nearest" not in mode) and all(n > 0 for n in input.shape):
            return _operators.resize(input, found[0], operator, bool(align_corners), found[1])
    result: Tensor = torch_interpolate(
        input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias
    )
    return result


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """`torch.nn.functional.grid_sample`."""
    if _is_ours(input) and _is_ours(grid) and _takes(input, grid, mode, padding_mode):
        if align_corners is None:
            warnings.warn(
                "Default grid_sample and affine_grid behavior has changed to align_corners=False", stacklevel=2
            )
        if torch.is_autocast_cpu_enabled() and input.dtype is not torch.float64:
            input, grid = input.float(), grid.float()
        return _operators.sample(input, grid, mode, padding_mode, bool(align_corners))
    result: Tensor = torch_grid_sample(input, grid, mode, padding_mode, align_corners)
    return result


def _takes(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> bool:
    rank = input.dim()
    return (
        rank in (4, 5)
        and grid.dim() == rank
        and grid.dtype is input.dtype in _FLOATS
        and grid.shape[-1] == rank - 2
        and grid.shape[0] == input.shape[0]
        and all(n > 0 for n in input.shape)
        and all(n > 0 for n in grid.shape)
        and padding_mode in ("zeros", "border", "reflection")
        and (mode in ("bilinear", "nearest") or (mode == "bicubic" and rank == 4))
    )
