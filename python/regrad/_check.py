# SPDX-License-Identifier: Apache-2.0
"""The command line's `check` for arrays."""

from __future__ import annotations

import subprocess
import tempfile
from operator import index
from pathlib import Path
from typing import Any, NamedTuple, SupportsIndex

import numpy as np

from . import _arrays, _plan, _request
from ._command import PROGRAM
from ._library import RESIZES, Tensor
from ._plan import Call


class CheckResult(NamedTuple):
    """What `regrad check` found."""

    ok: bool
    status: int  # the sum over the lines that do not hold: 16 adjoint, 32 finite differences, 64 reference
    report: str

    def __bool__(self) -> bool:
        return self.ok


def _list(values: Any) -> str:
    return ",".join(str(v) for v in values)


def _scales(values: Any) -> list[str]:
    axes = "l" if len(values) == 1 else "dhw"[3 - len(values) :]
    return [word for axis, value in zip(axes, values) if value != 0 for word in (f"--scale-{axis}", repr(float(value)))]


def _flags(**flags: Any) -> list[str]:
    return [f"--{name.replace('_', '-')}" for name, value in flags.items() if value]


def _words(call: Call) -> list[str]:
    """The options of the command line that state what the library was told."""
    operator, sizes = call.operator, _list(call.operands[-1].shape)
    numbers = [a for a in call.arguments if a is not None and not isinstance(a, Tensor)]
    if operator.startswith("grid"):
        interpolation, padding, align = numbers
        words = ["--interpolation", _request.MODES[interpolation], "--padding", _request.PADDINGS[padding]]
        return words + _flags(align_corners=align)
    if operator == "resize_bilinear_v2_grad":
        words = _flags(align_corners=numbers[0], half_pixel_centers=numbers[1])
        return [*words, *_scales(list(numbers[2]) if len(numbers) > 2 else ()), "--input-size", sizes]
    if operator == "upsample_nearest_exact2d_grad":
        output_size, input_size, *factors = numbers
        return ["--output-size", _list(output_size), "--input-size", _list(input_size), *_scales(factors)]
    coordinates, law, *factors = numbers
    if RESIZES[operator].takes_law:
        words = ["--law", _request.LAWS[law]]
    else:
        words = ["--coordinates", _request.COORDINATES[coordinates]]
    size = "--input-size" if RESIZES[operator].is_backward else "--output-size"
    return [*words, *_scales(list(factors[0]) if factors else ()), size, sizes]


def _seed(value: Any) -> int:
    wanted = "wanted a whole number from 0 to 2**63 - 1"
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"check: seed is {_arrays.shown(value)}, {wanted}") from None
    if not 0 <= number < 2**63:
        raise ValueError(f"check: seed is {_arrays.shown(number)}, {wanted}")
    return int(number)


def check(operator: str, /, *arguments: Any, seed: SupportsIndex = 1, threads: int = 0, **options: Any) -> CheckResult:
    """Checks an operator on these data: the command line's `check`.

    The operator and its adjoint are computed on the same data, in the type of the arrays and in float64; the gradient
    of a grid is compared with finite differences. docs/command-line.md states what may differ, and by how much.

    operator, arguments, options, threads: as for `Plan`.
    seed: of the random data of the adjoint.

    >>> import numpy as np, regrad
    >>> regrad.check("upsample_nearest_exact1d_backward", np.ones((1, 1, 6), "f4"), (4,)).ok
    True
    """
    threads = _plan.thread_count(threads, "check: threads")
    number = _seed(seed)
    request = _request.request_of("check", operator)(*arguments, **options)
    call = request.state()
    words = [*_words(call), "--seed", str(number), "--threads", str(threads)]
    if any(_arrays.is_bfloat16(a.dtype) for a in request.inputs):
        words += ["--dtype", "bf16"]
    with tempfile.TemporaryDirectory(prefix="regrad.") as directory:
        files = [str(Path(directory) / f"{o.name}.npy") for o in call.inputs]
        for file, array in zip(files, request.inputs):
            np.save(file, _arrays.plain(array))
        done = subprocess.run(
            [str(PROGRAM), "check", operator, *files, *words], capture_output=True, text=True, check=False
        )
    if done.returncode != 0 and not done.stdout:
        said = done.stderr.strip().replace(f"{directory}/", "").replace(".npy:", ":").removeprefix("regrad: ")
        raise ValueError(f"check: {said}")
    return CheckResult(done.returncode == 0, done.returncode, done.stdout)
