# SPDX-License-Identifier: Apache-2.0
"""Deformable registration of volumes: a network predicts a velocity, which is integrated to a displacement."""

import torch
import torch.nn.functional as F
from torch import nn

SQUARINGS = 3


def identity(size):
    """The position of each voxel, in the order x, y, z of a grid: (D, H, W, 3)."""
    axes = torch.meshgrid(*[torch.arange(n, dtype=torch.float32) for n in size], indexing="ij")
    return torch.stack(axes[::-1], dim=-1)


def transform(volume, displacement):
    """Reads the volume at each voxel plus its displacement, in voxels."""
    size = volume.shape[2:]
    extent = torch.tensor(size[::-1], dtype=volume.dtype)
    place = identity(size) + displacement.permute(0, 2, 3, 4, 1)
    return F.grid_sample(volume, 2 * place / (extent - 1) - 1, padding_mode="border", align_corners=True)


class Registration(nn.Module):
    """Predicts the velocity at half resolution, squares it to a displacement, and warps with it."""

    def __init__(self, width=6):
        super().__init__()
        self.down = nn.Sequential(nn.Conv3d(2, width, 3, stride=2, padding=1), nn.LeakyReLU(0.2))
        self.deep = nn.Sequential(nn.Conv3d(width, 8, 3, stride=2, padding=1), nn.LeakyReLU(0.2))
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.velocity = nn.Conv3d(8 + width, 3, 3, padding=1)
        nn.init.normal_(self.velocity.weight, std=1e-2)

    def forward(self, moving, fixed):
        half = self.down(torch.cat([moving, fixed], dim=1))
        flow = self.velocity(torch.cat([self.up(self.deep(half)), half], dim=1)) / 2**SQUARINGS
        for _ in range(SQUARINGS):
            flow = flow + transform(flow, flow)
        flow = 2 * F.interpolate(flow, scale_factor=2, mode="trilinear", align_corners=True)
        return transform(moving, flow), flow


def make_batch(n, size):
    """A ball each, and the same ball elsewhere and of another size."""
    place = identity((size,) * 3) / (size - 1) * 2 - 1
    centre, radius = 0.3 * torch.randn(2, n, 1, 1, 1, 3), 0.3 + 0.3 * torch.rand(2, n, 1, 1, 1)
    distance = (place - centre).norm(dim=-1)
    return torch.sigmoid(12 * (radius - distance))[:, :, None]


def loss_of(model, batch):
    """The squared difference of the volumes, and how rough the displacement is."""
    moving, fixed = batch
    warped, flow = model(moving, fixed)
    rough = sum(flow.diff(dim=dim).pow(2).mean() for dim in (2, 3, 4))
    return F.mse_loss(warped, fixed) + 0.01 * rough


def main():
    torch.manual_seed(5)
    model = Registration()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(4):
        optimizer.zero_grad()
        loss = loss_of(model, make_batch(2, 16))
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
