"""Control and data flow checks: missing returns, unreachable code, reads before assignment, endless loops.

Walks a checked function once, in the order of its text. Branches are followed separately; a loop's body is taken to run
at least once, so that what a loop sets counts as set after it.
"""

from dataclasses import dataclass, field

from starplat.diagnostics import Label
from starplat.frontend import typed, walk
from starplat.frontend.context import Context
from starplat.frontend.statements.lists import BROKEN
from starplat.frontend.statements.loops import warn_of_constant
from starplat.frontend.typed import Literal, Symbol
from starplat.frontend.types import PropertyType, Scalar
from starplat.source import Span


def check_flow(context: Context, body: typed.Block, name: str, name_span: Span) -> None:
    """Reports control and data flow errors in a function's body."""
    flow = Flow(context)
    leaves = flow.sequence(body.statements)
    if context.returns_value and not leaves:
        related = [Label(span, "a value is returned here") for span, _ in context.returns[:1]]
        help = "return a value at the end of the function"
        context.error("E0401", f"'{name}' does not return a value on every path", name_span, related=related, help=help)


@dataclass(slots=True)
class Flow:
    """`unset` are the symbols that hold nothing yet on any path to here.

    `endless`: a loop without end was found, of which what follows it need not speak again.
    """

    context: Context
    unset: set[Symbol] = field(default_factory=set)
    endless: bool = False

    def sequence(self, statements: tuple[typed.Statement, ...]) -> bool:
        """Walks statements; whether the end of them is never reached."""
        left = False
        warned = False
        for statement in statements:
            if left and not warned and not self.endless:
                self.context.warn("W0401", "nothing reaches this statement", statement.span)
                warned = True
            left = self.statement(statement) or left
        return left

    def statement(self, node: typed.Statement) -> bool:
        """Walks one statement; whether what follows it is never reached."""
        match node:
            case typed.Block():
                return self.sequence(node.statements)
            case typed.If():
                return self._if(node)
            case typed.While() | typed.DoWhile() | typed.CountedLoop():
                return self._loop(node)
            case typed.FixedPoint():
                self.unset.discard(node.flag)
                self.sequence(node.body.statements)
                self._read(node.condition)
                self._check_ends(node)
                return False
            case typed.Return():
                self._simple(node)
                return True
            case typed.Break() | typed.Continue():
                return True
            case typed.ForEach() | typed.IterateInBFS() | typed.Unsupported():
                self._simple(node)
                for part in walk.blocks(node):
                    self.statement(part)
                return False
            case _:
                self._simple(node)
                return False

    def _if(self, node: typed.If) -> bool:
        self._read(node.condition)
        if isinstance(node.condition, Literal):
            warn_of_constant(self.context, node.condition)
        before = set(self.unset)
        then_leaves = self.statement(node.then)
        after_then, self.unset = self.unset, before
        else_leaves = node.otherwise is not None and self.statement(node.otherwise)
        if else_leaves:
            self.unset = after_then
        elif not then_leaves:
            self.unset |= after_then
        return then_leaves and else_leaves

    def _loop(self, node: typed.While | typed.DoWhile | typed.CountedLoop) -> bool:
        match node:
            case typed.CountedLoop():
                self._read(node.first)
                self.unset.discard(node.symbol)
                self._read(node.condition)
                self.sequence(node.body.statements)
                self.statement(node.step)
            case typed.While():
                self._read(node.condition)
                self.sequence(node.body.statements)
            case typed.DoWhile():
                self.sequence(node.body.statements)
                self._read(node.condition)
        return isinstance(node.condition, Literal) and self._constant_loop(node, node.condition)

    def _constant_loop(self, node: typed.While | typed.DoWhile | typed.CountedLoop, condition: Literal) -> bool:
        """A loop whose condition is a word; whether it is left by nothing but `return`."""
        if not condition.value:
            warn_of_constant(self.context, condition)
            return False
        if _breaks(node.body):
            return False
        if not any(isinstance(s, typed.Return) for s in walk.statements(node.body)):
            help = "leave it with 'break' or 'return', or give it a condition that changes"
            self.context.error("E0406", "this loop never ends", condition.span, "always true", help=help)
            self.endless = True
        return True

    def _simple(self, node: typed.Statement) -> None:
        """A statement without an order inside: it reads, then it writes."""
        for expression in walk.expressions(node):
            self._read(expression)
        match node:
            case typed.Update() | typed.AssignExtreme():
                self._read(node.place)
            case typed.CopyProperty():
                self._read_symbol(node.source, node.span)
            case typed.Attach():
                for _, value in node.items:
                    if isinstance(value, Symbol):
                        self._read_symbol(value, node.span)
            case typed.Declare() if node.value is None and isinstance(node.symbol.type, Scalar | PropertyType):
                self.unset.add(node.symbol)
        if self.unset:
            self.unset.difference_update(walk.written(node))

    def _read(self, expression: typed.Expression) -> None:
        if not self.unset:
            return
        for part in walk.within(expression):
            match part:
                case typed.Variable() | typed.Cell():
                    self._read_symbol(part.symbol, part.span)
                case typed.Aggregate():
                    self._read_symbol(part.property, part.span)
                case typed.Call():
                    self.unset.difference_update(a for a in part.arguments if isinstance(a, Symbol))

    def _read_symbol(self, symbol: Symbol, span: Span) -> None:
        if symbol not in self.unset:
            return
        self.unset.discard(symbol)
        related = [Label(symbol.span, "declared without a value")]
        if isinstance(symbol.type, PropertyType):
            zero = _zero(symbol.type.element)
            message = f"the property '{symbol.name}' is read before it is set"
            attach = f"attach{symbol.type.carrier.value.removeprefix('prop')}Property({symbol.name} = {zero})"
            help = f"every cell is {zero} here; attach a value first, as in '{attach}'"
            self.context.warn("W0403", message, span, related=related, help=help)
        else:
            zero = _zero(symbol.scalar)
            message = f"'{symbol.name}' is read before it is assigned"
            help = f"it is {zero} here; write '{symbol.type} {symbol.name} = {zero};' if that is meant"
            self.context.warn("W0402", message, span, related=related, help=help)

    def _check_ends(self, node: typed.FixedPoint) -> None:
        """A fixed point whose condition nothing in its body changes runs once or for ever."""
        inside = list(walk.statements(node.body))
        if any(isinstance(s, typed.Unsupported) for s in inside) or _is_broken(node.condition):
            return
        parts = list(walk.within(node.condition))
        depends = {p.symbol for p in parts if isinstance(p, typed.Cell)}
        depends |= {p.symbol for p in parts if isinstance(p, typed.Variable) and p.symbol is not node.node}
        depends |= {p.property for p in parts if isinstance(p, typed.Aggregate)}
        if isinstance(node.condition, Literal) and node.condition.value:
            warn_of_constant(self.context, node.condition)
            return
        written = {symbol for statement in inside for symbol in walk.written(statement)}
        if node.flag in written:
            return
        if depends & written:
            self._warn_of_left_out(node)
            return
        if any(isinstance(p, typed.Call) for p in parts):
            return
        self._say_endless(node, depends)

    def _warn_of_left_out(self, node: typed.FixedPoint) -> None:
        """A fixed point that waits until all nodes are marked, but only marks the neighbors of some."""
        match node.condition:
            case typed.Cell(symbol=marks) if not _sets_for_all(node.body, marks):
                pass
            case _:
                return
        help = "nodes that no path leads to stay False; wait for '!' of a flag that says which nodes changed"
        related = [Label(marks.span, f"'{marks.name}' is only set for single nodes and for neighbors")]
        message = f"this fixedPoint does not end where a node's '{marks.name}' stays False"
        self.context.warn("W0406", message, node.condition.span, "waits for every node", related=related, help=help)

    def _say_endless(self, node: typed.FixedPoint, depends: set[Symbol]) -> None:
        ordered = sorted(depends, key=lambda symbol: symbol.span.start)
        related = [Label(s.span, f"'{s.name}' is never changed in the body") for s in ordered]
        message = "this fixedPoint ends after one round or never: its body changes nothing that its condition reads"
        text = "stays as it was before the first round" if ordered else "always the same"
        help = None
        if len(ordered) == 1:
            kind = "property" if isinstance(ordered[0].type, PropertyType) else "variable"
            help = f"assign '{ordered[0].name}' in the body, or name the {kind} that the body changes"
        self.context.error("E0405", message, node.condition.span, text, related=related, help=help)


def _sets_for_all(body: typed.Block, marks: Symbol) -> bool:
    """Whether the body writes the cells of all nodes: as a whole, or each its own in a loop over all."""
    for statement in walk.statements(body):
        match statement:
            case typed.Attach() | typed.CopyProperty() if marks in walk.written(statement):
                return True
            case typed.ForEach(domain=typed.AllNodes(), iterator=iterator, body=inner):
                own = typed.Cell(marks, typed.Variable(iterator))
                places = (s.place for s in walk.statements(inner) if isinstance(s, typed.Assign | typed.Update))
                if own in places:
                    return True
        if any(marks in call.arguments for call in walk.own_calls(statement)):
            return True
    return False


def _zero(kind: Scalar) -> str:
    """The value of an uninitialised variable."""
    if kind is Scalar.BOOL:
        return "False"
    return "-1" if kind.is_index else "0"


def _breaks(body: typed.Block) -> bool:
    """Whether a `break` leaves the loop with this body, not one inside it."""
    pending: list[typed.Statement] = [body]
    while pending:
        node = pending.pop()
        match node:
            case typed.Break():
                return True
            case typed.Block() | typed.If():
                pending.extend(walk.blocks(node))
            case typed.Unsupported():
                return True
    return False


def _is_broken(expression: typed.Expression) -> bool:
    return any(isinstance(p, typed.UnsupportedValue) and p.construct == BROKEN for p in walk.within(expression))
