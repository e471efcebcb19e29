# SPDX-License-Identifier: Apache-2.0
"""A detector without anchors on a feature pyramid: nearest upsampling from level to level."""

import torch
import torch.nn.functional as F
from torch import nn
from torchvision.ops import FeaturePyramidNetwork, generalized_box_iou_loss, sigmoid_focal_loss

STRIDES = (4, 8)


class Detector(nn.Module):
    """A backbone, a feature pyramid of torchvision, and a head that all levels share."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU())
        self.deep = nn.Sequential(nn.Conv2d(16, 24, 3, 2, 1), nn.ReLU())
        self.pyramid = FeaturePyramidNetwork([16, 24], 16)
        self.tower = nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.ReLU())
        self.score = nn.Conv2d(16, 1, 3, padding=1)
        self.box = nn.Conv2d(16, 4, 3, padding=1)
        nn.init.constant_(self.score.bias, -2.0)

    def forward(self, x):
        fine = self.stem(x)
        levels = self.pyramid({"4": fine, "8": self.deep(fine)}).values()
        heads = [self.tower(level) for level in levels]
        return [(self.score(head), F.softplus(self.box(head))) for head in heads]


def make_batch(n, size):
    """An image with one bright box each, and the boxes as x0, y0, x1, y1."""
    corner = torch.randint(0, size // 2, (n, 2))
    boxes = torch.cat([corner, corner + torch.randint(8, size // 2, (n, 2))], dim=1)
    x, y = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="xy")
    x0, y0, x1, y1 = boxes.T[:, :, None, None]
    inside = (x >= x0) & (x < x1) & (y >= y0) & (y < y1)
    return inside[:, None].float() + 0.2 * torch.randn(n, 1, size, size), boxes.float()


def loss_of(model, batch):
    """Focal loss of the scores of all levels, and the boxes' generalised overlap where there is one."""
    image, boxes = batch
    loss = 0
    for (score, box), stride in zip(model(image), STRIDES):
        h, w = score.shape[-2:]
        y, x = torch.meshgrid(torch.arange(h) + 0.5, torch.arange(w) + 0.5, indexing="ij")
        centre = stride * torch.stack([x, y, x, y], dim=-1)
        sides = (centre - boxes[:, None, None]) * torch.tensor([1, 1, -1, -1])
        positive = sides.amin(-1) > 0
        score_loss = sigmoid_focal_loss(score[:, 0], positive.float(), reduction="mean")
        found = centre + stride * box.permute(0, 2, 3, 1) * torch.tensor([-1, -1, 1, 1])
        wanted = boxes[:, None, None].expand_as(found)
        loss = loss + score_loss + generalized_box_iou_loss(found[positive], wanted[positive], reduction="mean")
    return loss


def main():
    torch.manual_seed(3)
    model = Detector()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    for step in range(5):
        optimizer.zero_grad()
        loss = loss_of(model, make_batch(4, 48))
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
