# SPDX-License-Identifier: Apache-2.0
"""Puts this package's functions in place of PyTorch's."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch.nn.functional as F  # noqa: N812

from . import _functional

_OURS = {"interpolate": _functional.interpolate, "grid_sample": _functional.grid_sample}
_THEIRS = {"interpolate": _functional.torch_interpolate, "grid_sample": _functional.torch_grid_sample}


def install() -> None:
    """Puts both functions in place of those of `torch.nn.functional`, until `uninstall`."""
    for name, function in _OURS.items():
        setattr(F, name, function)


def uninstall() -> None:
    """Gives `torch.nn.functional` its own functions back."""
    for name, function in _THEIRS.items():
        setattr(F, name, function)


@contextlib.contextmanager
def patch() -> Iterator[None]:
    """Puts both functions in place of those of `torch.nn.functional` while it is entered."""
    before = {name: getattr(F, name) for name in _OURS}
    install()
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(F, name, function)
