# SPDX-License-Identifier: Apache-2.0
"""Makes the functions of this package from tables that have one row for each of them."""
from __future__ import annotations

import ctypes
import operator
import os
import reprlib
from collections.abc import Callable
from typing import Any, NamedTuple

ADDRESS = SIZE_T = ctypes.c_size_t  # handles are addresses too
INT32, UINT32, UINT64 = ctypes.c_int32, ctypes.c_uint32, ctypes.c_uint64
FLOAT = ctypes.c_float
TEXT = ctypes.c_char_p
STATUS = INT32
REQUIRED = object()

Function = Callable[..., Any]


class Argument(NamedTuple):
    """A parameter that the caller gives: an integer, or a text."""

    name: str
    c_type: Any
    default: object = REQUIRED


class Result(NamedTuple):
    """A parameter through which the C function gives a value back."""

    name: str
    c_type: Any


class Row:
    """The C function behind a Python one, its parameters in their order, and the type that it returns."""

    def __init__(self, c_name: str, *parameters: Argument | Result, returns: Any = STATUS) -> None:
        self.c_name = c_name
        self.parameters = parameters
        self.returns = returns
        self.arguments = [parameter for parameter in parameters if isinstance(parameter, Argument)]
        self.results = [parameter for parameter in parameters if isinstance(parameter, Result)]
        self.n_required = sum(argument.default is REQUIRED for argument in self.arguments)

    def takes(self) -> str:
        return "(" + ", ".join(argument.name for argument in self.arguments) + ")"

    def gives(self) -> str:
        return ", ".join([*(result.name for result in self.results), "status" if self.returns is STATUS else "text"])


Table = dict[str, Row]


def load() -> ctypes.CDLL:
    """The library of the tree that this file lies in, wherever that has been moved to."""
    here = os.path.dirname(os.path.realpath(__file__))
    path = os.path.normpath(os.path.join(here, "..", "..", "..", "lib64", "libascendcl.so"))
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"acl: {path} cannot be loaded, and must be the library of this tree: {error}") from None


LIBRARY = load()


def shown(value: object) -> str:
    try:
        return reprlib.repr(value)
    except ValueError:  # an integer of thousands of digits
        return f"a value of type {type(value).__name__}"


def integer(function: str, name: str, value: object, c_type: Any = SIZE_T) -> int:
    """The value as an integer that the C type holds."""
    n_bits = 8 * ctypes.sizeof(c_type)
    low = -(1 << (n_bits - 1)) if c_type(-1).value < 0 else 0
    high = low + (1 << n_bits) - 1
    try:
        number = operator.index(value)  # type: ignore[arg-type]
        refusal: type[Exception] = OverflowError
    except TypeError:
        number, refusal = high + 1, TypeError
    if not low <= number <= high:
        raise refusal(f"{function}: {name} is {shown(value)}, must be an integer from {low} to {high}")
    return number


def text(function: str, name: str, value: object) -> bytes:
    """The value as the bytes of a C string."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{function}: {name} is {shown(value)}, must be a text")
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise ValueError(f"{function}: {name} is {shown(value)}, must be a text without NUL characters")
    return encoded


def converted(function: str, row: Row, values: tuple[object, ...]) -> dict[Argument | Result, Any]:
    """What C gets for each argument: the values that the caller has given, then defaults."""
    n_given, n_arguments = len(values), len(row.arguments)
    if not row.n_required <= n_given <= n_arguments:
        raise TypeError(f"{function}: the number of arguments is {n_given}, must be that of {row.takes()}")
    values += tuple(argument.default for argument in row.arguments[n_given:])
    return {argument: text(function, argument.name, value) if argument.c_type is TEXT else
            integer(function, argument.name, value, argument.c_type) for argument, value in zip(row.arguments, values)}


def of_c(value: Any) -> Any:
    """A value of C in Python: NULL is a text without characters."""
    if value is None or isinstance(value, bytes):
        return (value or b"").decode(errors="replace")
    return value


def bind(module: str, name: str, row: Row) -> Function:
    full_name = f"{module}.{name}"
    call = getattr(LIBRARY, row.c_name)
    call.restype = row.returns
    call.argtypes = [parameter.c_type if isinstance(parameter, Argument) else ctypes.POINTER(parameter.c_type)
                     for parameter in row.parameters]

    def function(*values: object) -> Any:
        passed = converted(full_name, row, values)
        passed.update((result, result.c_type()) for result in row.results)
        returned = of_c(call(*(passed[parameter] for parameter in row.parameters)))
        return (*(passed[result].value for result in row.results), returned) if row.results else returned

    function.__module__ = module
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{row.gives()} = {full_name}{row.takes()}\n\nCalls {row.c_name}."
    return function


def bind_all(module: str, table: Table) -> dict[str, Function]:
    return {name: bind(module, name, row) for name, row in table.items()}


def missing(module: str, name: str) -> AttributeError:
    return AttributeError(f"{module}.{name} is not there: the module acl of regrad has no such name; docs/acl.md lists "
                          "the names that it has")
