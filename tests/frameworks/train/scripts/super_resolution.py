# SPDX-License-Identifier: Apache-2.0
"""Super-resolution: the bicubic image plus what a small network adds to it."""

import torch
import torch.nn.functional as F
from torch import nn
from torchvision.transforms.v2.functional import resize

SCALE = 3


class Upscaler(nn.Module):
    """Adds details to the image that bicubic upsampling gives."""

    def __init__(self, width=16):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, width, 3, padding=1), nn.PReLU(),
            nn.Conv2d(width, width, 3, padding=1), nn.PReLU(),
        )  # fmt: skip
        self.details = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, x):
        features = F.interpolate(self.net(x), scale_factor=SCALE, mode="bicubic", align_corners=False)
        base = F.interpolate(x, scale_factor=SCALE, mode="bicubic", align_corners=False)
        return base + self.details(features)


def make_batch(n, size):
    """Stripes of random directions and colours, reduced as photographs are, and as they were."""
    direction, phase = 20 * torch.rand(2, n, 3, 1, 1) - 10, 6 * torch.rand(n, 3, 1, 1)
    y, x = torch.meshgrid(*[torch.linspace(-1, 1, size)] * 2, indexing="ij")
    sharp = 0.5 + 0.5 * torch.sin(direction[0] * x + direction[1] * y + phase)
    return resize(sharp, [size // SCALE, size // SCALE], antialias=True), sharp


def consistency(upscaled, small):
    """When reduced, the result should be the image that was given."""
    reduced = F.interpolate(upscaled, size=small.shape[-2:], mode="bicubic", antialias=True)
    return F.mse_loss(reduced, small)


def loss_of(model, batch):
    """The mean distance (Charbonnier) from the sharp image, and consistency."""
    small, sharp = batch
    upscaled = model(small)
    return ((upscaled - sharp) ** 2 + 1e-6).sqrt().mean() + consistency(upscaled, small)


def main():
    torch.manual_seed(4)
    model = Upscaler()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=5)
    for step in range(5):
        optimizer.zero_grad()
        loss = loss_of(model, make_batch(4, 48))
        loss.backward()
        optimizer.step()
        schedule.step()
        print(f"step {step} loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
