# SPDX-License-Identifier: Apache-2.0
"""Derivatives of every order, transforms, compilation and export."""

import cases
import pytest
import regrad.torch
import torch
import torch.nn.functional as F
from torch.autograd import forward_ad


def resize(n_axes, options, size=(5, 3, 4)):
    return lambda x: regrad.torch.interpolate(x, size[:n_axes], **options)


def small(n_axes):
    return cases.image(n_axes, torch.float64, (4, 5, 3))[:1, :2].detach().requires_grad_()


@pytest.mark.parametrize(("n_axes", "options"), cases.ALL_RESIZES, ids=str)
def test_derivatives_of_a_resize(n_axes, options):
    function, x = resize(n_axes, options), small(n_axes)
    checks = {"check_forward_ad": True, "check_batched_grad": True, "fast_mode": True}
    assert torch.autograd.gradcheck(function, x, **checks)
    assert torch.autograd.gradgradcheck(function, x, check_fwd_over_rev=True, fast_mode=True)


def inside(n_axes):
    """Points away from whole pixels, where the derivative jumps and finite differences see both sides."""
    grid = cases.points(n_axes, torch.float64)[:1].detach() * 0.6
    return (torch.floor(grid * 10) / 10 + 0.033).requires_grad_()


@pytest.mark.parametrize("n_axes", [2, 3])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_derivatives_of_a_sample(n_axes, mode):
    if (n_axes, mode) == (3, "bicubic"):
        pytest.skip("PyTorch's own")
    tensors = small(n_axes), inside(n_axes)

    def sample(x, grid):
        return regrad.torch.grid_sample(x, grid, mode=mode, align_corners=False)

    checks = {"check_forward_ad": cases.HAS_SECOND, "check_batched_grad": True, "fast_mode": True}
    assert torch.autograd.gradcheck(sample, tensors, **checks)
    if cases.HAS_SECOND:
        assert torch.autograd.gradgradcheck(sample, tensors, fast_mode=True)
    else:
        with pytest.raises(RuntimeError, match=f"derivative for aten::grid_sampler_{n_axes}d_backward is not implem"):
            torch.autograd.gradgradcheck(sample, tensors)


def both_samples(f):
    return lambda x, grid: f.grid_sample(x, grid, align_corners=False)


TRANSFORMS = {
    "grad": lambda f: torch.func.grad(lambda x, g: f(x, g).sin().sum(), argnums=(0, 1)),
    "jacrev": lambda f: torch.func.jacrev(f, argnums=(0, 1)),
    "vmap of grad": lambda f: lambda x, g: torch.vmap(
        torch.func.grad(lambda x, g: f(x, g).sin().sum(), argnums=(0, 1)), (0, None))(torch.stack([x, 2 * x]), g),
    "vmap of input": lambda f: lambda x, g: torch.vmap(f, (0, None))(torch.stack([x, 2 * x]), g),
    "vmap of grid": lambda f: lambda x, g: torch.vmap(f, (None, 2))(x, torch.stack([g, g / 2], 2)),
}  # fmt: skip
if cases.HAS_SECOND:
    TRANSFORMS["jvp"] = lambda f: lambda x, g: torch.func.jvp(f, (x, g), (2 * x, g))
    TRANSFORMS["jacfwd"] = lambda f: torch.func.jacfwd(f, argnums=(0, 1))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_a_sample(name):
    tensors = cases.image(2, torch.float64), cases.points(2, torch.float64)
    found, wanted = (TRANSFORMS[name](both_samples(f))(*tensors) for f in (regrad.torch, F))
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)


def test_vmap_of_both():
    """Beside separate calls, since PyTorch 2.4 fails to batch its own here."""
    x, grid = cases.image(2, torch.float64), cases.points(2, torch.float64)
    pairs = [(x, grid), (2 * x, grid / 2)]
    images, grids = zip(*pairs)
    found = torch.vmap(both_samples(regrad.torch), (1, -1), 1)(torch.stack(images, 1), torch.stack(grids, -1))
    wanted = torch.stack([both_samples(F)(*pair) for pair in pairs], 1)
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)


def test_transforms_of_a_resize():
    x = cases.image(2, torch.float64)

    def results(f):
        def call(x):
            return f.interpolate(x, (3, 4), mode="bicubic")

        stacked = torch.stack([x, 2 * x, -x], 1)
        yield torch.func.hessian(lambda x: call(x).sin().sum())(x[:1, :1])
        yield torch.func.jvp(call, (x,), (x.cos(),))
        yield torch.vmap(call, 1, 2)(stacked)
        yield torch.vmap(torch.vmap(call, 0), 1)(stacked[None].expand(2, -1, -1, -1, -1, -1).transpose(1, 2))

    for found, wanted in zip(results(regrad.torch), results(F)):
        torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)


def test_batch_has_the_same_bits():
    x = cases.image(2)
    batched = torch.vmap(resize(2, {"mode": "bicubic"}))(torch.stack([x, 3 * x]))
    assert cases.bits(batched) == cases.bits([resize(2, {"mode": "bicubic"})(t) for t in (x, 3 * x)])


def test_forward_mode():
    x = cases.image(2)
    with forward_ad.dual_level():
        tangent = forward_ad.unpack_dual(regrad.torch.interpolate(forward_ad.make_dual(x, x.cos()), 3)).tangent
    assert torch.equal(tangent, regrad.torch.interpolate(x.cos(), 3))


OPERATORS = [
    ("resize", lambda: (cases.image(2), [7, 8], "upsample_bilinear2d", False, [])),
    ("resize", lambda: (cases.image(3), [3, 4, 9], "upsample_trilinear3d", True, [])),
    ("resize", lambda: (cases.image(2), [3, 4], "upsample_bicubic2d_aa", False, [0.6, 0.7])),
    ("resize", lambda: (cases.image(2), [3, 4], "upsample_nearest2d_backward", False, [])),
    ("grid_sample", lambda: (cases.image(2), cases.points(2), "bilinear", "zeros", False)),
    ("grid_sample_backward", lambda: (torch.ones(2, 3, 4, 3), *(t.detach() for t in (cases.image(2), cases.points(2))),
                                      "bicubic", "border", True, [True, True])),
    ("grid_sample_backward", lambda: (torch.ones(2, 3, 4, 3), *(t.detach() for t in (cases.image(2), cases.points(2))),
                                      "bilinear", "zeros", False, [False, True])),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments"), OPERATORS)
def test_opcheck(name, arguments):
    torch.library.opcheck(getattr(torch.ops.regrad, name).default, arguments())


def model(x, grid):
    return regrad.torch.grid_sample(
        regrad.torch.interpolate(x, scale_factor=1.5, mode="bilinear"), grid, align_corners=False
    )


def patched_model(x, grid):
    return F.grid_sample(torch.nn.Upsample(scale_factor=1.5, mode="bilinear")(x), grid, align_corners=False)


class Module(torch.nn.Module):
    """The model as a module."""

    def forward(self, x, grid):
        """The model."""
        return model(x, grid)


def check_same(function, tensors):
    wanted = cases.run_all(model, tensors)
    assert cases.bits(cases.run_all(function, tensors)) == cases.bits(wanted)


def test_compile():
    tensors = [cases.image(2), cases.points(2)]
    check_same(torch.compile(model, fullgraph=True, backend="aot_eager"), tensors)
    with regrad.torch.patch():
        check_same(torch.compile(patched_model, fullgraph=True, backend="aot_eager"), tensors)


def test_compile_with_inductor():
    check_same(torch.compile(model, fullgraph=True), [cases.image(2), cases.points(2)])


def test_compile_for_any_size():
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager", dynamic=True)
    for sizes in ((5, 7), (8, 9), (13, 4)):
        check_same(compiled, [cases.image(2, sizes=sizes), cases.points(2)])


def test_compile_a_batch():
    batched = torch.vmap(lambda x: regrad.torch.interpolate(x, (7, 8), mode="bilinear"))
    x = torch.randn(4, 2, 3, 5, 6)
    assert torch.equal(torch.compile(batched, fullgraph=True, backend="aot_eager")(x), batched(x))


@pytest.mark.parametrize("strict", [False, True])
def test_export(strict):
    tensors = [cases.image(2), cases.points(2)]
    height = {}
    if strict and cases.HAS_SECOND:  # PyTorch 2.4 refuses this for its own operators too
        height = {"dynamic_shapes": ({2: torch.export.Dim("height", min=3, max=50)}, None)}
    program = torch.export.export(Module(), tuple(t.detach() for t in tensors), strict=strict, **height)
    names = {str(node.target) for node in program.graph.nodes}
    assert {"regrad.resize.default", "regrad.grid_sample.default"} <= names
    check_same(program.module(), tensors)


def test_trace():
    """It takes PyTorch's own function, for which the output's size is no constant."""
    with regrad.torch.patch():
        traced = torch.jit.trace(lambda x: F.interpolate(x, scale_factor=2), torch.ones(1, 1, 2, 2))
    assert traced(torch.ones(1, 1, 3, 3)).shape == (1, 1, 6, 6)


def test_an_empty_batch():
    for n in (0, 3):
        found = torch.vmap(lambda x: regrad.torch.interpolate(x, scale_factor=2))(torch.ones(n, 2, 1, 4, 4))
        assert found.shape == (n, 2, 1, 8, 8)


@pytest.mark.parametrize(
    "change", [torch.clone, torch.Tensor.float, lambda t: t[:, :1]], ids=["layout", "type", "shape"]
)
def test_saved_tensors_that_hooks_change(change):
    """Once before and once after a gradient of tensors as they came."""
    x = torch.rand(1, 3, 8, 16, dtype=torch.float64)[..., ::2].requires_grad_()
    grid = (torch.rand(1, 5, 5, 2, dtype=torch.float64) * 2 - 1).requires_grad_()

    def gradients(function):
        return torch.autograd.grad(function(x, grid, align_corners=False).sin().sum(), (x, grid))

    wanted = gradients(F.grid_sample)
    for _ in range(2):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: change(t) if t.dim() == 4 else t, lambda t: t):
            if change is torch.clone:
                torch.testing.assert_close(gradients(regrad.torch.grid_sample), wanted)
            else:
                with pytest.raises((TypeError, ValueError), match="grid_sampler_2d_backward: grad_output"):
                    gradients(regrad.torch.grid_sample)
        torch.testing.assert_close(gradients(regrad.torch.grid_sample), wanted)


def test_zero_tensors():
    zeros = torch._efficientzerotensor((1, 1, 4, 4))
    x = torch.ones(1, 1, 2, 2, requires_grad=True)
    assert torch.equal(regrad.torch.interpolate(zeros, 8, mode="bilinear"), torch.zeros(1, 1, 8, 8))
    (found,) = torch.autograd.grad(regrad.torch.interpolate(x, 4, mode="bilinear"), x, zeros)
    assert torch.equal(found, torch.zeros(1, 1, 2, 2))
