# SPDX-License-Identifier: Apache-2.0
"""A classifier that first turns and shifts its image upright: a spatial transformer."""

import torch
import torch.nn.functional as F
from torch import nn

N_CLASSES = 4


class SpatialTransformer(nn.Module):
    """Predicts an affine map from the image, resamples the image with it, and classifies the result."""

    def __init__(self):
        super().__init__()
        self.localise = nn.Sequential(
            nn.Conv2d(1, 8, 5, stride=2, padding=2), nn.ReLU(),
            nn.Conv2d(8, 10, 5, stride=2, padding=2), nn.ReLU(),
            nn.AdaptiveAvgPool2d(4), nn.Flatten(),
            nn.Linear(160, 32), nn.ReLU(),
        )  # fmt: skip
        self.theta = nn.Linear(32, 6)
        self.classify = nn.Sequential(
            nn.Conv2d(1, 12, 5, stride=2, padding=2), nn.ReLU(),
            nn.Conv2d(12, 16, 5, stride=2, padding=2), nn.ReLU(),
            nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(256, N_CLASSES),
        )  # fmt: skip
        nn.init.zeros_(self.theta.weight)
        with torch.no_grad():  # begin near the identity
            self.theta.bias.copy_(torch.tensor([1, 0.05, 0.02, -0.05, 1, -0.02]))

    def forward(self, x):
        theta = self.theta(self.localise(x)).view(-1, 2, 3)
        grid = F.affine_grid(theta, list(x.shape), align_corners=False)
        return self.classify(F.grid_sample(x, grid, align_corners=False))


def make_batch(n, size):
    """Bars, crosses, frames and discs, each turned and shifted at random, and which it is."""
    label = torch.arange(n) % N_CLASSES
    angle, shift = torch.rand(n, 1, 1) - 0.5, 0.4 * torch.rand(2, n, 1, 1) - 0.2
    y, x = torch.meshgrid(*[torch.linspace(-1, 1, size)] * 2, indexing="ij")
    x, y = x - shift[0], y - shift[1]
    x, y = x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos()
    bar = (x.abs() < 0.2) & (y.abs() < 0.7)
    cross = bar | ((y.abs() < 0.2) & (x.abs() < 0.7))
    extent = torch.maximum(x.abs(), y.abs())
    shapes = torch.stack([bar, cross, (extent < 0.7) & (extent > 0.4), x * x + y * y < 0.3])
    image = shapes[label, torch.arange(n)].float() + 0.1 * torch.randn(n, size, size)
    return image[:, None], label


def loss_of(model, batch):
    """The cross entropy of the classes."""
    image, label = batch
    return F.cross_entropy(model(image), label)


def main():
    torch.manual_seed(0)
    model = SpatialTransformer()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(8):
        optimizer.zero_grad()
        loss = loss_of(model, make_batch(16, 28))
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
