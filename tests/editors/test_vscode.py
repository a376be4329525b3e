"""The extension for Visual Studio Code: its words are the language's, its snippets are programs, it can be built."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from starplat.diagnostics import Reporter
from starplat.frontend.parser import keywords, parse
from starplat.source import SourceFile

FOLDER = Path(__file__).resolve().parents[2] / "editors" / "vscode"
SOURCES = [*FOLDER.glob("*.json"), *map(FOLDER.joinpath, ("README.md", "src", "snippets", "syntaxes", "test"))]


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def test_the_grammar_has_the_words_of_the_language() -> None:
    rules = read("syntaxes/starplat.tmLanguage.json")["repository"]["words"]["patterns"]
    words = [word for rule in rules for word in rule["match"].removeprefix(r"\b(?:").removesuffix(r")\b").split("|")]
    assert sorted(words) == sorted(keywords())


def test_the_grammar_has_the_operators_of_the_language() -> None:
    (rule,) = read("syntaxes/starplat.tmLanguage.json")["repository"]["operators"]["patterns"]
    lark = (FOLDER.parents[1] / "grammar" / "starplat.lark").read_text(encoding="utf-8")
    operators = {text for text in re.findall(r'"([^"\w\s]+)"', lark) if not set(text) <= set("(){}[];,.")}
    assert "+=" in operators
    assert [text for text in operators if not re.fullmatch(rule["match"], text)] == []


def test_what_the_manifest_names_is_there() -> None:
    contributes = read("package.json")["contributes"]
    (language,), (grammar,), (snippets,) = (contributes[key] for key in ("languages", "grammars", "snippets"))
    assert language["extensions"] == [".sp"]
    for path in (language["configuration"], grammar["path"], snippets["path"]):
        assert (FOLDER / path).is_file()
    assert grammar["scopeName"] == read("syntaxes/starplat.tmLanguage.json")["scopeName"]


@pytest.mark.parametrize("name", sorted(read("snippets/starplat.json")))
def test_a_snippet_is_a_piece_of_a_program(name: str) -> None:
    body = "\n".join(read("snippets/starplat.json")[name]["body"])
    given = dict(re.findall(r"\$\{(\d):([^}]*)\}", body))
    text = re.sub(r"\$\{\d:([^}]*)\}", r"\1", body)
    text = re.sub(r"\$(\d)", lambda found: given.get(found.group(1), ""), text)
    if not text.startswith("function"):
        text = f"function f(Graph g) {{ {text} }}"
    source = SourceFile("snippet.sp", text)
    reporter = Reporter(source)
    parse(source, reporter)
    assert reporter.errors == ()


@pytest.mark.campaign
def test_it_is_built_and_works_over_pipes(tmp_path: Path) -> None:
    """With npm and its registry: type-checked, bundled, packed; then the grammar and the server are tried by node."""
    pytest.importorskip("pygls", reason="pip install 'starplat[lsp]'")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: apt-get install npm")
    for path in SOURCES:
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, tmp_path / path.name)
    command = tmp_path / "bin" / "starplat"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m starplat "$@"\n')
    command.chmod(0o755)
    environment = {**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        wanted = (npm, *words)
        return subprocess.run(wanted, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    fetched = run("install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock")
    if fetched.returncode:
        pytest.skip(f"npm install fails, as without a registry: {fetched.stderr.strip().splitlines()[-1]}")
    packed = run("run", "package")
    assert packed.returncode == 0, packed.stdout + packed.stderr
    with zipfile.ZipFile(tmp_path / "starplat.vsix") as archive:
        names = set(archive.namelist())
    assert {"extension/dist/extension.js", "extension/syntaxes/starplat.tmLanguage.json"} <= names
    assert not any("node_modules" in name for name in names)
    tried = run("test")
    assert tried.returncode == 0, tried.stdout + tried.stderr
