# SPDX-License-Identifier: Apache-2.0
"""Plans, and the cache of those that functions without a plan have made."""

from __future__ import annotations

import ctypes
import os
import re
import threading
import weakref
from collections import OrderedDict
from operator import index
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _library
from ._arrays import Array

_ndarray = np.ndarray
_UNLIKE, _NO_MEMORY, _OUT_OF_MEMORY = -16, -2, 3


class Operand(NamedTuple):
    """An array of a call: what the library calls it, whether it is a result, its place among inputs or outputs."""

    name: str
    is_output: bool
    place: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    channels_last: bool
    tensor: _library.Tensor


class Call(NamedTuple):
    """What a plan is made of: the operator, the library's arguments, and the arrays of a run."""

    operator: str
    arguments: tuple[Any, ...]
    inputs: tuple[Operand, ...]
    results: tuple[Operand | None, ...]  # None: not wanted
    names: dict[str, str]  # what the library's sentences call things, and what Python does

    @property
    def operands(self) -> tuple[Operand, ...]:
        """All arrays, in the order in which a run takes them."""
        return (*self.inputs, *[o for o in self.results if o is not None])


def fail(call: Call, status: int) -> None:
    """Raises what the library refused."""
    sentence = _library.last_message() if status > 0 else ""
    for theirs, ours in (
        *call.names.items(),
        ("options.threads", "threads"),
        ("regrad_", ""),
        (".stride is", ".strides in elements are"),
    ):
        sentence = sentence.replace(theirs, ours)
    sentence = re.sub(r"REGRAD_([A-Z0-9_]+) \(\d+\)", lambda found: found[1].lower(), sentence)
    if status in (_OUT_OF_MEMORY, _NO_MEMORY):
        raise MemoryError(sentence if status == _OUT_OF_MEMORY else f"{call.operator}: out of memory for a workspace")
    if ".dtype is" in sentence:
        raise TypeError(sentence)
    raise ValueError(sentence)


def thread_count(value: Any, where: str) -> int:
    """A number of threads as C has it."""
    try:
        return max(-(2**31), min(index(value), 2**31 - 1))
    except TypeError:
        raise TypeError(f"{where} is {_arrays.shown(value)}, wanted a whole number") from None


class Prepared:
    """A plan of the library with the arrays that it wants."""

    __slots__ = ("__weakref__", "_address", "_dtypes", "_new", "_plan", "_wanted", "call", "cost", "has_bits")

    def __init__(self, call: Call, threads: int = 0) -> None:
        status, plan = _library.make_plan(
            call.operator, call.arguments, thread_count(threads, f"{call.operator}: threads")
        )
        if status != 0:
            fail(call, status)
        # Not at the interpreter's end: threads that it leaves behind may be running the plan.
        weakref.finalize(self, _library.library.regrad_plan_destroy, plan).atexit = False
        self.call = call
        self._plan = plan.value
        operands = call.operands
        self._wanted = (_library.Wanted * len(operands))(
            *(_library.Wanted(o.tensor, o.is_output, o.place) for o in operands)
        )
        self._address = ctypes.addressof(self._wanted)
        self.has_bits = any(_arrays.is_bfloat16(o.dtype) for o in operands)
        self._dtypes = [o.dtype for o in operands]
        self._new = self._plain_results()
        self.cost = sum(size for o in operands for size in o.shape[2:])

    def _plain_results(self) -> list[tuple[tuple[int, ...], np.dtype[Any]]]:
        """Shapes and types of all results, for `np.empty`; nothing where a result is not as simple, or not wanted."""
        made = []
        for o in self.call.results:
            if o is None or o.channels_last or self.has_bits:
                return []
            made.append((o.shape, o.dtype))
        return made

    def try_run(self, inputs: tuple[Any, ...], outs: list[Any] | None) -> list[Any] | None:
        """The results where all is as the plan wants it, as it mostly is; else None, and nothing is done.

        outs: the results as they were given; None for new arrays.

        It asks least of the interpreter, which takes longer than a small gradient: with results given, a run of one
        took 4.3 us over the call from C without it and takes 2.4, and one of two results 6.1 and 3.2, on an EPYC.
        """
        if not self._new:
            return None
        try:
            if outs is None:
                outs = [np.empty(*new) for new in self._new]
            arrays = (*inputs, *outs)
            if len(outs) != len(self._new) or len(arrays) != len(self._dtypes):
                return None
            for array, dtype in zip(arrays, self._dtypes):
                if type(array) is not _ndarray or array.dtype is not dtype:
                    return None
            return outs if _library.run_plan(self._plan, self._address, arrays) == 0 else None
        except (MemoryError, ValueError):  # no memory for a result, or one is read-only: what to say is known elsewhere
            return None

    def run(self, arrays: tuple[Array, ...]) -> None:
        """Runs the plan on arrays that have been looked at: all have the right types."""
        taken = tuple(_arrays.plain(a) for a in arrays) if self.has_bits else arrays
        status = _library.run_plan(self._plan, self._address, taken)
        if status == 0:
            return
        if status <= _UNLIKE:
            self._refuse(arrays, _UNLIKE - status)
        fail(self.call, status)

    def _refuse(self, arrays: tuple[Array, ...], k: int) -> None:
        operand, array = self.call.operands[k], arrays[k]
        where = f"{self.call.operator}: {operand.name}"
        if array.shape != operand.shape:
            raise ValueError(f"{where}.shape is {array.shape}, the plan is for {operand.shape}")
        n_bytes = operand.dtype.itemsize
        wanted = tuple(s * n_bytes for s in operand.tensor.stride[: len(operand.shape)])
        raise ValueError(f"{where}.strides are {array.strides} bytes, the plan is for {wanted}")

    def finish(self, inputs: tuple[Array, ...], outs: list[Any], views: list[Array | None]) -> list[Any]:
        """Runs the plan, with new arrays for the results that were not given. Returns all results, None if not wanted.

        outs: the results as they were given, views: their memory; None for a new array, and for what is not wanted.
        """
        arrays = [*inputs]
        for k, (o, view) in enumerate(zip(self.call.results, views)):
            if view is not None:
                arrays.append(view)
            elif o is not None:
                outs[k] = self._empty(o)
                arrays.append(outs[k])
        self.run(tuple(arrays))
        return outs

    def _empty(self, result: Operand) -> Array:
        try:
            return _arrays.empty(result.shape, result.dtype, result.channels_last)
        except MemoryError:
            what = f"{result.name}.shape {result.shape} of {_arrays.dtype_name(result.dtype)}"
            raise MemoryError(f"{self.call.operator}: out of memory for {what}, must be smaller") from None

    def describe(self) -> str:
        """The library's line about the plan."""
        return _library.describe_plan(self._plan).removeprefix("regrad_")

    @property
    def workspace_size(self) -> int:
        """Bytes that a run needs beside its arrays."""
        return int(_library.library.regrad_plan_workspace_size(self._plan))


# ---- The cache ----


class CacheInfo(NamedTuple):
    """What the cache of plans did: as functools.lru_cache tells it."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


class _Cache:
    """The plans that were used last. Tables of a plan grow with the lengths of its axes, so these are bounded, too."""

    MOST_PLANS = 256
    MOST_LENGTH = 1 << 21  # of all axes; 57 MiB of tables at most, as measured

    def __init__(self) -> None:
        self._hits = self._misses = self.generation = 0
        self._renew()
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        """Handlers of signals may call while their own thread is in here; in a child, a lock may have no holder."""
        self._lock = threading.RLock()
        self._plans: OrderedDict[Any, Prepared] = OrderedDict()

    def get(self, key: Any) -> Prepared | None:
        with self._lock:
            plan = self._plans.get(key)
            if plan is None:
                self._misses += 1
            else:
                self._hits += 1
                self._plans[key] = self._plans.pop(key, plan)  # the last one now, even if a handler dropped it
            return plan

    def put(self, key: Any, plan: Prepared, generation: int) -> None:
        """Keeps a plan, unless the cache was cleared since that generation."""
        if plan.cost > self.MOST_LENGTH:
            return
        dropped = []  # plans are destroyed without the lock
        with self._lock:
            if key in self._plans or generation != self.generation:
                return
            self._plans[key] = plan
            length = sum([p.cost for p in self._plans.values()])
            while len(self._plans) > self.MOST_PLANS or length > self.MOST_LENGTH:
                dropped.append(self._plans.popitem(last=False)[1])
                length -= dropped[-1].cost

    def info(self) -> CacheInfo:
        with self._lock:
            return CacheInfo(self._hits, self._misses, self.MOST_PLANS, len(self._plans))

    def clear(self) -> None:
        with self._lock:
            dropped, self._plans = self._plans, OrderedDict()
            self._hits = self._misses = 0
            self.generation += 1
        dropped.clear()
        _library.library.regrad_python_trim()


cache = _Cache()


def cache_info() -> CacheInfo:
    """How often a function found its plan in the cache, and how many plans that has.

    >>> import regrad
    >>> regrad.cache_info().maxsize
    256
    """
    return cache.info()


def cache_clear() -> None:
    """Empties the cache of plans, and gives the calling thread's workspace back."""
    cache.clear()


# ---- Threads ----


def num_threads() -> int:
    """How many threads a plan that is made from now on may use. No result depends on it.

    It starts as the environment variable REGRAD_NUM_THREADS, or else as the number of cores that the process may use.
    """
    return int(_library.library.regrad_num_threads())


def set_num_threads(n: int) -> None:
    """Sets `num_threads`; less than 1 goes back to the start value. Plans of the cache are made again."""
    _library.library.regrad_set_num_threads(thread_count(n, "set_num_threads: n"))
    cache.clear()


def isa() -> str:
    """The instruction set in use: scalar, avx2, avx512 or neon. No result depends on it."""
    return str(_library.library.regrad_isa().decode())
