#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""train_ddp.py - trains a spatial transformer in several processes, with the same bits in each and in every run.

    torchrun --standalone --nproc-per-node 2 examples/train_ddp.py [STEPS]

On several machines, start the same command on each, with the address of one of them:

    torchrun --nnodes 4 --nproc-per-node 2 --rdzv-backend c10d --rdzv-endpoint HOST:29500 examples/train_ddp.py

It needs regrad and PyTorch, and makes its own images. Each process trains on its part of them, and gloo adds the
gradients. Each prints the loss and a digest of its parameters. It ends with status 1 if these digests differ. Another
run prints the same digests if it has as many processes, on the same kind of machine.
"""

import argparse
import hashlib
import sys

import regrad.torch
import torch
import torch.distributed as dist
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

N_IMAGES, SIZE, BATCH = 512, 28, 16


class SpatialTransformer(nn.Module):
    """Predicts an affine map from an image, resamples the image with it, and classifies the result."""

    def __init__(self):
        """Begins near the identity."""
        super().__init__()
        self.localise = nn.Sequential(
            nn.Conv2d(1, 8, 5, stride=2), nn.ReLU(), nn.Conv2d(8, 8, 5, stride=2), nn.ReLU(), nn.Flatten(),
            nn.Linear(128, 6),
        )  # fmt: skip
        self.classify = nn.Sequential(nn.Conv2d(1, 8, 5, stride=3), nn.ReLU(), nn.Flatten(), nn.Linear(512, 2))

    def forward(self, image):
        """The scores of both classes."""
        theta = torch.eye(2, 3) + 0.1 * self.localise(image).view(-1, 2, 3)
        grid = F.affine_grid(theta, list(image.shape), align_corners=False)
        return self.classify(F.grid_sample(image, grid, align_corners=False))


def make_images():
    """Rings and crosses at random places in noise, and which they are. Each process makes all of them."""
    random = torch.Generator().manual_seed(1)
    label = torch.arange(N_IMAGES) % 2
    x, y = (torch.rand(2, N_IMAGES, 1, 1, generator=random) - 0.5) + torch.linspace(-1, 1, SIZE).view(1, 1, 1, -1)
    y = y.transpose(1, 2)
    ring = torch.exp(-40 * (torch.hypot(x, y) - 0.4) ** 2)
    cross = torch.exp(-40 * torch.minimum(x.abs(), y.abs()) ** 2)
    image = torch.where(label.view(-1, 1, 1) == 0, ring, cross)
    return TensorDataset((image + 0.3 * torch.randn(image.shape, generator=random))[:, None], label)


def train(n_steps):
    """Trains for some steps. Returns the last loss and the model."""
    torch.manual_seed(1)
    model = DistributedDataParallel(SpatialTransformer())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    images = make_images()
    sampler = DistributedSampler(images, seed=1)
    loader, step, epoch = DataLoader(images, BATCH, sampler=sampler), 0, 0
    while step < n_steps:
        sampler.set_epoch(epoch)
        epoch += 1
        for image, label in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(image), label)
            loss.backward()
            optimizer.step()
            step += 1
            if step == n_steps:
                break
    return loss.item(), model


def main():
    """Trains, prints, and compares the processes."""
    parser = argparse.ArgumentParser(description="trains a spatial transformer in several processes, by torchrun")
    parser.add_argument("steps", type=int, nargs="?", default=60)
    options = parser.parse_args()
    torch.use_deterministic_algorithms(True)
    regrad.torch.install()
    dist.init_process_group("gloo")
    loss, model = train(options.steps)
    bits = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
    digest = hashlib.sha256(bits).hexdigest()
    digests = [None] * dist.get_world_size()
    dist.all_gather_object(digests, digest)
    print(f"rank {dist.get_rank()} loss {loss:.6f} parameters {digest}", flush=True)
    dist.destroy_process_group()
    sys.exit(len(set(digests)) > 1)


if __name__ == "__main__":
    main()
