# SPDX-License-Identifier: Apache-2.0
"""The operators as PyTorch knows them, `torch.ops.regrad`, and the ways to call them.

A resize and its gradient are one operator under two names, since each is the gradient of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from . import _kernels

_new_library: Any = torch.library.Library
_library = _new_library("regrad", "DEF")
_library.define("resize(Tensor tensor, SymInt[] size, str operator, bool align_corners, float[] scales) -> Tensor")
_library.define("grid_sample(Tensor input, Tensor grid, str mode, str padding_mode, bool align_corners) -> Tensor")
_library.define(
    "grid_sample_backward(Tensor grad, Tensor input, Tensor grid, str mode, str padding_mode, bool align_corners,"
    " bool[] mask) -> (Tensor, Tensor)"
)
_resize: Any = torch.ops.regrad.resize.default
_sample: Any = torch.ops.regrad.grid_sample.default
_sample_backward: Any = torch.ops.regrad.grid_sample_backward.default


# ---- Which way a call takes ----

_KINDS = (Tensor, torch.nn.Parameter)
_strided = torch.strided
_is_compiling = torch.compiler.is_compiling
_is_transformed = torch._C._are_functorch_transforms_active
_n_modes = torch._C._len_torch_dispatch_stack
_is_tracing = torch._C._is_tracing
_has_storage = torch._C._has_storage
_is_grad_enabled = torch.is_grad_enabled


def is_eager() -> bool:
    """Does a call do nothing but compute?"""
    return not (_is_compiling() or _is_transformed() or _n_modes() or _is_tracing())


def is_traced() -> bool:
    """Is `torch.jit.trace` looking on? It would take our sizes for constants, but not the sizes of PyTorch's own."""
    return not _is_compiling() and _is_tracing()


def is_plain(tensor: Tensor) -> bool:
    """Are the elements of this tensor as they lie in memory of the CPU?"""
    return (
        type(tensor) in _KINDS
        and tensor.is_cpu
        and tensor.layout is _strided
        and not tensor.is_nested
        and not tensor.is_neg()
        and not tensor._is_zerotensor()
        and _has_storage(tensor)  # a batch of older transforms has none
    )


def _is_special(grad: Tensor) -> bool:
    """Is a gradient given that is to be differentiated, or is no plain tensor?"""
    return _is_grad_enabled() or not is_eager() or not is_plain(grad)


def resize(
    tensor: Tensor, size: Any, operator: str, align_corners: bool, scales: tuple[float, ...], *, call: Any = None
) -> Tensor:
    """A resize, or the gradient of one, to these spatial sizes; call: what calls like this one are known by."""
    if is_eager() and is_plain(tensor):
        run = _kernels.find_resize(tensor, tuple(size), operator, align_corners, tuple(scales))
        _kernels.remember(call, run)
        result: Tensor = apply_resize(tensor, run)
    elif _is_compiling() or not _is_transformed():
        result = _resize(tensor, size, operator, align_corners, scales)
    else:
        result = _Resize.apply(tensor, size, operator, align_corners, scales)
    return result


def sample(input: Tensor, grid: Tensor, *modes: Any, call: Any = None) -> Tensor:
    """A grid sample; modes: mode, padding_mode and align_corners; call: what calls like this one are known by."""
    if is_eager() and is_plain(input) and is_plain(grid):
        run = _kernels.find_sample(input, grid, *modes)
        _kernels.remember(call, run)
        result: Tensor = apply_sample(input, grid, run)
    elif _is_compiling() or not _is_transformed():
        result = _sample(input, grid, *modes)
    else:
        result = _Sample.apply(input, grid, *modes)
    return result


def _sample_gradients(*arguments: Any) -> tuple[Tensor, Tensor]:
    """Both gradients of a grid sample, which can be differentiated; without elements where not wanted."""
    is_ours = _is_compiling() or not _is_transformed()
    first, second = _sample_backward(*arguments) if is_ours else _SampleGradients.apply(*arguments)
    return first, second


# ---- Batches of vmap: they go into N ----


def _folded(tensor: Tensor, axis: int | None, size: int) -> Tensor:
    """A batch of tensors as one, with the batch in N; of a tensor without one as many copies."""
    batch = tensor.expand(size, *tensor.shape) if axis is None else tensor.movedim(axis, 0)
    return batch.flatten(0, 1)


def _unfolded(tensor: Tensor, size: int, like: Tensor, axis: int | None) -> Tensor:
    """The batch that was folded as `like`, whose N tells N here, also where the batch is empty."""
    is_first = axis is not None and axis % like.dim() == 0
    return tensor.reshape(size, like.shape[1 if is_first else 0], *tensor.shape[1:])


# ---- Resizes ----


class _Resize(torch.autograd.Function):
    """A resize or the gradient of one, for what transforms calls."""

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return _resize(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        tensor, _, operator, *options = inputs
        ctx.arguments = inputs[1:]
        ctx.transposed = (tensor.shape[2:], _kernels.transposed(operator), *options)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return resize(grad, *ctx.transposed), None, None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_: Any) -> Tensor:
        return resize(tangent, *ctx.arguments)

    @staticmethod
    def vmap(info: Any, in_dims: Any, tensor: Tensor, *arguments: Any) -> Any:
        result = resize(_folded(tensor, in_dims[0], info.batch_size), *arguments)
        return _unfolded(result, info.batch_size, tensor, in_dims[0]), 0


class _PlainResize(torch.autograd.Function):
    """The same for plain tensors, in the least time."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, run: _kernels.Run) -> Tensor:
        ctx.run = run
        return _kernels.run_resize(run, tensor)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        run = ctx.run
        if _is_special(grad):
            return resize(grad, *run.arguments), None
        return _kernels.run_resize(_kernels.find_resize(grad, *run.arguments), grad), None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_: Any) -> Tensor:
        return resize(tangent, *ctx.run.own)


# ---- Grid samples ----

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


def _second(
    grad: Tensor, input: Tensor, grid: Tensor, modes: Any, mask: Any, tangents: Sequence[Tensor | None]
) -> tuple[Any, ...]:
    """Gradients of the products of a grid sample's gradients with these tangents: PyTorch's, where it has them."""
    aten = torch.ops.aten
    function = aten.grid_sampler_2d_backward if input.dim() == 4 else aten.grid_sampler_3d_backward
    mode, padding_mode, align_corners = modes
    numbers = (_MODES.index(mode), _PADDINGS.index(padding_mode), align_corners, mask)

    def wanted(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple([g for g, is_wanted in zip(function(*tensors, *numbers), mask) if is_wanted])

    pull: Any = torch.func.vjp(wanted, grad, input, grid)[1]
    found: tuple[Any, ...] = pull(tuple([t for t, is_wanted in zip(tangents, mask) if is_wanted]))
    return found


class _Sample(torch.autograd.Function):
    """A grid sample, for what transforms calls."""

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return _sample(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        input, grid, *ctx.modes = inputs
        ctx.save_for_backward(input, grid)
        ctx.save_for_forward(input, grid)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        mask = ctx.needs_input_grad[:2]
        found = _sample_gradients(grad, *ctx.saved_tensors, *ctx.modes, mask)
        return (*[g if m else None for g, m in zip(found, mask)], None, None, None)

    @staticmethod
    def jvp(ctx: Any, input_tangent: Tensor | None, grid_tangent: Tensor | None, *_: Any) -> Any:
        """The gradient is linear in what it is given, so its own gradient is the derivative forwards."""
        input, grid = ctx.saved_tensors
        tangents = (input_tangent, grid_tangent)
        mask = [t is not None for t in tangents]
        return _second(_kernels.sampled(input, grid).zero_(), input, grid, ctx.modes, mask, tangents)[0]

    @staticmethod
    def vmap(info: Any, in_dims: Any, input: Tensor, grid: Tensor, *modes: Any) -> Any:
        n = info.batch_size
        result = sample(_folded(input, in_dims[0], n), _folded(grid, in_dims[1], n), *modes)
        return _unfolded(result, n, input, in_dims[0]), 0


class _PlainSample(torch.autograd.Function):
    """The same for plain tensors, in the least time."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, grid: Tensor, run: _kernels.Run) -> Tensor:
        ctx.modes = run.arguments
        ctx.save_for_backward(input, grid)
        ctx.save_for_forward(input, grid)
        return _kernels.run_sample(run, input, grid)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        input, grid = ctx.saved_tensors
        mask = ctx.needs_input_grad[:2]
        if _is_special(grad) or not is_plain(input) or not is_plain(grid):  # hooks may have saved others
            found: Any = _sample_gradients(grad, input, grid, *ctx.modes, mask)
            return (*[g if m else None for g, m in zip(found, mask)], None)
        first, second = _kernels.run_sample_gradient(grad, input, grid, ctx.modes, mask)
        return first, second, None

    jvp = _Sample.jvp


class _SampleGradients(torch.autograd.Function):
    """Both gradients of a grid sample."""

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return _sample_backward(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        *tensors, mode, padding_mode, align_corners, ctx.mask = inputs
        ctx.modes = (mode, padding_mode, align_corners)
        ctx.save_for_backward(*tensors)

    @staticmethod
    def backward(ctx: Any, *tangents: Tensor) -> Any:
        grad, input, grid = ctx.saved_tensors
        return (*_second(grad, input, grid, ctx.modes, ctx.mask, tangents), None, None, None, None)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *arguments: Any) -> Any:
        n = info.batch_size
        tensors = [_folded(t, axis, n) for t, axis in zip(arguments[:3], in_dims)]
        found = _sample_gradients(*tensors, *arguments[3:])
        return tuple([_unfolded(g, n, arguments[0], in_dims[0]) if g.dim() > 1 else g for g in found]), tuple(
            [0 if g.dim() > 1 else None for g in found]
        )


# What the functions' own `apply` does beside is for transforms.
apply_resize: Callable[..., Tensor] = super(torch.autograd.Function, _PlainResize).apply
apply_sample: Callable[..., Tensor] = super(torch.autograd.Function, _PlainSample).apply


# ---- What PyTorch is told of its operators ----


def _empty_gradients(grad: Tensor, input: Tensor, grid: Tensor, *rest: Any) -> tuple[Tensor, Tensor]:
    first, second = [t.new_empty(t.shape if wanted else 0) for t, wanted in zip((input, grid), rest[-1])]
    return first, second


def in_autocast(input: Tensor, grid: Tensor) -> tuple[Tensor, Tensor]:
    """The tensors of a grid sample as autocast has them: float32, but for float64."""
    first, second = [t if t.dtype is torch.float64 or not t.is_floating_point() else t.float() for t in (input, grid)]
    return first, second


def _autocast_sample(input: Tensor, grid: Tensor, *modes: Any) -> Any:
    with torch.autocast("cpu", enabled=False):
        return _sample(*in_autocast(input, grid), *modes)


def _register(name: str, kernel: Any, fake: Any, function: Any) -> None:
    library = torch.library
    _library.impl(name, kernel, "CPU")
    library.register_fake(f"regrad::{name}", fake, lib=_library)
    library.register_autograd(f"regrad::{name}", function.backward, setup_context=function.setup_context, lib=_library)
    if hasattr(library, "register_vmap"):  # since PyTorch 2.5
        library.register_vmap(f"regrad::{name}", function.vmap, lib=_library)


_register("resize", _kernels.resize, _kernels.resized, _Resize)
_register("grid_sample", _kernels.sample, _kernels.sampled, _Sample)
_register("grid_sample_backward", _kernels.sample_gradients, _empty_gradients, _SampleGradients)
_library.impl("grid_sample", _autocast_sample, "AutocastCPU")
