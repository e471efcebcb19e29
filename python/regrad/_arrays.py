# SPDX-License-Identifier: Apache-2.0
"""Arrays of any kind as NumPy arrays that share their memory, and as the library's tensors."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from reprlib import Repr
from typing import TYPE_CHECKING, Any, Protocol, Union

import numpy as np

from ._library import Tensor

if TYPE_CHECKING:
    from typing_extensions import Buffer, TypeAlias

    Array: TypeAlias = np.ndarray[Any, Any]
else:  # NumPy before 1.22 cannot be subscripted
    Array, Buffer = np.ndarray, Any


class SupportsDLPack(Protocol):
    """An array that shares its memory by DLPack: of NumPy, PyTorch, JAX and others."""

    def __dlpack__(self, *, stream: None = None) -> Any: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...


ArrayLike = Union[SupportsDLPack, Buffer]

# bfloat16 without ml_dtypes: its bits, under a name, so that nothing takes them for numbers.
_bits = np.dtype([("bfloat16", np.uint16)])
_codes = {"float32": 0, "float16": 1, "bfloat16": 2, "float64": 3, "uint8": 4}


def bfloat16() -> np.dtype[Any]:
    """The NumPy type of bfloat16: that of ml_dtypes, or if it is not installed, bits."""
    try:
        import ml_dtypes
    except ImportError:
        return _bits
    found: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return found


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    """Is this a NumPy type of bfloat16?"""
    return dtype.itemsize == 2 and dtype.isnative and (dtype.name == "bfloat16" or dtype == _bits)


def dtype_name(dtype: np.dtype[Any]) -> str:
    """The library's name of a type, or NumPy's."""
    if is_bfloat16(dtype):
        return "bfloat16"
    return dtype.name if dtype.isnative else str(dtype)


def code_of(dtype: np.dtype[Any]) -> int:
    """The library's number of a type that it has."""
    return _codes[dtype_name(dtype)]


def plain(array: Array) -> Array:
    """The same memory with a type that the buffer protocol has."""
    return array.view(np.uint16) if is_bfloat16(array.dtype) else array


_short = Repr()
_short.maxlist = _short.maxtuple = _short.maxset = _short.maxdict = 6
_short.maxstring = _short.maxlong = _short.maxother = 100


def shown(value: Any) -> str:
    """A value as a sentence has it: in one line, and not endless."""
    try:
        return " ".join(_short.repr(value).split())
    except ValueError:  # of an integer of thousands of digits
        return f"of type {type(value).__name__}"


# ---- DLPack: dmlc.github.io/dlpack, "C API" ----


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    ]


_READ_ONLY, _IS_COPIED = 1, 2
_devices = {
    2: "a CUDA device", 4: "an OpenCL device", 7: "a Vulkan device", 8: "a Metal device", 10: "a ROCm device",
    12: "an external device", 13: "CUDA managed memory", 14: "a oneAPI device", 15: "a WebGPU device",
    16: "a Hexagon device", 17: "a MAIA device",
}  # fmt: skip
_ON_CPU = (1, 3, 11)  # pinned memory is the CPU's, too
_kinds = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
_BFLOAT = 4

_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p


class _Foreign:
    """Memory that a capsule keeps, for NumPy."""

    def __init__(self, capsule: Any, interface: dict[str, Any]) -> None:
        self.capsule = capsule
        self.__array_interface__ = interface


def _device_of(value: Any) -> tuple[int, int]:
    device, number = value.__dlpack_device__()
    return int(device), int(number)


def _capsule_of(value: Any) -> Any:
    try:
        return value.__dlpack__(max_version=(1, 1))
    except TypeError:
        return value.__dlpack__()


def _ask(question: Callable[[Any], Any], value: Any, where: str) -> Any:
    try:
        return question(value)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise TypeError(f"{where} does not give its memory away: {error}") from error


def _tensor_of(capsule: Any, where: str) -> tuple[_DLTensor, int]:
    """What is in a capsule, and its flags."""
    if _is_valid(capsule, b"dltensor"):
        return _DLTensor.from_address(_pointer(capsule, b"dltensor")), 0
    if not _is_valid(capsule, b"dltensor_versioned"):
        raise TypeError(f"{where} gives {capsule!r} for its memory, wanted a DLPack capsule that nobody has taken")
    managed = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
    if managed.major != 1:
        raise TypeError(f"{where} has DLPack version {managed.major}.{managed.minor}, wanted 1")
    return managed.tensor, int(managed.flags)


def _typestr(tensor: _DLTensor, where: str) -> str:
    """The type as NumPy's array interface has it; bfloat16 as bits."""
    kind = "u" if tensor.code == _BFLOAT else _kinds.get(tensor.code, "?")
    typestr = f"{'<' if sys.byteorder == 'little' else '>'}{kind}{tensor.bits // 8}"
    try:
        if tensor.lanes == 1 and tensor.bits == 8 * np.dtype(typestr).itemsize:
            return typestr
    except TypeError:
        pass
    raise TypeError(f"{where} has DLPack type ({tensor.code}, {tensor.bits}, {tensor.lanes}), which NumPy has not")


def _from_dlpack(value: Any, where: str, is_result: bool = False) -> Array:
    device, number = _ask(_device_of, value, where)
    if device not in _ON_CPU:
        on = _devices.get(device, f"a device of type {device}")
        raise TypeError(f"{where} lies on {on} ({number}), wanted memory of the CPU; copy it there first")
    if getattr(value, "is_neg", bool)() is True:
        raise TypeError(
            f"{where} has PyTorch's negative bit, which its memory does not show; pass tensor.resolve_neg()"
        )
    capsule = _ask(_capsule_of, value, where)
    tensor, flags = _tensor_of(capsule, where)
    if is_result and flags & _IS_COPIED:
        raise ValueError(f"{where} gives a copy of its memory away, in which a result is lost; wanted its own memory")
    typestr = _typestr(tensor, where)
    n_bytes = tensor.bits // 8
    shape = tuple(tensor.shape[: tensor.ndim]) if tensor.ndim else ()
    strides = tuple(s * n_bytes for s in tensor.strides[: tensor.ndim]) if tensor.ndim and tensor.strides else None
    data = (tensor.data or 0) + tensor.byte_offset
    place = (data, bool(flags & _READ_ONLY))
    interface = {"version": 3, "shape": shape, "strides": strides, "typestr": typestr, "data": place}
    array: Array  # without elements there may be no memory at all
    array = np.empty(shape, typestr) if 0 in shape else np.asarray(_Foreign(capsule, interface))
    return array.view(bfloat16()) if tensor.code == _BFLOAT else array


def view(value: Any, where: str) -> Array:
    """A NumPy array of the same memory. `where` names the operator and the argument, for errors."""
    if type(value) is np.ndarray:
        return value
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{where} is a masked array, the mask of which would be lost; wanted one without")
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, where)
    try:
        buffer = memoryview(value)
    except (BufferError, ValueError) as error:  # released, for instance
        raise ValueError(f"{where} does not give its memory away: {error}; wanted an array that does") from error
    except TypeError:
        kind = f"{type(value).__module__}.{type(value).__qualname__}".replace("builtins.", "")
        wanted = "wanted an array: anything with __dlpack__ or the buffer protocol"
        raise TypeError(f"{where} is of type {kind}, {wanted}") from None
    try:
        return np.asarray(buffer)
    except ValueError as error:
        raise TypeError(f"{where} has elements of format {buffer.format!r}, wanted numbers") from error


def view_result(value: Any, where: str) -> Array:
    """The same for a result, which must be memory that may be written."""
    foreign = hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray)
    array = _from_dlpack(value, where, is_result=True) if foreign else view(value, where)
    if not array.flags.writeable or type(value).__module__.partition(".")[0] in ("jax", "jaxlib"):
        raise ValueError(f"{where} is read-only, wanted memory that may be written")
    return array


def check_dtype(array: Array, where: str, takes_bytes: bool) -> None:
    """Refuses types that no operator takes; the library refuses bytes where they are not taken."""
    if dtype_name(array.dtype) not in _codes:
        types = "float32, float64 or uint8" if takes_bytes else "float32 or float64"
        raise TypeError(
            f"{where}.dtype is {array.dtype}, wanted float16, bfloat16, {types} in the machine's byte order"
        )


def tensor(array: Array, name: str, where: str) -> Tensor:
    """The library's view of an array, without its data."""
    made = Tensor(dtype=code_of(array.dtype), rank=array.ndim, name=name.encode())
    for k, (size, stride) in enumerate(zip(array.shape, array.strides)):
        if size > 1 and stride % array.itemsize != 0:
            wanted = f"wanted multiples of {array.itemsize}, the size of an element"
            raise ValueError(f"{where}.strides are {array.strides} bytes, {wanted}")
        made.shape[k] = size
        made.stride[k] = stride // array.itemsize
    return made


def has_channels_last(array: Array) -> bool:
    """Are the channels of a pixel closer to one another than pixels are?"""
    if array.ndim < 3 or array.shape[1] < 2:
        return False
    inner = [abs(s) for s, n in zip(array.strides[2:], array.shape[2:]) if n > 1]
    return bool(inner) and abs(array.strides[1]) < min(inner)


def empty(shape: tuple[int, ...], dtype: np.dtype[Any], channels_last: bool) -> Array:
    """A new array with channels second, or stored last."""
    if not channels_last:
        return np.empty(shape, dtype)
    return np.moveaxis(np.empty((shape[0], *shape[2:], shape[1]), dtype), -1, 1)
