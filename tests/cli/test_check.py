"""`check`, `fmt`, `inspect`, `explain`, `compile`, `devices`: what each prints and what it exits with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from starplat.backends import BACKENDS
from starplat.cli.verbs.inspect import Stage
from starplat.resources import error_page_folder
from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]
Write = Callable[..., Path]

RACE = """\
function f(Graph g, propNode<int> p) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            w.p = v;
        }
    }
}
"""


def test_check_is_silent_on_stdout_about_a_right_program(starplat: Starplat, examples: Path) -> None:
    outcome = starplat("check", examples / "sssp.sp")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err.endswith("sssp.sp: no errors\n")


def test_check_reports_every_file_and_every_mistake(starplat: Starplat, program: Write, examples: Path) -> None:
    bad = program("function f(Graph g) {\n    int x = y;\n    x = z;\n}\n")
    outcome = starplat("check", bad, examples / "bfs.sp")
    assert outcome.code == 1
    assert "'y'" in outcome.err
    assert "'z'" in outcome.err
    assert f"{bad}: 2 errors" in outcome.err
    assert "bfs.sp: no errors" in outcome.err


def test_check_as_json_is_one_object_with_places(starplat: Starplat, program: Write) -> None:
    bad = program("function f(Graph g) {\n    int x = y;\n}\n")
    outcome = starplat("check", bad, "--json")
    assert outcome.code == 1
    (file,) = outcome.json["files"]
    assert (outcome.json["schema"], file["file"], file["errors"]) == (1, str(bad), 1)
    found = next(d for d in file["diagnostics"] if d["severity"] == "error")
    assert set(found) == {"code", "severity", "message", "place", "related", "help", "fix"}
    place = found["place"]
    assert (place["line"], place["column"], place["end_line"], place["end_column"]) == (2, 13, 2, 14)
    assert "error[" in outcome.err


def test_a_race_is_a_warning_and_with_strict_an_error(starplat: Starplat, program: Write) -> None:
    racy = program(RACE)
    lenient = starplat("check", racy)
    assert lenient.code == 0
    assert "warning[W0501]" in lenient.err
    strict = starplat("check", "--strict", racy)
    assert strict.code == 1
    assert "error[W0501]" in strict.err


def test_fmt_writes_in_place_and_then_finds_nothing_to_do(starplat: Starplat, program: Write) -> None:
    path = program("function f(Graph g){int x=1;\nreturn x;}", "name with 'quotes' and spaces.sp")
    assert starplat("fmt", "--check", path).code == 1
    first = starplat("fmt", path)
    assert (first.code, first.out) == (0, "")
    assert "int x = 1;" in path.read_text(encoding="utf-8")
    assert starplat("fmt", "--check", path).code == 0
    assert starplat("fmt", path).err == ""


def test_fmt_diff_prints_what_would_change_and_changes_nothing(starplat: Starplat, program: Write) -> None:
    text = "function f(Graph g){int x=1;\nreturn x;}"
    path = program(text)
    outcome = starplat("fmt", "--diff", path)
    assert outcome.code == 0
    assert outcome.out.startswith(f"--- {path}")
    assert "+  int x = 1;\n" in outcome.out
    assert path.read_text(encoding="utf-8") == text


def test_fmt_reads_stdin_and_writes_stdout(process: Starplat) -> None:
    outcome = process("fmt", "-", input="function f(Graph g){return 1;}")
    assert outcome.code == 0
    assert outcome.out == "function f(Graph g) {\n  return 1;\n}\n"


def test_fmt_leaves_a_wrong_program_alone(starplat: Starplat, program: Write) -> None:
    path = program("function f(Graph g) { int = }")
    assert starplat("fmt", path).code == 1
    assert path.read_text(encoding="utf-8") == "function f(Graph g) { int = }"


def test_the_examples_are_formatted(starplat: Starplat, examples: Path) -> None:
    outcome = starplat("fmt", "--check", *sorted(examples.glob("*.sp")))
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.parametrize("stage", Stage, ids=lambda stage: stage.value)
def test_every_stage_of_every_example_can_be_inspected(starplat: Starplat, examples: Path, stage: Stage) -> None:
    for path in sorted(examples.glob("*.sp")):
        outcome = starplat("inspect", path, "--stage", stage.value)
        assert outcome.code == 0, path
        assert not outcome.err or outcome.err.startswith("schedule for opencl, "), path
        assert outcome.err.count("\n") == (stage in (Stage.SCHEDULE, Stage.SOURCE)), path
        assert outcome.out.strip()
        assert " object at 0x" not in outcome.out


def test_inspect_source_is_the_text_that_compile_writes(starplat: Starplat, examples: Path, tmp_path: Path) -> None:
    source = starplat("inspect", examples / "sssp.sp", "--stage", "source", "-t", "opencl", "--for", "gpu").out
    starplat("compile", examples / "sssp.sp", "-t", "opencl", "-o", tmp_path, "--single-file")
    assert f"({source})" in (tmp_path / "sssp.cpp").read_text(encoding="utf-8")
    starplat("compile", examples / "sssp.sp", "-t", "opencl", "-o", tmp_path)
    beside = (tmp_path / "sssp.cl").read_text(encoding="utf-8")
    head, _, kernels = beside.partition('#include "starplat_opencl_kernels.h"\n')
    assert source.startswith(head)
    assert source.endswith(kernels)


def test_explain_prints_a_programs_facts(starplat: Starplat, examples: Path) -> None:
    outcome = starplat("explain", examples / "sssp.sp")
    assert outcome.code == 0
    assert "monotone" in outcome.out
    as_json = starplat("explain", examples / "sssp.sp", "--json").json
    assert as_json["schema"] == 1


def test_explain_prints_the_page_of_every_code(starplat: Starplat) -> None:
    for path in sorted(error_page_folder().glob("[EWN]????.md")):
        assert starplat("explain", path.stem).out == path.read_text(encoding="utf-8")
    assert starplat("explain", "e0790").code == 0
    assert starplat("explain", "E0790", "--json").json["code"] == "E0790"


def test_explain_of_an_unknown_code_suggests_one(starplat: Starplat) -> None:
    outcome = starplat("explain", "E9999")
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[E0793]" in outcome.err


def test_compile_writes_the_files_and_prints_their_paths(starplat: Starplat, examples: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new folder" / "it's"
    outcome = starplat("compile", examples / "sssp.sp", "-t", "opencl", "-o", folder)
    assert outcome.code == 0
    written = [Path(line) for line in outcome.out.splitlines()]
    headers = ("arguments", "graph", "opencl", "program", "read_graph", "results")
    names = {"sssp.cl", "sssp.cpp", "starplat_opencl_kernels.h", *(f"starplat_{header}.hpp" for header in headers)}
    assert {path.name for path in written} == names == {path.name for path in folder.iterdir()}
    as_json = starplat("compile", examples / "sssp.sp", "-o", folder, "--json").json
    what = {"schema": 1, "program": "sssp", "target": "opencl", "refused": {}}
    assert as_json == what | {"files": [str(path) for path in written]}


def test_compile_for_all_targets_passes_over_one_that_lacks_what_is_asked(
    starplat: Starplat, examples: Path, tmp_path: Path
) -> None:
    outcome = starplat("compile", examples / "pagerank.sp", "-t", "all", "-o", tmp_path)
    assert outcome.code == 0
    assert {path.name for path in tmp_path.iterdir()} == set(BACKENDS) - {"webgpu"}
    reason = "this target cannot update a shared double with '+' in one piece"
    assert f"webgpu: not written: {reason}" in outcome.err
    as_json = starplat("compile", examples / "pagerank.sp", "-t", "all", "-o", tmp_path, "--json").json
    assert as_json["refused"] == {"webgpu": reason}


def test_compile_for_all_targets_fills_a_folder_for_each(starplat: Starplat, examples: Path, tmp_path: Path) -> None:
    outcome = starplat("compile", examples / "sssp.sp", "-t", "all", "-o", tmp_path)
    assert outcome.code == 0
    assert {path.name for path in tmp_path.iterdir()} == set(BACKENDS)
    for target in BACKENDS:
        starplat("compile", examples / "sssp.sp", "-t", target, "-o", tmp_path / "one")
        for path in (tmp_path / target).iterdir():
            assert path.read_bytes() == (tmp_path / "one" / path.name).read_bytes()


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize(
    "name", ["x; touch y #.sp", 'it\'s "q".sp', "new\nline #error.sp", "-o.sp", "9 lives.sp", "ü.sp", "a\\.sp"]
)
@pytest.mark.parametrize("form", [[], ["--library"]], ids=["program", "library"])
def test_a_programs_file_name_stays_out_of_commands_and_of_the_code(
    starplat: Starplat, examples: Path, tmp_path: Path, name: str, form: list[str]
) -> None:
    program = tmp_path / name
    program.write_bytes((examples / "sssp.sp").read_bytes())
    assert starplat("compile", *form, "-t", "all", "-o", tmp_path / "out", "--", program).code == 0
    for path in (tmp_path / "out").rglob("*.*"):
        assert re.fullmatch(r"[A-Za-z0-9][\w.+-]*", path.name, re.ASCII)
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*#(error(?! \")|ifndef \d)|^line #error", text, re.MULTILINE)
        for command in re.findall(r"^(?://|/[*]|#)? *(?:build|run): +(.*)", text, re.MULTILINE):
            assert re.fullmatch(r"[\w.,+\-=/ $()\[\]|]*", command, re.ASCII), command


def test_compile_for_an_unknown_target_suggests_one(starplat: Starplat, examples: Path, tmp_path: Path) -> None:
    outcome = starplat("compile", examples / "sssp.sp", "-t", "opnecl", "-o", tmp_path)
    assert outcome.code == 2
    assert "did you mean 'opencl'?" in outcome.err


def test_compile_into_a_file_is_one_sentence(starplat: Starplat, examples: Path, tmp_path: Path) -> None:
    occupied = tmp_path / "occupied"
    occupied.write_text("", encoding="utf-8")
    outcome = starplat("compile", examples / "sssp.sp", "-o", occupied)
    assert outcome.code == 1
    assert "error[E0792]" in outcome.err


def test_devices_lists_the_interpreter_at_least(starplat: Starplat) -> None:
    outcome = starplat("devices")
    assert outcome.code == 0
    assert "reference" in outcome.out
    listed = json.loads(starplat("devices", "--json").out)["devices"]
    assert any(device["target"] == "reference" and device["index"] == 0 for device in listed)


def test_a_doubtful_program_is_told_once_by_run(starplat: Starplat, program: Write, roads: Path) -> None:
    racy = (
        "function f(Graph g, propNode<int> p) { forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.p = v; } } }"
    )
    outcome = starplat("run", program(racy), "-g", roads, "-t", "reference")
    assert outcome.code == 0
    assert outcome.err.count("W0501") == 1
