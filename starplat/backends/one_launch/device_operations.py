"""Rewrites host operations as statements of every thread of a persistent kernel, without barriers.

Each thread computes scalars from the same values, one of them writes cells that the host would write, and all share the
cells of an array.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from starplat.backends import statements as st, uses
from starplat.backends.launch import threads_of
from starplat.backends.legal.domains import over_domain
from starplat.backends.legal.operations import Operations
from starplat.backends.one_launch import recording
from starplat.backends.one_launch.loads_at_once import loads_at_once, read_early
from starplat.backends.one_launch.reached import reaching
from starplat.backends.one_launch.rings import Rings, added, following, start_of
from starplat.backends.text.comments import comment, line_mark, origin
from starplat.ir import build, launches, nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.fresh_names import FreshNames
from starplat.ir.launches import given_by, reached_in, set_by, touched
from starplat.ir.shapes.gathering import gathering
from starplat.ir.shapes.members import membership
from starplat.ir.visitor import walk, walk_host, walk_kernel
from starplat.same import Same


class DeviceOperations:
    """Rewrites the operations inside `op`; `rows` are the offsets by which arcs of sets are counted."""

    def __init__(self, op: ir.OnDevice, module: ir.Module, capabilities: Capabilities, names: FreshNames) -> None:
        self.op = op
        self.module = module
        self.capabilities = capabilities
        self.names = names
        self.rings = Rings(op, module, names)
        self.points = recording.Points(op, module)
        self.noted = noted_at(op.body, module)
        self.changing = {variable for inner in walk_host(op.body) for variable in set_by(inner, module)}
        self.rows: dict[ir.Array, ir.Array] = {}
        self.written: dict[Same, ir.WriteCell] = {}
        for launch in (inner for inner in walk_host(op.body) if isinstance(inner, ir.Launch)):
            if launch.members is not None:
                self.weigh(launch.members, self.module.kernel(launch.kernel))

    def merged(self, ops: Sequence[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        """Operations in a row without the writes to a cell that the thread which fills it does at once. A cluster's
        sets are told to its groups, and keep theirs."""
        left: list[ir.HostOp] = []
        for op in ops:
            if (
                isinstance(op, ir.WriteCell)
                and not self.op.cluster
                and (fill := self.filled_before(op, left)) is not None
            ):
                self.written[Same(fill)] = op
            else:
                left.append(op)
        return tuple(left)

    def filled_before(self, write: ir.WriteCell, ops: Sequence[ir.HostOp]) -> ir.Fill | None:
        """The fill of the array ahead of a write, if nothing between them has to do with either."""
        given = (write.index, write.value)
        loads = any(isinstance(part, ir.Load) for value in given for part in walk(value))
        if loads or write.array.extent is not ir.Extent.NODES:
            return None
        read = {variable for value in given for variable in visitor.variables_read(value)}
        for op in reversed(ops):
            match op:
                case ir.Fill(write.array):
                    return None if Same(op) in self.written else op
                case ir.Fill() | ir.CopyArray() | ir.WriteCell() | ir.DeclareVariable() | ir.SetVariable():
                    if write.array in touched(op, self.module) or not read.isdisjoint(given_by(op, self.module)):
                        return None
                case _:
                    return None
        return None

    def fresh(self, name: str) -> str:
        """A name that nothing else has."""
        return self.names.fresh(name)

    def weigh(self, members: ir.Array, push: ir.Kernel) -> None:
        """Notes that arcs of the members are counted, and of the sets that they are swapped with."""
        walk = next(part for part in walk_kernel(push.body) if isinstance(part, ir.ForNeighbors))
        rows = walk.direction.layout.offsets
        weighed = {members}
        for swap in (inner for inner in walk_host(self.op.body) if isinstance(inner, ir.Swap)):
            if weighed & {swap.first, swap.second}:
                weighed |= {swap.first, swap.second}
        self.rows |= dict.fromkeys(weighed, rows)

    def statements(self, op: ir.HostOp) -> st.Body:
        """The statements of one operation, without barriers."""
        match op:
            case ir.DeclareVariable(variable, value):
                return (st.Declare(variable, value, variable not in self.changing),)
            case ir.SetVariable(variable, value):
                return (st.Assign(variable, value),)
            case ir.Fill(array) if array.packed:
                first = self.written.get(Same(op))
                return (st.Clear(array, None if first is None else first.index),)
            case ir.Fill(array, value):
                return (self.every_cell(array, value, written=self.written.get(Same(op))),)
            case ir.CopyArray(destination, source):
                return (self.every_cell(destination, None, source),)
            case ir.ReadEmpty(variable, flags, when_empty):
                return (st.AskEmpty(variable, flags, when_empty),)
            case ir.ReadSize(variable, flags):
                return (st.AskSize(variable, flags),)
            case ir.ListMembers(flags, array, first):
                return (st.NoteMembers(flags, array, first),)
            case ir.ReadCell(variable, array, index):
                return (st.Assign(variable, ir.Load(array, index)),)
            case ir.WriteCell(array, index) if array.packed:
                return (st.OnFirst((st.Insert(array, index, alone=True),)),)
            case ir.WriteCell(array, index, value):
                return (st.OnFirst((st.StoreCell(array, index, value),)),)
            case ir.ExchangeCells():
                return self.exchanged(op)
            case ir.Together(variable, combine, before):
                return (st.HearOf(variable, combine, ir.Ref(before), self.of_part(variable)),)
            case ir.TakeFirst(variable):
                return (st.HearOf(variable, None, ir.Ref(variable), self.of_part(variable)),)
            case ir.Launch(kernel, reaches=reaches):
                body = self.launch(self.module.kernel(kernel), self.noted.get(Same(op)))
                return reaching(reaches, body) if self.op.cluster and reaches in reached_in(self.op) else body
        raise AssertionError(f"the schedule does not put {type(op).__name__} on the device")

    def exchanged(self, op: ir.ExchangeCells) -> st.Body:
        """Parts meet, give and meet again: none gives what another one still works on."""
        if op.among is None:
            return (st.MeetPeers(), *given(op), st.MeetPeers())
        own = ir.Ref(op.first), ir.Ref(op.end)
        taken: st.Body = tuple(st.TakeValue(array, op.among, *own) for array in op.arrays if op.common)
        behind = (st.MeetPeers(), *taken, st.CountAnew(op.among), st.GridBarrier())
        return (st.MeetPeers(op.among), *given(op), *behind)

    def of_part(self, variable: ir.Variable) -> ir.Variable:
        """A name for the value of a variable on one of the parts."""
        return ir.Variable(self.names.fresh(f"{variable.name}_of_part"), variable.element)

    def every_cell(
        self,
        array: ir.Array,
        value: ir.Expression | None,
        source: ir.Array | None = None,
        written: ir.WriteCell | None = None,
    ) -> st.Statement:
        """All cells become a value, or a copy of the same place of `source`, but for one that is written at once."""
        wide = array.extent in (ir.Extent.ARCS, ir.Extent.SLOTS)
        cell = ir.Variable(self.names.free("cell"), ir.Element.ARC if wide else ir.Element.INT)
        index = build.ZERO if array.extent is ir.Extent.ONE else ir.Ref(cell)
        stored = value if source is None else ir.Load(source, index)
        assert stored is not None
        if written is not None:
            stored = ir.Select(
                build.compared(ir.BinaryOperator.EQUAL, ir.Ref(cell), written.index), written.value, stored
            )
        if array.extent is ir.Extent.ONE:
            return st.OnFirst((st.StoreCell(array, index, stored),))
        end = build.size(array.extent)
        return st.Count(cell, build.ZERO, end, st.Stride.GRID, (st.StoreCell(array, ir.Ref(cell), stored),))

    def comments(self, kernel: ir.Kernel) -> tuple[str, ...]:
        """The origin and purpose of a kernel, and its `#line`."""
        words = tuple(comment(text) for text in (origin(self.module, kernel.span), kernel.comment) if text)
        mark = line_mark(self.module, kernel.span)
        return words if mark is None else (*words, mark)

    def walk(self, kernel: ir.Kernel) -> st.Body:
        """The body of a kernel without reductions."""
        return over_domain(kernel, Operations(kernel, self.module, self.capabilities, self.names.taken))

    def inserted(self, walk: st.Body, *filled: ir.Array) -> tuple[st.Inserted, ...]:
        """The ends of inserting into sets behind a walk: over arcs of a set, a cluster's groups leave it together."""
        over_arcs = any(isinstance(last, st.Advance) and last.members is not None for last in walk[-1:])
        together = self.op.cluster and over_arcs
        return tuple(st.Inserted(members, None if together else self.rows.get(members), together) for members in filled)

    def noted_before(self, noted: ir.ListMembers, statement: st.Statement) -> st.Statement:
        """A sum over the members of a set, which are listed elsewhere too."""
        if not isinstance(statement, st.Gather):
            return statement
        in_cluster = noted.flags.packed is ir.Packing.SHARED
        return replace(read_early(statement) if in_cluster else statement, noted=noted)

    def launch(self, kernel: ir.Kernel, noted: ir.ListMembers | None) -> st.Body:
        """A kernel's body at its launch, and the rings with its threads' results; `noted` lists its members."""
        comments, rings = self.comments(kernel), self.rings.of(kernel)
        names = self.names.inner()
        kernel = loads_at_once(kernel, names) if self.op.cluster else kernel
        operations = Operations(kernel, self.module, self.capabilities, names.taken)
        body = over_domain(kernel, operations, many_rounds=True)
        parts = operations.contributions.parts.values()
        if noted is not None:
            body = tuple(map(partial(self.noted_before, noted), body))
        declared = operations.contributions.declared()
        alone = isinstance(kernel.domain, ir.Once)
        ready = tuple(st.StoreCell(r.cells, following(r.turn), start_of(r)) for r in rings)
        threads = 1 if alone else threads_of(self.op)
        of_all = isinstance(kernel.domain, ir.AllNodes | ir.AllArcs) and membership(kernel) is None
        many = of_all and not kernel.follows  # else few threads find a flag
        pairs = zip(parts, rings, strict=True)
        ends = tuple(s for part, ring in pairs for s in added(part, ring, operations, threads, many=many))
        filled = dict.fromkeys(part.members for part in walk(body) if isinstance(part, st.Insert))
        sets = self.inserted(body, *filled)
        if alone:
            return (st.Scope(comments, (st.OnFirst((*ready, *declared, *body, *ends)), *sets)),)
        first: st.Body = (st.OnFirst(ready),) if ready else ()
        return (st.Scope(comments, (*first, *declared, *body, *sets, *ends)),)


def given(op: ir.ExchangeCells) -> st.Body:
    """What a part gives the others, between two meetings."""
    first, end = ir.Ref(op.first), ir.Ref(op.end)
    cells = tuple(st.GiveCells(array, op.among, op.by, first, end, op.common) for array in op.arrays)
    if op.among is None:
        return cells
    return (*cells, st.GiveSet(op.among) if op.by else st.GiveSet(op.among, first, end))


Known = Mapping[ir.Array, ir.ListMembers]
"""Sets, and the operation that has listed each."""


def noted_at(body: Iterable[ir.HostOp], module: ir.Module) -> dict[Same, ir.ListMembers]:
    """By the launch that gathers into a set's members: the operation that has listed them all, if neither
    the set nor the list nor its start has changed since."""
    found: dict[Same, ir.ListMembers] = {}
    _block(body, {}, module, found)
    return found


def _block(ops: Iterable[ir.HostOp], known: Known, module: ir.Module, found: dict[Same, ir.ListMembers]) -> Known:
    for op in ops:
        known = _operation(op, known, module, found)
    return known


def _operation(op: ir.HostOp, known: Known, module: ir.Module, found: dict[Same, ir.ListMembers]) -> Known:
    if isinstance(op, ir.HostBlock):
        return _block(op.body, known, module, found)
    if isinstance(op, ir.Launch):
        kernel = module.kernel(op.kernel)
        walked = membership(kernel) if kernel.shares_arcs and gathering(kernel) is not None else None
        if walked is not None and walked.members in known:
            found[Same(op)] = known[walked.members]
    left = _untouched(op, known, module)
    for block in visitor.blocks_of(op):
        _block(block, left, module, found)
    return {**left, op.flags: op} if isinstance(op, ir.ListMembers) else left


def _untouched(op: ir.HostOp, known: Known, module: ir.Module) -> Known:
    """Those that still hold after the operation, and whenever anything in it begins."""
    if not known:
        return known
    parts = tuple(visitor.walk_host((op,)))
    gone = {array for part in parts for array in launches.changed(part, module)}
    assigned = uses.variables_set(parts, module)
    return {
        flags: lists
        for flags, lists in known.items()
        if not gone & {flags, lists.array} and not assigned & set(uses.variables_in(lists.first))
    }
