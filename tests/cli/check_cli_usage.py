# SPDX-License-Identifier: Apache-2.0
"""Help, versions, refusals of usage, and what is suggested."""
import os
import re
import unittest

from cli import COMMANDS, OPERATORS, RESIZES, Case, n_axes, np, sizes

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../include/regrad.h")


class Help(Case):
    def test_everywhere(self):
        for words in [[]] + [[c] for c in COMMANDS] + [[c, o] for c in ("run", "describe", "check") for o in OPERATORS]:
            for option in ("--help", "-h"):
                text = self.text(*words, option)
                self.assertRegex(text, r"\AUsage: regrad ")
                self.assertLess(max(map(len, text.splitlines())), 121)
                for word in words:
                    self.assertIn(word, text)
            for option in ("--version", "-V"):
                self.assertRegex(self.text(*words, option),
                                 r"\Aregrad \d+\.\d+\.\d+ \(library \d+\.\d+\.\d+, \w+\)\n\Z")

    def test_every_option_in_help_is_taken(self):
        """An option that an operator's help names is not refused as unknown there, and one that it does not is."""
        known = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", "".join(
            self.text(c, *o, "--help") for c in ("run", "check", "describe") for o in [[x] for x in OPERATORS]), re.M))
        known -= {"help", "version"}
        for command in ("run", "describe", "check"):
            for operator in OPERATORS:
                text = self.text(command, operator, "--help")
                takes = dict(re.findall(r"^ +(?:-\w, )?--([a-z-]+)(?: <(.*)>)?$", text, re.M))
                for option in known:
                    value = {"law": "gather", "coordinates": "half_pixel", "interpolation": "nearest",
                             "padding": "border", "layout": "nhwc", "dtype": "f32", "output-mask": "both",
                             "input-size": "1,1", "output-size": "1,1"}
                    flags = ("align-corners", "asymmetric", "half-pixel-centers", "time", "overwrite")
                    argument = [] if option in flags else [value.get(option, "1")]
                    message = self.refused(command, operator, "--" + option, *argument, "no.npy", "no.npy", "no.npy",
                                           "no.npy")
                    if option in takes:
                        self.assertRegex(message, "files are given")
                    else:
                        self.assertRegex(message, rf"\A{operator} takes no option --{option}(; wanted --.*)?\Z")

    def test_list(self):
        lines = self.text("list").splitlines()
        self.assertEqual([line.split()[0] for line in lines], OPERATORS)
        self.assertTrue(all(len(line.split()) > 2 for line in lines))
        summaries = [line.split(None, 1)[1] for line in lines]
        self.assertEqual(len(set(summaries)), len(summaries), "each operator has a summary of its own")
        for line, summary in zip(lines, summaries):
            gradient = line.split()[0].endswith(("_backward", "_grad"))
            self.assertEqual(summary.startswith("gradient"), gradient, line)

    def test_list_has_all_functions(self):
        with open(HEADER) as file:
            names = re.findall(r"\bregrad_(\w+)_plan_with\(", file.read())
        self.assertEqual(sorted(set(names) - {"resize"}), sorted(OPERATORS))

    def test_options_of_resizes(self):
        """Nearest ones have a law, the others coordinates; each axis has its scale."""
        for operator in RESIZES:
            text = self.text("run", operator, "--help")
            options = set(re.findall(r"^ +--([a-z-]+)", text, re.M))
            wanted = {"scale-l"} if n_axes(operator) == 1 else {f"scale-{x}" for x in "dhw"[-n_axes(operator):]}
            self.assertEqual({x for x in options if x.startswith("scale-")}, wanted, operator)
            self.assertEqual("law" in options, "nearest" in operator, operator)
            self.assertEqual({"coordinates", "align-corners"} <= options, "nearest" not in operator, operator)
            self.assertEqual("asymmetric" in options, "nearest" not in operator and "_aa" not in operator, operator)
            shape = {1: "(N, C, L)", 2: "(N, C, H, W)", 3: "(N, C, D, H, W)"}[n_axes(operator)]
            self.assertIn(shape, text)
            self.assertIn({1: "(N, C, L')", 2: "(N, C, H', W')", 3: "(N, C, D', H', W')"}[n_axes(operator)], text)


class Refusals(Case):
    def check_messages(self, messages):
        for words, message in messages:
            with self.subTest(words=words):
                self.assertEqual(self.refused(*words), message)

    def test_messages_of_words(self):
        self.check_messages([
            ([], "no command is given ('regrad --help' names them all)"),
            (["rnu"], "unknown command 'rnu'; did you mean 'run'? ('regrad --help' names them all)"),
            (["xyzzy"], "unknown command 'xyzzy' ('regrad --help' names them all)"),
            (["run"], "run: no operator is given ('regrad list' names them all)"),
            (["run", "upsample_biliner2d"], "unknown operator 'upsample_biliner2d'; did you mean 'upsample_bilinear2d'?"
             " ('regrad list' names them all)"),
            (["check", "nearest_exact1d"], "unknown operator 'nearest_exact1d'; did you mean "
             "'upsample_nearest_exact1d'? ('regrad list' names them all)"),
            (["describe", "conv2d"], "unknown operator 'conv2d' ('regrad list' names them all)"),
            (["run", "--algin-corners"], "unknown option '--algin-corners'; did you mean '--align-corners'?"),
            (["run", "--xyzzy=3"], "unknown option '--xyzzy'"),
            (["run", "-x"], "unknown option '-x'"),
            (["run", "--=3"], "unknown option '--'"),
            (["run", "--input", "4"], "option '--input' is ambiguous; it may be --input-size, --input-grad"),
            (["run", "--scale=4"],
             "option '--scale' is ambiguous; it may be --scale-l, --scale-d, --scale-h, --scale-w"),
            (["run", "--coordinates", "half"],
             "--coordinates is 'half'; wanted half_pixel, align_corners or asymmetric; did you mean 'half_pixel'?"),
            (["run", "--time=3"], "option --time takes no argument"),
            (["run", "--ti=3"], "option --time takes no argument"),
            (["run", "--law"], "option --law needs an argument: forward or gather"),
            (["run", "--law", "gathr"], "--law is 'gathr'; wanted forward or gather; did you mean 'gather'?"),
            (["run", "--scale-h", "2x"], "--scale-h is '2x'; wanted a number"),
            (["run", "--threads", "-1"], "--threads is '-1'; wanted a whole number"),
            (["run", "--input-size", "1,2,3,4,5,6"], "--input-size is '1,2,3,4,5,6'; wanted sizes separated by commas"),
            (["run", "--input-size", "1,2,"], "--input-size is '1,2,'; wanted sizes separated by commas"),
            (["run", "--input-size", "1,-2"], "--input-size is '1,-2'; wanted sizes separated by commas"),
            (["run", "--input-size", "99999999999999999999"],
             "--input-size is '99999999999999999999'; wanted sizes separated by commas"),
            (["run", "-o", "", "upsample_bilinear2d"], "--output is ''; wanted a file"),
            (["list", "all"], "list: takes no words, and 'all' is given"),
            (["list", "--time"], "list takes no option --time"),
            (["run", "grid_sampler_2d", "-", "-", "-o", "x"], "standard input, '-', can be only one of the files"),
            (["run", "resize_bilinear_v2_grad"], "resize_bilinear_v2_grad: 0 files are given; wanted grads "
             "[original_image]"),
            (["run", "grid_sampler_2d", "a.npy"], "grid_sampler_2d: 1 file is given; wanted input grid"),
            (["describe", "upsample_bilinear2d", "--input-size", "4,4", "--output-size", "8,8"],
             "upsample_bilinear2d: the size of the forward's input is not known; give it with --input-size, "
             "N and C included"),
        ])

    def test_messages_of_files(self):
        self.save("a.npy", np.zeros((1, 1, 2, 2), "f4"))
        up = ["run", "upsample_bilinear2d", "a.npy"]
        back = ["run", "upsample_bilinear2d_backward", "a.npy"]
        grid = ["run", "grid_sampler_2d_backward", "a.npy", "a.npy", "a.npy"]
        self.check_messages([
            (up, "upsample_bilinear2d: the size of the forward's output is not known; give it with --output-size"),
            (back, "upsample_bilinear2d_backward: the size of the forward's input is not known; give it with "
             "--input-size"),
            (up + ["--output-size", "2,2"], "upsample_bilinear2d: no file for a result is given; wanted -o FILE"),
            (up + ["--output-size", "2,2,2"],
             "--output-size has 3 numbers; upsample_bilinear2d wants N,C,H,W or H,W"),
            (up + ["--output-size", "2"], "--output-size has 1 number; upsample_bilinear2d wants N,C,H,W or H,W"),
            (up + ["--output-size", "2,2", "--input-size", "3,3"], "--input-size has 3 where the file has 2"),
            (up + ["--padding", "zeros"], "upsample_bilinear2d takes no option --padding"),
            (up + ["--scale-l", "2"], "upsample_bilinear2d takes no option --scale-l; wanted --scale-h or --scale-w"),
            (up + ["--grid-grad", "x"], "upsample_bilinear2d takes no option --grid-grad; wanted --output"),
            (grid + ["-o", "x"], "grid_sampler_2d_backward takes no option --output; wanted --input-grad or "
             "--grid-grad"),
            (["check", *grid[1:], "-o", "x"], "grid_sampler_2d_backward takes no option --output"),
            (up + ["--align-corners", "--asymmetric"], "--align-corners and --asymmetric exclude each other"),
            (up + ["--align-corners", "--coordinates", "half_pixel"],
             "--coordinates and --align-corners exclude each other"),
            (up + ["--asymmetric", "--coordinates", "asymmetric"],
             "--coordinates and --asymmetric exclude each other"),
            (up + ["--scale-d", "2"], "upsample_bilinear2d takes no option --scale-d; wanted --scale-h or --scale-w"),
            (up + ["--law", "gather"], "upsample_bilinear2d takes no option --law"),
            (up + ["--half-pixel-centers"], "upsample_bilinear2d takes no option --half-pixel-centers"),
            (up + ["a.npy"], "upsample_bilinear2d: 2 files are given; wanted input"),
            (["describe", *up[1:], "a.npy"], "upsample_bilinear2d: 2 files are given; wanted input, or none and sizes"),
            (up + ["--scale-h", "1e300", "--scale-w", "1"],
             "a size of 2 times a scale of 1e+300 is no size that an output can have"),
            (grid, "grid_sampler_2d_backward: no file for a result is given; wanted --input-grad FILE, "
             "--grid-grad FILE or both"),
            (grid + ["--input-grad", "x", "--grid-grad", "x"], "both results would go to 'x'"),
            (grid + ["--input-grad", "x", "--grid-grad", "./x"], "both results would go to './x'"),
        ])

    def test_messages_of_the_family(self):
        self.save("n.npy", np.zeros((1, 2, 5), "f4"))
        self.save("i.npy", np.zeros((1, 2, 5, 6), "f4"))
        self.save("v.npy", np.zeros((1, 2, 4, 5, 6), "f4"))
        self.save("six.npy", np.zeros((1, 1, 1, 2, 5, 6), "f4"))
        wants = "upsample_trilinear3d wants 5: "
        three, last = ["run", "upsample_trilinear3d"], ["--layout", "nhwc"]
        cases = [
            (three + ["i.npy"], f"i.npy: has 4 dimensions; input of {wants}N, C, D, H, W"),
            (three + ["i.npy", *last], f"i.npy: has 4 dimensions; input of {wants}N, D, H, W, C"),
            (three + ["six.npy"], f"six.npy: has 6 dimensions; input of {wants}N, C, D, H, W"),
            (["run", "upsample_bicubic2d_backward", "v.npy"],
             "v.npy: has 5 dimensions; grad_output of upsample_bicubic2d_backward wants 4: N, C, H, W"),
            (["run", "upsample_linear1d", "v.npy", *last],
             "v.npy: has 5 dimensions; input of upsample_linear1d wants 3: N, L, C"),
            (three + ["v.npy", "--output-size", "2,3"],
             "--output-size has 2 numbers; upsample_trilinear3d wants N,C,D,H,W or D,H,W"),
            (["run", "upsample_lanczos2d_aa", "i.npy", "--output-size", "1,2,3"],
             "--output-size has 3 numbers; upsample_lanczos2d_aa wants N,C,H,W or H,W"),
            (["run", "upsample_nearest1d", "n.npy", "--output-size", "1,2"],
             "--output-size has 2 numbers; upsample_nearest1d wants N,C,L or L"),
            (three + ["v.npy", "--scale-l", "2"],
             "upsample_trilinear3d takes no option --scale-l; wanted --scale-d or --scale-h or --scale-w"),
            (["run", "upsample_linear1d", "n.npy", "--scale-w", "2"],
             "upsample_linear1d takes no option --scale-w; wanted --scale-l"),
            (three + ["v.npy", "--scale-h", "2", "--scale-w", "2"],
             "upsample_trilinear3d: the size of the forward's output is not known; give it with --output-size"),
            (["run", "upsample_nearest3d_backward", "v.npy", "--coordinates", "asymmetric"],
             "upsample_nearest3d_backward takes no option --coordinates"),
        ]
        cases += [
            (["run", "grid_sampler_3d", "v.npy", "i.npy"],
             "i.npy: has 4 dimensions; grid of grid_sampler_3d wants 5: N, D, H, W, 3"),
            (["run", "grid_sampler_2d", "i.npy", "v.npy"],
             "v.npy: has 5 dimensions; grid of grid_sampler_2d wants 4: N, H, W, 2"),
        ]
        for operator in ("upsample_bilinear2d_aa", "upsample_bicubic2d_aa", "upsample_lanczos2d_aa"):
            cases += [
                (["run", operator, "i.npy", "--output-size", "2,2", "--coordinates", "asymmetric"],
                 f"{operator}: --coordinates is 'asymmetric'; wanted half_pixel or align_corners"),
                (["run", operator, "i.npy", "--output-size", "2,2", "--asymmetric"],
                 f"{operator} takes no option --asymmetric"),
            ]
        self.check_messages(cases)

    def test_wrong_orders(self):
        """Sizes in the order of the files, and files in another order than the one they are read in."""
        self.save("chw.npy", np.zeros((2, 3, 8, 7), "f4"))
        self.save("hwc.npy", np.zeros((2, 8, 7, 3), "f4"))
        self.save("cdhw.npy", np.zeros((2, 3, 5, 8, 7), "f4"))
        self.save("dhwc.npy", np.zeros((2, 5, 8, 7, 3), "f4"))
        self.save("cl.npy", np.zeros((2, 3, 8), "f4"))
        self.save("lc.npy", np.zeros((2, 8, 3), "f4"))
        last = ["--layout", "nhwc"]
        order = "; sizes are in the order N,C,H,W, whatever the layout of the files"
        for operator, file, options, message in [
            ("upsample_bilinear2d_backward", "hwc.npy", ["--input-size", "2,4,4,3", *last],
             "--input-size has C = 4 where hwc.npy has 3" + order),
            ("upsample_bilinear2d_backward", "chw.npy", ["--input-size", "2,4,4,3"],
             "--input-size has C = 4 where chw.npy has 3" + order),
            ("upsample_nearest_exact2d", "hwc.npy", ["--output-size", "2,4,4,3", *last],
             "--output-size has C = 4 where hwc.npy has 3" + order),
            ("upsample_nearest_exact1d_backward", "lc.npy", ["--input-size", "2,4,3", *last],
             "--input-size has C = 4 where lc.npy has 3" + order.replace("H,W", "L")),
            ("upsample_bilinear2d_backward", "hwc.npy", ["--input-size", "2,3,4,4"],
             "--input-size has C = 3 where hwc.npy has 8; with --layout nhwc it has 3 too"),
            ("upsample_bilinear2d", "chw.npy", ["--output-size", "2,3,4,4", *last],
             "--output-size has C = 3 where chw.npy has 7; without --layout nhwc it has 3 too"),
            ("upsample_nearest_exact1d_backward", "lc.npy", ["--input-size", "2,3,4"],
             "--input-size has C = 3 where lc.npy has 8; with --layout nhwc it has 3 too"),
            ("upsample_nearest_exact1d", "cl.npy", ["--output-size", "2,3,4", *last],
             "--output-size has C = 3 where cl.npy has 8; without --layout nhwc it has 3 too"),
            ("upsample_trilinear3d_backward", "dhwc.npy", ["--input-size", "2,4,4,4,3", *last],
             "--input-size has C = 4 where dhwc.npy has 3" + order.replace("H,W", "D,H,W")),
            ("upsample_nearest3d", "dhwc.npy", ["--output-size", "2,3,4,4,4"],
             "--output-size has C = 3 where dhwc.npy has 5; with --layout nhwc it has 3 too"),
            ("upsample_nearest_exact3d_backward", "cdhw.npy", ["--input-size", "2,3,4,4,4", *last],
             "--input-size has C = 3 where cdhw.npy has 7; without --layout nhwc it has 3 too"),
        ]:
            with self.subTest(operator=operator, file=file):
                self.assertEqual(self.refused("run", operator, file, *options, "-o", "x.npy"), f"{operator}: {message}")
        self.assertEqual(self.refused("describe", "upsample_bilinear2d", "hwc.npy", *last, "--input-size", "2,8,7,3",
                                      "--output-size", "4,4"), "--input-size has 8 where the file has 3" + order)

    def test_library_messages_name_files(self):
        """What the library refuses is refused with its words, in which tensors have the names of their files."""
        self.save("a.npy", np.zeros((1, 1, 2, 2), "f4"))
        self.save("grid.npy", np.zeros((1, 2, 2, 3), "f4"))
        self.save("f64.npy", np.zeros((1, 2, 2, 2), "f8"))
        out = ["-o", "x.npy"]
        message = self.refused("run", "grid_sampler_2d", "a.npy", "grid.npy", *out)
        self.assertRegex(message, r"grid_sampler_2d.*grid \(grid\.npy\).*3.*2")
        message = self.refused("run", "grid_sampler_2d", "a.npy", "f64.npy", *out)
        self.assertRegex(message, r"grid_sampler_2d.*grid \(f64\.npy\).*float64.*float32")
        message = self.refused("run", "upsample_bilinear2d", "a.npy", *out, "--output-size", "2,0")
        self.assertRegex(message, r"upsample_bilinear2d.*output.*0")
        message = self.refused("run", "upsample_bilinear2d", "a.npy", *out, "--output-size", "2,2", "--scale-h", "nan")
        self.assertRegex(message, r"upsample_bilinear2d.*scale_h.*nan")
        message = self.refused("run", "upsample_bilinear2d_backward", "a.npy", *out, "--input-size", "1,7,2,2")
        self.assertRegex(message, r"upsample_bilinear2d_backward.*1.*7")
        message = self.refused("run", "upsample_nearest_exact2d_grad", "a.npy", *out, "--input-size", "2,2",
                               "--output-size", "2,3")
        self.assertRegex(message, r"upsample_nearest_exact2d_grad.*output_size.*3.*2")
        self.assertEqual(self.files(), ["a.npy", "f64.npy", "grid.npy"])

    def test_library_refuses_scales_and_types(self):
        self.save("u.npy", np.zeros((1, 1, 2, 2), "u1"))
        self.save("v.npy", np.zeros((1, 1, 2, 2, 2), "f4"))
        for operator in RESIZES:
            words = ["describe", operator, *sizes(operator, (1, 1, 2, 2, 2), (4, 4, 4))]
            names = "l" if n_axes(operator) == 1 else "dhw"[-n_axes(operator):]
            for name in names:
                for value, text in [("nan", "nan"), ("inf", "inf"), ("5e-324", "4.94|5e-324"), *(
                        [("-2", "-2")] if "nearest" in operator else [])]:
                    message = self.refused(*words, f"--scale-{name}", value)
                    self.assertRegex(message, rf"\Aregrad_{operator}: scale_{name} is .*({text})", operator)
            if "nearest" not in operator or "backward" in operator:
                self.assertRegex(self.refused(*words, "--dtype", "u8"),
                                 rf"\Aregrad_{operator}: \w+\.dtype is REGRAD_UINT8 .*, must be ")
            else:
                self.assertIn("uint8", self.text(*words, "--dtype", "u8"))
            zero = sizes(operator, (1, 1, 2, 2, 2), (4, 4, 0))
            self.assertRegex(self.refused("describe", operator, *zero), rf"\Aregrad_{operator}: .*0")
        # A filter that is infinitely long, of a scale that is not.
        message = self.refused("describe", "upsample_lanczos2d_aa", "--input-size", "1,1,2,2", "--output-size", "4,4",
                               "--scale-h", "5e-39")
        self.assertRegex(message, r"upsample_lanczos2d_aa: scale_h is ")
        message = self.refused("run", "upsample_bicubic2d", "u.npy", "--output-size", "4,4", "-o", "x.npy")
        self.assertRegex(message, r"upsample_bicubic2d: input \(u\.npy\)\.dtype is REGRAD_UINT8 .*, must be ")
        message = self.refused("run", "upsample_trilinear3d", "v.npy", "--output-size", "1,3,4,4,4", "-o", "x.npy")
        self.assertRegex(message, r"upsample_trilinear3d: .*1.*3")

    def test_inverted_scales(self):
        """The forward's input over its output: a warning, and the result that was asked for."""
        self.save("a.npy", np.ones((1, 1, 4, 6), "f4"))
        self.save("s.npy", np.ones((1, 1, 6), "f4"))
        self.save("v.npy", np.ones((1, 1, 4, 4, 6), "f4"))
        two = ["upsample_bilinear2d_backward", "upsample_nearest_exact2d_backward", "resize_bilinear_v2_grad",
               "upsample_nearest_exact2d_grad"]
        cases = [(o, "a.npy", "--input-size", "2,9", "scale-h", "0.5", "2 / 4", "2") for o in two]
        cases += [(o, "a.npy", "--input-size", "4,9", "scale-w", "1.5", "9 / 6", "0.666666667") for o in two]
        cases += [("upsample_bilinear2d", "a.npy", "--output-size", "4,3", "scale-w", "2", "6 / 3", "0.5"),
                  ("upsample_nearest_exact2d", "a.npy", "--output-size", "9,6", "scale-h", repr(4 / 9), "4 / 9",
                   "2.25"),
                  ("upsample_nearest_exact1d", "s.npy", "--output-size", "12", "scale-l", "0.5", "6 / 12", "2"),
                  ("upsample_nearest_exact1d_backward", "s.npy", "--input-size", "2", "scale-l", "0.3333333", "2 / 6",
                   "3"),
                  ("upsample_linear1d", "s.npy", "--output-size", "12", "scale-l", "0.5", "6 / 12", "2"),
                  ("upsample_trilinear3d_backward", "v.npy", "--input-size", "2,4,6", "scale-d", "0.5", "2 / 4", "2"),
                  ("upsample_nearest3d", "v.npy", "--output-size", "4,4,3", "scale-w", "2", "6 / 3", "0.5"),
                  ("upsample_lanczos2d_aa", "a.npy", "--output-size", "2,6", "scale-h", "2", "4 / 2", "0.5")]
        for operator, file, size, value, scale, given, quotient, wanted in cases:
            with self.subTest(operator=operator, scale=scale):
                words = [operator, file, size, value, "--" + scale, given]
                warning = (f"regrad: warning: {operator}: --{scale} is {float(given):g}, the forward's input over its "
                           f"output ({quotient}); wanted its output over its input, about {wanted}, or no scale, which "
                           "means the sizes\n")
                self.assertEqual(self.regrad("run", *words, "-o", "x.npy").stderr, warning)
                self.assertTrue(os.path.exists(self.path("x.npy")))
                self.assertEqual(self.regrad("describe", *words).stderr, warning)

    def test_scales_that_are_not_inverted(self):
        self.save("a.npy", np.ones((1, 1, 4, 6), "f4"))
        for words in [["upsample_bilinear2d_backward", "--input-size", "2,3", "--scale-h", "2", "--scale-w", "2"],
                      ["upsample_bilinear2d_backward", "--input-size", "2,3", "--scale-h", "2.4"],
                      ["upsample_bilinear2d_backward", "--input-size", "2,3", "--scale-h", "7"],
                      ["upsample_bilinear2d_backward", "--input-size", "4,6", "--scale-h", "1", "--scale-w", "1"],
                      ["upsample_bilinear2d_backward", "--input-size", "2,3", "--scale-h", "0.5", "--align-corners"],
                      ["upsample_bilinear2d", "--scale-h", "0.5", "--scale-w", "0.5"],
                      ["upsample_nearest_exact2d_backward", "--input-size", "2,3"]]:
            self.assertEqual(self.regrad("run", words[0], "a.npy", *words[1:], "-o", "x.npy").stderr, "")

    def test_describe(self):
        for operator in OPERATORS:
            size = sizes(operator, (1, 2, 3, 9, 5), (4, 18, 10))
            for dtype in ("float16", "bfloat16", "float32", "float64"):
                text = self.text("describe", operator, *size, "--dtype", dtype)
                self.assertRegex(text, r"\A[^\n]+\n\Z")
                self.assertIn(operator, text)
                self.assertIn(dtype, text)
        self.save("a.npy", np.zeros((3, 4, 5, 6), "f2"))
        text = self.text("describe", "upsample_bilinear2d", "a.npy", "--scale-h", "2", "--scale-w", "0.5")
        self.assertIn("(3, 4, 10, 3)", text)
        text = self.text("describe", "upsample_bilinear2d", "a.npy", "--output-size", "7,7", "--layout", "nhwc")
        self.assertIn("(3, 6, 4, 5) -> ", text)
        self.save("v.npy", np.zeros((3, 4, 5, 6, 7), "f4"))
        text = self.text("describe", "upsample_trilinear3d", "v.npy", "--scale-d", "2", "--scale-h", "0.5", "--scale-w",
                         "1.5")
        self.assertIn("(3, 4, 5, 6, 7) -> (3, 4, 10, 3, 10)", re.sub(r"\w+ \(", "(", text))
        text = self.text("describe", "upsample_nearest3d", "v.npy", "--output-size", "7,7,7", "--layout", "nhwc")
        self.assertIn("(3, 7, 4, 5, 6) -> ", text)
        size = ["--input-size", "1,2,9,5", "--output-size", "3,3"]
        text = self.text("describe", "grid_sampler_2d_backward", *size, "--output-mask", "grid_grad")
        self.assertIn("input_grad unused", text)

    def test_standard_output_that_is_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        self.save("a.npy", np.zeros(3))
        self.save("b.npy", np.ones(3000))
        for words in [["list"], ["--help"], ["--version"], ["ascend-home"], ["compare", "a.npy", "a.npy"],
                      ["compare", "a.npy", "b.npy"], ["compare", "b.npy", "b.npy", "--positions", "3000"],
                      *[[command, *more] for command in COMMANDS for more in (["--help"], ["--version"])],
                      *[[command, operator, "--help"] for command in ("run", "describe", "check")
                        for operator in OPERATORS],
                      ["describe", "upsample_bilinear2d", "--input-size", "1,1,2,2", "--output-size", "2,2"],
                      ["check", "upsample_bilinear2d", "--input-size", "1,1,2,2", "--output-size", "2,2"]]:
            with open("/dev/full", "wb") as full:
                self.assertEqual(self.refused(*words, stdout=full, status=3),
                                 "standard output: cannot be written: No space left on device")

    def test_standard_output_that_is_closed(self):
        done = self.regrad("list", status=3, stdout=None, preexec_fn=lambda: os.close(1))
        self.assertEqual(done.stderr, "regrad: standard output: cannot be written: Bad file descriptor\n")


if __name__ == "__main__":
    unittest.main()
