"""A diagnostic's fix removes the mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from starplat import pipeline
from starplat.diagnostics import Diagnostic, Severity
from starplat.source import SourceFile

PROGRAMS = sorted(Path(__file__).parent.glob("*.sp"))


def diagnostics(text: str) -> tuple[Diagnostic, ...]:
    return pipeline.diagnostics(SourceFile("program.sp", text))


def fixed(text: str, diagnostic: Diagnostic) -> str:
    assert diagnostic.fix is not None
    span = diagnostic.fix.span
    return text[: span.start] + diagnostic.fix.text + text[span.end :]


def test_a_fix_removes_its_mistake_and_makes_no_other() -> None:
    codes = set()
    for path in PROGRAMS:
        text = path.read_bytes().decode("utf-8-sig", "replace")
        before = diagnostics(text)
        for diagnostic in before:
            if diagnostic.fix is not None:
                after = diagnostics(fixed(text, diagnostic))
                same = [d for d in before if (d.code, d.message) == (diagnostic.code, diagnostic.message)]
                still = [d for d in after if (d.code, d.message) == (diagnostic.code, diagnostic.message)]
                assert len(still) < len(same), (path.name, diagnostic)
                codes.add(diagnostic.code)
    assert codes >= {"E0103", "E0105", "E0109", "E0114", "E0201", "E0203", "W0303"}


def test_a_misspelled_method_or_function_is_spelled() -> None:
    text = "function f(Graph g) { return abss(g.num_node()); }"
    found = {d.code: fixed(text, d) for d in diagnostics(text) if d.fix is not None}
    assert found == {"E0204": text.replace("num_node", "num_nodes"), "E0205": text.replace("abss", "abs")}


@pytest.mark.parametrize(
    ("condition", "written"),
    [
        ("(k)", "(k != 0)"),
        ("(!k)", "(!(k != 0))"),
        ("(k & 1)", "((k & 1) != 0)"),
        ("(k && True)", "((k != 0) && True)"),
        ("(g.num_nodes() && True)", "((g.num_nodes() != 0) && True)"),
    ],
)
def test_a_number_as_a_condition_is_compared(condition: str, written: str) -> None:
    text = f"function f(Graph g, int k) {{ int r = 0; if {condition} {{ r = 1; }} return r; }}"
    (note,) = (d for d in diagnostics(text) if d.code == "W0303")
    assert fixed(text, note) == text.replace(f"if {condition}", f"if {written}")
    assert not [d for d in diagnostics(fixed(text, note)) if d.code == "W0303" or d.severity is Severity.ERROR]
