# SPDX-License-Identifier: Apache-2.0
"""Plans that a caller keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from . import _arrays, _plan, _request
from ._arrays import Array, ArrayLike
from ._library import try_run


class Plan:
    """The part of a call that does not depend on the data: made once, run any number of times.

    operator: the name of one of this package's operators.
    arguments, options: those of the operator's function. Of arrays, and of `out`, only type, shape and strides count.
    threads: how many a run may use; 0: `num_threads()` of now. No result depends on it.

    Plans never change. Any number of threads may run one at the same time.

    >>> import numpy as np, regrad
    >>> ones = np.ones((1, 1, 6), "f4")
    >>> plan = regrad.Plan("upsample_nearest_exact1d_backward", ones, (4,))
    >>> plan.run(ones)
    array([[[1., 2., 1., 2.]]], dtype=float32)
    """

    __slots__ = ("_prepared",)

    def __init__(self, operator: str, /, *arguments: Any, threads: int = 0, **options: Any) -> None:
        request = _request.request_of("Plan", operator)(*arguments, **options)
        self._prepared = _plan.Prepared(request.state(), threads)

    @property
    def operator(self) -> str:
        """The operator's name."""
        return self._prepared.call.operator

    @property
    def workspace_size(self) -> int:
        """Bytes that a run needs beside its arrays. Each thread keeps what its largest run needed."""
        return self._prepared.workspace_size

    def describe(self) -> str:
        """One line about what is computed, and in which ways. Its words are explained in regrad.h."""
        return self._prepared.describe()

    def __repr__(self) -> str:
        return f"<regrad.Plan {self.describe()}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{self.operator}: a Plan cannot be copied or pickled; make another one from the same arguments"
        )

    def run(self, *inputs: ArrayLike, out: ArrayLike | Sequence[ArrayLike | None] | None = None) -> Any:
        """What the operator's function returns, for arrays with the plan's types, shapes and strides.

        out: as for the function, with the plan's types, shapes and strides.
        """
        prepared = self._prepared
        outs = (out,) if prepared.is_single else _request.pair_of_outs(out, prepared.call.operator)
        found = try_run(prepared.address, inputs, outs)
        return self._look_and_run(inputs, outs) if found is None else found

    def _look_and_run(self, inputs: tuple[Any, ...], outs: tuple[Any, ...]) -> Any:
        wanted, results = self._prepared.call.inputs, self._prepared.call.results
        if len(inputs) != len(wanted):
            raise ValueError(f"{self.operator}: {len(inputs)} arrays, the plan is for {len(wanted)}")
        arrays = tuple([self._view(array, o) for array, o in zip(inputs, wanted)])
        views = [None if a is None or o is None else self._view(a, o) for a, o in zip(outs, results)]
        return self._prepared.finish(arrays, outs, views)

    def _view(self, value: Any, o: _plan.Operand) -> Array:
        view = _arrays.view_result if o.is_output else _arrays.view
        array = view(value, f"{self.operator}: {o.name}")
        if array.dtype != o.dtype:
            raise TypeError(f"{self.operator}: {o.name}.dtype is {array.dtype}, the plan is for {o.dtype}")
        return array
