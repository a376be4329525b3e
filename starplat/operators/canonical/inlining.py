"""Functions become part of their caller, so that a loop and what it does stand in one function.

    bool step(Graph g, ...) { ...; return moved; }          while (going) { ...; going = moved; }
    while (going) { going = step(g, ...); }

A function that is no more than an expression, perhaps with names for parts of it, is put in its place where a `Min` or
`Max` offers it, and in loops that only add up. Others are small, or a round that is called at one place; they end in
their only `return` if they have one, and a statement of their own calls them: on the host, in a loop that adds up, or
where they go over the pairs of a node's neighbors, say whether there is a neighbor, offer values by `Min` or `Max`, or
go over neighbors for one caller.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.frontend.walk import children
from starplat.operators.canonical.filters import all_of
from starplat.operators.canonical.rebuilding import rebuilt, substituted, with_fresh_symbols

MOST_STATEMENTS = 13
"""Of a function that becomes part of its callers: a call costs little beside what larger ones do."""
MOST_OF_A_ROUND = 48
"""Of one that is called at one place only, and has no loop of the host."""

_LOOPS = (typed.While, typed.DoWhile, typed.FixedPoint, typed.CountedLoop, typed.IterateInBFS)
Values = dict[typed.Symbol, typed.Expression | typed.Symbol]


def inlined(program: typed.Program) -> tuple[typed.FunctionDefinition, ...]:
    """The functions of a program, each with the small ones that it calls inside it."""
    calls = Counter(call.function for function in program.functions for call in walk.calls(function.body))
    bodies = [_Inliner(program, (function.name,), calls).block(function.body) for function in program.functions]
    return tuple(
        function if body == function.body else replace(function, body=body)
        for function, body in zip(program.functions, bodies, strict=True)
    )


class _Inliner:
    """Rewrites the statements of one function; `inside` are the functions that are being put into each other, `calls`
    says how often each is called."""

    def __init__(self, program: typed.Program, inside: tuple[str, ...], calls: Counter[str]) -> None:
        self._program = program
        self._inside = inside
        self._calls = calls
        self._in_kernel = False

    def block(self, block: typed.Block) -> typed.Block:
        return replace(block, statements=tuple(self._all(block.statements)))

    def _all(self, statements: tuple[typed.Statement, ...]) -> Iterator[typed.Statement]:
        for s in statements:
            yield from self._statement(self._expressions(s))

    def _expressions(self, s: typed.Statement) -> typed.Statement:
        def change(part: object) -> object:
            return self._expression(part) if isinstance(part, typed.Call) else None

        in_sum = self._in_kernel or (isinstance(s, typed.ForEach) and _adds_up(s))
        return rebuilt(s, change) if in_sum or _offers(s) else s

    def _expression(self, call: typed.Call) -> typed.Expression | None:
        """The value of a function that is no more than an expression of what it is given, and of names for parts."""
        if (callee := self._callee(call)) is None or (values := self._given(callee, call)) is None:
            return None
        *named, last = callee.body.statements
        if not isinstance(last, typed.Return) or last.value is None or any(walk.calls(callee.body)):
            return None
        for s in named:
            if (
                not isinstance(s, typed.Declare)
                or s.value is None
                or not _is_simple(value := substituted(s.value, values))
            ):
                return None
            values[s.symbol] = value
        return substituted(last.value, values)

    def _given(self, callee: typed.FunctionDefinition, call: typed.Call) -> Values | None:
        """What stands for the parameters; None where an argument would be evaluated more often than once."""
        body = callee.body
        values: Values = {}
        for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
            reads = sum(isinstance(part, typed.Variable) and part.symbol is parameter for part in walk.all_parts(body))
            if not isinstance(argument, typed.Symbol) and reads > 1 and not _is_simple(argument):
                return None
            if not isinstance(argument, typed.Symbol) and any(isinstance(p, typed.Call) for p in walk.within(argument)):
                return None
            values[parameter] = argument
        return values

    def _callee(self, call: typed.Call) -> typed.FunctionDefinition | None:
        if call.function in self._inside:
            return None
        callee = self._program.function(call.function)
        once = self._calls[call.function] == 1 and not any(isinstance(s, _LOOPS) for s in walk.statements(callee.body))
        most = MOST_OF_A_ROUND if once else MOST_STATEMENTS
        return callee if sum(1 for _ in walk.statements(callee.body)) <= most else None

    def _statement(self, s: typed.Statement) -> Iterator[typed.Statement]:
        match s:
            case typed.CallStatement(call=call):
                yield from self._body(call, None) or (s,)
            case typed.Assign(value=typed.Call() as call) | typed.Declare(value=typed.Call() as call):
                yield from self._body(call, s) or (s,)
            case typed.Assign() | typed.Declare() | typed.Update() | typed.If() if called := self._called_before(s):
                yield from called
            case typed.Block():
                yield self.block(s)
            case typed.If(otherwise=None) if self._in_kernel and (apart := self._asked_apart(s)):
                yield from self._all(apart)
            case typed.If():
                otherwise = None if s.otherwise is None else self.block(s.otherwise)
                yield replace(s, then=self.block(s.then), otherwise=otherwise)
            case typed.While() | typed.DoWhile() | typed.CountedLoop() | typed.FixedPoint():
                yield replace(s, body=self.block(s.body))
            case typed.ForEach(parallel=False, domain=typed.AllNodes() | typed.Members()) if not self._in_kernel:
                yield replace(s, body=self.block(s.body))
            case typed.ForEach() if self._in_kernel or _adds_up(s) or self._calls_what_matters(s):
                around, self._in_kernel = self._in_kernel, True
                yield replace(s, body=self.block(s.body))
                self._in_kernel = around
            case _:
                yield s

    def _calls_what_matters(self, loop: typed.ForEach) -> bool:
        """Whether a loop calls a function that offers values to nodes, goes over the pairs of a node's neighbors, which
        may count triangles, or says whether there is such a neighbor; or one over neighbors that no other place
        calls."""
        for call in walk.calls(loop.body) if loop.parallel else ():
            callee = self._program.function(call.function)
            whole = call.type is Scalar.BOOL or _goes_over_pairs(callee) or self._calls[call.function] == 1
            asks = _acts_on_graphs(callee) and whole
            if (asks or _offers(callee.body)) and _fits_a_kernel(callee):
                return True
        return False

    def _asked_apart(self, s: typed.If) -> tuple[typed.Statement, ...]:
        """A branch that asks for what a function finds among neighbors, with that in a local of its own; what is asked
        before it is so still. Nothing if there is no such question."""
        conditions = all_asked(s.condition)
        for place, condition in enumerate(conditions):
            if isinstance(condition, typed.Call) and (callee := self._callee(condition)) and _acts_on_graphs(callee):
                local = typed.Symbol(callee.name, Scalar.BOOL, typed.Role.LOCAL, condition.span)
                rest = all_of((typed.Variable(local, span=condition.span), *conditions[place + 1 :]))
                assert rest is not None
                inner = (typed.Declare(local, condition, span=s.span), replace(s, condition=rest))
                first = all_of(conditions[:place])
                return inner if first is None else (replace(s, condition=first, then=typed.Block(inner)),)
        return ()

    def _called_before(self, s: typed.Statement) -> list[typed.Statement]:
        """The statements of a function that an expression calls for sure, and the statement with its value in a local;
        nothing if there is no such call, or anything else there may change something before it."""
        asked = s.condition if isinstance(s, typed.If) else getattr(s, "value", None)
        whole = asked.operand if isinstance(asked, typed.Convert) else asked
        if asked is None or any(isinstance(part, typed.Incremented) for part in walk.within(asked)):
            return []
        others = [call for call in walk.within(asked) if isinstance(call, typed.Call)]
        for call in _surely_called(asked):
            changes_nothing = call is whole or all(_only_counts(self._program.function(c.function)) for c in others)
            if not changes_nothing or not isinstance(call.type, Scalar):
                continue
            local = typed.Symbol(call.function, call.type, typed.Role.LOCAL, call.span)
            if body := self._body(call, typed.Declare(local, call, span=call.span)):
                named = typed.Variable(local, span=call.span)
                return [*body, *self._statement(_with_value(s, call, named))]
        return []

    def _body(self, call: typed.Call, into: typed.Assign | typed.Declare | None) -> list[typed.Statement]:
        """The statements of the callee, the last of them giving `into` its value; none if it stays a call."""
        callee = self._callee(call)
        if callee is None or not (_acts_on_graphs(callee) or (self._in_kernel and _offers(callee.body))):
            return []
        if self._in_kernel and not _fits_a_kernel(callee):
            return []
        body = list(callee.body.statements)
        returns = [s for s in walk.statements(callee.body) if isinstance(s, typed.Return)]
        match body:
            case [*others, typed.Return(value=value)] if len(returns) == 1:
                body = others if into is None or value is None else [*others, replace(into, value=value)]
            case _ if returns or into is not None:
                return []
        declared, values = self._parameters(callee, call)
        own = typed.Block((*declared, *callee.body.statements))
        tree = with_fresh_symbols(typed.Block((*declared, *body)), (own,))
        done = substituted(tree, values)
        inner = _Inliner(self._program, (*self._inside, callee.name), self._calls)
        inner._in_kernel = self._in_kernel
        return list(_under_one_name(inner.block(done).statements))

    def _parameters(self, callee: typed.FunctionDefinition, call: typed.Call) -> tuple[list[typed.Statement], Values]:
        """Locals for arguments by value that may change in the call, and substitutes for the others."""
        changed = {symbol for s in walk.statements(callee.body) for symbol in walk.changed(s, self._program)}
        given = {a for a in call.arguments if isinstance(a, typed.Symbol)}
        declared: list[typed.Statement] = []
        values: Values = {}
        for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
            if isinstance(argument, typed.Symbol) or (
                parameter not in changed and _stays(argument, given) and _is_simple(argument)
            ):
                values[parameter] = argument
            else:
                declared.append(typed.Declare(parameter, argument, span=call.span))
        return declared, values


def _surely_called(value: typed.Expression) -> Iterator[typed.Call]:
    """The calls that happen whenever an expression is evaluated, in their order."""
    match value:
        case typed.Call():
            yield value
        case typed.Binary(typed.Operator.AND | typed.Operator.OR, first, _) | typed.Conditional(first):
            yield from _surely_called(first)
        case _:
            for part in children(value):
                yield from _surely_called(part)


def _with_value(s: typed.Statement, call: typed.Call, value: typed.Expression) -> typed.Statement:
    """A statement with another value in the place of a call in its own expression."""
    if isinstance(s, typed.If):
        return replace(s, condition=rebuilt(s.condition, lambda part: value if part is call else None))
    return rebuilt(s, lambda part: value if part is call else None)


def _only_counts(callee: typed.FunctionDefinition) -> bool:
    """Whether nothing but its value is left of a call."""
    given = (p for p in callee.parameters if isinstance(p.type, Scalar) and p.role is not typed.Role.REFERENCE)
    own = {*walk.declared(callee.body), *given}
    return _fits_a_kernel(callee) and not any(walk.calls(callee.body)) and walk.all_written(callee.body) <= own


def _offers(s: typed.Statement) -> bool:
    """Whether values go from node to node there: these must be seen whole to know where they lead."""
    return any(isinstance(i, typed.AssignExtreme) and isinstance(i.place, typed.Cell) for i in walk.statements(s))


def _adds_up(loop: typed.ForEach) -> bool:
    """Whether a loop leaves nothing but sums of scalars."""
    inside = list(walk.statements(loop.body))
    return loop.parallel and not any(isinstance(p, typed.Cell) for s in inside for p in walk.written_places(s))


def _goes_over_pairs(callee: typed.FunctionDefinition) -> bool:
    """Whether loops over neighbors stand in loops over neighbors."""
    rows = [s for s in walk.statements(callee.body) if isinstance(s, typed.ForEach)]
    return any(isinstance(s, typed.ForEach) for row in rows for s in walk.statements(row.body))


def _under_one_name(statements: tuple[typed.Statement, ...]) -> tuple[typed.Statement, ...]:
    """The statements without a last one that only gives a local of theirs another name."""
    match statements:
        case (*others, typed.Declare(name, typed.Variable(local))) if name.type == local.type and any(
            isinstance(s, typed.Declare) and s.symbol is local for s in others
        ):
            return substituted(tuple(others), {local: name})
    return statements


def _fits_a_kernel(callee: typed.FunctionDefinition) -> bool:
    """Whether it does nothing but count over rows, store in cells of a node that it is given, and offer values."""
    plain = (typed.Block, typed.If, typed.Declare, typed.Assign, typed.Update, typed.ForEach, typed.Break, typed.Return)
    inside = [s for s in walk.statements(callee.body) if not isinstance(s, typed.AssignExtreme)]
    places = [place for s in inside for place in walk.written_places(s)]
    given = [typed.Variable(parameter) for parameter in callee.parameters]
    own = all(isinstance(p, typed.Variable) or (isinstance(p, typed.Cell) and p.index in given) for p in places)
    return own and all(isinstance(s, plain) for s in inside)


def _acts_on_graphs(callee: typed.FunctionDefinition) -> bool:
    """Whether it has parallel loops or whole properties to do with: those are what a caller's loop is about."""
    acts = (typed.ForEach, typed.Attach, typed.CopyProperty, typed.FixedPoint, typed.IterateInBFS)
    return any(isinstance(s, acts) for s in walk.statements(callee.body))


def _is_simple(argument: typed.Expression) -> bool:
    """Whether it costs nothing to evaluate it again."""
    match argument:
        case typed.Convert(operand):
            return _is_simple(operand)
        case typed.Cell(index=index):
            return _is_simple(index)
        case typed.GraphQuery(query=typed.Query.OUT_DEGREE | typed.Query.IN_DEGREE, arguments=(index,)):
            return _is_simple(index)
    return isinstance(argument, typed.Literal | typed.Infinity | typed.Variable)


def _stays(argument: typed.Expression, given: set[typed.Symbol]) -> bool:
    """Whether a call that is given these symbols by reference cannot change the value."""
    return not any(isinstance(p, typed.Cell) or getattr(p, "symbol", None) in given for p in walk.within(argument))
