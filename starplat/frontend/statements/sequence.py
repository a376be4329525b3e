"""Orders the side effects of an expression from left to right, on every target.

A call may change its arguments (a scalar by reference, cells of a property or set) beside something that reads them, as
in `n + bump(n) + n`; the targets' languages leave that order open. Such calls, and what is read before them, become
statements of their own, and so does every increment inside an expression; `&&`, `||` and `?:` still evaluate only what
they must. All other programs stay as they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from starplat.frontend import typed, types, walk
from starplat.frontend.expressions.acting import Acting, parts
from starplat.frontend.statements.changes import change_of, changed_after

_OPERATORS = {combine: typed.Operator(combine.value.removesuffix("=")) for combine in typed.Combine}


def sequenced(program: typed.Program) -> typed.Program:
    """The program with a fixed order of evaluation."""
    sequencer = _Sequencer(Acting(program))
    return replace(program, functions=tuple(map(sequencer.function, program.functions)))


@dataclass(frozen=True)
class _Sequencer:
    """Rewrites statements."""

    acting: Acting

    def function(self, function: typed.FunctionDefinition) -> typed.FunctionDefinition:
        if not any(
            self.acting.changed(part) for s in walk.statements(function.body) for part in parts(walk.expressions(s))
        ):
            return function
        return replace(function, body=self.block(function.body))

    # --- statements

    def block(self, block: typed.Block) -> typed.Block:
        return replace(block, statements=tuple(s for old in block.statements for s in self.statement(old)))

    def one(self, statement: typed.Statement) -> typed.Statement:
        done = self.statement(statement)
        return done[0] if len(done) == 1 else typed.Block(tuple(done), span=statement.span)

    def statement(self, s: typed.Statement) -> list[typed.Statement]:
        return list(changed_after(s) or self.ordered(s))

    def ordered(self, s: typed.Statement) -> list[typed.Statement]:
        """The statement behind what its parts do."""
        match s:
            case typed.Block():
                return [self.block(s)]
            case typed.If():
                otherwise = None if s.otherwise is None else self.block(s.otherwise)
                s = replace(s, then=self.block(s.then), otherwise=otherwise)
                return self.settled(s, (s.condition,), lambda condition: replace(s, condition=condition))
            case typed.While() | typed.DoWhile():
                return [self.loop(replace(s, body=self.block(s.body)))]
            case typed.CountedLoop():
                return self.counted(replace(s, body=self.block(s.body), step=self.one(s.step)))
            case typed.ForEach():
                return self.for_each(replace(s, body=self.block(s.body)))
            case typed.FixedPoint():
                return [replace(s, body=self.block(s.body))]
            case typed.IterateInBFS():
                reverse = None if s.reverse is None else replace(s.reverse, body=self.block(s.reverse.body))
                s = replace(s, body=self.block(s.body), reverse=reverse)
                return self.settled(s, (s.source,), lambda source: replace(s, source=source))
            case (
                typed.Unsupported()
                | typed.TakeBatch()
                | typed.EndBatch()
                | typed.ChangeGraph()
                | typed.Break()
                | typed.Continue()
                | typed.CopyProperty()
                | typed.Print()
                | typed.Assert()
            ):
                return [s]
            case typed.Declare() | typed.Return():
                if s.value is None:
                    return [s]
                return self.settled(s, (s.value,), lambda value: replace(s, value=value))
            case typed.CallStatement():
                return self.call_statement(s)
            case typed.AddToMap():
                return self.settled(s, (s.key, s.value), lambda key, value: replace(s, key=key, value=value))
            case typed.ChangeList():
                return self.settled(s, s.arguments, lambda *values: replace(s, arguments=values))
            case typed.AddToSet():
                return self.settled(s, (s.member,), lambda member: replace(s, member=member))
            case typed.Assign():
                return self.assign(s)
            case typed.Update():
                return self.update(s)
            case typed.AssignExtreme():
                return self.extreme(s)
            case typed.Attach():
                return self.attach(s)
        assert_never(s)

    def settled(
        self, s: typed.Statement, values: Sequence[typed.Expression], rebuilt: Callable[..., typed.Statement]
    ) -> list[typed.Statement]:
        """The statement, with what its values do before it where order matters."""
        if not self.acting.needs_order(values):
            return [s]
        out: list[typed.Statement] = []
        done = self.all(values, out)
        return [*out, rebuilt(*done)]

    def call_statement(self, s: typed.CallStatement) -> list[typed.Statement]:
        if not self.acting.needs_order((s.call,)):
            return [s]
        out: list[typed.Statement] = []
        call = walk.with_children(s.call, self.all(walk.children(s.call), out))
        assert isinstance(call, typed.Call)
        return [*out, replace(s, call=call)]

    def assign(self, s: typed.Assign) -> list[typed.Statement]:
        values = (*walk.children(s.place), s.value)
        return self.settled(s, values, lambda *done: replace(s, place=_at(s.place, done[:-1]), value=done[-1]))

    def update(self, s: typed.Update) -> list[typed.Statement]:
        """Where the value changes what the place holds, that is read first: it stands on the left."""
        if not self.acting.needs_order((s.place, s.value)):
            return [s]
        out: list[typed.Statement] = []
        if not self.acting.disturbed(s.place, (s.value,)):
            *index, value = self.all((*walk.children(s.place), s.value), out)
            return [*out, replace(s, place=_at(s.place, index), value=value)]
        index = [self.expression(i, out) for i in walk.children(s.place)]
        place = _at(s.place, [self.kept(i, out) if self.acting.disturbed(i, (s.value,)) else i for i in index])
        old = self.kept(place, out)
        value = self.expression(s.value, out)
        combined = typed.Binary(_OPERATORS[s.combine], old, value, s.place.type, span=s.span)
        return [*out, typed.Assign(place, combined, span=s.span)]

    def extreme(self, s: typed.AssignExtreme) -> list[typed.Statement]:
        places = (s.place, *(c.place for c in s.carried))
        indices = [i for place in places for i in walk.children(place)]
        values = (s.candidate, *(c.value for c in s.carried))

        def rebuilt(*done: typed.Expression) -> typed.AssignExtreme:
            at = iter(done[: len(indices)])
            first, *others = (_at(place, [next(at) for _ in walk.children(place)]) for place in places)
            candidate, *given = done[len(indices) :]
            pairs = zip(s.carried, others, given, strict=True)
            carried = tuple(replace(c, place=place, value=value) for c, place, value in pairs)
            return replace(s, place=first, candidate=candidate, carried=carried)

        return self.settled(s, (*indices, *values), rebuilt)

    def attach(self, s: typed.Attach) -> list[typed.Statement]:
        values = [value for _, value in s.items if not isinstance(value, typed.Symbol)]

        def rebuilt(*done: typed.Expression) -> typed.Attach:
            given = iter(done)
            items = ((target, v if isinstance(v, typed.Symbol) else next(given)) for target, v in s.items)
            return replace(s, items=tuple(items))

        return self.settled(s, values, rebuilt)

    def for_each(self, s: typed.ForEach) -> list[typed.Statement]:
        domain = s.domain
        if not isinstance(domain, typed.Neighbors) or not self.acting.acts(domain.node):
            return [s]
        out: list[typed.Statement] = []
        node = self.expression(domain.node, out)  # once, however often lowering mentions it
        return [*out, replace(s, domain=replace(domain, node=node))]

    # --- loops whose condition must be evaluated by statements

    def loop(self, s: typed.While | typed.DoWhile) -> typed.Statement:
        if not self.acting.needs_order((s.condition,)):
            return s
        test = self.leaving(s.condition)
        if isinstance(s, typed.While):
            return typed.While(typed.TRUE, typed.Block((*test, *s.body.statements)), span=s.span)
        return self.with_second_rounds(test, (), s.body, s)

    def counted(self, s: typed.CountedLoop) -> list[typed.Statement]:
        out: list[typed.Statement] = []
        if self.acting.needs_order((s.first,)):
            s = replace(s, first=self.expression(s.first, out))
        if not self.acting.needs_order((s.condition,)):
            return [*out, s]
        variable = typed.Variable(s.symbol, span=s.span)
        start: typed.Statement = typed.Assign(variable, s.first, span=s.span)
        if s.declares:
            start = typed.Declare(s.symbol, s.first, span=s.span)
        return [*out, typed.Block((start, self.with_second_rounds((s.step,), self.leaving(s.condition), s.body, s)))]

    def leaving(self, condition: typed.Expression) -> tuple[typed.Statement, ...]:
        """Evaluates the condition and leaves the loop where it is false."""
        out: list[typed.Statement] = []
        test = typed.Unary(typed.UnaryOperator.NOT, self.expression(condition, out), span=condition.span)
        return (*out, typed.If(test, typed.Block((typed.Break(span=condition.span),)), span=condition.span))

    def with_second_rounds(
        self,
        between: tuple[typed.Statement, ...],
        before: tuple[typed.Statement, ...],
        body: typed.Block,
        s: typed.Statement,
    ) -> typed.Statement:
        """A loop that does `between` before every round but the first, then `before`: after `continue`, too."""
        again = typed.Symbol("again", types.Scalar.BOOL, typed.Role.LOCAL, s.span)
        mark = typed.Assign(typed.Variable(again), typed.TRUE)
        guarded = typed.If(typed.Variable(again), typed.Block(between), span=s.span)
        # a `break` in `between` leaves the loop itself: an `if` is no loop
        loop = typed.While(typed.TRUE, typed.Block((guarded, mark, *before, *body.statements)), span=s.span)
        return typed.Block((typed.Declare(again, typed.FALSE), loop), span=s.span)

    # --- expressions

    def all(self, values: Sequence[typed.Expression], out: list[typed.Statement]) -> list[typed.Expression]:
        """The values, each as it is before the next ones act."""
        done = []
        for place, value in enumerate(values):
            settled = self.expression(value, out)
            done.append(self.kept(settled, out) if self.acting.disturbed(settled, values[place + 1 :]) else settled)
        return done

    def kept(self, value: typed.Expression, out: list[typed.Statement]) -> typed.Expression:
        name = (
            f"{value.symbol.name}_before"
            if isinstance(value, typed.Variable | typed.Cell | typed.ListItem)
            else "before"
        )
        return self.local(name, value, out)

    def local(self, name: str, value: typed.Expression, out: list[typed.Statement]) -> typed.Variable:
        symbol = typed.Symbol(name, typed.scalar_of(value), typed.Role.LOCAL, value.span)
        out.append(typed.Declare(symbol, value, span=value.span))
        return typed.Variable(symbol, span=value.span)

    def expression(self, e: typed.Expression, out: list[typed.Statement]) -> typed.Expression:
        """The expression without what acts in it; that is in `out`."""
        if not self.acting.acts(e):
            return e
        match e:
            case typed.Incremented():
                return self.incremented(e, out)
            case typed.Binary(operator=typed.Operator.AND | typed.Operator.OR):
                return self.logical(e, out)
            case typed.Conditional():
                return self.conditional(e, out)
            case _:
                done = walk.with_children(e, self.all(walk.children(e), out))
                if isinstance(done, typed.Call) and self.acting.changed(done):
                    return self.local(f"{done.function}_result", done, out)
                return done

    def incremented(self, e: typed.Incremented, out: list[typed.Statement]) -> typed.Expression:
        """The place's value; the old one is kept, and an index that the change itself disturbs."""
        index = [self.expression(i, out) for i in walk.children(e.place)]
        place = _at(e.place, [self.kept(i, out) if self.acting.meets(self.acting.changed(e), i) else i for i in index])
        value = self.kept(place, out) if e.old else place
        out.append(change_of(replace(e, place=place)))
        return value

    def logical(self, e: typed.Binary, out: list[typed.Statement]) -> typed.Expression:
        left = self.expression(e.left, out)
        if not self.acting.acts(e.right):
            return replace(e, left=left)
        held = self.local("holds", left, out)
        inner: list[typed.Statement] = []
        right = self.expression(e.right, inner)
        store = typed.Assign(held, right, span=e.right.span)
        goes_on = held if e.operator is typed.Operator.AND else typed.Unary(typed.UnaryOperator.NOT, held, span=e.span)
        out.append(typed.If(goes_on, typed.Block((*inner, store)), span=e.span))
        return held

    def conditional(self, e: typed.Conditional, out: list[typed.Statement]) -> typed.Expression:
        condition = self.expression(e.condition, out)
        if not self.acting.acts(e.then) and not self.acting.acts(e.otherwise):
            return replace(e, condition=condition)
        symbol = typed.Symbol("chosen_value", e.type, typed.Role.LOCAL, e.span)
        out.append(typed.Declare(symbol, span=e.span))
        chosen = typed.Variable(symbol, span=e.span)

        def branch(value: typed.Expression) -> typed.Block:
            inner: list[typed.Statement] = []
            settled = self.expression(value, inner)
            return typed.Block((*inner, typed.Assign(chosen, settled, span=value.span)))

        out.append(typed.If(condition, branch(e.then), branch(e.otherwise), span=e.span))
        return chosen


def _at(place: typed.Place, index: Sequence[typed.Expression]) -> typed.Place:
    return replace(place, index=index[0]) if isinstance(place, typed.Cell | typed.ListItem) else place
