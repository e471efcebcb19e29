# SPDX-License-Identifier: Apache-2.0
"""The command `regrad`, which lies in the package."""

from __future__ import annotations

import os
import signal
import sys

from ._library import NATIVE

PROGRAM = NATIVE / "bin" / "regrad"


def main() -> None:
    """Becomes the program, with signals as a shell would start it."""
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python
        signal.signal(ignored, signal.SIG_DFL)
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])
