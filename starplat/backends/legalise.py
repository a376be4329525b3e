"""Says a kernel's operations with what a target can do.

Takes the kernels and functions of a module and the target's capabilities, returns statements in which every decision is
taken. Knows what targets can do, not what they are called or how they spell it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from starplat.backends.launch import GROUP_SIZE, identity
from starplat.backends.statements import (
    Accumulate,
    Advance,
    Alone,
    Assign,
    AtomicCell,
    Break,
    Call,
    CombineCell,
    CombineGroup,
    Continue,
    Count,
    Declare,
    EachMember,
    FetchCell,
    For,
    Gather,
    If,
    IfBeyond,
    Insert,
    Leave,
    LegalFunction,
    LegalKernel,
    Method,
    Search,
    SharedLoop,
    Statement,
    StoreCell,
    Stride,
    SwapCell,
    While,
    WhileBeyondLocked,
    result_element,
)
from starplat.backends.unread import without_unread
from starplat.backends.uses import assigned_in, assigned_once, reads, variables_in, walk
from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.ir.capabilities import Capabilities
from starplat.ir.gathering import Gathering, combined_with, gathering
from starplat.ir.listed import listed_length
from starplat.ir.members import Membership, membership
from starplat.ir.nodes import (
    COLUMNS,
    IN_COLUMNS,
    IN_ROW_OFFSETS,
    ROW_OFFSETS,
    AllArcs,
    AllNodes,
    Apply,
    Array,
    Binary,
    BinaryOperator,
    CallFunction,
    Cast,
    Combine,
    CompareSwap,
    Const,
    Contribute,
    Direction,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    FetchAdd,
    FetchOr,
    FindArc,
    ForNeighbors,
    ForRange,
    Function,
    Kernel,
    KernelBreak,
    KernelCall,
    KernelContinue,
    KernelFor,
    KernelIf,
    KernelOp,
    KernelReturn,
    KernelWhile,
    Let,
    Listed,
    Load,
    Module,
    NodeNeighbors,
    NumArcs,
    NumNodes,
    Once,
    Origin,
    Reduction,
    Ref,
    Select,
    SetLocal,
    Store,
    Unary,
    UnaryOperator,
    UpdateCell,
    Variable,
)
from starplat.ir.searching import Searching, searching
from starplat.source import Span

ROWS = {Direction.OUT: (ROW_OFFSETS, COLUMNS), Direction.IN: (IN_ROW_OFFSETS, IN_COLUMNS)}

_ANY = (Combine.OR, Combine.BIT_OR, Combine.MAX, Combine.ADD)
_ALL = (Combine.AND, Combine.BIT_AND, Combine.MIN, Combine.MULTIPLY)


def legal_kernel(kernel: Kernel, module: Module, capabilities: Capabilities) -> LegalKernel:
    """The kernel as statements: its loop over the domain, and the end of its reductions."""
    return Legaliser(kernel, module, capabilities).kernel(kernel)


def legal_function(function: Function, module: Module, capabilities: Capabilities) -> LegalFunction:
    """The function as statements."""
    body = Legaliser(function, module, capabilities).block(function.body)
    return LegalFunction(function, without_unread(body))


class Legaliser:
    """Works on one kernel or function; `fresh` locals get names that nothing else in it has."""

    def __init__(self, routine: Kernel | Function, module: Module, capabilities: Capabilities) -> None:
        self.module = module
        self.capabilities = capabilities
        self.span = routine.span
        self.changing = assigned_in(routine)
        self.once_set = assigned_once(routine)
        self.taken = {variable.name for variable in variables_in(routine)}
        self.taken.update(array.name for array in getattr(routine, "arrays", ()))
        self.parts: dict[Variable, Variable] = {}

    # --- kernels ---------------------------------------------------------------------------------------------------

    def kernel(self, kernel: Kernel) -> LegalKernel:
        scalars = {scalar.name for scalar in kernel.scalars}
        results = tuple(self.result(reduction.variable, scalars) for reduction in kernel.reductions)
        body = self.over_all(kernel)
        declared = tuple(Declare(self.parts[r.variable], self.start(r), constant=False) for r in kernel.reductions)
        if self.capabilities.structured_loops:
            body = self.shared_out(kernel, body)
            return LegalKernel(kernel, results, without_unread((*declared, *body, *self.handed_over(kernel, results))))
        alone = isinstance(kernel.domain, Once)
        ends = tuple(
            statement
            for reduction, result in zip(kernel.reductions, results, strict=True)
            for statement in self.end_of_reduction(reduction.variable, reduction.combine, result, alone)
        )
        return LegalKernel(kernel, results, without_unread((*declared, *body, *ends)))

    def over_all(self, kernel: Kernel) -> tuple[Statement, ...]:
        """The loop over the domain; `parts` are the locals in which a thread gathers what it contributes."""
        self.parts = {r.variable: self.part(r.variable) for r in kernel.reductions}
        self.combines = {r.variable: r.combine for r in kernel.reductions}
        return self.over_domain(kernel)

    def part(self, variable: Variable) -> Variable:
        """Where iterations gather what they find; targets combine words better than bytes."""
        element = result_element(variable.element) if self.capabilities.structured_loops else variable.element
        return self.fresh(f"{variable.name}_part", element)

    def start(self, reduction: Reduction) -> Const:
        start, part = identity(reduction.combine, reduction.variable.element), self.parts[reduction.variable]
        return Const(int(start.value), Element.INT) if start.element is not part.element else start

    def shared_out(self, kernel: Kernel, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """The kernel's loop as the target shares it out, or its block for one thread."""
        if isinstance(kernel.domain, Once):
            return (Alone(body, tuple(self.parts.values()), kernel.arrays),)
        (loop,) = body
        assert isinstance(loop, Count)
        reductions = tuple((_as_logical(r.combine, r.variable), self.parts[r.variable]) for r in kernel.reductions)
        uneven = any(isinstance(part, Count | While | For | CallFunction) for part in walk(loop.body))
        length = listed_length(kernel.domain) if isinstance(kernel.domain, Listed) else None
        return (SharedLoop(replace(loop, stride=Stride.ONE), reductions, kernel.arrays, uneven, length),)

    def handed_over(self, kernel: Kernel, results: tuple[Array, ...]) -> tuple[Statement, ...]:
        """The stores of what the threads found together."""
        pairs = zip(kernel.reductions, results, strict=True)
        return tuple(StoreCell(result, Const(0, Element.INT), Ref(self.parts[r.variable])) for r, result in pairs)

    def result(self, variable: Variable, scalars: set[str]) -> Array:
        """The word has the variable's name, unless the kernel also reads the variable."""
        shared = variable.name in scalars
        name = self.fresh(f"{variable.name}_result", variable.element).name if shared else variable.name
        return Array(name, result_element(variable.element), Extent.ONE, Origin.TEMPORARY)

    def over_domain(self, kernel: Kernel) -> tuple[Statement, ...]:
        members = membership(kernel)
        if kernel.shares_arcs:
            return self.over_arcs(kernel, members)
        if members is not None:
            return self.over_members(kernel, members)
        body = self.block(kernel.body)
        if kernel.filter is not None:
            body = (If(negated(kernel.filter), (Continue(),)), *body)
        iterator = kernel.iterator
        match kernel.domain:
            case AllNodes() | AllArcs():
                assert iterator is not None
                end = NumNodes() if isinstance(kernel.domain, AllNodes) else NumArcs()
                return (Count(iterator, Const(0, Element.INT), end, Stride.GRID, body),)
            case NodeNeighbors(direction, node, position):
                assert iterator is not None
                return self.over_neighbors(direction, node, iterator, position, Stride.GRID, body)
            case Listed():
                assert iterator is not None
                return self.over_list(kernel.domain, iterator, body)
            case Once():
                return self.once(body, leaves=not (kernel.reductions or self.capabilities.structured_loops))
        assert_never(kernel.domain)

    def over_list(self, listed: Listed, iterator: Variable, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """A thread for every place of a list."""
        place = self.fresh("place", Element.INT)
        node = Declare(iterator, Load(listed.array, Ref(place)), iterator not in self.changing)
        return (Count(place, listed.first, listed.last, Stride.GRID, (node, *body)),)

    def over_members(self, kernel: Kernel, members: Membership) -> tuple[Statement, ...]:
        """A thread for every member of a set."""
        assert kernel.iterator is not None
        body = self.block(members.body)
        if members.keep is not None:
            body = (If(negated(members.keep), (Continue(),)), *body)
        body = _replace_continue(body, (Leave(),))
        return (EachMember(members.members, members.takes, kernel.iterator, body),)

    def over_arcs(self, kernel: Kernel, members: Membership | None) -> tuple[Statement, ...]:
        """A thread for every few arcs of a kernel's nodes; what is worked out for a node is worked out for each arc."""
        searches = searching(kernel)
        if searches is not None:
            return (self.search(kernel, searches),)
        gathers = gathering(kernel)
        if gathers is not None:
            return (self.gather(kernel, members, gathers),)
        *ahead, loop = kernel.body if members is None else members.body
        assert isinstance(loop, ForNeighbors)
        assert kernel.iterator is not None
        rows, columns = ROWS[loop.direction]
        body = (
            *self.block(tuple(ahead)),
            *self.with_neighbor(loop.neighbor, columns, loop.position, self.block(loop.body)),
        )
        body = _replace_continue(body, (Leave(),))
        keep = kernel.filter if members is None else members.keep
        whose, takes = (None, False) if members is None else (members.members, members.takes)
        listed = kernel.domain if isinstance(kernel.domain, Listed) else None
        return (Advance(whose, takes, kernel.iterator, keep, rows, loop.position, body, listed),)

    def search(self, kernel: Kernel, parts: Searching) -> Search:
        """A test of arcs, and what is done with one that passes it."""
        assert kernel.iterator is not None
        _, columns = ROWS[parts.loop.direction]
        neighbor, position = parts.loop.neighbor, parts.loop.position
        ahead = self.block(parts.ahead)
        test = self.with_neighbor(neighbor, columns, position, (*ahead, Leave(parts.condition)))
        reach = self.with_neighbor(neighbor, columns, position, (*ahead, *self.block(parts.found)))
        return Search(kernel.iterator, kernel.filter, ROWS[parts.loop.direction][0], position, test, reach)

    def gather(self, kernel: Kernel, members: Membership | None, parts: Gathering) -> Gather:
        """Values of arcs that threads share, and what is done with what they come to."""
        assert kernel.iterator is not None
        rows, columns = ROWS[parts.loop.direction]
        ahead = self.block(parts.ahead)
        nothing = identity(parts.combine, parts.total.element)
        value = self.block(_returning(parts.loop.body, parts.total))
        value = self.with_neighbor(parts.loop.neighbor, columns, parts.loop.position, value)
        if not isinstance(value[-1], Leave):
            value = (*value, Leave(nothing))
        joined = self.fresh(f"{parts.total.name}_of_arcs", parts.total.element)
        rest = self.block(parts.rest)
        begin: tuple[Statement, ...]
        if parts.first == nothing:
            joined, begin = parts.total, ()
        else:
            taken = Declare(parts.total, parts.first, constant=False)
            begin = (taken, Accumulate(parts.total, parts.combine, Ref(joined)))
        finish = _replace_continue((*ahead, *begin, *rest), (Leave(),))
        keep = kernel.filter if members is None else members.keep
        whose, takes = (None, False) if members is None else (members.members, members.takes)
        position, combine = parts.loop.position, parts.combine
        listed, value = kernel.domain if isinstance(kernel.domain, Listed) else None, (*ahead, *value)
        return Gather(
            whose, takes, kernel.iterator, keep, rows, position, combine, nothing, value, joined, finish, listed
        )

    def with_neighbor(
        self, neighbor: Variable, columns: Array, position: Variable, body: tuple[Statement, ...]
    ) -> tuple[Statement, ...]:
        """The body of a loop over arcs, which begins with who is at the other end if that matters."""
        if not reads(neighbor, body) and neighbor not in assigned_in(body):
            return body
        return (Declare(neighbor, Load(columns, Ref(position)), neighbor not in self.changing), *body)

    def once(self, body: tuple[Statement, ...], leaves: bool) -> tuple[Statement, ...]:
        """The body of a kernel that one thread runs; to go on with the next iteration is to be done."""
        if leaves:
            return _replace_continue(body, (Leave(),))
        if _has_continue(body):
            return (While(Const(False, Element.BOOL), body, test_last=True),)
        return body

    def over_neighbors(
        self,
        direction: Direction,
        node: Expression,
        neighbor: Variable,
        position: Variable,
        stride: Stride,
        body: tuple[Statement, ...],
    ) -> tuple[Statement, ...]:
        rows, columns = ROWS[direction]
        before: tuple[Statement, ...] = ()
        if stride is Stride.ONE or not self.capabilities.structured_loops:  # those find the ends of their range once
            before, node = self.settled(node, "node", body)
        after = Binary(BinaryOperator.ADD, node, Const(1, Element.INT), Element.NODE)
        body = self.with_neighbor(neighbor, columns, position, body)
        return (*before, Count(position, Load(rows, node), Load(rows, after), stride, body))

    def end_of_reduction(
        self, variable: Variable, combine: Combine, result: Array, alone: bool
    ) -> tuple[Statement, ...]:
        part, first = self.parts[variable], Const(0, Element.INT)
        if variable.element is Element.BOOL and combine in _ANY:
            return (If(Ref(part), (StoreCell(result, first, Const(1, Element.INT)),)),)
        if variable.element is Element.BOOL and combine in _ALL:
            return (If(negated(Ref(part)), (StoreCell(result, first, Const(0, Element.INT)),)),)
        if alone:
            return (CombineCell(combine, result, first, Ref(part)),)
        method = self.method(combine, result.element)
        scratch = self.fresh(f"{variable.name}_scratch", result.element)
        return (CombineGroup(combine, part, result, scratch, method, GROUP_SIZE),)

    # --- operations ------------------------------------------------------------------------------------------------

    def block(self, body: tuple[KernelOp, ...]) -> tuple[Statement, ...]:
        statements = tuple(statement for op in body for statement in self.operation(op))
        return _with_counters(_with_receivers(statements, self.once_set))

    def operation(self, op: KernelOp) -> tuple[Statement, ...]:
        match op:
            case Let(variable, value):
                return (Declare(variable, value, variable not in self.changing),)
            case SetLocal(variable, value):
                return (Assign(variable, value),)
            case Store(array, index, value):
                return (_stored(array, index, value),)
            case UpdateCell():
                return self.update(op)
            case ExtremeCell():
                return self.extreme(op)
            case FetchAdd() | FetchOr():
                return self.fetch(op)
            case CompareSwap(variable, array, index, expected, value):
                self.require_swap(array)
                before, (index, value) = self.apart(variable, index, value)
                return (*before, SwapCell(variable, array, index, expected, value))
            case Contribute(reduction, value):
                return self.contribution(reduction, self.combines[reduction], value)
            case KernelIf(condition, then, otherwise):
                return (self.branch(condition, self.block(then), self.block(otherwise)),)
            case KernelWhile(condition, body, test_last):
                return (While(condition, self.block(body), test_last),)
            case KernelFor(condition, step, body):
                return (self.stepped(condition, self.block(step), self.block(body)),)
            case ForRange(variable, first, end, body):
                inner = self.block(body)
                before, end = self.settled(end, "end", inner)
                return (*before, Count(variable, first, end, Stride.ONE, inner))
            case ForNeighbors(direction, node, neighbor, position, body):
                return self.over_neighbors(direction, node, neighbor, position, Stride.ONE, self.block(body))
            case KernelBreak():
                return (Break(),)
            case KernelContinue():
                return (Continue(),)
            case KernelReturn(value):
                return (Leave(value),)
            case KernelCall(call):
                return (Call(call),)
        assert_never(op)

    def fetch(self, op: FetchAdd | FetchOr) -> tuple[Statement, ...]:
        combine = Combine.ADD if isinstance(op, FetchAdd) else Combine.BIT_OR
        self.require_fetch(op.array, combine)
        before, (index, value) = self.apart(op.variable, op.index, op.value)
        return (*before, FetchCell(op.variable, combine, op.array, index, value))

    def branch(self, condition: Expression, then: tuple[Statement, ...], otherwise: tuple[Statement, ...]) -> If:
        return If(condition, then, otherwise) if then else If(negated(condition), otherwise)

    def stepped(self, condition: Expression, step: tuple[Statement, ...], body: tuple[Statement, ...]) -> Statement:
        """A `for` where the step is plain assignments, else a `while` that takes the step wherever a round ends."""
        assignments = tuple(statement for statement in step if isinstance(statement, Assign))
        if assignments == step:
            return For(condition, assignments, body)
        return While(condition, (*_replace_continue(body, (*step, Continue())), *step))

    def update(self, op: UpdateCell) -> tuple[Statement, ...]:
        if op.array.element is Element.BOOL and op.combine is not Combine.BIT_XOR:
            return self.update_flag(op)
        if op.shared:
            return (AtomicCell(op.combine, op.array, op.index, op.value, self.method(op.combine, op.array.element)),)
        before, index = self.settled(op.index, "cell", ())
        if op.combine in _ONE_MENTION:
            before, index = (), op.index
        return (*before, CombineCell(op.combine, op.array, index, op.value))

    def update_flag(self, op: UpdateCell) -> tuple[Statement, ...]:
        """Whoever changes a flag with `||` stores True, with `&&` False: no need for an atomic operation."""
        sets = op.combine in _ANY
        condition = op.value if sets else negated(op.value)
        store = StoreCell(op.array, op.index, Const(sets, Element.BOOL))
        return _only_if(condition, store)

    def extreme(self, op: ExtremeCell) -> tuple[Statement, ...]:
        before, index = self.settled(op.index, "cell", ())
        more, candidate = self.settled(op.candidate, "candidate", ())
        before += more
        carried: list[Statement] = []
        for carry in op.carried:
            here, at = self.early(carry.index, f"{carry.array.name}_cell")
            there, value = self.early(carry.value, f"new_{carry.array.name}")
            before += here + there
            carried.append(_stored(carry.array, at, value))
        carried += self.block(op.also)
        store = StoreCell(op.array, index, candidate)
        if not op.shared:
            return (*before, IfBeyond(op.extreme, op.array, index, candidate, None, (store, *carried)))
        if op.lock is None:
            method = self.method(op.extreme, op.array.element)
            return (*before, IfBeyond(op.extreme, op.array, index, candidate, method, tuple(carried)))
        self.require_lock(op.array)
        done = self.fresh("done", Element.BOOL)
        body = (store, *carried)
        return (*before, WhileBeyondLocked(op.extreme, op.array, index, candidate, op.lock, done, body))

    def contribution(self, reduction: Variable, combine: Combine, value: Expression) -> tuple[Statement, ...]:
        part = self.parts[reduction]
        if reduction.element is not Element.BOOL or combine is Combine.BIT_XOR:
            return (Accumulate(part, combine, value),)
        sets = combine in _ANY
        end = Const(sets, Element.BOOL) if part.element is Element.BOOL else Const(int(sets), Element.INT)
        return _only_if(value if sets else negated(value), Assign(part, end))

    # --- locals ----------------------------------------------------------------------------------------------------

    def fresh(self, name: str, element: Element) -> Variable:
        number, candidate = 2, name
        while candidate in self.taken:
            candidate, number = f"{name}_{number}", number + 1
        self.taken.add(candidate)
        return Variable(candidate, element)

    def settled(
        self, value: Expression, name: str, body: tuple[Statement, ...]
    ) -> tuple[tuple[Statement, ...], Expression]:
        """`value` where it may be mentioned more than once: in a local, unless it is one that `body` leaves alone."""
        if isinstance(value, Const | NumNodes | NumArcs):
            return (), value
        if isinstance(value, Ref) and value.variable not in assigned_in(body):
            return (), value
        local = self.fresh(name, value.element)
        return (Declare(local, value, constant=True),), Ref(local)

    def early(self, value: Expression, name: str) -> tuple[tuple[Statement, ...], Expression]:
        """`value`, mentioned once but late: in a local if a cell that it reads may change until then."""
        if is_stable(value):
            return (), value
        local = self.fresh(name, value.element)
        return (Declare(local, value, constant=True),), Ref(local)

    def apart(
        self, variable: Variable, index: Expression, value: Expression
    ) -> tuple[tuple[Statement, ...], tuple[Expression, Expression]]:
        """Where a cell is and what it gets, in locals if they mention the variable that is about to change."""
        before: tuple[Statement, ...] = ()
        settled = []
        for name, part in (("cell", index), ("value", value)):
            more, known = self.settled(part, name, (Assign(variable, part),)) if reads(variable, part) else ((), part)
            before += more
            settled.append(known)
        return before, (settled[0], settled[1])

    # --- capabilities ----------------------------------------------------------------------------------------------

    def method(self, combine: Combine, element: Element) -> Method:
        """How the target updates a shared cell in one piece.

        Raises:
            DiagnosticError: E0604, it cannot.
        """
        if element is Element.BOOL and combine is Combine.BIT_XOR:
            return Method.FLIP_BYTE
        if self.capabilities.has_atomic(combine, element):
            return Method.NATIVE
        if self.capabilities.has_compare_and_swap(element):
            return Method.SWAP_LOOP
        raise self.impossible(f"this target cannot update a shared {element.value} with '{combine.value}' in one piece")

    def require_fetch(self, array: Array, combine: Combine) -> None:
        if not self.capabilities.has_atomic(combine, array.element):
            raise self.impossible(f"this target cannot read a cell of '{array.name}' and change it in one piece")

    def require_swap(self, array: Array) -> None:
        if not self.capabilities.has_compare_and_swap(array.element):
            raise self.impossible(f"this target cannot compare and swap a cell of '{array.name}' in one piece")

    def require_lock(self, array: Array) -> None:
        if not self.capabilities.has_compare_and_swap(Element.INT):
            raise self.impossible(f"this target cannot lock a cell of '{array.name}'")

    def impossible(self, message: str) -> DiagnosticError:
        place = Label(self.span, "in this loop") if self.span != Span(0, 0) else None
        return DiagnosticError(Diagnostic("E0604", message, self.module.source, place, help="use another target"))


def _returning(body: tuple[KernelOp, ...], total: Variable) -> tuple[KernelOp, ...]:
    """The body of a loop that gathers, which returns what it would have combined into `total`."""
    *lets, last = body
    match last:
        case SetLocal(_, value):
            found = combined_with(total, value)
            assert found is not None
            return (*lets, KernelReturn(found[1]))
        case KernelIf(condition, then, ()):
            return (*lets, KernelIf(condition, _returning(then, total)))
        case _:
            raise AssertionError("the loop does not gather")


def _stored(array: Array, index: Expression, value: Expression) -> Statement:
    """The store of a cell; a packed array is only ever added to."""
    if not array.packed:
        return StoreCell(array, index, value)
    assert value == Const(True, Element.BOOL), "the schedule packs what is only added to"
    return Insert(array, index)


_ONE_MENTION = frozenset(
    {Combine.ADD, Combine.MULTIPLY, Combine.BIT_AND, Combine.BIT_OR, Combine.BIT_XOR},
)
"""Those with an assignment operator of their own, which mentions the cell once."""


def negated(condition: Expression) -> Expression:
    """The opposite of a BOOL; comparisons of reals are not turned round, because of NaN."""
    match condition:
        case Unary(UnaryOperator.NOT, operand):
            return operand
        case Const(value, Element.BOOL):
            return Const(not value, Element.BOOL)
        case Binary(operator, left, right) if operator in _OPPOSITE and (
            operator in _EQUALITY or not left.element.is_real
        ):
            return Binary(_OPPOSITE[operator], left, right, Element.BOOL)
        case _:
            return Unary(UnaryOperator.NOT, condition)


_EQUALITY = (BinaryOperator.EQUAL, BinaryOperator.NOT_EQUAL)
_OPPOSITE = {
    BinaryOperator.EQUAL: BinaryOperator.NOT_EQUAL,
    BinaryOperator.NOT_EQUAL: BinaryOperator.EQUAL,
    BinaryOperator.LESS: BinaryOperator.GREATER_EQUAL,
    BinaryOperator.GREATER_EQUAL: BinaryOperator.LESS,
    BinaryOperator.GREATER: BinaryOperator.LESS_EQUAL,
    BinaryOperator.LESS_EQUAL: BinaryOperator.GREATER,
}


def is_stable(value: Expression) -> bool:
    """Whether the value cannot change while other threads run: made of locals, constants and the graph."""
    match value:
        case Const() | Ref() | NumNodes() | NumArcs():
            return True
        case Load(array, index):
            return array.origin is Origin.GRAPH and is_stable(index)
        case Unary(_, operand) | Cast(operand):
            return is_stable(operand)
        case Binary(_, left, right):
            return is_stable(left) and is_stable(right)
        case Select(condition, then, otherwise):
            return is_stable(condition) and is_stable(then) and is_stable(otherwise)
        case Apply(_, arguments):
            return all(is_stable(argument) for argument in arguments)
        case FindArc(source, destination):
            return is_stable(source) and is_stable(destination)
        case CallFunction():
            return False
    assert_never(value)


def _as_logical(combine: Combine, variable: Variable) -> Combine:
    """The logical operator that does for a BOOL what `combine` does."""
    if variable.element is not Element.BOOL or combine is Combine.BIT_XOR:
        return combine
    return Combine.OR if combine in _ANY else Combine.AND


def _only_if(condition: Expression, statement: Statement) -> tuple[Statement, ...]:
    if isinstance(condition, Const):
        return (statement,) if condition.value else ()
    return (If(condition, (statement,)),)


def _with_receivers(body: tuple[Statement, ...], once_set: frozenset[Variable]) -> tuple[Statement, ...]:
    """A local that the next statement gives what a cell held is declared there, without a value of its own."""
    joined: list[Statement] = []
    for statement in body:
        last = joined[-1] if joined else None
        match last, statement:
            case Declare(declared, Const()), FetchCell(variable) if declared == variable:
                joined[-1] = replace(statement, declares=True, constant=variable in once_set)
            case _:
                joined.append(statement)
    return tuple(joined)


def _with_counters(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """A counter that only the `for` after its declaration uses is declared there."""
    joined = list(body)
    for place in range(len(body) - 2, -1, -1):
        declared, loop = body[place : place + 2]
        if isinstance(declared, Declare) and isinstance(loop, For):
            stepped = any(step.variable == declared.variable for step in loop.step)
            if stepped and declared.variable not in variables_in(body[place + 2 :]):
                joined[place : place + 2] = [replace(loop, first=declared)]
    return tuple(joined)


def _has_continue(body: tuple[Statement, ...]) -> bool:
    return _replace_continue(body, ()) != body


def _replace_continue(body: tuple[Statement, ...], by: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """`body` with other statements where it goes on with the next round of the loop around it."""
    replaced: list[Statement] = []
    for statement in body:
        match statement:
            case Continue():
                replaced += by
            case If(_, then, otherwise):
                inside = replace(
                    statement, then=_replace_continue(then, by), otherwise=_replace_continue(otherwise, by)
                )
                replaced.append(inside)
            case _:
                replaced.append(statement)
    return tuple(replaced)
