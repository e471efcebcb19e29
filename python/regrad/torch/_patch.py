# SPDX-License-Identifier: Apache-2.0
"""Puts this package's functions in place of PyTorch's."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

from . import _functional

# PyTorch's functions and ours, by their name.
_FUNCTIONS: dict[str, tuple[Any, Any]] = {
    "interpolate": (_functional.torch_interpolate, _functional.interpolate),
    "grid_sample": (_functional.torch_grid_sample, _functional.grid_sample),
}


class _Users:
    """Who wants our functions in place: `install`, and each `patch` that is entered, in any order and any thread."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.is_installed = False
        self.n_patches = 0
        self.in_place = False

    def update(self) -> None:
        """Puts the functions into place, or PyTorch's back, if users have come or gone; with the lock held."""
        wanted = self.is_installed or self.n_patches > 0
        if wanted != self.in_place:
            self.in_place = wanted
            for name, (theirs, ours) in _FUNCTIONS.items():
                _replace(name, *((theirs, ours) if wanted else (ours, theirs)))


_users = _Users()


def _replace(name: str, before: Any, after: Any) -> None:
    """Replaces a function in `torch.nn.functional`, and in all modules that imported it by name, but in our own."""
    for module_name, module in list(sys.modules.items()):
        names = getattr(module, "__dict__", None)
        is_own = f"{module_name}.".startswith("regrad.torch.")
        if not is_own and isinstance(names, dict) and names.get(name) is before:
            names[name] = after


def install() -> None:
    """Puts both functions in place of PyTorch's, in `torch.nn.functional` and where they were imported by name, until
    `uninstall`.
    """
    with _users.lock:
        _users.is_installed = True
        _users.update()


def uninstall() -> None:
    """Ends `install`. Where a `patch` is still entered, PyTorch's functions come back when it is left."""
    with _users.lock:
        _users.is_installed = False
        _users.update()


@contextlib.contextmanager
def patch() -> Iterator[None]:
    """Puts both functions in place of PyTorch's while it is entered, as `install` does: in all threads."""
    with _users.lock:
        _users.n_patches += 1
        _users.update()
    try:
        yield
    finally:
        with _users.lock:
            _users.n_patches -= 1
            _users.update()
