# SPDX-License-Identifier: Apache-2.0
"""torchvision's and kornia's resampling goes through regrad under `patch()`, and gives the same.

`install()` before their import is what test_scripts.py does. Here both are imported before.
"""

import kornia
import pytest
import regrad.torch
import torch
import torchvision
from kornia.geometry import transform as kg
from torch import nn
from torchvision.transforms import InterpolationMode
from torchvision.transforms.v2 import functional as tv
from watch import watched

BILINEAR, BICUBIC, NEAREST = InterpolationMode.BILINEAR, InterpolationMode.BICUBIC, InterpolationMode.NEAREST
SIZE = (24, 40)


def affine(image):
    """A map of pixels for each image of a batch: (N, 2, 3)."""
    rows = [[0.9, 0.2, 1.5], [-0.1, 1.1, -2.0]]
    return torch.tensor(rows).repeat(image.shape[0], 1, 1)


def homography(image):
    """A map with perspective: (N, 3, 3)."""
    last = torch.tensor([[[1e-3, -2e-3, 1.0]]]).repeat(image.shape[0], 1, 1)
    return torch.cat([affine(image), last], dim=1)


def pixels(image):
    """Where each pixel of a smaller image reads: x and y, (N, 12, 20) each."""
    y, x = torch.meshgrid(torch.linspace(0, 23, 12), torch.linspace(0, 39, 20), indexing="ij")
    return [(place + 0.3).repeat(image.shape[0], 1, 1) for place in (x, y)]


def volume_map(image):
    """A map of voxels: (N, 3, 4)."""
    return torch.eye(3, 4).repeat(image.shape[0], 1, 1) + 0.01


def pyramid(image):
    """Feature pyramids grow by nearest interpolation."""
    torch.manual_seed(0)
    levels = torchvision.ops.FeaturePyramidNetwork([3, 3], 4)
    return levels({"fine": image, "coarse": image[..., ::2, ::2]})["fine"]


def segment(image):
    """A segmentation model of torchvision, without weights."""
    torch.manual_seed(0)
    model = torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None)
    return model.eval()(image)["out"]


CALLS = {
    "tv.resize": lambda x: tv.resize(x, [17, 31], antialias=True),
    "tv.resize bicubic": lambda x: tv.resize(x, [17, 31], BICUBIC, antialias=True),
    "tv.resize plain": lambda x: tv.resize(x, [50, 60], antialias=False),
    "tv.resize nearest": lambda x: tv.resize(x, [50, 60], NEAREST),
    "tv.resized_crop": lambda x: tv.resized_crop(x, 2, 3, 16, 20, [30, 30]),
    "tv.rotate": lambda x: tv.rotate(x, 33.0, BILINEAR),
    "tv.affine": lambda x: tv.affine(x, 10.0, [2, 3], 1.1, [5.0, 3.0], BILINEAR),
    "tv.perspective": lambda x: tv.perspective(
        x, [[0, 0], [39, 0], [39, 23], [0, 23]], [[2, 1], [36, 3], [38, 20], [1, 22]]
    ),
    "tv.elastic": lambda x: tv.elastic(x, 0.1 * torch.sin(torch.arange(1920.0)).view(1, *SIZE, 2)),
    "torchvision.ops.FeaturePyramidNetwork": pyramid,
    "torchvision.models.segmentation": segment,
    "kornia.warp_affine": lambda x: kg.warp_affine(x, affine(x), SIZE),
    "kornia.warp_affine reflection": lambda x: kg.warp_affine(x, affine(x), SIZE, padding_mode="reflection"),
    "kornia.warp_perspective": lambda x: kg.warp_perspective(x, homography(x), SIZE, mode="bicubic"),
    "kornia.warp_affine3d": lambda x: kg.warp_affine3d(x[:, :, None].repeat(1, 1, 5, 1, 1), volume_map(x), (5, *SIZE)),
    "kornia.homography_warp": lambda x: kg.homography_warp(x, homography(x), SIZE),
    "kornia.remap": lambda x: kg.remap(x, *pixels(x), align_corners=True),
    "kornia.resize": lambda x: kg.resize(x, (17, 31), align_corners=False),
    "kornia.rescale": lambda x: kg.rescale(x, 1.7, interpolation="bicubic"),
    "kornia.rotate": lambda x: kg.rotate(x, torch.tensor([20.0])),
    "kornia.pyrdown": kg.pyrdown,
    "kornia.pyrup": kg.pyrup,
    "kornia.guided_blur": lambda x: kornia.filters.guided_blur(x, x, 5, 0.1, subsample=2),
    "kornia.RandomAffine": lambda x: kornia.augmentation.RandomAffine(30.0, (0.1, 0.1), p=1.0)(x),
    "kornia.RandomElasticTransform": lambda x: kornia.augmentation.RandomElasticTransform((9, 9), p=1.0)(x),
}


def with_gradient(call, seed):
    """The result of a call, and the gradient of a weighted sum of it."""
    torch.manual_seed(seed)
    image = torch.rand(2, 3, *SIZE, requires_grad=True)
    result = call(image)
    weights = torch.linspace(-1, 1, result.numel()).view(result.shape)
    (gradient,) = torch.autograd.grad((result * weights).sum(), image)
    return result.detach(), gradient


@pytest.mark.parametrize("name", CALLS)
def test_calls_go_through_and_give_the_same(name, seed):
    plain, of_plain = watched(lambda: with_gradient(CALLS[name], seed))
    with regrad.torch.patch():
        ours, of_ours = watched(lambda: with_gradient(CALLS[name], seed))
    assert of_plain, "the call runs no resampling of PyTorch's: this test would show nothing"
    assert not of_ours
    # Coordinates of up to 60 pixels are rounded eight times, and move the sampling points by so much.
    part = 8 * 2**-24 * 60
    for one, other in zip(ours, plain):
        torch.testing.assert_close(one, other, rtol=0, atol=part * other.abs().max().item())


def test_everything_is_as_before_after_patch(seed):
    image = torch.rand(1, 3, *SIZE)
    with regrad.torch.patch():
        _, inside = watched(lambda: tv.resize(image, [9, 9]))
    _, after = watched(lambda: (tv.resize(image, [9, 9]), kg.pyrdown(image), nn.Upsample(scale_factor=2)(image)))
    assert not inside
    assert set(after) >= {"aten::_upsample_bilinear2d_aa", "aten::upsample_bilinear2d", "aten::upsample_nearest2d"}
