# SPDX-License-Identifier: Apache-2.0
"""PyTorch's random numbers and threads."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _start(seed):
    """One thread of PyTorch, whose convolutions give other bits with another number of threads; and the seed."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
