"""Flags that rewrite what tests compare with, how many examples hypothesis tries, and what Python's collector skips."""

from __future__ import annotations

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.reporting", "tests.tiers"]

for profile, examples in {"plain": 20, "campaign": 50, "nightly": 1000}.items():
    settings.register_profile(
        profile,
        max_examples=examples,
        deadline=None,
        derandomize=profile != "nightly",  # what guards main finds the same today and tomorrow
        suppress_health_check=list(HealthCheck),
    )
settings.load_profile("plain")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # tests start many processes, which begin quicker with bytecode
os.environ.pop("COLUMNS", None)  # which xdist sets; tables of a command whose output goes to a pipe are wide


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-messages", action="store_true", help="rewrite tests/errors/*.expected")
    parser.addoption("--refresh-goldens", action="store_true", help="rewrite generated/ and tests/golden/")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Freezes the objects that exist by now, 600,000 of the tests, so that no collection walks through them."""
    freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """After each file, the same with what is remembered of its programs: a run that is short of memory collects."""
    if nextitem is not None and nextitem.path != item.path:
        freeze()


def freeze() -> None:
    gc.collect()
    gc.freeze()
