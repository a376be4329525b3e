"""`run --trace`: a table of rounds, a page, JSON; and what is said where it cannot be."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import starplat as package
from starplat.backends.scheduled import for_target
from starplat.cli import console
from starplat.cli.verbs.run import with_values
from starplat.cli.views.trace_page import page
from starplat.cli.views.trace_words import MOST_SHOWN, changes, notes, rows, table
from starplat.ir.points import Way
from starplat.runtime import Result
from starplat.runtime.tracing.trace import Held, Round, Trace, Walk
from starplat.runtime.tracing.watched import taken_apart
from starplat.schedule import AUTO
from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]

COMMON = ("--arg", "src=1", "--target", "reference")


def test_a_row_for_each_round(starplat: Starplat, examples: Path, roads: Path) -> None:
    plain = starplat("run", examples / "bfs_levels.sp", "--graph", roads, *COMMON)
    outcome = starplat("run", examples / "bfs_levels.sp", "--graph", roads, *COMMON, "--trace")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[:3] == plain.out.splitlines()[:3]
    assert lines[3].split() == ["line", "round", "frontier", "arcs", "direction", "held", "as", "ms", "kernels"]
    found = [re.fullmatch(r" +10 +(\d+) +(\d+) +(\d+) +push +flags +[\d.]+ +bfs_levels_min_level *", x) for x in lines]
    assert [int(match[1]) for match in found if match] == list(range(1, sum(map(bool, found)) + 1))
    assert sum(int(match[2]) for match in found if match) == 4
    assert "The watched run took" in outcome.out
    assert lines[-2].startswith("seconds: load ")


def test_what_is_read_on_the_host_is_shown_by_round(starplat: Starplat, examples: Path, roads: Path) -> None:
    mapped = ("--schedule", "memory=mapped")
    outcome = starplat("run", examples / "bfs_levels.sp", "--graph", roads, *COMMON, "--trace", *mapped)
    lines = outcome.out.splitlines()
    assert lines[3].split()[-3:] == ["on", "the", "host"]
    read = [int(line.split()[-1]) for line in lines if "bfs_levels_min_level" in line]
    said = next(line for line in lines if line.startswith("Read of arcs at most: "))
    found = re.fullmatch(r".* 0 bytes in the device's memory, (\d+) in the host's in (\d+) lines of 128\.", said)
    assert found is not None
    assert int(found[1]) == sum(read) > 0


def test_a_page_and_json_at_once(starplat: Starplat, examples: Path, roads: Path, tmp_path: Path) -> None:
    out = tmp_path / "trace.html"
    outcome = starplat("run", examples / "bfs_levels.sp", "-g", roads, *COMMON, "--trace", out, "--json")
    assert outcome.code == 0
    assert f"{out}: written" in outcome.err
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    trace = outcome.json["trace"]
    assert (trace["clock"], trace["left_out"]) == ("host", 0)
    assert [one["round"] for one in trace["rounds"]] == list(range(1, len(trace["rounds"]) + 1))
    assert set(trace["rounds"][0]) == {
        "line",
        "round",
        "frontier",
        "arcs",
        "direction",
        "representation",
        "seconds",
        "reads",
        "kernels",
    }
    assert trace["reads"]["host"] == 0
    assert trace["reads"]["device"] == sum(one["reads"]["device"] for one in trace["rounds"]) > 0
    assert set(trace["work"]) == {"bytes", "operations", "not_counted"}


def test_with_a_page_the_table_is_not_printed(starplat: Starplat, examples: Path, roads: Path, tmp_path: Path) -> None:
    outcome = starplat("run", examples / "bfs_levels.sp", "-g", roads, *COMMON, "--trace", tmp_path / "t.html")
    assert "frontier" not in outcome.out


def test_a_program_of_any_name_is_no_page(starplat: Starplat, examples: Path, roads: Path, tmp_path: Path) -> None:
    program = tmp_path / "levels"
    program.write_bytes((examples / "bfs_levels.sp").read_bytes())
    assert starplat("run", "--trace", program, "-g", roads, *COMMON).code == 0


def test_before_the_program_it_takes_none_of_its_words(starplat: Starplat, examples: Path, roads: Path) -> None:
    outcome = starplat("run", "--trace", examples / "bfs_levels.sp", "-g", roads, *COMMON)
    assert outcome.code == 0
    assert "frontier" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], []),
        (["--trace"], ["--trace", "-"]),
        (["--trace", "--json"], ["--trace", "-", "--json"]),
        (["p.sp", "--trace", "a.HTML", "-g"], ["p.sp", "--trace", "a.HTML", "-g"]),
        (["--trace=a.html", "p.sp"], ["--trace=a.html", "p.sp"]),
        (["--trace", "--", "a.html"], ["--trace", "-", "--", "a.html"]),
        (["--trace", "p.sp"], ["--trace", "-", "p.sp"]),
        (["p.sp", "--trace", "a.txt"], ["p.sp", "--trace", "a.txt"]),
        (["--", "--trace"], ["--", "--trace"]),
    ],
)
def test_its_value_may_be_left_out(arguments: list[str], expected: list[str]) -> None:
    assert with_values(arguments) == expected


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--trace=out.txt",), 2, "'out.txt' is no page"),
        (("--trace", "out.txt"), 2, "'out.txt' is no page"),
        (("--trace", "/dev/null"), 2, "'/dev/null' is no page"),
        (("--trace", "--target", "all"), 2, "--trace watches one target"),
        (("--trace", "no/such/folder/t.html"), 1, "E0792"),
    ],
)
def test_what_cannot_be_is_said(
    starplat: Starplat, examples: Path, roads: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    outcome = starplat("run", examples / "bfs_levels.sp", "-g", roads, *COMMON, *arguments)
    assert outcome.code == code
    assert said in outcome.err


# --- the page ------------------------------------------------------------------------------------------------------


def a_round(number: int, active: int | None, way: Way = Way.PUSH, held: Held = Held.LIST, line: int = 4) -> Round:
    return Round(line, number, (Walk("k<b>", line, active, active, way, held),), 0.001 * number)


def result_of(trace: Trace) -> Result:
    graph = package.Graph.from_arcs(3, np.array([0]), np.array([1]))
    return Result("p<b>", "f", graph, "cuda", "a & b", {}, {}, trace=trace)


SWITCHING = Trace(
    (
        a_round(1, 1),
        a_round(2, 900),
        a_round(3, 50_000, Way.PULL, Held.BITS),
        a_round(4, 7),
        a_round(1, 7, line=9),
        a_round(2, None, line=9),
    ),
    left_out=12,
    on_device=True,
    seconds=0.5,
)


class Reader(HTMLParser):
    """The tags, what they would load, and the texts of titles."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.titles: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "data", "xlink:href")]
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "title":
            self.titles.append(data)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return reader


def test_switches_are_those_between_rounds_of_one_loop() -> None:
    assert changes(SWITCHING) == {2: "pull, bits", 3: "push, list"}
    assert [row.changed for row in rows(SWITCHING)] == [False, False, True, True, False, False]


def test_the_page_shows_rounds_and_switches_and_needs_nothing_else() -> None:
    text = page(result_of(SWITCHING), SWITCHING)
    reader = read(text)
    assert reader.loads == []
    assert "script" not in text.lower()
    assert "url(" not in text
    assert "http" not in text.replace("http-equiv", "")
    assert "prefers-color-scheme: dark" in text
    assert page(result_of(SWITCHING), SWITCHING) == text
    assert "line 4, round 3: 50,000 active nodes with 50,000 arcs, pull, bits, 3.000 ms" in reader.titles
    assert reader.titles.count("switches to pull, bits") == 2  # in both panels
    assert "a loop begins: line 9" in reader.titles
    assert text.count('<rect class="pull"') == 2
    assert "p&lt;b&gt;" in text
    assert "a &amp; b" in text
    assert "12 more rounds are not shown" in text
    assert "k&lt;b&gt;" in text


def test_bars_are_as_high_as_what_they_stand_for() -> None:
    text = page(result_of(SWITCHING), SWITCHING)
    heights = [float(height) for height in re.findall(r'<rect class="\w+" .*? height="([\d.]+)"', text)]
    sizes, times = heights[:5], heights[5:]  # of one round nobody knows how many were active
    assert sizes[2] == max(sizes)
    assert sizes[0] == min(sizes) == 2.0
    assert sizes[1] / sizes[2] == pytest.approx(np.log10(900) / np.log10(50_000), rel=0.01)
    assert times == pytest.approx([times[0] * number for number in (1, 2, 3, 4, 1, 2)], rel=0.01)


def test_many_rounds_share_columns() -> None:
    trace = Trace(tuple(a_round(n, n) for n in range(1, 5001)), seconds=1.0)
    text = page(result_of(trace), trace)
    read(text)
    assert text.count("<rect") <= 2 * 800
    assert "rounds 1 to 7 of the run: at most 7 active" in text
    assert "the first 2000 rounds" in text


def test_no_rounds_are_said_to_be_none() -> None:
    text = page(result_of(Trace()), Trace())
    read(text)
    assert "No loop launched a kernel." in text
    assert "<svg" not in text


def test_a_long_table_leaves_out_its_middle() -> None:
    assert table(SWITCHING).row_count == 6
    assert table(Trace(tuple(a_round(n, n) for n in range(1, 5001)))).row_count == MOST_SHOWN + 1


def test_a_narrow_terminal_cuts_no_number_short(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "PIPE_WIDTH", 20)
    console.show_table(table(SWITCHING))
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "50,000" in line)
    assert line.split()[1:] == ["3", "50,000", "50,000", "pull", "bits", "3.000", "k<b>"]


def test_rounds_that_share_a_launch_are_said_to_be_taken_apart(examples: Path) -> None:
    module = package.compile(examples / "bfs_levels.sp").module()
    assert taken_apart(for_target(module, "opencl", AUTO))
    assert not taken_apart(module)
    assert "launched one by one" in " ".join(notes(result_of(Trace(taken_apart=True)), Trace(taken_apart=True)))
    assert "launched one by one" not in " ".join(notes(result_of(Trace()), Trace()))
