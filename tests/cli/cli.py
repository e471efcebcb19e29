# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line program share: NumPy as the witness, and ways to run the program."""
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy (Debian: python3-numpy) is missing", file=sys.stderr)
    sys.exit(77)

REGRAD = os.environ["REGRAD"]
FORWARDS = [
    "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_nearest_exact1d",
    "upsample_nearest_exact2d", "upsample_nearest_exact3d", "upsample_linear1d", "upsample_bilinear2d",
    "upsample_trilinear3d", "upsample_bicubic2d", "upsample_bilinear2d_aa", "upsample_bicubic2d_aa",
    "upsample_lanczos2d_aa",
]
RESIZES = [forward + end for forward in FORWARDS for end in ("", "_backward")]
OPERATORS = [*RESIZES, "resize_bilinear_v2_grad", "upsample_nearest_exact2d_grad", "grid_sampler_2d",
             "grid_sampler_2d_backward", "grid_sampler_3d", "grid_sampler_3d_backward"]
COMMANDS = ["run", "list", "describe", "check", "compare", "ascend-home", "exec"]


def n_axes(operator):
    """How many dimensions of its tensors come after the channels."""
    return next((n for n in (1, 2, 3) if f"{n}d" in operator), 2)


def sizes(operator, sizes_in, sizes_out):
    """The options for the last sizes of these, as many as the operator has axes."""
    n = n_axes(operator)
    return ["--input-size", ",".join(map(str, [*sizes_in[:2], *sizes_in[-n:]])),
            "--output-size", ",".join(map(str, sizes_out[-n:]))]


def choices(operator):
    """The ways in which a resize can read: its laws, or its coordinates, as options."""
    if "nearest" in operator:
        return [["--law", law] for law in ("forward", "gather")]
    names = ["half_pixel", "align_corners", "asymmetric"]
    return [["--coordinates", name] for name in names[:2 if "_aa" in operator else 3]]


def scale_options(operator, scales):
    """The options for the last scales of these, as many as the operator has axes, but for zeros."""
    n = n_axes(operator)
    names = "l" if n == 1 else "dhw"[-n:]
    return [x for name, scale in zip(names, scales[-n:]) if scale for x in (f"--scale-{name}", str(scale))]


def bfloat16_bits(array):
    """The bits of bfloat16 values that float32 holds exactly."""
    bits = np.ascontiguousarray(array, "f4").view("u4")
    assert not (bits & 0xFFFF).any(), "not a bfloat16 value"
    return (bits >> 16).astype("u2")


def from_bfloat16_bits(bits):
    return (np.ascontiguousarray(bits).astype("u4") << 16).view("f4")


class Case(unittest.TestCase):
    """A test in a directory of its own."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def files(self):
        return sorted(os.listdir(self.directory.name))

    def save(self, name, array):
        np.save(self.path(name), array)
        return self.path(name)

    def load(self, name):
        return np.load(self.path(name))

    def regrad(self, *arguments, status=0, **options):
        """Runs the program in the directory; its status must be `status`. Standard output is bytes,
        standard error text."""
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("env", os.environ)
        done = subprocess.run([REGRAD, *map(str, arguments)], cwd=self.directory.name, **options)
        if done.stderr is not None:
            done.stderr = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        return done

    def refused(self, *arguments, status=2, **options):
        """Runs what must fail: prints nothing but one line on standard error, which is returned."""
        done = self.regrad(*arguments, status=status, **options)
        self.assertEqual(done.stdout or b"", b"", arguments)
        self.assertRegex(done.stderr, r"\Aregrad: [^\n]+\n\Z", arguments)
        return done.stderr[len("regrad: "):-1]

    def text(self, *arguments, **options):
        return self.regrad(*arguments, **options).stdout.decode()
