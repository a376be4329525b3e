"""Functions that the host calls become part of their caller, so that a loop and its rounds stand in one function.

    bool step(Graph g, ...) { ...; return moved; }          while (going) { ...; going = moved; }
    while (going) { going = step(g, ...); }

A function that is a single `return` of an expression is put in its place where a `Min` or `Max` offers it. Others are
small, end in their only `return` if they have one, and are called by a statement of their own on the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.operators.canonical.rebuilding import rebuilt, substituted, with_fresh_symbols

MOST_STATEMENTS = 12
"""Of a function that becomes part of its callers: a call costs little beside what larger ones do."""

Values = dict[typed.Symbol, typed.Expression | typed.Symbol]


def inlined(program: typed.Program, function: typed.FunctionDefinition) -> typed.FunctionDefinition:
    """The function with the small functions that it calls inside it."""
    body = _Inliner(program, (function.name,)).block(function.body)
    return function if body == function.body else replace(function, body=body)


class _Inliner:
    """Rewrites the statements of one function; `inside` are the functions that are being put into each other."""

    def __init__(self, program: typed.Program, inside: tuple[str, ...]) -> None:
        self._program = program
        self._inside = inside

    def block(self, block: typed.Block) -> typed.Block:
        return replace(block, statements=tuple(self._all(block.statements)))

    def _all(self, statements: tuple[typed.Statement, ...]) -> Iterator[typed.Statement]:
        for s in statements:
            yield from self._statement(self._expressions(s))

    def _expressions(self, s: typed.Statement) -> typed.Statement:
        def change(part: object) -> object:
            return self._expression(part) if isinstance(part, typed.Call) else None

        return rebuilt(s, change) if _offers(s) else s

    def _expression(self, call: typed.Call) -> typed.Expression | None:
        """The value of a function that is no more than an expression of what it is given."""
        if (callee := self._callee(call)) is None:
            return None
        match callee.body.statements:
            case (typed.Return(value=value),) if value is not None:
                values = self._given(callee, call)
                if values is not None and not any(isinstance(p, typed.Call) for p in walk.within(value)):
                    return substituted(value, values)
            case _:
                pass
        return None

    def _given(self, callee: typed.FunctionDefinition, call: typed.Call) -> Values | None:
        """What stands for the parameters; None where an argument would be evaluated more often than once."""
        body = callee.body
        values: Values = {}
        for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
            reads = sum(
                isinstance(part, typed.Variable) and part.symbol is parameter
                for value in walk.all_values(body)
                for part in walk.within(value)
            )
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
        return callee if sum(1 for _ in walk.statements(callee.body)) <= MOST_STATEMENTS else None

    def _statement(self, s: typed.Statement) -> Iterator[typed.Statement]:
        match s:
            case typed.CallStatement(call=call):
                yield from self._body(call, None) or (s,)
            case typed.Assign(place=typed.Variable(), value=typed.Call() as call):
                yield from self._body(call, s) or (s,)
            case typed.Declare(value=typed.Call() as call):
                yield from self._body(call, s) or (s,)
            case typed.Block():
                yield self.block(s)
            case typed.If():
                otherwise = None if s.otherwise is None else self.block(s.otherwise)
                yield replace(s, then=self.block(s.then), otherwise=otherwise)
            case typed.While() | typed.DoWhile() | typed.CountedLoop() | typed.FixedPoint():
                yield replace(s, body=self.block(s.body))
            case typed.ForEach(parallel=False, domain=typed.AllNodes() | typed.Members()):
                yield replace(s, body=self.block(s.body))
            case _:
                yield s

    def _body(self, call: typed.Call, into: typed.Assign | typed.Declare | None) -> list[typed.Statement]:
        """The statements of the callee, the last of them giving `into` its value; none if it stays a call."""
        callee = self._callee(call)
        if callee is None or not _acts_on_graphs(callee):
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
        return list(_Inliner(self._program, (*self._inside, callee.name)).block(done).statements)

    def _parameters(self, callee: typed.FunctionDefinition, call: typed.Call) -> tuple[list[typed.Statement], Values]:
        """Locals for what the callee is given by value, unless nobody changes it meanwhile; the others' substitutes."""
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


def _offers(s: typed.Statement) -> bool:
    """Whether values go from node to node there: these must be seen whole to know where they lead."""
    return any(isinstance(i, typed.AssignExtreme) and isinstance(i.place, typed.Cell) for i in walk.statements(s))


def _acts_on_graphs(callee: typed.FunctionDefinition) -> bool:
    """Whether it has parallel loops or whole properties to do with: those are what a caller's loop is about."""
    acts = (typed.ForEach, typed.Attach, typed.CopyProperty, typed.FixedPoint, typed.IterateInBFS)
    return any(isinstance(s, acts) for s in walk.statements(callee.body))


def _is_simple(argument: typed.Expression) -> bool:
    """Whether it costs nothing to evaluate it again."""
    match argument:
        case typed.Convert(operand=operand):
            return _is_simple(operand)
        case typed.Cell(index=index):
            return _is_simple(index)
        case _:
            return isinstance(argument, typed.Literal | typed.Infinity | typed.Variable)


def _stays(argument: typed.Expression, given: set[typed.Symbol]) -> bool:
    """Whether a call that is given these symbols by reference cannot change the value."""
    return not any(isinstance(p, typed.Cell) or getattr(p, "symbol", None) in given for p in walk.within(argument))
