# SPDX-License-Identifier: Apache-2.0
"""`interpolate` and `grid_sample`: the arguments of PyTorch's functions, and what is left to these."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch._subclasses.functional_tensor import FunctionalTensor
from torch.overrides import handle_torch_function, has_torch_function_unary, has_torch_function_variadic

from . import _kernels, _operators

# PyTorch's own, whatever is put in their place later.
torch_interpolate: Any = F.interpolate
torch_grid_sample: Any = F.grid_sample

_FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
# PyTorch 2.4 exports with functional tensors.
_KINDS = (Tensor, torch.nn.Parameter, torch._subclasses.FakeTensor, FunctionalTensor)
_WHOLE = (int, torch.SymInt, np.integer)
_NUMBERS = (float, int, torch.SymFloat, np.floating, np.integer)

# By mode, antialias and rank.
_RESIZES = {
    ("nearest", False, 3): "upsample_nearest1d",
    ("nearest", False, 4): "upsample_nearest2d",
    ("nearest", False, 5): "upsample_nearest3d",
    ("nearest-exact", False, 3): "upsample_nearest_exact1d",
    ("nearest-exact", False, 4): "upsample_nearest_exact2d",
    ("nearest-exact", False, 5): "upsample_nearest_exact3d",
    ("linear", False, 3): "upsample_linear1d",
    ("bilinear", False, 4): "upsample_bilinear2d",
    ("trilinear", False, 5): "upsample_trilinear3d",
    ("bicubic", False, 4): "upsample_bicubic2d",
    ("bilinear", True, 4): "upsample_bilinear2d_aa",
    ("bicubic", True, 4): "upsample_bicubic2d_aa",
}
if hasattr(torch.ops.aten, "_upsample_lanczos2d_aa"):
    _RESIZES["lanczos", True, 4] = "upsample_lanczos2d_aa"


def _is_ours(tensor: Any) -> bool:
    """Is it a tensor in plain memory of the CPU?"""
    return (
        type(tensor) in _KINDS
        and tensor.is_cpu
        and tensor.layout is torch.strided
        and not tensor.is_nested
        and not _operators.is_traced()
    )


def _spread(value: Any, n_axes: int) -> tuple[Any, ...] | None:
    """What is given for all axes, or for each of them."""
    if not isinstance(value, (tuple, list)):
        return (value,) * n_axes
    return tuple(value) if len(value) == n_axes else None


def _from_size(size: Any, n_axes: int) -> Any:
    sizes = _spread(size, n_axes)
    if sizes is None:
        return None
    for length in sizes:
        if type(length) is bool or not isinstance(length, _WHOLE) or length <= 0:
            return None
    return sizes, ()


def _from_scales(shape: Any, scale_factor: Any, recompute: Any) -> Any:
    scales = _spread(scale_factor, len(shape))
    if scales is None:
        return None
    for scale in scales:
        if not isinstance(scale, _NUMBERS) or not 0 < scale < math.inf:
            return None
    floats = tuple([float(scale) for scale in scales])
    sizes = tuple([math.floor(length * scale) for length, scale in zip(shape, floats)])
    return (sizes, () if recompute else floats) if min(sizes) > 0 and max(sizes) < 2**63 else None


def _resize_of(
    input: Tensor, size: Any, scale_factor: Any, mode: str, align_corners: Any, recompute: Any, antialias: Any
) -> tuple[Any, ...] | None:
    """The arguments of our operator; None for what it has not, or PyTorch refuses."""
    operator = _RESIZES.get((mode, antialias, input.dim())) if type(mode) is str and type(antialias) is bool else None
    is_nearest = mode in ("nearest", "nearest-exact")
    if operator is None or not (input.dtype in _FLOATS or (is_nearest and input.dtype is torch.uint8)):
        return None
    if align_corners is not None and (is_nearest or type(align_corners) is not bool):
        return None
    if mode == "lanczos" and align_corners:
        return None
    shape = input.shape
    if scale_factor is None and not recompute:
        found = _from_size(size, len(shape) - 2)
    else:
        found = None if size is not None else _from_scales(shape[2:], scale_factor, recompute)
    if found is None or 0 in shape:
        return None
    return found[0], operator, align_corners is True, found[1]


# ---- Calls like one that was made before skip what that one has shown ----

_is_autocast = torch._C._is_any_autocast_enabled
_threads = torch.get_num_threads


def _kinds(value: Any) -> Any:
    """The types of numbers: of 1, 1.0 and True, which are equal as keys, only the first is a size."""
    return tuple([type(number) for number in value]) if type(value) is tuple else type(value)


def _known(key: Any) -> _kernels.Run | None:
    """The run of a call that was made before."""
    try:
        return _kernels.calls.get(key)
    except TypeError:  # a list is no key
        return None


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """`torch.nn.functional.interpolate`, which computes what this library has not."""
    arguments = (size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
    key = None
    if _operators.is_eager() and _operators.is_plain(input) and not has_torch_function_unary(input):
        key = (arguments, _kinds(size), type(align_corners), input.shape, input.stride(), input.dtype, _threads())
        run = _known(key)
        if run is not None:
            return _operators.apply_resize(input, run)
    if _is_ours(input):
        if has_torch_function_unary(input):  # a mode, which asks for the call by its function
            moded: Tensor = handle_torch_function(interpolate, (input,), input, *arguments)
            return moded
        found = _resize_of(input, *arguments)
        if found is not None:
            return _operators.resize(input, *found, call=key)
    theirs: Tensor = torch_interpolate(input, *arguments)
    return theirs


def _samples(input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: Any) -> bool:
    """Does our operator have this, and does PyTorch not refuse it?"""
    shape, points, rank = input.shape, grid.shape, input.dim()
    return (
        (rank == 4 or (rank == 5 and mode != "bicubic"))
        and len(points) == rank
        and points[-1] == rank - 2
        and points[0] == shape[0]
        and 0 not in shape
        and 0 not in points
        and grid.dtype is input.dtype
        and input.dtype in _FLOATS
        and mode in ("bilinear", "nearest", "bicubic")
        and padding_mode in ("zeros", "border", "reflection")
        and (align_corners is None or type(align_corners) is bool)
    )


_WARNING = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0."
    " Say which you mean: align_corners=False, or True for what it was before."
)


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """`torch.nn.functional.grid_sample`, which computes what this library has not."""
    key = None
    if (
        _operators.is_eager()
        and _operators.is_plain(input)
        and _operators.is_plain(grid)
        and not (align_corners is None or _is_autocast() or has_torch_function_variadic(input, grid))
    ):
        key = (
            mode, padding_mode, align_corners, type(align_corners), input.shape, input.stride(), input.dtype,
            grid.shape, grid.stride(), grid.dtype, _threads(),
        )  # fmt: skip
        run = _known(key)
        if run is not None:
            return _operators.apply_sample(input, grid, run)
    if _is_ours(input) and _is_ours(grid):
        if has_torch_function_variadic(input, grid):
            arguments = (mode, padding_mode, align_corners)
            moded: Tensor = handle_torch_function(grid_sample, (input, grid), input, grid, *arguments)
            return moded
        image, points = _operators.in_autocast(input, grid) if torch.is_autocast_enabled("cpu") else (input, grid)
        if _samples(image, points, mode, padding_mode, align_corners):
            if align_corners is None:
                warnings.warn(_WARNING, stacklevel=2)
            return _operators.sample(image, points, mode, padding_mode, align_corners is True, call=key)
    theirs: Tensor = torch_grid_sample(input, grid, mode, padding_mode, align_corners)
    return theirs
