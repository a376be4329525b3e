"""Reductions of a kernel: the local of a thread's contributions, and how it is combined with others."""

from enum import Enum

from starplat.backends import statements as st
from starplat.backends.launch import GROUP_SIZE
from starplat.backends.legal.locals import Locals
from starplat.backends.legal.methods import Methods
from starplat.ir import build, conditions, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.python.arithmetic import identity

_ALL = (ir.Combine.AND, ir.Combine.BIT_AND, ir.Combine.MIN, ir.Combine.MULTIPLY)
"""Operators that make a BOOL false as soon as one contribution is."""


class Together(Enum):
    """Which threads of a launch combine their contributions."""

    ALONE = "there is only one"
    APART = "each for itself"
    IN_GROUPS = "those of a group"


class Contributions:
    """Of one kernel; `parts` are the locals in which a thread gathers what it contributes to each reduction."""

    def __init__(self, reductions: tuple[ir.Reduction, ...], names: Locals, methods: Methods) -> None:
        self.reductions, self.names, self.methods = reductions, names, methods
        self.combines = {r.variable: r.combine for r in reductions}
        self.parts = {
            r.variable: names.fresh(f"{r.variable.name}_part", _word(r, methods.capabilities)) for r in reductions
        }

    def start(self, reduction: ir.Reduction) -> ir.Const:
        """A thread's part of a reduction before it contributes."""
        start, part = identity(reduction.combine, reduction.variable.element), self.parts[reduction.variable]
        return build.number(int(start.value)) if start.element is not part.element else start

    def contributed(self, reduction: ir.Variable) -> tuple[ir.Combine, ir.Variable]:
        """How the threads' parts of a reduction are combined, and the local that holds one."""
        return as_logical(self.combines[reduction], reduction), self.parts[reduction]

    def statements(self, reduction: ir.Variable, value: ir.Expression) -> st.Body:
        """The statements of an iteration that contributes a value."""
        part, combine = self.parts[reduction], self.combines[reduction]
        if reduction.element is not ir.Element.BOOL or combine is ir.Combine.BIT_XOR:
            return (st.Accumulate(part, combine, value),)
        sets = combine.is_any
        end = ir.Const(sets, ir.Element.BOOL) if part.element is ir.Element.BOOL else build.number(int(sets))
        return only_if(value if sets else conditions.negated(value), st.Assign(part, end))

    def handed_over(self, results: tuple[ir.Array, ...]) -> st.Body:
        """The stores of the threads' combined result."""
        pairs = zip(self.reductions, results, strict=True)
        return tuple(st.StoreCell(result, build.ZERO, ir.Ref(self.parts[r.variable])) for r, result in pairs)

    def declared(self) -> tuple[st.Declare, ...]:
        """The declarations of the parts."""
        return tuple(st.Declare(self.parts[r.variable], self.start(r), constant=False) for r in self.reductions)

    def ends(self, results: tuple[ir.Array, ...], together: Together) -> st.Body:
        """The statements that combine the parts of all threads into the words of the results."""
        pairs = zip(self.reductions, results, strict=True)
        return tuple(s for reduction, result in pairs for s in self._end(reduction, result, together))

    def _end(self, reduction: ir.Reduction, result: ir.Array, together: Together) -> st.Body:
        variable, combine = reduction.variable, reduction.combine
        part, first = self.parts[variable], build.ZERO
        if variable.element is ir.Element.BOOL and combine.is_any:
            return (st.If(ir.Ref(part), (st.StoreCell(result, first, build.ONE),)),)
        if variable.element is ir.Element.BOOL and combine in _ALL:
            return (st.If(conditions.negated(ir.Ref(part)), (st.StoreCell(result, first, build.ZERO),)),)
        if together is Together.ALONE:
            return (st.CombineCell(combine, result, first, ir.Ref(part)),)
        method = self.methods.method(combine, result.element)
        if together is Together.APART:
            return (st.AtomicCell(combine, result, first, ir.Ref(part), method),)
        scratch = self.names.fresh(f"{variable.name}_scratch", result.element)
        return (st.CombineGroup(combine, part, result, scratch, method, GROUP_SIZE),)


def result_word(reduction: ir.Reduction, scalars: set[str], names: Locals) -> ir.Array:
    """The word that a reduction is combined into, by the variable's name unless the kernel reads that too."""
    variable = reduction.variable
    if reduction.into is not None:
        return reduction.into
    shared = variable.name in scalars
    name = names.fresh(f"{variable.name}_result", variable.element).name if shared else variable.name
    return ir.Array(name, st.result_element(variable.element), ir.Extent.ONE, ir.Origin.TEMPORARY)


def as_logical(combine: ir.Combine, variable: ir.Variable) -> ir.Combine:
    """The logical operator equal to `combine` on BOOLs."""
    if variable.element is not ir.Element.BOOL or combine is ir.Combine.BIT_XOR:
        return combine
    return ir.Combine.OR if combine.is_any else ir.Combine.AND


def only_if(condition: ir.Expression, statement: st.Statement) -> st.Body:
    """The statement under a condition, which may be settled already."""
    if isinstance(condition, ir.Const):
        return (statement,) if condition.value else ()
    return (st.If(condition, (statement,)),)


def _word(reduction: ir.Reduction, capabilities: Capabilities) -> ir.Element:
    """Targets that combine parts themselves combine words better than bytes."""
    element = reduction.variable.element
    return st.result_element(element) if capabilities.structured_loops else element
