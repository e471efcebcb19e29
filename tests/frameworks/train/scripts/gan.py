# SPDX-License-Identifier: Apache-2.0
"""A generative adversarial network: the generator doubles its image by upsampling, not by transposed convolution."""

import torch
import torch.nn.functional as F
from torch import nn

LATENT = 16


class UpBlock(nn.Module):
    """Doubles the image and convolves it, with a shortcut."""

    def __init__(self, c_in, c_out, mode):
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode=mode)
        self.conv, self.norm = nn.Conv2d(c_in, c_out, 3, padding=1), nn.BatchNorm2d(c_out)
        self.shortcut = nn.Conv2d(c_in, c_out, 1)

    def forward(self, x):
        x = self.up(x)
        return F.relu(self.norm(self.conv(x))) + self.shortcut(x)


class Generator(nn.Module):
    """From 4 x 4 to 32 x 32 pixels."""

    def __init__(self):
        super().__init__()
        self.start = nn.Linear(LATENT, 32 * 16)
        self.blocks = nn.Sequential(
            UpBlock(32, 24, "nearest"), UpBlock(24, 16, "bilinear"), UpBlock(16, 8, "nearest-exact")
        )
        self.colour = nn.Conv2d(8, 3, 3, padding=1)

    def forward(self, z):
        return self.colour(self.blocks(self.start(z).view(-1, 32, 4, 4))).tanh()


class Discriminator(nn.Module):
    """Halves the image until it is 4 x 4."""

    def __init__(self):
        super().__init__()
        layers = [nn.Sequential(nn.Conv2d(a, b, 4, 2, 1), nn.LeakyReLU(0.2)) for a, b in ((3, 8), (8, 16), (16, 24))]
        self.net = nn.Sequential(*layers, nn.Flatten(), nn.Linear(24 * 16, 1))

    def forward(self, x):
        # An image is judged at its own resolution and at half of it.
        half = F.interpolate(x, scale_factor=0.5, mode="bilinear", antialias=True)
        blurred = F.interpolate(half, size=x.shape[-2:], mode="bilinear")
        return self.net(x) + self.net(blurred)


def real_images(n):
    """Discs of one colour on a dark ground."""
    y, x = torch.meshgrid(*[torch.linspace(-1, 1, 32)] * 2, indexing="ij")
    centre, colour = torch.rand(2, n, 1, 1, 1) - 0.5, torch.rand(n, 3, 1, 1)
    return 2 * colour * torch.sigmoid(20 * (0.4 - torch.hypot(x - centre[0], y - centre[1]))) - 1


def main():
    torch.manual_seed(7)
    generator, discriminator = Generator(), Discriminator()
    optimizers = [torch.optim.Adam(net.parameters(), lr=1e-3, betas=(0.0, 0.9)) for net in (generator, discriminator)]
    for step in range(4):
        real, fake = real_images(4), generator(torch.randn(4, LATENT))
        d_loss = F.relu(1 - discriminator(real)).mean() + F.relu(1 + discriminator(fake.detach())).mean()
        optimizers[1].zero_grad()
        d_loss.backward()
        optimizers[1].step()

        g_loss = -discriminator(generator(torch.randn(4, LATENT))).mean()
        optimizers[0].zero_grad()
        g_loss.backward()
        optimizers[0].step()
        print(f"step {step} loss {d_loss.item():.6f} loss {g_loss.item():.6f}")


if __name__ == "__main__":
    main()
