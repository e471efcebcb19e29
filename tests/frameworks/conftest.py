# SPDX-License-Identifier: Apache-2.0
"""What the parts have in common: the seed of random tests, REGRAD_TEST_SEED, and the references of tests/python."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
SEED = int(os.environ.get("REGRAD_TEST_SEED", "1"))


def pytest_report_header():
    """The first line of a run."""
    return f"REGRAD_TEST_SEED={SEED}"


@pytest.fixture(scope="session")
def seed():
    return SEED
