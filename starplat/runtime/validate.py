"""Compares a run's answers with the interpreter's.

Whole numbers and bools must be equal; reals may differ by 1e-4 of their size (`float`) or 1e-9 (`double`). Sums in
another order can cancel to another small remainder, so a difference of up to sixteen roundings of the property's
largest value passes too. INF equals INF only, and what is not a number equals itself. What a Min or Max carries on ties
may be any winner's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime import elements, launch
from starplat.runtime.arguments.bind import Bound, bind
from starplat.runtime.attending.limits import UNLIMITED, Limits
from starplat.runtime.results.result import Result
from starplat.runtime.results.ties import following, has_ties
from starplat.runtime.session import Session
from starplat.schedule import PLAIN

TOLERANCE = {Scalar.FLOAT: 1e-4, Scalar.DOUBLE: 1e-9}
"""What the language allows, relative."""

EPSILON = {Scalar.FLOAT: 2.0**-23, Scalar.DOUBLE: 2.0**-52}


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where answers differ: `name` of a property, or "returned"; `node` is an original id, or None."""

    name: str
    where: str
    got: Any
    expected: Any
    count: int

    def __str__(self) -> str:
        more = f" ({self.count:,} values differ)" if self.count > 1 else ""
        return f"{self.name}{self.where} is {self.got}, the interpreter says {self.expected}{more}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`valid` is None where the comparison means nothing: a program with a race has several right answers."""

    valid: bool | None
    difference: Difference | None = None
    reason: str = ""

    def __str__(self) -> str:
        if self.valid is None:
            return f"not compared: {self.reason}"
        return "agrees with the interpreter" if self.valid else f"differs: {self.difference}"


def validate(
    result: Result,
    module: ir.Module,
    arguments: Mapping[str, object] | Bound,
    *,
    racy: bool = False,
    limits: Limits = UNLIMITED,
    session: Session | None = None,
) -> tuple[Result, Verdict]:
    """The result with `validated` set, and the verdict. `racy` says that the program has a race, class (f). Of the
    `limits` the time is the interpreter's too; its rounds are others. It runs in the `session`.
    """
    if racy:
        reason = "the program has a race, so its answers may differ from run to run"
        return result, Verdict(None, reason=reason)
    expected = _interpreted(result, module, arguments, limits, session)
    verdict = judged(result, expected, module, arguments, limits, session)
    return replace(result, validated=verdict.valid), verdict


def judged(
    result: Result,
    expected: Result,
    module: ir.Module,
    arguments: Mapping[str, object] | Bound,
    limits: Limits,
    session: Session | None = None,
) -> Verdict:
    """The verdict on an answer that should be `expected`.

    Where the program lets several winners of a Min or Max carry different data, every winner's is right: the
    interpreter is asked once more and takes the answer's side on ties, if it was the interpreter that was asked before.
    """
    if (difference := first_difference(result, expected)) is None or not has_ties(module):
        return Verdict(difference is None, difference)
    if expected.target != "reference":
        return Verdict(None, reason=_SEVERAL)
    bound = arguments if isinstance(arguments, Bound) else bind(module, result.graph, arguments)
    follower = following(module, bound, result)
    again = _interpreted(result, follower.module, follower.bound, limits, session)
    if (difference := first_difference(result, again)) is not None and not follower.complete:
        return Verdict(None, reason=_SEVERAL)
    return Verdict(difference is None, difference)


def _interpreted(
    result: Result, module: ir.Module, arguments: Mapping[str, object] | Bound, limits: Limits, session: Session | None
) -> Result:
    """What the interpreter finds where something else found `result`; limits of rounds and of a device are not its."""
    return launch.run_module(
        module,
        result.graph,
        target="reference",
        arguments=arguments,
        results=list(result.properties),
        schedule=PLAIN,
        limits=replace(limits, max_rounds=None, device_memory=None, host_memory=None),
        session=session,
    )


_SEVERAL = "several winners of a Min or Max may carry different values on ties, so that several answers are right"


def first_difference(result: Result, expected: Result) -> Difference | None:
    """Where two results of one program differ first: what was returned, then property by property."""
    if not _same_value(result.returned, expected.returned):
        return Difference("returned", "", result.returned, expected.returned, 1)
    for name in result.properties:
        cells, kind = result.on_host(name), result.types[name]
        wrong = np.flatnonzero(~agreeing(cells, expected.properties[name], kind.element))
        if len(wrong):
            first = int(wrong[0])
            where = f"[{_place(first, kind, result.graph)}]"
            return Difference(name, where, _item(cells, first), _item(expected[name], first), len(wrong))
    return None


def _item(cells: elements.Cells, index: int) -> Any:
    """A cell as a Python value."""
    return cells[index : index + 1].tolist()[0]


def agreeing(got: elements.Cells, expected: elements.Cells, kind: Scalar) -> elements.Cells:
    """Which values are as near to each other as their type asks."""
    if (tolerance := TOLERANCE.get(kind)) is None:
        return np.asarray(got == expected)
    wide, right = got.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(right)
    floor = 16 * EPSILON[kind] * float(np.abs(right[finite]).max(initial=0.0))
    with np.errstate(invalid="ignore"):
        near = np.abs(wide - right) <= np.maximum(tolerance * np.abs(right), floor)
    same = (wide == right) | (np.isnan(wide) & np.isnan(right))
    return np.asarray(same | (near & finite & np.isfinite(wide)))


def _same_value(got: Any, expected: Any) -> bool:
    if isinstance(expected, tuple | list):
        return len(got) == len(expected) and all(map(_same_value, got, expected))
    if isinstance(expected, float):
        cells = (np.array([got], np.float64), np.array([expected], np.float64))
        return bool(agreeing(*cells, Scalar.FLOAT)[0])
    return bool(got == expected)


def _place(index: int, kind: PropertyType, graph: Graph) -> str:
    """The user's name of the node or the arc."""
    if kind.carrier is Carrier.NODE:
        return f"node {graph.original_id(index)}"
    source, destination = int(graph.sources[index]), int(graph.columns[index])
    return f"arc {index}, {graph.original_id(source)} -> {graph.original_id(destination)}"
