# SPDX-License-Identifier: Apache-2.0
"""`python -m regrad` is the command `regrad`."""

from ._command import main

main()
