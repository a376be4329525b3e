"""Every bad program beside this file gets exactly the messages of its `.expected` (`--refresh-messages` rewrites)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from starplat.diagnostics import render
from starplat.resources import error_page_folder
from starplat.source import SourceFile

from .conftest import diagnostics_of

HERE = Path(__file__).parent
PACKAGE = HERE.parent.parent / "starplat"
PROGRAMS = sorted(HERE.glob("*.sp"))
PAGES = sorted(error_page_folder().glob("*.md"))
CODE = re.compile(r"""["']([EW]\d{4})["']""")


def codes_in_use() -> set[str]:
    return {code for path in PACKAGE.rglob("*.py") for code in CODE.findall(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_messages_are_as_recorded(path: Path, request: pytest.FixtureRequest) -> None:
    source = SourceFile(path.name, SourceFile.read(path).text)
    found = diagnostics_of(source, lowered=path.stem.startswith("E06"))
    messages = "\n\n".join(render(diagnostic) for diagnostic in found) + "\n"
    recorded = path.with_suffix(".expected")
    if request.config.getoption("--refresh-messages"):
        recorded.write_text(messages, encoding="utf-8")
    assert messages == recorded.read_text(encoding="utf-8")
    assert path.stem[:5] in {diagnostic.code for diagnostic in found}


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {page.stem for page in PAGES} == codes_in_use()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_names_its_code_and_shows_code(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.stem}: ")
    assert text.count("```") >= 2


def test_every_syntax_error_has_a_bad_program() -> None:
    shown = {path.stem[:5] for path in PROGRAMS}
    assert {code for code in codes_in_use() if code.startswith("E01")} <= shown
