#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what regrad-bench measured: throughput by shape, time over size, time over threads.

    plot.py JSON-FILE PICTURE       PICTURE ends in .svg or .png
"""
import json
import re
import statistics
import sys

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError as error:
    sys.exit("plot.py: %s; python3-matplotlib is needed" % error)

SIZES = "50-size"  # the workload that the panel over size shows
COLORS = {"floor": "#b9bec6", "ours": "#0b6e99", "PyTorch": "#d1603d", "oneDNN": "#8a6fb0"}
LABELS = {"floor": "floor (memory alone)", "ours": "regrad"}


def seconds(result, subject):
    """The best time, or None where there is none."""
    return result.get(subject, {}).get("min")


def moved(result):
    return result["read"] + result["written"]


def shapes_of(results):
    """The results by shape, in the order in which they were measured; each has one for each number of threads."""
    found = {}
    for result in results:
        found.setdefault((result["workload"], result["shape"]), []).append(result)
    return found


def subjects_in(results):
    return [name for name in COLORS if any(seconds(result, name) for result in results)]


def label(axes, title, x, y=None, legend="best"):
    axes.set_title(title, loc="left")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", loc=legend)


def draw_throughput(axes, results):
    """Bars, a group for each shape, of what the most threads make."""
    most = max(result["threads"] for result in results)
    shown = [result for result in results if result["threads"] == most]
    subjects = subjects_in(shown)
    height = 0.8 / len(subjects)
    for i, subject in enumerate(subjects):
        points = [(row + i * height, moved(result) / seconds(result, subject) / 1e9)
                  for row, result in enumerate(shown) if seconds(result, subject)]
        axes.barh([point[0] for point in points], [point[1] for point in points], height, color=COLORS[subject],
                  label=LABELS.get(subject, subject))
    axes.set_yticks([row + 0.4 - height / 2 for row in range(len(shown))], [result["shape"] for result in shown])
    axes.invert_yaxis()
    axes.margins(y=0.01)
    label(axes, "Throughput", "GB/s that the operator must move, %d thread%s" % (most, "s" if most > 1 else ""))


def cache_sizes(machine):
    """Bytes of the caches by name, from what regrad-bench says of them: "L1 32K, L2 1024K"."""
    return {name: int(size) * 1024 for name, size in re.findall(r"(L\d) (\d+)K", machine.get("caches", ""))}


def draw_sizes(axes, results, caches):
    """Time over the bytes of grad_output: a line for each subject and number of threads."""
    counts = sorted({result["threads"] for result in results})
    for subject in subjects_in(results):
        for count, style in zip(counts, ("--", "-", ":", "-.") * len(counts)):
            points = [(result["read"], seconds(result, subject)) for result in results
                      if result["threads"] == count and seconds(result, subject)]
            axes.loglog([point[0] for point in points], [point[1] for point in points], style, marker=".",
                        color=COLORS[subject], label="%s, %d" % (LABELS.get(subject, subject), count))
    for name, size in caches.items():
        axes.axvline(size, color="black", linewidth=0.6, linestyle=":")
        axes.annotate(name, (size, 0.96), xycoords=("data", "axes fraction"), fontsize="small")
    label(axes, "Time over size (bilinear, factor 2; number of threads)", "bytes of grad_output", "seconds",
          "lower right")


def relative_times(shapes, subject):
    """For each shape the times by number of threads, as parts of that with one."""
    found = []
    for results in shapes.values():
        times = {result["threads"]: seconds(result, subject) for result in results if seconds(result, subject)}
        if 1 in times and len(times) > 1:
            found.append({count: time / times[1] for count, time in sorted(times.items())})
    return found


def draw_threads(axes, shapes):
    """Time as a part of that with one thread: a thin line for each shape, a thick one for their median."""
    counts = sorted({result["threads"] for results in shapes.values() for result in results})
    for subject in subjects_in([result for results in shapes.values() for result in results]):
        lines = relative_times(shapes, subject)
        for times in lines:
            axes.plot(list(times), list(times.values()), color=COLORS[subject], linewidth=0.8, alpha=0.3)
        shown = [count for count in counts if any(count in times for times in lines)]
        medians = [statistics.median(times[count] for times in lines if count in times) for count in shown]
        axes.plot(shown, medians, marker="o", linewidth=2.5, color=COLORS[subject],
                  label="%s, median of %d shapes" % (LABELS.get(subject, subject), len(lines)))
    axes.plot(counts, [1 / count for count in counts], color="black", linewidth=0.8, label="shared out evenly")
    axes.set_xticks(counts)
    axes.set_ylim(bottom=0)
    label(axes, "Time over threads", "threads", "time / time with one thread")


def draw(measured, picture):
    results = measured["results"]
    by_size = [result for result in results if result["workload"] == SIZES]
    others = [result for result in results if result["workload"] not in (SIZES, "40-small")]
    # The picture shows the main shapes, if those that were measured include any.
    main = [result for result in others if result["quick"]] or others
    n_rows = len({(result["workload"], result["shape"]) for result in main})
    height = max(8, 1 + 0.42 * n_rows)
    figure = pyplot.figure(figsize=(16, height), constrained_layout=True)
    grid = figure.add_gridspec(2, 2, width_ratios=(3, 2))
    if main:
        draw_throughput(figure.add_subplot(grid[:, 0]), main)
        draw_threads(figure.add_subplot(grid[1, 1]), shapes_of(main))
    if by_size:
        draw_sizes(figure.add_subplot(grid[0, 1]), by_size, cache_sizes(measured["machine"]))
    machine = measured["machine"]
    versions = ", ".join(["regrad " + machine["regrad"]] + list(measured["peers"].values()))
    figure.suptitle("%s, %s cores. %s. %s" % (machine["processor"], machine["cores"], versions, machine["date"]),
                    fontsize="medium")
    figure.savefig(picture, dpi=80, metadata={"Date": None} if picture.endswith(".svg") else None)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot.py JSON-FILE PICTURE")
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["svg.hashsalt"] = "regrad"
    matplotlib.rcParams["font.size"] = 9
    with open(sys.argv[1], encoding="utf-8") as file:
        draw(json.load(file), sys.argv[2])


main()
