"""Levels of which only is asked whether a node has one are flags of the nodes that are reached.

<w.level, w.fresh> = <Min(w.level, v.level + 1), True>;     if (!w.level) { w.level = True; w.fresh = True; }
...
v.r = v.level < INF;                                        v.r = v.level;

A node has a level in the end if it is reached from one that has. A level grows by no more than 1 an arc, so that none
comes to INF.
"""

from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical import frontiers, hosts, rebuilding, rounds
from starplat.operators.canonical.labels import numbers, truths
from starplat.operators.canonical.searches.initial_values import initial_values
from starplat.operators.canonical.searches.levels import above
from starplat.operators.records import EdgeEffect

_LEVELS = 0.0, float(2**31 - 2)
"""The least and the greatest level: a comparison must say the same of all."""
_FIRST = 0, 1
"""Levels to begin with, and what may be added on an arc."""


def as_reached(body: typed.Block, program: typed.Program, results: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body with such flags; `results` are the symbols that its caller sees."""
    around = hosts.surroundings(body)
    for loop in around.loops:
        if not isinstance(loop, typed.FixedPoint) or not any(_is_own_level(s) for s in walk.statements(loop)):
            continue
        effects = rounds.edge_effects(loop, around, program, results)
        if not effects or not all(_is_level(e) for e in effects):
            continue
        if (flagged := _flagged(effects[0].symbol, loop, around)) is not None:
            return as_reached(frontiers.over_frontiers(flagged, program, results), program, results)
    return body


def _is_own_level(s: typed.Statement) -> bool:
    """Whether a statement lowers whole numbers of the function's own."""
    match s:
        case typed.AssignExtreme(extreme=typed.Extreme.MIN, place=typed.Cell(symbol) as cell):
            return symbol.role is typed.Role.LOCAL and cell.type is Scalar.INT
    return False


def _is_level(effect: EdgeEffect) -> bool:
    """Whether a node offers its level, or one more."""
    offers = above(effect.value, effect.own) in _FIRST
    return offers and effect.symbol.role is typed.Role.LOCAL and effect.target.type is Scalar.INT and not effect.carried


def _flagged(level: typed.Symbol, loop: typed.FixedPoint, around: hosts.Surroundings) -> typed.Block | None:
    """The function's body in which a node that is reached has level 0; None if more is asked of levels."""
    block, place = around.block_of(loop)
    before, after = block.statements[:place], block.statements[place + 1 :]
    first = initial_values(level, before)
    if first is None or first.fill != typed.Infinity(Scalar.INT) or not all(_begins(v) for _, v in first.set):
        return None
    none: typed.Expression = first.fill
    if after and (named := _named(after[0], level)) is not None:
        none, after = named, after[1:]

    def change(part: Any) -> Any:
        match part:
            case typed.AssignExtreme(place=typed.Cell(symbol)) if symbol is level:
                return _reaches(part, none)
            case typed.Attach(items=items) if any(symbol is level for symbol, _ in items):
                return replace(part, items=tuple((s, none if s is level else value) for s, value in items))
            case typed.Assign(typed.Cell(symbol)) if symbol is level:
                return replace(part, value=typed.Literal(0, Scalar.INT, span=part.span))
        return None

    inside = (*rebuilding.rebuilt(before, change), rebuilding.rebuilt(loop, change), *after)
    changed = rebuilding.with_block(around.body, block, replace(block, statements=inside))
    known = numbers.constant(none)
    if known is None or not _is_only_asked_for(level, numbers.Truth(known, _LEVELS), changed):
        return None
    flagged = truths.as_truths(changed)
    return None if any(level in walk.written(s) for s in walk.statements(flagged)) else flagged


def _begins(value: typed.Expression) -> bool:
    return isinstance(value, typed.Literal) and value.value in _FIRST


def _named(s: typed.Statement, level: typed.Symbol) -> typed.Expression | None:
    """The number below 0 that nodes without a level are given."""
    match s:
        case typed.ForEach(
            domain=typed.AllNodes(),
            filter=typed.Binary(typed.Operator.EQUAL, typed.Cell() as cell, typed.Infinity()),
            body=typed.Block((typed.Assign(place, typed.Literal(number) as none),)),
        ) if place == cell == typed.Cell(level, typed.Variable(s.iterator)) and number < 0:
            return none
    return None


def _reaches(s: typed.AssignExtreme, none: typed.Expression) -> typed.Statement:
    """A node that has a level gives one to a node that has none."""
    (mine,) = (part for part in walk.within(s.candidate) if isinstance(part, typed.Cell) and part.type is Scalar.INT)
    build = Builder(s.span)
    beside = (typed.Assign(c.place, c.value, span=c.span) for c in s.carried)
    asked = build.both(build.differs(mine, none), build.equal(s.place, none))
    return build.when(asked, build.assign(s.place, build.number(0)), *beside)


def _is_only_asked_for(level: typed.Symbol, truth: numbers.Truth, body: typed.Block) -> bool:
    """Whether all comparisons with numbers, of levels and of what they are copied to, ask whether a node has one."""
    levels = numbers.copies_of(level, body)
    values = (value for s in walk.statements(body) for value in walk.expressions(s))
    found = [numbers.question(part) for value in values for part in walk.within(value)]
    return all(truth.says(*q[1:]) is not None for q in found if q is not None and q[0].symbol in levels)
