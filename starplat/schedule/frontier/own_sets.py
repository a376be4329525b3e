"""Step `sets`: rounds over flags that are visible outside, or begin as a copy of others, walk a set of their own.

  f(…, modified)                              f(…, modified)
    loop until !modified                        own := {}; forall (v with modified[v]) own += {v}
      forall (v with modified[v]) …             loop until own is empty
        modified_next[w] = True                   forall (v in own) … own_next += {w}
      swap modified, modified_next                swap own, own_next
                                                modified := False; forall (v in own) modified[v] = True

A set is cleared before nodes are added to it one by one, and nothing outside looks at how it lies in memory. The step
only makes flags that are so; `loop` puts the rounds into one launch then, and `frontier` makes sets of them. Where the
host drives rounds it gains nothing: they are left as they are.
"""

from collections.abc import Iterable, Sequence

from starplat.ir import build, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import is_launched_once, launched_kernels, touched
from starplat.ir.rewriter import ArrayRule
from starplat.ir.shapes.members import membership
from starplat.ir.visitor import walk_host, with_signature
from starplat.schedule.frontier.active_sets import own_flags
from starplat.schedule.frontier.obstacles import obstacle
from starplat.schedule.schedule import Frontier, Loop, Schedule
from starplat.schedule.step import Choice, Decided, Decider


def sets_of_their_own(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose rounds walk such sets, where loops become persistent kernels and flags may become sets."""
    flags = schedule.frontier is Frontier.FLAGS or schedule.keeps_flags(batches=capabilities.batches)
    by_host = schedule.loop in (Loop.HOST, Loop.GROUP, Loop.BATCH) or not capabilities.grid_barrier
    if flags or by_host or not capabilities.shared_arcs:
        return module
    return _Maker(module).decided()


class _Maker(Decider):
    """Rewrites loops over flags of parameters, and copies of flags; `choices` say which."""

    at: ir.HostFunction

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        self.at = function
        return super().function(function)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.Loop(driver=None) if (flags := self._visible_outside(op)) is not None:
                return self._with_own_set(op, flags)
            case ir.CopyArray(destination, source) if self._begins_rounds(destination):
                self.choices.append(Choice(f"{destination.name}: begins empty", f"members of {source.name} are added"))
                return (ir.Fill(destination, build.FALSE), self._added(source, destination))
        return (self.rebuild(op),)

    def _visible_outside(self, loop: ir.Loop) -> ir.Array | None:
        """The flags of a parameter that the rounds of a loop walk, and change places with flags of the function's."""
        for flags in self._walked_in_turns(loop):
            if flags in self.at.given_arrays and self._is_set_in(tuple(walk_host((loop,))), flags):
                return flags
        return None

    def _begins_rounds(self, flags: ir.Array) -> bool:
        """Whether the flags that are overwritten are the function's, and all else that is done with them can be done
        with a set."""
        if flags not in own_flags(self.at):
            return False
        ops = tuple(walk_host(self.at.body))
        others = tuple(op for op in ops if not (isinstance(op, ir.CopyArray) and op.destination == flags))
        loops = (op for op in others if isinstance(op, ir.Loop))
        return any(flags in self._walked_in_turns(loop) for loop in loops) and self._is_set_in(others, flags)

    def _walked_in_turns(self, loop: ir.Loop) -> Sequence[ir.Array]:
        """The flags that a loop swaps with flags of the function's, and whose members a kernel in it walks."""
        inside, own = tuple(walk_host((loop,))), own_flags(self.at)
        kernels = tuple(launched_kernels(inside, self.given))
        swaps = [op for op in inside if isinstance(op, ir.Swap)]
        pairs = [(op.first, op.second) for op in swaps] + [(op.second, op.first) for op in swaps]
        return [
            flags
            for flags, other in pairs
            if other in own and any(membership(kernel, flags.__eq__) is not None for kernel in kernels)
        ]

    def _is_set_in(self, ops: Sequence[ir.HostOp], flags: ir.Array) -> bool:
        return all(obstacle(op, flags, self.given) is None for op in ops)

    def _with_own_set(self, loop: ir.Loop, flags: ir.Array) -> tuple[ir.HostOp, ...]:
        inside = tuple(walk_host((loop,)))
        kernels = [op.kernel for op in inside if isinstance(op, ir.Launch) and flags in touched(op, self.given)]
        if not all(is_launched_once(kernel, self.given) for kernel in kernels):
            return (self.rebuild(loop),)
        own = self.taken.array(f"own_{flags.name}", flags.element, flags.extent)
        self.arrays.append(own)
        renamed = ArrayRule(lambda array: own if array == flags else array)
        for kernel in kernels:
            self.changed[kernel] = with_signature(renamed.kernel(self.given.kernel(kernel)))
        (rounds,) = renamed.host_block((loop,))
        self.choices.append(Choice(f"{own.name}: in place of {flags.name}", "the caller sees those flags"))
        begin = ir.Fill(own, build.FALSE), self._added(flags, own)
        return *begin, rounds, ir.Fill(flags, build.FALSE), self._added(own, flags)

    def _added(self, members: ir.Array, to: ir.Array) -> ir.Launch:
        """The launch that adds all members of a set to another."""
        node = ir.Variable("node", ir.Element.NODE)
        add = ir.Store(to, ir.Ref(node), build.TRUE)
        name = self.taken.fresh(f"{members.name}_into_{to.name}")
        comment = f"the nodes of '{members.name}' in '{to.name}'"
        kernel = ir.Kernel(
            name, ir.AllNodes(), node, filter=ir.Load(members, ir.Ref(node)), body=(add,), comment=comment
        )
        self.kernels.append(with_signature(kernel))
        return ir.Launch(name)
