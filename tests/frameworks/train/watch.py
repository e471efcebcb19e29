# SPDX-License-Identifier: Apache-2.0
"""Watches which of PyTorch's own resampling operators run."""

import re

import torch

RESAMPLE = re.compile(r"aten::(_?upsample_|_?grid_sampler)")


def watched(function):
    """Calls a function; returns its result, and how often which of PyTorch's own resampling operators ran in it."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        result = function()
    return result, {event.key: event.count for event in profile.key_averages() if RESAMPLE.match(event.key)}
