# SPDX-License-Identifier: Apache-2.0
"""Tests of `regrad.jax`: on the CPU as two devices, and with float64. The reference is that of tests/python."""

import os
import sys
from pathlib import Path

os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

SEED = int(os.environ.get("REGRAD_TEST_SEED", "1"))


def pytest_report_header():
    """The first line of a run."""
    return f"REGRAD_TEST_SEED={SEED}"
