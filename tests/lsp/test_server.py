"""The language server over its pipes, as editors run it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from starplat.resources import shipped_programs
from tests.cli.conftest import Outcome
from tests.lsp.client import URI, Client, at

pytest.importorskip("pygls", reason="pip install 'starplat[lsp]'")

SSSP = shipped_programs()["sssp"].read_text(encoding="utf-8")
MISTAKES = sorted((Path(__file__).parent.parent / "errors").glob("*.sp"))
TEXT = {"textDocument": {"uri": URI}}


@pytest.fixture(scope="module")
def editor() -> Iterator[Client]:
    with Client() as client:
        yield client


def place(text: str, word: str) -> dict[str, int]:
    """Line and column, from 0, of a word in plain text."""
    before = text[: text.index(word)]
    return {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}


def test_what_it_can_do_is_announced(editor: Client) -> None:
    can = editor.capabilities
    assert can["textDocumentSync"]["change"] == 1
    assert can["completionProvider"]["triggerCharacters"] == ["."]
    assert can["renameProvider"] == {"prepareProvider": True}
    for name in ("hover", "definition", "references", "documentSymbol", "documentFormatting"):
        assert can[f"{name}Provider"]


@pytest.mark.thin(plain=16, campaign=8)
@pytest.mark.parametrize("path", MISTAKES, ids=lambda path: path.stem)
def test_diagnostics_are_those_of_check(path: Path, editor: Client, starplat: Callable[..., Outcome]) -> None:
    text = path.read_bytes().decode("utf-8-sig")
    told = editor.open(text)
    (checked,) = starplat("check", "--json", str(path)).json["files"]
    expected = list(checked["diagnostics"])
    assert [d["code"] for d in told] == [d["code"] for d in expected]
    for found, meant in zip(told, expected, strict=True):
        assert found["message"].startswith(meant["message"])
        assert meant["help"] is None or found["message"].endswith(f"help: {meant['help']}")
        assert found["severity"] == {"error": 1, "warning": 2, "note": 3}[meant["severity"]]
        assert len(found.get("relatedInformation", [])) == len(meant["related"])
        if meant["place"] is not None and text.isascii():
            start = found["range"]["start"]
            assert (start["line"] + 1, start["character"] + 1) == (meant["place"]["line"], meant["place"]["column"])


@pytest.mark.parametrize(("encoding", "column"), [("utf-16", 11), ("utf-8", 13), ("utf-32", 10)])
def test_columns_are_counted_as_the_editor_counts(encoding: str, column: int) -> None:
    text = "function f(Graph g) {\n  /* 🙂 */ int x = nothing;\n  return g.num_nodes();\n}\n"
    with Client((encoding,)) as client:
        assert client.capabilities["positionEncoding"] == encoding
        (mistake,) = (d for d in client.open(text) if d["code"] == "E0201")
        assert mistake["range"]["start"] == {"line": 1, "character": column + 8}
        found = client.at("hover", 1, column + 4)
        assert found["contents"]["value"].startswith("```sp\nint x\n```")
        assert found["range"]["start"] == {"line": 1, "character": column + 4}


def test_a_text_is_checked_when_it_has_stood_still(editor: Client) -> None:
    assert editor.open(SSSP) == []
    for end in (10, 50, 90):
        editor.change(SSSP[:end])
    editor.change(SSSP.replace("v.dist", "v.dst"))
    (mistake,) = editor.diagnostics()
    assert mistake["code"] == "E0203"
    assert mistake["range"]["start"] == place(SSSP, "v.dist") | {"character": place(SSSP, "v.dist")["character"] + 2}
    assert not [m for m in editor.told if m["method"] == "textDocument/publishDiagnostics"]


def test_a_closed_text_has_no_diagnostics(editor: Client) -> None:
    assert editor.open("function")
    editor.notify("textDocument/didClose", TEXT)
    assert "not open" in editor.reply("textDocument/hover", at(0, 0))["error"]["message"]
    (told,) = (m["params"] for m in editor.told if m["method"] == "textDocument/publishDiagnostics")
    assert told["diagnostics"] == []
    editor.told.clear()


def test_names_lead_to_their_declaration_and_uses(editor: Client) -> None:
    editor.open(SSSP)
    use, declaration = place(SSSP, "v.dist"), place(SSSP, "v in g.nodes")
    found = editor.at("definition", **spread(use))
    assert (found["uri"], found["range"]["start"]) == (URI, declaration)
    uses = editor.at("references", **spread(use), context={"includeDeclaration": False})
    assert [u["range"]["start"]["line"] for u in uses] == [12, 13, 14]
    everywhere = editor.at("references", **spread(use), context={"includeDeclaration": True})
    assert [u["range"]["start"] for u in everywhere] == [declaration, *(u["range"]["start"] for u in uses)]
    assert editor.at("definition", **spread(place(SSSP, "forall"))) is None


def spread(position: dict[str, int]) -> dict[str, int]:
    return {"line": position["line"], "column": position["character"]}


def test_a_rename_changes_every_place_or_says_why_not(editor: Client) -> None:
    editor.open(SSSP)
    where = place(SSSP, "dist, propEdge")
    ready = editor.at("prepareRename", **spread(where))
    assert ready["start"] == where
    changes = editor.at("rename", **spread(where), newName="distance")["changes"][URI]
    comment, head, body = SSSP.partition("function")
    assert applied(SSSP, changes) == comment + head + re.sub(r"\bdist\b", "distance", body)
    refused = editor.reply("textDocument/rename", at(**spread(where), newName="forall"))
    assert refused["error"]["message"] == "'forall' is a word of the language"
    assert editor.at("prepareRename", **spread(place(SSSP, "forall"))) is None


def applied(text: str, edits: list[Any]) -> str:
    """A plain text after edits that an editor is given."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]
    for edit in sorted(edits, key=lambda e: tuple(e["range"]["start"].values()), reverse=True):
        first, last = (starts[p["line"]] + p["character"] for p in (edit["range"]["start"], edit["range"]["end"]))
        text = text[:first] + edit["newText"] + text[last:]
    return text


def test_a_text_is_formatted_as_fmt_does(editor: Client, process: Callable[..., Outcome]) -> None:
    untidy = SSSP.replace("  ", "\t ").replace(" = ", "=")
    editor.open(untidy)
    options = {"options": {"tabSize": 4, "insertSpaces": True}}
    edits = editor.ask("textDocument/formatting", TEXT | options)
    assert applied(untidy, edits) == process("fmt", "-", input=untidy).out
    editor.open("function f( {")
    assert editor.ask("textDocument/formatting", TEXT | options) is None


def test_a_remedy_is_applied(editor: Client) -> None:
    wrong = SSSP.replace("v.dist", "v.dst").replace("modified == True", "modifed == True")
    editor.open(wrong)
    start = place(wrong, "modifed")
    where = {"range": {"start": start, "end": start}, "context": {"diagnostics": []}}
    (action,) = editor.ask("textDocument/codeAction", TEXT | where)
    assert (action["title"], action["kind"]) == ("Write 'modified'", "quickfix")
    assert action["diagnostics"][0]["code"] == "E0201"
    mended = applied(wrong, action["edit"]["changes"][URI])
    assert mended == SSSP.replace("v.dist", "v.dst")


def test_functions_and_their_declarations_are_listed(editor: Client) -> None:
    editor.open(SSSP)
    (function,) = editor.ask("textDocument/documentSymbol", TEXT)
    assert function["name"] == "sssp"
    names = [child["name"] for child in function["children"]]
    assert names == ["g", "dist", "weight", "src", "modified", "finished", "v", "nbr", "e"]


def test_completion_replaces_the_word_before_the_cursor(editor: Client) -> None:
    text = "function f(Graph g) { forall (v in g.nodes_t"
    editor.open(text)
    (found,) = editor.at("completion", 0, len(text))
    assert found["label"] == "nodes_to"
    ends = {"start": {"line": 0, "character": len(text) - 7}, "end": {"line": 0, "character": len(text)}}
    assert found["textEdit"] == {"range": ends, "newText": "nodes_to"}


def test_a_broken_program_keeps_its_hover_and_completion(editor: Client) -> None:
    editor.open(SSSP)
    broken = SSSP.replace("src.dist = 0;", "src.")
    editor.change(broken)
    assert editor.diagnostics()
    assert "monotone" in editor.at("hover", **spread(place(broken, "forall")))["contents"]["value"]
    where = spread(place(broken, "src.\n"))
    found = editor.at("completion", where["line"], where["column"] + 4)
    assert {"dist", "modified"} <= {item["label"] for item in found}


def test_questions_that_make_no_sense_do_not_end_it(editor: Client) -> None:
    editor.open(SSSP)
    assert "error" in editor.reply("textDocument/noSuchThing", TEXT)
    editor.send({"id": "no document", "method": "textDocument/hover", "params": {"position": {"line": 0}}})
    assert editor.at("hover", 10_000, 10_000) is None
    editor.send({"method": "textDocument/didChange", "params": {"nonsense": True}})
    assert editor.at("definition", 0, 10_000) is None
    editor.told.clear()


@pytest.mark.parametrize("step", [pytest.param(23, id="some"), pytest.param(5, id="many", marks=pytest.mark.campaign)])
def test_every_beginning_of_a_program_is_answered(editor: Client, step: int) -> None:
    editor.open("")
    for end in range(0, len(SSSP), step):
        text = SSSP[:end]
        editor.change(text)
        where = {"line": text.count("\n"), "column": end - text.rfind("\n") - 1}
        editor.at("completion", **where)
        editor.at("hover", **where)
        editor.ask("textDocument/documentSymbol", TEXT)
    assert editor.diagnostics()


def test_stdout_holds_the_protocol_only() -> None:
    client = Client()
    client.send({"id": "last", "method": "shutdown"})
    assert client.receive()["id"] == "last"
    client.notify("exit", None)
    out, _ = client.process.communicate(timeout=300)
    assert (out, client.process.returncode) == (b"", 0)


def test_without_pygls_it_says_what_to_install(tmp_path: Path) -> None:

    hidden = "import sys; sys.modules['pygls'] = None; sys.modules['lsprotocol'] = None; "
    call = "from starplat.cli.app import main; sys.exit(main(['lsp']))"
    done = subprocess.run([sys.executable, "-c", hidden + call], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error[E0813]: starplat lsp needs pygls, which is not installed")
    assert "pip install 'starplat[lsp]'" in done.stderr
    assert done.stdout == ""
