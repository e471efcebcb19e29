# SPDX-License-Identifier: Apache-2.0
"""Trains three models with PyTorch alone and with regrad: a spatial transformer, a segmentation, optical flow.

bfloat16 means a model and data of bfloat16 for the segmentation, and CPU autocast for the others: PyTorch computes
pixel positions in the grid's type, and bfloat16 cannot name the pixels of an image.
"""

import contextlib
import importlib.util
from pathlib import Path

import pytest
import regrad
import regrad.torch
import torch
from watch import watched

SCRIPTS = Path(__file__).parent / "scripts"
STEPS = 10
# Of a loss, after ten steps in which roundings grow. A gradient that is 1% off (float32; 25%: bfloat16) is beyond it.
TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 0.02}
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
each_model = pytest.mark.parametrize("name", MODELS)
each_dtype = pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: str(dtype).split(".")[1])


def ready(name, dtype, seed, size=32):
    """A model, a function that makes one of its batches, and the context in which its loss is taken."""
    torch.manual_seed(seed)
    module, make = MODELS[name]
    is_pure = module is segmentation or dtype != torch.bfloat16
    model = make().to(dtype if is_pure else torch.float32)
    context = contextlib.nullcontext() if is_pure else torch.autocast("cpu", dtype)

    def batch():
        made = module.make_batch(8, size)
        return [part.to(dtype) if is_pure and part.is_floating_point() else part for part in made]

    return module, model, batch, context


def train(name, dtype, seed, size=32):
    """The losses of all steps, and the parameters after them."""
    module, model, batch, context = ready(name, dtype, seed, size)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        with context:
            loss = module.loss_of(model, batch())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, torch.cat([p.detach().reshape(-1) for p in model.parameters()])


def bits_of(trained):
    """The bytes of losses and parameters."""
    losses, parameters = trained
    return repr(losses), parameters.view(torch.uint8).numpy().tobytes()


def distance(losses, others):
    """The largest difference between two lists of losses, as a part of the loss."""
    return max(abs(a - b) / abs(b) for a, b in zip(losses, others))


def gradients(name, dtype, seed):
    """The gradients of the first step, as one vector of float64."""
    module, model, batch, context = ready(name, dtype, seed)
    with context:
        loss = module.loss_of(model, batch())
    loss.backward()
    return torch.cat([p.grad.double().reshape(-1) for p in model.parameters()])


@each_dtype
@each_model
def test_losses_equal_pytorchs_within_rounding(name, dtype, seed):
    (plain, _), of_plain = watched(lambda: train(name, dtype, seed))
    with regrad.torch.patch():
        (ours, _), of_ours = watched(lambda: train(name, dtype, seed))
    assert of_plain, "the plain training runs no resampling of PyTorch's: this test would show nothing"
    assert not of_ours
    assert distance(ours, plain) <= TOLERANCE[dtype]


@each_dtype
@each_model
def test_gradients_are_as_near_to_float64s_as_pytorchs(name, dtype, seed):
    truth, plain = gradients(name, torch.float64, seed), gradients(name, dtype, seed)
    with regrad.torch.patch():
        ours = gradients(name, dtype, seed)
    assert torch.dist(ours, truth) <= 1.5 * torch.dist(plain, truth) + torch.finfo(dtype).eps * truth.norm()


@each_dtype
@each_model
def test_a_wrong_gradient_would_be_seen(name, dtype, seed, monkeypatch):
    """The tolerance is narrow enough: it does not hold when gradients of the resamples are a little too large."""
    plain, _ = train(name, dtype, seed)
    wrong = WRONG[dtype]
    for function in ("interpolate", "grid_sample"):
        native = getattr(torch.nn.functional, function)

        def enlarged(*args, _native=native, **kwargs):
            result = _native(*args, **kwargs)
            return result * wrong - (result * (wrong - 1)).detach()  # the same value, a larger gradient

        monkeypatch.setattr(torch.nn.functional, function, enlarged)
    other, _ = train(name, dtype, seed)
    assert distance(other, plain) > TOLERANCE[dtype]


@each_dtype
@each_model
def test_bits_are_the_same_over_threads_and_runs(name, dtype, seed):
    """PyTorch's own threads stay at one, for its convolutions add in another order with more."""
    trained = []
    with regrad.torch.patch():
        for n in (1, 2, 3, 3):
            regrad.set_num_threads(n)
            trained.append(bits_of(train(name, dtype, seed, size=64)))
    regrad.set_num_threads(0)
    assert trained[1:] == trained[:1] * 3
