"""Rewrites kernels on flags of their own nodes as set operations: clear, add, remove, count.

A program makes a set of two others in one `forall`, by storing a condition (`v.c = v.a && !v.b`), by `||=`, or in
several fused loops. Such a kernel is split: every iteration goes through the parts in order, and a barrier between them
is one of the orders that the program allows. A store becomes a clearing and an addition under a filter; a loss of some
members becomes a walk that puts the others into another set, with which the set is swapped.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from typing import assert_never

from starplat.ir import build, fresh_names, launches, module_rewriter, nodes as ir, rewriter, visitor
from starplat.ir.conditions import conjunction, conjuncts, disjuncts, negated
from starplat.ir.shapes.members import flag_of
from starplat.schedule.frontier import active_sets
from starplat.schedule.frontier.obstacles import obstacle_in
from starplat.schedule.frontier.splitting import Cleared, Conditions, Done, Lost, Part, Splitter, WholeError


@dataclass(frozen=True, slots=True)
class Said:
    """A module, and the kernels that its new ones are parts of, by name."""

    module: ir.Module
    origins: Mapping[str, str]


def with_operators(module: ir.Module, flags: frozenset[ir.Array]) -> Said:
    """The module whose kernels use set operations on `flags`, as far as they can be split; the same object if there is
    none."""
    sayer = _Sayer(module, flags)
    if (functions := tuple(map(sayer.function, module.functions))) == module.functions:
        return Said(module, {})
    launched = launches.launched_names(functions)
    kernels = tuple(kernel for kernel in (*module.kernels, *sayer.kernels) if kernel.name in launched)
    return Said(module_rewriter.with_arrays(replace(module, functions=functions, kernels=kernels)), sayer.origins)


class _Sayer(rewriter.Rewriter):
    """Replaces the launch of a kernel by its parts; `kernels` are those that it adds."""

    def __init__(self, module: ir.Module, flags: frozenset[ir.Array]) -> None:
        self.given = module
        self.flags = flags
        self.taken = fresh_names.names_of(module)
        self.kernels: list[ir.Kernel] = []
        self.staying: dict[ir.Array, ir.Array] = {}
        self.region: tuple[ir.HostOp, ...] = ()
        self.said: dict[str, tuple[ir.HostOp, ...]] = {}
        self.new: list[ir.Array] = []
        self.origins: dict[str, str] = {}

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        before = set(self.staying)
        body = self.in_region(function.body)
        added = tuple(stay for array, stay in self.staying.items() if array not in before)
        return replace(function, arrays=(*function.arrays, *added), body=body)

    def in_region(self, body: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
        """The operations of a function, or of a persistent kernel, which begin with empty new sets."""
        outside = self.region, self.said, self.new
        self.region, self.said, self.new = body, {}, []
        made = self.host_block(body)
        made = (*(ir.Fill(stay, build.FALSE) for stay in self.new), *made)
        self.region, self.said, self.new = outside
        return made

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.Launch(name):
                if name not in self.said:
                    self.said[name] = self.apart(op, self.given.kernel(name))
                return self.said[name]
            case ir.CopyArray(destination, source) if source in self.flags:
                return self.copied(destination, source)
            case ir.OnDevice():
                return (replace(op, body=self.in_region(op.body)),)
        return (self.rebuild(op),)

    def apart(self, op: ir.Launch, kernel: ir.Kernel) -> tuple[ir.HostOp, ...]:
        """The parts of a kernel. A set that loses members is swapped, so its memory must be invisible before."""
        parts = _parts_of(kernel, self.flags)
        losing = () if parts is None else [part.array for part in parts if isinstance(part, Lost)]
        if parts is None or not all(active_sets.begins_cleared(self.region, array, self.given) for array in losing):
            return (op,)
        return tuple(new for part in parts for new in self.part(kernel, part))

    def part(self, kernel: ir.Kernel, part: Part) -> Iterator[ir.HostOp]:
        own = kernel.own
        match part:
            case Cleared(array):
                yield ir.Fill(array, build.FALSE)
            case Done(conditions, body):
                yield self.launch(kernel, conditions, body)
            case Lost(array, conditions, body):
                stay = self.stay(array)
                put = (ir.Store(stay, own, build.TRUE),)
                leaves = conjunction(conditions)
                assert leaves is not None
                parting = ir.KernelIf(leaves, body, put) if body else ir.KernelIf(negated(leaves), put)
                comment = f"nodes that stay in '{array.name}'"
                yield self.launch(kernel, (ir.Load(array, own),), (ir.Store(array, own, build.FALSE), parting), comment)
                yield ir.Swap(array, stay)
            case _:
                assert_never(part)

    def stay(self, array: ir.Array) -> ir.Array:
        """The set of those that stay when some leave."""
        if array not in self.staying:
            name = self.taken.fresh(f"{array.name}_stay")
            self.staying[array] = ir.Array(name, ir.Element.BOOL, ir.Extent.NODES, ir.Origin.TEMPORARY)
            self.new.append(self.staying[array])
        return self.staying[array]

    def launch(
        self, kernel: ir.Kernel, conditions: Sequence[ir.Expression], body: tuple[ir.KernelOp, ...], comment: str = ""
    ) -> ir.Launch:
        """A kernel that is a part of another."""
        told = {op.reduction for op in visitor.walk_kernel(body) if isinstance(op, ir.Contribute)}
        part = replace(
            kernel,
            name=self.taken.fresh(kernel.name),
            filter=conjunction(conditions),
            body=body,
            reductions=tuple(r for r in kernel.reductions if r.variable in told),
            comment=comment,
        )
        self.kernels.append(visitor.with_signature(part))
        self.origins[part.name] = kernel.name
        return ir.Launch(part.name)

    def copied(self, destination: ir.Array, source: ir.Array) -> tuple[ir.HostOp, ...]:
        """Clears one set, then adds the members of the other."""
        node = self.taken.variable("v", ir.Element.NODE)
        name = self.taken.fresh(f"copy_{source.name}")
        comment = f"copies '{source.name}' to '{destination.name}'"
        put = (ir.Store(destination, ir.Ref(node), build.TRUE),)
        kernel = ir.Kernel(name, ir.AllNodes(), node, put, filter=ir.Load(source, ir.Ref(node)), comment=comment)
        self.kernels.append(visitor.with_signature(kernel))
        return ir.Fill(destination, build.FALSE), ir.Launch(name)


# --- the parts of a kernel


def _parts_of(kernel: ir.Kernel, flags: AbstractSet[ir.Array]) -> tuple[Part, ...] | None:
    """The kernel's parts, by what they do with flags of its own nodes, in order; None where it is better left whole or
    cannot be split."""
    touched = flags & set(kernel.arrays)
    whole = not isinstance(kernel.domain, ir.AllNodes) or kernel.iterator is None or kernel.guard is not None
    if whole or not touched or visitor.continues(kernel.body):
        return None
    if (either := _of_two_sets(kernel, flags)) is not None:
        return either
    if not any(obstacle_in(kernel, array) for array in touched) and not _only_for_members(kernel, flags):
        return None
    splitter = Splitter(kernel, flags)
    try:
        splitter.block(kernel.body, tuple((c, 0) for c in _conditions(kernel)))
        parts = tuple(splitter.parts)
        return parts if all(_is_complete(part, kernel) for part in parts) else None
    except WholeError:
        return None


def _conditions(kernel: ir.Kernel) -> Conditions:
    return () if kernel.filter is None else tuple(conjuncts(kernel.filter))


def _of_two_sets(kernel: ir.Kernel, flags: AbstractSet[ir.Array]) -> tuple[Part, ...] | None:
    """A walk over the union of two sets, as two: over the first, then over those of the second that are not in the
    first."""
    conditions = _conditions(kernel)
    if {array for c in conditions for array in visitor.arrays_in(c)} & visitor.written_arrays(kernel.body):
        return None
    for number, condition in enumerate(conditions):
        match tuple(disjuncts(condition)):
            case (one, other) if {flag_of(one, kernel.index), flag_of(other, kernel.index)} <= flags:
                rest = (*conditions[:number], *conditions[number + 1 :])
                return Done((one, *rest), kernel.body), Done((other, negated(one), *rest), kernel.body)
    return None


def _only_for_members(kernel: ir.Kernel, flags: AbstractSet[ir.Array]) -> bool:
    """Whether a kernel over all nodes does several things, each for members of some set only."""
    if kernel.filter is not None or len(kernel.body) < 2 or kernel.iterator is None:
        return False
    asked = [op.condition for op in kernel.body if isinstance(op, ir.KernelIf) and not op.otherwise]
    return len(asked) == len(kernel.body) and all(
        any(flag_of(part, kernel.iterator) in flags for part in conjuncts(condition)) for condition in asked
    )


def _is_complete(part: Part, kernel: ir.Kernel) -> bool:
    """Whether a part uses no local that another part declares."""
    match part:
        case Cleared():
            return True
        case Lost(_, conditions, body) | Done(conditions, body):
            pass
    locals_ = {variable for op in visitor.walk_kernel(kernel.body) for variable in visitor.declared_by(op)}
    own = {variable for op in visitor.walk_kernel(body) for variable in visitor.declared_by(op)}
    tops = (*conditions, *visitor.all_expressions(body))
    used = {e.variable for top in tops for e in visitor.walk_expression(top) if isinstance(e, ir.Ref)}
    return not (used | visitor.assigned_variables(body)) & (locals_ - own)
