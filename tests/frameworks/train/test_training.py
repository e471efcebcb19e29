# SPDX-License-Identifier: Apache-2.0
"""Trains three models with PyTorch alone and with regrad: a spatial transformer, a segmentation, optical flow.

bfloat16 means a model and data of bfloat16 for the segmentation, and CPU autocast for the others: PyTorch computes
pixel positions in the grid's type, and bfloat16 cannot name the pixels of an image.
"""

import contextlib
import functools
import importlib.util
from pathlib import Path

import pytest
import regrad.torch
import torch
import torch.nn.functional as F
from watch import watched

SCRIPTS = Path(__file__).parent / "scripts"
# Of a loss, and of how far training has moved the parameters. Roundings grow step by step: to 4e-7 (bfloat16: 4e-6)
# with three seeds. A gradient that is 1% (bfloat16: 25%) too large is found: 5e-4 (bfloat16: 1e-2).
TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 2**-8}
WRONG = {torch.float32: 1.01, torch.bfloat16: 1.25}


def module_of(name):
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


transformer, segmentation, flow = map(module_of, ("spatial_transformer", "segmentation", "optical_flow"))
MODELS = {
    "spatial transformer": (transformer, transformer.SpatialTransformer),
    "segmentation, corners aligned": (segmentation, lambda: segmentation.UNet(align_corners=True)),
    "segmentation": (segmentation, lambda: segmentation.UNet(align_corners=False)),
    "optical flow": (flow, flow.FlowNet),
}
# PyTorch's convolutions are slow in bfloat16, so one segmentation is trained in it.
CASES = [(n, d) for n in MODELS for d in TOLERANCE if (n, d) != ("segmentation, corners aligned", torch.bfloat16)]
each_case = pytest.mark.parametrize(("name", "dtype"), CASES, ids=lambda value: str(value).replace("torch.", ""))


def ready(name, dtype, seed):
    """A model, its module, whether all of it has the type, and the context in which its loss is taken."""
    torch.manual_seed(seed)
    module, make = MODELS[name]
    is_pure = module is segmentation or dtype != torch.bfloat16
    model = make().to(dtype if is_pure else torch.float32)
    return model, module, is_pure, contextlib.nullcontext() if is_pure else torch.autocast("cpu", dtype)


def loss_of(name, dtype, seed, steps, n=8, size=32):
    """Yields the model and a loss for each step, each of another batch."""
    model, module, is_pure, context = ready(name, dtype, seed)
    for _ in range(steps):
        made = module.make_batch(n, size)
        batch = [part.to(dtype) if is_pure and part.is_floating_point() else part for part in made]
        with context:
            loss = module.loss_of(model, batch)
        yield model, loss


def train(name, dtype, seed, steps=6, **shape):
    """The losses of all steps, and how far the parameters have moved."""
    losses, start = [], None
    for model, loss in loss_of(name, dtype, seed, steps, **shape):
        if start is None:
            start = vector(model.parameters())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, vector(model.parameters()) - start


@functools.lru_cache
def train_plain(name, dtype, seed):
    """The training with PyTorch alone."""
    return train(name, dtype, seed)


def vector(tensors):
    """All elements in one tensor of float64."""
    return torch.cat([tensor.detach().double().reshape(-1) for tensor in tensors])


def distance(trained, other):
    """The largest difference of losses, or that of the ways of the parameters, as a part of the other's."""
    losses = max(abs(a - b) / abs(b) for a, b in zip(trained[0], other[0]))
    return max(losses, torch.dist(trained[1], other[1]).item() / other[1].norm().item())


def gradients(name, dtype, seed):
    """The gradients of the first step."""
    model, loss = next(loss_of(name, dtype, seed, steps=1))
    loss.backward()
    return vector(p.grad for p in model.parameters())


@each_case
def test_training_equals_pytorchs_within_rounding(name, dtype, seed):
    with regrad.torch.patch():
        ours = train(name, dtype, seed)
    assert distance(ours, train_plain(name, dtype, seed)) <= TOLERANCE[dtype]


@each_case
def test_gradients_are_as_near_to_float64s_as_pytorchs(name, dtype, seed):
    truth = gradients(name, torch.float64, seed)
    plain, of_plain = watched(lambda: gradients(name, dtype, seed))
    with regrad.torch.patch():
        ours, of_ours = watched(lambda: gradients(name, dtype, seed))
    assert of_plain, "the plain training runs no resampling of PyTorch's: this test would show nothing"
    assert not of_ours
    assert torch.dist(ours, truth) <= 1.5 * torch.dist(plain, truth) + torch.finfo(dtype).eps * truth.norm()


def with_gradient_times(factor, function):
    """A function of the same values, whose gradient is a factor times as large."""

    def call(*args, **options):
        result = function(*args, **options)
        return result * factor - (result * (factor - 1)).detach()

    return call


@each_case
def test_a_wrong_gradient_would_be_seen(name, dtype, seed, monkeypatch):
    """The tolerance is narrow enough: it does not hold when gradients of resamples are a little too large."""
    for function in ("interpolate", "grid_sample"):
        monkeypatch.setattr(F, function, with_gradient_times(WRONG[dtype], getattr(F, function)))
    assert distance(train(name, dtype, seed), train_plain(name, dtype, seed)) > TOLERANCE[dtype]


class Fence(torch.autograd.Function):
    """The identity, whose backward sets the number of threads for what comes after it."""

    @staticmethod
    def forward(ctx, x, n_threads):
        ctx.n_threads = n_threads
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        torch.set_num_threads(ctx.n_threads)
        return gradient, None


def threaded(function, n_threads):
    """A function that runs with some threads, and so does its gradient; all else runs with one."""

    def call(*args, **options):
        args = [Fence.apply(arg, 1) if isinstance(arg, torch.Tensor) else arg for arg in args]
        torch.set_num_threads(n_threads)
        try:
            result = function(*args, **options)
        finally:
            torch.set_num_threads(1)
        return Fence.apply(result, n_threads)

    return call


@each_case
def test_bits_are_the_same_over_threads_and_runs(name, dtype, seed, monkeypatch):
    """Only resamples vary their threads: PyTorch's convolutions in float32 give other bits with another number."""
    trained = []
    for n in (1, 2, 3, 3):
        monkeypatch.setattr(F, "interpolate", threaded(regrad.torch.interpolate, n))
        monkeypatch.setattr(F, "grid_sample", threaded(regrad.torch.grid_sample, n))
        losses, way = train(name, dtype, seed, steps=1, n=12, size=64)
        trained.append((losses, way.numpy().tobytes()))
    assert trained[1:] == trained[:1] * 3
