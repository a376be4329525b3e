"""Executes the statements of a checked tree in text order, iterations of a `forall` in ascending order."""

from collections.abc import Callable, Iterable
from enum import Enum, auto

from starplat.analysis import Facts, convergence, pulling
from starplat.frontend import typed, types
from starplat.frontend.typed import Direction
from starplat.graph.graph import Graph
from starplat.ir.python.arithmetic import Value
from starplat.runtime.checked import changing, expressions, numbers, remarks, stores
from starplat.runtime.checked.memory import Box, Cells, Frame, Whereabouts
from starplat.runtime.elements import Returned
from starplat.same import Same


class Flow(Enum):
    """How a statement ended."""

    ON = auto()
    BREAK = auto()
    CONTINUE = auto()
    RETURN = auto()


class Statements(stores.Stores):
    """Runs the functions of one program on one graph, which updates may change; `after_batch` is called when a batch of
    them is done."""

    def __init__(self, facts: Facts, graph: Graph, after_batch: Callable[[], None] = lambda: None) -> None:
        self.facts, self.after_batch, self.graph = facts, after_batch, graph
        where = Whereabouts(facts.program.source, graph)
        super().__init__(expressions.Expressions(graph, where, self.call), where)
        self.one_flag = {
            Same(found.loop): found.frontier
            for function in facts.functions
            for found in function.fixed_points
            if found.spelling is convergence.Spelling.ONE_FLAG
        }
        self.remarks = remarks.Remarks(self.values, where)
        self.returned: Returned = None
        self.searches: list[tuple[typed.IterateInBFS, list[int]]] = []

    def call(self, call: typed.Call, frame: Frame) -> Value | None:
        """What a function of the program returns."""
        if (known := numbers.OF_PRELUDE.get(call.function)) is not None:
            return known(*(self.values.value(e, frame) for e in call.arguments if not isinstance(e, typed.Symbol)))
        function = self.facts.program.function(call.function)
        things = [self.values.argument(given, frame) for given in call.arguments]
        inner = Frame(dict(zip(function.parameters, things, strict=True)))
        inner.writes = {
            parameter: frame.writes[given]
            for parameter, given in zip(function.parameters, call.arguments, strict=True)
            if isinstance(given, typed.Symbol) and given in frame.writes
        }
        returned = self.function(function, inner)
        assert not isinstance(returned, tuple | list)
        return returned

    def function(self, function: typed.FunctionDefinition, frame: Frame) -> Returned:
        """Runs a body in a frame that holds the parameters."""
        self.returned = None
        self.perform(function.body, frame)
        returned, self.returned = self.returned, None
        return returned

    # --- one statement

    def perform(self, s: typed.Statement, frame: Frame) -> Flow:
        """Runs a statement. Raises DiagnosticError: what an operation in it did wrong, with its place."""
        match s:
            case typed.Block():
                return self.sequence(s.statements, frame)
            case typed.If():
                return self.branch(s, frame)
            case typed.Assign():
                self.store(s.place, self.values.value(s.value, frame), frame)
                return Flow.ON
            case typed.Update():
                self.update(s, frame)
                return Flow.ON
            case typed.AssignExtreme():
                self.extreme(s, frame)
                return Flow.ON
            case typed.While() | typed.DoWhile() | typed.CountedLoop():
                return self.repeat(s, frame)
            case typed.ForEach():
                return self.each(s, frame)
            case typed.FixedPoint():
                return self.fixed_point(s, frame)
            case typed.IterateInBFS():
                return self.search(s, frame)
            case typed.Return(value=typed.WholeList(symbol=symbol)):
                self.returned = list(frame.elements(symbol))
                return Flow.RETURN
            case typed.Return():
                values = s.value.values if isinstance(s.value, typed.Together) else (s.value,)
                found = tuple(None if v is None else self.values.value(v, frame) for v in values)
                self.returned = found[0] if len(found) == 1 else tuple(v for v in found if v is not None)
                return Flow.RETURN
            case typed.Break():
                return Flow.BREAK
            case typed.Continue():
                return Flow.CONTINUE
            case _:
                self.simple(s, frame)
                return Flow.ON

    def sequence(self, statements: Iterable[typed.Statement], frame: Frame) -> Flow:
        for s in statements:
            if (flow := self.perform(s, frame)) is not Flow.ON:
                return flow
        return Flow.ON

    def simple(self, s: typed.Statement, frame: Frame) -> None:
        match s:
            case typed.Declare():
                value = None if s.value is None else self.values.value(s.value, frame)
                frame.declare(s.symbol, value, self.graph)
            case typed.Attach():
                self.attach(s, frame)
            case typed.CopyProperty():
                frame.written(s.destination).values[:] = frame.cells(s.source).values
            case typed.AddToSet():
                self.add(s, frame)
            case typed.AddToMap():
                self.add_to_map(s, frame)
            case typed.ChangeList():
                self.change_list(s, frame)
            case typed.CallStatement():
                self.call(s.call, frame)
            case typed.Print():
                self.remarks.print(s, frame)
            case typed.Assert():
                self.remarks.judge(s, frame)
            case typed.TakeBatch():
                self.take_batch(s, frame)
            case typed.EndBatch():
                self.after_batch()
            case typed.ChangeGraph():
                self.change_graph(s, frame)
            case _:
                raise AssertionError(f"{s} was refused before")

    # --- updates

    def take_batch(self, s: typed.TakeBatch, frame: Frame) -> None:
        first, size, limit = (self.values.integer(e, frame) for e in (s.first, s.size, s.limit))
        with self.where.at(s.size.span):
            frame.box(s.end).value = changing.end_of_batch(changing.given_in(s.updates, frame), first, size, limit)

    def change_graph(self, s: typed.ChangeGraph, frame: Frame) -> None:
        first, end, kind = (self.values.integer(number, frame) for number in s.updates.numbers)
        if kind not in (typed.ALL, typed.ADDITIONS if s.adds else typed.DELETIONS):
            return
        updates = changing.given_in(s.updates, frame)
        change = updates.added if s.adds else updates.deleted
        changed = change(self.graph, first, end)
        changing.carry(s, changed, frame)
        self.graph = changed.graph
        self.values.at_graph(changed.graph)

    # --- branches and loops

    def branch(self, s: typed.If, frame: Frame) -> Flow:
        if self.values.value(s.condition, frame):
            return self.perform(s.then, frame)
        return Flow.ON if s.otherwise is None else self.perform(s.otherwise, frame)

    def repeat(self, s: typed.While | typed.DoWhile | typed.CountedLoop, frame: Frame) -> Flow:
        if isinstance(s, typed.CountedLoop):
            first = self.values.value(s.first, frame)
            if s.declares:
                frame.declare(s.symbol, first, self.graph)
            frame.box(s.symbol).value = first
        unasked = isinstance(s, typed.DoWhile)
        while unasked or self.values.value(s.condition, frame):
            unasked = False
            if (flow := self.perform(s.body, frame)) is Flow.RETURN:
                return flow
            if flow is Flow.BREAK:
                break
            if isinstance(s, typed.CountedLoop):
                self.perform(s.step, frame)
        return Flow.ON

    def each(self, s: typed.ForEach, frame: Frame) -> Flow:
        items = list(self.items(s, frame))
        if s.parallel and s.filter is not None:  # judged when the loop is entered
            items = [item for item in items if self.passes(s, *item, frame)]
        asked = None if s.parallel else s.filter
        for item, arc in items:
            self.enter(s.iterator, item, arc, frame)
            passes = asked is None or self.values.value(asked, frame)
            flow = self.perform(s.body, frame) if passes else Flow.ON
            self.leave(s.iterator)
            if flow is Flow.RETURN:
                return flow
            if flow is Flow.BREAK:
                break
        return Flow.ON

    def passes(self, s: typed.ForEach, item: Value, arc: int | None, frame: Frame) -> bool:
        assert s.filter is not None
        self.enter(s.iterator, item, arc, frame)
        passes = bool(self.values.value(s.filter, frame))
        self.leave(s.iterator)
        return passes

    def enter(self, iterator: typed.Symbol, item: Value, arc: int | None, frame: Frame) -> None:
        """An iteration of a loop begins."""
        frame.things[iterator] = Box(item)
        if arc is not None:
            frame.arcs[iterator] = arc
        if iterator.type is types.Scalar.NODE:
            self.where.nodes.append((iterator.name, int(item)))

    def leave(self, iterator: typed.Symbol) -> None:
        """The iteration ends; one that fails is left as it is, for the message."""
        if iterator.type is types.Scalar.NODE:
            self.where.nodes.pop()

    def items(self, s: typed.ForEach, frame: Frame) -> Iterable[tuple[Value, int | None]]:
        """What a loop goes over, with the arc in hand."""
        match s.domain:
            case typed.AllNodes():
                return ((v, None) for v in range(self.graph.num_nodes))
            case typed.AllEdges():
                return ((e, None) for e in range(self.graph.num_arcs))
            case typed.Members(symbol=symbol):
                return [(i, None) for i, inside in enumerate(frame.cells(symbol).values) if inside]
            case typed.Items(symbol=symbol):
                return [(item, None) for item in frame.elements(symbol)]
            case typed.Keys(symbol=symbol):
                is_bool = symbol.map.key is types.Scalar.BOOL
                return [(bool(key) if is_bool else key, None) for key in sorted(frame.sums(symbol))]
            case typed.Numbers(count=count):
                return [(number, None) for number in range(self.values.integer(count, frame))]
            case typed.Neighbors():
                return self.neighbors(s, s.domain, frame)

    def neighbors(self, s: typed.ForEach, domain: typed.Neighbors, frame: Frame) -> list[tuple[int, int | None]]:
        with self.where.at(domain.node.span):
            node = self.values.node(self.values.integer(domain.node, frame))
        direction, levels, step = domain.direction, None, 0
        if self.searches and isinstance(domain.node, typed.Variable):
            search, levels = self.searches[-1]
            if domain.node.symbol is search.iterator and direction is not Direction.BOTH:
                pulls = direction is Direction.OUT and pulling.pulls_from_parents(s, search)
                direction = Direction.IN if pulls else direction
                step = 1 if direction is Direction.OUT else -1
        found = self.row(node, direction)
        if levels is None or step == 0:
            return found
        return [(w, arc) for w, arc in found if levels[w] == levels[node] + step >= 0]

    def row(self, node: int, direction: Direction) -> list[tuple[int, int | None]]:
        out: list[tuple[int, int | None]] = []
        if direction is not Direction.IN:
            first, end = self.values.offsets[node], self.values.offsets[node + 1]
            out = [(self.values.columns[arc], arc) for arc in range(first, end)]
        if direction is not Direction.OUT:
            reverse = self.graph.reverse
            first, end = int(reverse.row_offsets[node]), int(reverse.row_offsets[node + 1])
            arcs = reverse.arc_ids[first:end].tolist()
            out += [(self.values.sources[arc], arc) for arc in arcs]
        return out

    def fixed_point(self, s: typed.FixedPoint, frame: Frame) -> Flow:
        if s.flag not in frame.things:
            frame.declare(s.flag, False, self.graph)
        flag, flow = frame.box(s.flag), Flow.ON
        flag.value = False
        while not flag.value:
            flag.value = True
            if (flow := self.round(s, frame)) in (Flow.RETURN, Flow.BREAK):
                break
            flag.value = bool(flag.value) and all(self.holds(s, v, frame) for v in range(self.graph.num_nodes))
        return flow if flow is Flow.RETURN else Flow.ON

    def round(self, s: typed.FixedPoint, frame: Frame) -> Flow:
        """The body; one flag is read as it was when the round began."""
        if (frontier := self.one_flag.get(Same(s))) is None:
            return self.perform(s.body, frame)
        fresh = frame.writes[frontier] = Cells([False] * self.graph.num_nodes)
        flow = self.perform(s.body, frame)
        del frame.writes[frontier]
        frame.cells(frontier).values[:] = fresh.values
        return flow

    def holds(self, s: typed.FixedPoint, node: int, frame: Frame) -> bool:
        frame.declare(s.node, node, self.graph)
        return bool(self.values.value(s.condition, frame))

    # --- searches

    def search(self, s: typed.IterateInBFS, frame: Frame) -> Flow:
        if (source := self.values.integer(s.source, frame)) == -1:
            return Flow.ON
        with self.where.at(s.source.span):
            levels = self.levels(self.values.node(source))
        by_level: dict[int, list[int]] = {}
        for node, level in enumerate(levels):
            by_level.setdefault(level, []).append(node)
        self.searches.append((s, levels))
        last = max(levels)
        for level in range(last + 1):
            self.visit(s.iterator, by_level[level], s.filter, s.body, frame)
        for level in range(last, -1, -1) if s.reverse is not None else ():
            assert s.reverse is not None
            self.visit(s.iterator, by_level[level], s.reverse.filter, s.reverse.body, frame)
        self.searches.pop()
        return Flow.ON

    def visit(
        self,
        iterator: typed.Symbol,
        nodes: list[int],
        condition: typed.Expression | None,
        body: typed.Block,
        frame: Frame,
    ) -> None:
        for node in nodes:
            self.enter(iterator, node, None, frame)
            if condition is None or self.values.value(condition, frame):
                self.perform(body, frame)
            self.leave(iterator)

    def levels(self, source: int) -> list[int]:
        """How many arcs away nodes are; -1 where no path leads."""
        levels = [-1] * self.graph.num_nodes
        levels[source], front, depth = 0, [source], 0
        while front:
            depth += 1
            found = {w for v in front for w, _ in self.row(v, Direction.OUT) if levels[w] < 0}
            for w in found:
                levels[w] = depth
            front = sorted(found)
        return levels
