# SPDX-License-Identifier: Apache-2.0
"""Augmentation that is learned: how far images are turned, stretched and shifted follows the gradient."""

import kornia
import torch
import torch.nn.functional as F
from torch import nn


class Augmentation(nn.Module):
    """Random affine maps and crops, of learned strength, with reflected borders."""

    def __init__(self):
        super().__init__()
        self.strength = nn.Parameter(torch.tensor([0.1, 0.1, 0.1, 0.1, 0.1, 0.1]))

    def forward(self, x):
        n, _, h, w = x.shape
        noise = 2 * torch.rand(n, 6) - 1
        theta = torch.eye(2, 3) + (self.strength * noise).view(n, 2, 3)
        grid = F.affine_grid(theta, list(x.shape), align_corners=False)
        x = F.grid_sample(x, grid, mode="bicubic", padding_mode="reflection", align_corners=False)
        pixels = torch.eye(2, 3).repeat(n, 1, 1)
        pixels[:, :, 2] = noise[:, :2] * torch.tensor([w, h]) / 16
        return kornia.geometry.transform.warp_affine(x, pixels, (h, w), padding_mode="reflection")


class Classifier(nn.Module):
    """Two convolutions and a mean."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 12, 5, stride=2), nn.SiLU(), nn.Conv2d(12, 16, 5, stride=2), nn.SiLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 2),
        )  # fmt: skip

    def forward(self, x):
        return self.net(x)


def make_batch(n, size):
    """Rings and crosses."""
    label = torch.arange(n) % 2
    y, x = torch.meshgrid(*[torch.linspace(-1, 1, size)] * 2, indexing="ij")
    ring = torch.exp(-40 * (torch.hypot(x, y) - 0.5) ** 2)
    cross = torch.exp(-40 * torch.minimum(x.abs(), y.abs()) ** 2)
    return torch.stack([ring, cross])[label][:, None] + 0.1 * torch.randn(n, 1, size, size), label


def main():
    torch.manual_seed(9)
    augment, classify = Augmentation(), Classifier()
    groups = [{"params": classify.parameters(), "lr": 0.05}, {"params": augment.parameters(), "lr": 0.02}]
    optimizer = torch.optim.SGD(groups, momentum=0.9)
    for step in range(5):
        image, label = make_batch(8, 32)
        optimizer.zero_grad()
        logits = torch.stack([classify(augment(image)) for _ in range(2)])
        spread = (logits[0] - logits[1]).pow(2).mean()
        loss = F.cross_entropy(logits.mean(0), label) + 0.1 * spread - 0.05 * augment.strength.abs().sum()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.6f} strength {augment.strength.norm().item():.6f}")


if __name__ == "__main__":
    main()
