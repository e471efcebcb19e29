# SPDX-License-Identifier: Apache-2.0
"""The problems that tests of the package draw, and the seed of random tests, REGRAD_TEST_SEED."""

import os
import pathlib
import sys

import hypothesis

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
SEED = int(os.environ.get("REGRAD_TEST_SEED", "1"))

hypothesis.settings.register_profile("dask", max_examples=30, deadline=None, database=None, print_blob=True)
hypothesis.settings.load_profile("dask")


def pytest_report_header():
    """The first lines of a run."""
    return f"REGRAD_TEST_SEED={SEED}"


def pytest_collection_modifyitems(items):
    """Gives hypothesis the seed."""
    for item in items:
        if hasattr(item, "obj") and hypothesis.is_hypothesis_test(item.obj):
            hypothesis.seed(SEED)(item.obj)
