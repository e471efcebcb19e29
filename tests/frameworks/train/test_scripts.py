# SPDX-License-Identifier: Apache-2.0
"""Ten training scripts as they are, and the same files after `regrad.torch.install()`."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from run_scripts import run_all

HERE = Path(__file__).parent
SCRIPTS = sorted((HERE / "scripts").glob("*.py"))
LOSS = re.compile(r"loss (\S+)")
TOLERANCE = 2e-5  # of a loss, six digits of which are printed


@pytest.fixture(scope="module")
def runs():
    """What each script printed and which of PyTorch's resampling operators it ran: as it is, and installed."""
    command = [sys.executable, str(HERE / "run_scripts.py"), *map(str, SCRIPTS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            torch.set_num_threads(1)
            plain = run_all(SCRIPTS)
            output, _ = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 0
    return plain, json.loads(output)


def test_there_are_ten():
    assert len(SCRIPTS) == 10
    for script in SCRIPTS:
        assert "regrad" not in script.read_text().replace("requires_grad", "")


@pytest.mark.parametrize("name", [script.stem for script in SCRIPTS])
def test_installed_script_trains_as_before(name, runs):
    (printed, of_plain), (printed_by_ours, of_ours) = (run[name] for run in runs)
    assert of_plain, "the script runs no resampling of PyTorch's: this test would show nothing"
    assert not of_ours
    losses, others = ([float(loss) for loss in LOSS.findall(output)] for output in (printed, printed_by_ours))
    assert len(losses) >= 4
    assert others == pytest.approx(losses, rel=TOLERANCE, abs=2e-6)
