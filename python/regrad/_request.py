# SPDX-License-Identifier: Apache-2.0
"""From the arguments of a call to a plan and its arrays. Every operator has one function here, under its name in
OPERATORS, which is driven by the public function of this name and by `Plan`."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from operator import index
from typing import Any, Literal, NamedTuple, SupportsFloat, SupportsIndex, TypeVar, Union, get_args

import numpy as np

from . import _arrays, _library
from ._arrays import Array, ArrayLike, shown
from ._library import RESIZES, Resize, try_run
from ._plan import Call, Operand, Prepared, cache

Out = TypeVar("Out", bound=ArrayLike)
Sizes = Iterable[SupportsIndex]
Scales = Union[SupportsFloat, Iterable[Union[SupportsFloat, None]]]
Coordinates = Literal["half_pixel", "align_corners", "asymmetric"]
Law = Literal["forward", "gather"]
Mode = Literal["bilinear", "nearest", "bicubic"]
PaddingMode = Literal["zeros", "border", "reflection"]
COORDINATES, LAWS, MODES, PADDINGS = get_args(Coordinates), get_args(Law), get_args(Mode), get_args(PaddingMode)


class Request(NamedTuple):
    """A call that was looked at: what its plan depends on, how to state that to the library, and its arrays."""

    key: tuple[Any, ...]
    state: Callable[[], Call]
    inputs: tuple[Array, ...]
    outs: tuple[Any, ...]  # as they were given; None where a new array is wanted, or none
    views: tuple[Array | None, ...]  # their memory


def planned(request: Request) -> Prepared:
    """The plan of a request, from the cache if it is there."""
    plan = cache.get(request.key)
    if plan is None:
        generation = cache.generation
        plan = Prepared(request.state())
        cache.put(request.key, plan, generation)
    return plan


def run(request: Request) -> Any:
    """What the operator's function returns."""
    plan = planned(request)
    _, _, inputs, outs, views = request
    found = try_run(plan.address, inputs, outs)
    return plan.finish(inputs, outs, views) if found is None else found


# ---- Arguments ----


def _view(value: Any, op: str, name: str) -> Array:
    return value if type(value) is np.ndarray else _arrays.view(value, f"{op}: {name}")


def _view_result(value: Any, op: str, name: str) -> Array | None:
    if value is None or (type(value) is np.ndarray and value.flags.writeable):
        return value
    return _arrays.view_result(value, f"{op}: {name}")


def _look(array: Array | None) -> Any:
    return None if array is None else (array.shape, array.strides, array.dtype)


def in_order(values: Any) -> Iterator[Any]:
    """The values of a sequence. Sets have no order, dicts are no values, and bytes are no numbers that anyone means."""
    if type(values) is not tuple and isinstance(values, (Set, Mapping, bytes, bytearray)):
        raise TypeError
    return iter(values)


def _sizes(value: Any, op: str, name: str) -> tuple[int, ...] | None:
    if value is None:
        return None
    try:
        return tuple([int(index(size)) for size in in_order(value)])
    except TypeError:
        raise TypeError(f"{op}: {name} is {shown(value)}, wanted a sequence of whole numbers") from None


_NUMBERS = (int, float, np.integer, np.floating)


def _number(value: Any) -> float:
    if isinstance(value, _NUMBERS):
        return float(value)
    raise TypeError


def _single(value: Any) -> float:
    return ctypes.c_float(_number(value)).value


def _check_sizes(op: str, name: str, sizes: tuple[int, ...]) -> None:
    for k, size in enumerate(sizes):
        if not 0 <= size < 2**63:
            raise ValueError(f"{op}: {name}[{k}] is {shown(size)}, wanted a size, of 2**63 - 1 at most")


_NO_SCALE = 0.0  # what the library takes for: the sizes decide


def _scales(value: Any, n: int, op: str, number: Callable[[Any], float] = _number) -> tuple[float, ...] | None:
    """The scales of n axes, from a number or a sequence."""
    if value is None:
        return None
    try:
        given = [value] if isinstance(value, _NUMBERS) else list(in_order(value))
        found = [_NO_SCALE if scale is None else number(scale) for scale in given]
    except (TypeError, OverflowError):
        raise TypeError(f"{op}: scales is {shown(value)}, wanted {'a number' if n == 1 else f'{n} numbers'}") from None
    if len(found) == 1:
        given, found = given * n, found * n
    if len(found) != n:
        raise ValueError(f"{op}: scales has {len(found)} values, wanted {n}")
    for k, scale in enumerate(found):
        if scale <= 0 and given[k] is not None:
            wanted = "wanted a positive number, or None, with which the sizes decide"
            raise ValueError(f"{op}: {_name_of_scale(k, n)} is {given[k]:g}, {wanted}")
    return tuple(found)


def _name_of_scale(k: int, n: int) -> str:
    return "scales" if n == 1 else f"scales[{k}]"


def _choice(value: Any, op: str, name: str, names: tuple[str, ...]) -> int:
    if isinstance(value, str) and value in names:
        return names.index(value)
    raise ValueError(f"{op}: {name} is {shown(value)}, wanted {' or '.join(repr(n) for n in names)}")


def _is_true(value: Any, op: str, name: str) -> bool:
    if value is True or value is False or isinstance(value, np.bool_):
        return bool(value)
    raise TypeError(f"{op}: {name} is {shown(value)}, wanted True or False")


def _operand(
    array: Array, op: str, name: str, place: int, rank: int, is_output: bool = False, takes_bytes: bool = False
) -> Operand:
    where = f"{op}: {name}"
    _arrays.check_dtype(array, where, takes_bytes)
    if array.ndim != rank:
        raise ValueError(f"{where} has {array.ndim} dimensions, wanted {rank}")
    tensor = _arrays.tensor(array, name, where)
    return Operand(name, is_output, place, array.shape, array.dtype, False, tensor)


def _result(
    given: Array | None, op: str, name: str, place: int, shape: tuple[int, ...], dtype: Any, channels_last: bool
) -> Operand:
    """A result that was given, or will be made."""
    if given is not None:
        return _operand(given, op, name, place, len(shape), True, dtype == np.uint8)
    tensor = _library.Tensor(dtype=_arrays.code_of(dtype), rank=len(shape), name=name.encode())
    order = (0, *range(2, len(shape)), 1) if channels_last else range(len(shape))
    step = 1
    for axis in reversed(tuple(order)):
        tensor.shape[axis], tensor.stride[axis] = shape[axis], step
        step *= max(shape[axis], 1)
        if shape[axis] < 0 or step * dtype.itemsize >= 2**63:
            raise ValueError(f"{op}: {name} would have the shape {shape}, wanted sizes of an array that there can be")
    return Operand(name, True, place, shape, dtype, channels_last, tensor)


# ---- Resizes ----


def _names_of_scales(n: int) -> dict[str, str]:
    """What the library's sentences call scales, and what a caller does."""
    axes = "l" if n == 1 else "dhw"[3 - n :]
    return {f"scale_{axis}": _name_of_scale(k, n) for k, axis in enumerate(axes)}


def _names_of_sizes(theirs: str, ours: str, n_given: int, rank: int) -> dict[str, str]:
    """The same of sizes: the library counts N and C too, and a caller may not."""
    return {f"{theirs}[{rank - n_given + k}]": f"{ours}[{k}]" for k in range(n_given)}


def _result_shape(
    op: str, array: Array, name: str, sizes: tuple[int, ...] | None, result: Array | None, n_axes: int
) -> tuple[int, ...]:
    """The result's, of the sizes that a caller states, or those of `out`."""
    if sizes is None:
        if result is None:
            others = "scales or out" if name == "output_size" else "out"
            raise TypeError(f"{op}: {name} is None, wanted {n_axes} or {n_axes + 2} sizes, or {others}")
        if result.ndim != n_axes + 2:
            raise ValueError(f"{op}: out has {result.ndim} dimensions, wanted {n_axes + 2}")
        return tuple(result.shape)
    _check_sizes(op, name, sizes)
    if len(sizes) == n_axes:
        sizes = array.shape[:2] + sizes
    elif len(sizes) != n_axes + 2:
        raise ValueError(f"{op}: {name} has {len(sizes)} sizes, wanted {n_axes} or {n_axes + 2}")
    if result is not None and result.shape != sizes:
        raise ValueError(f"{op}: out.shape is {shown(result.shape)}, wanted {sizes} ({name})")
    return sizes


def _scaled(op: str, array: Array, scales: tuple[float, ...]) -> tuple[int, ...]:
    """The sizes of a forward's output that scales give, as PyTorch finds them."""
    found = []
    for k, (size, scale) in enumerate(zip(array.shape[2:], scales)):
        where = _name_of_scale(k, len(scales))
        if scale == _NO_SCALE:
            raise ValueError(f"{op}: {where} is None, wanted a number, or output_size")
        product = size * scale
        if not math.isfinite(product) or product >= 2**62 or (size > 0 and product < 1):
            wanted = f"wanted one with which input.shape[{k + 2}], {size}, becomes a size of 1 or more"
            raise ValueError(f"{op}: {where} is {scale:g}, {wanted}")
        found.append(math.floor(product))
    return tuple(found)


def _resize(op: Resize, source: Any, size: Any, coordinates: int, law: int, scales: Any, out: Any) -> Request:
    name, rank = op.name, op.n_axes + 2
    source_name, size_name = ("grad_output", "input_size") if op.is_backward else ("input", "output_size")
    array, result = _view(source, name, source_name), _view_result(out, name, "out")
    sizes, factors = _sizes(size, name, size_name), _scales(scales, op.n_axes, name)
    if sizes is None and result is None and factors is not None and not op.is_backward and array.ndim == rank:
        sizes = _scaled(name, array, factors)

    def state() -> Call:
        given = _operand(array, name, source_name, 0, rank, takes_bytes=op.takes_bytes)
        shape = _result_shape(name, array, size_name, sizes, result, op.n_axes)
        wanted = _result(result, name, "out", 0, shape, array.dtype, _arrays.has_channels_last(array))
        floats = None if factors is None else (ctypes.c_double * op.n_axes)(*factors)
        names = {} if sizes is None else _names_of_sizes("out.shape", size_name, len(sizes), rank)
        names.update(_names_of_scales(op.n_axes))
        return Call(name, (given.tensor, wanted.tensor, coordinates, law, floats), (given,), (wanted,), names)

    key = (name, array.shape, array.strides, array.dtype, sizes, coordinates, law, factors, _look(result))
    return Request(key, state, (array,), (out,), (result,))


def _coordinates(op: Resize, align_corners: Any, coordinates: Any) -> int:
    align = _is_true(align_corners, op.name, "align_corners")
    if coordinates is None:
        return 1 if align else 0
    names = COORDINATES if op.takes_asymmetric else COORDINATES[:2]
    chosen = _choice(coordinates, op.name, "coordinates", names)
    if align and chosen != 1:
        raise ValueError(f"{op.name}: coordinates is {coordinates!r} and align_corners True, wanted one of both")
    return chosen


def _named(request: Callable[..., Request], name: str) -> Callable[..., Request]:
    """A function under the name that the interpreter's own errors have, of a missing argument for instance."""
    request.__name__ = request.__qualname__ = name
    return request


def _by_coordinates(op: Resize) -> Callable[..., Request]:
    def forward(
        input: ArrayLike,
        output_size: Sizes | None = None,
        *,
        align_corners: bool = False,
        scales: Scales | None = None,
        coordinates: Coordinates | None = None,
        out: Out | None = None,
    ) -> Request:
        return _resize(op, input, output_size, _coordinates(op, align_corners, coordinates), 0, scales, out)

    def backward(
        grad_output: ArrayLike,
        input_size: Sizes | None,
        *,
        align_corners: bool = False,
        scales: Scales | None = None,
        coordinates: Coordinates | None = None,
        out: Out | None = None,
    ) -> Request:
        return _resize(op, grad_output, input_size, _coordinates(op, align_corners, coordinates), 0, scales, out)

    return _named(backward if op.is_backward else forward, op.name)


def _by_law(op: Resize) -> Callable[..., Request]:
    def forward(
        input: ArrayLike,
        output_size: Sizes | None = None,
        *,
        scales: Scales | None = None,
        law: Law = "forward",
        out: Out | None = None,
    ) -> Request:
        return _resize(op, input, output_size, 0, _choice(law, op.name, "law", LAWS), scales, out)

    def backward(
        grad_output: ArrayLike,
        input_size: Sizes | None,
        *,
        scales: Scales | None = None,
        law: Law = "forward",
        out: Out | None = None,
    ) -> Request:
        return _resize(op, grad_output, input_size, 0, _choice(law, op.name, "law", LAWS), scales, out)

    return _named(backward if op.is_backward else forward, op.name)


# ---- Graph operators ----


def _shape_of(value: Any, op: str, name: str) -> Any:
    """The shape of an array, or the value, which then is a shape itself."""
    try:
        return _view(value, op, name).shape
    except TypeError:  # of a type or on a device that is not taken, perhaps: only the shape counts
        return getattr(value, "shape", value)


def resize_bilinear_v2_grad(
    grads: Any, original_image: Any, *, align_corners: Any = False, half_pixel_centers: Any = False,
    scales: Any = None, out: Any = None,
) -> Request:  # fmt: skip
    op = "resize_bilinear_v2_grad"
    array, result = _view(grads, op, "grads"), _view_result(out, op, "out")
    align, half = _is_true(align_corners, op, "align_corners"), _is_true(half_pixel_centers, op, "half_pixel_centers")
    factors = _scales(scales, 2, op, _single)
    sizes = _sizes(_shape_of(original_image, op, "original_image"), op, "original_image")
    if sizes is None:
        raise TypeError(f"{op}: original_image is None, wanted an array, or its shape")

    def state() -> Call:
        given = _operand(array, op, "grads", 0, 4)
        _check_sizes(op, "original_image.shape", sizes)
        if len(sizes) != 4:
            raise ValueError(f"{op}: original_image has {len(sizes)} dimensions, wanted 4")
        image = _result(None, op, "original_image", 1, sizes, array.dtype, False).tensor
        wanted = _result(result, op, "out", 0, sizes, array.dtype, _arrays.has_channels_last(array))
        floats = None if factors is None else (ctypes.c_float * 2)(*factors)
        arguments = (given.tensor, image, align, half, floats, wanted.tensor)
        names = {"original_image.dtype": "grads.dtype"}
        if result is None:
            names["out.shape"] = "original_image.shape"
        return Call(op, arguments, (given,), (wanted,), names)

    key = (op, array.shape, array.strides, array.dtype, sizes, align, half, factors, _look(result))
    return Request(key, state, (array,), (out,), (result,))


def upsample_nearest_exact2d_grad(
    grad_output: Any, output_size: Any, input_size: Any, *, scales: Any = None, out: Any = None
) -> Request:
    op = "upsample_nearest_exact2d_grad"
    array, result = _view(grad_output, op, "grad_output"), _view_result(out, op, "out")
    factors = _scales(scales, 2, op, _single)
    sizes, outputs = _sizes(input_size, op, "input_size"), _sizes(output_size, op, "output_size")
    if sizes is None or outputs is None:
        raise TypeError(f"{op}: {'input_size' if sizes is None else 'output_size'} is None, wanted sizes")

    def state() -> Call:
        given = _operand(array, op, "grad_output", 0, 4)
        if len(outputs) != 2:
            raise ValueError(f"{op}: output_size has {len(outputs)} sizes, wanted 2")
        _check_sizes(op, "output_size", outputs)
        shape = _result_shape(op, array, "input_size", sizes, result, 2)
        wanted = _result(result, op, "out", 0, shape, array.dtype, _arrays.has_channels_last(array))
        int64 = ctypes.c_int64
        arguments = (
            given.tensor, (int64 * 2)(*outputs), (int64 * 4)(*shape), *(factors or (_NO_SCALE,) * 2), wanted.tensor,
        )  # fmt: skip
        names = {"scales_h": "scales[0]", "scales_w": "scales[1]"}
        for theirs in ("input_size", "out.shape"):
            names.update(_names_of_sizes(theirs, "input_size", len(sizes), 4))
        return Call(op, arguments, (given,), (wanted,), names)

    key = (op, array.shape, array.strides, array.dtype, outputs, sizes, factors, _look(result))
    return Request(key, state, (array,), (out,), (result,))


# ---- Grid sample ----

_OF_GRIDS = {"interpolation": "mode", "padding is": "padding_mode is"}


def _grid_modes(op: str, mode: Any, padding_mode: Any, align_corners: Any) -> tuple[int, int, bool]:
    return (
        _choice(mode, op, "mode", MODES),
        _choice(padding_mode, op, "padding_mode", PADDINGS),
        _is_true(align_corners, op, "align_corners"),
    )


def _pair(values: Any, op: str, name: str) -> tuple[Any, Any]:
    """What a caller states of both gradients of a grid sample."""
    if type(values) is tuple and len(values) == 2:
        return values
    try:
        found = tuple(in_order(values))
    except TypeError:
        raise TypeError(f"{op}: {name} is {shown(values)}, wanted 2 values, of input_grad and grid_grad") from None
    if len(found) != 2:
        raise ValueError(f"{op}: {name} has {len(found)} values, wanted 2, of input_grad and grid_grad")
    return found


def pair_of_outs(out: Any, op: str) -> tuple[Any, Any]:
    """The same of `out`: None stands for new arrays."""
    return (None, None) if out is None else _pair(out, op, "out")


def _sample(op: str, rank: int) -> Callable[..., Request]:
    def request(
        input: ArrayLike,
        grid: ArrayLike,
        *,
        mode: Mode = "bilinear",
        padding_mode: PaddingMode = "zeros",
        align_corners: bool = False,
        out: Out | None = None,
    ) -> Request:
        image, points, result = _view(input, op, "input"), _view(grid, op, "grid"), _view_result(out, op, "out")
        modes = _grid_modes(op, mode, padding_mode, align_corners)

        def state() -> Call:
            given = (_operand(image, op, "input", 0, rank), _operand(points, op, "grid", 1, rank))
            shape = image.shape[:2] + points.shape[1:-1]
            channels_last = _arrays.has_channels_last(image)
            wanted = _result(result, op, "out", 0, shape, image.dtype, channels_last)
            arguments = (given[0].tensor, given[1].tensor, *modes, wanted.tensor)
            return Call(op, arguments, given, (wanted,), _OF_GRIDS)

        key = (op, _look(image), _look(points), modes, _look(result))
        return Request(key, state, (image, points), (out,), (result,))

    return _named(request, op)


def _sample_backward(op: str, rank: int) -> Callable[..., Request]:
    def request(
        grad_output: ArrayLike,
        input: ArrayLike,
        grid: ArrayLike,
        *,
        mode: Mode = "bilinear",
        padding_mode: PaddingMode = "zeros",
        align_corners: bool = False,
        output_mask: Sequence[bool] = (True, True),
        out: Sequence[ArrayLike | None] | None = None,
    ) -> Request:
        gradient = _view(grad_output, op, "grad_output")
        image, points = _view(input, op, "input"), _view(grid, op, "grid")
        modes = _grid_modes(op, mode, padding_mode, align_corners)
        for_input, for_grid = _pair(output_mask, op, "output_mask")
        mask = (_is_true(for_input, op, "output_mask[0]"), _is_true(for_grid, op, "output_mask[1]"))
        outs = pair_of_outs(out, op)
        views = (
            _view_result(outs[0], op, "out[0]") if mask[0] else None,
            _view_result(outs[1], op, "out[1]") if mask[1] else None,
        )

        def state() -> Call:
            given = (
                _operand(gradient, op, "grad_output", 0, rank),
                _operand(image, op, "input", 1, rank),
                _operand(points, op, "grid", 2, rank),
            )
            wanted = []
            for k, like in enumerate((image, points)):
                last = k == 0 and _arrays.has_channels_last(like)
                result = _result(views[k], op, f"out[{k}]", k, like.shape, like.dtype, last) if mask[k] else None
                wanted.append(result)
            tensors = [None if w is None else w.tensor for w in wanted]
            arguments = (*(g.tensor for g in given), *modes, *tensors)
            return Call(op, arguments, given, tuple(wanted), _OF_GRIDS)

        key = (op, _look(gradient), _look(image), _look(points), modes, mask, _look(views[0]), _look(views[1]))
        return Request(key, state, (gradient, image, points), outs, views)

    return _named(request, op)


OPERATORS: dict[str, Callable[..., Request]] = {
    **{name: _by_law(op) if op.takes_law else _by_coordinates(op) for name, op in RESIZES.items()},
    "resize_bilinear_v2_grad": resize_bilinear_v2_grad,
    "upsample_nearest_exact2d_grad": upsample_nearest_exact2d_grad,
    "grid_sampler_2d": _sample("grid_sampler_2d", 4),
    "grid_sampler_2d_backward": _sample_backward("grid_sampler_2d_backward", 4),
    "grid_sampler_3d": _sample("grid_sampler_3d", 5),
    "grid_sampler_3d_backward": _sample_backward("grid_sampler_3d_backward", 5),
}


def request_of(where: str, operator: Any) -> Callable[..., Request]:
    """The function of an operator's name."""
    if not isinstance(operator, str) or operator not in OPERATORS:
        raise ValueError(f"{where}: operator is {shown(operator)}, wanted one of: {', '.join(OPERATORS)}")
    return OPERATORS[operator]
