# SPDX-License-Identifier: Apache-2.0
"""Every resize, run on files, against its law, which is written down here once more."""
import math
import unittest

from cli import FORWARDS, RESIZES, Case, choices, n_axes, np, scale_options

F32, F64 = np.float32, np.float64


def step(n_in, n_out, scale, coordinates, real):
    if coordinates == "align_corners":
        return real(n_in - 1) / real(n_out - 1) if n_out > 1 else real(0)
    return real(1 / scale) if scale > 0 else real(n_in) / real(n_out)


def nearest(n_in, n_out, scale, exact, law):
    """Which input each output reads, as a matrix of outputs and inputs."""
    matrix = np.zeros((n_out, n_in))
    if law == "forward":
        r = step(n_in, n_out, scale, "", F32)
        for o in range(n_out):
            place = F32((o + 0.5) * float(r)) if exact else F32(o) * r
            matrix[o, min(int(np.floor(place)), n_in - 1)] = 1
        return matrix
    m = F32(scale) if scale > 0 else F32(n_out) / F32(n_in)
    begin = [min(max(int(np.ceil(F32(i) * m - F32(0.5 if exact else 0))), 0), n_out) for i in range(n_in + 1)]
    for i in range(n_in):
        matrix[begin[i]:begin[i + 1], i] = 1
    return matrix


def source(o, r, coordinates, real):
    return r * real(o + 0.5) - real(0.5) if coordinates == "half_pixel" else r * real(o)


def linear(n_in, n_out, scale, coordinates, real):
    if n_in == n_out:
        return np.eye(n_in)
    r = step(n_in, n_out, scale, coordinates, real)
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        s = max(source(o, r, coordinates, real), real(0))
        i = min(int(np.floor(s)), n_in - 1)
        w = min(max(s - real(i), real(0)), real(1))
        if i == n_in - 1:
            matrix[o, i] = 1
        else:
            matrix[o, i:i + 2] = real(1) - w, w
    return matrix


def cubic(n_in, n_out, scale, coordinates, real):
    r = step(n_in, n_out, scale, coordinates, real)
    if n_in == n_out and r == 1:
        return np.eye(n_in)
    matrix, a = np.zeros((n_out, n_in)), -0.75
    for o in range(n_out):
        s = source(o, r, coordinates, real)
        i = min(int(np.floor(s)), n_in - 1)
        t = float(min(max(s - real(i), real(0)), real(1)))
        u = 1 - t
        weights = [a * t * u * u, u * (1 + t - (a + 2) * t * t), t * (1 + u - (a + 2) * u * u), a * u * t * t]
        for k, weight in enumerate(weights):
            matrix[o, min(max(i - 1 + k, 0), n_in - 1)] += weight
    return np.ones((n_out, 1)) if n_in == 1 else matrix.astype(real)


def sinc(x):
    """At whole numbers exactly 0."""
    whole = round(x)
    return 1.0 if x == 0 else math.sin(math.pi * (x - whole)) * (-1) ** whole / (math.pi * x)


FILTERS = {
    "bilinear": (1, lambda x: 1 - x),
    "bicubic": (2, lambda x: (1 - x) * (1 + x - 1.5 * x * x) if x < 1 else -0.5 * (x - 1) * (2 - x) ** 2),
    "lanczos": (3, lambda x: sinc(x) * sinc(x / 3)),
}


def antialiased(n_in, n_out, scale, coordinates, real, name):
    if n_in == n_out:
        return np.eye(n_in)
    radius, weigh = FILTERS[name]
    r = step(n_in, n_out, scale, coordinates, real)
    support = real(radius * float(r)) if r >= 1 else real(radius)
    inverse = float(real(1 / float(r))) if r >= 1 else 1.0
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        centre = real(float(r) * (o + 0.5))
        low = max(math.trunc(float(centre - support) + 0.5), 0)
        high = min(math.trunc(float(centre + support) + 0.5), n_in)
        weights, total = [], real(0)
        for i in range(low, high):
            x = abs(float(real((float(real(i) - centre) + 0.5) * inverse)))
            weights.append(real(weigh(x) if x < radius else 0))
            total += weights[-1]
        matrix[o, low:low + len(weights)] = [w / total if total != 0 else w for w in weights]
    return matrix


def matrix_of(operator, n_in, n_out, scale, choice, real):
    """The weights of one axis. choice: the law of a nearest operator, the coordinates of another one."""
    if "nearest" in operator:
        return nearest(n_in, n_out, scale, "exact" in operator, choice)
    if "_aa" in operator:
        name = next(name for name in FILTERS if name in operator)
        return antialiased(n_in, n_out, scale, choice, real, name)
    return (cubic if "bicubic" in operator else linear)(n_in, n_out, scale, choice, real)


def apply(matrices, values):
    """The product of all axes, summed in the longest type that there is."""
    for axis, matrix in enumerate(matrices):
        values = np.moveaxis(np.tensordot(matrix.astype("g"), values.astype("g"), (1, 2 + axis)), 0, 2 + axis)
    return values


UNIT = {"f2": 2.0 ** -24, "f4": 2.0 ** -24, "f8": 2.0 ** -53}
STORED = {"f2": 2.0 ** -11, "f4": 2.0 ** -24, "f8": 2.0 ** -53}
# Sizes of input and output, of which an operator takes the last ones, and scales.
SHAPES = [
    ((3, 8, 26), (5, 3, 11), (0, 0, 0)),
    ((3, 5, 6), (4, 5, 14), (0, 0, 0)),
    ((2, 7, 1), (3, 1, 5), (0, 0, 0)),
    ((4, 4, 4), (4, 4, 8), (1.2, 1.3, 2.1)), # lengths that stay, with a scale
    ((3, 3, 3), (2, 4, 8), (0.7, 0, 2)), # outputs behind the end of the input
    ((5, 20, 3), (2, 6, 50), (0.45, 0.3, 17)),
]


class Resize(Case):
    def run_one(self, operator, values, size, *options):
        self.save("x.npy", values)
        option = "--input-size" if "backward" in operator else "--output-size"
        self.regrad("run", operator, "x.npy", option, ",".join(map(str, size)), *options, "-o", "y.npy")
        return self.load("y.npy")


class Law(Resize):
    def compare(self, operator, dtype, shape, option):
        """The result is within rounding of the sum over the law's weights."""
        n = n_axes(operator)
        size_in, size_out, scales = (list(x[-n:]) for x in shape)
        real = F64 if dtype == "f8" else F32
        matrices = [matrix_of(operator, *x, option[1], real) for x in zip(size_in, size_out, scales)]
        backward = "backward" in operator
        if backward:
            matrices = [matrix.T for matrix in matrices]
        values = np.random.default_rng(7).uniform(-1, 1, (2, 3, *(size_out if backward else size_in))).astype(dtype)
        result = self.run_one(operator, values, size_in if backward else size_out, *option,
                              *scale_options(operator, scales))
        exact = apply(matrices, values)
        self.assertEqual((result.dtype, result.shape), (values.dtype, exact.shape))
        terms = apply([(matrix != 0).astype("f8") for matrix in matrices], np.ones(values.shape))
        size = apply([abs(matrix) for matrix in matrices], abs(values))
        allowed = (terms + 4) * UNIT[dtype] * size + STORED[dtype] * abs(exact) + 2.0 ** -25 * (dtype == "f2")
        self.assertTrue((abs(result - exact) <= allowed).all(), abs(result - exact).max())
        if "nearest" in operator and not backward:
            self.assertEqual(result.tolist(), exact.astype(dtype).tolist())

    def test_every_operator(self):
        for operator in RESIZES:
            for option in choices(operator):
                for k, shape in enumerate(SHAPES):
                    with self.subTest(operator=operator, option=option, shape=shape):
                        self.compare(operator, ("f4", "f8", "f2")[k % 3], shape, option)

    def test_sizes_at_which_float32_rounds_down(self):
        """Where the law in float32 and exact arithmetic have different owners."""
        for operator, n_in, n_out in [("upsample_nearest1d", 26, 22), ("upsample_nearest1d", 28, 4),
                                      ("upsample_nearest1d", 2, 82), ("upsample_nearest_exact1d", 26, 11),
                                      ("upsample_nearest_exact1d", 10, 1920)]:
            for end in ("", "_backward"):
                for option in choices(operator):
                    with self.subTest(operator=operator, n_in=n_in, n_out=n_out, option=option):
                        self.compare(operator + end, "f4", ((n_in,), (n_out,), (0,)), option)

    def test_flags_are_coordinates(self):
        for operator in (x for x in RESIZES if "nearest" not in x):
            n = n_axes(operator)
            values = np.random.default_rng(8).uniform(-1, 1, (1, 2, *(6, 5, 7)[-n:])).astype("f4")
            for _, name in choices(operator)[1:]:
                results = [self.run_one(operator, values, (4, 9, 3)[-n:], *options).tobytes()
                           for options in (["--coordinates", name], ["--coord", name], ["--" + name.replace("_", "-")])]
                self.assertEqual(len(set(results)), 1, operator)
                self.assertNotEqual(results[0], self.run_one(operator, values, (4, 9, 3)[-n:]).tobytes())


class Worked(Resize):
    """Rows that can be followed with pencil and paper."""

    def test_nearest(self):
        ones, ramp = np.ones((1, 1, 6), "f4"), np.arange(1, 7, dtype="f4").reshape(1, 1, 6)
        self.assertEqual(self.run_one("upsample_nearest1d_backward", ones, [4]).ravel().tolist(), [2, 1, 2, 1])
        self.assertEqual(self.run_one("upsample_nearest1d_backward", ramp, [4], "--scale-l", "1.6").ravel().tolist(),
                         [3, 7, 5, 6])
        numbers = np.arange(26, dtype="f4").reshape(1, 1, 26)
        self.assertEqual(self.run_one("upsample_nearest1d", numbers, [22])[0, 0, 11], 12)
        counts = self.run_one("upsample_nearest_exact3d_backward", np.ones((1, 1, 6, 3, 2), "f4"), [4, 2, 3])
        self.assertEqual(counts[0, 0, 1].tolist(), [[2, 0, 2], [4, 0, 4]])

    def test_linear(self):
        ramp = np.arange(1, 9, dtype="f4").reshape(1, 1, 8)
        self.assertEqual(self.run_one("upsample_linear1d_backward", ramp, [4]).ravel().tolist(), [3.25, 7, 11, 14.75])
        ones = np.ones((1, 1, 4, 4, 4), "f2")
        self.assertEqual(self.run_one("upsample_trilinear3d_backward", ones, [2, 2, 2]).ravel().tolist(), [8] * 8)
        self.assertEqual(self.run_one("upsample_trilinear3d_backward", np.ones((1, 1, 16, 16, 16), "f2"),
                                      [1, 1, 1]).item(), 4096)

    def test_rows(self):
        """What output 0 reads: the gradient of a one there. Antialiased cubic has another constant, -0.5."""
        for operator, n_in, n_out, row in [
            ("upsample_bicubic2d", 4, 8, [1.10546875, -0.10546875, 0, 0]),
            ("upsample_bicubic2d_aa", 4, 8, [1.088235, -0.088235, 0, 0]),
            ("upsample_bicubic2d", 3, 2, [0.7734375, 0.26171875, -0.03515625]),
            ("upsample_bilinear2d_aa", 8, 4, [3 / 7, 3 / 7, 1 / 7, 0, 0, 0, 0, 0]),
            ("upsample_bicubic2d_aa", 8, 4, [0.464435, 0.464435, 0.121339, -0.037657, -0.012552, 0, 0, 0]),
            ("upsample_lanczos2d_aa", 8, 4,
             [0.471674, 0.471674, 0.143182, -0.070412, -0.035925, 0.015909, 0.003898, 0]),
        ]:
            one = np.zeros((1, 1, 1, n_out))
            one[..., 0] = 1
            with self.subTest(operator=operator, n_in=n_in, n_out=n_out):
                result = self.run_one(operator + "_backward", one, [1, n_in]).ravel()
                np.testing.assert_allclose(result, row, rtol=0, atol=6e-7)


class Moved(Resize):
    """Forwards of nearest resizes move elements, whatever these are."""

    def test_bytes(self):
        for operator in (x for x in FORWARDS if "nearest" in x):
            n = n_axes(operator)
            values = np.random.default_rng(9).integers(0, 256, (2, 3, *(4, 7, 5)[-n:]), "u1")
            for option in choices(operator):
                for size, scales in [((6, 3, 9), (0, 0, 0)), ((9, 16, 12), (2, 2, 2))]:
                    with self.subTest(operator=operator, option=option, size=size):
                        options = [*option, *scale_options(operator, scales)]
                        result = self.run_one(operator, values, size[-n:], *options)
                        matrices = [matrix_of(operator, *x, option[1], F32)
                                    for x in zip(values.shape[2:], size[-n:], scales[-n:])]
                        self.assertEqual(result.dtype, np.uint8)
                        self.assertEqual(result.tolist(), apply(matrices, values).astype("u1").tolist())
                        last = self.run_one(operator, np.moveaxis(values, 1, -1), size[-n:], *options, "--layout",
                                            "nhwc")
                        self.assertEqual(np.moveaxis(last, -1, 1).tolist(), result.tolist())

    def test_bits(self):
        """A NaN keeps its bits, and a zero its sign."""
        for operator in (x for x in FORWARDS if "nearest" in x):
            n = n_axes(operator)
            for dtype, bits in [("f2", [0x7E5A, 0x8000]), ("f4", [0xFFC12345, 0x80000000]),
                                ("f8", [0x7FF8000000ABCDEF, 0x8000000000000000])]:
                values = np.array(bits, f"u{dtype[1]}").view(dtype).reshape(1, 1, *[1] * (n - 1), 2)
                result = self.run_one(operator, values, (2, 2, 4)[-n:])
                self.assertEqual(result.view(f"u{dtype[1]}").ravel().tolist(),
                                 np.repeat(np.array(bits, f"u{dtype[1]}"), 2).tolist() * 2 ** (n - 1), operator)


class Layouts(Resize):
    def test_volumes_of_channels_last(self):
        """A file of N, D, H, W, C gives such a file, of the same values, in C and in Fortran order."""
        for operator in (x for x in RESIZES if n_axes(x) == 3):
            values = np.random.default_rng(10).uniform(-1, 1, (2, 3, 4, 5, 6)).astype("f4")
            wanted = self.run_one(operator, values, (3, 7, 5))
            self.assertEqual(wanted.shape, (2, 3, 3, 7, 5))
            last = np.ascontiguousarray(np.moveaxis(values, 1, -1))
            for array in (last, np.asfortranarray(last), last.astype(">f4")):
                for size in ([3, 7, 5], [2, 3, 3, 7, 5]):
                    result = self.run_one(operator, array, size, "--layout", "nhwc")
                    self.assertEqual(result.shape, (2, 3, 7, 5, 3))
                    self.assertEqual(np.moveaxis(result, -1, 1).tobytes(), wanted.tobytes(), operator)

    def test_sizes_from_scales(self):
        volume = np.arange(24, dtype="f4").reshape(1, 1, 2, 3, 4)
        self.save("v.npy", volume)
        self.regrad("run", "upsample_nearest3d", "v.npy", "-o", "y.npy",
                    *scale_options("upsample_nearest3d", (2, 1.5, 0.5)))
        result = self.load("y.npy")
        self.assertEqual(result.shape, (1, 1, 4, 4, 2))
        self.assertEqual(result[0, 0, 3].tolist(), volume[0, 0, 1][[0, 0, 1, 2]][:, [0, 2]].tolist())

    def test_flat_volume_is_an_image(self):
        image = np.random.default_rng(11).uniform(-1, 1, (2, 3, 6, 7)).astype("f4")
        for flat, deep in [("bilinear2d", "trilinear3d"), ("nearest2d", "nearest3d"), ("nearest_exact2d",
                                                                                      "nearest_exact3d")]:
            for end in ("", "_backward"):
                two = self.run_one(f"upsample_{flat}{end}", image, (4, 9))
                three = self.run_one(f"upsample_{deep}{end}", image[:, :, None], (1, 4, 9))
                self.assertEqual(three.tobytes(), two.tobytes(), deep + end)

    def test_threads(self):
        for operator in RESIZES:
            n = n_axes(operator)
            values = np.random.default_rng(12).uniform(-1, 1, (3, 2, *(4, 20, 30)[-n:])).astype("f4")
            results = {self.run_one(operator, values, (5, 13, 41)[-n:], "--threads", k).tobytes() for k in (1, 2, 5)}
            self.assertEqual(len(results), 1, operator)


if __name__ == "__main__":
    unittest.main()
