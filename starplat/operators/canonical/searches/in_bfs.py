"""A search that only numbers the levels is rounds in which nodes offer the next number.

    g.attachNodeProperty(depth = INF);               g.attachNodeProperty(depth = INF);
    src.depth = 0;                                   src.depth = 0;
    iterateInBFS (v in g.nodes() from src) {         do {
      forall (child in g.neighbors(v)) {               more = False;
        child.depth = v.depth + 1;                     forall (v in g.nodes()) {
      }                                                  forall (child in g.neighbors(v)) {
    }                                                      <child.depth, more> = <Min(child.depth, v.depth + 1), True>;
                                                         }
                                                       }
                                                     } while (more);

The children of a node are one level further from the source, whose number is the least. A node may also ask its
parents, which all have one number. Scalars may take the greatest number: all nodes offer theirs after the rounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical.rebuilding import rebuilt, with_statements
from starplat.operators.canonical.searches import levels, unreached
from starplat.operators.canonical.searches.initial_values import initial_values


def as_rounds(body: typed.Block) -> typed.Block:
    """A function's body with such searches as rounds."""

    def change(part: object) -> object:
        if not isinstance(part, typed.Block):
            return None
        statements: list[typed.Statement] = []
        for place, s in enumerate(part.statements):
            numbered = _numbered(s) if isinstance(s, typed.IterateInBFS) else None
            begun = None if numbered is None else _begun(numbered, part.statements[:place])
            if numbered is None or begun is None:
                statements.append(rebuilt(s, change))
            else:
                statements = numbered.after(statements, begun)
        return with_statements(part, statements)

    return rebuilt(body, change)


@dataclass(frozen=True)
class _Begun:
    """How cells begin: all filled with one value, INF or a number below 0."""

    fill: typed.Attach
    none: typed.Expression


@dataclass(frozen=True)
class _Numbered:
    """A search in which the children of a node are given its number and more: `first` is the source's, where the search
    gives it that, and `greatest` are scalars that take the greatest number."""

    search: typed.IterateInBFS
    cell: typed.Cell
    child: typed.Symbol
    value: typed.Expression
    first: typed.Literal | None
    greatest: tuple[typed.AssignExtreme, ...]

    def after(self, before: list[typed.Statement], begun: _Begun) -> list[typed.Statement]:
        """The rounds, behind the statements that stand before the search."""
        symbol, search = self.cell.symbol, self.search
        build, infinity = Builder(search.span), Builder(begun.fill.span).infinity()
        items = tuple((to, infinity if to is symbol else value) for to, value in begun.fill.items)
        filled: typed.Statement = replace(begun.fill, items=items)
        rounds = [*_rounds(self), *(self._offered(s) for s in self.greatest)]
        if isinstance(begun.none, typed.Literal):
            rounds.append(unreached.back_to(begun.none, symbol, search.graph))
        if self.first is None:
            return [*(filled if s is begun.fill else s for s in before), *rounds]
        assert isinstance(search.source, typed.Variable)
        store = build.assign(typed.Cell(symbol, search.source, span=search.span), self.first)
        first = build.if_a_node(search.source.symbol, store)
        return [*(filled if s is begun.fill else s for s in before), *first, *rounds]

    def _offered(self, s: typed.AssignExtreme) -> typed.ForEach:
        """The loop in which all nodes with a number offer it to a scalar."""
        build = Builder(s.span)
        node = build.iterator(parallel_depth=1)
        own = build.cell(self.cell.symbol, node)
        reached = build.differs(own, build.infinity())
        return build.over(node, typed.AllNodes(self.search.graph), replace(s, candidate=own), condition=reached)


def _numbered(search: typed.IterateInBFS) -> _Numbered | None:
    if search.filter is not None or search.reverse is not None:
        return None
    node = typed.Variable(search.iterator)
    match search.body.statements:
        case [
            typed.ForEach(
                domain=typed.Neighbors(node=own, direction=typed.Direction.OUT),
                filter=None,
                body=typed.Block((typed.Assign(typed.Cell() as cell, value),)),
            ) as children,
            *others,
        ] if own == node and cell.index == typed.Variable(children.iterator):
            mine, child, first = typed.Cell(cell.symbol, node), children.iterator, None
        case [
            typed.Declare(local, typed.Literal(int()) as first),
            typed.ForEach(
                domain=typed.Neighbors(node=own, direction=typed.Direction.IN),
                filter=None,
                body=typed.Block((typed.Assign(typed.Variable(given), value),)),
            ) as parents,
            typed.Assign(typed.Cell(index=index) as mine, typed.Variable(taken)),
            *others,
        ] if own == node and index == node and given is local and taken is local and local.type is types.Scalar.INT:
            child = replace(parents.iterator)
            there = typed.Cell(mine.symbol, typed.Variable(parents.iterator))
            cell = typed.Cell(mine.symbol, typed.Variable(child))
            value = rebuilt(value, lambda part: mine if part == there else None)
        case _:
            return None
    greatest = tuple(s for s in others if isinstance(s, typed.AssignExtreme) and _takes_greatest(s, mine))
    if mine.type is not types.Scalar.INT or value.type is not types.Scalar.INT or len(greatest) < len(others):
        return None
    is_numbered = (levels.above(value, mine) or 0) > 0
    return _Numbered(search, cell, child, value, first, greatest) if is_numbered else None


def _takes_greatest(s: typed.AssignExtreme, mine: typed.Cell) -> bool:
    scalar = isinstance(s.place, typed.Variable) and s.place.type is types.Scalar.INT
    return scalar and s.extreme is typed.Extreme.MAX and s.candidate == mine and not s.carried


def _begun(numbered: _Numbered, before: Sequence[typed.Statement]) -> _Begun | None:
    """How cells begin that have one value after these statements, but that of the source, which holds a number."""
    symbol, source, first = numbered.cell.symbol, numbered.search.source, numbered.first
    begun = initial_values(symbol, before)
    fills = [place for place, s in enumerate(before) if isinstance(s, typed.Attach) and symbol in walk.written(s)]
    if begun is None or not fills or not isinstance(source, typed.Variable):
        return None
    match begun.set:
        case ((index, typed.Literal(int()) as given),) if index == source and first is None:
            first = given
        case () if first is not None:
            pass
        case _:
            return None
    fill, none = before[fills[-1]], begun.fill
    if not isinstance(fill, typed.Attach) or not any(value is none for _, value in fill.items):
        return None
    is_read = any(symbol in walk.read(i) for s in before[fills[-1] :] for i in walk.statements(s))
    is_below = isinstance(none, typed.Literal) and isinstance(none.value, int) and none.value < 0
    is_infinite = isinstance(none, typed.Infinity) and not none.negative
    return _Begun(fill, none) if is_infinite or (is_below and first.value >= 0 and not is_read) else None


def _rounds(numbered: _Numbered) -> tuple[typed.Statement, ...]:
    search = numbered.search
    build = Builder(search.span)
    more = build.variable(build.local("more", types.Scalar.BOOL))
    offer = build.extreme(typed.Extreme.MIN, numbered.cell, numbered.value, build.carried(more, True))
    arcs = build.over(numbered.child, build.row(search.graph, search.iterator, typed.Direction.OUT), offer)
    every = build.over(search.iterator, typed.AllNodes(search.graph), arcs)
    rounds = typed.DoWhile(build.block(build.assign(more, False), every), more, span=build.span)
    return build.declare(more.symbol, build.truth(False)), rounds
