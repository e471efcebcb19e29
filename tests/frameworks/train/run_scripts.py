# SPDX-License-Identifier: Apache-2.0
"""Runs training scripts after `regrad.torch.install()`.

    python run_scripts.py SCRIPT...

Prints one JSON object: for each script a pair of what it printed and the operators of PyTorch's that resampled in it.
"""

import contextlib
import io
import json
import runpy
import sys
from pathlib import Path

import torch
from watch import watched


def output_of(script):
    """What a script prints, when it is run as Python would."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        runpy.run_path(str(script), run_name="__main__")
    return output.getvalue()


def run_all(scripts):
    """Of each script, what it printed and which of PyTorch's resampling operators ran."""
    return {Path(script).stem: watched(lambda script=script: output_of(script)) for script in scripts}


if __name__ == "__main__":
    import regrad.torch

    torch.set_num_threads(1)
    regrad.torch.install()
    json.dump(run_all(sys.argv[1:]), sys.stdout)
