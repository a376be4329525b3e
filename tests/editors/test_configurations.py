"""The configurations of editors in `docs/editors.md` start the server that there is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "editors.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```(json|lua|vim|elisp|toml)\n(.*?)```", PAGE, re.DOTALL))


@pytest.mark.parametrize("language", ["json", "lua", "vim", "elisp", "toml"])
def test_each_configuration_names_the_command(language: str) -> None:
    assert re.search(
        r"""["'](?:/[\w/]+/)?starplat["'],?\s*["']lsp["']|command = "starplat"\nargs = \["lsp"\]""", BLOCKS[language]
    )


def test_helix_has_a_language_with_the_server() -> None:
    written = tomllib.loads(BLOCKS["toml"])
    (language,) = written["language"]
    assert language["file-types"] == ["sp"]
    assert language["language-servers"] == list(written["language-server"])


def test_the_setting_of_vscode_is_one_of_the_extension() -> None:
    manifest = Path(__file__).resolve().parents[2] / "editors" / "vscode" / "package.json"
    known = json.loads(manifest.read_text(encoding="utf-8"))["contributes"]["configuration"]["properties"]
    assert set(json.loads(BLOCKS["json"])) <= set(known)


@pytest.mark.parametrize(("opening", "closing"), ["()", "{}", "[]"])
def test_brackets_of_configurations_close(opening: str, closing: str) -> None:
    for text in BLOCKS.values():
        assert text.count(opening) == text.count(closing)


def test_the_command_takes_the_flag_that_clients_add(starplat: Callable[..., Outcome]) -> None:
    assert "--stdio" in starplat("lsp", "--help").out
