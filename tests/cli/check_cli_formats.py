# SPDX-License-Identifier: Apache-2.0
"""regrad exec: what other programs read of a run: traces, formats of findings, suppressions."""
import json
import os
import re
import unittest
import xml.etree.ElementTree
from pathlib import Path

from check_cli_exec import CLIENT, FINDER, PLANTED, SHELL, Exec, summary, work

EVIL = "a:b,c%d\r\n<&\"'>]]>\x01\x1b\x7f\\"
BAD_BYTES = b"\xff\xc3\xed\xa0\x80\xef\xbf\xbf"  # no UTF-8, a surrogate, and a character that XML does not have
DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"


class Formats(Exec):
    def crafted(self, *options, findings=(), trace=(), status=None):
        """Runs a program that leaves these lines, in which BAD stands for bytes that are none of UTF-8."""
        for name, lines in (("findings", findings), ("trace", trace)):
            with open(self.path(name), "wb") as file:
                for line in lines:
                    text = json.dumps({"process": 7, **line}) + "\n"
                    file.write(text.encode().replace(b"BAD", BAD_BYTES))
        copying = 'cat findings >>"$REGRAD_CHECK_LOG"; [ -z "$REGRAD_TRACE" ] || cat trace >>"$REGRAD_TRACE"'
        if status is None:
            status = 99 if any(not finding.get("note") for finding in findings) else 0
        return self.run_exec(*options, *SHELL, copying, status=status)

    def finding(self, kind="race-host", file=None, line=12, **members):
        place = {"text": "program [0x1]", "module": "/bin/program", "address": "0x1"}
        if file is not None:
            place.update(function="main", file=file, line=line, column=3)
        return {"finding": kind, "note": False, "time_us": 5e6, "function": "aclrtMemcpy", "argument": "src",
                "what": "what is wrong", "instead": "do this", "at": [place],
                "objects": [{"what": "a block", "at": [place]}], **members}

    def read(self, name, errors="strict"):
        with open(self.path(name), encoding="utf-8", newline="", errors=errors) as file:
            return file.read()


class TraceEvents(Formats):
    def events(self, *words, **options):
        self.run_exec("--trace", "trace.json", *words, **options)
        return json.loads(self.read("trace.json"))["traceEvents"]

    def test_two_streams(self):
        events = self.events(CLIENT, "streams")
        process, = {event["pid"] for event in events}
        for event in events:
            self.assertLessEqual({"ph", "name", "pid", "tid"}, set(event))
            self.assertIn(event["ph"], "MXC")
        names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        self.assertEqual(sorted(names.values()), ["stream 1", "stream 2", f"thread {process} waits"])
        whole = [event for event in events if event["ph"] == "X"]
        for event in whole:
            self.assertGreater(event["ts"], 0)
            self.assertGreaterEqual(event["dur"], 0)
            self.assertTrue(event["args"]["ended"])
        works = [event for event in whole if event["cat"] == "work" and event["name"].startswith("aclnn")]
        self.assertEqual({(event["name"], names[event["tid"]], event["args"]["bytes_read"]) for event in works},
                         {("aclnnUpsampleNearestExact2dBackward", "stream 1", 65536),
                          ("aclnnUpsampleBilinear2dBackward", "stream 2", 65536)})
        waits = [event["name"] for event in whole if event["cat"] == "wait"]
        self.assertEqual(waits.count("aclrtSynchronizeStream"), 2)
        for name, most in (("memory of device 0", 65536 + 2 * 16384), ("memory of the host, pinned", 65536)):
            counted = [(event["ts"], event["args"]["bytes"]) for event in events
                       if event["ph"] == "C" and event["name"] == name]
            self.assertEqual(counted, sorted(counted))
            self.assertGreaterEqual(max(size for _, size in counted), most)
            self.assertEqual(counted[-1][1], 0)

    def test_exact(self):
        self.crafted("--trace", "trace.json", trace=work(1, 5e6, 5e6 + 10.5) + work(2, 6e6, 6e6 + 1)[:1] + [
            {"trace": "allocate", "time_us": 4e6, "address": "0x1", "bytes": 64, "device": 0},
            {"trace": "waits", "time_us": 7e6, "thread": 9, "function": "wait", "stream": 4}],
            findings=[self.finding()])
        events = json.loads(self.read("trace.json"))["traceEvents"]
        first, second = [event for event in events if event.get("cat") == "work"]
        self.assertEqual((first["ts"], first["dur"], first["pid"], first["args"]),
                         (5e6, 10.5, 7, {"stream": "0x14", "work": 1, "bytes_read": 1, "bytes_written": 2, "status": 0,
                                         "ended": True}))
        self.assertFalse(second["args"]["ended"])
        self.assertGreater(second["dur"], 0)
        wait, = [event for event in events if event.get("cat") == "wait"]
        self.assertEqual((wait["ts"], wait["args"]), (7e6, {"stream": 4, "ended": False}))
        told, = [event for event in events if event["ph"] == "i"]
        self.assertEqual((told["name"], told["cat"], told["ts"], told["pid"], told["s"]),
                         ("race-host", "finding", 5e6, 7, "p"))
        self.assertEqual(told["args"], {"call": "aclrtMemcpy", "argument": "src", "what": "what is wrong",
                                        "instead": "do this", "at": "program [0x1]"})

    def test_hostile_names(self):
        lines = work(1, 5e6, 6e6) + [{"trace": "waits", "time_us": 1e308, "thread": 1e308, "function": "BAD"},
                                     {"trace": "wait", "time_us": 1e308, "lasted_us": 1e308, "thread": 1e308}]
        lines[0]["function"] = "BAD" + EVIL
        self.crafted("--trace", "trace.json", trace=lines, findings=[self.finding(EVIL + "BAD", what="BAD" + EVIL)])
        events = json.loads(self.read("trace.json"))["traceEvents"]
        name, = [event["name"] for event in events if event.get("cat") == "work"]
        self.assertEqual(name, "\uFFFD" * 8 + EVIL.replace("\r", "\uFFFD").replace("\x01", "\uFFFD")
                         .replace("\x1b", "\uFFFD").replace("\x7f", "\uFFFD"))

    def test_that_cannot_be_written(self):
        self.assertRegex(self.refused("exec", "--trace", "no/trace", "touch", "ran", status=3), r"\Ano/trace: ")
        self.assertEqual(self.files(), [])
        self.assertRegex(self.run_exec("--trace", "/dev/full", "true", status=3).stderr, "/dev/full: cannot be written")


class Written(Formats):
    """Formats of findings."""

    def test_where_they_go(self):
        for log, where in ((["--log", "log"], "log"), (["--log", "-"], "stdout"), ([], "stderr")):
            for form, mark in (("github", "::error "), ("json", '{"finding":'), ("sarif", '"$schema"'),
                               ("junit", "<testsuites>"), ("text", "regrad check: test-mistake")):
                done = self.run_exec("--format", form, *log, FINDER, "0", "mistake", status=99)
                text = {"log": lambda: self.read("log", "replace"), "stderr": lambda: done.stderr,
                        "stdout": lambda: done.stdout.decode(errors="replace")}[where]()
                self.assertEqual(text.count(mark), 1, (form, where, text))
                if where != "stderr":
                    self.assertEqual(done.stderr.count(mark), 1 if form == "text" else 0)
                if where == "log":
                    os.unlink(self.path("log"))

    def test_variable_beside_a_format(self):
        """REGRAD_CHECK_LOG stays lines of JSON."""
        variables = self.environment(REGRAD_CHECK_LOG=self.path("other"))
        done = self.run_exec("--format=github", FINDER, "0", "mistake", status=99, env=variables)
        self.assertIn("::error ", done.stderr)
        self.assertEqual(json.loads(self.read("other"))["finding"], "test-mistake")

    def test_lines_are_appended_and_documents_replaced(self):
        for form, n in (("github", 2), ("json", 2), ("text", 2), ("sarif", 1), ("junit", 1)):
            for _ in range(2):
                self.run_exec("--format", form, "--log", form, FINDER, "0", "note")
            self.assertEqual(self.read(form, "replace").count("synchronise the stream first"), n, form)

    def test_usage(self):
        self.assertEqual(self.refused("exec", "--format", "sarf", "true"),
                         "--format is 'sarf'; wanted text, json, github, sarif or junit; did you mean 'sarif'?")

    def test_that_cannot_be_written(self):
        for form in ("github", "json", "text", "sarif", "junit"):
            done = self.run_exec("--format", form, "--log", "/dev/full", FINDER, "0", "note", status=3)
            self.assertRegex(done.stderr, "/dev/full: cannot be written", form)
            self.refused("exec", "--format", form, "--log", "no/log", "touch", "ran", status=3)
        self.assertEqual(self.files(), [])

    def test_github_behind_a_line_without_an_end(self):
        done = self.run_exec("--format=github", *SHELL, f"{FINDER} 0 note; printf x >&2")
        self.assertRegex(done.stderr, r"x\n::notice (file=\S+,line=\d+,)?title=test-note::")

    def test_sarif_of_a_program_that_is_killed(self):
        for program, status, wanted in (
            ("exit 3", 3, {"executionSuccessful": True, "exitCode": 3}),
            ("kill -KILL $$", 128 + 9, {"executionSuccessful": False, "exitSignalNumber": 9}),
        ):
            self.run_exec("--format=sarif", "--log=log", *SHELL, program, status=status)
            invocation, = json.loads(self.read("log"))["runs"][0]["invocations"]
            self.assertEqual(invocation, {**wanted, "arguments": ["sh", "-c", program]})

    def test_one_file_for_two(self):
        for options, message in (
            (["--report=x", "--trace=x"], "exec: --report and --trace are both 'x'"),
            (["--report=html", "--log=regrad-report.html"], "exec: --report and --log are both 'regrad-report.html'"),
            (["--trace=-", "--log=-", "--format=sarif"], "exec: --trace and --log are both '-'"),
        ):
            self.assertEqual(self.refused("exec", *options, "touch", "ran"), message)
        self.assertEqual(self.files(), [])
        self.run_exec("--report=/dev/null", "--trace=/dev/null", "--log=/dev/null", "true")

    def test_github(self):
        source = self.path("a,b:c%.c")
        Path(source).touch()
        self.crafted("--format=github", "--log=log", findings=[
            self.finding(file=source, what="50% of\nit", instead="a, b: c"), self.finding("chip-type", note=True),
            self.finding(EVIL)])
        first, second, third = self.read("log").splitlines()
        self.assertEqual(first, "::error file=a%2Cb%3Ac%25.c,line=12,col=3,title=race-host::aclrtMemcpy, argument src: "
                         "50%25 of%0Ait%0Aobject: a block, at a,b:c%25.c:12%0Ainstead: a, b: c%0Aprocess 7")
        self.assertTrue(second.startswith("::notice title=chip-type::aclrtMemcpy, argument src: "), second)
        self.assertTrue(third.startswith("::error title=a%3Ab%2Cc%25d%0D%0A<&\"'>]]>\uFFFD\uFFFD\uFFFD\\::"), third)

    def test_github_paths(self):
        """From the workspace on; as they are beyond it. Compilers name files by way of the build directory."""
        os.makedirs(self.path("work/src"))
        os.makedirs(self.path("work/build"))
        Path(self.path("work/src/a.c")).touch()
        os.environ["GITHUB_WORKSPACE"] = self.path("work")
        self.addCleanup(os.environ.pop, "GITHUB_WORKSPACE")
        self.crafted("--format=github", "--log=log", findings=[
            self.finding(file=self.path("work/build/../src/a.c")), self.finding(file="/usr/none.c")])
        self.assertEqual([re.search("file=([^,]*)", line).group(1) for line in self.read("log").splitlines()],
                         ["src/a.c", "/usr/none.c"])

    def sarif(self, *options, **crafted):
        self.crafted("--format=sarif", "--log=log", *options, **crafted)
        document = json.loads(self.read("log"))
        self.assertEqual(document["version"], "2.1.0")
        run, = document["runs"]
        return run

    def test_sarif(self):
        Path(self.path("a b.c")).touch()
        run = self.sarif(findings=[self.finding(file=self.path("a b.c")), self.finding("chip-type", note=True, at=[]),
                                   self.finding(file="/usr/none.c", line=1), self.finding()])
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual([rule["id"] for rule in rules], ["race-host", "chip-type"])
        for rule in rules:
            self.assertTrue(rule["help"]["text"] and rule["shortDescription"]["text"])
        first, second, third, fourth = run["results"]
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            self.assertEqual(result["suppressions"], [])
        self.assertEqual([result["level"] for result in run["results"]], ["error", "note", "error", "error"])
        self.assertEqual(first["message"]["text"], "aclrtMemcpy: what is wrong; instead: do this")
        self.assertEqual(first["locations"][0], {
            "physicalLocation": {"artifactLocation": {"uri": "a%20b.c", "uriBaseId": "%SRCROOT%"},
                                 "region": {"startLine": 12, "startColumn": 3}},
            "logicalLocations": [{"fullyQualifiedName": "main", "kind": "function"}]})
        self.assertNotIn("locations", second)
        self.assertEqual(third["locations"][0]["physicalLocation"]["artifactLocation"], {"uri": "file:///usr/none.c"})
        self.assertEqual(fourth["locations"][0], {
            "physicalLocation": {"artifactLocation": {"uri": "file:///bin/program"}},
            "logicalLocations": [{"fullyQualifiedName": "program [0x1]", "kind": "function"}]})
        self.assertEqual(first["relatedLocations"][0]["message"], {"text": "a block"})
        self.assertEqual(first["properties"]["process"], 7)
        self.assertEqual(run["originalUriBaseIds"]["%SRCROOT%"]["uri"],
                         "file://" + os.path.realpath(self.directory.name) + "/")

    def test_sarif_without_findings(self):
        run = self.sarif()
        self.assertEqual((run["results"], run["tool"]["driver"]["rules"]), ([], []))

    def junit(self, *options, **crafted):
        self.crafted("--format=junit", "--log=log", *options, **crafted)
        suites = xml.etree.ElementTree.fromstring(self.read("log"))
        suite, = suites
        cases = suite.findall("testcase")
        self.assertEqual(int(suite.get("tests")), len(cases))
        for name, tag in (("failures", "failure"), ("skipped", "skipped")):
            self.assertEqual(int(suite.get(name)), len(suite.findall(f"testcase/{tag}")))
        return cases

    def test_junit(self):
        program, mistake, note = self.junit(findings=[self.finding(file="/usr/none.c"),
                                                      self.finding("chip-type", note=True)])
        self.assertEqual(len(program), 0)
        self.assertEqual(mistake.get("name"), "aclrtMemcpy at /usr/none.c:12")
        failure, = mistake
        self.assertEqual((failure.tag, failure.get("type"), failure.get("message")),
                         ("failure", "race-host", "what is wrong"))
        self.assertTrue(failure.text.startswith("regrad check: race-host\n"))
        self.assertEqual(([child.tag for child in note]), ["system-out"])

    def test_junit_of_a_program_that_fails(self):
        self.run_exec("--format=junit", "--log=log", "false", status=1)
        failure = xml.etree.ElementTree.fromstring(self.read("log")).find("testsuite/testcase/failure")
        self.assertEqual(failure.get("message"), "ended with status 1")

    def test_hostile_names(self):
        """Any bytes give valid XML and JSON."""
        evil = [self.finding(EVIL + "BAD", file="/BAD" + EVIL, what="BAD" + EVIL, function=EVIL + "BAD")]
        wanted = EVIL.replace("\r", "\uFFFD").replace("\x01", "\uFFFD").replace("\x1b", "\uFFFD") \
            .replace("\x7f", "\uFFFD")
        case = self.junit(findings=evil)[1]
        self.assertEqual(case[0].get("message"), "\uFFFD" * 8 + wanted.replace("\n", " "))
        self.assertEqual(self.sarif(findings=evil)["results"][0]["ruleId"], wanted + "\uFFFD" * 8)
        self.crafted("--format=json", "--log=lines", findings=evil)
        self.assertEqual(json.loads(self.read("lines"))["finding"], wanted + "\uFFFD" * 8)

    def test_rules_are_those_of_the_documentation(self):
        text = (DOCUMENTS / "check.md").read_text("utf-8")
        rows = re.findall(r"^\| (\[[^|]+\)) \| ([^|]+) \|", text, re.M)
        texts = {kind: text.replace("`", "") for kinds, text in rows for kind in re.findall(r"\[([a-z-]+)\]", kinds)}
        self.assertGreater(len(texts), 40)
        rules = self.sarif(findings=[self.finding(kind) for kind in texts])["tool"]["driver"]["rules"]
        self.assertEqual({rule["id"]: rule["shortDescription"]["text"] for rule in rules}, texts)

    def test_a_real_program(self):
        done = self.run_exec("--format=sarif", "--log=log", PLANTED, status=99)
        self.assertIn("3 findings, 1 note", done.stderr)
        run, = json.loads(self.read("log"))["runs"]
        self.assertEqual({result["ruleId"] for result in run["results"]},
                         {"scale-inverted", "race-stream", "race-host", "leak-array"})
        for result in run["results"]:
            place = result["locations"][0]["physicalLocation"]
            self.assertRegex(place["artifactLocation"]["uri"], r"^file:///.*/tests/cli/exec_planted\.c$")
            self.assertGreater(place["region"]["startLine"], 1)


class Suppressed(Formats):
    def suppress(self, *lines, **options):
        with open(self.path("known"), "w") as file:
            file.write("\n".join(lines))
        return self.crafted("--suppress=known", **options)

    def test_patterns(self):
        finding = self.finding(file="/home/x y/src/a.c", line=12)
        for line in ("race-host aclrtMemcpy main", "race-* aclrt* *", "* * a.c", "* * a.c:12", "* * src/a.c:1?",
                     "race-host\taclrtMemcpy   /home/x y/src/*  ", "* * program", "* * /bin/program",
                     "r[a-b]ce-host * *", "* * program \\[0x1\\]"):
            done = self.suppress("# known", "", line, findings=[finding], status=0)
            self.assertEqual(done.stderr, "regrad: exec: sh ended with status 0; 0 findings, 0 notes, 1 suppressed\n")
        for line in ("race * *", "race-host aclrtMemcpyAsync *", "* * b.c", "* * a.c:1", "* * c", "* * home/x"):
            done = self.suppress(line, findings=[finding], status=99)
            self.assertEqual(done.stderr, f"regrad: exec: known:1: note: no finding is {line}\n"
                             "regrad: exec: sh ended with status 0; 1 finding, 0 notes\n")

    def test_a_finding_without_places(self):
        self.assertIn("1 suppressed", self.suppress("* * *", findings=[self.finding(at=[])], status=0).stderr)
        self.suppress("* * ?*", findings=[self.finding(at=[])], status=99)

    def test_others_still_count(self):
        done = self.suppress("race-host * *", "chip-* * *", findings=[
            self.finding(), self.finding("chip-type", note=True), self.finding("leak-array"), self.finding()])
        self.assertEqual(done.stderr, "regrad: exec: sh ended with status 0; 1 finding, 0 notes, 3 suppressed\n")

    def test_malformed(self):
        for text, message in (
            ("* * *\nrace-host\n", "exec: known:2: wanted a kind, a function and a place, as in 'race-host * *'"),
            ("race-host f", "exec: known:1: wanted a kind, a function and a place, as in 'race-host f *'"),
        ):
            with open(self.path("known"), "w") as file:
                file.write(text)
            self.assertEqual(self.refused("exec", "--suppress", "known", "touch", "ran"), message)
        self.assertEqual(self.refused("exec", "--suppress", "no", "touch", "ran"),
                         "exec: no: cannot be read: No such file or directory")
        self.assertRegex(self.refused("exec", "--suppress", ".", "touch", "ran"), r"exec: \.: cannot be read: ")
        self.assertEqual(self.files(), ["known"])

    def test_formats(self):
        findings = [self.finding(), self.finding("leak-array")]
        for form, text in (("github", "leak-array"), ("json", "leak-array"), ("text", "leak-array")):
            self.suppress("race-host * *", findings=findings)
            self.crafted("--suppress=known", f"--format={form}", f"--log={form}", findings=findings)
            self.assertIn(text, self.read(form))
            self.assertNotIn("race-host", self.read(form))
        self.crafted("--suppress=known", "--format=sarif", "--log=log", findings=findings)
        results = {result["ruleId"]: result["suppressions"]
                   for result in json.loads(self.read("log"))["runs"][0]["results"]}
        self.assertEqual(results, {"race-host": [{"kind": "external", "justification": "known:1"}], "leak-array": []})
        self.crafted("--suppress=known", "--format=junit", "--log=log", findings=findings)
        skipped, = xml.etree.ElementTree.fromstring(self.read("log")).iter("skipped")
        self.assertEqual(skipped.get("message"), "suppressed by known:1")

    def test_a_real_program(self):
        """What is known is not told on standard error either."""
        with open(self.path("known"), "w") as file:
            file.write("race-* * exec_planted.c:*\nleak-array aclFinalize main\n")
        done = self.run_exec("--suppress", "known", PLANTED)
        self.assertNotIn("race-", done.stderr)
        self.assertIn("regrad check: scale-inverted (note)", done.stderr)
        self.assertIn(summary(f"{PLANTED} ended with status 0", 0, 1)[:-1] + ", 3 suppressed\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
