# SPDX-License-Identifier: Apache-2.0
"""The operators for arrays of Dask, chunk by chunk: for data larger than memory, and on more than one machine.

Each function takes what the function of its name in `regrad` takes, except `out`, and returns an array of Dask. Nothing
is computed before its `compute`, but wrong arguments are refused at once.

>>> import dask.array, numpy as np, regrad.dask
>>> images = dask.array.ones((6, 3, 64, 48), chunks=(2, 3, 64, 48), dtype=np.float32)
>>> halves = regrad.dask.upsample_bilinear2d_aa(images, (32, 24))
>>> halves.chunks
((2, 2, 2), (3,), (32,), (24,))
>>> float(halves.sum().compute())
13824.0

The results have the bits of `regrad`'s own, whatever the chunks, the workers and their threads.

Chunks divide N and C, and of a grid also its points. An array that is divided along another axis is rechunked, and a
RechunkWarning says so. Arrays in memory, NumPy's for instance, count as one chunk and may be mixed with Dask's.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Protocol, Union, cast

import numpy as np

import regrad

from . import _arrays, _functions, _library, _request
from ._arrays import Array, ArrayLike, shown
from ._functions import Coordinates_contra, Mode_contra
from ._plan import Operand, Prepared
from ._request import Coordinates, Law, Mode, PaddingMode, Scales, Sizes

try:
    import dask.array as da
except ImportError as error:
    raise ImportError("regrad.dask needs Dask: pip install 'dask[array]'") from error

__all__ = ["RechunkWarning"]
__all__ += _functions.__all__

Chunked = Union[da.Array, ArrayLike]
ChannelChunks = Literal["join", "sum"]
Aligned = Literal["half_pixel", "align_corners"]
Mode3d = Literal["bilinear", "nearest"]


class RechunkWarning(UserWarning):
    """Chunks were joined along an axis that an operator needs whole."""


# ---- Arguments ----


def _chunked(value: Any, op: str, name: str) -> da.Array:
    """An argument as an array of Dask; one in memory is a single chunk."""
    where = f"{op}: {name}"
    if not isinstance(value, da.Array):
        one: da.Array = da.from_array(_arrays.view(value, where), chunks=-1)
        return one
    if any(map(math.isnan, value.shape)):
        wanted = "wanted sizes that are known; array.compute_chunk_sizes() finds them"
        raise ValueError(f"{where}.shape is {shown(value.shape)}, {wanted}")
    _arrays.view(da.utils.meta_from_array(value), where)  # refuses chunks of masked arrays or on another device
    return value


def _bind(op: str, signature: inspect.Signature, arrays: Sequence[str], given: Any, options: Any) -> dict[str, Any]:
    """The arguments of a call by their names, arrays as Dask's, and iterators as what they yield."""
    try:
        bound = signature.bind(*given, **options).arguments
    except TypeError as error:
        raise TypeError(f"{op}: {error}") from None
    for name, value in bound.items():
        if name in arrays or (name == "original_image" and isinstance(value, da.Array)):
            bound[name] = _chunked(value, op, name)
        elif isinstance(value, da.Array):
            raise TypeError(f"{op}: {name} is an array of Dask, wanted a value that is known; compute it first")
        elif isinstance(value, Iterator):
            bound[name] = tuple(value)
    return bound


def _plan_results(op: str, arguments: dict[str, Any]) -> tuple[Operand | None, ...]:
    """The results' shapes and types, by a plan for the arrays as wholes, which refuses what the operator refuses."""
    stand_ins = {
        name: np.broadcast_to(np.zeros((), value.dtype), value.shape) if isinstance(value, da.Array) else value
        for name, value in arguments.items()
    }
    return Prepared(_request.OPERATORS[op](**stand_ins).state()).call.results


def _joined(array: da.Array, axes: Sequence[int], op: str, name: str, instead: str) -> da.Array:
    """The array, whole along these axes."""
    divided = [axis for axis in axes if array.numblocks[axis] > 1]
    if not divided:
        return array
    joined: da.Array = array.rechunk(dict.fromkeys(divided, -1))
    largest = array.dtype.itemsize * int(np.prod([max(sizes) for sizes in joined.chunks]))
    which = f"axis {divided[0]}" if len(divided) == 1 else f"axes {', '.join(map(str, divided))}"
    warnings.warn(
        f"{op}: {name} is divided along {which}, whose chunks are joined to chunks of up to {largest} bytes; {instead}",
        RechunkWarning,
        stacklevel=4,  # the line that called the operator
    )
    return joined


# ---- What is computed for a chunk ----


def _array(chunk: Any) -> Array:
    """A chunk as the library takes it.

    Along axes that the result has not, Dask gives lists of chunks; these axes are whole. What came over the network may
    lie at any address.
    """
    while isinstance(chunk, list):
        (chunk,) = chunk
    is_odd = isinstance(chunk, np.ndarray) and chunk.ctypes.data % chunk.itemsize != 0
    array: Array = chunk.copy() if is_odd else chunk
    return array


def _resize_chunk(chunk: Array, op: str, size_name: str, sizes: tuple[int, ...], options: dict[str, Any]) -> Array:
    options = {**options, size_name: (*chunk.shape[:2], *sizes)}
    result: Array = getattr(regrad, op)(_array(chunk), **options)
    return result


def _sample_chunk(image: Any, grid: Any, op: str, options: dict[str, Any]) -> Array:
    result: Array = getattr(regrad, op)(_array(image), _array(grid), **options)
    return result


def _input_grad_chunk(gradient: Any, grid: Any, op: str, sizes: tuple[int, ...], options: dict[str, Any]) -> Array:
    gradient = _array(gradient)
    image = np.broadcast_to(np.zeros((), gradient.dtype), (*gradient.shape[:2], *sizes))  # only its shape counts
    result: Array = getattr(regrad, op)(gradient, image, _array(grid), output_mask=(True, False), **options)[0]
    return result


def _grid_grad_chunk(gradient: Any, image: Any, grid: Any, op: str, options: dict[str, Any]) -> Array:
    arrays = (_array(gradient), _array(image), _array(grid))
    result: Array = getattr(regrad, op)(*arrays, output_mask=(False, True), **options)[1]
    return result


def _precise(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which the library computes."""
    return np.dtype(np.float32) if dtype.itemsize == 2 else dtype


def _grid_grad_part(*arrays: Any, op: str, options: dict[str, Any]) -> Array:
    """The part of a chunk of channels, along a new first axis, not rounded to 16 bits."""
    whole = [_array(array) for array in arrays]
    gradient, image, grid = (array.astype(_precise(array.dtype)) for array in whole)
    return _grid_grad_chunk(gradient, image, grid, op, options)[None]


def _sum_parts(parts: list[Array], result: np.dtype[Any]) -> Array:
    """The sum in increasing order of channels, rounded once. NaN is stored as the library stores it."""
    with np.errstate(all="ignore"):
        total: Array = sum((part[0] for part in parts[1:]), start=parts[0][0]).astype(result)
    total[np.isnan(total)] = np.nan
    return total


# ---- Graphs ----

_SPATIAL, _POINTS = "dhw", "xyz"  # letters of axes; n, c and k are those of samples, channels and coordinates
_FOR_IMAGES = "wanted chunks of whole images, which divide axes 0 and 1 alone"
_FOR_COORDINATES = "wanted chunks of whole points"
_FOR_POINTS = "wanted chunks of all points of a sample, for input_grad, which is a sum over them"
_FOR_CHANNELS = (
    "wanted chunks of all channels, for grid_grad, which is a sum over them, or channel_chunks='sum', which adds chunks"
)


def _blockwise(function: Callable[..., Array], token: str, axes: str, *arrays: Any, dtype: Any, **options: Any) -> Any:
    """An array whose chunks a function computes. `arrays` has arrays and the letters of their axes, in turns."""
    meta = np.empty((0,) * len(axes), dtype)
    return da.blockwise(function, axes, *arrays, token=token, dtype=dtype, meta=meta, **options)


def _resize(op: str, arguments: dict[str, Any]) -> Any:
    (result,) = _plan_results(op, arguments)
    assert result is not None
    source, *_, size_name = _positional(op)
    sizes, n_axes = result.shape[2:], len(result.shape) - 2
    array = _joined(arguments.pop(source), range(2, 2 + n_axes), op, source, _FOR_IMAGES)
    arguments.pop(size_name, None)
    axes = f"nc{_SPATIAL[:n_axes]}"
    return _blockwise(
        _resize_chunk, op, axes, array, axes, dtype=result.dtype, adjust_chunks=dict(zip(axes[2:], sizes)),
        op=op, size_name=size_name, sizes=sizes, options=arguments,
    )  # fmt: skip


def _sample(op: str, arguments: dict[str, Any]) -> Any:
    _plan_results(op, arguments)
    image, grid = arguments.pop("input"), arguments.pop("grid")
    n_axes = grid.ndim - 2
    image = _joined(image, range(2, 2 + n_axes), op, "input", _FOR_IMAGES)
    grid = _joined(grid, [1 + n_axes], op, "grid", _FOR_COORDINATES)
    spatial, points = _SPATIAL[:n_axes], _POINTS[:n_axes]
    return _blockwise(
        _sample_chunk, op, f"nc{points}", image, f"nc{spatial}", grid, f"n{points}k", dtype=image.dtype,
        op=op, options=arguments,
    )  # fmt: skip


def _sample_backward(op: str, arguments: dict[str, Any]) -> tuple[Any, Any]:
    adds = _adds_channel_chunks(op, arguments)
    wanted = _plan_results(op, arguments)
    arguments.pop("output_mask", None)
    gradient, image, grid = (arguments.pop(name) for name in _positional(op))
    n_axes = grid.ndim - 2
    grid = _joined(grid, [1 + n_axes], op, "grid", _FOR_COORDINATES)
    input_grad = grid_grad = None
    if wanted[0] is not None:
        its_gradient = _joined(gradient, range(2, 2 + n_axes), op, "grad_output", _FOR_POINTS)
        its_grid = _joined(grid, range(1, 1 + n_axes), op, "grid", _FOR_POINTS)
        input_grad = _input_grad(op, its_gradient, its_grid, image.shape[2:], arguments)
    if wanted[1] is not None:
        image = _joined(image, range(2, 2 + n_axes), op, "input", _FOR_IMAGES)
        if not adds:
            gradient = _joined(gradient, [1], op, "grad_output", _FOR_CHANNELS)
            image = _joined(image, [1], op, "input", _FOR_CHANNELS)
        grid_grad = _grid_grad(op, gradient, image, grid, arguments)
    return input_grad, grid_grad


def _adds_channel_chunks(op: str, arguments: dict[str, Any]) -> bool:
    """Takes `channel_chunks` out of the arguments. Is grid_grad to be a sum over the chunks of C?"""
    given = arguments.pop("channel_chunks", "join")
    if not isinstance(given, str) or given not in ("join", "sum"):
        raise ValueError(f"{op}: channel_chunks is {shown(given)}, wanted 'join' or 'sum'")
    if given == "sum" and arguments["grid"].dtype.fields:
        raise TypeError(f"{op}: channel_chunks is 'sum', which adds bfloat16; wanted ml_dtypes installed, or 'join'")
    return given == "sum"


def _input_grad(op: str, gradient: Any, grid: Any, sizes: tuple[int, ...], options: dict[str, Any]) -> Any:
    spatial, points = _SPATIAL[: len(sizes)], _POINTS[: len(sizes)]
    return _blockwise(
        _input_grad_chunk, f"{op}-input_grad", f"nc{spatial}", gradient, f"nc{points}", grid, f"n{points}k",
        dtype=gradient.dtype, new_axes=dict(zip(spatial, sizes)), op=op, sizes=sizes, options=options,
    )  # fmt: skip


def _grid_grad(op: str, gradient: Any, image: Any, grid: Any, options: dict[str, Any]) -> Any:
    n_axes, dtype, token = grid.ndim - 2, grid.dtype, f"{op}-grid_grad"
    points = _POINTS[:n_axes]
    axes = f"n{points}k"
    arrays = (gradient, f"nc{points}", image, f"nc{_SPATIAL[:n_axes]}", grid, axes)
    if gradient.numblocks[1] == image.numblocks[1] == 1:
        return _blockwise(_grid_grad_chunk, token, axes, *arrays, dtype=dtype, op=op, options=options)
    parts = _blockwise(
        _grid_grad_part, f"{token}-parts", f"c{axes}", *arrays, dtype=_precise(dtype), adjust_chunks={"c": 1},
        op=op, options=options,
    )  # fmt: skip
    return _blockwise(_sum_parts, token, axes, parts, f"c{axes}", dtype=dtype, result=dtype)


# ---- The functions ----

_IS_SAMPLE = {"grid_sampler_2d", "grid_sampler_2d_backward", "grid_sampler_3d", "grid_sampler_3d_backward"}


def _positional(op: str) -> list[str]:
    """The names of an operator's arguments that may come without them: arrays, and of a resize sizes, the last ones."""
    parameters = inspect.signature(getattr(regrad, op)).parameters.values()
    return [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]


def _signature(op: str) -> inspect.Signature:
    """That of the function in `regrad`, with an option for a gradient of a grid, and without `out`."""
    found = [p for p in inspect.signature(getattr(regrad, op)).parameters.values() if p.name != "out"]
    result = "dask.array.Array"
    if op in _IS_SAMPLE and op.endswith("_backward"):
        kind = inspect.Parameter.KEYWORD_ONLY
        found.append(inspect.Parameter("channel_chunks", kind, default="join", annotation="ChannelChunks"))
        result = f"tuple[{result} | None, {result} | None]"
    typed = [p.replace(annotation=str(p.annotation).replace("ArrayLike", "Chunked")) for p in found]
    return inspect.Signature(typed, return_annotation=result)


def _function(op: str, build: Callable[[str, dict[str, Any]], Any], n_arrays: int, doc: str) -> Any:
    """The function of an operator, whose first arguments are arrays and whose graph `build` makes."""
    signature, arrays = _signature(op), _positional(op)[:n_arrays]

    def chunked(*given: Any, **options: Any) -> Any:
        return build(op, _bind(op, signature, arrays, given, options))

    function: Any = chunked
    function.__name__ = function.__qualname__ = op
    function.__doc__ = doc
    function.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    function.__annotations__["return"] = signature.return_annotation
    function.__signature__ = signature
    return function


_RAISES = "Raises TypeError for wrong types and ValueError for other wrong arguments, before anything is computed."


def _resizer(op: str, sizes: str = "") -> Any:
    """The function of a resize or of its gradient. sizes: those of the example, if not those of the last axes."""
    source, *_, size_name = _positional(op)
    n_axes = _library.RESIZES[op].n_axes if op in _library.RESIZES else 2
    rest, quarter = ", ".join(["8"] * n_axes), "4, " * n_axes
    doc = f"""`regrad.{op}` of an array of Dask.

    {source}: chunks divide axes 0 and 1, N and C. Along other axes chunks are joined, with a RechunkWarning.
    {size_name} and the options: those of `regrad.{op}`.

    The result has the chunks of `{source}` along N and C, and the bits that it has in memory.

    {_RAISES}

    >>> import dask.array, regrad.dask
    >>> {source} = dask.array.ones((4, 3, {rest}), chunks=(2, 3, {rest}), dtype="f4")
    >>> regrad.dask.{op}({source}, {sizes or f"({quarter})".replace(", )", ")" if n_axes > 1 else ",)")}).chunks
    ((2, 2), (3,), {", ".join(["(4,)"] * n_axes)})
    """
    return _function(op, _resize, 1, doc)


def _sampler(n_axes: int) -> tuple[Any, Any]:
    """The functions of a grid sample and of its gradients."""
    op, points = f"grid_sampler_{n_axes}d", ", ".join(["4"] * n_axes)
    example = f""">>> import dask.array, regrad.dask
    >>> input = dask.array.ones((4, 3, {points}), chunks=(2, 3, {points}), dtype="f4")
    >>> grid = dask.array.zeros((4, {points}, {n_axes}), chunks=(2, {points}, {n_axes}), dtype="f4")"""
    forward = f"""`regrad.{op}` of arrays of Dask.

    input: chunks divide N and C. Along other axes chunks are joined, with a RechunkWarning.
    grid: chunks divide N and the axes of points; each reads its whole images.
    The options: those of `regrad.{op}`.

    The result is divided as both are together, and has the bits that it has in memory.

    {_RAISES}

    {example}
    >>> regrad.dask.{op}(input, grid).chunks
    ((2, 2), (3,), {", ".join(["(4,)"] * n_axes)})
    """
    backward = f"""`regrad.{op}_backward` of arrays of Dask: (input_grad, grid_grad).

    grad_output, input, grid: chunks divide N; for input_grad also C, and for grid_grad also the axes of points. Along
    other axes chunks are joined, with a RechunkWarning.
    channel_chunks: "join": grid_grad is computed from all channels, and has the bits that it has in memory. "sum": it
    is computed for each chunk of C, and these are added in increasing order, in float32 for 16-bit types: its bits
    depend on how the caller divided C, and on no other chunks. No chunk of all channels is needed then.
    output_mask: which of both is wanted. The other one is None.
    The other options: those of `regrad.{op}_backward`.

    Each gradient can be computed without the other. input_grad needs of `input` its shape alone.

    {_RAISES}

    {example}
    >>> input_grad, grid_grad = regrad.dask.{op}_backward(input, input, grid)
    >>> grid_grad.chunks
    ((2, 2), {", ".join(["(4,)"] * n_axes)}, ({n_axes},))
    """
    return _function(op, _sample, 2, forward), _function(f"{op}_backward", _sample_backward, 3, backward)


# ---- Types, and the functions by their names ----


class Nearest(Protocol):
    """A nearest or nearest-exact resize."""

    __name__: str

    def __call__(
        self,
        input: Chunked,
        output_size: Sizes | None = None,
        *,
        scales: Scales | None = None,
        law: Law = "forward",
    ) -> da.Array: ...


class NearestBackward(Protocol):
    """The gradient of one."""

    __name__: str

    def __call__(
        self, grad_output: Chunked, input_size: Sizes, *, scales: Scales | None = None, law: Law = "forward"
    ) -> da.Array: ...


class Weighted(Protocol[Coordinates_contra]):
    """A resize whose outputs are weighted sums."""

    __name__: str

    def __call__(
        self,
        input: Chunked,
        output_size: Sizes | None = None,
        *,
        align_corners: bool = False,
        scales: Scales | None = None,
        coordinates: Coordinates_contra | None = None,
    ) -> da.Array: ...


class WeightedBackward(Protocol[Coordinates_contra]):
    """The gradient of one."""

    __name__: str

    def __call__(
        self,
        grad_output: Chunked,
        input_size: Sizes,
        *,
        align_corners: bool = False,
        scales: Scales | None = None,
        coordinates: Coordinates_contra | None = None,
    ) -> da.Array: ...


class BilinearV2Grad(Protocol):
    """The graph operator ResizeBilinearV2Grad."""

    __name__: str

    def __call__(
        self,
        grads: Chunked,
        original_image: Chunked | Sizes,
        *,
        align_corners: bool = False,
        half_pixel_centers: bool = False,
        scales: Scales | None = None,
    ) -> da.Array: ...


class NearestExactGrad(Protocol):
    """The graph operator UpsampleNearestExact2dGrad."""

    __name__: str

    def __call__(
        self, grad_output: Chunked, output_size: Sizes, input_size: Sizes, *, scales: Scales | None = None
    ) -> da.Array: ...


class Sample(Protocol[Mode_contra]):
    """A grid sample."""

    __name__: str

    def __call__(
        self,
        input: Chunked,
        grid: Chunked,
        *,
        mode: Mode_contra = ...,
        padding_mode: PaddingMode = "zeros",
        align_corners: bool = False,
    ) -> da.Array: ...


class SampleBackward(Protocol[Mode_contra]):
    """The gradients of one."""

    __name__: str

    def __call__(
        self,
        grad_output: Chunked,
        input: Chunked,
        grid: Chunked,
        *,
        mode: Mode_contra = ...,
        padding_mode: PaddingMode = "zeros",
        align_corners: bool = False,
        output_mask: Sequence[bool] = (True, True),
        channel_chunks: ChannelChunks = "join",
    ) -> tuple[da.Array | None, da.Array | None]: ...


def _nearest(op: str) -> tuple[Nearest, NearestBackward]:
    return _resizer(op), _resizer(f"{op}_backward")


def _weighted(op: str) -> tuple[Weighted[Coordinates], WeightedBackward[Coordinates]]:
    return _resizer(op), _resizer(f"{op}_backward")


def _antialiased(op: str) -> tuple[Weighted[Aligned], WeightedBackward[Aligned]]:
    return _resizer(op), _resizer(f"{op}_backward")


upsample_nearest1d, upsample_nearest1d_backward = _nearest("upsample_nearest1d")
upsample_nearest2d, upsample_nearest2d_backward = _nearest("upsample_nearest2d")
upsample_nearest3d, upsample_nearest3d_backward = _nearest("upsample_nearest3d")
upsample_nearest_exact1d, upsample_nearest_exact1d_backward = _nearest("upsample_nearest_exact1d")
upsample_nearest_exact2d, upsample_nearest_exact2d_backward = _nearest("upsample_nearest_exact2d")
upsample_nearest_exact3d, upsample_nearest_exact3d_backward = _nearest("upsample_nearest_exact3d")
upsample_linear1d, upsample_linear1d_backward = _weighted("upsample_linear1d")
upsample_bilinear2d, upsample_bilinear2d_backward = _weighted("upsample_bilinear2d")
upsample_trilinear3d, upsample_trilinear3d_backward = _weighted("upsample_trilinear3d")
upsample_bicubic2d, upsample_bicubic2d_backward = _weighted("upsample_bicubic2d")
upsample_bilinear2d_aa, upsample_bilinear2d_aa_backward = _antialiased("upsample_bilinear2d_aa")
upsample_bicubic2d_aa, upsample_bicubic2d_aa_backward = _antialiased("upsample_bicubic2d_aa")
upsample_lanczos2d_aa, upsample_lanczos2d_aa_backward = _antialiased("upsample_lanczos2d_aa")
resize_bilinear_v2_grad: BilinearV2Grad = _resizer("resize_bilinear_v2_grad", "(4, 3, 4, 4)")
upsample_nearest_exact2d_grad: NearestExactGrad = _resizer("upsample_nearest_exact2d_grad", "(8, 8), (4, 4)")
grid_sampler_2d, grid_sampler_2d_backward = cast("tuple[Sample[Mode], SampleBackward[Mode]]", _sampler(2))
grid_sampler_3d, grid_sampler_3d_backward = cast("tuple[Sample[Mode3d], SampleBackward[Mode3d]]", _sampler(3))
