# SPDX-License-Identifier: Apache-2.0
"""Plans, and the cache of those that functions without a plan have made."""

from __future__ import annotations

import ctypes
import os
import re
import threading
import weakref
from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _library
from ._arrays import Array

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
        """All arrays that are wanted."""
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

    __slots__ = (
        "__weakref__",
        "_arrays",
        "_plan",
        "_planned",
        "address",
        "call",
        "cost",
        "has_bits",
        "is_single",
        "last_use",
    )

    def __init__(self, call: Call, threads: int = 0) -> None:
        status, plan = _library.make_plan(
            call.operator, call.arguments, thread_count(threads, f"{call.operator}: threads")
        )
        if status != 0:
            fail(call, status)
        # Not at the interpreter's end: threads that it leaves behind may be running the plan.
        weakref.finalize(self, _library.library.regrad_plan_destroy, plan).atexit = False
        self.call = call
        self.has_bits = any(_arrays.is_bfloat16(o.dtype) for o in call.operands)
        self.cost = sum(size for o in call.operands for size in o.shape[2:])
        self.is_single = len(call.results) == 1
        self.last_use = 0  # the cache's
        self._plan = plan.value
        self._planned = _library.Planned(self._plan, len(call.inputs), len(call.results))
        for o in call.operands:
            self._planned.arrays[self._place(o)] = self._wanted(o)
        self._arrays = ctypes.addressof(self._planned.arrays)
        # For `try_run`, which knows no arrays of bfloat16: the buffer protocol has none.
        self.address = 0 if self.has_bits else ctypes.addressof(self._planned)

    def _place(self, o: Operand) -> int:
        """Among all arrays of a run, inputs first."""
        return len(self.call.inputs) + o.place if o.is_output else o.place

    @staticmethod
    def _wanted(o: Operand) -> _library.Wanted:
        wanted = _library.Wanted(o.tensor, o.is_output, o.place, o.dtype)
        if o.is_output and not o.channels_last:
            wanted.new_with = (o.shape, o.dtype)
        return wanted

    def run(self, arrays: tuple[Array | None, ...]) -> None:
        """Runs the plan on arrays that have been looked at: all have the right types. None: not wanted."""
        taken = tuple(None if a is None else _arrays.plain(a) for a in arrays) if self.has_bits else arrays
        status = _library.run_plan(self._plan, self._arrays, taken)
        if status == 0:
            return
        if status <= _UNLIKE:
            k = _UNLIKE - status
            self._refuse(next(o for o in self.call.operands if self._place(o) == k), arrays[k])
        fail(self.call, status)

    def _refuse(self, operand: Operand, array: Array) -> None:
        where = f"{self.call.operator}: {operand.name}"
        if array.shape != operand.shape:
            raise ValueError(f"{where}.shape is {array.shape}, the plan is for {operand.shape}")
        n_bytes = operand.dtype.itemsize
        wanted = tuple(s * n_bytes for s in operand.tensor.stride[: len(operand.shape)])
        raise ValueError(f"{where}.strides are {array.strides} bytes, the plan is for {wanted}")

    def finish(self, inputs: tuple[Array, ...], outs: tuple[Any, ...], views: Sequence[Array | None]) -> Any:
        """Runs the plan, with new arrays for the results that were not given. Returns what the function does.

        outs: the results as they were given, views: their memory; None for a new array, and for what is not wanted.
        """
        found, arrays = [*outs], [*views]
        for k, (o, view) in enumerate(zip(self.call.results, views)):
            if o is None:
                found[k] = None
            elif view is None:
                found[k] = arrays[k] = self._empty(o)
        self.run((*inputs, *arrays))
        return found[0] if self.is_single else tuple(found)

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
        self.fronts: list[dict[Any, Any]] = []  # what others keep of their own, and `clear` empties
        self._renew()
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        """Handlers of signals may call while their own thread is in here; in a child, a lock may have no holder."""
        self._lock = threading.RLock()
        self._plans: dict[Any, Prepared] = {}

    def get(self, key: Any) -> Prepared | None:
        with self._lock:
            plan = self._plans.get(key)
            if plan is None:
                self._misses += 1
            else:
                self._hits += 1
                plan.last_use = self._hits
            return plan

    def put(self, key: Any, plan: Prepared, generation: int) -> None:
        """Keeps a plan, unless the cache was cleared since that generation."""
        if plan.cost > self.MOST_LENGTH:
            return
        with self._lock:
            if key in self._plans or generation != self.generation:
                return
            self._plans[key] = plan
            plan.last_use = self._hits
            dropped = self._drop()
        dropped.clear()  # plans are destroyed without the lock

    def _drop(self) -> list[Prepared]:
        """Takes plans out until the others fit: of those that were put since the same hit, the first one first."""
        plans = [*self._plans.items()]  # handlers of signals may change the other
        length = sum([plan.cost for _, plan in plans])
        dropped: list[Prepared] = []
        if len(plans) > self.MOST_PLANS or length > self.MOST_LENGTH:
            plans.sort(key=lambda item: item[1].last_use)
        while len(plans) > self.MOST_PLANS or length > self.MOST_LENGTH:
            key, plan = plans.pop(0)
            dropped.append(self._plans.pop(key, plan))
            length -= plan.cost
        return dropped

    def info(self) -> CacheInfo:
        with self._lock:
            return CacheInfo(self._hits, self._misses, self.MOST_PLANS, len(self._plans))

    def clear(self) -> None:
        with self._lock:
            dropped, self._plans = self._plans, {}
            self._hits = self._misses = 0
            self.generation += 1
        dropped.clear()
        for front in self.fronts:
            front.clear()
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
