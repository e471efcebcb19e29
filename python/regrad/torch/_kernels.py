# SPDX-License-Identifier: Apache-2.0
"""The operators on tensors in memory of the CPU: runs, which are found again, and the tensors that they make.

A tiny gradient takes less time than a Python function does, so what a call of interpolate goes through is short.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Union

import torch
from torch import Tensor

from .. import _library, _plan, _user_plan

Sizes = tuple[int, ...]
Made = Union[tuple[Sizes, Sizes, torch.dtype], None]

_run_plan_at = _library.run_plan_at
_threads = torch.get_num_threads
_guards: Any = torch._C._dynamo.guards
_new = _guards._empty_strided_cpu  # does no more than allocate


class Run:
    """A plan for tensors as they came, and shapes, strides and types of its results; None for one that is not wanted.

    own: what it is found by, beside tensors.
    arguments: what its gradient is found by, beside tensors.
    """

    __slots__ = ("address", "arguments", "made", "own", "plan")

    def __init__(self, plan: _user_plan.Plan, own: Any, arguments: Any, outs: Sequence[Tensor | None]) -> None:
        self.plan, self.own, self.arguments = plan._prepared, own, arguments
        self.address = self.plan._plan
        self.made: list[Made] = [None if out is None else (tuple(out.shape), out.stride(), out.dtype) for out in outs]

    def fail(self, status: int) -> None:
        """Raises what the library refused."""
        _plan.fail(self.plan.call, status)


# ---- The runs that were found ----

runs: dict[Any, Run] = {}
calls: dict[Any, Run] = {}  # some of these runs, by calls of the functions that led to them
_plan.cache.fronts += [runs, calls]


def keep(key: Any, run: Run) -> Run:
    """Keeps a run, within the bounds of the package's cache of plans; at these all others go."""
    most = _plan.cache.MOST_LENGTH
    if run.plan.cost <= most:
        if len(runs) >= _plan.cache.MOST_PLANS or run.plan.cost + sum(r.plan.cost for r in [*runs.values()]) > most:
            runs.clear()
            calls.clear()
        runs[key] = run
    return run


def remember(call: Any, run: Run) -> None:
    """Lets calls like this one find their run, which is not kept for them alone."""
    if call is None or run.plan.cost > _plan.cache.MOST_LENGTH:
        return
    if len(calls) >= _plan.cache.MOST_PLANS:
        calls.clear()
    with contextlib.suppress(TypeError):  # a list is no key
        calls[call] = run


# ---- Resizes ----


def is_channels_last(tensor: Tensor) -> bool:
    """Does PyTorch give a resize of this tensor the memory format channels last?"""
    shape, strides = tensor.shape, tensor.stride()
    if len(shape) < 4 or strides[1] == 0:
        return False
    least = 0
    for axis in (1, *range(len(shape) - 1, 1, -1), 0):
        if shape[axis] == 0 or strides[axis] < least or (axis == 0 and least == strides[1]):
            return False
        least = strides[axis] * shape[axis]
    return True


def resized(tensor: Tensor, size: Sequence[Any], *_: Any) -> Tensor:
    """A new tensor for the result of a resize: in the memory format of the tensor that is resized."""
    shape = (*tensor.shape[:2], *size)
    if not is_channels_last(tensor):
        return tensor.new_empty(shape)
    last = torch.channels_last if len(shape) == 4 else torch.channels_last_3d
    return torch.empty(shape, dtype=tensor.dtype, device=tensor.device, memory_format=last)


def transposed(operator: str) -> str:
    """The name of a resize's gradient, or of the resize that a gradient belongs to."""
    return operator[: -len("_backward")] if operator.endswith("_backward") else f"{operator}_backward"


def _new_resize(key: Any, tensor: Tensor, size: Sizes, operator: str, align_corners: bool, scales: Any) -> Run:
    out = resized(tensor, size)
    options: dict[str, Any] = {"scales": scales or None}
    if "nearest" not in operator:
        options["align_corners"] = align_corners
    plan = _user_plan.Plan(operator, tensor.detach(), size, out=out, threads=_threads(), **options)
    own = (size, operator, align_corners, scales)
    return keep(key, Run(plan, own, (tensor.shape[2:], transposed(operator), align_corners, scales), [out]))


def find_resize(tensor: Tensor, size: Sizes, operator: str, align_corners: bool, scales: tuple[float, ...]) -> Run:
    """The run of a resize, or of the gradient of one, to these spatial sizes."""
    key = (operator, tensor.shape, tensor.stride(), tensor.dtype, size, align_corners, scales, _threads())
    return runs.get(key) or _new_resize(key, tensor, size, operator, align_corners, scales)


def run_resize(run: Run, tensor: Tensor) -> Tensor:
    """A resize, or the gradient of one."""
    out: Tensor = _new(*run.made[0])  # type: ignore[misc]
    status = _run_plan_at(run.address, tensor.data_ptr(), 0, 0, out.data_ptr(), 0)
    if status != 0:
        run.fail(status)
    return out


def resize(tensor: Tensor, size: Sequence[int], operator: str, align_corners: bool, scales: Sequence[float]) -> Tensor:
    """A resize, or the gradient of one, to these spatial sizes."""
    return run_resize(find_resize(tensor, tuple(size), operator, align_corners, tuple(scales)), tensor)


# ---- Grid samples ----


def sampled(input: Tensor, grid: Tensor, *_: Any) -> Tensor:
    """A new tensor for the result of a grid sample, contiguous as PyTorch's."""
    return input.new_empty((*input.shape[:2], *grid.shape[1:-1]))


def _look(tensor: Tensor) -> Any:
    return tensor.shape, tensor.stride(), tensor.dtype


def _named(mode: str, padding_mode: str, align_corners: bool) -> dict[str, Any]:
    return {"mode": mode, "padding_mode": padding_mode, "align_corners": align_corners, "threads": _threads()}


def find_sample(input: Tensor, grid: Tensor, *modes: Any) -> Run:
    """The run of a grid sample."""
    key = (_look(input), _look(grid), modes, _threads())
    run = runs.get(key)
    if run is None:
        out = sampled(input, grid)
        operator = f"grid_sampler_{input.dim() - 2}d"
        plan = _user_plan.Plan(operator, input.detach(), grid.detach(), out=out, **_named(*modes))
        run = keep(key, Run(plan, modes, modes, [out]))
    return run


def run_sample(run: Run, input: Tensor, grid: Tensor) -> Tensor:
    """A grid sample."""
    out: Tensor = _new(*run.made[0])  # type: ignore[misc]
    status = _run_plan_at(run.address, input.data_ptr(), grid.data_ptr(), 0, out.data_ptr(), 0)
    if status != 0:
        run.fail(status)
    return out


def _find_sample_gradient(grad: Tensor, input: Tensor, grid: Tensor, modes: Any, mask: tuple[bool, bool]) -> Run:
    key = (_look(grad), _look(input), _look(grid), modes, mask, _threads())
    run = runs.get(key)
    if run is None:
        outs = [like.new_empty(like.shape) if wanted else None for like, wanted in zip((input, grid), mask)]
        operator = f"grid_sampler_{input.dim() - 2}d_backward"
        arrays = [t.detach() for t in (grad, input, grid)]
        plan = _user_plan.Plan(operator, *arrays, out=outs, output_mask=mask, **_named(*modes))
        run = keep(key, Run(plan, modes, modes, outs))
    return run


def run_sample_gradient(
    grad: Tensor, input: Tensor, grid: Tensor, modes: Any, mask: tuple[bool, bool]
) -> tuple[Tensor | None, Tensor | None]:
    """The gradients of a grid sample; None for one that is not wanted. Tensors that were saved for it may come back
    with other strides, or another type, which is refused.
    """
    gradient = _find_sample_gradient(grad, input, grid, modes, mask)
    made_first, made_second = gradient.made
    first = None if made_first is None else _new(*made_first)
    second = None if made_second is None else _new(*made_second)
    status = _run_plan_at(
        gradient.address, grad.data_ptr(), input.data_ptr(), grid.data_ptr(),
        0 if first is None else first.data_ptr(), 0 if second is None else second.data_ptr(),
    )  # fmt: skip
    if status != 0:
        gradient.fail(status)
    return first, second


def sample(input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: bool) -> Tensor:
    """A grid sample."""
    return run_sample(find_sample(input, grid, mode, padding_mode, align_corners), input, grid)


def sample_gradients(
    grad: Tensor, input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: bool, mask: Sequence[bool]
) -> tuple[Tensor, Tensor]:
    """The gradients of a grid sample; a tensor without elements for one that is not wanted."""
    modes, wanted = (mode, padding_mode, align_corners), (mask[0], mask[1])
    found = run_sample_gradient(grad, input, grid, modes, wanted) if any(wanted) else (None, None)
    first, second = [grad.new_empty(0) if gradient is None else gradient for gradient in found]
    return first, second
