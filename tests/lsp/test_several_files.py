"""Editors know the files that a program imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from starplat.editing.completion import completions
from starplat.resources import shipped_programs
from starplat.source import SourceFile
from tests.lsp.client import Client
from tests.programs.test_imports import MAIN, TWICE, written

pytest.importorskip("pygls", reason="pip install 'starplat[lsp]'")

from lsprotocol import types as lsp

from starplat.lsp import answers
from starplat.lsp.document import Document


def document(path: Path) -> Document:
    return Document(SourceFile.read(path), "utf-16")


def at(text: str, word: str) -> lsp.Position:
    line = next(n for n, line in enumerate(text.split("\n")) if word in line)
    return lsp.Position(line=line, character=text.split("\n")[line].index(word) + 1)


def test_an_editor_goes_to_the_file_that_defines(tmp_path: Path) -> None:
    path = written(tmp_path)
    opened = document(path)
    found = answers.definition(opened, at(MAIN, "total(g"), path.as_uri())
    assert found is not None
    assert (found.uri, found.range.start) == ((tmp_path / "parts" / "sums.sp").as_uri(), lsp.Position(3, 9))
    for word, there in (("sums.sp", tmp_path / "parts" / "sums.sp"), ("pagerank", shipped_programs()["pagerank"])):
        found = answers.definition(opened, at(MAIN, word), path.as_uri())
        assert found is not None
        assert found.uri == there.resolve().as_uri()
    hovered = answers.hover(opened, at(MAIN, "total(g"))
    assert hovered is not None
    assert "function total(Graph g, propNode<int> mark)" in str(hovered.contents)
    assert [symbol.name for symbol in answers.symbols(opened)] == ["main_sum"]


def test_an_editor_shows_mistakes_of_other_files_at_the_import(tmp_path: Path) -> None:
    for text in ("function twice(int x) { return y; }", "function twice(int x) { return ; + }"):
        path = written(tmp_path, parts__more__twice=text)
        shown = [
            d for d in answers.diagnostics(document(path), path.as_uri()) if d.severity is lsp.DiagnosticSeverity.Error
        ]
        assert {d.range.start.line for d in shown} == {1}
        for found in shown:
            assert found.related_information is not None
            assert found.related_information[0].location.uri == (tmp_path / "parts" / "more" / "twice.sp").as_uri()


def test_an_editor_completes_imported_names_and_files(tmp_path: Path) -> None:
    path = written(tmp_path)
    names = {c.name for c in completions(MAIN, MAIN.index("total(") + 2, str(path))[1]}
    assert "total" in names
    for begun, found in (
        ("parts/", {"more/", "sums.sp"}),
        ("pager", {"pagerank", "pagerank_weighted"}),
        ("../", set()),
    ):
        text = f'import "{begun}'
        assert found == {c.name for c in completions(text, len(text), str(path))[1]} & {*found, "inside"}


def test_what_other_files_name_is_not_renamed_from_here(tmp_path: Path) -> None:
    path = written(tmp_path)
    opened = document(path)
    with pytest.raises(ValueError, match=r"sums\.sp too"):
        answers.rename(opened, at(MAIN, "total(g"), path.as_uri(), "whole")
    assert answers.rename(opened, at(MAIN, "mark)"), path.as_uri(), "flag").changes


def test_a_saved_file_changes_what_is_told_of_its_importers(tmp_path: Path) -> None:
    path = written(tmp_path, parts__more__twice="function twice(int x) { return y; }")
    opened = {"uri": path.as_uri(), "languageId": "starplat", "version": 1, "text": MAIN}
    with Client() as client:
        client.notify("textDocument/didOpen", {"textDocument": opened})
        assert errors(client) == ["E0201"]
        written(tmp_path)
        client.notify("textDocument/didSave", {"textDocument": {"uri": (path.parent / "parts" / "sums.sp").as_uri()}})
        assert errors(client) == []


def test_a_file_that_is_open_is_imported_as_the_editor_has_it(tmp_path: Path) -> None:
    path = written(tmp_path)
    main, twice = path.as_uri(), (path.parent / "parts" / "more" / "twice.sp").as_uri()
    wrong = "function twice(int x) { return y; }"
    with Client() as client:
        for uri, text in ((main, MAIN), (twice, TWICE)):
            given = {"uri": uri, "languageId": "starplat", "version": 1, "text": text}
            client.notify("textDocument/didOpen", {"textDocument": given})
            assert errors(client) == []
        changed = {"textDocument": {"uri": twice, "version": 2}, "contentChanges": [{"text": wrong}]}
        client.notify("textDocument/didChange", changed)
        assert [errors(client), errors(client)] == [["E0201"], ["E0201"]]  # of itself, of what imports it
        client.notify("textDocument/didClose", {"textDocument": {"uri": twice}})
        assert [errors(client), errors(client)] == [[], []]


def errors(client: Client) -> list[str]:
    """The codes of the errors that are told next."""
    while (message := client.receive())["method"] != "textDocument/publishDiagnostics":
        pass
    return [found["code"] for found in message["params"]["diagnostics"] if found["severity"] == 1]
