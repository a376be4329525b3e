"""Builds what the tests of emitted programs share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.emitted.readers import driver


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that says what emitted programs read, one for all processes of this run."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "read_graph_driver"
    folder.mkdir(exist_ok=True)
    return driver(folder)
