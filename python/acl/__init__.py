# SPDX-License-Identifier: Apache-2.0
"""AscendCL for Python, on the processor, in the manner of the vendor's module of this name.

Functions return values and a status in a tuple, or the status alone; 0 is success. Handles and addresses are integers.
docs/acl.md describes the functions.
"""
from __future__ import annotations

from typing import Any

from . import op, rt, util
from ._table import TEXT, Argument, Row, Table, bind_all, missing

__all__ = ["finalize", "get_recent_err_msg", "get_soc_name", "init", "op", "rt", "util"]

TABLE: Table = {
    "init": Row("aclInit", Argument("config_path", TEXT, "")),
    "finalize": Row("aclFinalize"),
    "get_soc_name": Row("aclrtGetSocName", returns=TEXT),
    "get_recent_err_msg": Row("aclGetRecentErrMsg", returns=TEXT),
}

globals().update(bind_all(__name__, TABLE))


def __getattr__(name: str) -> Any:
    raise missing(__name__, name)
