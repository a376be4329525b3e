"""Step `following`: nodes for which a filter becomes true in a round are taken in that round.

  loop                                             loop
    found = 0                                        found = 0, left_out = false
    forall (v with state[v] == free                  forall (v with the filter, then or by now)
                   && count[v] <= k)                   state[v] = k; found += 1
      state[v] = k; next += {v}; found += 1            forall (w of v) { count[w] -= 1 }
    forall (v taken from next)                         left_out |= there was no room for v
      forall (w of v) { count[w] -= 1 }              left -= found
    left -= found                                    if (left > 0 && !left_out) { k += 1 }
    if (found == 0) { k += 1 }

What a round takes is no more than what later rounds would take with the same k: nodes pass in any order, since counts
only fall and k stays until nothing passes. All that a round changes beside is what is left, by how many passed; as that
begins with the number of nodes, of which each passes once, rounds end no earlier than before. Where no node was left
out, another round would find none: what that would do is done at once, unless the loop ends.

Two barriers for each link of a chain become some reads of one block, and there is no set any more.
"""

from collections.abc import Callable
from dataclasses import replace

from starplat.ir import build, launches, nodes as ir, uses
from starplat.ir.capabilities import Capabilities
from starplat.ir.fresh_names import FreshNames, names_in
from starplat.ir.module_rewriter import ModuleRewriter, with_arrays, with_graph_arrays
from starplat.ir.rewriter import HostRule, KernelRule, Renamer, Replacer
from starplat.ir.shapes.following import Following, claimed, following
from starplat.ir.shapes.members import Membership, membership
from starplat.ir.visitor import declared_by, variables_read, walk_host, walk_kernel, with_signature
from starplat.passes.memory import has_two_names
from starplat.schedule.direction.pull_kernels import without_the_unused
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Decided, for_kernels

_LONG_ROW = 4096
"""Arcs from which on a block should not go over a row alone."""

_MANY_ARCS = 2**17
"""Arcs from which on a run looks at a graph for this."""


def may_follow(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether a kernel asks for what nodes that follow are known by, on targets whose threads share arcs."""
    return capabilities.shared_arcs and any(claimed(kernel) is not None for kernel in module.kernels)


def of_many_arcs(num_nodes: int, num_arcs: int) -> bool:
    """Whether a run has many rounds that cost much."""
    return num_arcs >= _MANY_ARCS


def following_nodes(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> ir.Module | Decided:
    """The module whose persistent kernels follow nodes, where threads share arcs. Where some rows are much longer, most
    rounds have few nodes with long rows, and a set that all blocks share is better."""
    suits = facts is not None and of_many_arcs(facts.num_nodes, facts.num_arcs) and facts.max_degree < _LONG_ROW
    if not capabilities.shared_arcs or not suits or has_two_names(module):
        return module
    follower = _Follower(module)
    made = follower.module()
    if not follower.changed:
        return module
    what, why = "takes nodes that come to pass in the same round", "its filter becomes true in any order of nodes"
    made = with_arrays(with_graph_arrays(without_the_unused(made, module)))
    return for_kernels(module, made, follower.changed, what, why)


class _Follower(ModuleRewriter):
    """Rewrites loops of persistent kernels."""

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        for op in walk_host(function.body):
            if isinstance(op, ir.OnDevice) and not (op.one_group or op.cluster or op.in_parts):
                for loop in (inner for inner in uses.stream(op.body) if isinstance(inner, ir.Loop)):
                    function = self.taking_at_once(loop, op, function) or function
        return function

    def taking_at_once(self, loop: ir.Loop, around: ir.OnDevice, function: ir.HostFunction) -> ir.HostFunction | None:
        """The function whose loop takes at once what is to be taken, if it may."""
        module = self.given
        match tuple(uses.stream(loop.body)):
            case (
                ir.DeclareVariable(found, ir.Const(0)) as declares,
                ir.Launch(asked) as asks,
                ir.Launch(walked) as walks,
                *others,
            ) if (asks, walks) == (ir.Launch(asked), ir.Launch(walked)):
                asking, walking = module.kernel(asked), module.kernel(walked)
            case _:
                return None
        members = membership(walking)
        if members is None or not members.takes or walking.reductions or not walking.shares_arcs:
            return None
        left_out = ir.Variable(self.taken.fresh("left_out"), ir.Element.BOOL)
        kernel = _following(asking, walking, members, left_out)
        if kernel is None or (parts := following(kernel)) is None or not _counts(kernel, parts, found):
            return None
        inside = tuple(walk_host(around.body))
        settled = all(_settles(op, found, kernel) for op in others) and _ends_late(loop, inside, module)
        settled = settled and others == sorted(others, key=lambda op: isinstance(op, ir.HostIf))
        claims = _never_is(parts.claim.value, parts.free, inside, module)
        if not (settled and claims and _is_for_the_walk(members.members, function, (asks, walks), inside, module)):
            return None
        self.changed[asked] = kernel
        ends = build.both(loop.condition, build.denied(ir.Ref(left_out)))
        changes: dict[ir.HostOp, tuple[ir.HostOp, ...]] = {
            declares: (declares, ir.DeclareVariable(left_out, build.FALSE)),
            walks: (),
            **{op: (replace(op, condition=ends),) for op in others if isinstance(op, ir.HostIf)},
        }
        round_ = replace(loop, body=HostRule(_instead(changes)).host_block(loop.body))
        body = HostRule(_instead({loop: (round_,), ir.Fill(members.members, build.FALSE): ()})).host_block(
            function.body
        )
        return replace(function, body=body, arrays=tuple(a for a in function.arrays if a != members.members))


def _instead(changes: dict[ir.HostOp, tuple[ir.HostOp, ...]]) -> Callable[[ir.HostOp], tuple[ir.HostOp, ...] | None]:
    """What is in the place of some operations, and of blocks of what is left out."""
    return lambda op: changes.get(op.body[0] if isinstance(op, ir.HostBlock) and len(op.body) == 1 else op)


def _following(asking: ir.Kernel, walking: ir.Kernel, members: Membership, left_out: ir.Variable) -> ir.Kernel | None:
    """The kernel that asks nodes, with what is done for the arcs of those that it puts into the set."""
    store = ir.Store(members.members, asking.own, build.TRUE)
    ahead = KernelRule(lambda op: () if op == store else None).kernel_block(asking.body)
    arcs = Replacer({walking.own: asking.own}).kernel_block(_renamed(members.body, asking, walking))
    if store not in asking.body:
        return None
    return with_signature(
        replace(
            asking,
            body=(*ahead, ir.Contribute(left_out, build.TRUE), *arcs),
            reductions=(*asking.reductions, ir.Reduction(left_out, ir.Combine.OR)),
            shares_arcs=True,
            follows=True,
            comment="their arcs follow, and nodes that come to pass by these",
        )
    )


def _renamed(body: tuple[ir.KernelOp, ...], asking: ir.Kernel, walking: ir.Kernel) -> tuple[ir.KernelOp, ...]:
    """The body of the walk, with names for its variables that nothing in the kernel that asks has."""
    others = names_in(asking)
    names = FreshNames(others | names_in(walking))
    declared = dict.fromkeys(variable for op in walk_kernel(body) for variable in declared_by(op))
    new = {v: replace(v, name=names.fresh(v.name)) for v in declared if v.name in others}
    return Renamer(new).kernel_block(body)


def _counts(kernel: ir.Kernel, parts: Following, found: ir.Variable) -> bool:
    """Whether all that a launch tells beside is how many nodes it took."""
    told, one = kernel.reductions[:-1], ir.Contribute(found, ir.Const(1, found.element))
    return told == (ir.Reduction(found, ir.Combine.ADD),) and parts.rest == (one,) and found.element.is_integer


def _settles(op: ir.HostOp, found: ir.Variable, kernel: ir.Kernel) -> bool:
    """Whether it counts nodes, or changes numbers only where no node was found."""
    match op:
        case ir.SetVariable(left, value):
            less = build.computed(
                ir.BinaryOperator.ADD, ir.Ref(left), ir.Unary(ir.UnaryOperator.NEGATE, ir.Ref(found)), left.element
            )
            return value == less and left not in (found, *kernel.scalars)
        case ir.HostIf(condition, then, ()):
            inside = [inner for inner in walk_host(then) if not isinstance(inner, ir.HostBlock)]
            sets = all(
                isinstance(inner, ir.SetVariable) and found not in (inner.variable, *variables_read(inner.value))
                for inner in inside
            )
            return condition == build.equal(ir.Ref(found), ir.Const(0, found.element)) and sets
    return False


def _ends_late(loop: ir.Loop, inside: tuple[ir.HostOp, ...], module: ir.Module) -> bool:
    """Whether rounds go on while any node is left of all that there are when the loop begins."""
    match loop:
        case ir.Loop(
            (), ir.Binary(ir.BinaryOperator.GREATER | ir.BinaryOperator.NOT_EQUAL, ir.Ref(left), ir.Const(0)), step=()
        ):
            given = [op for op in inside if left in launches.given_by(op, module)]
        case _:
            return False
    match given:
        case (ir.DeclareVariable(_, ir.NumNodes() | ir.Cast(ir.NumNodes())), ir.SetVariable() as counts):
            return left.element.is_integer and counts in uses.stream(loop.body)
    return False


def _never_is(value: ir.Expression, free: ir.Const, inside: tuple[ir.HostOp, ...], module: ir.Module) -> bool:
    """Whether a claim cannot leave its cell free: its value is another constant, or counts up from above that."""
    if not isinstance(value, ir.Ref):
        return value != free
    counter = value.variable
    for op in (op for op in inside if counter in launches.given_by(op, module)):
        match op:
            case ir.DeclareVariable(_, ir.Const(int() as begin)) if begin > free.value:
                pass
            case ir.SetVariable(_, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(before), ir.Const(int() as step))) if (
                before == counter and step > 0
            ):
                pass
            case _:
                return False
    return any(isinstance(op, ir.DeclareVariable) and op.variable == counter for op in inside)


def _is_for_the_walk(
    members: ir.Array,
    function: ir.HostFunction,
    walks: tuple[ir.HostOp, ...],
    inside: tuple[ir.HostOp, ...],
    module: ir.Module,
) -> bool:
    """Whether a set is empty when the loop begins, and nothing but its launches looks at it."""
    cleared = ir.Fill(members, build.FALSE)
    using = [op for op in walk_host(function.body) if members in launches.touched(op, module)]
    others = [op for op in using if op != cleared and not isinstance(op, ir.OnDevice)]
    return members in function.arrays and cleared in inside and sorted(map(repr, others)) == sorted(map(repr, walks))
