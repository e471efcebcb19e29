# SPDX-License-Identifier: Apache-2.0
"""A vision transformer that trains at several resolutions: position embeddings are interpolated to the patches."""

import torch
import torch.nn.functional as F
from torch import nn

PATCH, WIDTH, HEADS, N_CLASSES = 8, 32, 4, 3


class Block(nn.Module):
    """Attention and a perceptron, each with a shortcut."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x):
        n, length, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(n, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(n, length, WIDTH)
        x = x + self.proj(attended)
        return x + self.mlp(self.norm2(x))


class VisionTransformer(nn.Module):
    """Has embeddings for 4 x 4 patches, and one for the class."""

    def __init__(self, grid=4):
        super().__init__()
        self.grid = grid
        self.patches = nn.Conv2d(1, WIDTH, PATCH, stride=PATCH)
        self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, WIDTH))
        self.position = nn.Parameter(0.2 * torch.randn(1, 1 + grid * grid, WIDTH))
        self.blocks = nn.Sequential(Block(), Block())
        self.head = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, N_CLASSES))

    def positions(self, h, w):
        """The embeddings for h x w patches."""
        if (h, w) == (self.grid, self.grid):
            return self.position
        first, patches = self.position[:, :1], self.position[:, 1:]
        patches = patches.reshape(1, self.grid, self.grid, WIDTH).permute(0, 3, 1, 2)
        # The scale is a little larger than needed, so that rounding does not lose a patch.
        scale = ((h + 0.1) / self.grid, (w + 0.1) / self.grid)
        patches = F.interpolate(patches, scale_factor=scale, mode="bicubic")
        assert patches.shape[-2:] == (h, w)
        return torch.cat([first, patches.permute(0, 2, 3, 1).flatten(1, 2)], dim=1)

    def forward(self, x):
        x = self.patches(x)
        h, w = x.shape[-2:]
        x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x.flatten(2).transpose(1, 2)], dim=1)
        return self.head(self.blocks(x + self.positions(h, w))[:, 0])


def make_batch(n, h, w):
    """Stripes that lie, stand, or do neither."""
    label = torch.randint(N_CLASSES, (n,))
    direction = torch.tensor([[8.0, 0.0], [0.0, 8.0], [6.0, 6.0]])[label][:, :, None, None]
    y, x = torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")
    stripes = torch.sin(direction[:, 0] * x + direction[:, 1] * y + 6 * torch.rand(n, 1, 1))
    return (stripes + 0.2 * torch.randn(n, h, w))[:, None], label


def main():
    torch.manual_seed(8)
    model = VisionTransformer()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
    for step, (h, w) in enumerate([(32, 32), (48, 40), (56, 56), (24, 32)] * 2):
        image, label = make_batch(8, h, w)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(image), label, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        print(f"step {step} size {h}x{w} loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
