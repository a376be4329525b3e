"""Finds the integers that may hold INF, so that only their additions saturate.

INF plus anything is INF. A symbol may hold INF if anything that may be INF is ever stored to it; the whole program is
looked at, in any order, until nothing changes.
"""

from collections.abc import Set

from starplat.analysis import walk
from starplat.analysis.finite import FiniteCells
from starplat.frontend import typed
from starplat.frontend.walk import children


def may_hold_infinity(program: typed.Program, finite: FiniteCells) -> frozenset[typed.Symbol]:
    """The symbols (scalars and properties) that may hold INF at some time; `finite` cells do not where they are
    read."""
    flows = _flows(program)
    found: set[typed.Symbol] = set()
    dependents: dict[typed.Symbol, set[typed.Symbol]] = {}
    work: list[typed.Symbol] = []
    for target, source in flows:
        if isinstance(source, typed.Symbol):
            dependents.setdefault(source, set()).add(target)
        else:
            for symbol in _carriers(source, finite):
                dependents.setdefault(symbol, set()).add(target)
            if _has_infinity(source):
                work.append(target)
    while work:
        if (symbol := work.pop()) not in found:
            found.add(symbol)
            work.extend(dependents.get(symbol, ()))
    return frozenset(found)


def may_show_infinity(program: typed.Program) -> frozenset[typed.Symbol]:
    """The symbols that hold INF, -INF, or values computed from them, where the program says so; in others an infinite
    value is an overflow."""
    found: set[typed.Symbol] = set()
    before = -1
    flows = _flows(program)
    while before < len(found):
        before = len(found)
        found |= {target for target, source in flows if shows_infinity(source, found)}
    return frozenset(found)


def shows_infinity(source: typed.Expression | typed.Symbol, symbols: Set[typed.Symbol]) -> bool:
    """Whether a value holds INF, or is computed from `symbols`, which do."""
    match source:
        case typed.Symbol():
            return source in symbols
        case typed.Infinity():
            return True
        case typed.Variable() | typed.Cell() | typed.ListItem() | typed.WholeList():
            return source.symbol in symbols
        case typed.Aggregate():
            return source.property in symbols
        case typed.Call():
            return True
        case typed.Conditional():
            return shows_infinity(source.then, symbols) or shows_infinity(source.otherwise, symbols)
    return any(shows_infinity(part, symbols) for part in children(source))


def may_be_infinite(expression: typed.Expression, symbols: frozenset[typed.Symbol], finite: FiniteCells) -> bool:
    """Whether an expression may be INF where `symbols` may, and `finite` cells are not."""
    return _has_infinity(expression) or any(s in symbols for s in _carriers(expression, finite))


def _has_infinity(expression: typed.Expression) -> bool:
    return any(isinstance(e, typed.Infinity) and not e.negative for e in _arithmetic(expression))


def _carriers(expression: typed.Expression, finite: FiniteCells) -> list[typed.Symbol]:
    found = []
    for e in _arithmetic(expression):
        match e:
            case typed.Cell(symbol, typed.Variable(node)) if (symbol, node) in finite:
                pass
            case typed.Variable() | typed.Cell() | typed.ListItem() | typed.WholeList():
                found.append(e.symbol)
            case typed.Aggregate():
                found.append(e.property)
    return found


def _arithmetic(expression: typed.Expression) -> list[typed.Expression]:
    """The parts whose value may become the expression's value: operands of sums, branches, conversions, min and max."""
    match expression:
        case typed.Binary(typed.Operator.ADD):
            return [*_arithmetic(expression.left), *_arithmetic(expression.right)]
        case typed.Conditional():
            return [*_arithmetic(expression.then), *_arithmetic(expression.otherwise)]
        case typed.Convert() | typed.Cast():
            return _arithmetic(expression.operand)
        case typed.Apply(typed.Function.MIN | typed.Function.MAX):
            return [part for argument in expression.arguments for part in _arithmetic(argument)]
    return [expression]


def _flows(program: typed.Program) -> list[tuple[typed.Symbol, typed.Expression | typed.Symbol]]:
    """Everything that is stored anywhere: (to, from)."""
    flows: list[tuple[typed.Symbol, typed.Expression | typed.Symbol]] = []
    returns: dict[str, list[typed.Expression]] = {}
    for function in program.functions:
        for statement in walk.statements(function.body):
            flows.extend(_stored(statement))
            if isinstance(statement, typed.Return) and statement.value is not None:
                returns.setdefault(function.name, []).append(statement.value)
        for call in walk.calls(function.body):
            for parameter, argument in zip(program.function(call.function).parameters, call.arguments, strict=True):
                flows.append((parameter, argument))
                if isinstance(argument, typed.Symbol):
                    flows.append((argument, parameter))
    return flows


def _stored(statement: typed.Statement) -> list[tuple[typed.Symbol, typed.Expression | typed.Symbol]]:
    match statement:
        case typed.Declare() if statement.value is not None:
            return [(statement.symbol, statement.value)]
        case typed.Assign() | typed.Update():
            return [(statement.place.symbol, statement.value)]
        case typed.AssignExtreme():
            carried = [(c.place.symbol, c.value) for c in statement.carried]
            return [(statement.place.symbol, statement.candidate), *carried]
        case typed.Attach():
            return list(statement.items)
        case typed.CopyProperty():
            return [(statement.destination, statement.source)]
        case typed.ChangeList(symbol=symbol, arguments=(*_, value)):
            return [(symbol, value)]
        case typed.ForEach(iterator=iterator, domain=typed.Items(symbol=symbol)):
            return [(iterator, symbol)]
        case typed.CountedLoop():
            return [(statement.symbol, statement.first)]
    return []
