"""Verifies host functions: declarations, launches, calls, accesses, lists."""

from collections.abc import Iterable
from typing import assert_never

from starplat.ir import build, nodes as ir
from starplat.ir.capabilities import machine_elements
from starplat.ir.launches import calls_in
from starplat.ir.shapes.members import set_rounds
from starplat.ir.verifying.operations import combines
from starplat.ir.verifying.wellformed import Scope, calls_itself
from starplat.ir.visitor import arrays_in, declared_by, expressions_of, parts_of, walk_host


def verify_host(module: ir.Module) -> None:
    """Passes if every host function is well formed.

    Raises:
        InvalidModule: one is not.
    """
    kernels = {kernel.name: kernel for kernel in module.kernels}
    functions = {function.name: function for function in module.functions}
    for function in module.functions:
        scope = Scope(f"host function '{function.name}'", {}, on_host=True)
        scope.declare_parameters(function.parameters)
        for items in function.lists:
            scope.declare(items)
        for array in function.arrays:
            scope.add_array(array)
            own = array.origin in (ir.Origin.LOCAL, ir.Origin.TEMPORARY, ir.Origin.HOST)
            scope.require(own, f"'{array.name}' is not its own")
        _Host(scope, function, kernels, functions).block(function.body)
        scope.require(not calls_itself(function.name, lambda name: calls_in(functions[name])), "it calls itself")


class _Host:
    """The operations of one host function."""

    def __init__(
        self,
        scope: Scope,
        function: ir.HostFunction,
        kernels: dict[str, ir.Kernel],
        functions: dict[str, ir.HostFunction],
    ) -> None:
        self.scope = scope
        self.function = function
        self.kernels = kernels
        self.functions = functions
        self.loops = 0
        self.guard: ir.Array | None = None

    def block(self, *blocks: Iterable[ir.HostOp]) -> None:
        for ops in blocks:
            with self.scope.block():
                self.ops(ops)

    def ops(self, ops: Iterable[ir.HostOp]) -> None:
        for op in ops:
            self.op(op)

    def loop(self, body: Iterable[ir.HostOp]) -> None:
        self.loops += 1
        self.block(body)
        self.loops -= 1

    def op(self, op: ir.HostOp) -> None:
        scope = self.scope
        if not isinstance(op, ir.ReadCell | ir.WriteCell | ir.CheckCell):
            hosts = [array.name for array in arrays_in(op) if array.origin is ir.Origin.HOST]
            scope.require(not hosts, f"the host's own {hosts} is used as if it were on the device")
        self.mentioned(op)
        match op:
            case ir.DeclareVariable(variable, value):
                scope.value(value, variable.element)
                scope.declare(variable)
            case ir.SetVariable(variable, value):
                scope.value(value, variable.element)
            case ir.Fill() | ir.CopyArray() | ir.Swap():
                self.whole(op)
            case ir.Launch():
                self.push_or_pull(op)
            case ir.ReadEmpty() | ir.ReadSize() | ir.ListMembers():
                self.about_flags(op)
            case ir.ReadCell() | ir.WriteCell() | ir.CheckCell():
                self.cell(op)
            case ir.Tell() | ir.TellRecorded():
                for told in op.values if isinstance(op, ir.Tell) else ():
                    scope.value(told, told.element)
            case ir.HostIf(condition, then, otherwise):
                scope.condition(condition)
                self.block(then, otherwise)
            case ir.Loop():
                self.conditional_loop(op)
            case ir.HostForRange() | ir.HostForNeighbors() | ir.HostForMembers() | ir.HostForItems():
                self.counted_loop(op)
            case ir.HostBreak() | ir.HostContinue():
                scope.require(self.loops > 0, "break or continue outside a loop")
            case ir.HostReturn(value, more):
                scope.returned(value, self.function.result, more, self.function.more_results)
            case ir.HostCall():
                self.call(op)
            case ir.HostBlock(body):
                self.ops(body)
            case ir.OnDevice():
                self.on_device(op)
            case ir.TakeBatch() | ir.EndBatch() | ir.ChangeGraph():
                for number in expressions_of(op):
                    scope.value(number, ir.Element.INT)
            case ir.TakePart() | ir.TakeNumber() | ir.Together() | ir.TakeFirst():
                self.of_parts(op)
            case ir.ExchangeCells():
                self.exchanged(op)
            case ir.TakeMembers() | ir.KeepOwn() | ir.CombineParts() | ir.CombineChanged() | ir.ShareParts():
                self.exchange(op)
            case _ if isinstance(op, ir.ListOp):
                verify_list(op, scope)
            case _:
                assert_never(op)

    def mentioned(self, op: ir.HostOp) -> None:
        """What the operation itself names is declared before, unless it declares that."""
        declared = declared_by(op)
        for part in parts_of(op):
            match part:
                case ir.Variable() if part not in declared:
                    self.scope.variable(part)
                case ir.HostList() if not isinstance(op, ir.DeclareList):
                    self.scope.items(part)
                case ir.Array() if isinstance(op, ir.CheckCell):
                    pass  # it asks how many cells such an array has
                case ir.Array() if part.origin is not ir.Origin.GRAPH or not isinstance(op, ir.OnDevice):
                    self.scope.array(part)

    def of_parts(self, op: ir.TakePart | ir.TakeNumber | ir.Together | ir.TakeFirst) -> None:
        scope = self.scope
        match op:
            case ir.TakePart(first, end):
                scope.require({first.element, end.element} == {ir.Element.NODE}, "a part begins and ends at nodes")
                scope.declare(first)
                scope.declare(end)
            case ir.Together(variable, combine, before):
                fits = combines(combine, variable.element) and before.element is variable.element
                scope.require(fits, f"'{variable.name}' cannot come together by '{combine.value}'")
            case ir.TakeNumber(number, parts):
                scope.require({number.element, parts.element} == {ir.Element.INT}, "parts have whole numbers")
                scope.declare(number)
                scope.declare(parts)
            case ir.TakeFirst():
                pass

    def exchanged(self, op: ir.ExchangeCells) -> None:
        scope = self.scope
        for array in (*op.arrays, *(() if op.among is None else (op.among,))):
            scope.written(array)
            scope.require(array.extent is ir.Extent.NODES, f"the cells of '{array.name}' belong to no nodes")
        for array in op.arrays:
            fits = op.by is None or combines(op.by, array.element)
            scope.require(fits, f"'{array.name}' is not combined by '{op.by}'")

    def exchange(self, op: ir.TakeMembers | ir.KeepOwn | ir.CombineParts | ir.CombineChanged | ir.ShareParts) -> None:
        scope, array = self.scope, op.array
        scope.written(array)
        if isinstance(op, ir.KeepOwn | ir.CombineParts | ir.ShareParts) and op.among is not None:
            scope.written(op.among)
            of_nodes = {array.extent, op.among.extent} == {ir.Extent.NODES} and op.among.element is ir.Element.BOOL
            scope.require(of_nodes, f"'{op.among.name}' is no set of the nodes of '{array.name}'")
        match op:
            case ir.TakeMembers():
                scope.require(array.is_set, f"'{array.name}' is no set")
            case ir.KeepOwn(_, value):
                scope.value(value, array.element)
            case ir.CombineParts(_, combine, carried, among):
                scope.require(combines(combine, array.element), f"'{array.name}' is not combined by '{combine.value}'")
                wins = combine in (ir.Combine.MIN, ir.Combine.MAX)
                scope.require(wins or not carried, f"no value wins by '{combine.value}'")
                alone = among is None or (wins and not carried)
                scope.require(alone, f"'{array.name}' is not combined by '{combine.value}' among the nodes of a set")
                for beside in carried:
                    scope.written(beside)
                    scope.require(beside.extent is array.extent, f"'{beside.name}' has no cell beside each")
            case ir.CombineChanged(_, before):
                self.alike(array, before)
            case ir.ShareParts():
                shared = array.extent in (ir.Extent.NODES, ir.Extent.ARCS)
                scope.require(shared, f"the cells of '{array.name}' belong to no nodes")

    def whole(self, op: ir.Fill | ir.CopyArray | ir.Swap) -> None:
        match op:
            case ir.Fill(array, value):
                self.scope.written(array)
                self.scope.value(value, array.element)
            case ir.CopyArray(destination, source):
                self.alike(destination, source)
            case ir.Swap(first, second):
                self.scope.written(second)
                self.alike(first, second)

    def about_flags(self, op: ir.ReadEmpty | ir.ReadSize | ir.ListMembers) -> None:
        scope = self.scope
        scope.require(op.flags.element is ir.Element.BOOL, f"'{op.flags.name}' holds no flags")
        if isinstance(op, ir.ListMembers):
            scope.written(op.array)
            fits = op.array.element is ir.Element.NODE and op.array.extent is op.flags.extent is ir.Extent.NODES
            scope.require(fits, f"'{op.array.name}' lists no nodes")
            scope.index(op.first)

    def cell(self, op: ir.ReadCell | ir.WriteCell | ir.CheckCell) -> None:
        scope = self.scope
        scope.index(op.index)
        match op:
            case ir.ReadCell(variable, array):
                scope.require(variable.element is array.element, f"'{variable.name}' cannot hold '{array.name}'")
                is_set = op.counts is None or op.counts.element is ir.Element.BOOL
                scope.require(is_set, f"'{array.name}' counts what is no set")
            case ir.WriteCell(array, _, value):
                scope.written(array)
                scope.value(value, array.element)
            case ir.CheckCell():
                pass

    def nearest_first(self, loop: ir.Loop, driver: ir.NearestFirst) -> None:
        values = driver.values
        for step in (driver.step, driver.first):
            self.scope.require(step.element is values.compared, f"'{step.name}' is no step of '{values.name}'")
        self.scope.require(set_rounds(loop) is not None, "near nodes come first where a round only walks a set")

    def on_device(self, op: ir.OnDevice) -> None:
        for inner in walk_host(op.body):
            allowed = not isinstance(
                inner,
                ir.HostCall
                | ir.HostReturn
                | ir.HostForMembers
                | ir.HostForNeighbors
                | ir.HostForItems
                | ir.ListOp
                | ir.OnDevice
                | ir.TakeBatch
                | ir.EndBatch
                | ir.ChangeGraph,
            )
            self.scope.require(allowed, f"'{op.name}' holds what only the host can do")
        self.block(op.body)

    def rounds_ahead(self, op: ir.Loop, driver: ir.Ahead) -> None:
        """Every write of cells in a round is guarded by whether the round takes place."""
        goes_on = driver.goes_on
        self.scope.array(goes_on)
        cell = goes_on.element is ir.Element.BOOL and goes_on.extent is ir.Extent.ONE
        plain = op == ir.Loop((), ir.Load(goes_on, build.ZERO), op.body, True, driver)
        self.scope.require(cell and plain and driver.most > 0, f"'{goes_on.name}' cannot say whether rounds go on")
        for inner in walk_host(op.body):
            ahead = isinstance(inner, ir.Launch | ir.Swap | ir.SetVariable | ir.HostBlock)
            self.scope.require(ahead, "the host cannot do all of a round ahead")
        self.guard = goes_on
        self.loop(op.body)
        self.guard = None

    def alike(self, first: ir.Array, second: ir.Array) -> None:
        self.scope.written(first)
        same = machine_elements(first.element) == machine_elements(second.element) and first.extent is second.extent
        self.scope.require(same, f"'{first.name}' and '{second.name}' differ in type or extent")

    def push_or_pull(self, op: ir.Launch) -> None:
        self.launch(op.kernel)
        self.scope.require((op.members is None) is not bool(op.pull), f"'{op.kernel}' pulls where no set has many")
        self.block(op.pull)

    def launch(self, name: str) -> None:
        kernel = self.kernels.get(name)
        self.scope.require(kernel is not None, f"there is no kernel '{name}'")
        assert kernel is not None
        for array in kernel.arrays:
            if array.origin is not ir.Origin.GRAPH:
                self.scope.array(array)
        for variable in (*kernel.scalars, *(reduction.variable for reduction in kernel.brought_back)):
            self.scope.variable(variable)
        self.scope.require(kernel.guard == self.guard, f"'{name}' has the guard of other rounds")
        self.scope.require(self.guard is None or not kernel.brought_back, f"the host must wait for '{name}'")
        for reduction in kernel.reductions:
            if reduction.into is not None:
                self.scope.written(reduction.into)

    def conditional_loop(self, op: ir.Loop) -> None:
        """The condition sees what `before` declares; the body does too, where `before` runs first."""
        if isinstance(op.driver, ir.Ahead):
            self.rounds_ahead(op, op.driver)
            return
        if isinstance(op.driver, ir.NearestFirst):
            self.nearest_first(op, op.driver)
        self.loops += 1
        with self.scope.block():
            if op.test_last:
                self.block(op.body)
                self.ops(op.before)
                self.scope.condition(op.condition)
            else:
                self.ops(op.before)
                self.scope.condition(op.condition)
                self.block(op.body)
        self.block(op.step)
        self.loops -= 1

    def counted_loop(self, op: ir.HostForRange | ir.HostForNeighbors | ir.HostForMembers | ir.HostForItems) -> None:
        with self.scope.block():
            match op:
                case ir.HostForRange(variable, first, end):
                    self.scope.value(first, variable.element)
                    self.scope.value(end, variable.element)
                    self.scope.declare(variable)
                case ir.HostForNeighbors(_, node, neighbor, position):
                    self.scope.index(node)
                    fits = (neighbor.element, position.element) == (ir.Element.NODE, ir.Element.ARC)
                    self.scope.require(fits, f"'{neighbor.name}' and '{position.name}' are not a node and an arc")
                    self.scope.declare(position)
                    self.scope.declare(neighbor)
                case ir.HostForMembers(variable, members):
                    self.scope.require(members.element is ir.Element.BOOL, f"'{members.name}' is no set")
                    self.scope.require(variable.element.is_integer, f"'{variable.name}' is no member")
                    self.scope.declare(variable)
                case ir.HostForItems(variable, items):
                    self.scope.require(variable.element is items.element, f"'{variable.name}' is no element")
                    self.scope.declare(variable)
                case _:
                    assert_never(op)
            self.loop(op.body)

    def call(self, op: ir.HostCall) -> None:
        callee = self.functions.get(op.function)
        self.scope.require(callee is not None, f"there is no host function '{op.function}'")
        assert callee is not None
        self.scope.arguments(callee, op.arguments)
        same = [items.element for items in op.lists] == [items.element for items in callee.lists]
        self.scope.require(same, f"'{callee.name}' is given other lists")
        if op.result is not None:
            self.scope.require(op.result.element is callee.result, f"'{op.result.name}' cannot hold what it returns")


def verify_list(op: ir.ListOp, scope: Scope) -> None:
    """Passes if the operation is well formed; a list that it declares is seen from then on.

    Raises:
        InvalidModule: it is not.
    """
    match op:
        case ir.DeclareList(items):
            scope.declare(items)
        case ir.CopyList(destination, source):
            same = destination.element is source.element
            scope.require(same, f"'{destination.name}' cannot hold what '{source.name}' has")
        case ir.ReadItem(variable, items, index):
            scope.index(index)
            scope.require(variable.element is items.element, f"'{variable.name}' cannot hold '{items.name}'")
        case ir.ReadLength(variable, items):
            scope.require(variable.element is ir.Element.INT, f"'{variable.name}' cannot hold a length")
        case ir.PutItems(array, items):
            scope.written(array)
            fits = array.extent is ir.Extent.ITEMS and array.element is items.element
            scope.require(fits, f"'{array.name}' cannot hold '{items.name}'")
        case ir.MakeRoom(array, items):
            scope.written(array)
            scope.require(array.extent is ir.Extent.ITEMS, f"'{array.name}' does not go with '{items.name}'")
        case ir.ChangeList():
            _change(op, scope)
        case _:
            assert_never(op)


def _change(op: ir.ChangeList, scope: Scope) -> None:
    match op.change, op.arguments:
        case ir.ListChange.CLEAR, ():
            pass
        case ir.ListChange.PUSH, (value,):
            scope.value(value, op.items.element)
        case ((ir.ListChange.INSERT | ir.ListChange.RESIZE | ir.ListChange.SET), (place, value)):
            scope.index(place)
            scope.value(value, op.items.element)
        case _:
            scope.require(False, f"'{op.change.value}' has {len(op.arguments)} arguments")
