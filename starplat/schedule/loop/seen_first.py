"""Step `seen`: a round in a launch that ends when no flag is set finds that out where the next looks at the flags.

  do {                                       do {
    finished = true;                           finished = true;
    forall (v where undecided[v]) { A }        forall (v where undecided[v]) { A  finished &&= false; }
    B                                 becomes  if (finished && again) break;
    forall (v) finished &&= !undecided[v];     B
  } while (!finished);                         again = true;
                                             } while (!finished);

The first kernel does nothing where no flag is set, so the round that is begun for it changes nothing. A round goes over
all nodes once less, and its threads wait for each other once less. Loops that the host drives stay as they are: it may
count their rounds.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build, launches, nodes as ir, uses, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.shapes.searching import asking
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Choice, Decided, Decider


def flags_seen_first(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose persistent kernels test no flags behind a round that the next one tests anyway."""
    maker = _Maker(module)
    found = maker.decided()
    left = tuple(kernel for kernel in found.module.kernels if kernel.name not in maker.dropped)
    return Decided(replace(found.module, kernels=left), found.choices) if maker.dropped else module


class _Maker(Decider):
    def __init__(self, module: ir.Module) -> None:
        super().__init__(module)
        self.together = False
        self.dropped: set[str] = set()

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.OnDevice():
                self.together = True
                made = self.rebuild(op)
                self.together = False
                assert isinstance(made, ir.OnDevice)
                return (launches.with_own_arrays(made, self.with_kernels()),)
            case ir.Loop() if self.together and (found := self.seen(op)) is not None:
                return found
        return (self.rebuild(op),)

    def seen(self, loop: ir.Loop) -> tuple[ir.HostOp, ...] | None:
        """The loop with its test in its first kernel; None where that does not look at what the last tests."""
        row = tuple(uses.stream(loop.body))
        match loop.condition, row:
            case (
                ir.Unary(ir.UnaryOperator.NOT, ir.Ref(ends)),
                (begins, ir.Launch(members=None) as look, *rest, ir.Launch(members=None) as test),
            ) if begins == ir.SetVariable(ends, build.TRUE) and loop.test_last and not (loop.before or loop.step):
                if self.is_asked(ends, (look, *rest)) or not self.are_alone(look, test):
                    return None
            case _:
                return None
        tested = _tested(self.given.kernel(test.kernel), ends)
        telling = None if tested is None else _telling(self.given.kernel(look.kernel), tested, ends)
        if tested is None or telling is None:
            return None
        self.changed[look.kernel] = telling
        self.dropped.add(test.kernel)
        again = self.taken.variable("again", ir.Element.BOOL)
        leaves = ir.HostIf(build.both(ir.Ref(ends), ir.Ref(again)), (ir.HostBreak(),))
        body = (begins, look, leaves, *map(self.rebuild, rest), ir.SetVariable(again, build.TRUE))
        self.choices.append(Choice(f"'{look.kernel}' sees whether any '{tested.name}' is left", "it asks all nodes"))
        return ir.DeclareVariable(again, build.FALSE), replace(loop, body=body)

    def is_asked(self, variable: ir.Variable, ops: Iterable[ir.HostOp]) -> bool:
        """Whether the operations use a variable, or leave the loop by another way."""
        inside = tuple(visitor.walk_host(ops))
        used = {v for op in inside for v in (*launches.read_by(op, self.given), *launches.set_by(op, self.given))}
        return variable in used or any(isinstance(op, ir.HostBreak | ir.HostContinue) for op in inside)

    def are_alone(self, *ops: ir.Launch) -> bool:
        """Whether nothing else launches these kernels."""
        return all(launches.is_launched_once(op.kernel, self.given) for op in ops)


def _tested(kernel: ir.Kernel, ends: ir.Variable) -> ir.Array | None:
    """The flags of all nodes that a kernel tests, and does no more: `ends` becomes false where one is set."""
    if kernel.domain != ir.AllNodes() or [r.variable for r in kernel.reductions] != [ends]:
        return None
    match kernel.filter, kernel.body:
        case (None, (ir.Contribute(_, ir.Unary(ir.UnaryOperator.NOT, ir.Load() as flag)),)):
            pass
        case (ir.Load() as flag, (ir.Contribute(_, ir.Const(False)),)):
            pass
        case _:
            return None
    plain = flag.index == ir.Ref(kernel.index) and kernel.reductions[0].combine is ir.Combine.AND
    return flag.array if plain and kernel.guard is None and not flag.array.packed else None


def _telling(kernel: ir.Kernel, flags: ir.Array, ends: ir.Variable) -> ir.Kernel | None:
    """The kernel, which also says that flags are left; None where it does not ask just for these, or threads would no
    longer share its rows."""
    if kernel.domain != ir.AllNodes() or kernel.filter != ir.Load(flags, ir.Ref(kernel.index)):
        return None
    body = (*kernel.body, ir.Contribute(ends, build.FALSE))
    made = replace(kernel, body=body, reductions=(*kernel.reductions, ir.Reduction(ends, ir.Combine.AND)))
    goes_on = not visitor.continues(kernel.body) and kernel.guard is None
    return made if goes_on and (asking(made) is not None or not visitor.walks_rows(made)) else None
