"""A number that says one of several things is a flag for each thing that is asked.

propNode<int> color;                                  propNode<bool> color_is_1, color_not_0;
g.attachNodeProperty(color = 0);                      g.attachNodeProperty(color_is_1 = False, color_not_0 = False);
forall (u in g.nodes().filter(color == 1)) {          forall (u in g.nodes().filter(color_is_1)) {
  for (w in g.neighbors(u)) {                           for (w in g.neighbors(u)) {
    if (w.color == 0) { ... }                             if (!w.color_not_0) { ... }
  }                                                     }
  u.color = 2;                                          u.color_is_1 = False;
}                                                     }

Only constants are stored, by the host or by a node in its own cell, so that no two iterations store unlike flags, and
each question reads one flag. The number that all begin with has a flag for all others. Where each number is asked for,
one that no round asks for is none of the others: `!color_is_1 && color_not_0` behind the rounds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical.hosts import surroundings
from starplat.operators.canonical.labels.numbers import constant, question
from starplat.operators.canonical.rebuilding import rebuilt, with_each_statement
from starplat.operators.canonical.rising import is_filled
from starplat.same import Same

_NUMBER = types.PropertyType(types.Carrier.NODE, types.Scalar.INT)
_EQUALITY = (typed.Operator.EQUAL, typed.Operator.NOT_EQUAL)
_MOST = 3
"""Flags for one number."""
_Conditions = tuple[typed.Expression, ...]


def with_flags_for_colors(body: typed.Block) -> typed.Block:
    """A function's body with flags in the place of such numbers."""
    if any(isinstance(s, typed.Unsupported) for s in walk.statements(body)):
        return body
    for s in walk.statements(body):
        if isinstance(s, typed.Declare) and s.symbol.type == _NUMBER and (found := _read(s, body)) is not None:
            return with_flags_for_colors(found)
    return body


def _read(declared: typed.Declare, body: typed.Block) -> typed.Block | None:
    """The body with flags for a number that is declared; None if they are not enough."""
    number = declared.symbol
    if not is_filled(declared, body) or any(number in call.arguments for call in walk.calls(body)):
        return None
    stores = {Same(s): (s, when) for s, when in _stores(number, body.statements, None, ())}
    fills = [v for s in walk.writers(number, body) if isinstance(s, typed.Attach) for of, v in s.items if of is number]
    given = [s.value for s, _ in stores.values()]
    numbers = {None if isinstance(v, typed.Symbol) else constant(v) for v in (*fills, *given)}
    writers = [s for s in walk.writers(number, body) if not isinstance(s, typed.Attach)]
    first = None if isinstance(fills[0], typed.Symbol) else constant(fills[0])
    if None in numbers or first is None or len(numbers) < 3 or {Same(s) for s in writers} != stores.keys():
        return None
    asked = [q for part in walk.all_parts(body) if (q := question(part)) is not None and q[0].symbol is number]
    values = sorted({value for _, _, value in asked})
    if not 0 < len(values) <= _MOST or any(how not in _EQUALITY for _, how, _ in asked):
        return None
    in_rounds = {q[2] for loop in surroundings(body).loops for part in walk.all_parts(loop) if (q := question(part))}
    if set(values) == numbers and (behind := [v for v in values if v != first and v not in in_rounds]):
        values.remove(behind[0])
    build = Builder(declared.span)
    words = {v: f"{'not' if v == first else 'is'}_{f'{v:g}'.replace('-', 'minus_')}" for v in values}
    flags = {v: build.of_nodes(f"{number.name}_{words[v]}", types.Scalar.BOOL) for v in values}
    changed = _Colors(number, first, flags, {same: when for same, (_, when) in stores.items()}).flagged(body)
    return None if any(part is number for part in _symbols(changed)) else changed


def _stores(
    number: typed.Symbol, statements: Sequence[typed.Statement], own: typed.Symbol | None, when: _Conditions
) -> Iterator[tuple[typed.Assign, _Conditions]]:
    """The stores of the host, and of nodes in their own cells, each with the conditions of its loop if it is the only
    store there; `own` is the node of the parallel loop around."""
    for s in statements:
        match s:
            case typed.Assign(typed.Cell(symbol, index)) if symbol is number:
                if own is None or index == typed.Variable(own):
                    yield s, when
            case typed.ForEach(parallel=True, domain=typed.AllNodes()) if own is None:
                once = len(walk.writers(number, s)) == 1
                yield from _stores(number, s.body.statements, s.iterator, all_asked(s.filter) if once else ())
            case typed.ForEach(parallel=True) | typed.IterateInBFS():
                pass
            case typed.If(condition, then, None) if own is not None and len(walk.writers(number, then)) == 1:
                yield from _stores(number, then.statements, own, (*when, *all_asked(condition)))
            case _:
                for inner in walk.blocks(s):
                    yield from _stores(
                        number, inner.statements if isinstance(inner, typed.Block) else (inner,), own, when
                    )


def _symbols(tree: Any) -> list[typed.Symbol]:
    found: list[typed.Symbol] = []
    rebuilt(tree, lambda part: found.append(part) if isinstance(part, typed.Symbol) else None)
    return found


@dataclass(frozen=True)
class _Colors:
    """A number, what its cells begin with, its flags by the numbers that are asked for, and its stores with what is
    asked around them."""

    number: typed.Symbol
    first: float
    flags: dict[float, typed.Symbol]
    stores: dict[Same, _Conditions]

    def flagged(self, body: typed.Block) -> typed.Block:
        return rebuilt(with_each_statement(body, self._statements), self._question)

    def _statements(self, s: typed.Statement) -> list[typed.Statement] | None:
        match s:
            case typed.Declare(symbol) if symbol is self.number:
                return [replace(s, symbol=flag) for flag in self.flags.values()]
            case typed.Attach(items=items) if any(symbol is self.number for symbol, _ in items):
                others = [item for item in items if item[0] is not self.number]
                given = [v for symbol, v in items if symbol is self.number and not isinstance(v, typed.Symbol)]
                says = self._says(constant(given[-1]))
                filled = [(self.flags[v], Builder(s.span).truth(truth)) for v, truth in says.items()]
                return [replace(s, items=(*others, *filled))]
            case typed.Assign(typed.Cell() as cell, value) if Same(s) in self.stores:
                says, held = self._says(constant(value)), self._held(cell, self.stores[Same(s)])
                build = Builder(s.span)
                places = {v: replace(cell, symbol=self.flags[v]) for v in says}
                return [build.assign(places[v], truth) for v, truth in says.items() if held.get(v) is not truth]
        return None

    def _says(self, number: float | None) -> dict[float, bool]:
        return {v: (number == v) is not (v == self.first) for v in self.flags}

    def _held(self, cell: typed.Cell, when: _Conditions) -> dict[float, bool]:
        """What the flags are where conditions hold, if one asks which number a cell holds."""
        for condition in when:
            match question(condition):
                case (place, typed.Operator.EQUAL, value) if place == cell:
                    return self._says(value)
        return {}

    def _question(self, part: Any) -> Any:
        match part:
            case typed.Binary() | typed.Convert():
                found = question(part)
                if found is None or found[0].symbol is not self.number:
                    return None
                place, how, value = found
                assert isinstance(place, typed.Cell)
                build, is_it = Builder(part.span), how is typed.Operator.EQUAL
                if value in self.flags:
                    flag = replace(place, symbol=self.flags[value])
                    return flag if is_it is not (value == self.first) else build.negated(flag)
                others = [(v == self.first, replace(place, symbol=flag)) for v, flag in self.flags.items()]
                none = build.both(*(flag if is_first else build.negated(flag) for is_first, flag in others))
                return none if is_it else build.negated(none)
        return None
