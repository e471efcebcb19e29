# SPDX-License-Identifier: Apache-2.0
"""The operators. Each has one function, which plans (or finds its plan in the cache) and runs.

Operators of a kind have the same arguments and types, which their class here states once.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeVar, cast, overload

from . import _request
from ._arrays import Array, ArrayLike
from ._library import RESIZES
from ._request import Coordinates, Law, Mode, Out, PaddingMode, Scales, Sizes, run

__all__ = [
    "grid_sampler_2d",
    "grid_sampler_2d_backward",
    "grid_sampler_3d",
    "grid_sampler_3d_backward",
    "resize_bilinear_v2_grad",
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

Coordinates_contra = TypeVar("Coordinates_contra", bound=Coordinates, contravariant=True)
Mode_contra = TypeVar("Mode_contra", bound=Mode, contravariant=True)


def _one(request: _request.Request) -> Array:
    """The result of an operator that has one: an array, or as the overloads say, whatever was given as `out`."""
    result: Array = run(request)
    return result


def _function(name: str, doc: str, result: str = "Array | Out") -> Any:
    """The function of an operator, which takes what its request takes."""
    request = _request.OPERATORS[name]

    def call(*arguments: Any, **options: Any) -> Any:
        return run(request(*arguments, **options))

    function: Any = call
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__annotations__ = {**request.__annotations__, "return": result}
    function.__signature__ = inspect.signature(request).replace(return_annotation=result)
    return function


# ---- What descriptions have in common ----

_FLOATS = "of float16, bfloat16, float32 or float64"
_BYTES = "of float16, bfloat16, float32, float64 or uint8"
_OUT = """
    out: the result, with the type and shape that a new array would have. It is returned.
    The result has the memory format of `{source}`: channels last stays so.

    Raises TypeError for wrong types, ValueError for other wrong arguments, MemoryError.
"""
_SCALES = """
    scales: of the forward, output over input{axes}; None{one}: the sizes decide."""
_LAW = """
    law: "forward", which frameworks' forwards have, or "gather", that of the vendor's documents."""
_CORNERS = """
    align_corners: the first and the last pixels meet.
    coordinates: "half_pixel" (the usual mode), "align_corners" or "asymmetric", instead of align_corners."""
_CORNERS_AA = """
    align_corners: r is (I - 1) / (O - 1) for lengths I and O of input and output; no pixels meet.
    coordinates: "half_pixel" (the usual mode) or "align_corners", instead of align_corners."""


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _resize(name: str, title: str, law: str, example: str, gradient_example: str) -> tuple[Any, Any]:
    """The functions of a resize and of its gradient."""
    op = RESIZES[name]
    axes = ("L",) if op.n_axes == 1 else ("D", "H", "W")[3 - op.n_axes :]
    tuple_of = "({},)" if op.n_axes == 1 else "({})"
    size, its = ", ".join(axes), ", ".join(f"{axis}'" for axis in axes)
    options = _LAW if op.takes_law else _CORNERS_AA if name.endswith("_aa") else _CORNERS
    if op.n_axes == 1:
        scales = _SCALES.format(axes="", one="")
    else:
        scales = _SCALES.format(axes=f", for {_listed(axes)}", one=", also of one axis")
    number = ("one dimension", "two dimensions", "three dimensions")[op.n_axes - 1]
    weight = "" if op.takes_law else "weight(o, i) * "
    forward = f"""{title} in {number}.

    {law}

    input: (N, C, {size}), {_BYTES if op.takes_bytes else _FLOATS}.
    output_size: {tuple_of.format(its)} or (N, C, {its}). None: from scales, rounded down, or from out.{options}{scales}
{_OUT.format(source="input")}
    >>> import numpy as np, regrad
    {example}
    """
    backward = f"""The gradient of `{name}`.

    grad_input[i] = sum over the outputs o that read i of {weight}grad_output[o], in increasing o.

    grad_output: (N, C, {its}), {_FLOATS}.
    input_size: of the forward's input, {tuple_of.format(size)} or (N, C, {size}). None: from out.{options}{scales}
{_OUT.format(source="grad_output")}
    >>> import numpy as np, regrad
    {gradient_example}
    """
    return _function(name, forward), _function(f"{name}_backward", backward)


_R = "where r is the input's length over the output's."

# ---- Nearest ----


class Nearest(Protocol):
    """A nearest or nearest-exact resize."""

    __name__: str

    @overload
    def __call__(
        self,
        input: ArrayLike,
        output_size: Sizes | None = None,
        *,
        scales: Scales | None = None,
        law: Law = "forward",
        out: None = None,
    ) -> Array: ...
    @overload
    def __call__(
        self,
        input: ArrayLike,
        output_size: Sizes | None = None,
        *,
        scales: Scales | None = None,
        law: Law = "forward",
        out: Out,
    ) -> Out: ...


class NearestBackward(Protocol):
    """The gradient of one."""

    __name__: str

    @overload
    def __call__(
        self,
        grad_output: ArrayLike,
        input_size: Sizes | None,
        *,
        scales: Scales | None = None,
        law: Law = "forward",
        out: None = None,
    ) -> Array: ...
    @overload
    def __call__(
        self,
        grad_output: ArrayLike,
        input_size: Sizes | None,
        *,
        scales: Scales | None = None,
        law: Law = "forward",
        out: Out,
    ) -> Out: ...


def _nearest(name: str, title: str, where: str, example: str, gradient_example: str) -> tuple[Nearest, NearestBackward]:
    law = f"On each axis an output o reads in[floor({where})], {_R}"
    return _resize(name, title, law, example, gradient_example)


upsample_nearest1d, upsample_nearest1d_backward = _nearest(
    "upsample_nearest1d",
    "Nearest resize",
    "o * r",
    """>>> regrad.upsample_nearest1d(np.array([[[1, 2, 3, 4]]], "f4"), (6,))
    array([[[1., 1., 2., 3., 3., 4.]]], dtype=float32)""",
    """>>> regrad.upsample_nearest1d_backward(np.ones((1, 1, 6), "f4"), (4,))
    array([[[2., 1., 2., 1.]]], dtype=float32)""",
)
upsample_nearest2d, upsample_nearest2d_backward = _nearest(
    "upsample_nearest2d",
    "Nearest resize",
    "o * r",
    """>>> regrad.upsample_nearest2d(np.array([[[[1, 2]]]], "f4"), (1, 4))
    array([[[[1., 1., 2., 2.]]]], dtype=float32)""",
    """>>> regrad.upsample_nearest2d_backward(np.ones((1, 1, 1, 6), "f4"), (1, 4))
    array([[[[2., 1., 2., 1.]]]], dtype=float32)""",
)
upsample_nearest3d, upsample_nearest3d_backward = _nearest(
    "upsample_nearest3d",
    "Nearest resize",
    "o * r",
    """>>> regrad.upsample_nearest3d(np.array([[[[[1, 2]]]]], "u1"), (1, 1, 5))
    array([[[[[1, 1, 1, 2, 2]]]]], dtype=uint8)""",
    """>>> regrad.upsample_nearest3d_backward(np.ones((1, 1, 2, 2, 6), "f4"), (1, 1, 4))
    array([[[[[8., 4., 8., 4.]]]]], dtype=float32)""",
)
upsample_nearest_exact1d, upsample_nearest_exact1d_backward = _nearest(
    "upsample_nearest_exact1d",
    "Nearest-exact resize",
    "(o + 0.5) * r",
    """>>> regrad.upsample_nearest_exact1d(np.array([[[1, 2]]], "f4"), (4,))
    array([[[1., 1., 2., 2.]]], dtype=float32)""",
    """>>> regrad.upsample_nearest_exact1d_backward(np.ones((1, 1, 6), "f4"), (4,))
    array([[[1., 2., 1., 2.]]], dtype=float32)""",
)
upsample_nearest_exact2d, upsample_nearest_exact2d_backward = _nearest(
    "upsample_nearest_exact2d",
    "Nearest-exact resize",
    "(o + 0.5) * r",
    """>>> regrad.upsample_nearest_exact2d(np.array([[[[1, 2]]]], "f4"), (1, 4))
    array([[[[1., 1., 2., 2.]]]], dtype=float32)""",
    """>>> regrad.upsample_nearest_exact2d_backward(np.ones((1, 1, 1, 6), "f4"), (1, 4))
    array([[[[1., 2., 1., 2.]]]], dtype=float32)""",
)
upsample_nearest_exact3d, upsample_nearest_exact3d_backward = _nearest(
    "upsample_nearest_exact3d",
    "Nearest-exact resize",
    "(o + 0.5) * r",
    """>>> regrad.upsample_nearest_exact3d(np.array([[[[[1, 2, 3]]]]], "u1"), (1, 1, 2))
    array([[[[[1, 3]]]]], dtype=uint8)""",
    """>>> regrad.upsample_nearest_exact3d_backward(np.ones((1, 1, 3, 2, 6), "f4"), (1, 1, 4))
    array([[[[[ 6., 12.,  6., 12.]]]]], dtype=float32)""",
)


# ---- Linear, cubic, antialiased ----


class Weighted(Protocol[Coordinates_contra]):
    """A resize whose outputs are weighted sums."""

    __name__: str

    @overload
    def __call__(
        self,
        input: ArrayLike,
        output_size: Sizes | None = None,
        *,
        align_corners: bool = False,
        scales: Scales | None = None,
        coordinates: Coordinates_contra | None = None,
        out: None = None,
    ) -> Array: ...
    @overload
    def __call__(
        self,
        input: ArrayLike,
        output_size: Sizes | None = None,
        *,
        align_corners: bool = False,
        scales: Scales | None = None,
        coordinates: Coordinates_contra | None = None,
        out: Out,
    ) -> Out: ...


class WeightedBackward(Protocol[Coordinates_contra]):
    """The gradient of one."""

    __name__: str

    @overload
    def __call__(
        self,
        grad_output: ArrayLike,
        input_size: Sizes | None,
        *,
        align_corners: bool = False,
        scales: Scales | None = None,
        coordinates: Coordinates_contra | None = None,
        out: None = None,
    ) -> Array: ...
    @overload
    def __call__(
        self,
        grad_output: ArrayLike,
        input_size: Sizes | None,
        *,
        align_corners: bool = False,
        scales: Scales | None = None,
        coordinates: Coordinates_contra | None = None,
        out: Out,
    ) -> Out: ...


_Weighted = tuple[Weighted[Coordinates], WeightedBackward[Coordinates]]
_Aligned = Literal["half_pixel", "align_corners"]
_Antialiased = tuple[Weighted[_Aligned], WeightedBackward[_Aligned]]


def _linear(name: str, title: str, example: str, gradient_example: str) -> _Weighted:
    law = """On each axis an output at s reads in[i0] * (1 - t) + in[i0 + 1] * t, where i0 + t = s is
    max(r * (o + 0.5) - 0.5, 0), and r is the input's length over the output's."""
    return _resize(name, title, law, example, gradient_example)


upsample_linear1d, upsample_linear1d_backward = _linear(
    "upsample_linear1d",
    "Linear resize",
    """>>> regrad.upsample_linear1d(np.array([[[0, 4]]], "f4"), (4,))
    array([[[0., 1., 3., 4.]]], dtype=float32)""",
    """>>> regrad.upsample_linear1d_backward(np.arange(1, 9, dtype="f4").reshape(1, 1, 8), (4,))
    array([[[ 3.25,  7.  , 11.  , 14.75]]], dtype=float32)""",
)
upsample_bilinear2d, upsample_bilinear2d_backward = _linear(
    "upsample_bilinear2d",
    "Bilinear resize",
    """>>> regrad.upsample_bilinear2d(np.array([[[[0, 4]]]], "f4"), (1, 4))
    array([[[[0., 1., 3., 4.]]]], dtype=float32)""",
    """>>> regrad.upsample_bilinear2d_backward(np.ones((1, 1, 1, 4), "f4"), (1, 2))
    array([[[[2., 2.]]]], dtype=float32)""",
)
upsample_trilinear3d, upsample_trilinear3d_backward = _linear(
    "upsample_trilinear3d",
    "Trilinear resize",
    """>>> regrad.upsample_trilinear3d(np.array([[[[[0, 4]]]]], "f4"), (1, 1, 4))
    array([[[[[0., 1., 3., 4.]]]]], dtype=float32)""",
    """>>> regrad.upsample_trilinear3d_backward(np.ones((1, 1, 2, 2, 4), "f4"), (1, 1, 2))
    array([[[[[8., 8.]]]]], dtype=float32)""",
)

_cubic: _Weighted = _resize(
    "upsample_bicubic2d",
    "Bicubic resize",
    """On each axis an output reads the four pixels around s = r * (o + 0.5) - 0.5, by cubic convolution with A = -0.75,
    where r is the input's length over the output's. Outside of the image its first or last pixel is read.""",
    """>>> regrad.upsample_bicubic2d(np.array([[[[0, 1, 2, 3]]]], "f4"), (1, 2))
    array([[[[0.40625, 2.59375]]]], dtype=float32)""",
    """>>> regrad.upsample_bicubic2d_backward(np.ones((1, 1, 1, 4), "f4"), (1, 8))
    array([[[[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]]], dtype=float32)""",
)
upsample_bicubic2d, upsample_bicubic2d_backward = _cubic


def _antialiased(name: str, title: str, filter: str, example: str, gradient_example: str) -> _Antialiased:
    law = f"""On each axis an output o reads in[i] with the weight f(|i + 0.5 - r * (o + 0.5)| / max(r, 1)), divided
    by the sum of its weights, where r is the input's length over the output's, and f(x) is {filter}."""
    return _resize(name, title, law, example, gradient_example)


upsample_bilinear2d_aa, upsample_bilinear2d_aa_backward = _antialiased(
    "upsample_bilinear2d_aa",
    "Antialiased bilinear resize",
    "1 - x for x < 1",
    """>>> regrad.upsample_bilinear2d_aa(np.array([[[[0, 1, 2, 3]]]], "f4"), (1, 1))
    array([[[[1.5]]]], dtype=float32)""",
    """>>> regrad.upsample_bilinear2d_aa_backward(np.ones((1, 1, 1, 1), "f4"), (1, 4))
    array([[[[0.20833333, 0.29166666, 0.29166666, 0.20833333]]]],
          dtype=float32)""",
)
upsample_bicubic2d_aa, upsample_bicubic2d_aa_backward = _antialiased(
    "upsample_bicubic2d_aa",
    "Antialiased bicubic resize",
    "cubic convolution with A = -0.5, for x < 2",
    """>>> regrad.upsample_bicubic2d_aa(np.array([[[[0, 17]]]], "f4"), (1, 4))
    array([[[[-1.5      ,  3.5214286, 13.478572 , 18.5      ]]]],
          dtype=float32)""",
    """>>> regrad.upsample_bicubic2d_aa_backward(np.array([[[[0, 17, 0, 0]]]], "f4"), (1, 2))
    array([[[[13.478572 ,  3.5214286]]]], dtype=float32)""",
)
upsample_lanczos2d_aa, upsample_lanczos2d_aa_backward = _antialiased(
    "upsample_lanczos2d_aa",
    "Antialiased Lanczos resize",
    "sinc(x) * sinc(x / 3) for x < 3",
    """>>> regrad.upsample_lanczos2d_aa(np.array([[[[0, 17]]]], "f4"), (1, 4))
    array([[[[-2.983121 ,  3.9588017, 13.041198 , 19.983122 ]]]],
          dtype=float32)""",
    """>>> regrad.upsample_lanczos2d_aa_backward(np.array([[[[0, 17, 0, 0]]]], "f4"), (1, 2))
    array([[[[13.041198 ,  3.9588017]]]], dtype=float32)""",
)


# ---- Graph operators ----


@overload
def resize_bilinear_v2_grad(
    grads: ArrayLike,
    original_image: ArrayLike | Sizes,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    scales: Scales | None = None,
    out: None = None,
) -> Array: ...
@overload
def resize_bilinear_v2_grad(
    grads: ArrayLike,
    original_image: ArrayLike | Sizes,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    scales: Scales | None = None,
    out: Out,
) -> Out: ...
def resize_bilinear_v2_grad(
    grads: ArrayLike,
    original_image: ArrayLike | Sizes,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    scales: Scales | None = None,
    out: Out | None = None,
) -> Array | Out:
    """The graph operator ResizeBilinearV2Grad: `upsample_bilinear2d_backward` with the graph's defaults.

    grads: (N, C, H', W'), of float16, bfloat16, float32 or float64.
    original_image: (N, C, H, W), of which only the shape counts; or this shape.
    half_pixel_centers: True: pixel centres; False: an output o reads at r * o. align_corners wins over it.
    scales: of the forward, output over input, for H and W, as float32; None, also of one axis: the sizes decide.

    out: the result, with the type and shape that a new array would have. It is returned.
    The result has the memory format of `grads`: channels last stays so.

    Raises TypeError for wrong types, ValueError for other wrong arguments, MemoryError.

    >>> import numpy as np, regrad
    >>> regrad.resize_bilinear_v2_grad(np.ones((1, 1, 1, 4), "f4"), (1, 1, 1, 2), half_pixel_centers=True)
    array([[[[2., 2.]]]], dtype=float32)
    """
    return _one(
        _request.resize_bilinear_v2_grad(
            grads,
            original_image,
            align_corners=align_corners,
            half_pixel_centers=half_pixel_centers,
            scales=scales,
            out=out,
        )
    )


@overload
def upsample_nearest_exact2d_grad(
    grad_output: ArrayLike,
    output_size: Sizes,
    input_size: Sizes,
    *,
    scales: Scales | None = None,
    out: None = None,
) -> Array: ...
@overload
def upsample_nearest_exact2d_grad(
    grad_output: ArrayLike,
    output_size: Sizes,
    input_size: Sizes,
    *,
    scales: Scales | None = None,
    out: Out,
) -> Out: ...
def upsample_nearest_exact2d_grad(
    grad_output: ArrayLike,
    output_size: Sizes,
    input_size: Sizes,
    *,
    scales: Scales | None = None,
    out: Out | None = None,
) -> Array | Out:
    """The graph operator UpsampleNearestExact2dGrad: the gradient of nearest-exact resize by the gather law.

    grad_output: (N, C, H', W'), of float16, bfloat16, float32 or float64.
    output_size: (H', W').
    input_size: of the forward's input, (H, W) or (N, C, H, W).
    scales: of the forward, output over input, for H and W, as float32; None, also of one axis: the sizes decide.

    out: the result, with the type and shape that a new array would have. It is returned.
    The result has the memory format of `grad_output`: channels last stays so.

    Raises TypeError for wrong types, ValueError for other wrong arguments, MemoryError.

    >>> import numpy as np, regrad
    >>> regrad.upsample_nearest_exact2d_grad(np.ones((1, 1, 1, 6), "f4"), (1, 6), (1, 1, 1, 4))
    array([[[[1., 2., 1., 2.]]]], dtype=float32)
    """
    return _one(_request.upsample_nearest_exact2d_grad(grad_output, output_size, input_size, scales=scales, out=out))


# ---- Grid sample ----


class Sample(Protocol[Mode_contra]):
    """A grid sample."""

    __name__: str

    @overload
    def __call__(
        self,
        input: ArrayLike,
        grid: ArrayLike,
        *,
        mode: Mode_contra = ...,
        padding_mode: PaddingMode = "zeros",
        align_corners: bool = False,
        out: None = None,
    ) -> Array: ...
    @overload
    def __call__(
        self,
        input: ArrayLike,
        grid: ArrayLike,
        *,
        mode: Mode_contra = ...,
        padding_mode: PaddingMode = "zeros",
        align_corners: bool = False,
        out: Out,
    ) -> Out: ...


class SampleBackward(Protocol[Mode_contra]):
    """The gradients of one."""

    __name__: str

    @overload
    def __call__(
        self,
        grad_output: ArrayLike,
        input: ArrayLike,
        grid: ArrayLike,
        *,
        mode: Mode_contra = ...,
        padding_mode: PaddingMode = "zeros",
        align_corners: bool = False,
        out: None = None,
    ) -> tuple[Array, Array]: ...
    @overload
    def __call__(
        self,
        grad_output: ArrayLike,
        input: ArrayLike,
        grid: ArrayLike,
        *,
        mode: Mode_contra = ...,
        padding_mode: PaddingMode = "zeros",
        align_corners: bool = False,
        output_mask: Sequence[bool] = (True, True),
        out: Sequence[ArrayLike | None] | None = None,
    ) -> tuple[Any, Any]: ...


def _grid_sampler(n_axes: int, point: str, modes: str, example: str, gradient_example: str) -> tuple[Any, Any]:
    """The functions of a grid sample and of its gradients."""
    axes, what = (("H", "W"), "image") if n_axes == 2 else (("D", "H", "W"), "volume")
    image, points = f"(N, C, {', '.join(axes)})", ", ".join(f"{axis}'" for axis in axes)
    modes = f"""mode: how neighbours are blended: {modes}.
    padding_mode: outside of the {what}: "zeros", "border" (clamped) or "reflection".
    align_corners: whether -1 and 1 are the centres of the outermost pixels, or their outer edges."""
    forward = f"""Samples {"an" if n_axes == 2 else "a"} {what} at the points of a grid.

    {point}

    input: {image}, {_FLOATS}.
    grid: (N, {points}, {n_axes}), of the same type: {", ".join("xyz"[:n_axes])}.
    {modes}
{_OUT.format(source="input")}
    >>> import numpy as np, regrad
    {example}
    """
    backward = f"""The gradients of `grid_sampler_{n_axes}d`: (input_grad, grid_grad).

    input_grad: {image}: at each pixel, the sum of grad_output * weight over the points that touch it, in their
    order. grid_grad: (N, {points}, {n_axes}): at each point, the sum of grad_output * d weight / d pixel * input over
    channels and neighbours, times d pixel / d coordinate.

    grad_output: (N, C, {points}), {_FLOATS}.
    input, grid: those of the forward.
    {modes}
    output_mask: which of both is wanted. The other one is None, and costs nothing.
    out: both results, as a sequence; None in it: a new array. One that is not wanted is left alone.
    input_grad has the memory format of `input`.

    Raises TypeError for wrong types, ValueError for other wrong arguments, MemoryError.

    >>> import numpy as np, regrad
    {gradient_example}
    """
    name = f"grid_sampler_{n_axes}d"
    both = _function(f"{name}_backward", backward, "tuple[ArrayLike | None, ArrayLike | None]")
    return _function(name, forward), both


_2d = _grid_sampler(
    2,
    "A point (x, y) of -1 to 1 is pixel ((x + 1) * W - 1) / 2 of the row, or (x + 1) / 2 * (W - 1) with align_corners.",
    '"bilinear", "nearest" (ties to even) or "bicubic" (A = -0.75)',
    """>>> image = np.array([[[[0, 1], [2, 3]]]], "f4")
    >>> regrad.grid_sampler_2d(image, np.zeros((1, 1, 1, 2), "f4"))
    array([[[[1.5]]]], dtype=float32)""",
    """>>> image = np.array([[[[0, 1], [2, 3]]]], "f4")
    >>> ones, middle = np.ones((1, 1, 1, 1), "f4"), np.zeros((1, 1, 1, 2), "f4")
    >>> regrad.grid_sampler_2d_backward(ones, image, middle)[1]
    array([[[[1., 2.]]]], dtype=float32)""",
)
_3d = _grid_sampler(
    3,
    """A point (x, y, z) of -1 to 1 is pixel ((x + 1) * W - 1) / 2 along W, or (x + 1) / 2 * (W - 1) with align_corners;
    likewise y along H, and z along D.""",
    '"bilinear" (of eight neighbours) or "nearest" (ties to even)',
    """>>> volume = np.arange(8, dtype="f4").reshape(1, 1, 2, 2, 2)
    >>> regrad.grid_sampler_3d(volume, np.zeros((1, 1, 1, 1, 3), "f4"))
    array([[[[[3.5]]]]], dtype=float32)""",
    """>>> volume = np.arange(8, dtype="f4").reshape(1, 1, 2, 2, 2)
    >>> ones, middle = np.ones((1, 1, 1, 1, 1), "f4"), np.zeros((1, 1, 1, 1, 3), "f4")
    >>> regrad.grid_sampler_3d_backward(ones, volume, middle)[1]
    array([[[[[1., 2., 4.]]]]], dtype=float32)""",
)
grid_sampler_2d, grid_sampler_2d_backward = cast("tuple[Sample[Mode], SampleBackward[Mode]]", _2d)
_Mode3d = Literal["bilinear", "nearest"]
grid_sampler_3d, grid_sampler_3d_backward = cast("tuple[Sample[_Mode3d], SampleBackward[_Mode3d]]", _3d)
