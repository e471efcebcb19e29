# SPDX-License-Identifier: Apache-2.0
"""The seed, REGRAD_TEST_SEED, and PyTorch's threads."""

import os

import pytest
import torch

SEED = int(os.environ.get("REGRAD_TEST_SEED", "1"))


def pytest_report_header():
    """The first line of a run."""
    return f"REGRAD_TEST_SEED={SEED}"


@pytest.fixture(autouse=True)
def _start():
    """One thread of PyTorch, whose convolutions give other bits with another number of threads; and the seed."""
    torch.set_num_threads(1)
    torch.manual_seed(SEED)


@pytest.fixture
def seed():
    return SEED
