# SPDX-License-Identifier: Apache-2.0
"""The page of `regrad exec --report` in a browser: nothing overflows, links lead somewhere, and screenshots are kept.

Needs Chromium (Debian: chromium). The screenshots are in the directory REGRAD_SCREENSHOTS.
"""
import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
import urllib.parse

from check_cli_exec import PLANTED, SHELL, Exec, work

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if BROWSER is None:
    print("skipped: Chromium (Debian: chromium) is missing", file=sys.stderr)
    sys.exit(77)
SCREENSHOTS = os.environ["REGRAD_SCREENSHOTS"]
WIDTHS = (500, 1280, 2400)
HEIGHT = 1000

# A page that shows the report in a frame as wide as the window is to be: windows cannot be made as narrow. It writes
# what it has measured into itself.
FRAME = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0"><iframe id="f" srcdoc="%s"
style="border:0;width:%dpx;height:%dpx"></iframe><pre id="measured"></pre><script>
document.getElementById('f').onload = () => {
  const page = document.getElementById('f').contentDocument, view = page.defaultView, root = page.documentElement;
  const box = element => { const r = element.getBoundingClientRect();
                           return {left: r.left, right: r.right, top: r.top, width: r.width, height: r.height}; };
  const seen = query => [...page.querySelectorAll(query)].filter(e => view.getComputedStyle(e).display != 'none');
  const style = query => view.getComputedStyle(page.querySelector(query));
  const overflowing = [...page.querySelectorAll('p,h1,h2,h3,dd,pre,code,.name,.flag,.chart,.number,.length')].filter(
    e => !e.closest('.wide,.scroll') && (e.getBoundingClientRect().right > root.clientWidth + 0.5 ||
                                         e.getBoundingClientRect().left < -0.5));
  document.getElementById('measured').textContent = JSON.stringify({
    inner: view.innerWidth, scroll: root.scrollWidth, height: Math.min(root.scrollHeight, 8000),
    overflowing: overflowing.map(e => e.outerHTML.slice(0, 200)),
    heading: box(page.querySelector('h2')), charts: seen('.chart').map(box), svg: seen('.chart svg').map(box),
    numbers: seen('.chart:first-of-type .number, #timeline + .chart .number').map(box),
    lengths: seen('#timeline + .chart .length').map(box), works: seen('.work').map(box),
    sizes: seen('.chart .name,.number,.length,.flag,.owner').map(e => parseFloat(view.getComputedStyle(e).fontSize)),
    dead: [...page.querySelectorAll('a[href^="#"]')].map(a => a.getAttribute('href').slice(1))
            .filter(id => page.getElementById(id) === null),
    files: [...page.querySelectorAll('a.manual')].map(a => a.href),
    background: style('body').backgroundColor, text: style('body').color});
};
</script>"""


def browse(profile, *arguments):
    """Runs the browser, with all that it starts in a group of its own, none of which is left."""
    words = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--disable-extensions", "--virtual-time-budget=2000", f"--user-data-dir={profile}"]
    with subprocess.Popen([*words, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=120)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    assert process.returncode == 0, errors.decode(errors="replace")
    return output.decode()


def luminance(colour):
    """Of sRGB, as WCAG defines it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class InABrowser(Exec):
    def measure(self, page, width, *options):
        with open(self.path("frame.html"), "w", encoding="utf-8") as file:
            file.write(FRAME % (html.escape(page), width, HEIGHT))
        document = browse(self.path("profile"), *options, "--dump-dom", f"--window-size={width},{HEIGHT}",
                          "file://" + self.path("frame.html"))
        return json.loads(html.unescape(re.search('<pre id="measured">(.*?)</pre>', document, re.S).group(1)))

    def check(self, name, page, width, is_dark):
        options = [f"--blink-settings=preferredColorScheme={0 if is_dark else 1}"]
        got = self.measure(page, width, *options)
        shot = os.path.join(SCREENSHOTS, f"{name}-{width}-{'dark' if is_dark else 'light'}.png")
        browse(self.path("profile"), *options, f"--screenshot={shot}", f"--window-size={width},{got['height']}",
               "file://" + self.path("page.html"))
        self.assertGreater(os.path.getsize(shot), width * got["height"] / 60, "an empty picture")
        self.check_measured(got, width)
        lights = sorted((luminance(got["background"]), luminance(got["text"])))
        self.assertGreater((lights[1] + 0.05) / (lights[0] + 0.05), 7)
        self.assertEqual(luminance(got["background"]) < luminance(got["text"]), is_dark)
        return got

    def check_measured(self, got, width):
        self.assertEqual(got["inner"], width)
        self.assertLessEqual(got["scroll"], width)
        self.assertEqual(got["overflowing"], [])
        self.assertGreater(got["heading"]["width"], 0.9 * width)
        for picture in got["charts"] + got["svg"]:
            self.assertAlmostEqual(picture["width"], got["heading"]["width"], 0)
        self.assertGreaterEqual(min(got["sizes"]), 12)
        for row in ("numbers", "lengths"):
            boxes = sorted(got[row], key=lambda box: box["left"])
            for left, right in zip(boxes, boxes[1:]):
                self.assertLessEqual(left["right"], right["left"], (row, width))
        for bar in got["works"]:
            self.assertGreaterEqual(bar["width"], 1)
        self.assertEqual(got["dead"], [])

    def check_all(self, name):
        os.makedirs(SCREENSHOTS, exist_ok=True)
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        for width in WIDTHS:
            for is_dark in (False, True):
                with self.subTest(width=width, dark=is_dark):
                    got = self.check(name, page, width, is_dark)
        return got

    def test_a_program_with_mistakes(self):
        self.report(PLANTED, status=99)
        got = self.check_all("planted")
        self.assertEqual(len(got["files"]), 4)
        for link in got["files"]:
            path = urllib.parse.unquote(urllib.parse.urlparse(link).path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.readline(), f"# {path.rpartition('/')[2].removesuffix('.md')}\n")

    def test_long_names_and_idle_times(self):
        name = "a_name_without_spaces" * 12
        trace = [{"trace": "allocate", "time_us": 1e6, "address": "0x1", "bytes": 1 << 20, "device": 0}]
        for burst in range(4):
            for k in range(6):
                begin = 5e6 + burst * 3.3e6 + k * 700
                trace += work(10 * burst + k + 1, begin, begin + 400 + 50 * k)
            trace += [{"trace": "allocate", "time_us": begin, "address": f"0x{burst + 2}", "bytes": 1 << 19},
                      {"trace": "waits", "time_us": begin - 500, "thread": 9, "function": name},
                      {"trace": "wait", "time_us": begin - 500, "lasted_us": 1500, "thread": 9, "function": name}]
        for line in trace:
            if line["trace"] == "begin" and line["work"] % 3 == 0:
                line["function"] = name
        findings = [{"finding": kind, "note": kind == "chip-type", "time_us": 5e6 + time, "work": ticket,
                     "function": name, "argument": name, "what": name, "instead": f"{name} on stream 0x14",
                     "at": [{"text": "/" + name.replace("_", "/")}], "objects": [{"what": name, "at": []}]}
                    for kind, time, ticket in (("chip-type", -7e5, 0), ("race-host", 2500, 3), ("leak-array", 9.9e6, 0),
                                               ("leak-list", 9.9e6, 0), (name, 9.9e6, 0))]
        for file_name, lines in (("findings", findings), ("trace", trace)):
            with open(self.path(file_name), "w") as file:
                file.writelines(json.dumps({"process": 7, **line}) + "\n" for line in lines)
        self.report(*SHELL, f'cat findings >>"$REGRAD_CHECK_LOG"; cat trace >>"$REGRAD_TRACE"; : {name}', status=99)
        got = self.check_all("long")
        self.assertEqual(len(got["lengths"]), 3)

    def test_many_idle_times(self):
        """Labels leave each other room, however the cuts are spread, and however many digits their lengths have."""
        for unit in (1e6, 12345.6):
            with self.subTest(unit=unit):
                begins = [5e6 + unit * k * k + unit / 10 * (k % 7) for k in range(60)]
                self.check_idle_times([(begin, begin + 10 ** (k % 5)) for k, begin in enumerate(begins)], 3)

    def test_long_lengths(self):
        """Four cuts, as far from one another as a short length is wide on a narrow page."""
        begins = [5e6 + 4.1e5 * k for k in range(5)]
        self.check_idle_times([(begin, begin + (1e4 if k < 4 else 1.3e4)) for k, begin in enumerate(begins)], 2)

    def check_idle_times(self, works, n_least):
        with open(self.path("trace"), "w") as file:
            for k, (begin, end) in enumerate(works):
                file.writelines(json.dumps({"process": 7, **line}) + "\n" for line in work(k + 1, begin, end))
        self.report(*SHELL, 'cat trace >>"$REGRAD_TRACE"')
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        for width in WIDTHS:
            with self.subTest(width=width):
                got = self.measure(page, width)
                self.check_measured(got, width)
                self.assertGreaterEqual(len(got["lengths"]), n_least)
                self.assertGreaterEqual(len(got["numbers"]), n_least)


if __name__ == "__main__":
    unittest.main()
