"""Every example in a docstring gives what it says."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from tests.test_layers import NAMES, PACKAGE

WITH_EXAMPLES = [name for name, module in NAMES.items() if ">>> " in (PACKAGE / module).read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of_a_module_run(name: str) -> None:
    module = import_module("starplat" if name == "__init__" else f"starplat.{name}")
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
