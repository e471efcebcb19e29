# SPDX-License-Identifier: Apache-2.0
"""The operators for JAX: differentiable, and for use under `jit`, `vmap` and `shard_map`.

>>> import jax, jax.numpy as jnp, regrad.jax
>>> jax.grad(lambda x: regrad.jax.upsample_nearest_exact1d(x, (6,)).sum())(jnp.ones((1, 1, 4)))
Array([[[1., 2., 1., 2.]]], dtype=float32)

Names, arguments and bits are those of the package's functions. Sizes and options are static, and wrong arguments are
refused while JAX traces. The work is done on the CPU, in the memory that JAX gives, without copies.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeVar, Union, cast

import numpy as np

from . import _arrays, _functions, _request
from ._library import RESIZES
from ._request import Coordinates, Law, Mode, PaddingMode, Scales, Sizes

try:
    import jax
    import jax.numpy as jnp
    from jax.custom_derivatives import SymbolicZero
    from jax.experimental.buffer_callback import buffer_callback
    from jax.extend.core import Primitive
    from jax.interpreters import ad, batching, mlir
except ImportError as error:
    raise ImportError("regrad.jax needs JAX 0.6.2 or later (Python 3.10 or later): pip install 'jax>=0.6.2'") from error

# The two operators that bear the names of graphs compute what `_backward` functions do.
__all__ = ["grid_sample"]
__all__ += _functions.__all__
__all__.remove("resize_bilinear_v2_grad")
__all__.remove("upsample_nearest_exact2d_grad")

# ---- Calls ----


@dataclasses.dataclass(frozen=True)
class _Operation:
    """A call without its arrays. It is hashable, as JAX wants of what is a part of a program."""

    name: str
    rank: int  # of the arrays; axes before these are batches of `vmap`
    options: tuple[tuple[str, Any], ...]

    def request(self, arrays: Sequence[_arrays.Array], **more: Any) -> _request.Request:
        return _request.OPERATORS[self.name](*arrays, **dict(self.options), **more)

    def plan_shapes(self, arrays: Sequence[Any]) -> list[tuple[int, ...]]:
        """The shapes of the results, of the shapes and types of arrays. What the library refuses is raised."""
        stand_ins = [np.broadcast_to(np.zeros((), a.dtype), a.shape) for a in arrays]
        return [o.shape for o in _request.planned(self.request(stand_ins)).call.results if o is not None]

    def batch_of(self, arrays: Sequence[Any]) -> tuple[int, ...]:
        return np.broadcast_shapes(*[a.shape[: len(a.shape) - self.rank] for a in arrays])

    def shapes_of(self, arrays: Sequence[Any]) -> list[tuple[int, ...]]:
        """The shapes of the results of arrays that may have batches."""
        inner = [jax.ShapeDtypeStruct(a.shape[len(a.shape) - self.rank :], a.dtype) for a in arrays]
        batch = self.batch_of(arrays)
        return [batch + shape for shape in self.plan_shapes(inner)]

    def become(self, name: str, *, without: str = "", **options: Any) -> _Operation:
        """The operation of another name, without an option and with others."""
        kept = {key: value for key, value in self.options if key != without}
        return _Operation(name, self.rank, tuple({**kept, **options}.items()))


jax.tree_util.register_static(_Operation)


def _folded(array: _arrays.Array, batch: tuple[int, ...], rank: int) -> _arrays.Array:
    """The array with its batch in N: the same memory, but for an array that a batch shares and whose N is above 1."""
    n, *rest = array.shape[array.ndim - rank :]
    if array.shape != (*batch, n, *rest):
        array = np.broadcast_to(array, (*batch, n, *rest))
    return array.reshape(math.prod(batch) * n, *rest)


def _compute(operation: _Operation, _: Any, outs: Sequence[Any], *buffers: Any) -> None:
    """What XLA calls, with its own memory, in row-major order."""
    inputs, results = [np.asarray(b) for b in buffers], [np.asarray(o) for o in outs]
    batch = operation.batch_of(inputs)
    if batch:
        inputs, results = [[_folded(a, batch, operation.rank) for a in arrays] for arrays in (inputs, results)]
    left = iter(results)
    mask = dict(operation.options).get("output_mask")
    out = results[0] if mask is None else [next(left) if wanted else None for wanted in mask]
    _request.run(operation.request(inputs, out=out))


def _call(*arrays: Any, operation: _Operation) -> Any:
    results = [jax.ShapeDtypeStruct(shape, arrays[0].dtype) for shape in operation.shapes_of(arrays)]
    return buffer_callback(functools.partial(_compute, operation), results)(*arrays)


# ---- What JAX knows of all operators: a primitive ----


def _abstract(*arrays: Any, operation: _Operation) -> list[Any]:
    """`update` keeps what a type has beside: over which devices of `shard_map` an array varies, for instance."""
    return [arrays[0].update(shape=shape, weak_type=False) for shape in operation.shapes_of(arrays)]


def _batched(arrays: Sequence[Any], axes: Sequence[Any], *, operation: _Operation) -> tuple[list[Any], list[int]]:
    """A batch becomes the first axis, and 1 long where an array is the same in the whole batch."""
    pairs = zip(arrays, axes)
    first = [a[None] if axis is None else jnp.moveaxis(a, axis, 0) for a, axis in pairs]
    results = _primitive.bind(*first, operation=operation)
    return results, [0] * len(results)


def _transposed(cotangents: Sequence[Any], source: Any, *, operation: _Operation) -> list[Any]:
    """The transpose of a resize is its gradient, and the transpose of that is the resize."""
    sizes = source.aval.shape[len(source.aval.shape) - operation.rank + 2 :]
    name = operation.name
    if name.endswith("_backward"):
        other = operation.become(name.removesuffix("_backward"), without="input_size", output_size=sizes)
    else:
        other = operation.become(f"{name}_backward", without="output_size", input_size=sizes)
    return cast("list[Any]", _primitive.bind(cotangents[0], operation=other))


def _refuse(_: Any, *arrays: Any, operation: _Operation) -> Any:
    wanted = "wanted the CPU: use jax.default_device, or copy the arrays with jax.device_put"
    raise NotImplementedError(f"{operation.name}: is compiled for another platform than the CPU; {wanted}")


_primitive = Primitive("regrad")
_primitive.multiple_results = True
_primitive.def_impl(jax.jit(_call, static_argnames="operation"))
_primitive.def_abstract_eval(_abstract)
batching.primitive_batchers[_primitive] = _batched
ad.deflinear2(_primitive, _transposed)  # of resizes: grid samples have rules of their own, below
mlir.register_lowering(_primitive, _refuse)
mlir.register_lowering(_primitive, mlir.lower_fun(_call, multiple_results=True), platform="cpu")


# ---- Grid samples and their gradients ----


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _sample(operation: _Operation, input: Any, grid: Any) -> Any:
    return _primitive.bind(input, grid, operation=operation)[0]


def _keep_sample(operation: _Operation, input: Any, grid: Any) -> tuple[Any, Any]:
    """Only the gradients that are wanted will be computed."""
    mask = (input.perturbed, grid.perturbed)
    backward = operation.become(f"{operation.name}_backward", output_mask=mask)
    return _sample(operation, input.value, grid.value), (backward, input.value, grid.value)


def _sample_vjp(_: _Operation, kept: Any, grad_output: Any) -> tuple[Any, Any]:
    if isinstance(grad_output, SymbolicZero):
        return None, None
    backward, input, grid = kept
    gradients: tuple[Any, Any] = _sample_backward(backward, grad_output, input, grid)
    return gradients


_sample.defvjp(_keep_sample, _sample_vjp, symbolic_zeros=True)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _sample_backward(operation: _Operation, grad_output: Any, input: Any, grid: Any) -> tuple[Any, Any]:
    mask = dict(operation.options)["output_mask"]
    left = iter(_primitive.bind(grad_output, input, grid, operation=operation))
    return next(left) if mask[0] else None, next(left) if mask[1] else None


def _keep_gradients(operation: _Operation, grad_output: Any, input: Any, grid: Any) -> tuple[Any, Any]:
    """Keeps no grid that a derivative is wanted of: `input_grad` has none."""
    found = _sample_backward(operation, grad_output.value, input.value, grid.value)
    return found, None if grid.perturbed else grid.value


def _gradients_vjp(operation: _Operation, grid: Any, cotangents: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """`input_grad` is linear in `grad_output`, and its transpose the sample; it does not depend on `input`."""
    of_input_grad, of_grid_grad = [None if isinstance(c, SymbolicZero) else c for c in cotangents]
    if of_grid_grad is not None:
        raise NotImplementedError(
            f"{operation.name}: grid_grad has no derivative; wanted jax.lax.stop_gradient of it, or of the grid"
        )
    if of_input_grad is None:
        return None, None, None
    if grid is None:
        raise NotImplementedError(
            f"{operation.name}: input_grad has no derivative with respect to grid; wanted jax.lax.stop_gradient(grid)"
        )
    forward = operation.become(operation.name.removesuffix("_backward"), without="output_mask")
    return _sample(forward, of_input_grad, grid), None, None


_sample_backward.defvjp(_keep_gradients, _gradients_vjp, symbolic_zeros=True)


# ---- Functions ----

_ARRAYS = ("grad_output", "input", "grid")
_SEQUENCES = ("output_size", "input_size", "scales", "output_mask")


def _array(value: Any, where: str) -> jax.Array:
    if isinstance(value, (jax.Array, np.ndarray)) and not isinstance(value, np.ma.MaskedArray):
        return jnp.asarray(value)
    raise TypeError(f"{where} is of type {type(value).__name__}, wanted an array of JAX or NumPy")


_lax: Any = jax.lax  # has `pcast`, or in older versions `pvary`
_varying = functools.partial(_lax.pcast, to="varying") if hasattr(_lax, "pcast") else _lax.pvary


def _varying_alike(function: Any, operation: _Operation, arrays: Sequence[Any]) -> Any:
    """Calls a function. In `shard_map` all arrays vary over the devices over which one does, so that JAX sums the
    others' gradients; and the function is compiled, since JAX knows no symbolic zeros in a `shard_map` that is not.
    """
    kinds = [jax.typeof(a) for a in arrays]
    axes = [k.mat.varying if hasattr(k, "mat") else k.vma for k in kinds]
    every = frozenset().union(*axes)
    if not every:
        return function(operation, *arrays)
    alike = [_varying(a, tuple(every - own)) if every - own else a for a, own in zip(arrays, axes)]
    return jax.jit(function, static_argnums=0)(operation, *alike)


def _hashable(name: str, value: Any) -> Any:
    try:
        return tuple(_request.in_order(value)) if name in _SEQUENCES else value
    except TypeError:
        return value  # a number, or what the operator refuses


def _apply(name: str, rank: int, arguments: dict[str, Any]) -> Any:
    arrays = [_array(value, f"{name}: {key}") for key, value in arguments.items() if key in _ARRAYS]
    options = {key: _hashable(key, value) for key, value in arguments.items() if key not in _ARRAYS}
    operation = _Operation(name, rank, tuple(options.items()))
    shapes = operation.plan_shapes(arrays)
    if name in RESIZES:
        sizes: dict[str, Any] = {"input_size" if RESIZES[name].is_backward else "output_size": shapes[0][2:]}
        return _primitive.bind(*arrays, operation=operation.become(name, **sizes))[0]
    if name.endswith("_backward"):
        mask = options.get("output_mask", (True, True))
        operation = operation.become(name, output_mask=mask)
        return _varying_alike(_sample_backward, operation, arrays)
    return _varying_alike(_sample, operation, arrays)


def _function(name: str, rank: int, example: str) -> Any:
    """The function of an operator, which takes what the package's takes, but for `out`."""
    original = getattr(_functions, name)
    parameters = [p for p in inspect.signature(original).parameters.values() if p.name != "out"]
    result = "tuple[jax.Array | None, jax.Array | None]" if "sampler" in name and "back" in name else "jax.Array"
    signature = inspect.Signature(parameters, return_annotation=result)

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            bound = signature.bind(*arguments, **options)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
        return _apply(name, rank, bound.arguments)

    function: Any = call
    function.__name__ = function.__qualname__ = name
    title = original.__doc__.splitlines()[0].replace("`", "")
    function.__doc__ = f"""{title} For JAX; `regrad.{name}` explains the arguments.

    >>> import jax.numpy as jnp, regrad.jax
    {example}
    """
    function.__signature__ = signature
    return function


ArrayLike = Union[jax.Array, _arrays.Array]
Coordinates_contra = TypeVar("Coordinates_contra", bound=Coordinates, contravariant=True)
Mode_contra = TypeVar("Mode_contra", bound=Mode, contravariant=True)


class Nearest(Protocol):
    """A nearest or nearest-exact resize."""

    def __call__(
        self, input: ArrayLike, output_size: Sizes | None = None, *, scales: Scales | None = None, law: Law = "forward"
    ) -> jax.Array: ...


class NearestBackward(Protocol):
    """The gradient of one."""

    def __call__(
        self, grad_output: ArrayLike, input_size: Sizes, *, scales: Scales | None = None, law: Law = "forward"
    ) -> jax.Array: ...


class Weighted(Protocol[Coordinates_contra]):
    """A resize whose outputs are weighted sums."""

    def __call__(
        self,
        input: ArrayLike,
        output_size: Sizes | None = None,
        *,
        align_corners: bool = False,
        scales: Scales | None = None,
        coordinates: Coordinates_contra | None = None,
    ) -> jax.Array: ...


class WeightedBackward(Protocol[Coordinates_contra]):
    """The gradient of one."""

    def __call__(
        self,
        grad_output: ArrayLike,
        input_size: Sizes,
        *,
        align_corners: bool = False,
        scales: Scales | None = None,
        coordinates: Coordinates_contra | None = None,
    ) -> jax.Array: ...


class Sample(Protocol[Mode_contra]):
    """A grid sample."""

    def __call__(
        self,
        input: ArrayLike,
        grid: ArrayLike,
        *,
        mode: Mode_contra = ...,
        padding_mode: PaddingMode = "zeros",
        align_corners: bool = False,
    ) -> jax.Array: ...


class SampleBackward(Protocol[Mode_contra]):
    """The gradients of one."""

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
    ) -> tuple[jax.Array | None, jax.Array | None]: ...


def _resize(name: str) -> tuple[Any, Any]:
    """The functions of a resize and of its gradient. The example keeps constants, as all resizes do."""
    n = RESIZES[name].n_axes
    small, large = ((k,) * n for k in (2, 4))
    shapes = ((1, 1, *small), (1, 1, *large))
    forward = f""">>> regrad.jax.{name}(jnp.ones({shapes[0]}), {large}).shape
    {shapes[1]}"""
    backward = f""">>> float(regrad.jax.{name}_backward(jnp.ones({shapes[1]}), {small}).sum())
    {float(4**n)}"""
    return _function(name, n + 2, forward), _function(f"{name}_backward", n + 2, backward)


def _grid_sampler(n: int) -> tuple[Any, Any]:
    """The functions of a grid sample and of its gradients."""
    name = f"grid_sampler_{n}d"
    arrays = f"jnp.ones({(1, 1, *(2,) * n)}), jnp.zeros({(1, *(1,) * n, n)})"
    forward = f""">>> float(regrad.jax.{name}({arrays}).sum())
    1.0"""
    backward = f""">>> regrad.jax.{name}_backward(jnp.ones({(1, 1, *(1,) * n)}), {arrays})[1].shape
    {(1, *(1,) * n, n)}"""
    return _function(name, n + 2, forward), _function(f"{name}_backward", n + 2, backward)


_Nearest = tuple[Nearest, NearestBackward]
_Weighted = tuple[Weighted[Coordinates], WeightedBackward[Coordinates]]
_Aligned = Literal["half_pixel", "align_corners"]
_Antialiased = tuple[Weighted[_Aligned], WeightedBackward[_Aligned]]
_Mode3d = Literal["bilinear", "nearest"]

upsample_nearest1d, upsample_nearest1d_backward = cast(_Nearest, _resize("upsample_nearest1d"))
upsample_nearest2d, upsample_nearest2d_backward = cast(_Nearest, _resize("upsample_nearest2d"))
upsample_nearest3d, upsample_nearest3d_backward = cast(_Nearest, _resize("upsample_nearest3d"))
upsample_nearest_exact1d, upsample_nearest_exact1d_backward = cast(_Nearest, _resize("upsample_nearest_exact1d"))
upsample_nearest_exact2d, upsample_nearest_exact2d_backward = cast(_Nearest, _resize("upsample_nearest_exact2d"))
upsample_nearest_exact3d, upsample_nearest_exact3d_backward = cast(_Nearest, _resize("upsample_nearest_exact3d"))
upsample_linear1d, upsample_linear1d_backward = cast(_Weighted, _resize("upsample_linear1d"))
upsample_bilinear2d, upsample_bilinear2d_backward = cast(_Weighted, _resize("upsample_bilinear2d"))
upsample_trilinear3d, upsample_trilinear3d_backward = cast(_Weighted, _resize("upsample_trilinear3d"))
upsample_bicubic2d, upsample_bicubic2d_backward = cast(_Weighted, _resize("upsample_bicubic2d"))
upsample_bilinear2d_aa, upsample_bilinear2d_aa_backward = cast(_Antialiased, _resize("upsample_bilinear2d_aa"))
upsample_bicubic2d_aa, upsample_bicubic2d_aa_backward = cast(_Antialiased, _resize("upsample_bicubic2d_aa"))
upsample_lanczos2d_aa, upsample_lanczos2d_aa_backward = cast(_Antialiased, _resize("upsample_lanczos2d_aa"))
grid_sampler_2d, grid_sampler_2d_backward = cast("tuple[Sample[Mode], SampleBackward[Mode]]", _grid_sampler(2))
grid_sampler_3d, grid_sampler_3d_backward = cast("tuple[Sample[_Mode3d], SampleBackward[_Mode3d]]", _grid_sampler(3))


def grid_sample(
    input: ArrayLike,
    grid: ArrayLike,
    mode: Mode = "bilinear",
    padding_mode: PaddingMode = "zeros",
    align_corners: bool = False,
) -> jax.Array:
    """Samples images by `grid_sampler_2d`, or volumes by `grid_sampler_3d`.

    >>> import jax, jax.numpy as jnp, regrad.jax
    >>> image, grid = jnp.array([[[[0.0, 1.0], [2.0, 3.0]]]]), jnp.zeros((1, 1, 1, 2))
    >>> jax.grad(lambda grid: regrad.jax.grid_sample(image, grid).sum())(grid)
    Array([[[[1., 2.]]]], dtype=float32)
    """
    image = _array(input, "grid_sample: input")
    if image.ndim not in (4, 5):
        raise ValueError(f"grid_sample: input has {image.ndim} dimensions, wanted 4, of images, or 5, of volumes")
    sampler: Any = grid_sampler_2d if image.ndim == 4 else grid_sampler_3d
    return cast("jax.Array", sampler(image, grid, mode=mode, padding_mode=padding_mode, align_corners=align_corners))
