# SPDX-License-Identifier: Apache-2.0
"""The operators as PyTorch knows them: `torch.ops.regrad`, and the shorter way that a plain call takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _kernels

_define: Any = torch.library.Library
_library = _define("regrad", "DEF")
_library.define("resize(Tensor input, SymInt[] size, str operator, bool align_corners, float[] scales) -> Tensor")
_library.define(
    "resize_backward(Tensor grad_output, SymInt[] size, str operator, bool align_corners, float[] scales) -> Tensor"
)
_library.define("grid_sample(Tensor input, Tensor grid, str mode, str padding_mode, bool align_corners) -> Tensor")
_library.define(
    "grid_sample_backward(Tensor grad_output, Tensor input, Tensor grid, str mode, str padding_mode,"
    " bool align_corners, bool[] output_mask) -> (Tensor, Tensor)"
)
_ops = torch.ops.regrad
_resize, _resize_backward = _ops.resize.default, _ops.resize_backward.default
_sample, _sample_backward = _ops.grid_sample.default, _ops.grid_sample_backward.default

_library.impl("resize", _kernels.resize, "CPU")
_library.impl("resize_backward", _kernels.resize_backward, "CPU")
_library.impl("grid_sample", _kernels.sample, "CPU")
_library.impl("grid_sample_backward", _kernels.sample_backward, "CPU")


# ---- Shapes ----


def _resized(tensor: Tensor, size: Sequence[Any], operator: str, align_corners: bool, scales: Any) -> Tensor:
    return _kernels.empty_like_format(tensor, size)


def _sampled(input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: bool) -> Tensor:
    return input.new_empty((*input.shape[:2], *grid.shape[1:-1]))


def _sampled_backward(
    grad_output: Tensor, input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: bool, mask: Any
) -> tuple[Tensor, Tensor]:
    first, second = [t.new_empty(t.shape if wanted else 0) for t, wanted in zip((input, grid), mask)]
    return first, second


torch.library.register_fake("regrad::resize", _resized, lib=_library)
torch.library.register_fake("regrad::resize_backward", _resized, lib=_library)
torch.library.register_fake("regrad::grid_sample", _sampled, lib=_library)
torch.library.register_fake("regrad::grid_sample_backward", _sampled_backward, lib=_library)


# ---- Gradients ----


def _keep_size(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.arguments = (inputs[0].shape[2:], *inputs[2:])


def _resize_gradient(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    return _resize_backward(grad, *ctx.arguments), None, None, None, None


def _resize_second(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    """A resize is linear: the gradient of its gradient is the resize."""
    return _resize(grad, *ctx.arguments), None, None, None, None


def _keep_points(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(*inputs[:2])
    ctx.arguments = inputs[2:]


def _sample_gradient(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    mask = ctx.needs_input_grad[:2]
    first, second = _sample_backward(grad, *ctx.saved_tensors, *ctx.arguments, mask)
    return first if mask[0] else None, second if mask[1] else None, None, None, None


def _no_second(ctx: Any, *grads: Tensor) -> tuple[Any, ...]:
    raise NotImplementedError("grid_sample: the derivative of grid_sample_backward is not implemented, as in PyTorch")


def _keep_nothing(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    pass


torch.library.register_autograd("regrad::resize", _resize_gradient, setup_context=_keep_size, lib=_library)
torch.library.register_autograd("regrad::resize_backward", _resize_second, setup_context=_keep_size, lib=_library)
torch.library.register_autograd("regrad::grid_sample", _sample_gradient, setup_context=_keep_points, lib=_library)
torch.library.register_autograd("regrad::grid_sample_backward", _no_second, setup_context=_keep_nothing, lib=_library)


def resize(input: Tensor, size: Sequence[int], operator: str, align_corners: bool, scales: Sequence[float]) -> Tensor:
    """A resize, by the way that suits the call."""
    result: Tensor = _resize(input, size, operator, align_corners, scales)
    return result


def sample(input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: bool) -> Tensor:
    """A grid sample, by the way that suits the call."""
    result: Tensor = _sample(input, grid, mode, padding_mode, align_corners)
    return result
