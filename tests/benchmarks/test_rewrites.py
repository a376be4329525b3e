"""`benchmarks/rewrites.py` asks each rewrite of the canonical form which programs need it."""

import pytest

from benchmarks import rewrites


def test_rewrites_are_asked_and_questions_are_not() -> None:
    found = set(rewrites.rewrites())
    assert {"over_frontiers", "from_zero", "with_counts"} <= found
    assert found.isdisjoint(rewrites.QUESTIONS)


def test_a_rewrite_is_needed_for_a_program_whose_operators_are_others_without_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rewrites, "FOLDERS", ("tests/spellings/betweenness",))
    rewrites.main(["from_zero"])
    first, *needed = capsys.readouterr().out.splitlines()
    assert first.split() == ["from_zero", "changes", "1", "needed", "for", "1"]
    assert needed == ["  tests/spellings/betweenness/levels_in_two_flags.sp"]
