"""`bench` measures every case, sees wrong answers and failures, writes what can be compared; `compare` compares it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import starplat
from starplat.bench.compare import Change, compare
from starplat.bench.measure import Bench, Case, cases, present_targets
from starplat.bench.records import Report, Row, Sizes, baseline, read_report
from starplat.cli.views.bench_table import interval, milliseconds, page
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.graph import Graph
from starplat.runtime import bind_text
from starplat.runtime.everywhere import Agreement
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.parse import parse_schedule
from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]
GRAPH = Graph.from_arcs(3, [0, 0], [1, 2], [4, 8])
HERE = ("reference", *(target for target in ("opencl", "openmp") if target in present_targets()))


def bench(program: starplat.Program, **more: object) -> Bench:
    return Bench(program, lambda graph: bind_text(program.module(), graph, {"k": "1"}), **more)  # type: ignore[arg-type]


def row(seconds: tuple[float, ...] = (1.0, 1.1, 1.2), **more: object) -> Row:
    known = {"graph": Sizes("a/roads.gr.gz", 5, 6), "target": "cuda", "device": "x", "schedule": "auto"}
    return Row(**{**known, "seconds": seconds, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("target", HERE)
def test_every_case_has_its_times_after_one_run_that_does_not_count(program: starplat.Program, target: str) -> None:
    found = bench(program, repeat=4).report([("a.gr", GRAPH)], cases([target], [AUTO, PLAIN]))
    assert [(r.target, r.schedule, len(r.seconds), r.answer) for r in found.rows] == [
        (target, "auto", 4, Agreement.AGREES),
        (target, "plain", 4, Agreement.AGREES),
    ]
    assert (found.program, found.function) == ("program", "f")


def test_all_targets_that_are_here_are_measured_once() -> None:
    assert [case.target for case in cases(["all", "all"], [])] == present_targets()
    assert "reference" not in present_targets()
    assert cases(["reference"], [], 3) == [Case("reference", None, 3)]


@pytest.mark.usefixtures("steps")
def test_a_wrong_answer_does_not_count_and_a_refusal_is_no_failure(program: starplat.Program) -> None:
    work = bench(program, repeat=1)
    wanted = [parse_schedule(text) for text in ("loop=device", "balance=edge", "direction=pull")]
    wrong, refused, right = work.report([("g", GRAPH)], cases(["reference"], wanted)).rows
    assert (wrong.answer, wrong.counts, wrong.code) == (Agreement.DIFFERS, False, "E0795")
    assert wrong.reason == "out[node 0] is 3, not 7"
    assert (refused.answer, refused.code, refused.seconds) == (Agreement.REFUSED, "E0604", ())
    assert (right.answer, work.faults) == (Agreement.AGREES, [])


def test_a_failure_is_a_row(program: starplat.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    work = bench(program)
    monkeypatch.setattr(work, "schedule_of", lambda case: AUTO)
    monkeypatch.setattr(work, "run", failing)
    monkeypatch.setattr("starplat.bench.measure.LARGE_GRAPH", 0)
    (found,) = work.report([("g", GRAPH)], cases(["reference"], [])).rows
    assert (found.answer, found.code, found.reason) == (Agreement.FAILED, "E0906", "it fell over")
    assert len(work.faults) == 1


def failing(*arguments: object) -> None:
    raise DiagnosticError(Diagnostic("E0906", "it fell over"), exit_code=ExitCode.NO_DEVICE)


def test_on_a_large_graph_the_first_answer_is_the_measure(
    program: starplat.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starplat.bench.measure.LARGE_GRAPH", 0)
    found = bench(program, repeat=1).report([("g", GRAPH)], cases(["reference"], [AUTO, PLAIN])).rows
    assert [r.answer for r in found] == [Agreement.MEASURE, Agreement.AGREES]


def test_a_program_with_a_race_is_measured_and_not_compared() -> None:
    text = "function f(Graph g, propNode<int> p, int k) { forall (v in g.nodes()) for (w in g.neighbors(v)) w.p = v; }"
    (found,) = bench(starplat.compile(text), repeat=1).report([("g", GRAPH)], cases(["reference"], [])).rows
    assert (found.answer, found.reason) == (Agreement.UNDEFINED, "the program has a race")


# --- reports -------------------------------------------------------------------------------------------------------


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    report = Report("p", "f", (row(), row((), answer=Agreement.REFUSED, reason="no", code="E0604")))
    (tmp_path / "r.json").write_text(json.dumps(report.to_json()), encoding="utf-8")
    assert read_report(tmp_path / "r.json") == report


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"kind": "bench", "schema": 2}', '{"kind": "bench", "schema": 1}', "\x00", "[" * 100_000]
)
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.json").write_text(text, encoding="utf-8")
    with pytest.raises(DiagnosticError, match=r"E0797.*it holds no measurements"):
        read_report(tmp_path / "r.json")
    with pytest.raises(DiagnosticError, match=r"E0797.*no such file"):
        read_report(tmp_path / "none.json")


@pytest.mark.parametrize("time", ["NaN", "Infinity", "-1.0", '"soon"'])
def test_a_time_that_is_none_is_refused(tmp_path: Path, time: str) -> None:
    text = json.dumps(Report("p", "f", (row((0.25,)),)).to_json()).replace('"seconds": [0.25]', f'"seconds": [{time}]')
    (tmp_path / "r.json").write_text(text, encoding="utf-8")
    with pytest.raises(DiagnosticError, match=r"E0797.*it holds no measurements"):
        read_report(tmp_path / "r.json")


def test_graphs_have_short_names() -> None:
    assert [Sizes(f, 1, 1).name for f in ("/a/b.c/roads.gr.gz", "C:\\x\\y.el", ".gr")] == ["roads", "y", ".gr"]


def test_the_first_row_that_counts_is_compared_with() -> None:
    wrong, right = row(answer=Agreement.DIFFERS), row((2.0,))
    assert baseline((wrong, right)) is right
    assert baseline((wrong,)) is None


SLOW, FAST = (2.0, 2.1, 2.2, 2.1, 2.0), (1.0, 1.1, 1.0, 1.1, 1.2)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (row(SLOW), row(FAST), Change.FASTER),
        (row(FAST), row(SLOW), Change.SLOWER),
        (row(FAST), row(FAST), Change.SAME),
        (row((1.0,)), row((9.0,)), Change.SAME),  # one time tells nothing
        (row(()), row(FAST), Change.MENDED),
        (row(FAST), row(FAST, answer=Agreement.DIFFERS), Change.BROKEN),
        (row(()), row(()), Change.FAILED),
    ],
)
def test_a_change_is_told_only_where_it_is_sure(before: Row, after: Row, change: Change) -> None:
    (pair,) = compare(Report("p", "f", (before,)), Report("p", "f", (after,)))
    assert pair.change is change
    assert (pair.speed_up is None) == (change in (Change.MENDED, Change.BROKEN, Change.FAILED))


def test_cases_are_paired_by_graph_target_and_schedule() -> None:
    elsewhere = row(graph=Sizes("/other/roads.gr", 5, 6))
    before = Report("p", "f", (row(), row(schedule="plain"), row(target="opencl")))
    after = Report("p", "f", (row(schedule="loop=host"), elsewhere, row(target="opencl")))
    found = [(pair.row.key[1:], pair.change) for pair in compare(before, after)]
    assert found == [
        (("cuda", "loop=host"), Change.NEW),
        (("cuda", "auto"), Change.SAME),
        (("opencl", "auto"), Change.SAME),
        (("cuda", "plain"), Change.GONE),
    ]


class Reader(HTMLParser):
    """Every tag, and every place that a page would load something from."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "data")]


def test_the_page_needs_nothing_else_and_says_it_all() -> None:
    sneaky = row((), answer=Agreement.FAILED, reason="<script>alert(1)</script>", device="a & b")
    report = Report("p<b>", "f", (row(SLOW), row(FAST, schedule="plain"), sneaky))
    text = page(report)
    reader = Reader()
    reader.feed(text)
    assert reader.loads == []
    assert "script" not in reader.tags
    assert "url(" not in text
    assert "p&lt;b&gt;" in text
    assert "&lt;script&gt;" in text
    assert page(report) == text
    lengths = [float(width) for width in re.findall(r'class="bar" style="width:([\d.]+)%', text)]
    assert len(lengths) == 2
    assert lengths[1] == pytest.approx(lengths[0] * 2.1 / 1.1, rel=0.01)
    assert "1.91 ×" in text


def test_numbers_have_the_digits_that_count() -> None:
    assert [milliseconds(s) for s in (1.5e-7, 0.0123456, 12.3456)] == ["0.00015", "12.35", "12346"]
    assert interval(None) == "-"


# --- the command line ----------------------------------------------------------------------------------------------


def test_bench_prints_a_table_for_each_graph(command: Command, files: tuple[Path, Path], tmp_path: Path) -> None:
    program, graph = files
    other = tmp_path / "other.el"
    other.write_text("0 1\n", encoding="utf-8")
    outcome = command(
        "bench", program, "-g", graph, "-g", other, "-a", "k=1", "-t", "reference", "-s", "auto", "-s", "plain"
    )
    assert outcome.code == 0
    assert "p on g: 3 nodes, 2 arcs" in outcome.out
    assert "p on other: 2 nodes, 1 arc " in outcome.out
    assert len(re.findall(r"^reference  interpreter  (auto|plain) .* agrees", outcome.out, re.MULTILINE)) == 4


@pytest.mark.usefixtures("steps")
def test_bench_exits_with_4_if_an_answer_is_wrong(command: Command, files: tuple[Path, Path]) -> None:
    program, graph = files
    outcome = command("bench", program, "-g", graph, "-a", "k=1", "-t", "reference", "-s", "loop=device")
    assert outcome.code == 4
    assert "differs: out[node 0] is 3, not 7" in outcome.out


def test_bench_writes_json_and_a_page_and_compare_reads_it(
    command: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    program, graph = files
    common = ("bench", program, "-g", graph, "-a", "k=1", "-t", "reference", "--repeat", 3)
    assert command(*common, "--json", tmp_path / "a.json", "--html", tmp_path / "a.html").code == 0
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    found = command(*common, "--json", "-").json
    assert (found["kind"], len(found["rows"][0]["seconds"]), found["rows"][0]["answer"]) == ("bench", 3, "agrees")
    report = read_report(tmp_path / "a.json")
    for name, times in (("a", (0.9, 0.99, 1.08)), ("b", (0.1, 0.11, 0.12))):  # one of three runs may take ten times
        told = replace(report, rows=tuple(replace(row, seconds=times) for row in report.rows))
        (tmp_path / f"{name}.json").write_text(json.dumps(told.to_json()), encoding="utf-8")
    outcome = command("bench", "compare", tmp_path / "a.json", tmp_path / "b.json")
    assert outcome.code == 0
    assert re.search(r"^g +reference +plain .* 9\.00 .*faster", outcome.out, re.MULTILINE)
    as_json = command("bench", "compare", tmp_path / "a.json", tmp_path / "b.json", "--json", "-").json
    assert [change["change"] for change in as_json["changes"]] == ["faster"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("bench",), 2, "FILE.sp"),
        (("bench", "p.sp"), 2, "--graph"),
        (("bench", "p.sp", "q.sp", "-g", "g"), 2, "one program at a time"),
        (("bench", "compare", "a.json"), 2, "takes two files"),
        (("bench", "compare", "a.json", "b.json"), 1, "E0797"),
        (("bench", "compare", "a.json", "b.json", "--html", "x.html"), 2, "--html"),
        (("bench", "p.sp", "-g", "g", "-t", "cudda"), 2, "E0907"),
        (("bench", "p.sp", "-g", "g", "-s", "pull"), 2, "E0663"),
        (("bench", "p.sp", "-g", "no such graph"), 1, "E0801"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_measured(
    command: Command,
    files: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(files[0].parent)
    outcome = command(*arguments)
    assert outcome.code == code
    assert said in outcome.err
    assert outcome.out == ""


def test_a_missing_argument_is_said_first(command: Command, files: tuple[Path, Path]) -> None:
    outcome = command("bench", files[0], "-g", files[1], "-t", "reference")
    assert outcome.code in (1, 2)
    assert "E0701" in outcome.err
