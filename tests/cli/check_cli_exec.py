# SPDX-License-Identifier: Apache-2.0
"""regrad exec: paths, statuses, signals, findings, and the report."""
import html.parser
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest
import urllib.request

from cli import REGRAD, Case

CLIENT = os.environ["REGRAD_CLIENT"]
FINDER = os.environ["REGRAD_FINDER"]
PLANTED = os.environ["REGRAD_PLANTED"]
PLANTED_NAME = "/tests/cli/exec_planted.c"  # behind a directory that a compiler cache may have seen it in
PLANTED_SOURCE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "exec_planted.c")
SYMBOLISERS = [name for name in ("addr2line", "llvm-addr2line", "llvm-symbolizer", "eu-addr2line")
               if shutil.which(name)]
SHELL = ["--", "sh", "-c"]
VARIABLES = ["ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "ASCEND_TOOLKIT_HOME", "LD_LIBRARY_PATH", "PYTHONPATH",
             "REGRAD_CHECK", "REGRAD_CHECK_LOG", "REGRAD_CHECK_TELLER", "REGRAD_TRACE"]


def summary(words, n_findings=0, n_notes=0):
    return f"regrad: exec: {words}; {n_findings} finding{'s' * (n_findings != 1)}, " \
           f"{n_notes} note{'s' * (n_notes != 1)}\n"


def place(bar):
    """Where a bar begins and how wide it is, in percent of the chart."""
    left, width = re.search(r"left:([\d.]+)%;width:([\d.]+)%", bar[1]["style"]).groups()
    return float(left), float(width)


def lanes(page):
    return [name[2] for name in page.of("name") if name[0] == "div" and "stream " in name[2]]


def work(ticket, begin, end, device=0):
    return [{"trace": "begin", "time_us": begin, "device": device, "stream": 4, "handle": "0x14", "work": ticket,
             "default": False, "function": "aclnnX", "bytes_read": 1, "bytes_written": 2},
            {"trace": "end", "time_us": end, "device": device, "stream": 4, "work": ticket, "status": 0}]


class Page(html.parser.HTMLParser):
    """A report: its elements by class, each as (tag, attributes, text), and whether all that opens is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements = [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        element = [tag, dict(attrs), ""]
        self.elements.append(element)
        if tag != "meta":
            self.open.append(element)
        if tag == "td":
            self.handle_data(" ")

    def handle_startendtag(self, tag, attrs):
        self.elements.append([tag, dict(attrs), ""])

    def handle_endtag(self, tag):
        element = self.open.pop()
        assert element[0] == tag, (element, tag)

    def handle_data(self, data):
        for element in self.open:
            element[2] += data

    def of(self, name):
        return [element for element in self.elements if name in element[1].get("class", "").split()]

    def text(self, name):
        return [element[2] for element in self.elements if element[1].get("id") == name]


class Exec(Case):
    def environment(self, **variables):
        environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        environment["TMPDIR"] = self.directory.name
        return {**environment, **variables}

    def run_exec(self, *words, status=0, **options):
        options.setdefault("env", self.environment())
        return self.regrad("exec", *words, status=status, **options)

    def report(self, *words, **options):
        self.run_exec("--report", "page.html", *words, **options)
        with open(self.path("page.html"), encoding="utf-8") as file:
            return Page(file.read())


class Running(Exec):
    def test_environment(self):
        home = self.text("ascend-home").rstrip("\n")
        variables = self.environment(LD_LIBRARY_PATH="/before", PATH="/usr/bin:/bin")
        text = self.run_exec("--", "env", env=variables).stdout.decode()
        got = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        self.assertEqual(got["LD_LIBRARY_PATH"], home + "/lib64:/before")
        self.assertEqual(got["PATH"], home + "/bin:/usr/bin:/bin")
        self.assertEqual(got["PYTHONPATH"], home + "/python/site-packages")
        for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
            self.assertEqual(got[name], home)
        self.assertEqual(got["ASCEND_OPP_PATH"], home + "/opp")
        self.assertTrue(os.path.isdir(got["ASCEND_OPP_PATH"]))
        for before, after in [("", ""), (f"{home}/lib64", ""), (f"/x:{home}/lib64", ":/x"),
                              (f"{home}/lib64:/x::{home}/lib64/y:{home}/lib64:/z", f":/x::{home}/lib64/y:/z")]:
            text = self.run_exec(*SHELL, "echo $LD_LIBRARY_PATH", env=self.environment(LD_LIBRARY_PATH=before)).stdout
            self.assertEqual(text.decode(), home + "/lib64" + after + "\n")
        self.assertEqual(got["REGRAD_CHECK"], "all")
        self.assertNotIn("REGRAD_TRACE", got)
        self.assertFalse(os.path.exists(got["REGRAD_CHECK_LOG"]), "a log that nobody has asked for was left")
        self.assertEqual(self.files(), [])

    def test_check_level(self):
        for options, variables, level in [
            ([], {}, "all"), ([], {"REGRAD_CHECK": "warn"}, "warn"), (["--check=off"], {}, "off"),
            (["--check", "error,isolate"], {"REGRAD_CHECK": "warn"}, "error,isolate"),
        ]:
            done = self.run_exec(*options, *SHELL, "echo $REGRAD_CHECK", env=self.environment(**variables))
            self.assertEqual(done.stdout.decode(), level + "\n")

    def test_usage(self):
        for words, message in [
            ([], "exec: no program is given"),
            (["--check=strict", "true"],
             "--check is 'strict'; wanted off, warn, all, error or isolate, or some with commas"),
            (["--check=warn,", "true"],
             "--check is 'warn,'; wanted off, warn, all, error or isolate, or some with commas"),
            (["--report"], "option --report needs an argument: a file"),
            (["--threads", "2", "true"], "exec takes no option --threads"),
        ]:
            self.assertEqual(self.refused("exec", *words), message)
        self.assertEqual(self.refused("exec", "./no", status=127),
                         "exec: ./no: cannot be run: No such file or directory")
        self.assertEqual(self.refused("exec", self.directory.name, status=126),
                         f"exec: {self.directory.name}: cannot be run: Permission denied")
        self.assertRegex(self.refused("exec", "--log", "no/log", "true", status=3), r"exec: no/log: cannot be opened: ")

    def test_arguments_are_the_programs(self):
        done = self.run_exec("sh", "-c", 'echo "$@"', "sh", "--check", "x y", "--help")
        self.assertEqual(done.stdout, b"--check x y --help\n")
        self.assertEqual(self.run_exec(*SHELL, "cat", input=b"through").stdout, b"through")

    def test_status(self):
        for status in (0, 1, 2, 99, 255):
            done = self.run_exec(*SHELL, f"exit {status}", status=status)
            self.assertEqual(done.stderr, summary(f"sh ended with status {status}"))
        done = self.run_exec(*SHELL, "kill -SEGV $$", status=128 + signal.SIGSEGV)
        self.assertEqual(done.stderr, summary("sh was ended by signal 11 (Segmentation fault)"))
        os.symlink("/bin/false", self.path("a\nb"))
        self.assertEqual(self.run_exec("./a\nb", status=1).stderr, summary("./a?b ended with status 1"))

    def test_what_our_parent_has_set(self):
        """A parent that ignores the end of its children, and an alarm that it has set."""
        self.run_exec("false", status=1, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.run_exec("sleep", "60", status=128 + signal.SIGALRM,
                      preexec_fn=lambda: signal.setitimer(signal.ITIMER_REAL, 0.2))

    def start(self, *words):
        return subprocess.Popen([REGRAD, "exec", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                cwd=self.directory.name, env=self.environment(), text=True)

    def test_signals_are_handed_on(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM):
            with self.start("sh", "-c", "echo ready; exec sleep 60") as process:
                self.assertEqual(process.stdout.readline(), "ready\n")
                process.send_signal(number)
                self.assertEqual(process.wait(30), 128 + number)
                self.assertIn(f"sh was ended by signal {int(number)} (", process.stderr.read())
        catching = "trap 'echo caught; exit 7' TERM; echo ready; while :; do sleep 0.1; done"
        with self.start("sh", "-c", catching) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(30), 7)
            self.assertEqual(process.stdout.read(), "caught\n")
        self.assertEqual(self.files(), [])

    def test_signals_of_a_terminal(self):
        """They reach the program once."""
        program = "import os, signal, time\n" \
                  "signal.signal(signal.SIGINT, lambda *_: os.write(1, b'caught\\n'))\n" \
                  "os.write(1, b'ready\\n')\n" \
                  "while True: time.sleep(1)\n"
        environment = self.environment()
        process, terminal = pty.fork()
        if process == 0:
            os.execve(REGRAD, [REGRAD, "exec", "--", sys.executable, "-c", program], environment)
        self.addCleanup(os.close, terminal)
        text = self.read_terminal(terminal, "ready")
        os.write(terminal, b"\x03")
        text += self.read_terminal(terminal, "caught")
        os.kill(process, signal.SIGTERM)
        text += self.read_terminal(terminal, "Terminated")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 128 + signal.SIGTERM)
        self.assertEqual(text.count("caught"), 1, text)

    def read_terminal(self, terminal, word):
        text, deadline = "", time.monotonic() + 30
        while word not in text:
            self.assertTrue(select.select([terminal], [], [], deadline - time.monotonic())[0], text)
            text += os.read(terminal, 4096).decode()
        return text

    def test_a_program_that_hangs_is_reported(self):
        """Nothing is lost when a program is killed, though its signal comes again; work and waits that did not end are
        shown as such, up to the end."""
        with self.start("--report", "page.html", CLIENT, "hangs") as process:
            self.assertEqual(process.stdout.readline(), "hangs\n")
            time.sleep(0.2)
            while process.poll() is None:
                process.send_signal(signal.SIGTERM)
            self.assertEqual(process.returncode, 128 + signal.SIGTERM)
            self.assertEqual(process.stderr.read(), summary(f"{CLIENT} was ended by signal 15 (Terminated)"))
        self.assertEqual(self.files(), ["page.html"])
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = Page(file.read())
        self.assertRegex(page.text("outcome")[0], r"was ended by signal 15")
        for kind, pattern in [("work", r"^aclrtLaunchHostFunc, (.*) ms, from 0.0 µs, .*, has not ended$"),
                              ("wait", r"^aclrtSynchronizeStream, stream \d+, (.*) ms, from .*, has not ended$")]:
            bar, = page.of(kind)
            self.assertGreaterEqual(float(re.match(pattern, bar[1]["title"]).group(1)), 190, bar)
            left, width = place(bar)
            self.assertAlmostEqual(left + width, 100, 1)
            self.assertGreater(width, 90)
            self.assertIn(bar, page.of("bad"))

    def test_findings_make_a_status(self):
        for words, status, n_findings, n_notes in [
            (["0", "mistake"], 99, 1, 0), (["0", "note"], 0, 0, 1), (["3", "mistake", "note"], 3, 1, 1),
            (["0"], 0, 0, 0),
        ]:
            done = self.run_exec(FINDER, *words, status=status)
            self.assertTrue(done.stderr.endswith(
                summary(f"{FINDER} ended with status {words[0]}", n_findings, n_notes)), done.stderr)
        self.assertEqual(self.run_exec("--check=off", FINDER, "0", "mistake").stderr,
                         summary(f"{FINDER} ended with status 0"))

    def test_log(self):
        with open(self.path("log"), "w") as file:
            file.write('{"finding":"older","note":false}\n')
        done = self.run_exec("--log", "log", FINDER, "0", "mistake", "note", status=99)
        self.assertTrue(done.stderr.endswith(summary(f"{FINDER} ended with status 0", 1, 1)), done.stderr)
        with open(self.path("log"), errors="replace") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual([line["finding"] for line in lines], ["older", "test-mistake", "test-note"])
        variables = self.environment(REGRAD_CHECK_LOG=self.path("other"))
        self.run_exec(FINDER, "0", "mistake", status=99, env=variables)
        self.assertEqual(self.files(), ["log", "other"])

    def test_log_that_others_write(self):
        """Their findings are not the program's."""
        writer = f"{FINDER} 0; echo '{{\"finding\":\"other\",\"note\":false}}' >>log"
        done = self.run_exec("--log", "log", *SHELL, writer)
        self.assertTrue(done.stderr.endswith(summary("sh ended with status 0")), done.stderr)
        with open(self.path("log")) as file:
            self.assertEqual(file.read(), '{"finding":"other","note":false}\n')

    def test_log_that_cannot_be_read_again(self):
        done = self.run_exec("--log", "/dev/stderr", FINDER, "0", "mistake", status=99)
        lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
        self.assertEqual(len(lines), 1)
        self.assertIn('"finding":"test-mistake"', lines[0])
        self.run_exec("--log", "/dev/null", FINDER, "0", "mistake", status=99)
        self.assertEqual(self.files(), [])

    def test_log_that_becomes_a_pipe(self):
        """Nobody waits for who might write to it."""
        done = self.run_exec(*SHELL, 'rm -f "$REGRAD_CHECK_LOG" && mkfifo "$REGRAD_CHECK_LOG"')
        self.assertTrue(done.stderr.endswith(summary("sh ended with status 0")), done.stderr)

    def test_log_where_the_program_goes_elsewhere(self):
        self.run_exec("--log", "log", *SHELL, f"cd / && exec {FINDER} 0 mistake", status=99)
        self.assertEqual(self.files(), ["log"])


class Outputs(Exec):
    def test_what_cannot_be_written(self):
        """The program has run, and its own status comes first."""
        full = "regrad: exec: /dev/full: cannot be written: No space left on device\n"
        for words, status, n_findings, n_notes in [
            (["0", "note"], 3, 0, 1), (["0", "mistake"], 3, 1, 0), (["7", "mistake"], 7, 1, 0), (["0"], 0, 0, 0),
        ]:
            for options, variables in [(["--log", "/dev/full"], {}), ([], {"REGRAD_CHECK_LOG": "/dev/full"})]:
                done = self.run_exec(*options, FINDER, *words, status=status, env=self.environment(**variables))
                line = full if n_findings + n_notes > 0 else ""
                self.assertTrue(done.stderr.endswith(
                    line + summary(f"{FINDER} ended with status {words[0]}", n_findings, n_notes)), done.stderr)
        done = self.run_exec("--report", "/dev/full", "true", status=3)
        self.assertEqual(done.stderr, full.replace("exec: ", "") + summary("true ended with status 0"))
        with open("/dev/full", "wb") as file:
            done = self.run_exec("--report", "-", "true", status=3, stdout=file)
        self.assertIn("standard output: cannot be written: No space left on device\n", done.stderr)

    def test_process_of_a_finding(self):
        """Of each of two processes, the number that the shell knows."""
        script = f"{FINDER} 0 mistake & echo $!; wait; {FINDER} 0 mistake & echo $!; wait"
        done = self.run_exec(*SHELL, script, status=99)
        numbers = re.findall(r"\n  call     .*\n  process  ([0-9]+)\n", done.stderr)
        self.assertEqual(numbers, done.stdout.decode().split())
        self.assertEqual(len(set(numbers)), 2)

    def test_control_characters_of_a_finding(self):
        """A terminal gets none of them, nor does a log of text."""
        written = " \\ \\x01\\xff \u00e9\n"
        done = self.run_exec("--format=text", "--log", "log", FINDER, "0", "mistake", status=99)
        with open(self.path("log"), encoding="utf-8") as file:
            for text in (done.stderr, file.read()):
                self.assertIn(written, text)
        line = '{"finding":"k\\u001b[2J","note":false,"function":"f\\nregrad check: forged","what":"\\u009b\\t"}'
        script = f"""printf '%s\\n' '{line}' >>"$REGRAD_CHECK_LOG" """
        self.run_exec("--format=text", "--log", "forged", *SHELL, script, status=99)
        with open(self.path("forged"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "regrad check: k\\x1b[2J\n  call     f\\nregrad check: forged\n"
                                          "  what     \\xc2\\x9b\\t\n")

    def test_a_program_that_can_write_no_file(self):
        """Its findings are handed over another way."""
        script = f"trap '' XFSZ; ulimit -f 0; exec {FINDER} 0 mistake note"
        done = self.run_exec("--log", "log", "--report", "page.html", *SHELL, script, status=99)
        self.assertTrue(done.stderr.endswith(summary("sh ended with status 0", 1, 1)), done.stderr)
        self.assertEqual(done.stderr.count("it cannot be written (File too large); findings are missing there\n"), 1)
        with open(self.path("log"), encoding="utf-8") as file:
            self.assertEqual([json.loads(line)["finding"] for line in file], ["test-mistake", "test-note"])
        done = self.run_exec("--trace", "trace.json", *SHELL, f"trap '' XFSZ; ulimit -f 0; exec {CLIENT} streams")
        self.assertIn("regrad: the trace cannot be written (File too large); its rest is missing\n", done.stderr)

    def directories(self):
        return [name for name in self.files() if name.startswith("regrad-exec.")]

    def start(self, *words):
        process = subprocess.Popen([REGRAD, "exec", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   cwd=self.directory.name, env=self.environment(), text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        return process

    def test_what_was_killed_leaves_nothing_for_long(self):
        script = 'echo $$; echo x >"$REGRAD_CHECK_LOG"; exec sleep 60'
        living, killed = self.start(*SHELL, script), self.start(*SHELL, script)
        children = [int(process.stdout.readline()) for process in (living, killed)]
        self.addCleanup(os.kill, children[1], signal.SIGKILL)
        both = set(self.directories())
        self.assertEqual(len(both), 2)
        killed.kill()
        killed.wait()
        os.makedirs(self.path("elsewhere"))
        for directory in ("elsewhere", "regrad-exec.others"):  # of which the second holds more than is ours
            os.makedirs(self.path(directory), mode=0o700, exist_ok=True)
            for name in ("log", "notes"):
                with open(self.path(f"{directory}/{name}"), "w") as file:
                    file.write("kept")
        os.symlink("elsewhere", self.path("regrad-exec.linked"))
        os.makedirs(self.path("regrad-exec.public"), mode=0o755)
        os.makedirs(self.path("regrad-exec.longer-name"), mode=0o700)
        self.run_exec("true")
        left = set(self.directories())
        self.assertEqual(len(left & both), 1, "that of the living process, and no other")
        self.assertEqual(left - both, {"regrad-exec.others", "regrad-exec.linked", "regrad-exec.public",
                                       "regrad-exec.longer-name"})
        self.assertEqual(sorted(os.listdir(self.path("elsewhere"))), ["log", "notes"])
        self.assertEqual(os.listdir(self.path("regrad-exec.others")), ["notes"])
        living.terminate()
        living.wait()
        self.assertEqual(set(self.directories()) & both, set())

    def test_who_asks_nonsense(self):
        """At the socket where findings are handed over."""
        program = "import os, socket\n" \
                  "lines = [b'', b'{', b'3', b'x' * 100000, b'{\"finding\":3}']\n" \
                  "lines += [b'{\"finding\":\"\", \"at\":[{}, 3]}', None]\n" \
                  "for line in lines:\n" \
                  "    asked = socket.socket(socket.AF_UNIX)\n" \
                  "    asked.connect(os.environ['REGRAD_CHECK_TELLER'] + '/teller')\n" \
                  "    if line is not None:\n" \
                  "        asked.sendall(line)\n" \
                  "        asked.shutdown(socket.SHUT_WR)\n" \
                  "        print(len(asked.recv(100000)) > 0, flush=True)\n" \
                  "os._exit(0)\n"
        done = self.run_exec("--", sys.executable, "-c", program)
        self.assertEqual(done.stdout.decode().split(), ["False"] * 5 + ["True"])
        self.assertEqual(done.stderr, summary(f"{sys.executable} ended with status 0"))


class Planted(Exec):
    """A program with four mistakes, whose lines are marked in its source."""

    kinds = {"scale-inverted": "resize", "race-stream": "resize", "race-host": "read_early", "leak-array": "main"}

    def line_of(self, mark):
        with open(PLANTED_SOURCE, encoding="utf-8") as file:
            lines = [number for number, line in enumerate(file, 1) if f"/* {mark}" in line]
        self.assertEqual(len(lines), 1, mark)
        return lines[0]

    def source_in(self, path):
        self.assertTrue(path.startswith("/") and path.endswith(PLANTED_NAME), path)
        return path

    def log(self, *words, **options):
        self.run_exec("--log", "log", *words, **options)
        with open(self.path("log"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        os.remove(self.path("log"))
        return lines

    def test_one_run_tells_all(self):
        done = self.run_exec(PLANTED, status=99)
        self.assertEqual(done.stdout, b"done\n")
        self.assertTrue(done.stderr.endswith(summary(f"{PLANTED} ended with status 0", 3, 1)), done.stderr)
        told = re.findall(r"^regrad check: ([a-z-]+)", done.stderr, re.M)
        self.assertEqual(sorted(told), sorted(self.kinds))
        done = self.run_exec("--check=error", PLANTED, status=1)
        self.assertEqual(done.stdout, b"")
        self.assertIn("gave up: ", done.stderr)

    @unittest.skipUnless(SYMBOLISERS, "there is no addr2line")
    def test_lines_of_the_source(self):
        text = self.run_exec(PLANTED, status=99).stderr
        findings = {finding["finding"]: finding for finding in self.log(PLANTED, status=99)}
        page = [finding[2] for finding in self.report(PLANTED, status=99).of("finding")]
        self.assertEqual(sorted(findings), sorted(self.kinds))
        for kind, function in self.kinds.items():
            at = findings[kind]["at"]
            made = findings[kind]["objects"][0]["at"] if kind == "leak-array" else at
            line, wanted = self.line_of(f"mistake: {kind}"), "resize" if kind == "leak-array" else function
            self.assertEqual([(place["function"], place["file"], place["line"]) for place in made[:1]],
                             [(wanted, self.source_in(made[0]["file"]), line)])
            self.assertEqual({place["module"] for place in at}, {os.path.realpath(PLANTED)})
            self.assertRegex(text, rf" {wanted} at /\S*{PLANTED_NAME}:{line}, ")
            part, = [part for part in page if kind in part]
            self.assertIn(f"{PLANTED_NAME}:{line}", part)
            with open(PLANTED_SOURCE, encoding="utf-8") as file:
                self.assertIn(f"\n    {file.read().splitlines()[line - 1].strip()}\n", part + "\n")
        caller = findings["race-host"]["at"][1]
        self.assertEqual(caller["line"], self.line_of("caller: race-host"))
        self.assertEqual({finding["process"] for finding in findings.values()}, {findings["race-host"]["process"]})

    def test_without_a_symboliser(self):
        """As the program says it: where there is none, and where one says nothing of use."""
        os.makedirs(self.path("bin"))
        scripts = [None, "#!/bin/false\n", "#!/bin/sh\nexit 1\n",
                   "#!/bin/sh\necho nonsense; echo; echo 0x; echo 0x1\n",
                   "#!/bin/sh\nkill -9 $$\n", "#!/bin/sh\nwhile read line; do echo 0x1; echo '??'; echo '??:0'; done\n"]
        for script in scripts:
            if script is not None:
                with open(self.path("bin/addr2line"), "w") as file:
                    file.write(script)
                os.chmod(self.path("bin/addr2line"), 0o755)
            variables = self.environment(PATH=self.path("bin"))
            for finding in self.log(PLANTED, status=99, env=variables):
                self.assertRegex(finding["at"][0]["text"],
                                 r"^exec_planted(\([a-z_]+\+0x[0-9a-f]+\))? \[0x[0-9a-f]+\]$")
                self.assertNotIn("line", finding["at"][0])
            text = self.run_exec(PLANTED, status=99, env=variables).stderr
            self.assertRegex(text, r"\n  at       exec_planted.* \[0x")

    @unittest.skipUnless(shutil.which("addr2line"), "there is no addr2line")
    def test_where_the_first_symboliser_knows_nothing(self):
        os.makedirs(self.path("bin"))
        os.symlink(shutil.which("addr2line"), self.path("bin/addr2line"))
        unknown = "#!/bin/sh\nwhile read address; do echo $address; echo '??'; echo '??:0'; done\n"
        for script in (None, "#!/bin/sh\nexit 1\n", unknown):
            if script is not None:
                with open(self.path("bin/llvm-symbolizer"), "w") as file:
                    file.write(script)
                os.chmod(self.path("bin/llvm-symbolizer"), 0o755)
            for finding in self.log(PLANTED, status=99, env=self.environment(PATH=self.path("bin"))):
                self.source_in(finding["at"][0]["file"])

    def test_names_with_spaces_and_hyphens(self):
        for name in ("with a space", "-e", "$(touch ran)", "a'b\"c"):
            shutil.copy(PLANTED, self.path(name))
            for finding in self.log("./" + name, status=99):
                self.assertEqual(finding["at"][0]["module"], os.path.realpath(self.path(name)))
                if SYMBOLISERS:
                    self.source_in(finding["at"][0]["file"])
            os.remove(self.path(name))
        self.assertEqual(self.files(), [])

    def stopped(self, *words):
        """By SIGSEGV, or by what a sanitizer makes of that."""
        done = subprocess.run([REGRAD, "exec", *words], env=self.environment(), capture_output=True, text=True,
                              check=False)
        self.assertNotIn(done.returncode, (0, 99), done.stderr)
        self.assertEqual(done.stdout, "")
        return done

    def test_in_a_directory_with_a_long_name(self):
        long = self.path("x" * 120)
        os.makedirs(long)
        text = self.run_exec(PLANTED, status=99, env=self.environment(TMPDIR=long)).stderr
        if SYMBOLISERS:
            self.assertEqual(text.count(f"{PLANTED_NAME}:{self.line_of('mistake: race-stream')}, "), 1)
        self.assertEqual(os.listdir(long), [])

    def test_touching_device_memory(self):
        """It is told, and the program goes on, but where the memory is gone."""
        done = self.run_exec(PLANTED, "touches", status=99)
        self.assertEqual(done.stdout, b"14\n2\n")
        self.assertEqual(re.findall(r"^regrad check: ([a-z-]+)", done.stderr, re.M), ["host-access"])
        if SYMBOLISERS:
            self.assertIn(f"{PLANTED_NAME}:{self.line_of('mistake: host-access */')}, ", done.stderr)
        for level in ("isolate", "all,isolate"):
            self.stopped(f"--check={level}", PLANTED, "touches")
        done = self.stopped(PLANTED, "dead")
        self.assertEqual(re.findall(r"^regrad check: ([a-z-]+)", done.stderr, re.M), ["host-access"])
        if SYMBOLISERS:
            self.assertIn(f"{PLANTED_NAME}:{self.line_of('mistake: host-access of what')}, ", done.stderr)

    def test_two_mistakes_of_one_call(self):
        findings = self.log(PLANTED, "both", status=99)
        self.assertEqual([(finding["finding"], finding["argument"]) for finding in findings],
                         [("host-pointer", "self"), ("host-pointer", "out")])

    def test_two_waits_that_one_call_lacks(self):
        findings = self.log(PLANTED, "waits", status=99)
        self.assertEqual([(finding["finding"], finding["argument"]) for finding in findings],
                         [("race-host", "dst"), ("race-host", "src")])

    def test_two_ways_to_one_place(self):
        findings = self.log(PLANTED, "leaves", status=99)
        self.assertEqual([finding["finding"] for finding in findings], ["leak-device-memory"] * 2)
        if SYMBOLISERS:
            self.assertEqual({finding["objects"][0]["at"][1]["line"] for finding in findings},
                             {self.line_of("mistake: one leak"), self.line_of("mistake: another leak")})

        findings = self.log(PLANTED, "reads", status=99)
        self.assertEqual([finding["finding"] for finding in findings], ["race-host"] * 2)
        if SYMBOLISERS:
            self.assertEqual([finding["at"][1]["line"] for finding in findings],
                             [self.line_of("mistake: one race"), self.line_of("mistake: another race")])

    def test_each_cause_once(self):
        """A thread without a context shows in each call, and a status that was ignored in the call that misses it."""
        findings = self.log(PLANTED, "causes", status=99)
        self.assertEqual([finding["finding"] for finding in findings],
                         ["wrong-context", "status-ignored", "status-ignored"])
        if SYMBOLISERS:
            marks = ["wrong-context", "status-ignored of a stream", "status-ignored of a workspace"]
            self.assertEqual([finding["at"][0]["line"] for finding in findings],
                             [self.line_of(f"mistake: {mark}") for mark in marks])

    def test_without_addresses_for_isolation(self):
        """Then it is left out."""
        script = f"ulimit -v 4000000; exec {PLANTED}"
        alone = subprocess.run(["sh", "-c", script], env=self.environment(), capture_output=True, check=False)
        if alone.returncode != 0:
            self.skipTest("the program wants more addresses, as with a sanitizer")
        done = self.run_exec(*SHELL, script, status=99)
        self.assertTrue(done.stderr.endswith(summary("sh ended with status 0", 3, 1)), done.stderr)


class Trace(Exec):
    def trace(self, *words):
        path = self.path("trace")
        subprocess.run(words, env=self.environment(REGRAD_TRACE=path), check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_two_streams(self):
        lines = self.trace(CLIENT, "streams")
        begun = [line for line in lines if line["trace"] == "begin"]
        ended = [line for line in lines if line["trace"] == "end"]
        self.assertEqual(sorted(line["work"] for line in begun), sorted(line["work"] for line in ended))
        self.assertEqual({line["status"] for line in ended}, {0})
        by_function = {}
        for line in begun:
            by_function.setdefault(line["function"], []).append((line["bytes_read"], line["bytes_written"]))
        self.assertEqual({name: works for name, works in by_function.items() if "Event" not in name},
                         {"aclrtMemcpyAsync": [(65536, 65536)], "aclrtMemsetAsync": [(0, 16384)] * 2,
                          "aclnnUpsampleNearestExact2dBackward": [(65536, 16384)],
                          "aclnnUpsampleBilinear2dBackward": [(65536, 16384)]})
        streams = {line["function"]: line["stream"] for line in begun}
        self.assertNotEqual(streams["aclnnUpsampleNearestExact2dBackward"], streams["aclnnUpsampleBilinear2dBackward"])
        for stream in set(streams.values()):
            works = [line["work"] for line in begun if line["stream"] == stream]
            self.assertEqual(works, sorted(works))
            times = [line["time_us"] for line in lines
                     if line["trace"] in ("begin", "end") and line["stream"] == stream]
            self.assertEqual(times, sorted(times))
        live = {}
        for line in lines:
            if line["trace"] == "allocate":
                self.assertNotIn(line["address"], live)
                live[line["address"]] = line["bytes"]
            elif line["trace"] == "free":
                self.assertEqual(live.pop(line["address"]), line["bytes"])
        self.assertEqual(live, {})
        waits = [line for line in lines if line["trace"] == "wait"]
        self.assertEqual([line["function"] for line in waits if "Stream" in line["function"]],
                         ["aclrtSynchronizeStream"] * 2)
        for line in waits:  # each was told when it began
            begun = {**line, "trace": "waits"}
            del begun["lasted_us"]
            self.assertLess(lines.index(begun), lines.index(line))
        self.assertEqual(len(waits), len([line for line in lines if line["trace"] == "waits"]))

    def test_is_off(self):
        subprocess.run([CLIENT, "streams"], env=self.environment(), check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(self.files(), [])

    def test_file_that_cannot_be_opened(self):
        done = subprocess.run([CLIENT, "streams"], env=self.environment(REGRAD_TRACE="/no/trace"), check=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.stderr, 'regrad: the environment variable REGRAD_TRACE is "/no/trace"; it cannot be '
                         "opened: No such file or directory\n")


class Report(Exec):
    def test_two_streams(self):
        page = self.report(CLIENT, "streams")
        self.assertEqual(page.text("command"), [f"{CLIENT} streams"])
        self.assertRegex(page.text("outcome")[0], r"^The program ended with status 0 after \d+\.\d+ s, "
                         r"with REGRAD_CHECK=all: 0 findings, 0 notes\.$")
        operators = {row[2].split()[0]: row[2] for row in page.of("operator")}
        bars = [bar[1]["title"].split(",")[0] for bar in page.of("work")]
        for name, n in [("aclnnUpsampleNearestExact2dBackward", 1), ("aclnnUpsampleBilinear2dBackward", 1),
                        ("aclrtMemcpyAsync", 1), ("aclrtMemsetAsync", 2)]:
            self.assertEqual(bars.count(name), n)
            self.assertIn(name, operators)
        self.assertIn("64.0 KiB 16.0 KiB ", operators["aclnnUpsampleBilinear2dBackward"])
        self.assertEqual(lanes(page), ["stream 1", "stream 2"])
        # One device: a large and two small tensors, and workspaces; one block of the host.
        rows = [row[2] for row in page.of("allocation")]
        for size, place, n in [(65536, "device 0", 1), (16384, "device 0", 2), (65536, "host", 1)]:
            self.assertEqual(len([row for row in rows if re.match(rf" 0x[0-9a-f]+ {place} {size} ", row)]), n, rows)
        self.assertEqual([row for row in rows if "not freed" in row], [])
        self.assertEqual(len(page.of("memory")), 2)

    def test_names_of_files(self):
        self.run_exec("--report", "html", "true")
        self.run_exec("--report=other.html", "true")
        self.assertEqual(self.files(), ["other.html", "regrad-report.html"])
        for name in ("no/page.html", "directory"):  # known before the program has run
            os.makedirs(self.path("directory"), exist_ok=True)
            self.assertRegex(self.refused("exec", "--report", name, "touch", "ran", status=3), rf"\A{name}: ")
        self.assertEqual(self.files(), ["directory", "other.html", "regrad-report.html"])
        self.assertIn("ended with status 0", Page(self.text("exec", "--report", "-", "true")).text("outcome")[0])

    def test_temporary_files_where_the_program_goes_elsewhere(self):
        os.makedirs(self.path("tmp"))
        page = self.report(*SHELL, f"cd / && exec {CLIENT} streams", env=self.environment(TMPDIR="tmp"))
        self.assertGreater(len(page.of("work")), 0)
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_names_of_streams(self):
        """Findings and the timeline have the same short ones."""
        page = self.report("--check=warn", CLIENT, "races", status=99)
        finding, = page.of("finding")
        self.assertEqual(lanes(page), ["stream 0, the default", "stream 1"])
        self.assertIn("while aclrtMemsetAsync, queued on stream 1, may not have written it yet", finding[2])
        self.assertIn("call aclrtSynchronizeStream(stream 1) between", finding[2])
        link = next(element[1]["href"] for element in page.elements if "#work-" in element[1].get("href", ""))
        bar, = [element for element in page.of("work") if element[1].get("id") == link[1:]]
        self.assertRegex(bar[1]["title"], r"^aclrtMemsetAsync, .*, 16.0 KiB$")

    def test_several_processes(self):
        page = self.report(*SHELL, f"{CLIENT} streams & {CLIENT} streams; wait")
        rows = page.of("allocation")
        processes = {row[2].split()[0] for row in rows}
        self.assertEqual(len(processes), 2)
        for process in processes:
            large = [row for row in rows if re.match(rf" {process} 0x[0-9a-f]+ device 0 65536 ", row[2])]
            self.assertEqual(len(large), 1)
        self.assertEqual({owner[2].strip().split(", most:")[0] for owner in page.of("owner")},
                         {f"process {process}: {owner}" for process in processes
                          for owner in ("device 0", "host, pinned")})
        self.assertEqual(len(page.of("memory")), 4)

    def test_a_program_that_does_nothing(self):
        page = self.report("true")
        self.assertEqual(page.of("work") + page.of("finding") + page.of("allocation"), [])

    def test_findings(self):
        page = self.report(FINDER, "0", "mistake", "note", status=99)
        findings = page.of("finding")
        self.assertEqual(len(findings), 2)
        self.assertEqual([finding in page.of("note") for finding in findings], [False, True])
        for finding, kind in zip(findings, ("1. test-mistake", "2. test-note (note)")):
            text = finding[2]
            self.assertTrue(text.startswith(kind + "\n"), text)
            self.assertIn("a < b && \"c\" > 'd' </div><script>alert(1)</script> \\ \uFFFD\uFFFD é", text)
            self.assertIn("synchronise the stream first", text)
            self.assertIn("the tensor <0x1234>", text)
        self.assertEqual([element for element in page.elements if element[0] == "script"], [])

    def test_mistake_of_a_program(self):
        page = self.report(CLIENT, "errs", status=99)
        finding, = page.of("finding")
        self.assertTrue(finding[2].startswith("1. destroyed-twice\n"), finding[2])
        self.assertIn("exec_client [0x", finding[2])
        self.assertIn("1 finding, 0 notes", page.text("outcome")[0])

    def crafted(self, findings, trace):
        """The report of a run that leaves these lines."""
        for name, lines in (("findings", findings), ("trace", trace)):
            with open(self.path(name), "w") as file:
                file.writelines(json.dumps({"process": 7, **line}) + "\n" for line in lines)
        copying = 'cat findings >>"$REGRAD_CHECK_LOG"; cat trace >>"$REGRAD_TRACE"'
        return self.report(*SHELL, copying, status=99 if findings else 0)

    def test_axis(self):
        """It begins at the first work, and idle times are cut: by their place and length, and told in words."""
        second = 1e6
        trace = [{"trace": "allocate", "time_us": 1 * second, "address": "0x1", "bytes": 64, "device": 0}]
        for k, begin in enumerate((5 * second, 5 * second + 150, 9 * second, 9 * second + 170)):
            trace += work(k + 1, begin, begin + 100)
        page = self.crafted([], trace)
        bars, (cut, of_memory) = page.of("work"), page.of("cut")
        self.assertEqual(cut, of_memory)
        # 250 µs, a cut of 1.5 %, and 270 µs: 98.5 % of the width are for 520 µs.
        scale = 98.5 / 520
        wanted = [0, 150 * scale, 250 * scale + 1.5, 420 * scale + 1.5]
        for bar, left in zip(bars, wanted):
            self.assertAlmostEqual(place(bar)[0], left, 2)
            self.assertAlmostEqual(place(bar)[1], 100 * scale, 2)
        self.assertEqual([bar[1]["title"].split(", ")[2] for bar in bars],
                         ["from 0.0 µs", "from 150.0 µs", "from 4.000000 s", "from 4.000170 s"])
        self.assertAlmostEqual(place(cut)[0], 250 * scale, 2)
        self.assertEqual(cut[1]["title"], "cut: 4.00 s without work, from 250.0 µs to 4.000000 s")
        self.assertEqual(page.of("cuts")[0][2], "1 idle time, 4.00 s in all, is cut out; the hatched mark stands "
                         "for it.")
        numbers = [number[2] for number in page.of("number")]
        self.assertEqual((numbers[0], numbers[-1][:3], numbers[-1][-2:]), ("0.0000 s", "4.0", " s"), numbers)
        self.assertIn(" 0x1 device 0 64 -4.000000 s not freed", page.of("allocation")[0][2])

    def test_axis_without_idle_times(self):
        page = self.crafted([], [line for k in range(50) for line in work(k + 1, 5e6 + 20 * k, 5e6 + 20 * k + 10)])
        self.assertEqual(page.of("cut"), [])
        self.assertEqual(page.of("cuts"), [])
        self.assertAlmostEqual(sum(place(bar)[1] for bar in page.of("work")), 100 * 500 / 990, 1)

    def test_many_idle_times(self):
        """A program that works for 50 µs every 10 ms: its work takes two thirds of the picture."""
        page = self.crafted([], [line for k in range(101) for line in work(k + 1, 5e6 + 1e4 * k, 5e6 + 1e4 * k + 50)])
        self.assertEqual(len(page.of("cut")), 100)
        self.assertAlmostEqual(sum(place(bar)[1] for bar in page.of("work")), 70, 0)

    def test_links(self):
        """A finding leads to its mark, its work and its page, each of which is there."""
        finding = {"finding": "race-host", "note": False, "time_us": 5e6 + 70, "work": 2}
        unknown = {"finding": "no-kind", "note": False, "time_us": 3e6, "work": 9}
        page = self.crafted([finding, unknown, {**finding, "time_us": 0}], work(1, 5e6, 5e6 + 10) +
                            work(2, 5e6 + 20, 5e6 + 30))
        places = {element[1]["id"]: element for element in page.elements if "id" in element[1]}
        links = [element[1]["href"] for element in page.elements if element[0] == "a"]
        inner = [link for link in links if link.startswith("#")]
        self.assertEqual(inner, ["#mark-1", "#work-7-2", "#mark-2", "#work-7-2", "#finding-1", "#finding-2"])
        self.assertEqual([link[1:] for link in inner if link[1:] not in places], [])
        self.assertIn("from 20.0 µs", places["work-7-2"][1]["title"])
        manual, = {link for link in links if link not in inner}
        path = urllib.request.url2pathname(manual.removeprefix("file://"))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.readline(), "# race-host\n")
        self.assertIn("70.0 µs after the first work began", page.of("finding")[0][2])
        self.assertIn("\nprocess7\n", page.of("finding")[0][2])
        self.assertIn("2.000000 s before the first work", page.of("finding")[1][2])

    def test_names_of_streams_without_work(self):
        leak = {"finding": "leak-stream", "note": False, "time_us": 6e6, "what": "stream 0x15, and 0x16 and 0x155"}
        stream = {"trace": "stream", "time_us": 4e6, "device": 0, "stream": 5, "handle": "0x15", "default": False}
        page = self.crafted([leak], [stream, {**stream, "process": 8, "handle": "0x16"}] + work(1, 5e6, 5e6 + 10))
        self.assertIn("whatstream 5, and 0x16 and 0x155\n", page.of("finding")[0][2])

    def test_several_devices(self):
        page = self.crafted([], work(1, 5e6, 5e6 + 10) + work(2, 5e6, 5e6 + 10, device=1))
        self.assertEqual(lanes(page), ["stream 4 of device 0", "stream 4 of device 1"])

    def test_hostile_files(self):
        """Whatever a program leaves in its log and its trace, the page is well-formed."""
        evil = "<svg onload=alert(1)>&\"'"
        lines = [
            {"finding": evil, "note": "x", "what": evil, "at": [evil, 3, None], "objects": [{"what": evil}, 3, None]},
            {"finding": evil, "objects": evil, "at": {"a": evil}, "time_us": 1e308},
            {"trace": "begin", "time_us": 5, "function": evil, "stream": -1e30, "device": 1e30, "work": 1},
            {"trace": "begin", "time_us": 1e300, "function": evil, "bytes_read": -1e300, "work": 2},
            {"trace": "end", "time_us": 1, "work": 2}, {"trace": "end", "time_us": 1, "work": 77},
            {"trace": "allocate", "time_us": 5, "address": evil, "bytes": 1e300, "device": 63},
            {"trace": "allocate", "time_us": 5, "address": evil, "bytes": -7, "device": -1},
            {"trace": "free", "time_us": 4, "address": evil}, {"trace": "free", "time_us": 4, "address": "0x1"},
            {"trace": "wait", "time_us": 3, "lasted_us": -1e300, "thread": 1e300, "function": evil},
            {"trace": evil, "time_us": 4}, {"trace": "wait"}, [], 3, "x",
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        text += '{"a":\n\0\n' + "[" * 100 + '\n"\\ud800"\n{"x":1e999}\n'
        for k, name in enumerate(("REGRAD_CHECK_LOG", "REGRAD_TRACE")):
            with open(self.path(f"text{k}"), "w") as file:
                file.write(text)
            page = self.report(*SHELL, f'cat text{k} >>"${name}"', status=99)
            self.assertEqual(len(page.of("finding")), 2)
            self.assertEqual(len(page.of("work")), 2)
            self.assertEqual(len(page.of("allocation")), 2)
            self.assertIn(evil, page.of("finding")[0][2])
            for element in page.elements:
                self.assertNotIn("onload", element[1])


if __name__ == "__main__":
    unittest.main()
