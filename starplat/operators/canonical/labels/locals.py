"""A local number that only ever holds nodes becomes a node, so that nothing is converted.

int least = v.c;                                      node least = v.c;
for (w in g.neighbors(v)) {                           for (w in g.neighbors(v)) {
  least = min(least, w.c);                              least = min(least, w.c);
}                                                     }
if (least < v.c) { v.c = least; }                     if (least < v.c) { v.c = least; }
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import MIRRORED, mentions
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.rebuilding import rebuilt


def as_nodes(body: typed.Block) -> typed.Block:
    """A function's body with nodes in the place of such numbers."""
    found = {s.symbol for s in walk.statements(body) if isinstance(s, typed.Declare) and s.symbol.type is Scalar.INT}
    while found:
        made = rebuilt(body, _Change({symbol: replace(symbol, type=Scalar.NODE) for symbol in found}).of)
        left = {
            symbol for s in walk.statements(made) for symbol in (*walk.declared(s), *walk.written(s), *walk.read(s))
        }
        if not left & found:
            return made
        found -= left
    return body


@dataclass(frozen=True)
class _Change:
    """Takes nodes for numbers, where these are given nodes and used as such."""

    nodes: Mapping[typed.Symbol, typed.Symbol]

    def of(self, part: Any) -> Any:
        match part:
            case typed.Declare(symbol, value) if symbol in self.nodes and value is not None:
                given = self._node(value)
                return None if given is None else replace(part, symbol=self.nodes[symbol], value=given)
            case typed.Assign(typed.Variable(symbol), value) if symbol in self.nodes:
                given = self._node(value)
                return None if given is None else replace(part, place=self._node(part.place), value=given)
            case typed.AssignExtreme(place=typed.Variable(symbol), candidate=value) if symbol in self.nodes:
                given, carried = self._node(value), rebuilt(part.carried, self.of)
                place = self._node(part.place)
                return None if given is None else replace(part, place=place, candidate=given, carried=carried)
            case typed.Convert(operand) if part.type is Scalar.NODE and mentions(operand, set(self.nodes)):
                return self._node(operand)
            case typed.Binary(operator, left, right) if operator in MIRRORED and mentions(part, set(self.nodes)):
                one, other = self._node(left), self._node(right)
                return None if one is None or other is None else replace(part, left=one, right=other)
        return None

    def _node(self, value: typed.Expression) -> Any:
        """The node whose number a value is, if it is one."""
        match value:
            case typed.Variable(symbol) if symbol in self.nodes:
                return typed.Variable(self.nodes[symbol], span=value.span)
            case typed.Convert(operand) if value.type is Scalar.INT and operand.type is Scalar.NODE:
                return rebuilt(operand, self.of)
            case typed.Apply(typed.Function.MIN | typed.Function.MAX, arguments):
                nodes = tuple(self._node(a) for a in arguments)
                return None if None in nodes else replace(value, arguments=nodes, type=Scalar.NODE)
        return None
