# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own sample inputs of both functions, where its testing package has them."""

import itertools

import cases
import pytest
import regrad.torch
import torch

database = pytest.importorskip("torch.testing._internal.common_methods_invocations").op_db
OPERATORS = [
    op for op in database if (op.name.startswith(("nn.functional.interpolate", "nn.functional.upsample"))
    and op.variant_test_name != "area") or op.name == "nn.functional.grid_sample"
]  # fmt: skip
OURS = {"interpolate": regrad.torch.interpolate, "grid_sample": regrad.torch.grid_sample}

OTHERS = (torch.float64, torch.bfloat16, torch.float16, torch.uint8)


def samples(op):
    """Every sample in float32, and a fourth of them in each other type, which test_results.py has in every mode."""
    yield from ((torch.float32, sample) for sample in op.sample_inputs("cpu", torch.float32))
    for k, dtype in enumerate(OTHERS):
        if dtype in op.supported_dtypes("cpu"):
            some = itertools.islice(op.sample_inputs("cpu", dtype), k, None, len(OTHERS))
            yield from ((dtype, sample) for sample in some)


def results(function, sample, dtype):
    """The result of a sample and its gradients, or the type of its error."""
    tensors = [sample.input, *sample.args]
    tensors = [t.detach().to(dtype) if isinstance(t, torch.Tensor) else t for t in tensors]
    wanted = [t.requires_grad_() for t in tensors if isinstance(t, torch.Tensor) and t.is_floating_point()]
    try:
        result = function(*tensors, **sample.kwargs)
    except (RuntimeError, ValueError, TypeError, NotImplementedError) as error:
        return type(error)
    if not wanted:
        return [result]
    grads = torch.autograd.grad(result, wanted, torch.ones_like(result), allow_unused=True)
    return [result, *[g for g in grads if g is not None]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: f"{op.name}.{op.variant_test_name}")
def test_samples(op):
    """Beside PyTorch in float64, since PyTorch's own results in smaller types are less exact."""
    n_compared = 0
    for dtype, sample in samples(op):
        if "bicubic" in sample.kwargs.values() and sample.input.dim() == 5:
            continue  # PyTorch's own
        with regrad.torch.patch():  # for upsample_nearest and upsample_bilinear
            found = results(OURS.get(op.op.__name__, op.op), sample, dtype)
        exact = results(op.op, sample, torch.float64 if dtype.is_floating_point else dtype)
        if isinstance(exact, type):
            assert found is exact
            continue
        if dtype.is_floating_point:
            for f, w in zip(found, exact):
                assert f.dtype is dtype and f.shape == w.shape
                cases.check_close(f, w, dtype, f"{dtype} {sample.args} {sample.kwargs}")
        else:
            assert torch.equal(found[0], exact[0])
        n_compared += 1
    assert n_compared > 0
