# SPDX-License-Identifier: Apache-2.0
"""Monocular depth that learns from the next frame: depth and motion must explain one image by the other."""

import torch
import torch.nn.functional as F
from torch import nn


class DepthNet(nn.Module):
    """Inverse depth at three scales, with nearest upsampling between them."""

    def __init__(self):
        super().__init__()
        self.encode = nn.ModuleList([nn.Conv2d(a, b, 3, 2, 1) for a, b in ((1, 8), (8, 12), (12, 16))])
        self.decode = nn.ModuleList([nn.Conv2d(a, b, 3, 1, 1) for a, b in ((16, 12), (24, 8), (16, 8))])
        self.inverse = nn.ModuleList([nn.Conv2d(c, 1, 3, 1, 1) for c in (12, 8, 8)])

    def forward(self, x):
        skips = []
        for layer in self.encode:
            x = F.elu(layer(x))
            skips.append(x)
        depths = []
        for layer, inverse, skip in zip(self.decode, self.inverse, [None, skips[1], skips[0]]):
            x = x if skip is None else torch.cat([x, skip], dim=1)
            x = F.interpolate(F.elu(layer(x)), scale_factor=2, mode="nearest")
            depths.append(0.1 + inverse(x).sigmoid())
        return depths


class PoseNet(nn.Module):
    """How the camera moves from the first image to the second."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(2, 8, 5, 2, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.motion = nn.Linear(32, 3)

    def forward(self, first, second):
        return 0.1 * self.motion(self.net(torch.cat([first, second], dim=1)))


def synthesise(source, inverse_depth, motion):
    """What the first camera would have seen, read from the second image; the focal length is 1."""
    n, _, h, w = source.shape
    y, x = torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")
    depth = 1 / inverse_depth[:, 0]
    tx, ty, tz = motion.view(n, 3, 1, 1).unbind(1)
    z = depth + tz
    grid = torch.stack([(x * depth + tx) / z, (y * depth + ty) / z], dim=-1)
    return F.grid_sample(source, grid, mode="bilinear", padding_mode="border", align_corners=True)


def photometric(one, two):
    """Structural similarity and absolute difference."""
    means = F.avg_pool2d(one, 3, 1), F.avg_pool2d(two, 3, 1)
    spread = F.avg_pool2d(one**2, 3, 1) + F.avg_pool2d(two**2, 3, 1) - means[0] ** 2 - means[1] ** 2
    shared = F.avg_pool2d(one * two, 3, 1) - means[0] * means[1]
    light = (2 * means[0] * means[1] + 1e-4) / (means[0] ** 2 + means[1] ** 2 + 1e-4)
    similarity = light * (2 * shared + 9e-4) / (spread + 9e-4)
    return 0.85 * (1 - similarity).clamp(0, 2).mean() / 2 + 0.15 * (one - two).abs().mean()


def loss_of(depth_net, pose_net, first, second):
    """The photometric error of all scales at full resolution, and smoothness of the depth."""
    loss, motion = 0, pose_net(first, second)
    for inverse in depth_net(first):
        full = F.interpolate(inverse, size=first.shape[-2:], mode="bilinear", align_corners=False)
        loss = loss + photometric(synthesise(second, full, motion), first)
        loss = loss + 1e-3 * (inverse.diff(dim=2).abs().mean() + inverse.diff(dim=3).abs().mean())
    return loss / 3


def main():
    torch.manual_seed(6)
    depth_net, pose_net = DepthNet(), PoseNet()
    optimizer = torch.optim.Adam([*depth_net.parameters(), *pose_net.parameters()], lr=1e-3)
    for step in range(4):
        scene = F.avg_pool2d(torch.rand(2, 1, 44, 76), 5, 1)
        first, second = scene[..., 4:36, 4:68], scene[..., 5:37, 6:70]
        optimizer.zero_grad()
        loss = loss_of(depth_net, pose_net, first, second)
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
