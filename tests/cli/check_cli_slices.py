# SPDX-License-Identifier: Apache-2.0
"""Files larger than memory: the same bits in slices of any size, little memory, nothing half done."""
import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from cli import OPERATORS, REGRAD, Case, n_axes, np, sizes

MIB = 1 << 20
AXES_IN, AXES_OUT = (3, 4, 1000), (4, 5, 1200)
N, C = 6, 5


def sparse(path, shape, dtype="f4"):
    """A file of zeros that takes no room on the disk, for values to be written into it."""
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape})
        offset = file.tell()
        file.truncate(offset + int(np.prod(shape)) * np.dtype(dtype).itemsize)
    return np.memmap(path, dtype, "r+", offset, shape)


def last(array):
    return np.ascontiguousarray(np.moveaxis(array, 1, -1))


class Bits(Case):
    """Whatever the bound, the files are the same to the byte."""

    def run_cut(self, words, *memory, **options):
        """The number of slices, the bytes of all results, and what was said."""
        done = self.regrad("run", *words, "--time", *memory, **options)
        n_slices = re.search(r"in (\d+) slices\n", done.stderr)
        contents = [done.stdout]
        for name in [word for word in words if word.startswith("out")]:
            with open(self.path(name), "rb") as file:
                contents.append(file.read())
            os.unlink(self.path(name))
        return int(n_slices[1]) if n_slices else 1, contents, done.stderr

    def save_tensors(self, operator, dtype, change):
        rng = np.random.default_rng(4)
        n = n_axes(operator)
        shapes = {"in": (N, C, *AXES_IN[-n:]), "g": (N, C, *AXES_OUT[-n:]), "p": (N, *AXES_OUT[-n:], n)}
        for name, shape in shapes.items():
            array = rng.uniform(-1.1, 1.1, shape).astype(dtype)
            self.save(name + ".npy", array if change is last and name == "p" else change(array))

    def words(self, operator):
        if operator.startswith("grid"):
            return ([operator, "g.npy", "in.npy", "p.npy", "--input-grad", "-", "--grid-grad", "out.npy"]
                    if "backward" in operator else [operator, "in.npy", "p.npy", "-o", "-"])
        given = "g.npy" if "backward" in operator or "grad" in operator else "in.npy"
        return [operator, given, "-o", "-", *sizes(operator, (N, C, *AXES_IN), AXES_OUT)]

    def check(self, words, most):
        """Uncut, cut into as many slices as there can be, `most`, and into fewer, by what the smallest one takes."""
        n_slices, wanted, _ = self.run_cut(words)
        self.assertEqual(n_slices, 1)
        n_slices, contents, said = self.run_cut(words, "--memory", "0")
        self.assertEqual(n_slices, most, words)
        self.assertTrue(contents == wanted, words) # whose difference would be long to print
        smallest = int(re.search(r"computed alone takes (\d+)\n", said)[1])
        total = sum(os.stat(self.path(word)).st_size for word in words if word.endswith(".npy") and word != "out.npy")
        seen = set()
        for part in (0.2, 0.4, 0.8, 1.6):
            n_slices, contents, _ = self.run_cut(words, "--memory", str(smallest + int(part * total)))
            self.assertTrue(contents == wanted, (words, part))
            seen.add(n_slices)
        self.assertTrue(any(1 < n < most for n in seen), (words, seen))

    def test_every_operator(self):
        for operator in OPERATORS:
            self.save_tensors(operator, "f4", lambda array: array)
            self.check(self.words(operator), N if operator.startswith("grid") and "backward" in operator else N * C)

    def test_gradient_of_input_alone(self):
        """The gradient of a grid is a sum over the channels; without it the channels are apart."""
        for operator in ("grid_sampler_2d_backward", "grid_sampler_3d_backward"):
            self.save_tensors(operator, "f4", lambda array: array)
            words = [operator, "g.npy", "in.npy", "p.npy", "--padding", "border"]
            self.check([*words, "--input-grad", "-"], N * C)
            self.check([*words, "--grid-grad", "-"], N)

    def test_types_orders_and_layouts(self):
        changes = [lambda array: array, np.asfortranarray, lambda array: array.astype(array.dtype.newbyteorder())]
        for operator in ("upsample_bilinear2d", "upsample_nearest3d_backward", "grid_sampler_2d"):
            for dtype in ("f2", "f4", "f8"):
                for change in changes:
                    self.save_tensors(operator, dtype, change)
                    self.check(self.words(operator), N * C)
                self.save_tensors(operator, dtype, last)
                self.check([*self.words(operator), "--layout", "nhwc"], N)

    def test_bfloat16(self):
        for change in (lambda array: array.astype("f4").view("u4").__rshift__(16).astype("u2"),
                       lambda array: array.astype("f4").view("u4").__rshift__(16).astype("u2").view("V2")):
            self.save_tensors("upsample_bilinear2d", "f4", change)
            self.check([*self.words("upsample_bilinear2d"), "--dtype", "bf16"], N * C)

    def test_copies(self):
        """A resize to the same size writes what NumPy wrote, byte for byte."""
        for dtype in ("u1", "f2", "f4", "f8"):
            array = np.random.default_rng(3).integers(0, 200, (5, 3, 7, 6)).astype(dtype)
            for order in "CF":
                self.save("in.npy", np.asarray(array, order=order))
                n_slices, contents, _ = self.run_cut(["upsample_nearest_exact2d", "in.npy", "--output-size", "7,6",
                                                      "-o", "-"], "--memory", "0")
                self.assertEqual(n_slices, 15)
                self.assertEqual(contents[0][-array.nbytes:], array.tobytes())

    def test_standard_streams(self):
        """A file as standard input, a pipe, and a pipe as the result."""
        array = np.random.default_rng(3).standard_normal((5, 3, 7, 6)).astype("f4")
        self.save("in.npy", array)
        with open(self.path("in.npy"), "rb") as file:
            content = file.read()
            words = ["run", "upsample_nearest_exact2d", "-", "--output-size", "7,6", "-o", "-", "--memory", "600"]
            file.seek(0)
            self.assertEqual(self.regrad(*words, stdin=file).stdout, content)
        self.assertEqual(self.regrad(*words, input=content).stdout, content)

    def test_offset_that_no_element_has(self):
        """A header of an odd length, which NumPy reads and does not write: the data are not mapped."""
        array = np.random.default_rng(3).standard_normal((2, 3, 4, 5))
        text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4, 5)}"
        with open(self.path("in.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + array.tobytes())
        self.assertNotEqual((10 + len(text)) % 8, 0)
        self.regrad("run", "upsample_nearest_exact2d", "in.npy", "--output-size", "4,5", "-o", "out.npy", "--memory",
                    "0")
        self.assertEqual(self.load("out.npy").tobytes(), array.tobytes())

    def test_nothing_to_do(self):
        for shape in ((0, 3, 4, 5), (2, 0, 4, 5)):
            self.save("in.npy", np.zeros(shape, "f4"))
            self.regrad("run", "upsample_bilinear2d", "in.npy", "--output-size", "7,6", "-o", "out.npy", "--memory",
                        "0")
            self.assertEqual(self.load("out.npy").shape, (*shape[:2], 7, 6))

    def test_numbers_of_images_differ(self):
        """A slice may fit where the whole does not."""
        self.save("in.npy", np.zeros((2, 3, 4, 5), "f4"))
        self.save("p.npy", np.zeros((3, 4, 4, 2), "f4"))
        for words in (["upsample_bilinear2d", "in.npy", "--output-size", "3,3,8,8"],
                      ["upsample_bilinear2d", "in.npy", "--output-size", "2,4,8,8"],
                      ["grid_sampler_2d", "in.npy", "p.npy"]):
            whole = self.refused("run", *words, "-o", "out.npy")
            self.assertEqual(self.refused("run", *words, "-o", "out.npy", "--memory", "0"), whole)

    def test_replaced_input(self):
        """The old file is read to its end under its new name."""
        array = np.random.default_rng(3).standard_normal((5, 3, 7, 6)).astype("f4")
        self.save("in.npy", array)
        self.regrad("run", "upsample_nearest_exact2d", "in.npy", "--output-size", "14,6", "-o", "in.npy",
                    "--overwrite", "--memory", "0")
        self.assertEqual(self.load("in.npy").tobytes(), array.repeat(2, axis=2).tobytes())

    def test_standard_output_replaces_nothing(self):
        """It would be written while it is read."""
        self.save("in.npy", np.zeros((2, 3, 4, 5), "f4"))
        with open(self.path("in.npy"), "r+b") as file:
            message = self.refused("run", "upsample_nearest_exact2d", "in.npy", "--output-size", "8,5", "-o", "-",
                                   "--overwrite", stdout=file)
        self.assertEqual(message, "upsample_nearest_exact2d: --output is '-', the same file as 'in.npy', which is "
                         "read; wanted another one")
        self.assertEqual(self.load("in.npy").shape, (2, 3, 4, 5))


class Bound(Case):
    """The option, and what it says when one channel of one image is too large."""

    def test_values(self):
        self.save("in.npy", np.zeros((2, 3, 4, 5), "f4"))
        words = ["run", "upsample_bilinear2d", "in.npy", "--output-size", "7,6", "-o", "out.npy", "--memory"]
        for value in ("1000000", "999K", "3M", "2G", "1T", "9223372036854775807", "8388607T"):
            self.assertEqual(self.regrad(*words, value).stderr, "")
        for value in ("", "-1", "K", "4k", "4KB", "4.5M", "9223372036854775808", "8388608T"):
            self.assertEqual(self.refused(*words, value),
                             f"--memory is '{value}'; wanted bytes, or a number and K, M, G or T")

    def test_too_little(self):
        self.save("in.npy", np.zeros((2, 3, 4, 5), "f4"))
        words = ["run", "upsample_nearest_exact2d", "in.npy", "--output-size", "8,10", "-o", "out.npy"]
        workspace = re.search(r"workspace (\d+) bytes", self.text(
            "describe", words[1], "--input-size", "1,1,4,5", "--output-size", "8,10"))
        smallest = 4 * (20 + 80) + int(workspace[1])
        self.assertEqual(self.regrad(*words, "--memory", smallest).stderr, "")
        self.assertEqual(self.regrad(*words, "--memory", smallest - 1).stderr,
                         f"regrad: warning: upsample_nearest_exact2d: --memory is {smallest - 1} bytes; the smallest "
                         f"part that can be computed alone takes {smallest}\n")


class Large(Case):
    """Under a limit of 512 MiB. What is resident counts, the pages of mapped files included."""

    LIMIT = 512 * MIB

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(dir=".") # a disk, where /tmp may be memory
        self.addCleanup(self.directory.cleanup)
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (self.LIMIT, self.LIMIT))
        if subprocess.run([REGRAD, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          preexec_fn=limit).returncode != 0:
            self.skipTest("the program wants more memory, as with a sanitizer")

    def limited(self, *words, stdout=subprocess.DEVNULL, take=lambda program: None):
        """Runs the program with the limit; neither its own memory nor what is resident exceeds it."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (self.LIMIT, self.LIMIT))
        program = subprocess.Popen([REGRAD, *words, "--threads", "2"] if words[0] == "run" else [REGRAD, *words],
                                   cwd=self.directory.name, stdout=stdout, preexec_fn=limit)
        taken = take(program)
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status) # which Popen would wait for
        self.assertEqual(program.returncode, 0)
        self.assertLess(usage.ru_maxrss * 1024, self.LIMIT, words)
        return taken

    def test_many_images_and_many_channels(self):
        """Each input of a shrinking forward gets the sum of its block, of 3 GiB; all are 0 but for three images."""
        file, wanted = self.path("big.npy"), np.zeros((768, 4, 4))
        images = sparse(file, (768, 1, 1024, 1024))
        for k in (0, 385, 767):
            images[k] = np.random.default_rng(k).integers(-8, 9, (1, 1024, 1024))
            wanted[k] = images[k].astype("f8").reshape(4, 256, 4, 256).sum((1, 3))
        del images
        self.assertGreater(os.stat(file).st_size, 3 << 30)
        words = ["run", "upsample_nearest_exact2d_backward", "big.npy", "--input-size", "4,4", "-o", "out.npy"]
        for shape in (b"(768, 1, 1024, 1024)", b"(1, 768, 1024, 1024)"):
            with open(file, "r+b") as header:
                text = re.sub(rb"\(.*\)", shape, header.read(128))
                header.seek(0)
                header.write(text)
            self.limited(*words)
            self.assertEqual(self.load("out.npy").reshape(wanted.shape).tolist(), wanted.tolist())

    def test_large_result(self):
        """1.5 GiB come through a pipe."""
        small = np.arange(384, dtype="f4").reshape(384, 1, 1, 1)
        self.save("in.npy", small)

        def take(program):
            with program.stdout as pipe:
                np.lib.format.read_magic(pipe)
                shape, _, dtype = np.lib.format.read_array_header_1_0(pipe)
                self.assertEqual((shape, dtype), ((384, 1, 1024, 1024), np.float32))
                for value in range(384):
                    image = np.frombuffer(pipe.read(4 * MIB), "f4")
                    self.assertEqual((len(image), image.min(), image.max()), (MIB, value, value))
                self.assertEqual(pipe.read(), b"")

        self.limited("run", "upsample_nearest_exact2d", "in.npy", "--output-size", "1024,1024", "-o", "-",
                     stdout=subprocess.PIPE, take=take)

    def test_describe_and_compare(self):
        """What is only described is not read; what is compared is read once."""
        for name in ("a.npy", "b.npy"):
            sparse(self.path(name), (40, 1, 1024, 1024), "f8")[31, 0, 7, 9] = 1 if name == "a.npy" else 2
        began = time.monotonic()
        self.limited("describe", "upsample_bilinear2d", "a.npy", "--output-size", "8,8")
        self.assertLess(time.monotonic() - began, 10)
        taken = self.limited_text("compare", "a.npy", "b.npy", "--atol", "1")
        self.assertIn("of these different 1\n", taken)
        self.assertIn("largest at (31, 0, 7, 9): 1 against 2\n", taken)

    def limited_text(self, *words):
        def take(program):
            with program.stdout as pipe:
                return pipe.read().decode()

        return self.limited(*words, stdout=subprocess.PIPE, take=take)


class Interrupted(Case):
    """In the midst of the slices: the old file stays, and no other looks whole."""

    WORDS = ["run", "upsample_nearest_exact2d", "in.npy", "-o", "out.npy", "--output-size", "1024,1024", "--memory",
             "5M"]

    def setUp(self):
        super().setUp()
        self.save("in.npy", np.ones((512, 1, 64, 64), "f4"))
        with open(self.path("out.npy"), "w") as file:
            file.write("old")

    def check_old(self, files=("in.npy", "out.npy")):
        with open(self.path("out.npy")) as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(self.files(), list(files))

    def end(self, number):
        """Sends a signal when some of 2 GiB have been written, of which the signal must not wait for the rest."""
        program = subprocess.Popen([REGRAD, *self.WORDS], cwd=self.directory.name, preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL))
        began, size = time.monotonic(), 0
        while size <= 8 * MIB and program.poll() is None:
            self.assertLess(time.monotonic() - began, 60)
            size = max([os.stat(self.path(name)).st_size for name in self.files() if name[:8] == ".regrad."] or [0])
        self.assertIsNone(program.poll(), "it ended before some of the result was seen")
        program.send_signal(number)
        self.assertEqual(program.wait(), -number)

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.end(number)
                self.check_old()

    def test_killed(self):
        """What cannot be caught leaves the temporary file, which is no whole array."""
        self.end(signal.SIGKILL)
        left = self.files()[0]
        self.assertEqual(left[:8], ".regrad.")
        self.check_old([left, "in.npy", "out.npy"])
        with self.assertRaises(ValueError):
            np.load(self.path(left), mmap_mode="r")

    def test_file_that_grows_too_large(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9 * MIB, 9 * MIB))
        self.assertEqual(self.refused(*self.WORDS, status=3, preexec_fn=limit),
                         "out.npy: cannot be written: File too large")
        self.check_old()

    def test_full_disk(self):
        with tempfile.TemporaryDirectory() as disk:
            if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=9M", "none", disk],
                                                   stderr=subprocess.DEVNULL).returncode != 0:
                self.skipTest("no small disk can be mounted")
            try:
                words = [disk + "/out.npy" if word == "out.npy" else word for word in self.WORDS]
                self.assertEqual(self.refused(*words, status=3),
                                 disk + "/out.npy: cannot be written: No space left on device")
                self.assertEqual(os.listdir(disk), [])
            finally:
                subprocess.run(["umount", disk], check=True)

    def test_reader_that_leaves(self):
        words = ["-" if word == "out.npy" else word for word in self.WORDS]
        program = subprocess.Popen([REGRAD, *words], cwd=self.directory.name, stdout=subprocess.PIPE)
        program.stdout.read(8 * MIB)
        program.stdout.close()
        self.assertEqual(program.wait(), -signal.SIGPIPE)

    @unittest.skipUnless(os.path.isdir("/proc/self"), "no /proc")
    def test_input_that_becomes_shorter(self):
        """After it was mapped, before its data are touched: while the program waits for the reader of its result."""
        os.mkfifo(self.path("pipe"))
        program = subprocess.Popen([REGRAD, *["pipe" if word == "out.npy" else word for word in self.WORDS]],
                                   cwd=self.directory.name, stderr=subprocess.PIPE)
        began, maps = time.monotonic(), ""
        while "/in.npy" not in maps:
            self.assertLess(time.monotonic() - began, 60)
            with open(f"/proc/{program.pid}/maps") as file:
                maps = file.read()
        os.truncate(self.path("in.npy"), 4096)
        with open(self.path("pipe"), "rb") as pipe:
            pipe.read()
        self.assertEqual(program.communicate()[1],
                         b"regrad: in.npy: cannot be read: it became shorter meanwhile, or its disk failed\n")
        self.assertEqual(program.returncode, 2)
        self.check_old(["in.npy", "out.npy", "pipe"])

    @unittest.skipUnless(os.path.isdir("/proc/self"), "no /proc")
    def test_input_that_becomes_shorter_leaves_no_result(self):
        """Two results: one waits for its reader, the other has a temporary file by then. What is cut off is pages, or
        the end of the last page, in whose place the system gives zeros."""
        for missing in 24 * 1024, 4:
            with self.subTest(missing):
                self.check_shorter(missing)

    def check_shorter(self, missing):
        self.save("g.npy", np.ones((2, 1, 64, 64), "f4"))
        self.save("i.npy", np.ones((2, 1, 64, 64), "f4"))
        self.save("p.npy", np.zeros((2, 64, 64, 2), "f4"))
        if not os.path.exists(self.path("pipe")):
            os.mkfifo(self.path("pipe"))
        program = subprocess.Popen([REGRAD, "run", "grid_sampler_2d_backward", "g.npy", "i.npy", "p.npy",
                                    "--input-grad", "out.npy", "--grid-grad", "pipe"], cwd=self.directory.name,
                                   stderr=subprocess.PIPE)
        began = time.monotonic()
        while not any(name.startswith(".regrad.") for name in self.files()):
            self.assertLess(time.monotonic() - began, 60)
        os.truncate(self.path("p.npy"), os.path.getsize(self.path("p.npy")) - missing)
        with open(self.path("pipe"), "rb") as pipe:
            pipe.read()
        self.assertRegex(program.communicate()[1], b"\\Aregrad: p.npy: cannot be read: it became shorter [^\n]+\n\\Z")
        self.assertEqual(program.returncode, 2)
        self.check_old(["g.npy", "i.npy", "in.npy", "out.npy", "p.npy", "pipe"])


if __name__ == "__main__":
    unittest.main()
