# SPDX-License-Identifier: Apache-2.0
"""The recipe for torchrun: two processes end with the same bits, in two runs."""

import os
import re
import signal
import subprocess
import sys
import uuid
from pathlib import Path

EXAMPLE = Path(__file__).parents[3] / "examples" / "train_ddp.py"
LINE = re.compile(r"rank (\d) loss (\S+) parameters ([0-9a-f]{64})")
MARK = "REGRAD_TEST_MARK"


def processes_with(mark):
    """The processes that have inherited a mark, by /proc."""
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (directory / "environ").read_bytes():
                found.append(int(directory.name))
        except OSError:  # ended meanwhile, or another user's
            continue
    return found


def torchrun(n_steps, timeout=60):
    """Trains in two processes. Returns (rank, loss, digest) of each; whatever happens, none is left."""
    mark = uuid.uuid4().hex
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = dict(os.environ, OMP_NUM_THREADS="1", **{MARK: mark})
    try:
        done = subprocess.run(
            [*command, str(EXAMPLE), str(n_steps)],
            env=environment, capture_output=True, text=True, timeout=timeout, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert processes_with(mark) == []
    finally:
        for process in processes_with(mark):
            os.kill(process, signal.SIGKILL)
    return sorted(LINE.findall(done.stdout))


def test_ranks_and_runs_have_the_same_bits():
    first, second = torchrun(25), torchrun(25)
    assert [rank for rank, _, _ in first] == ["0", "1"]
    assert first[0][2] == first[1][2]
    assert first[0][1] != first[1][1], "the ranks had the same images"
    assert second == first
