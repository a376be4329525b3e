"""Checks loops: `forall`, `for`, `loop`, `fixedPoint`, `iterateInBFS`, and those of dynamic programs.

Bodies are checked by the function that the `LoopChecker` is given, since statements and loops hold each other.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from starplat.diagnostics import Label
from starplat.frontend import ast, scope, typed, types, walk
from starplat.frontend.context import Context, Enclosure, Frame, Thing
from starplat.frontend.expressions import conversions, methods
from starplat.frontend.expressions.conversions import convert
from starplat.frontend.expressions.expressions import condition, expression, value
from starplat.frontend.expressions.updates import current_batch, difference, is_of_kind, local, total, whole
from starplat.frontend.parsing.syntax import assigned_in
from starplat.frontend.statements import assignments, declarations, increments
from starplat.frontend.statements.domains import Range, domain
from starplat.frontend.statements.lists import broken_statement, broken_value
from starplat.frontend.typed import ADDITIONS, DELETIONS, Literal, Operator, Role, Symbol, Variable, scalar_of
from starplat.frontend.types import Scalar, UpdatesType, UpdateType, described, indefinite
from starplat.source import Span


@dataclass(frozen=True, slots=True)
class LoopChecker:
    """Checks loops; `block` checks a body in a scope of its own."""

    block: Callable[[Context, ast.Statement], typed.Block]

    def statement(self, context: Context, node: ast.Statement) -> typed.Statement:
        match node:
            case ast.ForEach():
                return self._for_each(context, node)
            case ast.For():
                return self._counted(context, node)
            case ast.Loop():
                return self._loop(context, node)
            case ast.FixedPoint():
                return self._fixed_point(context, node)
            case ast.IterateInBFS():
                return self._bfs(context, node)
            case ast.Batch():
                return self._batch(context, node)
            case ast.OnUpdate():
                return self._on_update(context, node)
        raise AssertionError(node)

    def _body(self, context: Context, frame: Frame, node: ast.Statement) -> typed.Block:
        with context.inside(frame):
            return self.block(context, node)

    # --- forall and for … in ---

    def _for_each(self, context: Context, node: ast.ForEach) -> typed.Statement:
        over = domain(context, node.domain)
        kind = Enclosure.FORALL if node.parallel else Enclosure.FOR
        head = node.iterator.span
        with context.block():
            if over is not None and over.updates is not None:
                return self._over_updates(context, over.updates, node, kind)
            if over is None:
                context.declare_wrongly(node.iterator.text, head)
                return typed.Unsupported("", (self._body(context, Frame(kind, head), node.body),), span=node.span)
            iterator = _declare_iterator(context, node.iterator, over, node.parallel)
            test = self._filter(context, iterator, node.domain.filter, on_device=node.parallel)
            span = node.domain.span
            if isinstance(over.over, str):
                body = self._body(context, Frame(kind, span), node.body)
                construct = f"{kind.value} over {indefinite(over.over)}"
                return typed.Unsupported(construct, (body,), span=node.span)
            fickle = assigned_in(node.body) if isinstance(over.over, typed.Neighbors) else frozenset()
            before, test = _beside(context, over, iterator, test, fickle)
            body = self._body(context, Frame(kind, span, iterator, over.over, fickle), node.body)
        loop = typed.ForEach(node.parallel, iterator, over.over, test, body, span=node.span)
        return typed.Block((*before, loop), span=node.span) if before else loop

    def _filter(
        self, context: Context, iterator: Symbol, node: ast.Expression | None, *, on_device: bool = True
    ) -> typed.Expression | None:
        if node is None:
            return None
        with context.bare(iterator, on_device=on_device):
            test = condition(context, node, "a filter")
        if isinstance(test, Literal):
            warn_of_constant(context, test)
        return broken_value(Scalar.BOOL, node.span) if test is None else test

    # --- counting ---

    def _counted(self, context: Context, node: ast.For) -> typed.Statement:
        with context.block():
            start = expression(context, node.start)
            if (binding := counter_of(context, node)) is None or binding.symbol is None:
                return self._broken(context, node.name, Enclosure.FOR, node.body, node.span)
            symbol = binding.symbol
            binding.counter = True
            because = Label(binding.span, f"'{symbol.name}' is {described(symbol.type)}")
            first = None if start is None else conversions.convert(context, start, symbol.scalar, (because,))
            test = condition(context, node.condition, "the condition of 'for'")
            step = step_of(context, node.step)
            body = self._body(context, Frame(Enclosure.FOR, node.name.span), node.body)
        return typed.CountedLoop(
            symbol,
            node.type is not None,
            first or broken_value(symbol.scalar, node.start.span),
            test or broken_value(Scalar.BOOL, node.condition.span),
            step,
            body,
            span=node.span,
        )

    def _loop(self, context: Context, node: ast.Loop) -> typed.Statement:
        """`loop (i in first to last by step)`: first, first + step and so on, as long as that comes before last."""
        parts = (node.first, node.last, node.step)
        increments.refuse_increments(context, parts, "the head of a 'loop', which is evaluated in every round")
        ends = [expression(context, part) for part in parts]
        with context.block():
            first, last, step = (as_whole_number(context, end) for end in ends)
            if first is None or last is None or step is None:
                return self._broken(context, node.name, Enclosure.FOR, node.body, node.span)
            if isinstance(step, Literal) and step.value == 0:
                context.error("E0409", "a step of 0 never reaches the end", node.step.span)
            kinds = {scalar_of(first), scalar_of(last), scalar_of(step)}
            kind = Scalar.LONG if Scalar.LONG in kinds else Scalar.INT
            symbol = context.declare(node.name, kind, Role.LOCAL)
            binding = context.binding(symbol)
            binding.fixed, binding.read = True, True
            first, last, step = (conversions.convert(context, end, kind) or end for end in (first, last, step))
            counter = Variable(symbol, span=node.name.span)
            advance = typed.Update(typed.Combine.ADD, counter, step, span=node.step.span)
            body = self._body(context, Frame(Enclosure.FOR, node.name.span), node.body)
        test = before_end(counter, last, step)
        return typed.CountedLoop(symbol, True, first, test, advance, body, span=node.span)

    def _broken(
        self, context: Context, name: ast.Name, kind: Enclosure, body: ast.Statement, span: Span
    ) -> typed.Statement:
        """Looks into the body of a loop whose head is wrong."""
        with context.block():
            if context.scopes.find(name.text) is None:
                context.declare_wrongly(name.text, name.span)
            inside = self._body(context, Frame(kind, name.span), body)
        return typed.Unsupported("", (inside, broken_statement(span)), span=span)

    # --- fixedPoint ---

    def _fixed_point(self, context: Context, node: ast.FixedPoint) -> typed.Statement:
        context.note_host_only(node.flag.span, "runs a fixedPoint")
        with context.block():
            flag = _flag(context, node.flag)
            hidden = Symbol("node", Scalar.NODE, Role.ITERATOR, node.condition.span, context.parallel_depth + 1)
            body = self._body(context, Frame(Enclosure.FIXED_POINT, node.flag.span), node.body)
            with context.bare(hidden, on_device=True):
                test = condition(context, node.condition, "the condition of a fixedPoint")
        graph = _graph_of_condition(context, hidden, test, node.condition.span)
        if graph is None or flag is None:
            return typed.Unsupported("", (body, broken_statement(node.span)), span=node.span)
        test = test or broken_value(Scalar.BOOL, node.condition.span)
        return typed.FixedPoint(flag, hidden, graph, test, body, span=node.span)

    # --- iterateInBFS ---

    def _bfs(self, context: Context, node: ast.IterateInBFS) -> typed.Statement:
        context.note_host_only(node.iterator.span, "runs an iterateInBFS")
        graph = declarations.graph_named(context, node.graph)
        source = expression(context, node.source)
        source = None if source is None else conversions.convert(context, source, Scalar.NODE)
        with context.block():
            over = None if graph is None else Range(typed.AllNodes(graph), Scalar.NODE, graph)
            if over is None:
                return self._broken(context, node.iterator, Enclosure.BFS, node.body, node.span)
            iterator = _declare_iterator(context, node.iterator, over, True)
            test = self._filter(context, iterator, node.filter)
            frame = Frame(Enclosure.BFS, node.iterator.span, iterator)
            body = self._body(context, frame, node.body)
            reverse = None if node.reverse is None else self._reverse(context, iterator, frame, node.reverse)
        assert graph is not None
        start = source or broken_value(Scalar.NODE, node.source.span)
        return typed.IterateInBFS(iterator, graph, start, test, body, reverse, span=node.span)

    def _reverse(self, context: Context, iterator: Symbol, frame: Frame, node: ast.Reverse) -> typed.ReversePass:
        test = self._filter(context, iterator, node.filter)
        return typed.ReversePass(test, self._body(context, frame, node.body), span=node.span)

    # --- dynamic programs ---

    def _batch(self, context: Context, node: ast.Batch) -> typed.Statement:
        context.note_host_only(node.updates.span, "runs a Batch")
        over = value(context, ast.Identifier(node.updates.text, span=node.updates.span))
        if over is not None and not isinstance(over.type, UpdatesType):
            what = described(over.type)
            message = f"Batch runs over updates, not {what}"
            context.error("E0412", message, node.updates.span, help="declare a parameter 'updates<g> U'")
        size = expression(context, node.size)
        size = None if size is None else conversions.convert(context, size, Scalar.INT)
        whole_list = over.updates if isinstance(over, Thing) else None
        frame = Frame(Enclosure.BATCH, node.updates.span)
        if whole_list is None or not isinstance(over, Thing) or over.symbol is None:
            return typed.Unsupported("Batch", (self._body(context, frame, node.body),), span=node.span)
        names = [local(f"batch_{name}", over.symbol) for name in ("begin", "end", "size", "limit")]
        first, end, held, limit = (Variable(name, span=node.updates.span) for name in names)
        with context.block():
            batch = Symbol(node.updates.text, UpdatesType(), Role.LOCAL, over.symbol.span, over.symbol.parallel_depth)
            known = context.binding(over.symbol).of or over.symbol
            context.scopes.bind(scope.Binding(batch.name, batch, batch.span, of=known, read=True, written=True))
            context.updates[batch] = replace(whole_list, first=first, end=end)
            body = self._body(context, frame, node.body)
        size = size or broken_value(Scalar.INT, node.size.span)
        take = typed.TakeBatch(end.symbol, first, held, limit, whole_list, span=node.span)
        step = typed.Block((typed.EndBatch(span=node.span), typed.Assign(first, end, span=node.span)), span=node.span)
        test = typed.Binary(typed.Operator.LESS, first, limit, Scalar.BOOL, span=node.span)
        inner = typed.Block((take, *body.statements), span=body.span)
        begin = zip((end, held, limit), (whole(0), size, whole_list.end), strict=True)
        declared = (typed.Declare(place.symbol, value, span=node.span) for place, value in begin)
        loop = typed.CountedLoop(first.symbol, True, whole_list.first, test, step, inner, span=node.span)
        return typed.Block((*declared, loop), span=node.span)

    def _on_update(self, context: Context, node: ast.OnUpdate) -> typed.Statement:
        word = node.kind.value
        over = value(context, node.domain.over)
        if over is not None and not isinstance(over.type, UpdatesType):
            what = described(over.type)
            context.error(
                "E0412", f"{word} runs over updates, not {what}", node.domain.span, help="write 'U.currentBatch()'"
            )
        with context.block():
            updates = over.updates if isinstance(over, Thing) else None
            if updates is not None:
                wanted = ADDITIONS if node.kind is ast.UpdateKind.ADD else DELETIONS
                return self._over_updates(context, current_batch(updates, whole(wanted)), node, Enclosure.ON_UPDATE)
            iterator = _declare_iterator(context, node.iterator, Range("updates", UpdateType()), True)
            self._filter(context, iterator, node.domain.filter)
            body = self._body(context, Frame(Enclosure.ON_UPDATE, node.iterator.span), node.body)
        return typed.Unsupported(word, (body,), span=node.span)

    def _over_updates(
        self, context: Context, updates: typed.Updates, node: ast.ForEach | ast.OnUpdate, kind: Enclosure
    ) -> typed.Statement:
        """A loop over a list: one over numbers, of which those count whose update is of the list's kind."""
        name = node.iterator
        iterator = _declare_iterator(context, name, Range("updates", UpdateType()), kind.is_parallel)
        number = Symbol(name.text, Scalar.INT, Role.ITERATOR, name.span, iterator.parallel_depth)
        place = total(updates.first, Variable(number, span=name.span))
        context.update_cells[iterator] = updates, place
        test = is_of_kind(updates, place)
        asked = node.domain.filter
        if asked is not None:
            also = condition(context, asked, "a filter") or broken_value(Scalar.BOOL, asked.span)
            test = also if test is None else typed.Binary(typed.Operator.AND, test, also, Scalar.BOOL, span=asked.span)
        domain = typed.Numbers(difference(updates.end, updates.first))
        body = self._body(context, Frame(kind, node.domain.span, number, domain), node.body)
        return typed.ForEach(kind.is_parallel, number, domain, test, body, span=node.span)


def _beside(
    context: Context, over: Range, iterator: Symbol, test: typed.Expression | None, fickle: frozenset[str]
) -> tuple[tuple[typed.Statement, ...], typed.Expression | None]:
    """The filter that leaves of a node's neighbors those of another too, and what keeps that node while the loop
    runs."""
    other, domain = over.beside, over.over
    before: tuple[typed.Statement, ...] = ()
    if other is None or not isinstance(domain, typed.Neighbors):
        return before, test
    if not methods.is_steady(walk.as_named(other), fickle):
        held = Symbol("beside", Scalar.NODE, Role.LOCAL, other.span, context.parallel_depth)
        before, other = (typed.Declare(held, other, span=other.span),), Variable(held, span=other.span)
    ends = (other, Variable(iterator, span=other.span))
    common = typed.GraphQuery(domain.graph, typed.Query.IS_EDGE, ends, Scalar.BOOL, span=other.span)
    if test is None:
        return before, common
    return before, typed.Binary(typed.Operator.AND, common, test, Scalar.BOOL, span=test.span)


def _declare_iterator(context: Context, name: ast.Name, over: Range, parallel: bool) -> Symbol:
    context.parallel_depth += parallel
    symbol = context.declare(name, over.element, Role.ITERATOR)
    context.parallel_depth -= parallel
    binding = context.binding(symbol)
    binding.graph, binding.read = over.graph, True
    return symbol


def _flag(context: Context, name: ast.Name) -> Symbol | None:
    """The flag of a fixed point: the bool variable of that name, or a symbol of its own."""
    if (binding := context.scopes.find(name.text, name.span)) is None:
        binding = context.binding(context.declare(name, Scalar.BOOL, Role.FLAG))
    binding.read = binding.written = True
    symbol = binding.symbol
    if symbol is None:
        return None
    if symbol.type is not Scalar.BOOL or symbol.role is Role.ITERATOR:
        related = [Label(binding.span, f"'{name.text}' is {described(symbol.type)}")]
        context.error("E0413", "the flag of a fixedPoint must be a bool variable", name.span, related=related)
        return None
    return symbol


def _graph_of_condition(context: Context, hidden: Symbol, test: typed.Expression | None, span: Span) -> Symbol | None:
    """The graph whose nodes a fixed point's condition speaks of."""
    for part in walk.within(test) if test is not None else ():
        if isinstance(part, typed.Cell) and part.index == Variable(hidden) and (graph := context.graph_of(part.symbol)):
            return graph
    return context.graph_at_hand(span, "a fixedPoint")


def warn_of_constant(context: Context, test: Literal) -> None:
    """Says that a condition is always the same."""
    always = "always true" if test.value else "never true"
    context.warn("W0405", f"this condition is {always}", test.span)


def counter_of(context: Context, node: ast.For) -> scope.Binding | None:
    """The variable of `for (…; …; …)`: a new one where its type is given, else one declared before."""
    if node.type is not None:
        what = declarations.meaning(context, node.type)
        if what is None or not isinstance(what.type, types.Scalar) or what.type is types.Scalar.BOOL:
            message = "a loop counter must be a number or a node"
            context.error("E0320", message, node.type.span, help="write 'for (int i = 0; …'")
            return None
        return context.binding(context.declare(node.name, what.type, Role.LOCAL))
    if context.scopes.find(node.name.text) is None:
        help = f"declare it: 'for (int {node.name.text} = …'"
        context.error(
            "E0201", f"'{node.name.text}' is not declared", node.name.span, "not found in this scope", help=help
        )
        return None
    binding = context.scopes.find(node.name.text, node.name.span)
    if binding is None or binding.symbol is None:
        return None
    if not isinstance(binding.symbol.type, types.Scalar) or binding.symbol.role is Role.ITERATOR or binding.fixed:
        related = [Label(binding.span, "declared here")]
        context.error("E0311", f"'{node.name.text}' cannot count a loop", node.name.span, related=related)
        return None
    binding.written = True
    return binding


def step_of(context: Context, node: ast.Statement) -> typed.Statement:
    """What happens after every round."""
    match node:
        case ast.Assignment():
            return assignments.assignment(context, node)
        case ast.Increment():
            return assignments.increment(context, node)
    raise AssertionError(node)


def as_whole_number(context: Context, end: typed.Expression | None) -> typed.Expression | None:
    """An end or the step of a `loop` as the integer that it must be."""
    if end is None or scalar_of(end).is_integer:
        return end
    return convert(context, end, types.Scalar.INT)


def before_end(counter: Variable, last: typed.Expression, step: typed.Expression) -> typed.Expression:
    """The condition under which a `loop` goes on; the end itself is left out, and the step's sign says where it is."""
    up = typed.Binary(Operator.LESS, counter, last, types.Scalar.BOOL, span=last.span)
    down = typed.Binary(Operator.GREATER, counter, last, types.Scalar.BOOL, span=last.span)
    if isinstance(step, Literal):
        return up if step.value > 0 else down
    rising = typed.Binary(Operator.GREATER, step, Literal(0, scalar_of(step)), types.Scalar.BOOL, span=step.span)
    return typed.Conditional(rising, up, down, span=last.span)
