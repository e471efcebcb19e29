# SPDX-License-Identifier: Apache-2.0
"""The operators on tensors in memory of the CPU: new tensors, and plans that are found again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .. import _plan, _user_plan

Sizes = Sequence[int]


def is_channels_last(tensor: Tensor) -> bool:
    """Does PyTorch give a result of this tensor the memory format channels last?"""
    shape, strides = tensor.shape, tensor.stride()
    if len(shape) < 4 or strides[1] == 0:
        return False
    least = 0
    for axis in (1, *range(len(shape) - 1, 1, -1), 0):
        if shape[axis] == 0 or strides[axis] < least or (axis == 0 and least == strides[1]):
            return False
        least = strides[axis] * shape[axis]
    return True


def empty_like_format(like: Tensor, spatial: Sizes) -> Tensor:
    """A new tensor with other spatial sizes and the memory format of `like`."""
    shape = (*like.shape[:2], *spatial)
    if not is_channels_last(like):
        return like.new_empty(shape)
    last = torch.channels_last if len(shape) == 4 else torch.channels_last_3d
    return torch.empty(shape, dtype=like.dtype, device=like.device, memory_format=last)


def _run(operator: str, inputs: tuple[Tensor, ...], sizes: tuple[Sizes, ...], out: Any, options: Any) -> None:
    """Runs an operator on new tensors `out`, by a plan of as many threads as PyTorch uses."""
    threads = torch.get_num_threads()
    looks = tuple([(t.shape, t.stride(), t.dtype) if t is not None else None for t in (*inputs, *out)])
    key = ("torch", operator, looks, options, threads)
    plan: Any = _plan.cache.get(key)
    shared = [t.detach() for t in inputs]
    wanted = out[0] if len(out) == 1 else out
    if plan is None:
        generation = _plan.cache.generation
        made = _user_plan.Plan(operator, *shared, *sizes, out=wanted, threads=threads, **dict(options))
        plan = made._prepared
        _plan.cache.put(key, plan, generation)
    else:
        made = object.__new__(_user_plan.Plan)
        made._prepared = plan
    made.run(*shared, out=wanted)


def _resize_options(operator: str, align_corners: bool, scales: Sequence[float]) -> tuple[tuple[str, Any], ...]:
    options: tuple[tuple[str, Any], ...] = (("scales", tuple(scales) or None),)
    return options if "nearest" in operator else (*options, ("align_corners", align_corners))


def resize(input: Tensor, size: Sizes, operator: str, align_corners: bool, scales: Sequence[float]) -> Tensor:
    """The forward of a resize."""
    out = empty_like_format(input, size)
    _run(operator, (input,), (tuple(size),), [out], _resize_options(operator, align_corners, scales))
    return out


def resize_backward(
    grad_output: Tensor, size: Sizes, operator: str, align_corners: bool, scales: Sequence[float]
) -> Tensor:
    """The gradient of a resize whose input had this size."""
    out = empty_like_format(grad_output, size)
    options = _resize_options(operator, align_corners, scales)
    _run(f"{operator}_backward", (grad_output,), (tuple(size),), [out], options)
    return out


def _sampler(input: Tensor) -> str:
    return f"grid_sampler_{input.dim() - 2}d"


def _sample_options(mode: str, padding_mode: str, align_corners: bool) -> tuple[tuple[str, Any], ...]:
    return (("mode", mode), ("padding_mode", padding_mode), ("align_corners", align_corners))


def sample(input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: bool) -> Tensor:
    """The forward of a grid sample."""
    out = input.new_empty((*input.shape[:2], *grid.shape[1:-1]))
    options = _sample_options(mode, padding_mode, align_corners)
    _run(_sampler(input), (input, grid), (), [out], options)
    return out


def sample_backward(
    grad_output: Tensor,
    input: Tensor,
    grid: Tensor,
    mode: str,
    padding_mode: str,
    align_corners: bool,
    output_mask: Sequence[bool],
) -> tuple[Tensor, Tensor]:
    """The gradients of a grid sample; a tensor without elements for one that is not wanted."""
    outs = [like.new_empty(like.shape) if m else None for like, m in zip((input, grid), output_mask)]
    options = (*_sample_options(mode, padding_mode, align_corners), ("output_mask", tuple(output_mask)))
    if any(output_mask):
        _run(f"{_sampler(input)}_backward", (grad_output, input, grid), (), outs, options)
    first, second = [input.new_empty(0) if out is None else out for out in outs]
    return first, second
