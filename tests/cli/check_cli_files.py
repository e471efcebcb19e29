# SPDX-License-Identifier: Apache-2.0
"""Reading and writing: every type, order, byte order and version, with NumPy on the other side; compare."""
import itertools
import re
import subprocess
import sys
import unittest

from cli import Case, bfloat16_bits, from_bfloat16_bits, np

# An upsample by nearest-exact to the same size copies its input: what goes in must come out.
COPY = ["run", "upsample_nearest_exact2d", "in.npy", "-o", "out.npy", "--output-size", "4,5"]


def sample(dtype):
    """Values of all sorts that the type holds; (2, 3, 4, 5)."""
    values = np.random.default_rng(7).standard_normal(120)
    values[:8] = [0, -0.0, np.inf, -np.inf, np.nan, np.finfo(dtype).max, np.finfo(dtype).tiny,
                  np.finfo(dtype).smallest_subnormal]
    return values.astype(dtype).reshape(2, 3, 4, 5)


class Files(Case):
    def write(self, array, version):
        with open(self.path("in.npy"), "wb") as file:
            np.lib.format.write_array(file, array, version=version)

    def test_all_kinds(self):
        kinds = itertools.product(["f2", "f4", "f8"], "<>", "CF", [(1, 0), (2, 0), (3, 0)])
        for code, order, layout, version in kinds:
            with self.subTest(code=code, order=order, layout=layout, version=version):
                values = sample(code)
                self.write(np.asarray(values.astype(order + code), order=layout), version)
                self.regrad(*COPY)
                result = self.load("out.npy")
                self.assertEqual(result.dtype, np.dtype("<" + code))
                self.assertEqual(result.tobytes(), values.tobytes())

    def test_bfloat16(self):
        values = np.arange(-60, 60, dtype="f4").reshape(2, 3, 4, 5) * 2.0 ** 100
        values[0, 0, 0, :4] = [np.inf, -np.inf, np.nan, -0.0]
        bits = bfloat16_bits(values)
        for stored, options in [(bits.view("V2"), []), (bits.view("V2"), ["--dtype", "bf16"]),
                                (bits, ["--dtype", "bf16"]), (bits.astype(">u2"), ["--dtype", "bfloat16"]),
                                (np.asfortranarray(bits).view("V2"), [])]:
            self.save("in.npy", stored)
            self.regrad(*COPY, *options)
            result = self.load("out.npy")
            self.assertEqual(result.dtype, np.dtype("V2"))
            self.assertEqual(result.view("u2").tobytes(), bits.tobytes())
        with open(self.path("out.npy"), "rb") as file:
            self.assertIn(b"'descr': '<V2'", file.read(128))

    def test_uint16_must_be_explained(self):
        self.save("in.npy", np.zeros((2, 3, 4, 5), "u2"))
        message = self.refused(*COPY)
        self.assertEqual(message, "in.npy: holds uint16; if these are the bits of bfloat16, say so with --dtype bf16")
        message = self.refused(*COPY, "--dtype", "f16")
        self.assertEqual(message, "in.npy: holds uint16; --dtype wants float16")

    def test_uint8(self):
        """The forwards of nearest-exact resize move bytes."""
        values = (np.arange(120) * 37 % 256).astype("u1").reshape(2, 3, 4, 5)
        for stored in [values, np.asfortranarray(values)]:
            self.save("in.npy", stored)
            self.regrad("run", "upsample_nearest_exact2d", "in.npy", "-o", "out.npy", "--output-size", "8,5")
            result = self.load("out.npy")
            self.assertEqual(result.dtype, np.dtype("u1"))
            self.assertTrue((result == values.repeat(2, axis=2)).all())
        with open(self.path("out.npy"), "rb") as file:
            self.assertIn(b"'descr': '|u1'", file.read(128))
        self.regrad("compare", "out.npy", "out.npy")
        for name in ["<u1", ">u1", "B", "uint8", "ubyte"]:
            head = f"{{'descr': '{name}', 'fortran_order': False, 'shape': (2, 3, 4, 5), }}".ljust(117) + "\n"
            with open(self.path("in.npy"), "wb") as file:
                file.write(b"\x93NUMPY\x01\x00\x76\x00" + head.encode() + values.tobytes())
            self.regrad("run", "upsample_nearest_exact2d", "in.npy", "-o", "out.npy", "--output-size", "8,5")
            self.assertTrue((self.load("out.npy") == values.repeat(2, axis=2)).all())
        self.assertIn("dtype is REGRAD_UINT8 (4), must be REGRAD_FLOAT32",
                      self.refused("run", "upsample_bilinear2d", *COPY[2:]))
        self.assertIn("uint8", self.text("describe", "upsample_nearest_exact2d", "--input-size", "1,3,4,5",
                                         "--output-size", "8,5", "--dtype", "u8"))
        self.assertRegex(self.refused("check", "upsample_nearest_exact2d", "--input-size", "1,3,4,5", "--output-size",
                                      "8,5", "--dtype", "u8"), "the type is uint8, which has no gradient")

    def test_written_file(self):
        self.save("in.npy", sample("f4"))
        self.regrad(*COPY)
        with open(self.path("out.npy"), "rb") as file:
            self.assertEqual(np.lib.format.read_magic(file), (1, 0))
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
            self.assertEqual((shape, fortran, dtype.str), ((2, 3, 4, 5), False, "<f4"))
            self.assertEqual(file.tell() % 64, 0)

    def test_malformed(self):
        with open(self.save("in.npy", sample("f4")), "rb") as file:
            whole = file.read()
        cases = [(b"", "byte 0: the file ends within the magic string and version"),
                 (b"some text, no array", r"byte 0: not a .npy file: the magic string \x93NUMPY is missing"),
                 (whole[:100], "byte 100: the file ends within the header"),
                 (whole[:-1], "byte 607: the file ends after 479 of 480 bytes of data: shape (2, 3, 4, 5), 120 "
                  "elements of float32; the file has 607 bytes"),
                 (whole + b"x", "byte 608: more follows the 480 bytes of data: shape (2, 3, 4, 5), 120 elements of "
                  "float32; the file has 609 bytes"),
                 (whole.replace(b"<f4", b"<i4"),
                  "byte 20: descr is '<i4'; wanted f2, f4, f8, V2 or u2, after '<' or '>', or |u1, or float16, "
                  "float32, float64, bfloat16, uint16 or uint8"),
                 (whole.replace(b"(2, 3, 4, 5)", b"(9, 9, 9, 9)"),
                  "byte 608: the file ends after 480 of 26244 bytes of data: shape (9, 9, 9, 9), 6561 elements of "
                  "float32; the file has 608 bytes")]
        for content, message in cases:
            with open(self.path("in.npy"), "wb") as file:
                file.write(content)
            self.assertEqual(self.refused(*COPY), "in.npy: " + message)
            if message.startswith("byte 608: more"): # how much more, is not known of a pipe
                message = message.replace("the file has", "the file has at least")
            self.assertEqual(self.refused(*COPY[:2], "-", *COPY[3:], input=content), "standard input: " + message)
            self.assertEqual(self.files(), ["in.npy"])

    def test_names_of_types(self):
        """What NumPy reads as a type is the same type here; np.save writes none of these."""
        for name in ["float16", "float32", "float64", "half", "single", "double", "float", "e", "<f", ">d", "|f4",
                     "|d"]:
            values = sample(np.dtype(name).str)
            head = f"{{'descr': '{name}', 'fortran_order': False, 'shape': (2, 3, 4, 5), }}".ljust(117) + "\n"
            content = b"\x93NUMPY\x01\x00\x76\x00" + head.encode() + values.tobytes()
            with open(self.path("in.npy"), "wb") as file:
                file.write(content)
            self.assertEqual(self.load("in.npy").tobytes(), values.tobytes(), name)
            self.regrad(*COPY)
            self.assertEqual(self.load("out.npy").tobytes(), values.astype(values.dtype.newbyteorder("=")).tobytes())

    def test_name_of_bfloat16(self):
        values = np.arange(-60, 60, dtype="f4").reshape(2, 3, 4, 5)
        head = "{'descr': 'bfloat16', 'fortran_order': False, 'shape': (2, 3, 4, 5), }".ljust(117) + "\n"
        with open(self.path("in.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00\x76\x00" + head.encode() + bfloat16_bits(values).tobytes())
        self.regrad(*COPY)
        self.assertEqual(from_bfloat16_bits(self.load("out.npy").view("u2")).tolist(), values.tolist())

    def test_archives(self):
        """The advice works: what is taken out of an archive is read."""
        grad = sample("f4")
        np.savez(self.path("in.npz"), first=grad, second=grad[0])
        np.savez_compressed(self.path("small.npz"), first=grad)
        for name in ("in.npz", "small.npz"):
            message = self.refused(*COPY[:2], name, *COPY[3:])
            self.assertRegex(message, f"^{name}: byte 0: not a .npy file: it is a zip archive, as .npz files are")
            command = re.search("(python3 -m zipfile -e FILE DIRECTORY)' takes them out", message)[1]
            words = command.replace("FILE", name).replace("DIRECTORY", "there").split()
            subprocess.run([sys.executable, *words[1:]], check=True, cwd=self.directory.name)
            self.regrad(*COPY[:2], "there/first.npy", *COPY[3:])
            self.assertEqual(self.load("out.npy").tobytes(), grad.tobytes())

    def test_huge_claims_cost_nothing(self):
        """A header that claims 2^60 bytes, in a file and in a pipe, with too little memory for any of it."""
        head = b"\x93NUMPY\x01\x00\x76\x00"
        head += b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 536870912, 536870912), }"
        content = head + b" " * (127 - len(head)) + b"\n" + b"x" * 100
        with open(self.path("in.npy"), "wb") as file:
            file.write(content)
        wanted = "byte 228: the file ends after 100 of 1152921504606846976 bytes of data: " \
                 "shape (1, 1, 536870912, 536870912), 288230376151711744 elements of float32; the file has 228 bytes"
        self.assertEqual(self.refused(*COPY), "in.npy: " + wanted)
        self.assertEqual(self.refused(*COPY[:2], "-", *COPY[3:], input=content), "standard input: " + wanted)

    def test_objects_are_not_unpickled(self):
        np.save(self.path("in.npy"), np.array([{}], dtype=object), allow_pickle=True)
        self.assertRegex(self.refused(*COPY), r"in.npy: byte \d+: descr is '\|O'")
        self.save("in.npy", np.zeros(3, [("a", "f4")]))
        self.assertRegex(self.refused(*COPY), r"in.npy: byte \d+: descr is a structured type")

    def test_unreadable(self):
        self.assertEqual(self.refused(*COPY), "in.npy: cannot be opened: No such file or directory")
        self.assertEqual(self.refused(*COPY[:2], "/", *COPY[3:]), "/: cannot be read: Is a directory")

    def test_name_with_control_characters(self):
        self.assertEqual(self.refused("run", OPERATOR, "a\nb\x1b[2J", "-o", "x", "--output-size", "1,1"),
                         "a?b?[2J: cannot be opened: No such file or directory")

    def test_several_dimensions(self):
        for rank, shape in [(0, ()), (1, (3,)), (3, (1, 1, 3)), (5, (1, 1, 1, 1, 3))]:
            self.save("in.npy", np.zeros(shape, "f4"))
            self.assertEqual(self.refused(*COPY), f"in.npy: has {rank} dimension{'s' * (rank != 1)}; input of "
                             "upsample_nearest_exact2d wants 4: N, C, H, W")


OPERATOR = "upsample_nearest_exact2d"


class Compare(Case):
    def compare(self, a, b, *options, status=0):
        self.save("a.npy", a)
        self.save("b.npy", b)
        return self.text("compare", "a.npy", "b.npy", *options, status=status)

    def test_same(self):
        for code in ["f2", "f4", "f8", ">f4"]:
            text = self.compare(sample(code[-2:]).astype(code), np.asfortranarray(sample(code[-2:])))
            self.assertIn("elements           120, finite in both 117, of these different 0\n", text)
            self.assertTrue(text.endswith("\nsame\n"))

    def test_errors(self):
        a = np.zeros((2, 3), "f4")
        a[:] = 1
        b = a.copy()
        a[1, 2] = 1 + 3 * 2.0 ** -23
        a[0, 1] = 1 + 2.0 ** -23
        text = self.compare(a, b, status=1)
        self.assertIn("of these different 2\n", text)
        self.assertIn("error in ulp       maximum 3, mean 0.666667, largest at (1, 2): "
                      "1.0000003576278687 against 1\n", text)
        self.assertIn("error              maximum 3.57628e-07, mean 7.94729e-08, largest at (1, 2)", text)
        self.assertIn("beyond tolerance   2, at (0, 1) (1, 2)\n", text)
        self.compare(a, b, "--ulp", "3")
        self.compare(a, b, "--ulp", "2.9", status=1)
        self.compare(a, b, "--atol", "3.6e-7")
        self.compare(a, b, "--atol", "3.5e-7", status=1)
        self.compare(a, b, "--rtol", "3.6e-7")
        self.compare(a, b, "--atol", "1e-7", "--rtol", "2.6e-7")

    def test_ulp_of_each_type(self):
        for code, bits in [("f2", 10), ("f4", 23), ("f8", 52)]:
            text = self.compare(np.array([1 + 2.0 ** -bits, 2.0 ** 3], code), np.array([1, 2.0 ** 3], code), status=1)
            self.assertIn("error in ulp       maximum 1, mean 0.5, largest at (0)", text)
            tiny = np.finfo(code).smallest_subnormal
            text = self.compare(np.array([5 * tiny], code), np.array([0], code), status=1)
            self.assertIn("error in ulp       maximum 5, mean 5, largest at (0)", text)
        a, b = (bfloat16_bits(np.array([x])) for x in (1 + 2.0 ** -7, 1))
        text = self.compare(a, b.view("V2"), "--dtype", "bf16", status=1)
        self.assertIn("error in ulp       maximum 1, mean 1, largest at (0)", text)
        self.assertIn("A: uint16 (1)\nB: bfloat16 (V2) (1)\n", text)

    def test_mixed_types(self):
        a = np.array([1 / 3, 1e300], "f8")
        text = self.compare(a[:1].astype("f2"), a[:1], status=1)
        self.assertRegex(text, r"error in ulp +maximum 0\.333")
        self.compare(a[:1].astype("f2"), a[:1], "--ulp", "0.5")

    def test_special_values(self):
        a = np.array([np.nan, np.nan, 1, np.inf, np.inf, np.inf, -0.0, 1], "f4")
        b = np.array([np.nan, 1, np.nan, np.inf, -np.inf, 1, 0.0, np.inf], "f4")
        text = self.compare(a, b, "--atol", "1e30", status=1)
        self.assertIn("elements           8, finite in both 1, of these different 0\n", text)
        self.assertIn("NaN in A alone     1, at (1)\nNaN in B alone     1, at (2)\n"
                      "infinity differs   3, at (4) (5) (7)\nbeyond tolerance   0\ndifferent\n", text)
        text = self.compare(a, b, "--positions", "2", status=1)
        self.assertIn("infinity differs   3, at (4) (5) ...\n", text)

    def test_shapes(self):
        text = self.compare(np.zeros((2, 3)), np.zeros((3, 2)), status=1)
        self.assertEqual(text, "A: float64 (2, 3)\nB: float64 (3, 2)\ndifferent: the shapes are not the same\n")
        self.assertIn("elements           0,", self.compare(np.zeros((0, 3)), np.zeros((0, 3))))
        self.assertIn("\nsame\n", self.compare(np.float32(3), np.float32(3)))

    def test_refused(self):
        self.save("a.npy", np.zeros(3))
        self.save("u.npy", np.zeros(3, "u2"))
        self.assertEqual(self.refused("compare", "a.npy"), "compare: 1 file is given; wanted two")
        self.assertEqual(self.refused("compare"), "compare: 0 files are given; wanted two")
        self.assertEqual(self.refused("compare", "-", "-"),
                         "compare: standard input, '-', can be only one of the files")
        self.assertRegex(self.refused("compare", "a.npy", "u.npy"), "^u.npy: holds uint16; ")
        self.assertRegex(self.refused("compare", "a.npy", "b.npy"), "^b.npy: cannot be opened")
        self.assertEqual(self.refused("compare", "a.npy", "a.npy", "--atol", "-1"),
                         "--atol is '-1'; wanted a number from 0 on")
        self.assertEqual(self.refused("compare", "a.npy", "a.npy", "--ulp", "nan"),
                         "--ulp is 'nan'; wanted a number from 0 on")


if __name__ == "__main__":
    unittest.main()
