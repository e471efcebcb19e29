# SPDX-License-Identifier: Apache-2.0
"""Between addresses and Python's own memory. Only the functions with arrays need NumPy."""
from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any

from ._table import integer, missing, shown

if TYPE_CHECKING:
    import numpy


def bytes_to_ptr(data: bytes) -> int:
    """ptr = acl.util.bytes_to_ptr(data)

    The address of the memory of data itself. It is valid as long as data lives, which the caller sees to.
    """
    if not isinstance(data, bytes):
        raise TypeError(f"acl.util.bytes_to_ptr: data is {shown(data)}, must be bytes")
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


def ptr_to_bytes(ptr: int, size: int) -> bytes:
    """data = acl.util.ptr_to_bytes(ptr, size)

    A copy of size bytes, which belongs to the caller.
    """
    return bytes(memory("acl.util.ptr_to_bytes", ptr, integer("acl.util.ptr_to_bytes", "size", size)))


def numpy_to_ptr(array: numpy.ndarray[Any, Any]) -> int:
    """ptr = acl.util.numpy_to_ptr(array)

    The address of the memory of the array itself. It is valid as long as the array lives, which the caller sees to.
    """
    import numpy

    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"acl.util.numpy_to_ptr: array is {shown(array)}, must be a NumPy array")
    if not array.flags.forc:
        raise ValueError(f"acl.util.numpy_to_ptr: array has the strides {array.strides} for the shape {array.shape}, "
                         "must be contiguous; numpy.ascontiguousarray makes a copy that is")
    return int(array.ctypes.data)


def ptr_to_numpy(ptr: int, shape: tuple[int, ...], dtype: int) -> numpy.ndarray[Any, Any]:
    """array = acl.util.ptr_to_numpy(ptr, shape, dtype)

    A writable array over the memory itself, which the caller frees when the array is not used any more.
    """
    import numpy

    function = "acl.util.ptr_to_numpy"
    sizes = dimensions(function, shape)
    element = element_type(function, dtype)
    place: Any = memory(function, ptr, math.prod(sizes) * element.itemsize)
    return numpy.ndarray(sizes, element, buffer=place)


def np_array(ptr: int, shape: tuple[int, ...], dtype: int) -> numpy.ndarray[Any, Any]:
    """array = acl.util.np_array(ptr, shape, dtype)

    As ptr_to_numpy, but a copy, which belongs to the caller: the memory may be freed.
    """
    return ptr_to_numpy(ptr, shape, dtype).copy()


def memory(function: str, ptr: object, n_bytes: int) -> ctypes.Array[ctypes.c_char]:
    """The memory at an address, in which nothing is looked at."""
    address = integer(function, "ptr", ptr)
    if address == 0 and n_bytes > 0:
        raise ValueError(f"{function}: ptr is 0, must be an address where there are {n_bytes} bytes")
    if n_bytes > (1 << 63) - 1 - address:
        raise ValueError(f"{function}: {n_bytes} bytes are asked for at {address:#x}, must be as many as there are")
    return (ctypes.c_char * n_bytes).from_address(address)


def dimensions(function: str, shape: object) -> tuple[int, ...]:
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"{function}: shape is {shown(shape)}, must be a tuple of integers")
    return tuple(integer(function, f"shape[{k}]", size) for k, size in enumerate(shape))


def element_type(function: str, number: object) -> numpy.dtype[Any]:
    """The type of numbers with NumPy's number, such as 11 for numpy.float32."""
    import numpy

    codes = "?" + numpy.typecodes["AllInteger"] + numpy.typecodes["AllFloat"]
    types = {numpy.dtype(code).num: numpy.dtype(code) for code in codes}
    wanted = integer(function, "dtype", number)
    if wanted not in types:
        raise ValueError(f"{function}: dtype is {wanted}, must be the number of a NumPy type of numbers: "
                         f"{', '.join(map(str, sorted(types)))}")
    return types[wanted]


def __getattr__(name: str) -> Any:
    raise missing(__name__, name)
