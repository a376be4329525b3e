"""`command(...)` runs the command line inside this process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.conftest import Outcome, starplat

__all__ = ["starplat"]


@pytest.fixture
def command(starplat: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """As the command line's own tests call `starplat`, which here is the package."""
    return starplat
