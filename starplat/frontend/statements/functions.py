"""Checks one function: parameters, body, return type, unused declarations."""

from dataclasses import replace

from starplat.diagnostics import Label, Reporter, Severity
from starplat.frontend import ast, scope, typed, types
from starplat.frontend.context import Context, Signature
from starplat.frontend.expressions import conversions, expressions, local_maps
from starplat.frontend.expressions.updates import parameters_of
from starplat.frontend.statements import flow, increments, statements
from starplat.frontend.statements.declarations import Meaning, may_hold_weights, meaning, property_name_is_free
from starplat.frontend.typed import Role, scalar_of
from starplat.source import Span

_Parameters = tuple[tuple[typed.Symbol, ...], tuple[typed.Literal | typed.Infinity | None, ...]]
"""Parameters and their defaults."""


def check_function(
    function: ast.Function,
    name: str,
    signatures: dict[str, Signature],
    names: dict[str, Span],
    reporter: Reporter,
    noted: scope.Noted,
) -> tuple[Signature, typed.FunctionDefinition]:
    """Checks a function whose callees have been; the definition holds only if no error was reported."""
    context, definition, parameters = _pass(function, name, signatures, names, reporter, noted, None)
    result = _result(context)
    if isinstance(result, types.Scalar | types.Several) and any(
        _kind(values) != result for _, values in context.returns
    ):
        context, definition, parameters = _pass(function, name, signatures, names, reporter, noted, result)
    if not (broken := any(d.severity is Severity.ERROR for d in context.reporter.diagnostics)):
        _warn_of_unused(context)
    reporter.diagnostics.extend(context.reporter.diagnostics)
    seen = None if broken and not isinstance(result, types.Void) else result
    signature = Signature(name, names[name], *parameters, seen, context.host_only, context.foreign_write)
    return signature, replace(definition, result=types.Void.VOID if result is None else result)


def _pass(
    function: ast.Function,
    name: str,
    signatures: dict[str, Signature],
    names: dict[str, Span],
    reporter: Reporter,
    noted: scope.Noted,
    expected: types.Scalar | types.Several | None,
) -> tuple[Context, typed.FunctionDefinition, _Parameters]:
    """One walk over the function, and its parameters as they are written; a second one is needed where its returns have
    to be converted to what they share."""
    context = Context(Reporter(reporter.source), signatures, names, increments.incremented, scope.Scopes(noted))
    context.expected_result = expected
    parameters, defaults = _parameters(context, function)
    body = statements.open_block(context, function.body)
    local_maps.refuse_unfilled(context)
    flow.check_flow(context, body, name, names[name])
    apart, lists = _taken_apart(context, parameters)
    given = tuple(default for s, default in zip(parameters, defaults, strict=True) for _ in apart[s])
    inner = tuple(part for symbol in parameters for part in apart[symbol])
    definition = typed.FunctionDefinition(
        name, function.kind.value, inner, given, types.Void.VOID, body, lists, span=function.span
    )
    return context, definition, (parameters, defaults)


def _taken_apart(
    context: Context, parameters: tuple[typed.Symbol, ...]
) -> tuple[dict[typed.Symbol, tuple[typed.Symbol, ...]], tuple[tuple[typed.Symbol, typed.Updates], ...]]:
    """What each parameter is inside: a list of updates is several; and these lists."""
    lists = tuple((symbol, context.updates[symbol]) for symbol in parameters if symbol in context.updates)
    apart: dict[typed.Symbol, tuple[typed.Symbol, ...]] = {symbol: (symbol,) for symbol in parameters}
    return apart | {symbol: updates.parts for symbol, updates in lists}, lists


# --- parameters ----------------------------------------------------------------------------------------------------


def _parameters(context: Context, function: ast.Function) -> _Parameters:
    """Declares the parameters, graphs first, since properties of the same list may be bound to them."""
    symbols: dict[int, typed.Symbol | None] = {}
    for graphs in (True, False):
        for position, parameter in enumerate(function.parameters):
            if (parameter.type.name in ("Graph", "dirGraph")) is graphs:
                symbols[position] = _parameter(context, parameter)
    pairs = ((symbols[position], parameter) for position, parameter in enumerate(function.parameters))
    fine = [(symbol, parameter) for symbol, parameter in pairs if symbol is not None]
    defaults = [_default(context, parameter, symbol) for symbol, parameter in fine]
    _check_defaults_last(context, function)
    return tuple(symbol for symbol, _ in fine), tuple(defaults)


def _parameter(context: Context, parameter: ast.Parameter) -> typed.Symbol | None:
    name = parameter.name
    what = meaning(context, parameter.type, parameter.graph)
    kind = None if what is None else what.type
    if isinstance(kind, types.MapType):
        help = "declare it inside the 'forall', and pass numbers that are read from it"
        context.error("E0414", "a map belongs to one iteration and is no parameter", parameter.type.span, help=help)
        kind = None
    if kind is None or (isinstance(kind, types.PropertyType) and not _is_free(context, kind, name)):
        context.declare_wrongly(name.text, name.span)
        return None
    role = Role.REFERENCE if parameter.by_reference and isinstance(kind, types.Scalar) else Role.PARAMETER
    symbol = context.declare(name, kind, role)
    assert what is not None
    if isinstance(kind, types.UpdatesType):
        context.updates[symbol] = parameters_of(symbol)
    if isinstance(kind, types.GraphType):
        context.graphs.append(symbol)
    else:
        context.binding(symbol).graph = _graph_of(context, what)
    return symbol


def _is_free(context: Context, kind: types.PropertyType, name: ast.Name) -> bool:
    return property_name_is_free(context, kind, name) and may_hold_weights(context, kind, name)


def _graph_of(context: Context, what: Meaning) -> typed.Symbol | None:
    """The graph that a parameter belongs to; a property of a function with several graphs need not say so."""
    if what.graph is None and len(context.graphs) == 1 and not isinstance(what.type, types.Scalar):
        context.mark_read(context.graphs[0])
        return context.graphs[0]
    return what.graph


def _default(context: Context, parameter: ast.Parameter, symbol: typed.Symbol) -> typed.Literal | typed.Infinity | None:
    if parameter.default is None:
        return None
    if not isinstance(symbol.type, types.Scalar) or symbol.role is Role.REFERENCE:
        message = "only a scalar that is passed by value can have a default"
        context.error("E0326", message, parameter.default.span)
        return None
    given = expressions.expression(context, parameter.default)
    because = Label(symbol.span, f"'{symbol.name}' is {types.indefinite(symbol.type)}")
    value = None if given is None else conversions.convert(context, given, symbol.type, (because,))
    if isinstance(value, typed.Literal | typed.Infinity):
        return value
    if value is not None:
        context.error("E0326", "a default must be a constant", parameter.default.span)
    return None


def _check_defaults_last(context: Context, function: ast.Function) -> None:
    first: ast.Parameter | None = None
    for parameter in function.parameters:
        if parameter.default is not None:
            first = first or parameter
        elif first is not None:
            message = f"'{parameter.name.text}' needs a default, since one stands before it"
            related = [Label(first.name.span, "has a default")]
            help = "parameters with defaults come last"
            context.error("E0326", message, parameter.name.span, related=related, help=help)


# --- what it returns -----------------------------------------------------------------------------------------------


def _kind(values: tuple[typed.Expression, ...]) -> types.Scalar | types.Several:
    kinds = tuple(scalar_of(value) for value in values)
    return kinds[0] if len(kinds) == 1 else types.Several(kinds)


def _result(context: Context) -> types.Scalar | types.Several | types.ListType | types.Void | None:
    """The type that all returns share, that of each value where there are several; None where there is none, which is
    reported, or was."""
    if not context.returns_value:
        return types.Void.VOID
    for span in context.empty_returns:
        related = [Label(context.returns[0][0], "a value is returned here")] if context.returns else []
        help = "return a value everywhere or nowhere"
        context.error("E0402", "this return gives no value", span, related=related, help=help)
    if not context.returns:
        return None
    if any(isinstance(value, typed.WholeList) for _, values in context.returns for value in values):
        return _list_returned(context)
    first, values = context.returns[0]
    for span, others in context.returns[1:]:
        if len(others) != len(values):
            message = f"{len(others)} returned here, {len(values)} elsewhere: the numbers of values differ"
            context.error("E0330", message, span, related=[Label(first, f"{len(values)} here")])
            return None
    shared = [_shared(context, [(span, values[k]) for span, values in context.returns]) for k in range(len(values))]
    kinds = tuple(kind for kind in shared if kind is not None)
    if len(kinds) < len(shared):
        return None
    return kinds[0] if len(kinds) == 1 else types.Several(kinds)


def _list_returned(context: Context) -> types.ListType | None:
    """The type of the list that all returns give, where one gives a list."""
    first, (whole, *_) = next((r for r in context.returns if isinstance(r[1][0], typed.WholeList)), context.returns[0])
    for span, values in context.returns:
        if len(values) > 1:
            help = "return the list alone; the other values can be properties among the parameters"
            context.error("E0330", "a list is returned beside other values", span, help=help)
            return None
        if values[0].type != whole.type:
            message = f"{types.described(values[0].type)} is returned here and {types.described(whole.type)} elsewhere"
            related = [Label(first, f"{types.described(whole.type)} is returned here")]
            context.error("E0330", message, span, related=related)
            return None
    assert isinstance(whole, typed.WholeList)
    return whole.type


def _shared(context: Context, returns: list[tuple[Span, typed.Expression]]) -> types.Scalar | None:
    """The type in which the returned values meet: that of the values which are no constants, if there are any."""
    fixed = [item for item in returns if not conversions.is_constant(item[1])] or returns
    result = scalar_of(fixed[0][1])
    for span, value in fixed[1:]:
        kind = scalar_of(value)
        both_index = result is not kind and result.is_index and kind.is_index
        shared = None if both_index else types.common(result, kind)
        if shared is None:
            _say_mismatch(context, span, kind, fixed[0][0], result)
            return None
        result = shared
    for span, value in returns:
        if conversions.is_constant(value) and result is types.Scalar.BOOL:
            _say_mismatch(context, span, scalar_of(value), fixed[0][0], result)
            return None
    whole_constants = all(scalar_of(v) is not types.Scalar.DOUBLE for _, v in returns if conversions.is_constant(v))
    if result.is_numeric and not result.is_real and not whole_constants:
        return types.Scalar.DOUBLE
    return result


def _say_mismatch(context: Context, span: Span, kind: types.Scalar, first: Span, result: types.Scalar) -> None:
    message = f"{types.indefinite(kind)} is returned here and {types.indefinite(result)} elsewhere"
    context.error("E0330", message, span, related=[Label(first, f"{types.indefinite(result)} is returned here")])


# --- what is not used ----------------------------------------------------------------------------------------------


def _warn_of_unused(context: Context) -> None:
    for binding in context.scopes.all:
        symbol = binding.symbol
        if symbol is None or binding.read or binding.name.startswith("_"):
            continue
        if symbol.role is Role.LOCAL:
            _warn_of_local(context, binding, symbol)
        elif symbol.role in (Role.PARAMETER, Role.REFERENCE) and not binding.written:
            help = "remove it, or start its name with '_'"
            context.warn("W0203", f"the parameter '{binding.name}' is not used", binding.span, help=help)


def _warn_of_local(context: Context, binding: scope.Binding, symbol: typed.Symbol) -> None:
    done = "is assigned but never read" if binding.written else "is not used"
    if isinstance(symbol.type, types.PropertyType):
        help = "make it a parameter if it is a result, else remove it" if binding.written else "remove it"
        context.warn("W0202", f"the property '{binding.name}' {done}", binding.span, help=help)
    else:
        context.warn("W0201", f"'{binding.name}' {done}", binding.span, help="remove it, or start its name with '_'")
