# SPDX-License-Identifier: Apache-2.0
"""Hypothesis: how many problems are drawn, and from which seed."""

import os

import hypothesis

SEED = int(os.environ.get("REGRAD_TEST_SEED", "1"))

hypothesis.settings.register_profile("dask", max_examples=30, deadline=None, database=None, print_blob=True)
hypothesis.settings.load_profile("dask")


def pytest_collection_modifyitems(items):
    """Gives hypothesis the seed."""
    for item in items:
        if hasattr(item, "obj") and hypothesis.is_hypothesis_test(item.obj):
            hypothesis.seed(SEED)(item.obj)
