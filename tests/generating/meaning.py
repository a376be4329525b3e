"""What a checked program means, worked out on the checked tree itself, slowly and literally.

A second opinion beside the interpreter, which runs what lowering made of the program: `meaning` knows nothing of
kernels, races or devices. Iterations run in ascending order, whatever is fixed on entry is a list made on entry. Shared
with the compiler are only the checked tree and two decisions of the language: which fixed points keep two copies and
which loops of a search range over parents.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from starplat.analysis.convergence import Spelling, convergence
from starplat.analysis.pulling import pulls_from_parents
from starplat.frontend import typed, walk
from starplat.frontend.types import Carrier, GraphType, PropertyType, Scalar, SetType
from starplat.graph import Graph

INF = {Scalar.INT: 2**31 - 1, Scalar.LONG: 2**63 - 1, Scalar.EDGE: 2**63 - 1, Scalar.NODE: 2**31 - 1}
Cells = list[Any]


class _Break(Exception):  # noqa: N818
    pass


class _Continue(Exception):  # noqa: N818
    pass


class _Return(Exception):  # noqa: N818
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


@dataclass(frozen=True)
class Answer:
    """What was returned, and every property parameter."""

    returned: Any
    properties: dict[str, Cells]


def meaning(program: typed.Program, entry: str, graph: Graph, given: Mapping[str, Any]) -> Answer:
    """Runs `entry`."""
    function = next(f for f in program.functions if f.name == entry)
    run = _Run(program, graph)
    frame: dict[typed.Symbol, Any] = {}
    for parameter, default in zip(function.parameters, function.defaults, strict=True):
        frame[parameter] = run.argument(parameter, default, given)
    returned = run.body(function, frame)
    properties = {p.name: frame[p] for p in function.parameters if isinstance(p.type, PropertyType)}
    return Answer(returned, properties)


def zero(kind: Scalar) -> Any:
    if kind is Scalar.BOOL:
        return False
    return -1 if kind.is_index else 0.0 if kind.is_real else 0


def single(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


@dataclass
class _Levels:
    iterator: typed.Symbol
    levels: Cells
    depth: int
    pulling: frozenset[int]


@dataclass
class _Run:
    program: typed.Program
    graph: Graph
    frame: dict[typed.Symbol, Any] = field(default_factory=dict)
    arcs: dict[typed.Symbol, int] = field(default_factory=dict)
    second: dict[int, Cells] = field(default_factory=dict)
    search: list[_Levels] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sources = [int(v) for v in self.graph.sources]
        self.columns = [int(v) for v in self.graph.columns]
        n = self.graph.num_nodes
        weights = self.graph.weights
        self.weights = [1] * len(self.columns) if weights is None else [w.item() for w in weights]
        self.out: list[list[int]] = [[] for _ in range(n)]
        self.into: list[list[int]] = [[] for _ in range(n)]
        for arc, (u, v) in enumerate(zip(self.sources, self.columns, strict=True)):
            self.out[u].append(arc)
            self.into[v].append(arc)

    # --- functions

    def argument(self, symbol: typed.Symbol, default: Any, given: Mapping[str, Any]) -> Any:
        match symbol.type:
            case Scalar():
                if symbol.name in given:
                    return [self.settled(given[symbol.name], symbol.type)]
                return [self.value(default)]
            case PropertyType():
                size = self.size(symbol.type.carrier is Carrier.NODE)
                if symbol.name in given:
                    return [self.settled(x, symbol.type.element) for x in np.asarray(given[symbol.name]).tolist()]
                if symbol.name == "weight" and symbol.type.carrier is Carrier.EDGE:
                    return [self.settled(w, symbol.type.element) for w in self.weights]
                return [self.settled(0, symbol.type.element)] * size
            case SetType():
                members = set(given[symbol.name])
                return [x in members for x in range(self.size(symbol.type.member is Scalar.NODE))]
            case _:
                assert isinstance(symbol.type, GraphType)
                return None

    def size(self, of_nodes: bool) -> int:
        return self.graph.num_nodes if of_nodes else len(self.columns)

    def body(self, function: typed.FunctionDefinition, frame: dict[typed.Symbol, Any]) -> Any:
        outer, self.frame = self.frame, frame
        try:
            self.block(function.body)
        except _Return as returned:
            if returned.value is None or not isinstance(function.result, Scalar):
                return None
            return self.settled(returned.value, function.result)
        finally:
            self.frame = outer
        return None

    def call(self, call: typed.Call) -> Any:
        function = next(f for f in self.program.functions if f.name == call.function)
        frame: dict[typed.Symbol, Any] = {}
        for parameter, argument in zip(function.parameters, call.arguments, strict=True):
            if isinstance(argument, typed.Symbol):
                frame[parameter] = self.frame.get(argument)
            else:
                frame[parameter] = [self.value(argument)]
        search, self.search = self.search, []
        try:
            return self.body(function, frame)
        finally:
            self.search = search

    # --- statements

    def block(self, block: typed.Block) -> None:
        for statement in block.statements:
            self.statement(statement)

    def statement(self, s: typed.Statement) -> None:
        match s:
            case typed.Block():
                self.block(s)
            case typed.Declare():
                self.declare(s)
            case typed.Assign():
                cells, index = self.cell(s.place, writes=True)
                cells[index] = self.settled(self.value(s.value), s.place.type)
            case typed.Update():
                self.update(s)
            case typed.AssignExtreme():
                self.extreme(s)
            case typed.Attach():
                self.attach(s)
            case typed.CopyProperty():
                self.frame[s.destination][:] = self.frame[s.source]
            case typed.AddToSet():
                self.frame[s.symbol][self.at(self.value(s.member))] = True
            case typed.CallStatement():
                self.call(s.call)
            case typed.Return():
                raise _Return(None if s.value is None else self.value(s.value))
            case typed.Break():
                raise _Break
            case typed.Continue():
                raise _Continue
            case typed.If():
                if self.value(s.condition):
                    self.block(s.then)
                elif s.otherwise is not None:
                    self.block(s.otherwise)
            case typed.While() | typed.DoWhile() | typed.CountedLoop():
                self.loop(s)
            case typed.ForEach():
                self.each(s)
            case typed.FixedPoint():
                self.fixed_point(s)
            case typed.IterateInBFS():
                self.breadth_first(s)
            case _:
                raise AssertionError(s)

    def declare(self, s: typed.Declare) -> None:
        match s.symbol.type:
            case Scalar():
                self.frame[s.symbol] = [zero(s.symbol.type) if s.value is None else self.value(s.value)]
            case PropertyType():
                self.frame[s.symbol] = [zero(s.symbol.type.element)] * self.size(s.symbol.type.carrier is Carrier.NODE)
            case SetType():
                self.frame[s.symbol] = [False] * self.size(s.symbol.type.member is Scalar.NODE)
            case _:
                raise AssertionError(s)

    def cell(self, place: typed.Place, *, writes: bool) -> tuple[Cells, int]:
        cells = self.frame[place.symbol]
        if writes:
            cells = self.second.get(id(cells), cells)
        return cells, self.at(self.value(place.index)) if isinstance(place, typed.Cell) else 0

    def at(self, index: int) -> int:
        if index < 0:
            raise IndexError(index)
        return index

    def update(self, s: typed.Update) -> None:
        cells, index = self.cell(s.place, writes=True)
        old = cells[index]
        new = self.value(s.value)
        match s.combine:
            case typed.Combine.ADD:
                result = self.sum(old, new, s.place.type)
            case typed.Combine.MULTIPLY:
                result = old * new
            case typed.Combine.AND | typed.Combine.BIT_AND:
                result = old & new
            case typed.Combine.OR | typed.Combine.BIT_OR:
                result = old | new
            case typed.Combine.BIT_XOR:
                result = old ^ new
        cells[index] = self.settled(result, s.place.type)

    def extreme(self, s: typed.AssignExtreme) -> None:
        cells, index = self.cell(s.place, writes=True)
        places = [self.cell(c.place, writes=True) for c in s.carried]
        candidate = self.settled(self.value(s.candidate), s.place.type)
        values = [self.settled(self.value(c.value), c.place.type) for c in s.carried]
        old = cells[index]
        if candidate < old if s.extreme is typed.Extreme.MIN else candidate > old:
            cells[index] = candidate
            for (other, where), value in zip(places, values, strict=True):
                other[where] = value

    def attach(self, s: typed.Attach) -> None:
        before: list[Any] = [list(self.frame[v]) if isinstance(v, typed.Symbol) else self.value(v) for _, v in s.items]
        for (target, value), given in zip(s.items, before, strict=True):
            cells = self.frame[target]
            cells[:] = given if isinstance(value, typed.Symbol) else [given] * len(cells)

    # --- loops

    def loop(self, s: typed.While | typed.DoWhile | typed.CountedLoop) -> None:
        if isinstance(s, typed.CountedLoop):
            first = self.value(s.first)
            if s.declares:
                self.frame[s.symbol] = [first]
            else:
                self.frame[s.symbol][0] = first
        if isinstance(s, typed.DoWhile) and not self.once(s.body):
            return
        while self.value(s.condition):
            if not self.once(s.body):
                return
            if isinstance(s, typed.CountedLoop):
                self.statement(s.step)

    def once(self, body: typed.Block) -> bool:
        """Whether the loop goes on."""
        try:
            self.block(body)
        except _Break:
            return False
        except _Continue:
            pass
        return True

    def each(self, s: typed.ForEach) -> None:
        found = list(self.domain(s))
        if s.parallel:
            found = [item for item in found if self.enters(s, item)]
        for item in found:
            if not s.parallel and not self.enters(s, item):
                continue
            self.take(s, item)
            if not self.once(s.body):
                return

    def take(self, s: typed.ForEach, item: tuple[int, int]) -> None:
        self.frame[s.iterator] = [item[0]]
        self.arcs[s.iterator] = item[1]

    def enters(self, s: typed.ForEach, item: tuple[int, int]) -> bool:
        self.take(s, item)
        return s.filter is None or self.value(s.filter)

    def domain(self, s: typed.ForEach) -> Iterator[tuple[int, int]]:
        match s.domain:
            case typed.AllNodes():
                yield from ((v, -1) for v in range(self.graph.num_nodes))
            case typed.AllEdges():
                yield from ((e, e) for e in range(len(self.columns)))
            case typed.Members():
                yield from [(x, x) for x, inside in enumerate(self.frame[s.domain.symbol]) if inside]
            case typed.Neighbors():
                yield from self.neighbors(s, s.domain)

    def neighbors(self, s: typed.ForEach, domain: typed.Neighbors) -> Iterator[tuple[int, int]]:
        node = self.at(self.value(domain.node))
        scope = next((x for x in self.search if domain.node == typed.Variable(x.iterator)), None)
        if domain.direction is typed.Direction.BOTH:
            scope = None
        if domain.direction is not typed.Direction.IN:
            pulls = scope is not None and id(s) in scope.pulling
            if pulls:
                yield from self.at_level(scope, [(self.sources[e], e) for e in self.into[node]], -1)
            else:
                yield from self.at_level(scope, [(self.columns[e], e) for e in self.out[node]], 1)
        if domain.direction is not typed.Direction.OUT:
            yield from self.at_level(scope, [(self.sources[e], e) for e in self.into[node]], -1)

    def at_level(self, scope: _Levels | None, found: list[tuple[int, int]], step: int) -> Iterator[tuple[int, int]]:
        for item in found:
            if scope is None or scope.levels[item[0]] == scope.depth + step >= 0:
                yield item

    def fixed_point(self, s: typed.FixedPoint) -> None:
        flag = self.frame.setdefault(s.flag, [False])
        form = convergence(s, self.program)
        two = form.spelling is Spelling.ONE_FLAG and form.frontier is not None
        for _ in range(10_000):
            flag[0] = True
            if two:
                assert form.frontier is not None
                cells = self.frame[form.frontier]
                fresh = [False] * len(cells)
                self.second[id(cells)] = fresh
                self.block(s.body)
                del self.second[id(cells)]
                cells[:] = fresh
            else:
                self.block(s.body)
            flag[0] = flag[0] and self.everywhere(s)
            if flag[0]:
                return
        raise AssertionError("a fixed point without end")

    def everywhere(self, s: typed.FixedPoint) -> bool:
        if not any(e == typed.Variable(s.node) for e in walk.within(s.condition)):
            return bool(self.value(s.condition))
        holds = True
        for v in range(self.graph.num_nodes):
            self.frame[s.node] = [v]
            holds = holds and self.value(s.condition)
        return holds

    def breadth_first(self, s: typed.IterateInBFS) -> None:
        source = self.value(s.source)
        if source == -1:
            return
        levels = [-1] * self.graph.num_nodes
        levels[source] = 0
        queue = [source]
        for v in queue:
            for e in self.out[v]:
                if levels[self.columns[e]] == -1:
                    levels[self.columns[e]] = levels[v] + 1
                    queue.append(self.columns[e])
        pulling = frozenset(id(x) for x in walk.statements(s.body)
                            if isinstance(x, typed.ForEach) and pulls_from_parents(x, s))  # fmt: skip
        last = max(levels)
        for depth in range(last + 1):
            reached = [v if v <= depth + 1 else -1 for v in levels]
            self.level(_Levels(s.iterator, reached, depth, pulling), s.filter, s.body)
        if s.reverse is not None:
            for depth in range(last, -1, -1):
                self.level(_Levels(s.iterator, levels, depth, frozenset()), s.reverse.filter, s.reverse.body)

    def level(self, scope: _Levels, condition: typed.Expression | None, body: typed.Block) -> None:
        self.search.append(scope)
        nodes = [v for v, level in enumerate(scope.levels) if level == scope.depth]
        chosen = []
        for v in nodes:
            self.frame[scope.iterator] = [v]
            if condition is None or self.value(condition):
                chosen.append(v)
        for v in chosen:
            self.frame[scope.iterator] = [v]
            self.once(body)
        self.search.pop()

    # --- expressions

    def settled(self, value: Any, kind: Scalar) -> Any:
        """A number as a value of a type."""
        if kind is Scalar.BOOL:
            return bool(value)
        if kind.is_real:
            return single(value) if kind is Scalar.FLOAT else float(value)
        if value == math.inf:
            return INF[kind]
        if value == -math.inf:
            return -INF[kind] - 1
        value = int(value)
        assert abs(value) <= INF[kind] + 1, "the generator let a number overflow"
        return value

    def sum(self, left: Any, right: Any, kind: Scalar) -> Any:
        if kind.is_integer and INF[kind] in (left, right):
            return INF[kind]
        return left + right

    def value(self, e: typed.Expression) -> Any:
        match e:
            case typed.Literal():
                return self.settled(e.value, e.type)
            case typed.Infinity():
                return self.settled(-math.inf if e.negative else math.inf, e.type)
            case typed.Variable():
                return self.frame[e.symbol][0]
            case typed.Cell():
                return self.frame[e.symbol][self.at(self.value(e.index))]
            case typed.GraphWeight():
                return self.weights[self.at(self.value(e.edge))]
            case typed.EdgeEnd():
                ends = self.sources if e.end is typed.End.SOURCE else self.columns
                return ends[self.at(self.value(e.edge))]
            case typed.ArcInHand():
                return self.arcs[e.iterator]
            case typed.GraphQuery():
                return self.query(e)
            case typed.SetSize():
                return sum(self.frame[e.symbol])
            case typed.SetContains():
                return self.frame[e.symbol][self.at(self.value(e.member))]
            case typed.Unary():
                operand = self.value(e.operand)
                match e.operator:
                    case typed.UnaryOperator.NOT:
                        return not operand
                    case typed.UnaryOperator.NEGATE:
                        return -operand
                    case _:
                        return ~operand
            case typed.Binary():
                return self.binary(e)
            case typed.Incremented():
                cells, index = self.cell(e.place, writes=True)
                old = cells[index]
                cells[index] = self.settled(self.sum(old, e.amount, e.type), e.type)
                return old if e.old else cells[index]
            case typed.Conditional():
                return self.value(e.then if self.value(e.condition) else e.otherwise)
            case typed.Convert() | typed.Cast():
                return self.converted(e)
            case typed.Apply():
                return self.applied(e)
            case typed.Aggregate():
                return self.aggregate(e)
            case typed.Call():
                return self.call(e)
            case _:
                raise AssertionError(e)

    def converted(self, e: typed.Convert | typed.Cast) -> Any:
        value, source = self.value(e.operand), typed.scalar_of(e.operand)
        if source in (Scalar.INT, Scalar.LONG) and e.type.is_numeric and value == INF[source]:
            value = math.inf
        return self.settled(value, e.type)

    def query(self, e: typed.GraphQuery) -> Any:
        given = [self.value(a) for a in e.arguments]
        match e.query:
            case typed.Query.NUM_NODES:
                return self.graph.num_nodes
            case typed.Query.NUM_EDGES:
                return len(self.columns)
            case typed.Query.OUT_DEGREE:
                return len(self.out[self.at(given[0])])
            case typed.Query.IN_DEGREE:
                return len(self.into[self.at(given[0])])
            case typed.Query.FIRST_EDGE:
                return sum(map(len, self.out[: self.at(given[0])]))
            case typed.Query.FIND_EDGE | typed.Query.IS_EDGE:
                found = next((a for a in self.out[self.at(given[0])] if self.columns[a] == given[1]), -1)
                return found if e.query is typed.Query.FIND_EDGE else found >= 0
            case typed.Query.MIN_WEIGHT:
                return min(self.weights if e.weight is None else self.frame[e.weight], default=INF[e.type])
            case typed.Query.MAX_WEIGHT:
                return max(self.weights if e.weight is None else self.frame[e.weight], default=-INF[e.type] - 1)

    def binary(self, e: typed.Binary) -> Any:
        left = self.value(e.left)
        match e.operator:
            case typed.Operator.AND:
                return left and self.value(e.right)
            case typed.Operator.OR:
                return left or self.value(e.right)
        right = self.value(e.right)
        match e.operator:
            case typed.Operator.EQUAL:
                return left == right
            case typed.Operator.NOT_EQUAL:
                return left != right
            case typed.Operator.LESS:
                return left < right
            case typed.Operator.LESS_EQUAL:
                return left <= right
            case typed.Operator.GREATER:
                return left > right
            case typed.Operator.GREATER_EQUAL:
                return left >= right
            case typed.Operator.ADD:
                result = self.sum(left, right, e.type)
            case typed.Operator.SUBTRACT:
                result = left - right
            case typed.Operator.MULTIPLY:
                result = left * right
            case typed.Operator.DIVIDE if e.type.is_real:
                result = left / right if right else math.nan if not left else math.copysign(math.inf, left)
            case typed.Operator.DIVIDE:
                result = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            case typed.Operator.REMAINDER:
                result = abs(left) % abs(right) * (-1 if left < 0 else 1)
            case typed.Operator.SHIFT_LEFT:
                half = 2**63 if e.type is Scalar.LONG else 2**31
                result = ((left << right) + half) % (2 * half) - half
            case typed.Operator.SHIFT_RIGHT:
                result = left >> right
            case typed.Operator.BIT_AND:
                result = left & right
            case typed.Operator.BIT_OR:
                result = left | right
            case _:
                result = left ^ right
        return self.settled(result, e.type)

    def applied(self, e: typed.Apply) -> Any:
        given = [self.value(a) for a in e.arguments]
        match e.function:
            case typed.Function.MIN:
                result = min(given)
            case typed.Function.MAX:
                result = max(given)
            case typed.Function.ABS:
                result = abs(given[0])
            case typed.Function.SQRT:
                result = math.sqrt(given[0])
            case typed.Function.EXP:
                result = math.exp(given[0])
            case typed.Function.LOG:
                result = math.log(given[0])
            case typed.Function.POW:
                result = math.pow(*given)
            case typed.Function.FLOOR:
                result = math.floor(given[0])
            case typed.Function.CEIL:
                result = math.ceil(given[0])
        return self.settled(result, e.type)

    def aggregate(self, e: typed.Aggregate) -> Any:
        cells, kind = self.frame[e.property], e.property.property.element
        match e.aggregation:
            case typed.Aggregation.SUM:
                return self.settled(sum(cells), e.type)
            case typed.Aggregation.PRODUCT:
                return self.settled(math.prod(cells), e.type)
            case typed.Aggregation.COUNT:
                return sum(x != 0 for x in cells)
            case typed.Aggregation.MIN:
                return min(cells, default=self.settled(math.inf, kind))
            case typed.Aggregation.MAX:
                return max(cells, default=self.settled(-math.inf, kind))
