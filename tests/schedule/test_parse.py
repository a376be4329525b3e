"""Schedules are read as they are written, and everything that is wrong in one is said where it stands."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from starplat.diagnostics import DiagnosticError, ExitCode, render
from starplat.schedule import AUTO, KNOBS, PLAIN, Schedule
from starplat.schedule.parse import file_beside, parse_schedule, read_schedule
from starplat.schedule.schedule import Algebra, Balance, Delta, Direction, Knob, Loop, Priority, usage

ROOT = Path(__file__).resolve().parents[2]


def values_of(knob: Knob) -> list[object]:
    return [*knob.kind, *(value for form in knob.forms for width in (1, 40, 0.25) for value in form.tried(width))]


schedules = st.builds(Schedule, **{name: st.sampled_from(values_of(knob)) for name, knob in KNOBS.items()})


@given(schedules)
def test_a_schedule_is_read_as_it_prints(schedule: Schedule) -> None:
    assert parse_schedule(str(schedule)) == schedule


@given(schedules)
def test_a_file_says_the_same(tmp_path_factory: pytest.TempPathFactory, schedule: Schedule) -> None:
    path = tmp_path_factory.mktemp("schedule") / "s.toml"
    lines = [f'{name} = "{value}"' for name, value in schedule.values.items()]
    path.write_text("\n".join(["[other]", "x = 1", "[schedule]", *lines]), encoding="utf-8")
    assert read_schedule(path) == parse_schedule(str(path)) == schedule


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("auto", AUTO),
        ("plain", PLAIN),
        (" plain , direction = pull", Schedule(Direction.PULL, *list(PLAIN.values.values())[1:])),  # type: ignore[arg-type]
        ("auto,loop=host", Schedule(loop=Loop.HOST)),
        ("balance=edge,direction=push", Schedule(Direction.PUSH, balance=Balance.EDGE)),
        ("priority=delta( 3 )", Schedule(priority=Delta(3))),
        ("priority=delta(0.5),algebra=plain", Schedule(priority=Delta(0.5), algebra=Algebra.PLAIN)),
    ],
)
def test_what_is_not_said_is_left_to_the_compiler_or_to_the_base(text: str, expected: Schedule) -> None:
    assert parse_schedule(text) == expected


def messages(text: str) -> str:
    with pytest.raises(DiagnosticError) as caught:
        parse_schedule(text)
    return "\n".join(render(diagnostic) for diagnostic in caught.value.diagnostics)


def test_an_unknown_knob_is_shown_with_the_one_that_was_meant() -> None:
    assert messages("balance=edge,dircetion=pull") == (
        "error[E0660]: a schedule has no knob 'dircetion'\n"
        "  --> schedule:1:14\n"
        "   |\n"
        " 1 | balance=edge,dircetion=pull\n"
        "   |              ^^^^^^^^^\n"
        "   |\n"
        "   = help: did you mean 'direction'? "
        "the knobs are: direction, frontier, balance, loop, priority, algebra, order, memory, sources, updates"
    )


def test_an_unknown_value_is_shown_with_the_list() -> None:
    assert messages("direction=pul").splitlines()[-3:] == [
        "   |           ^^^",
        "   |",
        "   = help: did you mean 'pull'? 'direction' is one of: push, pull, auto",
    ]
    assert "'priority' is one of: none, auto, delta(WIDTH)" in messages("priority=far")


@pytest.mark.parametrize("width", ["0", "0.0", "-1", "x", "", "1e3", "1,2", "9" * 40])
def test_a_delta_is_a_number_above_zero(width: str) -> None:
    assert "error[E0661]" in messages(f"priority=delta({width})")


def test_a_knob_that_is_said_twice_is_shown_twice() -> None:
    assert messages("loop=host,balance=node,loop=host").splitlines()[3:7] == [
        " 1 | loop=host,balance=node,loop=host",
        "   |                        ^^^^",
        " 1 | loop=host,balance=node,loop=host",
        "   | ---- here first",
    ]


@pytest.mark.parametrize(
    "text", ["", "pull", "direction=pull,", "direction=pull,plain", "plain,auto", ",", "plain pull"]
)
def test_what_says_nothing_about_a_knob_is_no_schedule(text: str) -> None:
    assert "error[E0663]" in messages(text)


def test_all_mistakes_are_said_at_once() -> None:
    said = messages("dir=push,balance=arcs,loop=host,loop=host,what")
    assert [line[6:11] for line in said.splitlines() if line.startswith("error")] == [
        "E0660",
        "E0661",
        "E0662",
        "E0663",
    ]


@given(st.text(max_size=60))
def test_any_text_is_a_schedule_or_gets_a_message(text: str) -> None:
    assert found_or_said(text)


def found_or_said(text: str) -> Schedule | list[str]:
    """The schedule, or what is wrong with it: nothing else may come of any text."""
    try:
        return parse_schedule(text)
    except DiagnosticError as error:
        return [render(diagnostic) for diagnostic in error.diagnostics]


def test_a_mistake_in_a_file_is_shown_there(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(
        'balance = "x"\n\n[schedule]\nloop = "host"\nbalance = "all"  # of them\nwidth = 3\n', encoding="utf-8"
    )
    with pytest.raises(DiagnosticError) as caught:
        read_schedule(path)
    assert caught.value.exit_code is ExitCode.WRONG_INPUT
    shown = str(caught.value).splitlines()
    assert shown[1:5] == [f"  --> {path}:5:11", "   |", ' 5 | balance = "all"  # of them', "   |           ^^^^^"]
    assert f"  --> {path}:6:1" in shown


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('direction = "pull"', "there is no table [schedule]"),
        ("schedule = 3", "there is no table [schedule]"),
        ("[[schedule]]", "there is no table [schedule]"),
        ('[schedule]\nloop = "host"\nloop = "host"', "cannot overwrite a value"),
        ("[schedule]\nloop = host", "invalid value"),
    ],
)
def test_a_file_without_a_schedule_is_refused_with_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DiagnosticError) as caught:
        read_schedule(path)
    assert caught.value.diagnostics[0].code == "E0664"
    assert reason in caught.value.diagnostics[0].message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError, match=r"E0664.*no such file"):
        parse_schedule(str(tmp_path / "none.toml"))
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DiagnosticError, match=r"E0664.*not UTF-8"):
        parse_schedule(str(tmp_path / "binary.toml"))


def test_a_file_beside_a_program_counts_only_with_a_table_of_its_own(tmp_path: Path) -> None:
    program, beside = tmp_path / "p.sp", tmp_path / "p.toml"
    assert file_beside(program) is None
    beside.write_text('[project]\nname = "p"\n', encoding="utf-8")
    assert file_beside(program) is None
    beside.write_text("[project]\n  [ schedule ]\n", encoding="utf-8")
    assert file_beside(program) == beside


def test_every_knob_and_value_has_a_sentence_and_stands_in_the_document() -> None:
    document = (ROOT / "docs" / "schedules.md").read_text(encoding="utf-8")
    table = [line for line in document.splitlines() if line.startswith("| ")][1:]
    expected = [
        row
        for knob in KNOBS.values()
        for row in (
            f"| `{knob.name}` | | {knob.sentence} |",
            *(f"| | `{word}` | {sentence} |" for word, sentence in knob.described.items()),
        )
    ]
    assert table == expected


def test_the_help_names_every_value() -> None:
    assert all(word in usage() for word in itertools.chain(KNOBS, *(knob.words for knob in KNOBS.values())))
    assert all(knob.sentence and all(knob.described.values()) for knob in KNOBS.values())


def test_every_knob_can_be_left_to_the_compiler() -> None:
    assert {str(value) for value in AUTO.values.values()} == {"auto"}
    assert Priority.NONE is PLAIN.priority
