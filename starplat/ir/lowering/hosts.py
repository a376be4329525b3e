"""Lowers the host side of a function: statements become host operations, parallel loops launches of kernels."""

from dataclasses import replace
from typing import assert_never

from starplat.frontend import typed
from starplat.frontend.types import Carrier, ListType, MapType, PropertyType, Scalar, SetType, is_list
from starplat.ir import build, nodes as ir
from starplat.ir.lowering.checking import Checks, failed, printed
from starplat.ir.lowering.context import Context, array_of, zero
from starplat.ir.lowering.elements import ELEMENTS, EXTREMES
from starplat.ir.lowering.host_lists import HostLists
from starplat.ir.lowering.host_loops import lower_for_each
from starplat.ir.lowering.regions import RegionLowering
from starplat.ir.lowering.rounds import lower_bfs, lower_fixed_point
from starplat.same import Same


class HostLowering(HostLists):
    """Lowers one function for the host."""

    def __init__(self, context: Context, function: typed.FunctionDefinition, is_entry: bool) -> None:
        super().__init__(context, function, is_entry)
        self.regions = RegionLowering(self)

    # --- the function

    def lower(self) -> ir.HostFunction:
        function = self.function
        parameters = tuple(
            self._parameter(p) for p in function.parameters if isinstance(p.type, Scalar | PropertyType | SetType)
        )
        lists = tuple(self.list_of(p) for p in function.parameters if is_list(p.type))
        self.block(function.body)
        first, *more = function.result_types or (None,)
        results = tuple(ELEMENTS[kind] for kind in more if isinstance(kind, Scalar))
        body, arrays = (*self.prologue, *self.ops), tuple(self.own_arrays)
        result = result_of(first)
        return ir.HostFunction(function.name, parameters, arrays, result, body, function.span, results, lists)

    def _parameter(self, symbol: typed.Symbol) -> ir.Parameter:
        if isinstance(symbol.type, Scalar):
            variable = self.bind(symbol, self.names.variable(symbol.name, ELEMENTS[symbol.type]))
            return ir.Parameter(variable, symbol.role is typed.Role.REFERENCE)
        of_edges = isinstance(symbol.type, PropertyType) and symbol.type.carrier is Carrier.EDGE
        origin = ir.Origin.WEIGHT if self.is_entry and of_edges and symbol.name == "weight" else ir.Origin.PARAMETER
        self.arrays[symbol] = array_of(symbol, self.names.fresh(symbol.name), origin)
        return ir.Parameter(self.arrays[symbol], by_reference=True)

    # --- statements

    def block(self, block: typed.Block) -> None:
        for statement in block.statements:
            self.statement(statement)

    def collected(self, block: typed.Block) -> tuple[ir.HostOp, ...]:
        with self.collect() as ops:
            self.block(block)
        return tuple(ops)

    def statement(self, s: typed.Statement) -> None:
        """Appends the operations of one statement."""
        match s:
            case typed.Block():
                self.block(s)
            case typed.Declare():
                self._declare(s)
            case typed.Assign():
                self._assign(s.place, self.expression(s.value))
            case typed.Update():
                self._update(s)
            case typed.AssignExtreme():
                self._extreme(s)
            case typed.Attach():
                self._attach(s)
            case typed.CopyProperty():
                if s.destination is not s.source:
                    self.do(ir.CopyArray(self.arrays[s.destination], self.arrays[s.source]))
            case typed.AddToSet():
                array = self.arrays[s.symbol]
                self.do(ir.WriteCell(array, self.index(s.member, s.symbol.name, array.extent, s), build.TRUE))
            case typed.AddToMap():
                raise AssertionError("a map belongs to an iteration")
            case typed.ChangeList():
                self.change_list(s)
            case typed.CallStatement():
                self._call(s.call, None)
            case typed.Return():
                self._return(s)
            case typed.Break() | typed.Continue():
                self.do(ir.HostBreak() if isinstance(s, typed.Break) else ir.HostContinue())
            case typed.If():
                self._if(s)
            case typed.While() | typed.DoWhile() | typed.CountedLoop():
                self._loop(s)
            case typed.ForEach():
                lower_for_each(self, s)
            case typed.FixedPoint():
                lower_fixed_point(self, s)
            case typed.IterateInBFS():
                lower_bfs(self, s)
            case typed.Print() | typed.Assert() if self.context.checks is not None:
                self._remark(s, self.context.checks)
            case typed.Print() | typed.Assert():
                raise AssertionError("left out before the analyses")
            case typed.TakeBatch() | typed.EndBatch() | typed.ChangeGraph():
                self.do(ir.HostBlock((self._of_batches(s),), s.span))
            case typed.Unsupported():
                raise self.unsupported(s.construct, s)
            case _:
                assert_never(s)

    def _of_batches(self, s: typed.TakeBatch | typed.EndBatch | typed.ChangeGraph) -> ir.HostOp:
        match s:
            case typed.TakeBatch(end=end, updates=updates):
                first, size, limit = map(self.expression, (s.first, s.size, s.limit))
                return ir.TakeBatch(self.variables[end], first, size, limit, self.arrays[updates.adds])
            case typed.EndBatch():
                return ir.EndBatch()
            case typed.ChangeGraph():
                return self._with_deletions(self._change_graph(s))

    def _with_deletions(self, change: ir.ChangeGraph) -> ir.ChangeGraph:
        """The change, together with the deletions of these updates where it adds and they come just before."""
        deletions = replace(change, kinds=(typed.DELETIONS,))
        last = self.ops[-1] if self.ops else None
        if change == deletions or not isinstance(last, ir.HostBlock) or last.body != (deletions,):
            return change
        self.ops.pop()
        return replace(change, kinds=(typed.DELETIONS, typed.ADDITIONS))

    def _change_graph(self, s: typed.ChangeGraph) -> ir.ChangeGraph:
        if not self.is_entry:
            raise self.context.refuse(
                "E0651", "the graph changes in the function that is run only", s.span, "here another one calls this",
                help="move 'updateCSRAdd' and 'updateCSRDel' to the function that has the 'Batch'",
            )  # fmt: skip
        first, end, kind = map(self.expression, s.updates.numbers)
        properties = tuple(self.arrays[symbol] for symbol in s.properties)
        return ir.ChangeGraph(
            self.arrays[s.updates.adds], first, end, kind, (typed.ADDITIONS if s.adds else typed.DELETIONS,), properties
        )

    def _declare(self, s: typed.Declare) -> None:
        symbol = s.symbol
        match symbol.type:
            case Scalar():
                value = zero(ELEMENTS[symbol.type]) if s.value is None else self.expression(s.value)
                variable = self.bind(symbol, self.names.variable(symbol.name, ELEMENTS[symbol.type]))
                self.do(ir.DeclareVariable(variable, value))
            case PropertyType() | SetType():
                array = array_of(symbol, self.names.fresh(symbol.name), ir.Origin.LOCAL)
                while array in self.context.arrays:
                    array = replace(array, name=self.names.fresh(symbol.name))
                self.own(array)
                self.arrays[symbol] = array
                self.do(ir.Fill(array, zero(array.element)))
            case ListType():
                self.do(ir.DeclareList(self.list_of(symbol)))
            case MapType():
                raise self.context.refuse(
                    "E0659", "a map needs a 'forall' that runs as a whole on the device", s.span,
                    help="move what the host must do out of it: what is done to whole properties, searches",
                )  # fmt: skip
            case _:
                raise self.unsupported(str(symbol.type), s)

    def _return(self, s: typed.Return) -> None:
        if isinstance(s.value, typed.WholeList):
            self.do(ir.HostReturn(self.lists[s.value.symbol]))
            return
        values = s.value.values if isinstance(s.value, typed.Together) else (s.value,)
        first, *more = (None if value is None else self.expression(value) for value in values)
        self.do(ir.HostReturn(first, tuple(value for value in more if value is not None)))

    def _assign(self, place: typed.Place, value: ir.Expression) -> None:
        match place:
            case typed.Variable(symbol):
                self.do(ir.SetVariable(self.variables[symbol], value))
            case typed.Cell(symbol):
                self._write(symbol, self.place(place), value)
            case typed.ListItem(symbol=symbol, index=index):
                arguments = (self.expression(index), value)
                self.do(ir.ChangeList(self.lists[symbol], ir.ListChange.SET, arguments, place.span))

    def _write(self, symbol: typed.Symbol, index: ir.Expression, value: ir.Expression) -> None:
        array = self.stand_ins.get(self.arrays[symbol], self.arrays[symbol])
        self.do(ir.WriteCell(array, index, value))
        if array in self.announce:
            self.do(ir.SetVariable(self.announce[array], build.FALSE))

    def _update(self, s: typed.Update) -> None:
        value = self.expression(s.value)
        match s.place:
            case typed.Variable(symbol):
                variable = self.variables[symbol]
                self.do(ir.SetVariable(variable, self.combined(s, ir.Ref(variable), value)))
            case typed.Cell(symbol):
                where = self.named(self.place(s.place), "where")
                self._write(symbol, where, self.combined(s, self.read(self.arrays[symbol], where), value))
            case typed.ListItem(symbol=symbol):
                items, where = self.lists[symbol], self.named(self.expression(s.place.index), "where")
                old = self.declare(f"{items.name}_value", items.element, zero(items.element))
                self.do(ir.ReadItem(old, items, where, s.place.span))
                arguments = (where, self.combined(s, ir.Ref(old), value))
                self.do(ir.ChangeList(items, ir.ListChange.SET, arguments, s.place.span))

    def _remark(self, s: typed.Remark, checks: Checks) -> None:
        if isinstance(s, typed.Print):
            values = tuple(self.expression(part) for part in s.parts if not isinstance(part, str))
            self.do(ir.Tell(checks.site(printed(s)), values, ()))
            return
        condition = self.expression(s.condition)
        self.do(ir.HostIf(build.denied(condition), (ir.Tell(checks.site(failed(s, "")), (), self.nodes_around),)))

    def _extreme(self, s: typed.AssignExtreme) -> None:
        element = ELEMENTS[s.place.type]
        candidate = ir.Ref(self.declare("candidate", element, self.expression(s.candidate)))
        values = ((c.place, self.expression(c.value)) for c in s.carried)
        carried = [(place, ir.Ref(self.declare("carried", value.element, value))) for place, value in values]
        wins = build.beyond(EXTREMES[s.extreme], candidate, self.expression(s.place))
        with self.collect() as ops:
            self._assign(s.place, candidate)
            for place, kept in carried:
                self._assign(place, kept)
        self.do(ir.HostIf(wins, tuple(ops)))

    def _attach(self, s: typed.Attach) -> None:
        """Right-hand sides see the state before: values are computed first, and a property that is copied after being
        overwritten is saved."""
        computed: list[tuple[typed.Symbol, ir.Expression | ir.Array]] = []
        targets = [target for target, _ in s.items]
        for place, (target, value) in enumerate(s.items):
            if not isinstance(value, typed.Symbol):
                computed.append((target, self.expression(value)))
            elif value in targets[:place]:
                source = self.arrays[value]
                saved = self.new_array(f"{source.name}_before", source.element, source.extent, ir.Origin.TEMPORARY)
                self.do(ir.CopyArray(saved, source))
                computed.append((target, saved))
            else:
                computed.append((target, self.arrays[value]))
        for target, what in computed:
            array = self.arrays[target]
            self.do(ir.CopyArray(array, what) if isinstance(what, ir.Array) else ir.Fill(array, what))

    # --- control

    def _if(self, s: typed.If) -> None:
        condition = self.expression(s.condition)
        otherwise = () if s.otherwise is None else self.collected(s.otherwise)
        self.do(ir.HostIf(condition, self.collected(s.then), otherwise))

    def _loop(self, s: typed.While | typed.DoWhile | typed.CountedLoop) -> None:
        if self.context.facts.hosting.is_sequential_kernel(s):
            self.regions.run_once(s)
        elif isinstance(s, typed.CountedLoop):
            self._counted(s)
        else:
            with self.collect() as before:
                condition = self.expression(s.condition)
            body = self.collected(s.body)
            last = isinstance(s, typed.DoWhile)
            self.do(self.answered(s, ir.Loop(tuple(before), condition, body, test_last=last)))

    def answered(self, s: typed.Statement, loop: ir.Loop) -> ir.Loop:
        """The loop that a statement becomes, with what is known of its rounds."""
        if Same(s) not in self.context.settling:
            return loop
        found = self.context.settling[Same(s)]
        if found is None:
            return replace(loop, settles=True)
        labels, extreme = self.arrays[found.labels], EXTREMES[found.extreme]
        what = ir.Spreading(labels, extreme, found.both_ways, found.start, found.mutual)
        return replace(loop, settles=True, spreading=what)

    def _counted(self, s: typed.CountedLoop) -> None:
        first = self.expression(s.first)
        if s.declares:
            variable = self.bind(s.symbol, self.names.variable(s.symbol.name, ELEMENTS[s.symbol.scalar]))
            self.do(ir.DeclareVariable(variable, first))
        else:
            self.do(ir.SetVariable(self.variables[s.symbol], first))
        with self.collect() as before:
            condition = self.expression(s.condition)
        with self.collect() as step:
            self.statement(s.step)
        self.do(self.answered(s, ir.Loop(tuple(before), condition, self.collected(s.body), step=tuple(step))))


def result_of(kind: Scalar | ListType | None) -> ir.Element | ir.ListOf | None:
    """The first result of a function, as host functions have it."""
    if not isinstance(kind, ListType):
        return None if kind is None else ELEMENTS[kind]
    assert isinstance(kind.element, Scalar)
    return ir.ListOf(ELEMENTS[kind.element])
