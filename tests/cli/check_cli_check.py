# SPDX-License-Identifier: Apache-2.0
"""`check`: it holds for our operators, and each of its parts fails when a result is spoilt, with its exit status."""
import os
import re
import unittest

from cli import OPERATORS, RESIZES, Case, bfloat16_bits, choices, np, scale_options, sizes

TWO = ["--input-size", "2,3,9,5", "--output-size", "13,8"]


def usual_sizes(operator):
    return sizes(operator, (2, 3, 4, 9, 26), (6, 13, 11))


class Holds(Case):
    def check(self, operator, *options, status=0):
        text = self.text("check", operator, *options, status=status)
        self.assertEqual("FAILED" in text, status != 0)
        return text

    def test_all_operators_and_types(self):
        for operator in OPERATORS:
            for dtype in ("float16", "bfloat16", "float32", "float64"):
                with self.subTest(operator=operator, dtype=dtype):
                    text = self.check(operator, *usual_sizes(operator), "--dtype", dtype)
                    self.assertRegex(text, r"(?m)^adjoint +held ")
                    self.assertEqual("finite differences" in text, "grid" in operator)
                    if dtype == "float64":
                        self.assertIn("the reference is the float64 plan, which is itself checked here", text)
                    else:
                        self.assertRegex(text, r"(?m)^reference \w+ +held ")

    def test_options(self):
        for options in ([], ["--align-corners"], ["--asymmetric"], ["--scale-h", "1.7", "--scale-w", "0.6"]):
            for layout in ("nchw", "nhwc"):
                self.check("upsample_bilinear2d_backward", *TWO, *options, "--layout", layout)
        for options in ([], ["--law", "gather"], ["--scale-h", "1.7"], ["--law", "gather", "--scale-w", "0.6"]):
            self.check("upsample_nearest_exact2d_backward", *TWO, *options)
        for interpolation in ("bilinear", "nearest", "bicubic"):
            for padding in ("zeros", "border", "reflection"):
                for align in ([], ["--align-corners"]):
                    self.check("grid_sampler_2d_backward", *TWO, "--interpolation", interpolation, "--padding",
                               padding, *align)
                    if interpolation != "bicubic":
                        self.check("grid_sampler_3d_backward", *usual_sizes("grid_sampler_3d"), "--interpolation",
                                   interpolation, "--padding", padding, *align, "--layout", "nhwc")

    def test_options_of_resizes(self):
        """Coordinates, laws and scales; lengths that stay, lengths of 1, and outputs behind the end of the input."""
        for operator in RESIZES:
            for shapes in [((1, 2, 3, 7, 40), (5, 31, 9)), ((1, 2, 3, 6, 5), (3, 6, 5)), ((2, 1, 1, 1, 1), (4, 3, 7)),
                           ((1, 2, 4, 3, 7), (1, 1, 1)), ((1, 1, 4, 9, 9), (16, 40, 40))]:
                for options in choices(operator):
                    for layout, scales in [("nchw", (0, 0, 0)), ("nhwc", (0.7, 1.3, 2.1))]:
                        words = [*sizes(operator, *shapes), *options, *scale_options(operator, scales)]
                        with self.subTest(operator=operator, words=words):
                            self.check(operator, *words, "--layout", layout)

    def test_uint8(self):
        self.assertEqual(self.refused("check", "upsample_nearest2d", *TWO, "--dtype", "u8"),
                         "upsample_nearest2d: the type is uint8, which has no gradient to check; wanted float16, "
                         "bfloat16, float32 or float64")

    def test_files(self):
        rng = np.random.default_rng(2)
        self.save("g.npy", rng.standard_normal((2, 3, 13, 8)).astype("f4"))
        self.save("i.npy", np.asfortranarray(rng.standard_normal((2, 3, 9, 5)).astype("f4")))
        grid = rng.uniform(-1.2, 1.2, (2, 13, 8, 2)).astype("f4")
        grid[0, 0, 0] = np.nan
        grid[1, 2, 3, 1] = np.inf
        self.save("p.npy", grid)
        text = self.check("grid_sampler_2d_backward", "g.npy", "i.npy", "p.npy")
        self.assertRegex(text, r"\Agrid_sampler_2d_backward, float32, data from files")
        left_out = re.search(r"(\d+) of 208 points left out", text)
        self.assertGreaterEqual(int(left_out.group(1)), 2) # NaN and infinity are
        self.check("upsample_bilinear2d_backward", "g.npy", "--input-size", "9,5")
        self.save("b.npy", bfloat16_bits(np.ones((1, 1, 4, 4))))
        self.check("upsample_bilinear2d", "b.npy", "--dtype", "bf16", "--output-size", "9,5")

    def test_long_axis(self):
        """Past 2^22 float32 has no quarters of a pixel. Each input has two outputs, for all that its index says."""
        gradient = np.random.default_rng(3).integers(-128, 128, (1, 1, 8388612)).astype("f4")
        self.save("g.npy", gradient)
        for law in ("forward", "gather"):
            with self.subTest(law=law):
                options = ["g.npy", "--input-size", "4194306", "--law", law]
                self.text("run", "upsample_nearest_exact1d_backward", *options, "-o", f"{law}.npy")
                np.testing.assert_array_equal(self.load(f"{law}.npy"), gradient.reshape(1, 1, -1, 2).sum(-1))
                text = self.check("upsample_nearest_exact1d_backward", *options)
                self.assertIn("L is longer than 2^22: its indices are computed in float64, for every type\n", text)
        self.assertNotIn("2^22", self.check("upsample_nearest_exact1d", "--input-size", "1,1,4194304",
                                            "--output-size", "1009"))
        text = self.check("upsample_bilinear2d", "--input-size", "1,1,2,4194305", "--output-size", "2,1009")
        self.assertRegex(text, r"\nW is longer than 2\^22: ")
        text = self.check("upsample_trilinear3d", "--input-size", "1,1,4194305,1,2", "--output-size", "1009,1,2")
        self.assertRegex(text, r"\nD is longer than 2\^22: ")

    def test_identity_grid_is_left_out(self):
        """Points on pixel centres lie on edges: nothing is claimed about them."""
        line = np.linspace(-1, 1, 5)
        self.save("g.npy", np.ones((1, 1, 5, 5), "f4"))
        self.save("p.npy", np.stack(np.meshgrid(line, line), -1)[None].astype("f4"))
        text = self.check("grid_sampler_2d_backward", "g.npy", "g.npy", "p.npy", "--align-corners")
        self.assertIn("25 of 25 points left out", text)

    def test_nothing_to_check(self):
        self.save("g.npy", np.full((1, 1, 5, 5), np.nan, "f4"))
        message = self.refused("check", "upsample_bilinear2d_backward", "g.npy", "--input-size", "3,3")
        self.assertEqual(message, "grad_output (g.npy): holds NaN or infinity, with which nothing can be checked")
        for operator in OPERATORS:
            self.check(operator, *sizes(operator, (0, 3, 4, 9, 5), (6, 13, 8)))
            self.check(operator, *sizes(operator, (2, 0, 4, 9, 5), (6, 13, 8)), "--layout", "nhwc")

    def test_seed(self):
        texts = [self.check("upsample_bilinear2d", *TWO, "--seed", str(seed)) for seed in (1, 1, 2)]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0].replace("seed 1", ""), texts[2].replace("seed 2", ""))


ADJOINT, DIFFERENCES, REFERENCE = 16, 32, 64


@unittest.skipUnless(os.path.exists(os.environ.get("REGRAD_SPOILER", "")), "no spoiler is built")
class Fails(Case):
    def spoilt(self, operator, spoil, status):
        preload = os.environ["REGRAD_SPOILER"] + ":" + os.environ.get("LD_PRELOAD", "")
        options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        env = dict(os.environ, LD_PRELOAD=preload.rstrip(":"), REGRAD_SPOIL=spoil, ASAN_OPTIONS=options.lstrip(":"))
        text = self.text("check", operator, *usual_sizes(operator), env=env, status=status)
        failed = {"adjoint": ADJOINT, "finite differences": DIFFERENCES, "reference": REFERENCE}
        shown = sum({failed[m] for m in re.findall(r"(?m)^(adjoint|finite differences|reference).* FAILED ", text)})
        self.assertEqual(shown, status, text)

    def test_gradient_of_grid(self):
        for operator in ("grid_sampler_2d_backward", "grid_sampler_3d_backward"):
            name = "regrad_" + operator
            self.spoilt(operator, "", 0)
            self.spoilt(operator, f"{name}:float32:0,{name}:float64:0", ADJOINT)
            self.spoilt(operator, f"{name}:float32:0", ADJOINT + REFERENCE)
            self.spoilt(operator, f"{name}:float32:1", REFERENCE)
            self.spoilt(operator, f"{name}:float32:1,{name}:float64:1", DIFFERENCES)
            self.spoilt(operator, f"{name}:float64:1", DIFFERENCES + REFERENCE)
            self.spoilt(operator, f"{name}:float32:0,{name}:float64:1", ADJOINT + DIFFERENCES + REFERENCE)

    def test_each_operator(self):
        for operator in OPERATORS:
            with self.subTest(operator):
                self.spoilt(operator, f"regrad_{operator}:float32:0", ADJOINT + REFERENCE)


if __name__ == "__main__":
    unittest.main()
