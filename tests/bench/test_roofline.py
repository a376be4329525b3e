"""The roofline shows what was counted, under the rate at which the device copies, and says what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from starplat.bench.records import Counted, Report, Row, Sizes, read_report
from starplat.cli.views.bench_roofline import roofline
from starplat.cli.views.bench_table import page
from starplat.runtime.everywhere import Agreement
from starplat.runtime.tracing.work import LEFT_OUT
from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]

GRAPH = Sizes("g.wel", 10, 20)


def row(work: Counted | None, seconds: float = 0.5, target: str = "cuda", **more: object) -> Row:
    return Row(GRAPH, target, f"a {target} device", "auto", (seconds,) * 5, work=work, **more)  # type: ignore[arg-type]


def counted(size: int, operations: int, *missing: str, rate: float = 1e9) -> Counted:
    return Counted(size, operations, missing, rate)


def drawn(*rows: Row) -> dict[str, list[dict[str, object]]]:
    found = roofline(Report("p", "f", rows))
    assert found is not None
    return found


def test_nothing_counted_nothing_drawn() -> None:
    assert roofline(Report("p", "f", (row(None),))) is None
    assert "Roofline" not in page(Report("p", "f", (row(None),)))


def test_a_point_at_the_copy_rate_lies_on_the_line() -> None:
    """10^9 bytes in a second, which is the rate, and a tenth of that, one decade lower."""
    found = drawn(row(counted(10**9, 10**8), 1.0), row(counted(10**8, 10**7), 1.0))
    (on, below), (line,) = found["points"], found["roofs"]
    x1, y1, x2, y2 = (float(str(line[name])) for name in ("x1", "y1", "x2", "y2"))
    assert on["x"] == below["x"]
    height = y1 + (float(str(on["x"])) - x1) / (x2 - x1) * (y2 - y1)
    assert float(str(on["y"])) == pytest.approx(height, abs=0.1)
    decade = [float(str(tick["y"])) for tick in found["up"]]
    assert float(str(below["y"])) - float(str(on["y"])) == pytest.approx(decade[0] - decade[1], abs=0.1)
    assert [one["share"] for one in found["rows"]] == ["100.0%", "10.0%"]


def test_what_cannot_be_counted_is_listed_and_not_drawn() -> None:
    found = drawn(
        row(counted(1000, 10)),
        row(counted(1000, 10, LEFT_OUT)),
        row(counted(1000, 0)),
        row(counted(1000, 10), answer=Agreement.DIFFERS),
    )
    assert [label["text"] for label in found["labels"]] == ["1"]
    assert len(found["rows"]) == 4
    assert found["rows"][1]["missing"] == LEFT_OUT
    assert any("3 of 4" in str(note) for note in found["notes"])


def test_a_point_above_its_line_is_explained() -> None:
    assert any("caches" in str(note) for note in drawn(row(counted(10**9, 10**9), 0.001))["notes"][1:])
    assert not any("stay in caches" in str(note) for note in drawn(row(counted(10**6, 10**9), 1.0))["notes"])


def test_every_device_has_a_line_and_every_target_a_colour() -> None:
    found = drawn(row(counted(9, 9)), row(counted(9, 9), target="openmp"), row(counted(8, 9), target="openmp"))
    assert len(found["roofs"]) == 2
    assert [point["kind"] for point in found["points"]] == ["c0", "c1", "c1"]
    assert [line["kind"] for line in found["roofs"]] == ["c0", "c1"]
    assert [one["kind"] for one in found["rows"]] == ["c0", "c1", "c1"]
    text = page(Report("p", "f", (row(counted(9, 9)), row(None))))
    assert text.count("<circle") == 1
    assert "cuda on a cuda device copies 1 GB/s" in text


def test_numbers_that_would_lie_on_each_other_share_a_label() -> None:
    found = drawn(row(counted(1000, 100)), row(counted(10, 1000)), row(counted(1001, 100)))
    assert [label["text"] for label in found["labels"]] == ["1, 3", "2"]
    assert len(found["points"]) == 3


def test_the_command_line_counts_for_a_page_only(command: Command, tmp_path: Path) -> None:
    program, graph = tmp_path / "p.sp", tmp_path / "g.wel"
    program.write_text("function f(Graph g, propNode<int> a) { forall (v in g.nodes()) { v.a = v + 1; } }")
    graph.write_text("0 1 4\n0 2 8\n", encoding="utf-8")
    common = ("bench", program, "-g", graph, "-t", "reference", "--repeat", 3)
    assert command(*common, "--json", tmp_path / "a.json", "--html", tmp_path / "a.html").code == 0
    (measured,) = read_report(tmp_path / "a.json").rows
    assert measured.work is not None
    assert (measured.work.bytes, measured.work.operations, measured.work.missing) == (12, 3, ())
    assert measured.work.copy_rate > 1e6
    assert re.search(r"<circle class=\"c0\"", (tmp_path / "a.html").read_text(encoding="utf-8"))
    assert command(*common, "--json", "-").json["rows"][0]["work"] is None
