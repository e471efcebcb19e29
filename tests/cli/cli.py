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
OPERATORS = [
    "upsample_bilinear2d", "upsample_bilinear2d_backward", "upsample_nearest_exact1d",
    "upsample_nearest_exact1d_backward", "upsample_nearest_exact2d", "upsample_nearest_exact2d_backward",
    "resize_bilinear_v2_grad", "upsample_nearest_exact2d_grad", "grid_sampler_2d", "grid_sampler_2d_backward",
]
COMMANDS = ["run", "list", "describe", "check", "compare", "ascend-home", "exec"]


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
