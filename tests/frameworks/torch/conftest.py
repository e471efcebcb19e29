# SPDX-License-Identifier: Apache-2.0
"""The seed of random tests, REGRAD_TEST_SEED."""

import os

import pytest
import torch

SEED = int(os.environ.get("REGRAD_TEST_SEED", "1"))


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(SEED)
