# SPDX-License-Identifier: Apache-2.0
"""Calls that the tests make, and how results are compared."""

import regrad.torch
import torch
import torch.nn.functional as F

FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
HAS_SECOND = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 15)
EPSILON = {torch.float64: 2.0**-53, torch.float32: 2.0**-24, torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8}

# Modes of interpolate by the number of axes.
RESIZES = {
    1: [{"mode": "nearest"}, {"mode": "nearest-exact"}, {"mode": "linear"}, {"mode": "linear", "align_corners": True}],
    2: [
        {"mode": "nearest"}, {"mode": "nearest-exact"}, {"mode": "bilinear"}, {"mode": "bicubic"},
        {"mode": "bilinear", "align_corners": True}, {"mode": "bicubic", "align_corners": True},
        {"mode": "bilinear", "antialias": True}, {"mode": "bicubic", "antialias": True},
    ],
    3: [{"mode": "nearest"}, {"mode": "nearest-exact"}, {"mode": "trilinear"},
        {"mode": "trilinear", "align_corners": True}],
}  # fmt: skip
if hasattr(torch.ops.aten, "_upsample_lanczos2d_aa"):
    RESIZES[2].append({"mode": "lanczos", "antialias": True})
ALL_RESIZES = [(n, options) for n, modes in RESIZES.items() for options in modes]
SAMPLES = [
    (n, {"mode": mode, "padding_mode": padding, "align_corners": align})
    for n in (2, 3)
    for mode in ("bilinear", "nearest", "bicubic")[: 5 - n]
    for padding in ("zeros", "border", "reflection")
    for align in (False, True)
]

NAMES = {
    "interpolate": (F.interpolate, regrad.torch.interpolate),
    "grid_sample": (F.grid_sample, regrad.torch.grid_sample),
}


def image(n_axes, dtype=torch.float32, sizes=(5, 7, 6), **options):
    """A random image with this many axes."""
    return torch.randn(2, 3, *sizes[:n_axes], dtype=torch.float64).to(dtype).requires_grad_(**options)


def points(n_axes, dtype=torch.float32, **options):
    """A random grid, some points of which lie outside."""
    grid = torch.rand(2, *(4, 3, 2)[:n_axes], n_axes, dtype=torch.float64)
    return (2.6 * grid - 1.3).to(dtype).requires_grad_(**options)


def is_ours(result):
    """Did regrad compute this result, which requires a gradient?"""
    return "Plain" in type(result.grad_fn).__name__


def bits(tensors):
    """The bytes of tensors."""
    return [t.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() for t in tensors]


# Roundings of a result, with weights whose float32 coordinates are rounded too: on axes of 12 pixels at most by
# (3 * 12 + 8) roundings; filters rise by up to 1.39 a pixel, and six neighbours or fewer count (docs/numerics.md).
ROUNDINGS = 44 * 1.39 * 6 + 30


def check_close(found, wanted, dtype, what):
    """Compares with results in float64 of PyTorch."""
    arithmetic = EPSILON[torch.float64 if dtype is torch.float64 else torch.float32]
    bound = ROUNDINGS * arithmetic * (wanted.abs().max().item() + 1) + EPSILON[dtype] * wanted.abs()
    worst = ((found.double() - wanted).abs() - bound).max().item()
    assert worst <= 0, f"{what}: {worst:g} beyond the bound"


def run_all(function, tensors, grads=None, **options):
    """A result and the gradients of its inputs."""
    result = function(*tensors, **options)
    grads = torch.ones_like(result) if grads is None else grads
    return [result, *torch.autograd.grad(result, [t for t in tensors if t.requires_grad], grads)]
