# SPDX-License-Identifier: Apache-2.0
"""Results appear whole or not at all; nothing is left behind; the bar on a terminal."""
import fcntl
import os
import pty
import resource
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

from cli import REGRAD, Case, np

COMMAND = ["run", "upsample_nearest_exact2d", "in.npy", "-o", "out.npy", "--output-size"]


class Output(Case):
    def setUp(self):
        super().setUp()
        self.save("in.npy", np.arange(16, dtype="f4").reshape(1, 1, 4, 4))

    def test_help_tells_of_commands_that_are_there(self):
        """Without the aclnn interface there is no `exec`."""
        text = self.text("--help")
        for command in ("compare", "check", "exec"):
            self.assertEqual(f"\n  {command} " in text, f" {command}" in text.split("Exit status")[1], command)

    def test_replaced_only_on_success(self):
        with open(self.path("out.npy"), "w") as file:
            file.write("old")
        os.chmod(self.path("out.npy"), 0o640)
        self.refused(*COMMAND, "4,4", "--scale-h", "nan")
        with open(self.path("out.npy")) as file:
            self.assertEqual(file.read(), "old")
        self.regrad(*COMMAND, "4,4")
        self.assertEqual(self.load("out.npy").tolist(), self.load("in.npy").tolist())
        self.assertEqual(os.stat(self.path("out.npy")).st_mode & 0o777, 0o640)
        self.assertEqual(self.files(), ["in.npy", "out.npy"])

    def test_new_file_has_usual_mode(self):
        self.regrad(*COMMAND, "4,4", preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(os.stat(self.path("out.npy")).st_mode & 0o777, 0o640)

    def test_input_is_no_output(self):
        """By its name, another path, links of both kinds, and standard input: refused unless it is asked for."""
        os.symlink("in.npy", self.path("soft.npy"))
        os.link(self.path("in.npy"), self.path("hard.npy"))
        os.mkdir(self.path("there"))
        before = self.load("in.npy").tolist()
        names = ["in.npy", "./in.npy", "there/../in.npy", self.path("in.npy"), "soft.npy", "hard.npy"]
        for given, result in [(a, b) for a in names for b in names]:
            message = self.refused("run", "upsample_nearest_exact2d", given, "-o", result, "--output-size", "8,4")
            self.assertEqual(message, f"upsample_nearest_exact2d: --output is '{result}', the same file as '{given}', "
                             "which is read; wanted another one, or --overwrite")
        with open(self.path("in.npy"), "rb") as file:
            self.assertRegex(self.refused("run", "upsample_nearest_exact2d", "-", "-o", "soft.npy", "--output-size",
                                          "8,4", stdin=file), "the same file as '-', which is read")
        with open(self.path("in.npy"), "ab") as file:
            self.assertRegex(self.refused("run", "upsample_nearest_exact2d", "in.npy", "-o", "-", "--output-size",
                                          "8,4", stdout=file), "--output is '-', the same file as 'in.npy'")
        self.assertEqual(self.load("in.npy").tolist(), before)
        self.assertEqual(self.files(), ["hard.npy", "in.npy", "soft.npy", "there"])

    def test_overwrite(self):
        before = self.load("in.npy")
        os.symlink("in.npy", self.path("soft.npy"))
        os.link(self.path("in.npy"), self.path("hard.npy"))
        for given, result, size in [("in.npy", "in.npy", 8), ("in.npy", "soft.npy", 16), ("soft.npy", "in.npy", 32)]:
            self.regrad("run", "upsample_nearest_exact2d", given, "-o", result, "--output-size", f"{size},4",
                        "--overwrite")
            self.assertEqual(self.load("in.npy").tolist(), before.repeat(size // 4, axis=2).tolist())
        self.assertTrue(os.path.islink(self.path("soft.npy")))
        self.assertEqual(self.load("hard.npy").tolist(), before.tolist(), "the other name keeps the old file")
        self.assertEqual(self.files(), ["hard.npy", "in.npy", "soft.npy"])

    def test_every_input_and_result(self):
        self.save("g.npy", np.ones((1, 1, 2, 2), "f4"))
        self.save("p.npy", np.zeros((1, 2, 2, 2), "f4"))
        words = ["run", "grid_sampler_2d_backward", "g.npy", "in.npy", "p.npy"]
        for file in words[2:]:
            for option in ("--input-grad", "--grid-grad"):
                self.assertEqual(self.refused(*words, option, file), f"grid_sampler_2d_backward: {option} is '{file}', "
                                 f"the same file as '{file}', which is read; wanted another one, or --overwrite")
        self.regrad(*words, "--input-grad", "in.npy", "--grid-grad", "p.npy", "--overwrite")
        self.assertEqual(self.load("in.npy").shape, (1, 1, 4, 4))
        self.assertEqual(self.load("p.npy").shape, (1, 2, 2, 2))

    def test_two_results_in_one_place(self):
        self.save("g.npy", np.ones((1, 1, 2, 2), "f4"))
        self.save("p.npy", np.zeros((1, 2, 2, 2), "f4"))
        self.save("a.npy", np.zeros(1))
        os.symlink("a.npy", self.path("soft.npy"))
        os.link(self.path("a.npy"), self.path("hard.npy"))
        os.symlink("new.npy", self.path("nowhere.npy"))
        words = ["run", "grid_sampler_2d_backward", "g.npy", "in.npy", "p.npy", "--overwrite"]
        for one, other in [("new.npy", "./new.npy"), ("a.npy", "soft.npy"), ("hard.npy", "a.npy"),
                           ("-", "/dev/stdout")]:
            self.assertEqual(self.refused(*words, "--input-grad", one, "--grid-grad", other),
                             f"both results would go to '{other}'")
        self.assertEqual(self.load("a.npy").shape, (1,))
        self.assertEqual(len(self.files()), 7)

    def test_symbolic_link_stays(self):
        os.mkdir(self.path("there"))
        self.save("there/real.npy", np.zeros(1))
        os.symlink("there/real.npy", self.path("out.npy"))
        self.regrad(*COMMAND, "4,4")
        self.assertTrue(os.path.islink(self.path("out.npy")))
        self.assertEqual(self.load("there/real.npy").shape, (1, 1, 4, 4))
        self.assertEqual(os.listdir(self.path("there")), ["real.npy"])

    def test_longest_name(self):
        name = "x" * 251 + ".npy"
        self.regrad("run", "upsample_nearest_exact2d", "in.npy", "-o", name, "--output-size", "4,4")
        self.assertEqual(self.files(), ["in.npy", name])

    def test_standard_streams(self):
        with open(self.path("in.npy"), "rb") as file:
            content = file.read()
        done = self.regrad("run", "upsample_nearest_exact2d", "-", "-o", "-", "--output-size", "4,4", input=content)
        self.assertEqual(done.stdout, content)
        self.assertEqual(self.files(), ["in.npy"])

    def test_directories(self):
        message = self.refused("run", "upsample_nearest_exact2d", "in.npy", "-o", "no/out.npy", "--output-size", "4,4",
                               status=3)
        self.assertEqual(message, "no/out.npy: cannot be created: No such file or directory")
        os.mkdir(self.path("out.npy"))
        self.assertEqual(self.refused(*COMMAND, "4,4", status=3), "out.npy: cannot be written: Is a directory")

    def test_directory_that_is_not_writable(self):
        os.mkdir(self.path("no"), 0o555)
        os.chmod(self.directory.name, 0o755)
        nobody = {"user": 65534} if os.geteuid() == 0 else {} # root may write everywhere
        try:
            message = self.refused("run", "upsample_nearest_exact2d", "in.npy", "-o", "no/out.npy", "--output-size",
                                   "4,4", status=3, **nobody)
        except PermissionError:
            self.skipTest("the program lies where only root may go")
        self.assertEqual(message, "no/out.npy: cannot be created: Permission denied")

    @unittest.skipUnless(os.path.isdir("/proc/self"), "no /proc")
    def test_directory_that_takes_no_files(self):
        message = self.refused("run", "upsample_nearest_exact2d", "in.npy", "-o", "/proc/self/out.npy", "--output-size",
                               "4,4", status=3)
        self.assertRegex(message, r"\A/proc/self/out.npy: cannot be created: ")

    def test_devices(self):
        self.regrad("run", "upsample_nearest_exact2d", "in.npy", "-o", "/dev/null", "--output-size", "4,4")
        self.assertFalse(os.path.isfile("/dev/null"))
        for name, options in [("/dev/full", {}), ("-", {"stdout": open("/dev/full", "wb")})]:
            message = self.refused("run", "upsample_nearest_exact2d", "in.npy", "-o", name, "--output-size", "4,4",
                                   status=3, **options)
            self.assertRegex(message, ": cannot be written: No space left on device$")
            if options:
                options["stdout"].close()

    def test_descriptors_that_are_closed(self):
        """No file gets the number of a standard stream, and so what is printed there."""
        for closed in ([1], [2], [0, 1, 2]):
            close = lambda: [os.close(number) for number in closed]
            self.regrad(*COMMAND, "4,4", preexec_fn=close, stdout=None, stderr=None)
            self.assertEqual(self.load("out.npy").tolist(), self.load("in.npy").tolist())
            os.unlink(self.path("out.npy"))
            self.regrad(*COMMAND, "4,4", "--time", preexec_fn=close, stdout=None, stderr=None,
                        status=3 if 2 in closed else 0)
            self.assertEqual(self.load("out.npy").tolist(), self.load("in.npy").tolist())

    def test_standard_error_that_is_full(self):
        """Times and warnings that do not arrive are no success."""
        with open("/dev/full", "wb") as full:
            self.regrad(*COMMAND, "4,4", stderr=full)
            self.regrad(*COMMAND, "4,4", "--time", stderr=full, status=3)
            self.regrad(*COMMAND, "8,4", "--scale-h", "0.5", stderr=full, status=3)

    def test_file_that_grows_too_large(self):
        """As on a full disk: the write fails half-way."""
        with open(self.path("out.npy"), "w") as file:
            file.write("old")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        self.assertEqual(self.refused(*COMMAND, "40,40", status=3, preexec_fn=limit),
                         "out.npy: cannot be written: File too large")
        with open(self.path("out.npy")) as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(self.files(), ["in.npy", "out.npy"])

    def test_full_disk(self):
        with tempfile.TemporaryDirectory() as disk:
            if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk],
                                                   stderr=subprocess.DEVNULL).returncode != 0:
                self.skipTest("no small disk can be mounted")
            try:
                message = self.refused("run", "upsample_nearest_exact2d", "in.npy", "-o", disk + "/out.npy",
                                       "--output-size", "400,400", status=3)
                self.assertEqual(message, disk + "/out.npy: cannot be written: No space left on device")
                self.assertEqual(os.listdir(disk), [])
            finally:
                subprocess.run(["umount", disk], check=True)

    def test_no_memory(self):
        # 2^48 bytes: the library can count them, no address space has room for them.
        done = self.regrad(*COMMAND, "8388608,8388608", status=3,
                           env=dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1",
                                    TSAN_OPTIONS="allocator_may_return_null=1"))
        self.assertRegex(done.stderr, r"regrad: no memory for the 281474976710656 bytes of output\n\Z")
        self.assertEqual(self.files(), ["in.npy"])

    def test_both_results_or_none(self):
        self.save("g.npy", np.ones((1, 1, 2, 2), "f4"))
        self.save("p.npy", np.zeros((1, 2, 2, 2), "f4"))
        words = ["run", "grid_sampler_2d_backward", "g.npy", "in.npy", "p.npy", "--input-grad", "a.npy", "--grid-grad"]
        self.refused(*words, "no/b.npy", status=3)
        self.assertEqual(self.files(), ["g.npy", "in.npy", "p.npy"])
        self.regrad(*words, "b.npy")
        self.assertEqual(self.files(), ["a.npy", "b.npy", "g.npy", "in.npy", "p.npy"])


class Signals(Case):
    """A signal in the midst of the work, once the temporary file is there: the old file stays, no other is left."""

    def interrupt(self, number):
        self.save("in.npy", np.ones((1, 1, 64, 64), "f4"))
        with open(self.path("out.npy"), "w") as file:
            file.write("old")
        program = subprocess.Popen([REGRAD, *COMMAND, "7000,7000"], cwd=self.directory.name, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(program.stderr.close)
        began = time.monotonic()
        while len(self.files()) < 3 and program.poll() is None:
            self.assertLess(time.monotonic() - began, 60)
        self.assertIsNone(program.poll(), "it ended before a temporary file was seen")
        self.assertEqual(self.files()[0][:8], ".regrad.")
        program.send_signal(number)
        self.assertEqual(program.wait(), -number)

    def test_caught(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number):
                self.interrupt(number)
                self.assertEqual(self.files(), ["in.npy", "out.npy"])
                with open(self.path("out.npy")) as file:
                    self.assertEqual(file.read(), "old")

    def test_killed(self):
        """SIGKILL cannot be caught: a temporary file may stay, but never a part of one under the result's name."""
        self.interrupt(signal.SIGKILL)
        with open(self.path("out.npy")) as file:
            self.assertEqual(file.read(), "old")

    def test_ignored_signals_stay_ignored(self):
        self.save("in.npy", np.ones((1, 1, 4, 4), "f4"))
        program = subprocess.Popen([REGRAD, *COMMAND, "3000,3000"], cwd=self.directory.name,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        while program.poll() is None:
            program.send_signal(signal.SIGHUP)
            time.sleep(0.001)
        self.assertEqual(program.returncode, 0)
        self.assertEqual(self.load("out.npy").shape, (1, 1, 3000, 3000))


class Bar(Case):
    """Progress, on a terminal that the test holds the other end of."""

    def on_terminal(self, words, columns=80, **environment):
        try:
            ours, theirs = pty.openpty()
        except OSError:
            self.skipTest("no terminal can be made here")
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        program = subprocess.Popen([REGRAD, *words], cwd=self.directory.name, stderr=theirs,
                                   stdout=subprocess.DEVNULL, env=dict(os.environ, **environment))
        os.close(theirs)
        return program, ours

    def drain(self, program, ours):
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError: # the other end is closed
                break
            if not piece:
                break
            shown += piece
        os.close(ours)
        self.assertEqual(program.wait(), 0, shown)
        return shown.decode()

    def test_short_work_shows_nothing(self):
        self.save("in.npy", np.ones((4, 1, 10, 10), "f4"))
        program, ours = self.on_terminal([*COMMAND, "20,20"])
        self.assertEqual(self.drain(program, ours), "")
        self.assertEqual(self.load("out.npy").shape, (4, 1, 20, 20))

    def long_work(self, words, label, columns=80):
        """Until the work is long enough for this machine, slowed down, it is doubled."""
        for doubling in range(8):
            self.save("in.npy", np.ones((64, 1 << doubling, 60, 60), "f2"))
            program, ours = self.on_terminal([*words, "--threads", "1"], columns, REGRAD_ISA="scalar")
            shown = self.drain(program, ours)
            if label in shown:
                return shown
        self.fail(f"no bar '{label}' was ever shown")

    def test_long_work_shows_a_bar(self):
        shown = self.long_work([*COMMAND, "500,500"], "running")
        drawn = [d for d in shown.split("\r") if d.startswith("running")]
        self.assertTrue(drawn)
        percent = []
        for line in drawn:
            self.assertRegex(line, r"\Arunning          \[#* *\] +\d+%\Z")
            self.assertLessEqual(len(line), 80)
            percent.append(int(line.rsplit(None, 1)[1][:-1]))
        self.assertEqual(percent, sorted(percent))
        self.assertTrue(shown.endswith("\r\033[K"), "the bar is wiped at the end")
        with_bar = self.load("out.npy").tobytes()
        self.regrad(*COMMAND, "500,500") # in one slice
        self.assertEqual(self.load("out.npy").tobytes(), with_bar)

    def test_narrow_terminal(self):
        shown = self.long_work([*COMMAND, "500,500"], "running", columns=40)
        self.assertLessEqual(max(len(d) for d in shown.split("\r")), 40)

    def test_no_terminal_no_bar(self):
        self.save("in.npy", np.ones((64, 2, 60, 60), "f2"))
        done = self.regrad(*COMMAND, "500,500")
        self.assertEqual(done.stderr, "")

    def test_slices_say_so(self):
        self.save("in.npy", np.random.default_rng(1).standard_normal((3, 2, 6, 6)).astype("f4"))
        program, ours = self.on_terminal([*COMMAND, "9,9", "--time"])
        self.assertIn("in 6 slices", self.drain(program, ours))
        in_slices = self.load("out.npy").tobytes()
        self.regrad(*COMMAND, "9,9")
        self.assertEqual(self.load("out.npy").tobytes(), in_slices)

    def test_slices_of_every_operator(self):
        """Cut for the bar or not: the same bits, along the batch and along the channels."""
        rng = np.random.default_rng(4)
        for n in (1, 3):
            data = {"in": (n, 5, 7, 6), "g": (n, 5, 9, 8), "p": (n, 9, 8, 2), "s": (n, 5, 7), "t": (n, 5, 9)}
            for name, shape in data.items():
                self.save(name + ".npy", rng.uniform(-1.1, 1.1, shape).astype("f4"))
            for words in [["upsample_bilinear2d", "in.npy", "--output-size", "9,8", "-o", "out.npy"],
                          ["upsample_bilinear2d", "in.npy", "--output-size", "9,8", "-o", "out.npy",
                           "--layout", "nhwc"],
                          ["upsample_bilinear2d_backward", "g.npy", "--input-size", "7,6", "-o", "out.npy"],
                          ["upsample_nearest_exact1d", "s.npy", "--output-size", "9", "-o", "out.npy"],
                          ["upsample_nearest_exact1d_backward", "t.npy", "--input-size", "7", "-o", "out.npy"],
                          ["upsample_nearest_exact2d", "in.npy", "--output-size", "9,8", "-o", "out.npy"],
                          ["upsample_nearest_exact2d_backward", "g.npy", "--input-size", "7,6", "-o", "out.npy"],
                          ["resize_bilinear_v2_grad", "g.npy", "--input-size", "7,6", "-o", "out.npy"],
                          ["upsample_nearest_exact2d_grad", "g.npy", "--input-size", "7,6", "-o", "out.npy"],
                          ["grid_sampler_2d", "in.npy", "p.npy", "-o", "out.npy"],
                          ["grid_sampler_2d_backward", "g.npy", "in.npy", "p.npy", "--input-grad", "out.npy",
                           "--grid-grad", "out2.npy"]]:
                with self.subTest(n=n, operator=words[0]):
                    program, ours = self.on_terminal(["run", *words])
                    self.drain(program, ours)
                    names = [w for w in words if w.startswith("out")]
                    in_slices = [self.load(name).tobytes() for name in names]
                    self.regrad("run", *words)
                    self.assertEqual([self.load(name).tobytes() for name in names], in_slices)


if __name__ == "__main__":
    unittest.main()
