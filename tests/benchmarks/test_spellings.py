"""`benchmarks/spellings.py` holds spellings against the example: their answers, and how long they take."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import spellings
from benchmarks.spellings import Found

NEAR, FAR = Found("bfs/one", "g", False, 1.2, 1.0), Found("bfs/other", "g", False, 1.3, 1.0)
WITH_PARENT = Found("bfs/tree", "g", True, 1.4, 1.0)
LATE, FAILED, WRONG = (
    Found("bfs/no", "g", False, reason=why) for why in ("not done after 1 s", "failed: x", "wrong: y")
)


@pytest.mark.parametrize(
    ("found", "code"),
    [([NEAR, WITH_PARENT], 0), ([NEAR, FAR], 2), ([NEAR, LATE], 2), ([LATE, FAILED], 1), ([FAR, WRONG], 1)],
)
def test_the_exit_code_says_whether_all_are_near(found: list[Found], code: int) -> None:
    assert spellings.verdict(found) == code


def measured(spelling: str, folder: Path) -> dict[str, object]:
    given = ["--graphs", "rmat6", "--target", "reference", "--repeat", "2", "--kept", str(folder)]
    return spellings.measured(spelling, spellings.parser().parse_args(given))


@pytest.mark.parametrize(
    "spelling", ["bfs/minus_one", "sssp/held_out/parent_and_double", "pagerank/pull", "triangle_count/along_a_path"]
)
def test_both_are_measured_and_give_one_answer(spelling: str, tmp_path: Path) -> None:
    found = measured(spelling, tmp_path)
    assert found.keys() == {"own", "example"}, found
    assert all(isinstance(time, float) and time > 0 for time in found.values())


def test_another_answer_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(spellings.EXAMPLES, "bfs", ("examples/connected_components.sp", {}))
    monkeypatch.setattr(spellings, "arguments_of", lambda entry, where: {"src": 3} if "bfs" in str(entry.path) else {})
    monkeypatch.setattr(spellings, "answer", lambda entry, result: next(iter(result.values())))
    assert str(measured("bfs/while_more", tmp_path)["reason"]).startswith("wrong")


def test_only_other_operators_need_a_clock() -> None:
    unlike = {str(entry) for entry in spellings.chosen(("bfs",)) if spellings.is_unlike(entry)}
    assert "bfs/two_flags" not in unlike
    assert "bfs/with_parent" in unlike


@pytest.mark.campaign
def test_a_process_is_ended_and_the_others_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["--quick", "--only", "bfs/while_more", "--repeat", "1", "--kept", str(tmp_path)]
    assert spellings.main([*quick, "--limit", "0.01"]) == 2
    assert "not done after 0.01 s" in capsys.readouterr().out
    assert spellings.main([*quick, "--json", str(tmp_path / "found.json")]) in (0, 2)
    assert "times" in capsys.readouterr().out
