"""Few schedules in which any two values of two knobs come together, and what they make of a program."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.schedule import AUTO, KNOBS, Schedule
from starplat.schedule.apply import decided
from starplat.schedule.order import RENUMBERING
from starplat.schedule.schedule import Memory

WIDTHS = (3, 0.5)


def values_of(name: str) -> list[Any]:
    """The values of a knob that change what runs; an order of nodes changes the graph (`test_renumbered`), and most
    other knobs rule out rows that the host copies (`tests.runtime.test_chunks`)."""
    knob = KNOBS[name]
    tried = (value for form in knob.forms for width in WIDTHS for value in form.tried(width))
    return [value for value in dict.fromkeys((*knob.kind, *tried)) if value not in (*RENUMBERING, Memory.CHUNKS)]


@cache
def schedules() -> tuple[Schedule, ...]:
    """Few schedules in which any two values of two knobs come together; `auto` is the first of them."""
    missing = {
        ((one, a), (other, b)): None
        for one, other in combinations(KNOBS, 2)
        for a, b in product(values_of(one), values_of(other))
    }
    chosen: list[Schedule] = []
    while missing:
        best = AUTO if not chosen else filled(dict(next(iter(missing))), missing)
        for pair in pairs_of(best):
            missing.pop(pair, None)
        chosen.append(best)
    return tuple(chosen)


def filled(row: dict[str, Any], missing: Container[Any]) -> Schedule:
    """A schedule with these values; each other knob gets the one with which most missing pairs come together."""

    def gained(name: str, value: Any) -> int:
        return sum(tuple(sorted(((name, value), known), key=place)) in missing for known in row.items())

    for name in [name for name in KNOBS if name not in row]:
        row[name] = max(values_of(name), key=lambda value: gained(name, value))
    return Schedule(**row)


def place(knob: tuple[str, Any]) -> int:
    """Where a knob stands among all."""
    return list(KNOBS).index(knob[0])


@cache
def pairs_of(schedule: Schedule) -> frozenset[Any]:
    return frozenset(combinations(schedule.values.items(), 2))


def variants(module: ir.Module, target: str = "cuda") -> Iterator[tuple[Schedule, ir.Module]]:
    """What the schedules make of a module, each outcome once; one that is refused with the reason is left out."""
    seen = [module]
    for schedule in schedules():
        try:
            made = decided(module, schedule, BACKENDS[target].capabilities).module
        except DiagnosticError as refused:
            if not all(diagnostic.code.startswith("E06") for diagnostic in refused.diagnostics):
                raise
            continue
        if made not in seen:
            seen.append(made)
            yield schedule, made
