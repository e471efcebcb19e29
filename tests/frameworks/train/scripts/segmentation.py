# SPDX-License-Identifier: Apache-2.0
"""A U-Net with bilinear upsampling, which finds discs in noise."""

import torch
import torch.nn.functional as F
from torch import nn


def block(c_in, c_out):
    """Two convolutions."""
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, padding=1), nn.ReLU(inplace=True),
        nn.Conv2d(c_out, c_out, 3, padding=1), nn.ReLU(inplace=True),
    )  # fmt: skip


class UNet(nn.Module):
    """Halves the image twice and brings it back, with the encoder's images beside."""

    def __init__(self, align_corners=True):
        super().__init__()
        self.down = nn.ModuleList([block(1, 8), block(8, 16), block(16, 24)])
        self.up = nn.ModuleList([block(24 + 16, 16), block(16 + 8, 8)])
        self.grow = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=align_corners)
        self.mask = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        skips = []
        for i, down in enumerate(self.down):
            x = down(x if i == 0 else F.max_pool2d(x, 2))
            skips.append(x)
        for up, skip in zip(self.up, skips[-2::-1]):
            x = up(torch.cat([self.grow(x), skip], dim=1))
        return self.mask(x)


def make_batch(n, size):
    """Images of a bright disc in noise, and the masks of the discs."""
    y, x = torch.meshgrid(*[torch.linspace(-1, 1, size)] * 2, indexing="ij")
    centre, radius = torch.rand(2, n, 1, 1) - 0.5, 0.2 + 0.3 * torch.rand(n, 1, 1)
    mask = ((x - centre[0]) ** 2 + (y - centre[1]) ** 2 < radius**2).float()[:, None]
    return mask + 0.5 * torch.randn(mask.shape), mask


def loss_of(model, batch):
    """Cross entropy of the pixels, and what the masks do not share (Dice)."""
    image, mask = batch
    logits = model(image)
    found = logits.sigmoid()
    dice = 1 - (2 * (found * mask).sum() + 1) / (found.sum() + mask.sum() + 1)
    return F.binary_cross_entropy_with_logits(logits, mask) + dice


def main():
    torch.manual_seed(1)
    for align_corners in (True, False):
        model = UNet(align_corners)
        optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
        for step in range(5):
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(model, make_batch(4, 32))
            loss.backward()
            optimizer.step()
            print(f"align_corners {align_corners} step {step} loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
