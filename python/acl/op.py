# SPDX-License-Identifier: Apache-2.0
"""Operators by name, of which there are none here: operators are called by their C functions."""
from __future__ import annotations

from typing import Any

from ._table import missing, text


def set_model_dir(model_dir: str) -> int:
    """status = acl.op.set_model_dir(model_dir)

    Returns 0, and reads nothing: no operator here is compiled beforehand.
    """
    text("acl.op.set_model_dir", "model_dir", model_dir)
    return 0


def __getattr__(name: str) -> Any:
    raise missing(__name__, name)
