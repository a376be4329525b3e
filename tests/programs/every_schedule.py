"""Few schedules in which any two values of two knobs come together, and what they make of a program."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.schedule import AUTO, KNOBS, Schedule
from starplat.schedule.apply import decided

WIDTHS = (3, 0.5)


def values_of(name: str) -> list[Any]:
    knob = KNOBS[name]
    return [*knob.kind, *(form(width) for form in knob.forms for width in WIDTHS)]


@cache
def schedules() -> tuple[Schedule, ...]:
    """Few schedules in which any two values of two knobs come together; `auto` is the first of them."""
    names = list(KNOBS)
    missing = {
        ((one, a), (other, b))
        for one, other in combinations(names, 2)
        for a, b in product(values_of(one), values_of(other))
    }
    chosen: list[Schedule] = []
    candidates = [Schedule(**dict(zip(names, row, strict=True))) for row in product(*map(values_of, names))]
    while missing:
        best = AUTO if not chosen else max(candidates, key=lambda one: len(missing & pairs_of(one)))
        missing -= pairs_of(best)
        chosen.append(best)
    return tuple(chosen)


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
