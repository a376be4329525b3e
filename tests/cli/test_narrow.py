"""Help and tables fit a terminal of 80 columns, and nothing in them is cut short."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from starplat.cli.app import VERBS
from starplat.cli.console import shared_out
from starplat.schedule.schedule import KNOBS
from starplat.toolchain.description import DeviceDescription
from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("verb", VERBS)
def test_help_fits_and_cuts_nothing(starplat: Starplat, verb: str) -> None:
    shown = starplat(verb, "--help").out
    assert max(map(len, shown.splitlines())) <= 80
    assert "\u2026" not in shown.replace("FILE.sp\u2026", "")


def test_help_of_run_names_every_value_of_every_knob(starplat: Starplat) -> None:
    words = starplat("run", "--help").out.split()
    for knob in KNOBS.values():
        assert {f"{knob.name}=", *knob.words} <= {word.strip(";.") for word in words}


def test_doctor_fits(starplat: Starplat, monkeypatch: pytest.MonkeyPatch) -> None:
    from starplat.runtime import everywhere

    pocl = DeviceDescription(
        "opencl", None, "pthread-skylake-avx512-AMD EPYC", "Portable Computing Language 3.1+debian", 2, 1, "too old"
    )
    reference = DeviceDescription("reference", 0, "interpreter", "Python 3.11.7", 1, 1)
    found = {"opencl": (pocl,), "reference": (reference,)}
    monkeypatch.setattr(everywhere, "REPORTS", found)
    monkeypatch.setattr(everywhere, "report", lambda target: found.get(target, ()))
    outcome = starplat("doctor")
    assert outcome.code == 3
    lines = outcome.out.splitlines()
    assert [line for line in lines[: lines.index("")] if len(line) > 80] == []
    assert "pthread-skylake-avx512-AMD" in outcome.out
    assert "too old" in outcome.out
    start = next(number for number, line in enumerate(lines) if line.startswith("compiler"))
    tools = lines[start : lines.index("", start)]
    assert [line for line in tools if len(line) > 80] == []


@pytest.mark.parametrize(
    ("sizes", "room", "widths"),
    [
        ([(3, 3), (5, 20)], 30, [3, 20]),
        ([(3, 3), (5, 20)], 15, [3, 12]),
        ([(10, 40), (10, 12), (10, 40)], 60, [24, 12, 24]),
        ([(10, 40), (10, 40)], 12, [10, 10]),
    ],
)
def test_columns_share_what_room_there_is(sizes: list[tuple[int, int]], room: int, widths: list[int]) -> None:
    assert shared_out(sizes, room) == widths
