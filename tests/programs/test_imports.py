"""Programs of several files run as if they were one, and every message names the file that it is about."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import starplat
from starplat import DiagnosticError, Graph
from starplat.frontend.unparse import format_source
from starplat.source import SourceFile
from tests.programs.targets import Target, every_target

GRAPH = Graph.from_arcs(4, [0, 0, 1, 2], [1, 2, 3, 3])
MAIN = """// Marks.
import "parts/sums.sp"; // sums
import "pagerank";

function main_sum(Graph g, propNode<int> mark) {
  forall (v in g.nodes()) {
    v.mark = g.degree(v);
  }
  spread(g, mark);
  return total(g, mark);
}
"""
SUMS = """import "more/spread.sp";

// The sum of all.
function total(Graph g, propNode<int> mark) {
  long sum = 0;
  forall (v in g.nodes()) {
    sum += twice(v.mark);
  }
  return sum;
}

function never(Graph g) {
  int unused = g.num_nodes();
  return unused;
}
"""
SPREAD = """import "twice.sp";
function spread(Graph g, propNode<int> mark) {
  forall (v in g.nodes()) {
    assert(v.mark < 3, "few");
    forall (w in g.neighbors(v)) {
      w.mark += 10;
    }
  }
}
"""
TWICE = "function twice(int x) { return 2 * x; }\n"
FILES = {"main.sp": MAIN, "parts/sums.sp": SUMS, "parts/more/spread.sp": SPREAD, "parts/more/twice.sp": TWICE}


def written(folder: Path, **changed: str) -> Path:
    """The main file of the program in a folder; `changed` are other texts, `parts__sums` for `parts/sums.sp`."""
    for name, text in {**FILES, **{f"{n.replace('__', '/')}.sp": text for n, text in changed.items()}}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "main.sp"


def refused(path: Path) -> DiagnosticError:
    with pytest.raises(DiagnosticError) as caught:
        starplat.compile(path)
    return caught.value


@every_target
def test_every_target_gives_the_answer_of_one_file(target: Target, tmp_path: Path) -> None:
    program = starplat.compile(written(tmp_path, parts__more__spread=SPREAD.replace("assert", "// assert")))
    texts = [text for name, text in FILES.items() if name != "parts/more/spread.sp"]
    joined = "\n".join([*texts, SPREAD.replace("assert", "// assert")])
    one = starplat.compile("\n".join(line for line in joined.split("\n") if not line.startswith("import")))
    found = target.run(program, GRAPH, {})
    expected = one.run(GRAPH, function="main_sum", target="reference")
    assert (found.returned, found["mark"].tolist()) == (expected.returned, expected["mark"].tolist())
    assert found.returned == 2 * (4 + 4 * 10)


def test_emitted_code_names_the_file_of_each_line_and_has_nothing_else(tmp_path: Path) -> None:
    files = starplat.compile(written(tmp_path)).artifact("openmp", single_file=True)
    text = "\n".join(files.values())
    for mark in ('#line 6 "main.sp"', '#line 3 "spread.sp"', '#line 6 "sums.sp"', "// sums.sp:4 function total"):
        assert mark in text
    assert "never" not in text
    assert "pagerank" not in text


def test_the_entry_is_of_the_programs_own_file(tmp_path: Path) -> None:
    program = starplat.compile(written(tmp_path))
    assert program.functions == ("main_sum", "spread", "total", "twice")
    assert program.module().entry == "main_sum"
    (tmp_path / "only.sp").write_text('import "parts/sums.sp";\n')
    with pytest.raises(DiagnosticError, match="no function to run"):
        starplat.compile(tmp_path / "only.sp").module()


def test_a_file_that_two_import_is_read_once(tmp_path: Path) -> None:
    path = written(tmp_path, parts__sums='import "more/twice.sp";\nimport "./more/../more/twice.sp";\n' + SUMS)
    assert starplat.compile(path).functions == ("main_sum", "spread", "total", "twice")


def test_shipped_programs_are_imported_by_name(tmp_path: Path) -> None:
    text = 'import "degree_statistics";\nfunction f(Graph g) { int n = 3; return n; }'
    path = tmp_path / "f.sp"
    path.write_text(text, encoding="utf-8")
    assert starplat.compile(path).run(GRAPH, target="reference").returned == 3
    near = refused_text(path, text.replace("degree_statistics", "degree_statistic"))
    assert "did you mean 'degree_statistics'?" in str(near)


def refused_text(path: Path, text: str) -> DiagnosticError:
    path.write_text(text, encoding="utf-8")
    return refused(path)


def test_a_text_imports_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert starplat.compile(MAIN).run(GRAPH, target="openmp").returned == 88


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nowhere.sp", "there is no such file"),
        ("parts/sum.sp", "did you mean 'sums.sp'?"),
        ("../outside.sp", "outside the program's folder"),
        ("parts/../../outside.sp", "outside the program's folder"),
        ("link.sp", "outside the program's folder"),
        ("/etc/hosts.sp", "no relative path"),
        (r"parts\\sums.sp", "no relative path"),
        ("c:/sums.sp", "no relative path"),
        ("parts.sp", "there is no such file"),
        ("a\0.sp", "cannot be read: embedded null byte"),
        ("", "no such program"),
    ],
)
def test_what_may_not_be_imported_is_said_where_it_is_asked_for(name: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "outside.sp").write_text(TWICE)
    folder = tmp_path / "inside"
    written(folder)
    os.symlink("../outside.sp", folder / "link.sp")
    (folder / "parts.sp").mkdir()
    error = refused_text(folder / "main.sp", f'import "{name}";\n' + MAIN)
    assert [d.code for d in error.diagnostics] == ["E0214"]
    assert why in str(error)
    assert "main.sp:1:8" in str(error)


def test_an_imported_file_must_be_text(tmp_path: Path) -> None:
    path = written(tmp_path)
    (tmp_path / "parts" / "more" / "twice.sp").write_bytes(b"function \xff")
    assert [d.code for d in refused(path).diagnostics] == ["E0791"]


def test_a_circle_shows_all_its_imports(tmp_path: Path) -> None:
    error = refused(written(tmp_path, parts__more__twice='import "../../main.sp";\nimport "twice.sp";\n'))
    circle, itself = error.diagnostics
    assert "main.sp → sums.sp → spread.sp → twice.sp → main.sp" in circle.message
    assert itself.message == "'twice.sp' imports 'twice.sp': itself"
    places = [line.split("language")[-1] for line in str(error).splitlines() if line.startswith(("  -->", "  :::"))]
    assert [place.rpartition("/")[2] for place in places] == [
        *("twice.sp:1:8", "main.sp:2:8", "sums.sp:1:8", "spread.sp:1:8"),
        "twice.sp:2:8",
    ]


def test_a_text_is_no_file_of_the_name_that_messages_give_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "program.sp").write_text(TWICE)
    monkeypatch.chdir(tmp_path)
    program = starplat.compile('import "program.sp";\nfunction f(Graph g) { return twice(g.num_nodes()); }')
    assert program.run(GRAPH, target="reference", function="f").returned == 8
    (tmp_path / "program.sp").write_text('import "program.sp";\n' + TWICE)
    with pytest.raises(DiagnosticError, match=r"'program.sp' imports 'program.sp': itself"):
        starplat.compile('import "program.sp";\nfunction f(Graph g) { return twice(g.num_nodes()); }')


def test_a_function_of_two_files_is_an_error_with_both_places(tmp_path: Path) -> None:
    error = refused(written(tmp_path, parts__more__twice=TWICE + "function total(Graph g) { return 1; }"))
    (found,) = (d for d in error.diagnostics if d.code == "E0207")
    shown = found.to_json()
    places = [(Path(at["file"]).name, at["line"], at["column"]) for at in (shown["place"], *shown["related"])]
    assert places == [("twice.sp", 2, 10), ("sums.sp", 4, 10)]
    for name in ("parts/more/twice.sp:2:10", "parts/sums.sp:4:10"):
        assert str(tmp_path / name) in str(error)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("function twice(int x) {\n  return 2 * y;\n}", "E0201", "twice.sp:2:14"),
        ("function twice(int x) {\n  return 2 * ;\n}", "E0101", "twice.sp:2:14"),
    ],
)
def test_mistakes_are_told_of_the_file_that_has_them(text: str, code: str, place: str, tmp_path: Path) -> None:
    error = refused(written(tmp_path, parts__more__twice=text))
    assert [d.code for d in error.diagnostics] == [code]
    assert f"/parts/more/{place}\n" in str(error)


def test_faults_of_a_run_are_told_of_the_file_that_has_them(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError, match="an assertion fails: few, at node v = 1") as caught:
        starplat.compile(written(tmp_path)).run(GRAPH, checked=True)
    assert "spread.sp:4:12" in str(caught.value)
    assert "v.mark < 3" in str(caught.value)


def test_facts_name_the_file_of_a_line(tmp_path: Path) -> None:
    text = starplat.analysis.describe(starplat.compile(written(tmp_path)).facts)
    assert "\n  line 6: forall (v in g.nodes())" in text
    assert f"\n  {tmp_path}/parts/sums.sp, line 6: forall (v in g.nodes())" in text
    found = starplat.analysis.to_json(starplat.compile(written(tmp_path)).facts)["functions"]
    assert [(Path(f["file"]).name, f["name"]) for f in found] == [
        *(("main.sp", "main_sum"), ("spread.sp", "spread"), ("sums.sp", "total"), ("twice.sp", "twice"))
    ]


def test_it_is_formatted_file_by_file() -> None:
    text = 'import   "a.sp" ;// why\n\n\n// b\nimport "b\\"\\t.sp";\nfunction f(Graph g){return 1;}'
    wanted = 'import "a.sp"; // why\n\n// b\nimport "b\\"\\t.sp";\n\nfunction f(Graph g) {\n  return 1;\n}\n'
    assert format_source(SourceFile("x.sp", text)) == wanted
