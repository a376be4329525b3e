"""The effects of a kernel whose iterations are divided among parts: what its parts must exchange, before and after.

A part has a piece of the nodes, with the arcs that leave them, and does the iterations of these. A cell is its own if
it belongs to such a node or arc. Takes a kernel of a program without races, returns `KernelEffects`; what cannot be
brought together again afterwards is refused with the reason.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.ir import nodes as ir, visitor
from starplat.passes.parts.joining import is_only_joined, joined_by_winners, written_beside
from starplat.source import NOWHERE, SourceFile, Span

FROM_IDENTITY = (ir.Combine.ADD, ir.Combine.MULTIPLY, ir.Combine.BIT_XOR)
"""What combines a value with itself to another one: every part but one begins with the identity."""


_OWNED = (ir.Extent.NODES, ir.Extent.ARCS, ir.Extent.ITEMS)


@dataclass(frozen=True, slots=True)
class Combined:
    """Cells that parts change by one operator, and what goes with a winner of a Min or Max. With `among` only cells of
    nodes that join this set, which is combined as well."""

    array: ir.Array
    combine: ir.Combine
    carried: tuple[ir.Array, ...] = ()
    among: ir.Array | None = None

    @property
    def from_identity(self) -> bool:
        """Whether parts begin with the identity in cells that are not their own."""
        return self.combine in FROM_IDENTITY


@dataclass(frozen=True, slots=True)
class KernelEffects:
    """What a launch in parts does.

    Attributes:
        divided: whether each part does its own iterations; else all do all of them, alike.
        needs: the arrays of which cells of other parts are looked at: they must hold there what they hold here.
        own: the arrays of which only own cells are written; others are stale after the launch.
        combined: the arrays that parts change by an operator, together afterwards.
        common: the arrays in which all parts that change a cell store the same.
        joined: arrays in `own` of which only cells of nodes that join a set change, and the set.
        only_joined: the sets which no node leaves.
    """

    divided: bool
    needs: frozenset[ir.Array]
    own: tuple[ir.Array, ...] = ()
    combined: tuple[Combined, ...] = ()
    common: tuple[ir.Array, ...] = ()
    joined: Mapping[ir.Array, ir.Array] = field(default_factory=dict)
    only_joined: frozenset[ir.Array] = frozenset()


def effects(kernel: ir.Kernel, module: ir.Module) -> KernelEffects:
    """The effects of a kernel.

    Raises:
        DiagnosticError: E0668, parts cannot bring together what it writes.
    """
    properties = frozenset(array for array in kernel.arrays if array.origin is not ir.Origin.GRAPH)
    match kernel.domain:
        case ir.Once():
            return KernelEffects(False, properties)
        case ir.AllNodes() | ir.AllArcs() | ir.NodeNeighbors() | ir.Listed() | ir.Numbers():
            return _Divided(kernel, module).effects(properties)
        case _:
            raise not_divided("its iterations are not those of nodes, arcs or elements", kernel.span, module.source)


def not_divided(reason: str, span: Span, source: SourceFile) -> DiagnosticError:
    """E0668 with its reason."""
    label = None if span == NOWHERE else Label(span, reason)
    message = "the program cannot be divided into parts" + (f": {reason}" if label is None else "")
    return DiagnosticError(Diagnostic("E0668", message, source, label, help="run it in one part"))


class OwnCells:
    """Which nodes, arcs and places of lists in a kernel belong to the part that does the iteration."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.own_indices = dict(_own_indices(kernel))
        for op in visitor.walk_kernel(kernel.body):  # locals that stand for them
            if (
                isinstance(op, ir.Let)
                and op.value in self.own_indices
                and op.variable not in visitor.assigned_variables(kernel.body)
            ):
                self.own_indices[ir.Ref(op.variable)] = self.own_indices[op.value]
            if isinstance(op, ir.ForNeighbors) and self.is_own_row(op):
                self.own_indices[ir.Ref(op.position)] = ir.Extent.ARCS if op.layout == ir.CSR else ir.Extent.SLOTS

    def is_own_row(self, loop: ir.ForNeighbors) -> bool:
        """Whether a loop goes over the arcs out of an own node, by their ids, or over those into it, by their slots."""
        return loop.layout in (ir.CSR, ir.REVERSE) and self.is_own_node(loop.node)

    def is_own_node(self, node: ir.Expression) -> bool:
        """Whether a node is of this part."""
        return self.own_indices.get(node) is ir.Extent.NODES

    def is_own(self, array: ir.Array, index: ir.Expression) -> bool:
        """Whether a cell belongs to a node, arc or place of a list of this part."""
        return array.extent in _OWNED and self.is_of_own_rows(array, index)

    def is_of_own_rows(self, array: ir.Array, index: ir.Expression) -> bool:
        """The same, or it belongs to a slot of the rows into own nodes."""
        return self.own_indices.get(index) is array.extent


class _Divided(OwnCells):
    """The accesses of one kernel, as they look to its parts."""

    def __init__(self, kernel: ir.Kernel, module: ir.Module) -> None:
        super().__init__(kernel)
        self.kernel, self.module = kernel, module
        self.locks = {op.lock for op in visitor.walk_kernel(kernel.body) if isinstance(op, ir.ExtremeCell) and op.lock}

    def effects(self, properties: frozenset[ir.Array]) -> KernelEffects:
        self._refuse_what_has_no_order()
        looked_at = frozenset(self._looked_at_elsewhere())
        written = [array for array in properties - self.locks if array in visitor.written_arrays(self.kernel.body)]
        written.sort(key=self.kernel.arrays.index)
        own = tuple(array for array in written if all(self.is_own(array, index) for _, index in self._writes(array)))
        carried = {array: by for array in written if array not in own and (by := self._goes_with(array)) is not None}
        rest = [array for array in written if array not in own and array not in carried]
        combined = []
        common = []
        for array in rest:
            beside = tuple(one for one, by in carried.items() if by == array)
            operator = self._operator(array)
            if operator is not None:
                combined.append(Combined(array, operator, beside))
            elif self._common_value(array) and not beside:
                common.append(array)
            else:
                raise self._refused(f"'{array.name}' is written by several parts, which cannot tell what it comes to")
        for array, by in carried.items():
            if not any(one.array == by for one in combined):
                raise self._refused(f"'{array.name}' goes with '{by.name}', which several parts write")
        self._refuse_looks_at_sums(combined, looked_at)
        kept = {one.array for one in combined if not one.from_identity} | set(carried) | set(common)
        sets = [array for array in written if self._is_joined(array)]
        together = [one.array for one in combined if one.combine is ir.Combine.OR and one.array in sets]
        joined = {array: members for array in own if (members := self._set_beside(array, sets)) is not None}
        return KernelEffects(
            True,
            looked_at | kept,
            own,
            tuple(self._among(one, together) for one in combined),
            tuple(common),
            joined,
            frozenset(sets),
        )

    # --- reads -----------------------------------------------------------------------------------------------------

    def _looked_at_elsewhere(self) -> Iterator[ir.Array]:
        """The arrays of which cells are read that may not be this part's own."""
        kernel = self.kernel
        tops = [] if kernel.filter is None else [kernel.filter]
        tops += visitor.expressions_of(kernel.domain)
        tops += (expression for op in visitor.walk_kernel(kernel.body) for expression in visitor.expressions_of(op))
        for top in tops:
            for part in visitor.walk_expression(top):
                if isinstance(part, ir.Load) and part.array.origin is not ir.Origin.GRAPH:
                    if not self.is_own(part.array, part.index):
                        yield part.array
                elif isinstance(part, ir.CallFunction):
                    yield from (one for one in part.arguments if isinstance(one, ir.Array) and one in kernel.arrays)

    def _refuse_looks_at_sums(self, combined: list[Combined], looked_at: frozenset[ir.Array]) -> None:
        """What parts begin with the identity cannot be read meanwhile, except own cells."""
        for one in combined:
            if one.from_identity and one.array in looked_at:
                raise self._refused(f"'{one.array.name}' is read where other parts add to it")

    # --- writes ----------------------------------------------------------------------------------------------------

    def _refuse_what_has_no_order(self) -> None:
        kernel = self.kernel
        for op in visitor.walk_kernel(kernel.body):
            if isinstance(op, ir.FetchAdd | ir.FetchOr | ir.CompareSwap):
                raise self._refused(f"an iteration needs what another one has just made of '{op.array.name}'")
            if isinstance(op, ir.ExtremeCell) and op.partner is not None:
                raise self._refused(f"'{op.array.name}' holds pairs")
        for reduction in kernel.reductions:
            if reduction.into is not None or reduction.variable in kernel.scalars:
                raise self._refused(f"'{reduction.variable.name}' is read while iterations contribute to it")
        names = {call.function for call in self._calls()}
        for helper in (self.module.helper(name) for name in names):
            if visitor.written_arrays(helper.body) & set(helper.given_arrays) and not helper.of_map:
                raise self._refused(f"the function '{helper.name}' writes what other parts may look at")
            if helper.of_map:
                raise self._refused("it keeps a local map")

    def _calls(self) -> Iterator[ir.CallFunction]:
        for op in visitor.walk_kernel(self.kernel.body):
            for top in visitor.expressions_of(op):
                yield from (part for part in visitor.walk_expression(top) if isinstance(part, ir.CallFunction))

    def _writes(self, array: ir.Array) -> Iterator[tuple[ir.KernelOp | ir.Carry, ir.Expression]]:
        """Every operation that writes cells of an array, with the cell."""
        for op in visitor.walk_kernel(self.kernel.body):
            match op:
                case ir.Store() | ir.UpdateCell() | ir.ExtremeCell() if op.array == array:
                    yield op, op.index
            if isinstance(op, ir.ExtremeCell):
                yield from ((carry, carry.index) for carry in op.carried if carry.array == array)

    def _goes_with(self, array: ir.Array) -> ir.Array | None:
        """The cells of a Min or Max whose winners write this array, if nothing else does and what they write is not
        the same for all."""
        found: set[ir.Array | None] = set()
        for op in visitor.walk_kernel(self.kernel.body):
            match op:
                case ir.Store() | ir.UpdateCell() if op.array == array:
                    found.add(None)
                case ir.ExtremeCell():
                    if op.array == array:
                        found.add(None)
                    for carry in op.carried:
                        if carry.array == array:
                            found.add(op.array if carry.index == op.index else None)
        if len(found) != 1 or self._common_value(array):
            return None
        return found.pop()

    def _operator(self, array: ir.Array) -> ir.Combine | None:
        """The one operator by which all writes change the array; storing true is `||`, storing false `&&`."""
        operators = {_operator_of(op, array) for op, _ in self._writes(array)}
        return operators.pop() if len(operators) == 1 else None

    def _common_value(self, array: ir.Array) -> bool:
        """Whether all writes store one value that all iterations know."""
        stored = []
        for op, _ in self._writes(array):
            if not isinstance(op, ir.Store | ir.Carry):
                return False
            stored.append(op.value)
        return len(set(stored)) == 1 and self._is_known_to_all(stored[0])

    def _is_known_to_all(self, value: ir.Expression) -> bool:
        for part in visitor.walk_expression(value):
            if isinstance(part, ir.Load | ir.CallFunction | ir.FindArc):
                return False
            if isinstance(part, ir.Ref) and part.variable not in self.kernel.scalars:
                return False
        return True

    # --- sets of what is changed -----------------------------------------------------------------------------------

    def _is_joined(self, array: ir.Array) -> bool:
        of_nodes = array.element is ir.Element.BOOL and array.extent is ir.Extent.NODES
        return of_nodes and is_only_joined(array, self.kernel.body)

    def _set_beside(self, array: ir.Array, sets: Iterable[ir.Array]) -> ir.Array | None:
        """The set that nodes join wherever their own cells change."""
        for members in sets if array.extent is ir.Extent.NODES else ():
            ways = (written_beside, joined_by_winners)
            if members != array and any(way(array, members, self.kernel.body) for way in ways):
                return members
        return None

    def _among(self, one: Combined, sets: Iterable[ir.Array]) -> Combined:
        """The same cells, of nodes that join one of the sets if that is so. Reals come to the same on all parts, to the
        last bit, only if they are combined in one order."""
        again = one.combine in (ir.Combine.MIN, ir.Combine.MAX, ir.Combine.OR)
        if not again or one.carried or one.array.element.is_real or one.array.extent is not ir.Extent.NODES:
            return one
        joined = (s for s in sets if s != one.array and joined_by_winners(one.array, s, self.kernel.body))
        return replace(one, among=next(joined, None))

    def _refused(self, reason: str) -> DiagnosticError:
        return not_divided(reason, self.kernel.span, self.module.source)


def _own_indices(kernel: ir.Kernel) -> Iterator[tuple[ir.Expression, ir.Extent]]:
    """The expressions that name the node or arc of an iteration, and a node that has the same part."""
    iterator = kernel.own
    if isinstance(kernel.domain, ir.AllArcs):
        yield iterator, ir.Extent.ARCS
        yield ir.Load(ir.SOURCES, iterator), ir.Extent.NODES
    elif isinstance(kernel.domain, ir.Numbers):
        yield iterator, ir.Extent.ITEMS
    else:
        yield iterator, ir.Extent.NODES


def _operator_of(op: ir.KernelOp | ir.Carry, array: ir.Array) -> ir.Combine | None:
    match op:
        case ir.UpdateCell(combine):
            return combine
        case ir.ExtremeCell(extreme) if op.array == array:
            return extreme
        case ir.Store(_, _, ir.Const(bool(value), ir.Element.BOOL)) | ir.Carry(
            _, _, ir.Const(bool(value), ir.Element.BOOL)
        ):
            return ir.Combine.OR if value else ir.Combine.AND
    return None
