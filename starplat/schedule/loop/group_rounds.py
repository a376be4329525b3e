"""Finds the loops of a host program whose rounds one group of threads can run.

A round qualifies if it launches walks over lists, whose lengths the host knows when it begins, and otherwise only uses
scalars, single words and arrays swapped in pairs. Of two ways to walk, between which the host chooses by what it knows
then, a group takes the one over a list, as long as the host would.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from starplat.ir import build, fresh_names, launches, nodes as ir, rewriter, uses, visitor
from starplat.ir.shapes.listed import known_length
from starplat.schedule.edge_effects import unfolded
from starplat.schedule.loop.drivers import Group, is_safe
from starplat.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Rounds:
    """A loop, as one that tests a condition: `body` is a round as a group does it, `by_host` as the host does.

    `lengths` are those of the lists that are walked, and `provided` what must hold besides for the body to be the
    round, as the host knows them when a round begins; if it only knows them after the first operations of a round,
    these stand `ahead` and not in the bodies. `swaps` change places in a round, no array twice.
    """

    loop: ir.Loop
    body: tuple[ir.HostOp, ...]
    by_host: tuple[ir.HostOp, ...]
    lengths: tuple[ir.Expression, ...]
    provided: tuple[ir.Expression, ...]
    swaps: tuple[ir.Swap, ...]
    ahead: tuple[ir.HostOp, ...] | None
    span: Span


def rounds_of(op: ir.Loop, module: ir.Module) -> Rounds | str:
    """What a group needs to know of a loop; the reason if it cannot run its rounds."""
    loop = replace(op, body=(*op.body, *op.step), step=())
    asked, row = tuple(uses.stream(loop.before)), tuple(uses.stream(loop.body))
    if not is_safe(loop.condition) or not all(isinstance(inner, ir.ReadCell | ir.WriteCell) for inner in asked):
        return "only the host can compute whether there is another round"
    looked = _Round(module).looked_at(row)
    if reason := Group(module).first(asked) or looked.reason:
        return reason
    if looked.lengths:
        return looked.rounds(loop, loop.body, None, _span_of(op, module))
    ahead = _ahead(row)
    rest = row[len(ahead) :]
    turned = _Round(module).looked_at((*rest, *ahead))
    if not ahead or asked or turned.reason or not turned.lengths:
        return "the host does not know how many nodes a round walks when it begins"
    return _Round(module).looked_at(rest).rounds(loop, rest, ahead, _span_of(op, module))


def _ahead(row: Sequence[ir.HostOp]) -> tuple[ir.HostOp, ...]:
    """The operations of a round before its first launch, if they can stand elsewhere."""
    place = next(
        (n for n, op in enumerate(row) if not isinstance(op, ir.SetVariable | ir.ReadCell | ir.WriteCell)), len(row)
    )
    return tuple(row[:place])


def _span_of(loop: ir.HostOp, module: ir.Module) -> Span:
    """The place of the loop's first kernel in the program."""
    spans = (module.kernel(op.kernel).span for op in visitor.walk_host((loop,)) if isinstance(op, ir.Launch))
    return next(spans, NOWHERE)


class _Round:
    """Goes through one round: assignments, lengths of lists, the way taken."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.group = Group(module)
        self.reason: str | None = None
        self.assigned: set[ir.Variable] = set()
        self.values: dict[ir.Variable, ir.Expression] = {}
        self.lengths: dict[ir.Expression, None] = {}
        self.provided: dict[ir.Expression, None] = {}
        self.swaps: list[ir.Swap] = []
        self.body: tuple[ir.HostOp, ...] = ()

    def looked_at(self, row: Iterable[ir.HostOp]) -> "_Round":
        """This, with a `reason` if a group cannot run the round."""
        body: list[ir.HostOp] = []
        for op in row:
            taken = self.taken(op)
            body += taken
            for inner in taken:
                self.note(inner)
        swapped = [array for swap in self.swaps for array in (swap.first, swap.second)]
        if len(swapped) != len(set(swapped)):
            self.reason = "an array is swapped twice in a round"
        read = set(launches.scalars_read((inner for op in body for inner in visitor.walk_host((op,))), self.module))
        self.body = tuple(op for op in body if not isinstance(op, ir.DeclareVariable) or op.variable in read)
        return self

    def rounds(
        self, loop: ir.Loop, by_host: tuple[ir.HostOp, ...], ahead: tuple[ir.HostOp, ...] | None, span: Span
    ) -> Rounds:
        lengths, provided = tuple(self.lengths), tuple(self.provided)
        return Rounds(loop, self.body, by_host, lengths, provided, tuple(self.swaps), ahead, span)

    def taken(self, op: ir.HostOp) -> tuple[ir.HostOp, ...]:
        """A group's replacement for an operation."""
        if (obstacle := self.group.obstacle(op)) is None:
            return (op,)
        if isinstance(op, ir.HostIf) and is_safe(op.condition):
            condition = unfolded(op.condition, self.values)
            if not self.assigned & visitor.variables_read(condition):
                for way, provided in ((op.otherwise, build.denied(condition)), (op.then, condition)):
                    if self.group.first(way) is None:
                        self.provided[provided] = None
                        return tuple(uses.stream(way))
        self.reason = self.reason or obstacle
        return (op,)

    def note(self, op: ir.HostOp) -> None:
        """What is known when a round begins is known until it is assigned, and so are the `values` computed from it."""
        for inner in visitor.walk_host((op,)):
            match inner:
                case ir.Launch(kernel):
                    domain = self.module.kernel(kernel).domain
                    length = known_length(domain) if isinstance(domain, ir.Listed) else None
                    if length is not None and not self.assigned & visitor.variables_read(length):
                        self.lengths[length] = None
                case ir.Swap():
                    self.swaps.append(inner)
        known = dict(self.values)
        changed = set(launches.scalars_set(visitor.walk_host((op,)), self.module))
        changed.update(variable for inner in visitor.walk_host((op,)) for variable in visitor.declared_by(inner))
        self.assigned |= changed
        self.values = {variable: value for variable, value in known.items() if variable not in changed}
        match op:
            case ir.DeclareVariable(variable, value) | ir.SetVariable(variable, value) if (
                value.element is variable.element
            ):
                began = unfolded(value, known)
                if not self.assigned & visitor.variables_read(began):
                    self.values[variable] = began


# --- what a group does ------------------------------------------------------------------------------------------------


def copied(ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
    """A copy of the operations, because operations are told apart by identity."""
    return _Copier().host_block(ops)


class _Copier(rewriter.Rewriter):
    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        return (replace(self.rebuild(op)),)


def with_plain_walks(
    loop: ir.Loop, module: ir.Module, taken: fresh_names.FreshNames, added: list[ir.Kernel]
) -> ir.Loop:
    """The loop, whose walks give each node to one thread; where kernels share arcs, plain ones are `added`."""
    names: dict[str, str] = {}
    for name in dict.fromkeys(op.kernel for op in visitor.walk_host((loop,)) if isinstance(op, ir.Launch)):
        kernel = module.kernel(name)
        if kernel.shares_arcs:
            names[name] = taken.fresh(f"{name}_of_few")
            added.append(replace(kernel, name=names[name], shares_arcs=False))
    renamed = rewriter.HostRule(
        lambda op: (replace(op, kernel=names.get(op.kernel, op.kernel)),) if isinstance(op, ir.Launch) else None
    )
    return replace(loop, body=renamed.host_block(loop.body))
