# SPDX-License-Identifier: Apache-2.0
"""Optical flow from coarse to fine: features are warped by the flow so far, and the loss is taken at all scales."""

import torch
import torch.nn.functional as F
from torch import nn


def warp(x, flow):
    """Reads x at each pixel plus its flow, in pixels."""
    h, w = x.shape[-2:]
    y0, x0 = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    px, py = x0 + flow[:, 0], y0 + flow[:, 1]
    grid = torch.stack([2 * px / (w - 1) - 1, 2 * py / (h - 1) - 1], dim=-1)
    return F.grid_sample(x, grid.to(x.dtype), padding_mode="border", align_corners=True)


class FlowNet(nn.Module):
    """Three levels of features; each level refines the upsampled flow of the level before."""

    def __init__(self, width=12):
        super().__init__()
        ins = (1, width, width)
        self.features = nn.ModuleList([nn.Conv2d(c, width, 3, stride=2, padding=1) for c in ins])
        self.estimate = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(2 * width + 2, 24, 3, padding=1), nn.LeakyReLU(0.1),
                nn.Conv2d(24, 2, 3, padding=1),
            )
            for _ in ins
        )  # fmt: skip

    def pyramid(self, x):
        """Features of each level, the finest first."""
        levels = []
        for layer in self.features:
            x = F.leaky_relu(layer(x), 0.1)
            levels.append(x)
        return levels

    def forward(self, first, second):
        flows = []
        for one, two, estimate in list(zip(self.pyramid(first), self.pyramid(second), self.estimate))[::-1]:
            if flows:
                size = one.shape[-2:]
                flow = 2 * F.interpolate(flows[-1], size=size, mode="bilinear", align_corners=False)
            else:
                flow = one.new_zeros(one.shape[0], 2, *one.shape[-2:])
            flows.append(flow + estimate(torch.cat([one, warp(two, flow), flow], dim=1)))
        return flows


def make_batch(n, size):
    """Pairs of smooth textures, of which the second has moved, and the flow."""
    texture = F.avg_pool2d(torch.rand(n, 1, size, size), 5, 1, 2) * 2
    flow = torch.rand(n, 2, 1, 1).mul(4).sub(2).expand(n, 2, size, size)
    return texture, warp(texture, -flow), flow


def loss_of(model, batch):
    """The distance from the true flow at each level, and the difference of the images when warped."""
    first, second, truth = batch
    loss = 0
    for i, flow in enumerate(model(first, second)):
        scale = flow.shape[-1] / truth.shape[-1]
        wanted = scale * F.interpolate(truth, size=flow.shape[-2:], mode="bilinear", align_corners=False)
        error = (flow - wanted).pow(2).sum(1).add(1e-4).sqrt().mean()
        loss = loss + 0.5 ** (2 - i) * error
    full = F.interpolate(flow / scale, size=first.shape[-2:], mode="bilinear", align_corners=False)
    return loss + 0.1 * (warp(second, full) - first).abs().mean()


def main():
    torch.manual_seed(2)
    model = FlowNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(5):
        optimizer.zero_grad()
        loss = loss_of(model, make_batch(4, 48))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(f"step {step} loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
