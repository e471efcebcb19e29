# SPDX-License-Identifier: Apache-2.0
"""The C library, through ctypes: its structures, its functions, its errors."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import regrad

# Of an editable installation the modules lie elsewhere than what was compiled: the package then has two directories.
_places = [Path(place).resolve() / "native" for place in regrad.__path__]
NATIVE = next((place for place in _places if place.is_dir()), _places[0])
MAX_RANK = 5
MAX_ARRAYS = 5


class Tensor(ctypes.Structure):
    """regrad_tensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.c_int64 * MAX_RANK),
        ("stride", ctypes.c_int64 * MAX_RANK),
        ("offset", ctypes.c_int64),
        ("storage", ctypes.c_int64),
        ("name", ctypes.c_char_p),
    ]


class Options(ctypes.Structure):
    """regrad_plan_options."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("threads", ctypes.c_int),
        ("parallel_for", ctypes.c_void_p),
        ("parallel_context", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
        ("memory_context", ctypes.c_void_p),
        ("once", ctypes.c_int),
    ]


class _ResizeOperator(ctypes.Structure):
    """regrad_resize_operator."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("n_axes", ctypes.c_int),
        ("is_backward", ctypes.c_bool),
        ("takes_law", ctypes.c_bool),
        ("takes_asymmetric", ctypes.c_bool),
        ("takes_bytes", ctypes.c_bool),
    ]


class Wanted(ctypes.Structure):
    """regrad_python_array of binding.c: an array that a plan was made for."""

    _fields_ = [
        ("tensor", Tensor),
        ("is_output", ctypes.c_int32),
        ("index", ctypes.c_int32),
        ("dtype", ctypes.py_object),
        ("new_with", ctypes.py_object),
    ]


class Planned(ctypes.Structure):
    """regrad_python_plan of binding.c: a plan with its arrays."""

    _fields_ = [
        ("plan", ctypes.c_void_p),
        ("n_inputs", ctypes.c_int32),
        ("n_results", ctypes.c_int32),
        ("arrays", Wanted * MAX_ARRAYS),
    ]


_path = NATIVE / "lib" / "libregrad_python.so"
if not _path.exists():
    raise ImportError(f"regrad: {_path} is not there; install the package with pip")
# The same library twice: calls of the second keep the interpreter's lock, which binding.c gives up itself.
library = ctypes.CDLL(str(_path))
_holding = ctypes.PyDLL(str(_path))

library.regrad_version.restype = ctypes.c_char_p
library.regrad_isa.restype = ctypes.c_char_p
library.regrad_last_message.restype = ctypes.c_char_p
library.regrad_plan_workspace_size.argtypes = [ctypes.c_void_p]
library.regrad_plan_workspace_size.restype = ctypes.c_size_t
library.regrad_plan_describe.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
library.regrad_plan_describe.restype = ctypes.c_size_t
library.regrad_plan_destroy.argtypes = [ctypes.c_void_p]
library.regrad_plan_destroy.restype = None
library.regrad_set_num_threads.argtypes = [ctypes.c_int]
library.regrad_set_num_threads.restype = None
library.regrad_python_trim.restype = None

run_plan = _holding.regrad_python_run
run_plan.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.py_object]
run_plan.restype = ctypes.c_int

_holding.regrad_python_make_try_run.argtypes = [ctypes.py_object]
_holding.regrad_python_make_try_run.restype = ctypes.py_object
try_run = _holding.regrad_python_make_try_run((None, np.ndarray, np.empty, sys.intern("dtype")))

_holding.regrad_python_make_run_at.argtypes = [ctypes.py_object]
_holding.regrad_python_make_run_at.restype = ctypes.py_object
run_plan_at = _holding.regrad_python_make_run_at(None)  # on addresses

library.regrad_resize_operator_at.argtypes = [ctypes.c_int, ctypes.POINTER(_ResizeOperator)]
library.regrad_resize_operator_at.restype = ctypes.c_bool


class Resize(NamedTuple):
    """What there is to know about a resize, or the gradient of one."""

    name: str
    n_axes: int
    is_backward: bool
    takes_law: bool
    takes_asymmetric: bool
    takes_bytes: bool


def _list_resizes() -> dict[str, Resize]:
    found: dict[str, Resize] = {}
    info = _ResizeOperator()
    while library.regrad_resize_operator_at(len(found), ctypes.byref(info)):
        name = info.name.decode().removeprefix("regrad_")
        takes = (info.takes_law, info.takes_asymmetric, info.takes_bytes)
        found[name] = Resize(name, info.n_axes, info.is_backward, *takes)
    return found


RESIZES = _list_resizes()

_tensor, _plan = ctypes.POINTER(Tensor), ctypes.POINTER(ctypes.c_void_p)
_sizes, _floats = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_float)
_int, _float, _bool = ctypes.c_int, ctypes.c_float, ctypes.c_bool
_arguments: dict[str, list[Any]] = {
    "resize": [ctypes.c_char_p, _tensor, _tensor, _int, _int, ctypes.POINTER(ctypes.c_double)],
    "resize_bilinear_v2_grad": [_tensor, _tensor, _bool, _bool, _floats, _tensor],
    "upsample_nearest_exact2d_grad": [_tensor, _sizes, _sizes, _float, _float, _tensor],
    "grid_sampler_2d": [_tensor, _tensor, _int, _int, _bool, _tensor],
    "grid_sampler_2d_backward": [_tensor, _tensor, _tensor, _int, _int, _bool, _tensor, _tensor],
    "grid_sampler_3d": [_tensor, _tensor, _int, _int, _bool, _tensor],
    "grid_sampler_3d_backward": [_tensor, _tensor, _tensor, _int, _int, _bool, _tensor, _tensor],
}
for _name, _types in _arguments.items():
    _function = getattr(library, f"regrad_{_name}_plan_with")
    _function.argtypes = [*_types, ctypes.POINTER(Options), _plan]
    _function.restype = ctypes.c_int


def make_plan(operator: str, arguments: tuple[Any, ...], threads: int) -> tuple[int, ctypes.c_void_p]:
    """A status, and the plan if it is 0."""
    options = Options(size=ctypes.sizeof(Options), threads=threads)
    plan = ctypes.c_void_p()
    if operator in RESIZES:
        operator, arguments = "resize", (f"regrad_{operator}".encode(), *arguments)
    make = getattr(library, f"regrad_{operator}_plan_with")
    return int(make(*arguments, ctypes.byref(options), ctypes.byref(plan))), plan


def last_message() -> str:
    """Why the last failed call of this thread failed."""
    return str(library.regrad_last_message().decode())


def describe_plan(plan: int | None) -> str:
    """The plan in one line."""
    n = library.regrad_plan_describe(plan, None, 0)
    line = ctypes.create_string_buffer(n + 1)
    library.regrad_plan_describe(plan, line, n + 1)
    return line.value.decode()
