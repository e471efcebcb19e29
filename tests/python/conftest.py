# SPDX-License-Identifier: Apache-2.0
"""The seed of random tests, REGRAD_TEST_SEED, and how many of them there are, REGRAD_TEST_COUNT."""

import os

import hypothesis
import pytest

SEED = int(os.environ.get("REGRAD_TEST_SEED", "1"))
COUNT = int(os.environ.get("REGRAD_TEST_COUNT", "150"))

hypothesis.settings.register_profile(
    "regrad", max_examples=COUNT, deadline=None, database=None, print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)  # fmt: skip
hypothesis.settings.load_profile("regrad")


def pytest_report_header():
    """The first lines of a run."""
    return f"REGRAD_TEST_SEED={SEED} REGRAD_TEST_COUNT={COUNT}"


def pytest_collection_modifyitems(items):
    """Gives hypothesis the seed."""
    for item in items:
        if hasattr(item, "obj") and hypothesis.is_hypothesis_test(item.obj):
            hypothesis.seed(SEED)(item.obj)


@pytest.fixture(autouse=True)
def _own_cache():
    import regrad

    regrad.cache_clear()
