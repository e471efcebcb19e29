# SPDX-License-Identifier: Apache-2.0
"""Holds a JSON file of regrad-bench, measured with 1 and 2 threads, against what docs/performance.md promises.

    check_json.py FILE SHAPES SHAPES-THROUGH-ACLNN SHAPES-AS-ONE-CALL
"""
import json
import sys

failed = False


def expect(what, told):
    global failed
    if not what:
        failed = True
        print(told)


def check_samples(of, where):
    samples = of["samples"]
    expect(samples and all(sample > 0 for sample in samples), "%s: samples %s" % (where, samples))
    expect(of["min"] == min(samples), "%s: min %s of %s" % (where, of["min"], samples))
    expect(min(samples) <= of["median"] <= max(samples), "%s: median %s of %s" % (where, of["median"], samples))


def check_peer(peer, where):
    if "cannot" in peer:
        expect(peer["cannot"], where + ": no reason")
        return False
    check_samples(peer, where)
    expect(peer["agrees"], "%s: its result differs from ours by %s" % (where, peer["difference"]))
    return True


def main(path, n_shapes, n_aclnn, n_call):
    with open(path, encoding="utf-8") as file:
        measured = json.load(file)
    results = measured["results"]
    expect(len(results) == 2 * n_shapes, "%d results of %d shapes" % (len(results), n_shapes))
    expect("regrad" in measured["machine"], "no version")
    timed = {name: 0 for name in measured["peers"]}
    for result in results:
        where = "%s, %d threads" % (result["shape"], result["threads"])
        expect(result["read"] > 0 and result["written"] > 0, where + ": bytes")
        check_samples(result["floor"], where + ", floor")
        check_samples(result["ours"], where + ", ours")
        for kind in ("plan_made", "call"):
            if kind in result:
                check_samples(result[kind], "%s, %s" % (where, kind))
        for name in timed:
            timed[name] += check_peer(result[name], "%s, %s" % (where, name))
    for kind, n_kind in (("aclnn", n_aclnn), ("call", n_call)):
        found = sum(kind in result for result in results)
        expect(found == 2 * n_kind, "%d results of %d shapes have %s" % (found, n_kind, kind))
    for name, version in measured["peers"].items():
        print("%s: %s; %d of %d results compared" % (name, version, timed[name], len(results)))
        expect(timed[name] > 0 or not version.startswith(name), "%s is there and was never timed" % name)
    return 1 if failed else 0


sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
