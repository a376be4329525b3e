"""Flags that rewrite what tests compare with."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-messages", action="store_true", help="rewrite tests/errors/*.expected")
    parser.addoption("--refresh-goldens", action="store_true", help="rewrite generated/ and tests/golden/")
