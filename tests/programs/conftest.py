"""Which of the long tests are for the campaign that guards main, and which for a long night."""

from __future__ import annotations

import pytest

from tests.programs.targets import TARGETS, Target

NIGHTLY = ("test_triangle_count[cnr-2000",)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The heaviest graphs meet one device in the campaign, all of them in the nightly."""
    first = next((t.label for t in TARGETS[1:] if t.fault is None), None)
    for item in items:
        if item.get_closest_marker("campaign") is None or item.path.name != "test_published.py":
            continue
        target = getattr(item, "callspec", None) and item.callspec.params.get("target")  # type: ignore[attr-defined]
        elsewhere = isinstance(target, Target) and target.label != first
        if elsewhere or item.name.startswith(NIGHTLY):
            item.add_marker(pytest.mark.nightly)
