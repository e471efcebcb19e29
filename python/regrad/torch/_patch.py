# SPDX-License-Identifier: Apache-2.0
"""Puts this package's functions in place of PyTorch's."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import torch.nn.functional as F  # noqa: N812

from . import _functional

_OURS = {"interpolate": _functional.interpolate, "grid_sample": _functional.grid_sample}

# A module's names, one of them, and its function before.
_Replaced = list[tuple[dict[str, Any], str, Any]]
_installed: _Replaced = []


def _replace() -> _Replaced:
    """Puts both functions into `torch.nn.functional`, and into all modules that imported PyTorch's by name."""
    replaced = []
    for name, ours in _OURS.items():
        before = getattr(F, name)
        for module in list(sys.modules.values()):
            names = getattr(module, "__dict__", None)
            if before is not ours and isinstance(names, dict) and names.get(name) is before:
                names[name] = ours
                replaced.append((names, name, before))
    return replaced


def _restore(replaced: _Replaced) -> None:
    """Gives the functions before back."""
    for names, name, before in replaced:
        names[name] = before


def install() -> None:
    """Puts both functions in place of those of `torch.nn.functional`, until `uninstall`."""
    _installed.extend(_replace())


def uninstall() -> None:
    """Gives `torch.nn.functional` its own functions back."""
    _restore(_installed)
    _installed.clear()


@contextlib.contextmanager
def patch() -> Iterator[None]:
    """Puts both functions in place of those of `torch.nn.functional` while it is entered."""
    replaced = _replace()
    try:
        yield
    finally:
        _restore(replaced)
