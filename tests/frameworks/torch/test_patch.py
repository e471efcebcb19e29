# SPDX-License-Identifier: Apache-2.0
"""patch, install and uninstall; modules, processes and the cache."""

import copy
import multiprocessing
import pickle
import subprocess
import sys
import types

import cases
import pytest
import regrad
import regrad.torch
import torch
import torch.nn.functional as F

THEIRS = F.interpolate, F.grid_sample
OURS = regrad.torch.interpolate, regrad.torch.grid_sample


def current():
    return F.interpolate, F.grid_sample


def test_patch():
    with regrad.torch.patch():
        assert current() == OURS
        with regrad.torch.patch():
            assert current() == OURS
        assert current() == OURS
    assert current() == THEIRS


def test_patch_ends_with_an_exception():
    with pytest.raises(KeyError), regrad.torch.patch():
        raise KeyError
    assert current() == THEIRS


def test_install():
    regrad.torch.install()
    try:
        regrad.torch.install()
        with regrad.torch.patch():
            pass
        assert current() == OURS
    finally:
        regrad.torch.uninstall()
    regrad.torch.uninstall()
    assert current() == THEIRS


def test_patches_end_in_any_order():
    first, second = regrad.torch.patch(), regrad.torch.patch()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert current() == OURS
    regrad.torch.install()
    second.__exit__(None, None, None)
    assert current() == OURS
    regrad.torch.uninstall()
    assert current() == THEIRS


def test_names_that_were_imported_meanwhile():
    module = sys.modules["imported_meanwhile"] = types.ModuleType("imported_meanwhile")
    try:
        with regrad.torch.patch():
            module.interpolate = F.interpolate
        assert module.interpolate is THEIRS[0]
        assert regrad.torch.interpolate is OURS[0]
    finally:
        del sys.modules["imported_meanwhile"]


@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_what_goes_through_it():
    x = cases.image(2)
    calls = [
        torch.nn.Upsample(scale_factor=2, mode="bilinear"), torch.nn.UpsamplingNearest2d(scale_factor=2),
        torch.nn.UpsamplingBilinear2d((3, 4)), lambda x: F.upsample(x, 3), lambda x: F.upsample_nearest(x, 3),
        lambda x: F.upsample_bilinear(x, 3),
    ]  # fmt: skip
    for call in calls:
        wanted = call(x)
        with regrad.torch.patch():
            found = call(x)
        assert cases.is_ours(found) and not cases.is_ours(wanted)
        torch.testing.assert_close(found, wanted)


def test_modules_are_copied():
    module = torch.nn.Sequential(torch.nn.Conv2d(3, 3, 1), torch.nn.Upsample(scale_factor=2))
    with regrad.torch.patch():
        for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
            assert torch.equal(other(cases.image(2)[:1] * 0), module(cases.image(2)[:1] * 0))


def test_a_parameter():
    x = torch.nn.Parameter(cases.image(2).detach())
    assert cases.is_ours(regrad.torch.interpolate(x, 3))


def test_under_a_default_device():
    with torch.device("cpu"):
        assert cases.is_ours(regrad.torch.interpolate(cases.image(2), 3))


def test_modes_see_the_call():
    class Watch(torch.overrides.TorchFunctionMode):
        seen = []

        def __torch_function__(self, function, types, args=(), kwargs=None):
            self.seen.append(function)
            return function(*args, **(kwargs or {}))

    with Watch():
        regrad.torch.interpolate(cases.image(2), 3)
        regrad.torch.grid_sample(cases.image(2), cases.points(2), align_corners=False)
    assert OURS[0] in Watch.seen and OURS[1] in Watch.seen


def test_inference_mode():
    with torch.inference_mode():
        x = torch.ones(1, 1, 2, 2)
        assert torch.equal(regrad.torch.interpolate(x, 4), torch.ones(1, 1, 4, 4))


def test_a_changed_input_is_found():
    """Autograd refuses the gradient of a sample whose input was changed since, as PyTorch's does."""
    x, grid = cases.image(2), cases.points(2)
    y = x * 1
    result = regrad.torch.grid_sample(y, grid, align_corners=False)
    y += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_cache_is_cleared_with_the_others():
    from regrad.torch import _kernels

    regrad.torch.interpolate(cases.image(2), 3)
    assert _kernels.runs
    regrad.cache_clear()
    assert not _kernels.runs


def test_cache_is_bounded():
    from regrad.torch import _kernels

    for length in range(1, 600):
        regrad.torch.interpolate(torch.ones(1, 1, length), 5, mode="linear")
    assert 0 < len(_kernels.runs) <= 256
    regrad.torch.interpolate(torch.ones(1, 1, 1 << 21), 1 << 20, mode="linear")
    assert all(run.plan.cost <= 1 << 21 for run in _kernels.runs.values())


@pytest.mark.parametrize("size", [(3.0, 3.0), (True, 3), True])
def test_a_known_call_lets_no_wrong_size_pass(size):
    """Keys of calls compare 1, 1.0 and True as equal; sizes are not."""
    x = cases.image(2)
    for known in ((3, 3), (1, 3), 1, 1):
        regrad.torch.interpolate(x, known)

    def outcome(function):
        try:
            return function(x, size).shape
        except (TypeError, ValueError, RuntimeError) as error:
            return type(error), str(error)

    assert outcome(regrad.torch.interpolate) == outcome(F.interpolate)


def test_a_known_call_still_warns_and_casts():
    x, grid = cases.image(2), cases.points(2)
    for _ in range(2):
        regrad.torch.grid_sample(x, grid, align_corners=False)
    with pytest.warns(UserWarning, match="align_corners"):
        regrad.torch.grid_sample(x, grid)
    halves = [t.bfloat16() for t in (x, grid)]
    for _ in range(2):
        assert regrad.torch.grid_sample(*halves, align_corners=False).dtype is torch.bfloat16
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert regrad.torch.grid_sample(*halves, align_corners=False).dtype is torch.float32


class Images(torch.utils.data.Dataset):
    """Images that workers resize."""

    def __len__(self):
        return 6

    def __getitem__(self, k):
        return F.interpolate(torch.full((1, 1, 4, 4), float(k)), 8, mode="bicubic")[0]


def test_workers():
    """Children of fork, after the parent has computed, compute the same."""
    with regrad.torch.patch():
        wanted = [Images()[k] for k in range(6)]
        loader = torch.utils.data.DataLoader(Images(), num_workers=2, multiprocessing_context="fork", timeout=60)
        found = [batch[0] for batch in loader]
    assert multiprocessing.active_children() == [] and cases.bits(found) == cases.bits(wanted)


def test_without_pytorch():
    code = "import sys; sys.modules['torch'] = None\nimport regrad\nimport regrad.torch"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stderr.splitlines()[-1] == (
        "ImportError: regrad.torch needs PyTorch 2.4 or later: pip install 'torch>=2.4'"
    )


def test_regrad_does_not_import_pytorch():
    subprocess.run([sys.executable, "-c", "import regrad, sys; assert 'torch' not in sys.modules"], check=True)
