"""Walks over the typed tree that analyses share: what is evaluated, written, called and declared below a statement."""

from collections.abc import Iterable, Iterator

from starplat.frontend import typed, walk
from starplat.frontend.walk import *  # noqa: F403


def values(statement: typed.Statement) -> tuple[typed.Expression, ...]:
    """The expressions that a statement itself evaluates, without the filter of its way back, which is a loop's own."""
    match statement:
        case typed.IterateInBFS():
            return (statement.source,) if statement.filter is None else (statement.source, statement.filter)
    return walk.expressions(statement)


def all_values(statement: typed.Statement) -> Iterator[typed.Expression]:
    """Every expression evaluated anywhere below a statement, outermost only."""
    for inner in walk.statements(statement):
        yield from values(inner)
        if isinstance(inner, typed.IterateInBFS) and inner.reverse is not None and inner.reverse.filter is not None:
            yield inner.reverse.filter


def own_parts(statement: typed.Statement) -> Iterator[typed.Expression]:
    """Every expression that a statement itself holds, subexpressions too."""
    return (part for value in walk.expressions(statement) for part in walk.within(value))


def all_parts(*given: typed.Statement) -> Iterator[typed.Expression]:
    """Every expression evaluated anywhere below statements, subexpressions too."""
    every = (inner for s in given for inner in walk.statements(s))
    return (part for s in every for value in walk.expressions(s) for part in walk.within(value))


def variables(*values: typed.Expression) -> set[typed.Symbol]:
    """The variables whose values expressions read."""
    return {part.symbol for value in values for part in walk.within(value) if isinstance(part, typed.Variable)}


def changed(statement: typed.Statement, program: typed.Program) -> frozenset[typed.Symbol]:
    """The symbols that a statement itself changes, calls followed: a function may only read its arguments."""
    given = {a for e in walk.own_calls(statement) for a in e.arguments if isinstance(a, typed.Symbol)}
    stored = {place.symbol for place in walk.written_places(statement)}
    return (
        (frozenset(walk.written(statement)) - given)
        | stored
        | {symbol for call in walk.own_calls(statement) for symbol in changed_by(call, program)}
    )


def changed_by(call: typed.Call, program: typed.Program) -> Iterator[typed.Symbol]:
    """The symbols lent to a function that it changes."""
    function = program.function(call.function)
    inside = {symbol for s in walk.statements(function.body) for symbol in changed(s, program)}
    for parameter, argument in zip(function.parameters, call.arguments, strict=True):
        if parameter in inside and isinstance(argument, typed.Symbol):
            yield argument


def calls(statement: typed.Statement) -> Iterator[typed.Call]:
    """Every call of a function of the program below a statement."""
    for value in all_values(statement):
        yield from (e for e in walk.within(value) if isinstance(e, typed.Call))


def called_from(functions: Iterable[typed.FunctionDefinition], *given: typed.Statement) -> set[str]:
    """The functions that statements call, directly or through others."""
    bodies = {function.name: function.body for function in functions}
    found: set[str] = set()
    waiting = list(given)
    while waiting:
        called = {call.function for call in calls(waiting.pop())} - found
        found |= called
        waiting += [bodies[name] for name in called]
    return found


def declared(statement: typed.Statement) -> Iterator[typed.Symbol]:
    """Every symbol that comes to be inside a statement, iterators included."""
    for inner in walk.statements(statement):
        match inner:
            case typed.Declare():
                yield inner.symbol
            case typed.CountedLoop() if inner.declares:
                yield inner.symbol
            case typed.ForEach() | typed.IterateInBFS():
                yield inner.iterator
            case typed.FixedPoint():
                yield inner.node
                yield inner.flag


def places(*given: typed.Statement) -> Iterator[typed.Place]:
    """Every place that is written anywhere below statements."""
    return (place for s in given for inner in walk.statements(s) for place in walk.written_places(inner))


def copies(statement: typed.Statement) -> Iterator[tuple[typed.Symbol, typed.Symbol]]:
    """What a statement makes a copy of what, as whole properties."""
    match statement:
        case typed.CopyProperty(destination, source):
            yield destination, source
        case typed.Attach(items=items):
            yield from ((symbol, value) for symbol, value in items if isinstance(value, typed.Symbol))


def declares(s: typed.Statement, symbol: typed.Symbol) -> bool:
    """Whether a statement itself declares a symbol."""
    return isinstance(s, typed.Declare) and s.symbol is symbol


def lent(statement: typed.Statement) -> set[typed.Symbol]:
    """The symbols that are passed by reference anywhere below a statement."""
    return {a for call in calls(statement) for a in call.arguments if isinstance(a, typed.Symbol)}


def leaves(statement: typed.Statement) -> bool:
    """Whether a statement, or one inside it, leaves a loop, a round or the function."""
    return any(isinstance(inner, typed.Return | typed.Break | typed.Continue) for inner in walk.statements(statement))


def own_statements(s: typed.Statement) -> Iterator[typed.Statement]:
    """The statements below one that belong to the loop around it, not to one inside."""
    yield s
    if not isinstance(s, typed.ForEach | typed.While | typed.DoWhile | typed.CountedLoop | typed.FixedPoint):
        for inner in walk.blocks(s):
            yield from own_statements(inner)


def may_be_last(body: typed.Block) -> bool:
    """Whether an iteration of a loop may end the loop."""
    returns = any(isinstance(inner, typed.Return) for inner in walk.statements(body))
    return returns or any(isinstance(s, typed.Break) for s in own_statements(body))


def touches(s: typed.Statement, symbol: typed.Symbol) -> bool:
    """Whether a statement, or one inside it, reads or writes a symbol."""
    return any(symbol in (*walk.written(i), *read(i)) for i in walk.statements(s))


def read(s: typed.Statement) -> Iterator[typed.Symbol]:
    """The symbols that a statement itself reads, or touches as a whole without writing it anew."""
    for value in walk.expressions(s):
        for part in walk.within(value):
            match part:
                case typed.Variable(symbol) | typed.Cell(symbol):
                    yield symbol
                case typed.SetSize(symbol=symbol) | typed.SetContains(symbol=symbol):
                    yield symbol
                case typed.ListItem(symbol=symbol) | typed.ListSize(symbol=symbol) | typed.WholeList(symbol=symbol):
                    yield symbol
                case typed.Aggregate(property=symbol) | typed.GraphQuery(weight=typed.Symbol() as symbol):
                    yield symbol
                case typed.Call(arguments=arguments):
                    yield from (a for a in arguments if isinstance(a, typed.Symbol))
    match s:
        case typed.CopyProperty(source=source):
            yield source
        case typed.Attach(items=items):
            yield from (value for _, value in items if isinstance(value, typed.Symbol))
        case typed.ForEach(domain=typed.Members(symbol=symbol) | typed.Items(symbol=symbol)):
            yield symbol
        case typed.ChangeList(symbol=symbol):
            yield symbol
        case typed.FixedPoint(flag=flag):
            yield flag
        case typed.TakeBatch(updates=updates):
            yield from updates.arrays
        case typed.ChangeGraph(updates=updates, properties=properties):
            yield from (*updates.arrays, *properties)
        case typed.Update(place=place) | typed.AssignExtreme(place=place):
            yield place.symbol
