# SPDX-License-Identifier: Apache-2.0
"""Results of `run`: values worked out by hand, and the shared cases; layouts, orders, scales, threads, masks."""
import json
import math
import os
import unittest

from cli import Case, bfloat16_bits, from_bfloat16_bits, np


class Worked(Case):
    """Values that can be followed with pencil and paper."""

    def run_one(self, operator, *arrays, options=()):
        names = [self.save(f"{k}.npy", a) for k, a in enumerate(arrays)]
        self.regrad("run", operator, *names, "-o", "out.npy", *options)
        return self.load("out.npy")

    def test_nearest_1d(self):
        result = self.run_one("upsample_nearest_exact1d_backward", np.ones((1, 1, 6), "f4"),
                              options=["--input-size", "4"])
        self.assertEqual(result.tolist(), [[[1, 2, 1, 2]]])
        result = self.run_one("upsample_nearest_exact1d", np.array([[[10, 20, 30, 40]]], "f4"),
                              options=["--output-size", "6"])
        self.assertEqual(result.tolist(), [[[10, 20, 20, 30, 40, 40]]])

    def test_nearest_2d_scale(self):
        grad = np.arange(8, dtype="f4").reshape(1, 1, 4, 2)
        wanted = np.zeros((1, 1, 8, 4), "f4")
        wanted[0, 0, 0, 0] = 6
        wanted[0, 0, 1, 0] = 22
        result = self.run_one("upsample_nearest_exact2d_backward", grad,
                              options=["--input-size", "1,1,8,4", "--scale-h", "2", "--scale-w", "2"])
        self.assertEqual(result.tolist(), wanted.tolist())

    def test_bilinear_quarters(self):
        for operator in ("upsample_bilinear2d_backward", "resize_bilinear_v2_grad"):
            half = ["--half-pixel-centers"] if "v2" in operator else []
            one = np.ones((1, 1, 1, 1), "f4")
            result = self.run_one(operator, one, options=["--input-size", "2,2", *half])
            self.assertEqual(result.tolist(), [[[[0.25, 0.25], [0.25, 0.25]]]])
            result = self.run_one(operator, one, options=["--input-size", "2,2", "--align-corners"])
            self.assertEqual(result.tolist(), [[[[1, 0], [0, 0]]]])
        # Asymmetric, step 2: the one output reads at 0.
        for operator, option in [("resize_bilinear_v2_grad", []), ("upsample_bilinear2d_backward", ["--asymmetric"])]:
            result = self.run_one(operator, one, options=["--input-size", "2,2", *option])
            self.assertEqual(result.tolist(), [[[[1, 0], [0, 0]]]])

    def test_bilinear_align_corners(self):
        result = self.run_one("upsample_bilinear2d_backward", np.ones((1, 1, 1, 10), "f8"),
                              options=["--input-size", "1,2", "--align-corners"])
        np.testing.assert_allclose(result, [[[[5, 5]]]], rtol=0, atol=16 * 2.0 ** -53 * 10)
        result = self.run_one("upsample_bilinear2d_backward", np.ones((1, 1, 24, 1), "f8"),
                              options=["--input-size", "3,1", "--align-corners"])
        np.testing.assert_allclose(result.ravel(), [144 / 23, 264 / 23, 144 / 23], rtol=0, atol=40 * 2.0 ** -53 * 24)

    def test_bilinear_doubling(self):
        grad = np.broadcast_to(np.arange(10, dtype="f4"), (1, 1, 18, 10))
        result = self.run_one("upsample_bilinear2d_backward", grad, options=["--input-size", "9,5"])
        self.assertEqual(result[0, 0].tolist(), [[2.5, 10, 18, 26, 33.5]] * 9)

    def test_float16_sums_are_rounded_once(self):
        result = self.run_one("upsample_bilinear2d_backward", np.ones((1, 1, 128, 128), "f2"),
                              options=["--input-size", "1,1"])
        self.assertEqual(result.dtype, np.float16)
        self.assertEqual(result.item(), 16384)

    def test_shape_from_original_image(self):
        one = np.ones((1, 1, 1, 1), "f4")
        result = self.run_one("resize_bilinear_v2_grad", one, np.zeros((1, 1, 2, 2), "f4"),
                              options=["--half-pixel-centers"])
        self.assertEqual(result.tolist(), [[[[0.25, 0.25], [0.25, 0.25]]]])

    def test_output_from_scales(self):
        x = np.arange(6, dtype="f4").reshape(1, 1, 2, 3)
        result = self.run_one("upsample_nearest_exact2d", x, options=["--scale-h", "2", "--scale-w", "1.5"])
        self.assertEqual(result.shape, (1, 1, 4, 4))
        result = self.run_one("upsample_nearest_exact1d", x[0], options=["--scale-l", "2.4"])
        self.assertEqual(result.shape, (1, 2, 7))

    def grid_backward(self, grad, image, grid, *options, wanted=("input_grad", "grid_grad")):
        for name, array in [("g", grad), ("i", image), ("p", grid)]:
            self.save(name + ".npy", array)
        files = [x for name in wanted for x in ("--" + name.replace("_", "-"), name + ".npy")]
        self.regrad("run", "grid_sampler_2d_backward", "g.npy", "i.npy", "p.npy", *files, *options)
        return [self.load(name + ".npy") for name in wanted]

    def test_grid_half(self):
        x = np.array([[[[2 / 3, 0]]]], "f2")
        self.assertEqual(float(x[0, 0, 0, 0]), 0.66650390625)
        input_grad, grid_grad = self.grid_backward(np.ones((1, 1, 1, 1), "f2"), np.array([[[[0, 1, 3]]]], "f2"), x)
        self.assertEqual(input_grad.ravel().tolist(), [0, np.float16(0.000244140625), np.float16(0.999755859375)])
        self.assertEqual(grid_grad[0, 0, 0, 0], 3)

    def test_grid_identity(self):
        image = np.broadcast_to(np.arange(5, dtype="f4"), (1, 1, 5, 5))
        line = np.linspace(-1, 1, 5, dtype="f4")
        grid = np.stack(np.meshgrid(line, line), -1)[None]
        _, grid_grad = self.grid_backward(np.ones((1, 1, 5, 5), "f4"), image, grid, "--align-corners",
                                          "--padding", "border")
        self.assertEqual(grid_grad[0, :, :, 0].tolist(), [[0, 2, 2, 2, 0]] * 5)
        self.assertEqual(grid_grad[0, :, :, 1].tolist(), [[0] * 5] * 5)

    def test_grid_infinity(self):
        line = np.linspace(-1, 1, 3, dtype="f4")
        grid = np.stack(np.meshgrid(line, line), -1)[None].copy()
        grid[0, 1, 1, 0] = np.inf
        input_grad, grid_grad = self.grid_backward(
            np.ones((1, 1, 3, 3), "f4"), np.arange(9, 0, -1, dtype="f4").reshape(1, 1, 3, 3), grid, "--align-corners")
        self.assertEqual(input_grad.ravel().tolist(), [1, 1, 1, 1, 0, 1, 1, 1, 1])
        self.assertEqual(grid_grad[0, 1, 1].tolist(), [0, 0])

    def test_grid_mask(self):
        rng = np.random.default_rng(3)
        data = [rng.standard_normal(s).astype("f4") for s in [(2, 3, 4, 5), (2, 3, 6, 7), (2, 4, 5, 2)]]
        both = self.grid_backward(*data)
        for k, name in enumerate(["input_grad", "grid_grad"]):
            for file in ("input_grad.npy", "grid_grad.npy"):
                os.unlink(self.path(file)) if os.path.exists(self.path(file)) else None
            self.assertEqual(self.grid_backward(*data, wanted=[name])[0].tobytes(), both[k].tobytes())
            self.assertEqual([f for f in self.files() if "grad" in f], [name + ".npy"])

    def test_grid_of_a_volume(self):
        """The order of a point is x, y, z: it moves along W, H and D."""
        volume = np.arange(24, dtype="f4").reshape(1, 1, 2, 3, 4)
        points = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1], [1, 1, 1], [-1, -1, 0]], "f4")
        options = ["--align-corners"]
        result = self.run_one("grid_sampler_3d", volume, points.reshape(1, 1, 1, 5, 3), options=options)
        self.assertEqual(result.tolist(), [[[[[3, 8, 12, 23, 6]]]]])
        last = self.run_one("grid_sampler_3d", np.moveaxis(volume, 1, -1), points.reshape(1, 1, 1, 5, 3),
                            options=[*options, "--layout", "nhwc"])
        self.assertEqual(np.moveaxis(last, -1, 1).tolist(), result.tolist())
        for name, array in [("g", np.ones((1, 1, 1, 1, 5), "f4")), ("i", volume), ("p", points.reshape(1, 1, 1, 5, 3))]:
            self.save(name + ".npy", array)
        self.regrad("run", "grid_sampler_3d_backward", "g.npy", "i.npy", "p.npy", "--input-grad", "x.npy",
                    "--grid-grad", "y.npy", "--padding", "border", *options)
        wanted = np.zeros((2, 3, 4))
        wanted[[0, 0, 1, 1, 0, 1], [0, 2, 0, 2, 0, 0], [3, 0, 0, 3, 0, 0]] = [1, 1, 1.5, 1, 0.5, 1.5]
        self.assertEqual(self.load("x.npy")[0, 0].tolist(), wanted.tolist())
        self.assertEqual(self.load("y.npy").reshape(5, 3)[4, 2], 6) # 12 a voxel, half a voxel a unit of z

    def test_grid_forward(self):
        image = np.array([[[[0, 1, 3]]]], "f8")
        grid = np.array([[[[0, 0], [1 / 3, 0]]]], "f8") # pixels 1 and 1.5
        result = self.run_one("grid_sampler_2d", image, grid)
        np.testing.assert_allclose(result.ravel(), [1, 2], rtol=0, atol=8 * 2.0 ** -53 * 3)


class Sameness(Case):
    """Layouts, orders and threads change no bit."""

    def result(self, operator, array, *options, transpose=None):
        self.save("in.npy", array)
        self.regrad("run", operator, "in.npy", "-o", "out.npy", *options)
        result = self.load("out.npy")
        return result if transpose is None else result.transpose(transpose)

    def test_layouts(self):
        rng = np.random.default_rng(5)
        grad = rng.standard_normal((2, 3, 14, 9)).astype("f4")
        options = ["--input-size", "2,3,7,11"]
        wanted = self.result("upsample_bilinear2d_backward", grad, *options)
        for array in (np.asfortranarray(grad), grad.astype(">f4")):
            self.assertEqual(self.result("upsample_bilinear2d_backward", array, *options).tobytes(), wanted.tobytes())
        last = np.ascontiguousarray(grad.transpose(0, 2, 3, 1))
        for array in (last, np.asfortranarray(last)):
            result = self.result("upsample_bilinear2d_backward", array, *options, "--layout", "nhwc")
            self.assertEqual(result.shape, (2, 7, 11, 3))
            self.assertEqual(result.transpose(0, 3, 1, 2).tobytes(), wanted.tobytes())

    def test_layout_of_signals(self):
        grad = np.random.default_rng(6).standard_normal((2, 3, 11)).astype("f2")
        wanted = self.result("upsample_nearest_exact1d_backward", grad, "--input-size", "26", "--law", "gather")
        last = self.result("upsample_nearest_exact1d_backward", np.ascontiguousarray(grad.transpose(0, 2, 1)),
                           "--input-size", "26", "--law", "gather", "--layout", "nhwc")
        self.assertEqual(last.transpose(0, 2, 1).tobytes(), wanted.tobytes())
        forward = self.result("upsample_nearest_exact1d_backward", grad, "--input-size", "26")
        self.assertNotEqual(forward.tobytes(), wanted.tobytes()) # 26 to 11 is where the laws part

    def test_grid_layout(self):
        rng = np.random.default_rng(8)
        image, grid = rng.standard_normal((2, 3, 4, 5)).astype("f4"), rng.uniform(-1, 1, (2, 6, 7, 2)).astype("f4")
        self.save("grid.npy", grid)
        results = []
        for layout, array in [("nchw", image), ("nhwc", np.ascontiguousarray(image.transpose(0, 2, 3, 1)))]:
            self.save("in.npy", array)
            self.regrad("run", "grid_sampler_2d", "in.npy", "grid.npy", "-o", "out.npy", "--layout", layout)
            results.append(self.load("out.npy"))
        self.assertEqual(results[1].transpose(0, 3, 1, 2).tobytes(), results[0].tobytes())

    def test_threads(self):
        grad = np.random.default_rng(9).standard_normal((5, 3, 40, 50)).astype("f4")
        results = {self.result("upsample_bilinear2d_backward", grad, "--input-size", "30,20",
                               "--threads", str(n)).tobytes()
                   for n in (0, 1, 2, 3, 7)}
        self.assertEqual(len(results), 1)

    def test_time(self):
        self.save("in.npy", np.ones((1, 1, 2, 2), "f4"))
        done = self.regrad("run", "upsample_bilinear2d", "in.npy", "-o", "-", "--output-size", "3,3", "--time")
        self.assertRegex(done.stderr, r"\Aread \d+\.\d+ s, plan \d+\.\d+ s, run \d+\.\d+ s, write \d+\.\d+ s\n\Z")
        self.assertTrue(done.stdout.startswith(b"\x93NUMPY"))


NUMPY_TYPE = {"float16": "f2", "float32": "f4", "float64": "f8", "bfloat16": "f4"}


class Cases(Case):
    """The collected cases, each within the bound of its arithmetic."""

    def store(self, name, values, dtype, shape):
        array = np.array([float(v) for v in values], "f8").astype(NUMPY_TYPE[dtype]).reshape(shape)
        return self.save(name, bfloat16_bits(array).view("V2") if dtype == "bfloat16" else array)

    def fetch(self, name, dtype):
        array = self.load(name)
        return (from_bfloat16_bits(array.view("u2")) if dtype == "bfloat16" else array).astype("f8").ravel()

    def options(self, case):
        options = []
        scales = case.get("scales", [])
        for axis, scale in zip("l" if len(scales) == 1 else "dhw"[-len(scales):], scales):
            options += [f"--scale-{axis}", repr(float(scale))]
        if "law" in case:
            options += ["--law", case["law"]]
        if "interpolation_mode" in case:
            options += ["--interpolation", ["bilinear", "nearest", "bicubic"][case["interpolation_mode"]],
                        "--padding", ["zeros", "border", "reflection"][case["padding_mode"]]]
        elif case.get("half_pixel_centers") is False and not case["align_corners"]:
            options += ["--asymmetric"]
        if case.get("align_corners"):
            options += ["--align-corners"]
        return options

    def check(self, case, name, scale, given="grad_output"):
        """Within (n + 4) units of the arithmetic, times at most the sum of |given|, and one rounding."""
        dtype = case["dtype"]
        wanted = np.array([float(v) for v in case[name]])
        result = self.fetch(name + ".npy", dtype)
        size = scale * float(np.abs([float(v) for v in case[given] if math.isfinite(float(v))]).sum())
        unit = 2.0 ** -53 if dtype == "float64" else 2.0 ** -24
        stored = {"float16": 2.0 ** -11, "bfloat16": 2.0 ** -8}.get(dtype, unit)
        self.assertEqual(np.isfinite(result).tolist(), np.isfinite(wanted).tolist(), case["id"])
        finite = np.isfinite(wanted)
        self.assertEqual(repr(result[~finite].tolist()), repr(wanted[~finite].tolist()), case["id"])
        error = np.abs(result - wanted)[finite]
        allowed = (len(case[given]) + 4) * unit * size + stored * np.abs(wanted[finite])
        self.assertTrue((error <= allowed).all(), (case["id"], error.max(), result, wanted))

    def test_resizes(self):
        for case in (c for c in CASES if not c["op"].startswith("grid")):
            with self.subTest(case["id"]):
                size_in, size_out = case["input_size"], [*case["input_size"][:2], *case["output_size"]]
                given, result, size, other, option = (
                    ("grad_output", "grad_input", size_out, size_in, "--input-size") if "grad_output" in case else
                    ("input", "output", size_in, size_out, "--output-size"))
                self.store("g.npy", case[given], case["dtype"], size)
                self.regrad("run", case["op"], "g.npy", "-o", result + ".npy", option, ",".join(map(str, other)),
                            *self.options(case))
                weights = 1.6 if "cubic" in case["op"] or "lanczos" in case["op"] else 1 # on an axis, at most
                self.check(case, result, weights ** (len(size) - 2), given)

    def test_grids(self):
        for case in (c for c in CASES if c["op"].startswith("grid")):
            with self.subTest(case["id"]):
                n, c, *axes = case["input_size"]
                self.store("i.npy", case["input"], case["dtype"], case["input_size"])
                self.store("p.npy", case["grid"], case["dtype"], case["grid_size"])
                if "output" in case:
                    self.regrad("run", case["op"], "i.npy", "p.npy", "-o", "output.npy", *self.options(case))
                    self.check(case, "output", 1.375 ** len(axes), "input")
                    continue
                self.store("g.npy", case["grad_output"], case["dtype"], (n, c, *case["grid_size"][1:-1]))
                wanted = [name for name in ("input_grad", "grid_grad") if case[name] is not None]
                files = [x for name in wanted for x in ("--" + name.replace("_", "-"), name + ".npy")]
                self.regrad("run", case["op"], "g.npy", "i.npy", "p.npy", *files, *self.options(case))
                largest = max(abs(float(v)) for v in case["input"] if math.isfinite(float(v)))
                sizes = {"input_grad": 1.375 ** len(axes),
                         "grid_grad": max(axes) / 2 * 3 * 1.375 ** (len(axes) - 1) * largest}
                for name in wanted:
                    self.check(case, name, sizes[name])


with open(os.environ["REGRAD_CASES"]) as file:
    CASES = json.load(file)

if __name__ == "__main__":
    unittest.main()
