"""Places exchanges in a host program whose launches are divided among parts.

Takes a module as `lower` makes it, returns one that every part runs. Arrays are stale from a launch that writes own
cells of them until the cells of other parts are looked at: only then they are shared. What is left stale wherever the
program may have come from is stale (a may-analysis over structured loops).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from starplat.ir import build, fresh_names, nodes as ir
from starplat.ir.launches import changed, scalars_read, touched
from starplat.ir.python.arithmetic import identity
from starplat.ir.verifying.modules import verify
from starplat.ir.visitor import arrays_in, blocks_of, walk_host, with_signature, written_arrays
from starplat.passes.memory import has_two_names
from starplat.passes.parts.effects import KernelEffects, effects, not_divided
from starplat.passes.parts.stale import Stale
from starplat.same import Same

POISON: dict[bool, dict[ir.Element, int | float | bool]] = {
    high: {
        ir.Element.BOOL: high,
        **dict.fromkeys((ir.Element.INT, ir.Element.NODE, ir.Element.ARC, ir.Element.LONG), 7 if high else -2),
        **dict.fromkeys((ir.Element.FLOAT, ir.Element.DOUBLE), 1e9 if high else float("nan")),
    }
    for high in (False, True)
}
"""What stale cells hold in tests, so that a program that looks at them goes wrong."""


def in_parts(module: ir.Module, poison: bool | None = None) -> ir.Module:
    """The module as every part runs it.

    Args:
        poison: overwrites stale cells, by low or by high values: for tests.

    Raises:
        DiagnosticError: E0668, the program cannot be divided.
    """
    if module.race is not None:
        label = module.race.place
        assert label is not None
        raise not_divided("iterations race here, and parts would not see what others write", label.span, module.source)
    if has_two_names(module):
        raise not_divided("a property goes by two names", module.function(module.entry).span, module.source)
    made = _Placing(module, poison).module()
    verify(made)
    return made


@dataclass
class _Round:
    """What is stale where a loop is left, and where a round ends early."""

    at_break: Stale = field(default_factory=Stale)
    at_continue: Stale = field(default_factory=Stale)


@dataclass
class _Function:
    """What is made beside the operations of one host function."""

    parameters: frozenset[ir.Array]
    arrays: dict[ir.Array, ir.Array] = field(default_factory=dict)


class _Placing:
    def __init__(self, given: ir.Module, poison: bool | None) -> None:
        self.given, self.poison = given, poison
        self.names = fresh_names.names_of(given)
        self.first = self.names.variable("part_first", ir.Element.NODE)
        self.end = self.names.variable("part_end", ir.Element.NODE)
        self.first_arc = self.names.variable("part_first_arc", ir.Element.ARC)
        self.end_arc = self.names.variable("part_end_arc", ir.Element.ARC)
        self.before: dict[tuple[Same, ir.Variable], ir.Variable] = {}
        self.rounds: list[_Round] = []
        self.function = _Function(frozenset())

    @cached_property
    def alike(self) -> set[str]:
        """The functions that make arrays of the graph, which every part has whole."""
        return {prepared.function for prepared in self.given.prepared}

    @cached_property
    def effects(self) -> dict[str, KernelEffects]:
        divided = (function for function in self.given.functions if function.name not in self.alike)
        launched = {op.kernel for f in divided for op in _to_be_placed(f.body) if isinstance(op, ir.Launch)}
        return {kernel.name: effects(kernel, self.given) for kernel in self.given.kernels if kernel.name in launched}

    def module(self) -> ir.Module:
        functions = tuple(f if f.name in self.alike else self.in_parts(f) for f in self.given.functions)
        divided = {name for name, found in self.effects.items() if found.divided}
        kernels = tuple(self.divided(k) if k.name in divided else k for k in self.given.kernels)
        made = replace(self.given, functions=functions, kernels=kernels)
        begun = (f if f.name in self.alike else self.with_bounds(f, made) for f in functions)
        return replace(made, functions=tuple(begun))

    # --- kernels ---------------------------------------------------------------------------------------------------

    def divided(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel, which does the iterations of a part."""
        first, end = ir.Ref(self.first), ir.Ref(self.end)
        match kernel.domain:
            case ir.AllNodes():
                return with_signature(replace(kernel, domain=ir.AllNodes(first, end)))
            case ir.AllArcs():
                bounds = ir.Ref(self.first_arc), ir.Ref(self.end_arc)
                return with_signature(replace(kernel, domain=ir.AllArcs(*bounds)))
        node = _node_of(kernel.domain, kernel.own)
        own = build.both(build.at_least(node, first), build.less(node, end))
        filter = own if kernel.filter is None else build.both(own, kernel.filter)
        return with_signature(replace(kernel, filter=filter))

    # --- functions -------------------------------------------------------------------------------------------------

    def in_parts(self, function: ir.HostFunction) -> ir.HostFunction:
        self.function = _Function(frozenset(function.given_arrays))
        body, stale = self.block(function.body, Stale())
        ends = body and isinstance(body[-1], ir.HostReturn)
        body = (*body, *(() if ends else self.shared(stale & self.function.parameters, stale)))
        return replace(function, body=body, arrays=(*function.arrays, *self.function.arrays.values()))

    def with_bounds(self, function: ir.HostFunction, module: ir.Module) -> ir.HostFunction:
        """The function that begins with the bounds of its part, as far as its kernels ask for them."""
        read = set(scalars_read(walk_host(function.body), module))
        arcs = zip((self.first_arc, self.end_arc), (self.first, self.end), strict=True)
        begin: list[ir.HostOp] = [ir.TakePart(self.first, self.end)]
        begin += (ir.DeclareVariable(a, ir.Load(ir.ROW_OFFSETS, ir.Ref(v))) for a, v in arcs if a in read)
        asked = len(begin) > 1 or not read.isdisjoint((self.first, self.end))
        return replace(function, body=(*begin, *function.body)) if asked else function

    def block(self, ops: Iterable[ir.HostOp], stale: Stale) -> tuple[tuple[ir.HostOp, ...], Stale]:
        made: list[ir.HostOp] = []
        for op in ops:
            added, stale = self.op(op, stale)
            for one in added:
                made.insert(_earliest(one, made), one)
        return tuple(made), stale

    def op(self, op: ir.HostOp, stale: Stale) -> tuple[Iterable[ir.HostOp], Stale]:
        """The operation among what it needs, and what is stale after it."""
        match op:
            case ir.DeclareVariable() | ir.SetVariable() | ir.CheckCell() | ir.WriteCell():
                return (op,), stale.without_sets(changed(op, self.given))
            case _ if isinstance(op, ir.ListOp):  # all parts have the same lists
                return (op,), stale.without_sets(changed(op, self.given))
            case ir.Fill(array):
                return (op,), (stale - {array}).without_sets({array})
            case ir.CopyArray(destination, source):
                left = (stale - {destination}).without_sets({destination})
                return (op,), left.left_by(destination, stale.among[source]) if source in stale.among else left
            case ir.Swap(first, second):
                return (op,), stale.swapped(first, second)
            case ir.ReadCell() | ir.ReadEmpty() | ir.ReadSize() | ir.ListMembers() | ir.HostCall():
                asked = stale & arrays_in(op)
                return (*self.shared(asked, stale), op), (stale - asked).without_sets(changed(op, self.given))
            case ir.Launch():
                return self.launch(op, stale)
            case ir.HostReturn():
                return (*self.shared(stale & self.function.parameters, stale), op), stale
            case ir.HostBlock(placed=(_, *_) as placed):
                asked = stale & self.touched(op)
                lost = (array for one in walk_host((op,)) for array in changed(one, self.given))
                left = (stale - asked - placed).without_sets(lost)
                return (*self.shared(asked, stale), replace(op, placed=())), left
            case ir.HostBlock(body):
                inside, stale = self.block(body, stale)
                return (replace(op, body=inside),), stale
            case ir.HostIf(_, then, otherwise):
                then, after_then = self.block(then, stale)
                otherwise, after_otherwise = self.block(otherwise, stale)
                return (replace(op, then=then, otherwise=otherwise),), after_then | after_otherwise
            case ir.HostBreak():
                self.rounds[-1].at_break |= stale
                return (op,), stale
            case ir.HostContinue():
                self.rounds[-1].at_continue |= stale
                return (op,), stale
            case ir.Loop():
                return self.loop(op, stale)
            case ir.HostForRange() | ir.HostForNeighbors() | ir.HostForMembers() | ir.HostForItems():
                return self.counted(op, stale)
            case _:
                kind = "the graph changes" if isinstance(op, ir.ChangeGraph | ir.TakeBatch | ir.EndBatch) else None
                reason = kind or "it has steps that only one process can do"
                raise not_divided(reason, self.given.function(self.given.entry).span, self.given.source)

    # --- loops -----------------------------------------------------------------------------------------------------

    def loop(self, op: ir.Loop, stale: Stale) -> tuple[Iterable[ir.HostOp], Stale]:
        """The loop; what all its rounds would share, though only the first finds it stale, is shared before."""
        made, after = self.rounds_of(op, stale)
        asked = stale & _shared_in((made,))
        ahead = asked - _shared_in((self.rounds_of(op, stale - asked)[0],))
        if ahead:
            made, after = self.rounds_of(op, stale - ahead)
        return (*self.shared(ahead, stale), made), after

    def rounds_of(self, op: ir.Loop, stale: Stale) -> tuple[ir.HostOp, Stale]:
        if op.driver is not None:
            raise not_divided("a loop is not begun by the host", self.given.functions[0].span, self.given.source)
        at_top, in_body = (Stale(), stale) if op.test_last else (stale, stale)
        while True:
            self.rounds.append(_Round())
            before, tested = self.block(op.before, at_top)
            body, after = self.block(op.body, in_body if op.test_last else tested)
            found = self.rounds.pop()
            step, again = self.block(op.step, after | found.at_continue)
            now_top = at_top | again
            now_body = in_body | self.block(op.before, now_top)[1]
            if (now_top, now_body) == (at_top, in_body):
                return replace(op, before=before, body=body, step=step), tested | found.at_break
            at_top, in_body = now_top, now_body

    def counted(
        self, op: ir.HostForRange | ir.HostForNeighbors | ir.HostForMembers | ir.HostForItems, stale: Stale
    ) -> tuple[Iterable[ir.HostOp], Stale]:
        asked = stale & arrays_in(op)
        first, at_top = self.shared(asked, stale), stale - asked
        while True:
            self.rounds.append(_Round())
            body, after = self.block(op.body, at_top)
            found = self.rounds.pop()
            again = at_top | after | found.at_continue
            if again == at_top:
                done = replace(op, body=body)
                if not isinstance(done, ir.HostForNeighbors | ir.HostForItems):
                    done = replace(done, searches=None)
                return (*first, done), at_top | found.at_break
            at_top = again

    # --- launches --------------------------------------------------------------------------------------------------

    def launch(self, op: ir.Launch, stale: Stale) -> tuple[Iterable[ir.HostOp], Stale]:
        kernel, found = self.given.kernel(op.kernel), self.effects[op.kernel]
        if op.members is not None or kernel.guard is not None:
            raise not_divided("a schedule chose among kernels", kernel.span, self.given.source)
        asked = stale & found.needs
        ahead: list[ir.HostOp] = list(self.shared(asked, stale))
        behind: list[ir.HostOp] = []
        together = set[ir.Array]()
        for combined in sorted(found.combined, key=lambda one: one.among is None):
            if combined.from_identity:
                ahead.append(ir.KeepOwn(combined.array, identity(combined.combine, combined.array.element)))
            if combined.array not in together:
                behind.append(ir.CombineParts(combined.array, combined.combine, combined.carried, combined.among))
                together |= set() if combined.among is None else {combined.among}
        for array in found.common:
            before = self.copy_of(array)
            ahead.append(ir.CopyArray(before, array))
            behind.append(ir.CombineChanged(array, before))
        if found.divided:
            for reduction in kernel.brought_back:
                variable, combine = reduction.variable, reduction.combine
                kept = self.value_before(op, variable)
                ahead.append(ir.DeclareVariable(kept, ir.Ref(variable)))
                ahead.append(ir.SetVariable(variable, identity(combine, variable.element)))
                behind.append(ir.Together(variable, combine, kept))
        now = stale - asked - {one.array for one in found.combined}
        now = now.without_sets(written_arrays(kernel.body) - found.only_joined)
        for array in found.own:
            now = now.left_by(array, found.joined.get(array))
        if self.poison is not None:
            values, own = POISON[self.poison], (one for one in found.own if one.extent is not ir.Extent.ITEMS)
            behind += (ir.KeepOwn(one, ir.Const(values[one.element], one.element), now.among[one]) for one in own)
        return (*ahead, op, *behind), now

    def touched(self, op: ir.HostOp) -> frozenset[ir.Array]:
        """The arrays of a block that is placed already."""
        return frozenset(array for inner in walk_host((op,)) for array in touched(inner, self.given))

    def value_before(self, op: ir.Launch, variable: ir.Variable) -> ir.Variable:
        """What a variable was before a launch contributed to it."""
        key = Same(op), variable
        if key not in self.before:
            self.before[key] = self.names.variable(f"{variable.name}_before", variable.element)
        return self.before[key]

    def copy_of(self, array: ir.Array) -> ir.Array:
        """An array of the function that holds what another one held before a launch."""
        made = self.function.arrays
        if array not in made:
            name = self.names.fresh(f"{array.name}_before")
            made[array] = ir.Array(name, array.element, array.extent, ir.Origin.TEMPORARY)
        return made[array]

    def shared(self, arrays: frozenset[ir.Array], stale: Stale) -> tuple[ir.HostOp, ...]:
        """Shares stale arrays, each among the nodes of which cells have changed, where all parts know these: they do if
        the set is shared whole before."""
        made = []
        for array in arrays:
            among = stale.among[array]
            known = among not in stale.among or (among in arrays and stale.among[among] is None)
            made.append(ir.ShareParts(array, among if known else None))
        return tuple(sorted(made, key=lambda op: (op.among is not None, op.array.name)))


def _to_be_placed(ops: Iterable[ir.HostOp]) -> Iterator[ir.HostOp]:
    """The operations, and those inside them, but for blocks that are placed already."""
    for op in ops:
        if not (isinstance(op, ir.HostBlock) and op.placed):
            yield op
            for block in blocks_of(op):
                yield from _to_be_placed(block)


def _shared_in(ops: Iterable[ir.HostOp]) -> frozenset[ir.Array]:
    """The arrays that operations share."""
    return frozenset(op.array for op in walk_host(ops) if isinstance(op, ir.ShareParts))


def _earliest(op: ir.HostOp, ahead: list[ir.HostOp]) -> int:
    """The place of an operation among those before it: arrays are shared as soon as what changes them has been
    launched, so that what only prepares a launch stays beside it."""
    place = len(ahead)
    if isinstance(op, ir.ShareParts):
        used = frozenset(arrays_in(op))
        while place and isinstance(before := ahead[place - 1], _PREPARES) and used.isdisjoint(arrays_in(before)):
            place -= 1
    return place


_PREPARES = ir.DeclareVariable | ir.SetVariable | ir.Fill | ir.Together


def _node_of(domain: ir.Domain, iterator: ir.Ref) -> ir.Expression:
    """The node whose part has an iteration; every element of a list has one, also -1."""
    match domain:
        case ir.Listed():
            return ir.Apply(ir.MathFunction.MAX, (iterator, ir.Const(0, ir.Element.NODE)), ir.Element.NODE)
        case ir.Numbers():
            return ir.Binary(ir.BinaryOperator.REMAINDER, iterator, ir.NumNodes(), ir.Element.INT)
    return iterator
