"""`print` and `assert` are carried out on `reference` and in checked runs, and leave nothing behind elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

import starplat
from starplat import DiagnosticError, Graph
from starplat.backends import BACKENDS
from starplat.cli.app import command_line
from starplat.diagnostics import StarplatWarning
from starplat.frontend.parsing.lexer import quoted
from tests.programs.targets import REFERENCE, Target, every_target

GRAPH = Graph.from_arcs(4, [0, 0, 1, 2], [1, 2, 3, 3], ids=np.array([10, 20, 30, 40]))
PROGRAM = """
function plausible(Graph g, node v) {  //-
  return g.degree(v) >= 0;  //-
}  //-

function rises(Graph g, propNode<int> level, node src) {  //-
  iterateInBFS (v in g.nodes() from src) {  //-
    forall (w in g.neighbors(v)) { assert(w.level == v.level + 1, "rises"); }  //-
  }  //-
  print("rises");  //-
}  //-

function counted(Graph g, propNode<int> level, node src, int most = 9) {
  int seen = 0;
  double share = 1.0;
  int thrice = 3 * g.num_nodes();  //-
  print("from", src, "of", thrice);  //-
  g.attachNodeProperty(level = INF);
  src.level = 0;
  for (int round = 0; round < 2; round++) {  //-
    print("round", round, share / 4.0f, 0.1f, INF, -1.0 / 0.0, g.minWt() > 0, -1);  //-
  }  //-
  forall (v in g.nodes()) {
    int twice = 2 * g.degree(v);  //-
    assert(twice % 2 == 0 && plausible(g, v), "even");  //-
    if (v == src) {  //-
      print("at", v, v.level, twice);  //-
    }  //-
    seen += 1;
  }
  iterateInBFS (v in g.nodes() from src) {
    forall (w in g.neighbors(v)) {
      assert(w.level >= v.level);  //-
      w.level = v.level + 1;
    }
  }
  forall (v in g.nodes().filter(level < INF)) {  //-
    print(v, "is reached");  //-
  }  //-
  rises(g, level, src);  //-
  assert(seen <= most || most < 0, "few nodes");  //-
  return seen;
}
"""
PLAIN = "\n".join("" if line.endswith("  //-") else line for line in PROGRAM.split("\n"))
LINES = [
    "from 10 of 12",
    "round 0 0.25 0.1 INF -INF True -1",
    "round 1 0.25 0.1 INF -INF True -1",
    "at 10 0 4",
    *(f"{name} is reached" for name in (10, 20, 30, 40)),
    "rises",
]


def test_lines_come_in_the_programs_order(capsys: pytest.CaptureFixture[str]) -> None:
    program = starplat.compile(PROGRAM)
    assert not program.warnings
    for run in ({"target": "reference"}, {"checked": True}):
        result = program.run(GRAPH, src=10, **run)
        out, err = capsys.readouterr()
        assert (out, err.splitlines()) == ("", LINES)
        assert (result.returned, result["level"].tolist()) == (4, [0, 1, 1, 2])


@every_target
def test_every_target_gives_the_answer(target: Target) -> None:
    if target == REFERENCE:
        assert target.run(starplat.compile(PROGRAM), GRAPH, {"src": 10}).returned == 4
        return
    with pytest.warns(StarplatWarning, match=f"program.sp:10:3: a run on {target.target} prints nothing .W0702"):
        result = target.run(starplat.compile(PROGRAM), GRAPH, {"src": 10, "most": 1})
    assert (result.returned, result["level"].tolist()) == (4, [0, 1, 1, 2])


@pytest.mark.parametrize("target", BACKENDS)
def test_emitted_programs_have_no_code_for_them(target: str) -> None:
    assert starplat.compile(PROGRAM).artifact(target) == starplat.compile(PLAIN).artifact(target)


@pytest.mark.parametrize(
    ("condition", "most", "place", "said"),
    [
        ("seen <= most", 3, 1, "seen is 4, most is 3"),
        ("most < 0 || seen <= most && g.num_nodes() == 4", 3, 1, "most is 3, seen is 4, g.num_nodes() is 4"),
        ("most < 4 || level[most] == 0", 9, 1, "most is 9"),
        ("src != 10 && src.level == INF", 1, 1, "src is 20, src.level is 0"),
    ],
)
def test_a_failed_assertion_names_its_place_and_its_values(condition: str, most: int, place: int, said: str) -> None:
    text = f"""function f(Graph g, propNode<int> level, node src, int most) {{
  int seen = g.num_nodes();
  assert({condition}, "a \\"text\\" */ %s");
  return seen;
}}"""
    if "level[most]" in condition:
        condition_fault, code = "'level' has no cell 9", "E0704"
    else:
        condition_fault, code = 'an assertion fails: a "text" */ %s', "E0719"
    with pytest.raises(DiagnosticError) as caught:
        starplat.compile(text).run(GRAPH, target="reference", src=20, most=most)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert condition_fault in found.message
    assert found.place is not None
    assert found.source is not None
    assert found.source.position(found.place.span.start)[0] == 3
    if code == "E0719":
        assert found.help == said


def test_a_failed_assertion_in_a_loop_names_the_node() -> None:
    text = "function f(Graph g) {\n forall (v in g.nodes()) {\n assert(g.degree(v) > 0);\n }\n return 0;\n}"
    with pytest.raises(DiagnosticError, match="an assertion fails, at node v = 40") as caught:
        starplat.compile(text).run(GRAPH, checked=True)
    assert "g.degree(v) is 0, v is 40" in str(caught.value)
    assert starplat.compile(text).run(GRAPH, target="openmp").returned == 0


@given(
    st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])) | st.text('"\\%*/n\n\té', max_size=9)
)
@settings(max_examples=60)
def test_any_text_is_printed_as_it_is_and_spells_no_code(text: str) -> None:
    program = starplat.compile(
        f"function f(Graph g, propNode<int> p) {{ forall (v in g.nodes()) {{ v.p = 1; print({quoted(text)}); }} }}"
    )
    plain = starplat.compile("function f(Graph g, propNode<int> p) { forall (v in g.nodes()) { v.p = 1; print(1); } }")
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sys.stderr", type("", (), {"write": lambda _, part: said.append(part), "flush": lambda _: None})()
        )
        program.run(Graph.from_arcs(1, [], []), target="reference")
    assert "".join(said) == text + "\n"
    for target in ("cuda", "openacc"):
        assert code(program.artifact(target)) == code(plain.artifact(target))


def code(files: dict[str, str]) -> list[str]:
    return [line for text in files.values() for line in text.splitlines() if not line.lstrip().startswith("//")]


def test_a_run_on_reference_takes_what_a_checked_run_takes() -> None:
    with pytest.raises(DiagnosticError, match="a checked run goes without --repeat") as caught:
        starplat.compile(PROGRAM).run(GRAPH, target="reference", src=10, repeat=2)
    assert "'print' or 'assert'" in str(caught.value)


def test_where_there_is_no_device_they_are_carried_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("starplat.program_runs.automatic", lambda: "reference")
    assert starplat.compile(PROGRAM).run(GRAPH, src=10).returned == 4
    assert capsys.readouterr().err.splitlines() == LINES


def test_functions_that_only_assertions_call_are_no_entries() -> None:
    text = "function fine(Graph g) { return g.num_nodes() < 9; } function f(Graph g) { assert(fine(g)); return 7; }"
    program = starplat.compile(text)
    assert [program.run(GRAPH, target=target).returned for target in ("openmp", "reference")] == [7, 7]
    assert program.module().entry == "f"


def test_a_print_changes_no_search() -> None:
    """A loop that pulls from parents still does where it prints, and one that does not never begins to."""
    text = """
function f(Graph g, propNode<int> paths, propNode<int> seen, node src) {
  src.paths = 1;
  iterateInBFS (v in g.nodes() from src) {
    for (w in g.neighbors(v)) { v.paths += w.paths; print(w.paths); }
    for (w in g.neighbors(v)) { v.seen += 1; print(w.seen); }
  }
}
"""
    with_them = starplat.compile(text).run(GRAPH, checked=True, src=10)
    without = starplat.compile(text.replace("print(w.paths);", "").replace("print(w.seen);", "")).run(
        GRAPH, checked=True, src=10
    )
    assert {name: with_them[name].tolist() for name in with_them} == {name: without[name].tolist() for name in without}


def test_on_the_command_line_lines_go_beside_the_answer(tmp_path: Path) -> None:
    (tmp_path / "p.sp").write_text('function f(Graph g) {\n  print("here");\n  return 5;\n}\n')
    (tmp_path / "g.el").write_text("0 1\n")
    words = ["run", str(tmp_path / "p.sp"), "--graph", str(tmp_path / "g.el"), "--json", "--checked"]
    found = CliRunner().invoke(command_line(), words)
    assert json.loads(found.stdout)["returned"] == 5
    assert "here\n" in found.stderr
