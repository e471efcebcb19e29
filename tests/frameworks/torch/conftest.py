# SPDX-License-Identifier: Apache-2.0
"""PyTorch's random numbers."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _seeded(seed):
    torch.manual_seed(seed)
