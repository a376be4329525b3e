"""Checks method calls, as values and as statements, with checked arguments.

What may be called on what is a table in `builtins`; `attachNodeProperty` is in `call_statements`.
"""

from collections.abc import Sequence

from starplat.diagnostics import Label
from starplat.frontend import ast, builtins, typed, types, walk
from starplat.frontend.context import Context, Thing, Value
from starplat.frontend.expressions import conversions, lists, members, updates
from starplat.frontend.expressions.calls import Arguments, counted, scalar, wrong_count
from starplat.frontend.mistakes import remedies
from starplat.frontend.typed import Direction, GraphQuery, Query, Role, Symbol
from starplat.source import Span


def known_method(context: Context, base: Thing | typed.Expression, name: ast.Name) -> bool:
    """Whether there is a method of that name; says so if not."""
    names = builtins.method_names(base.type)
    if name.text in names:
        return True
    message = f"{builtins.plural(base.type)} have no method '{name.text}'"
    context.error("E0204", message, name.span, "no such method", help=_remedy(context, base, name.text))
    return False


def _remedy(context: Context, base: Thing | typed.Expression, name: str) -> str | None:
    """The replacement for an unknown method."""
    found: str | None = None
    if base.type in (types.Scalar.NODE, types.Scalar.INT):
        found = remedies.of_node_member(name, context.graph_name, members.named(base))
    elif (kind := type(base.type)) in _WITH_REMEDIES:
        found = remedies.of_member(_WITH_REMEDIES[kind], name, members.named(base))
    return found or remedies.did_you_mean(name, builtins.method_names(base.type))


_WITH_REMEDIES: dict[type, str] = {
    types.GraphType: "graph",
    types.PropertyType: "property",
    types.SetType: "set",
    **dict.fromkeys((types.ListType, types.ContainerType), "list"),
}


def value_of_method(context: Context, base: Thing, name: ast.Name, arguments: Arguments, span: Span) -> Value | None:
    """`base.name(arguments)` where a value is needed."""
    match base.type:
        case types.GraphType() if name.text in builtins.GRAPH_QUERIES:
            return _query(context, base, name, builtins.GRAPH_QUERIES[name.text], arguments, span)
        case types.GraphType() if name.text == "neighbor":
            operands = converted(context, name, (types.Scalar.NODE, types.Scalar.INT), arguments, span)
            if operands is None or base.symbol is None:
                return None
            called = builtins.PRELUDE_ATTRIBUTES["neighbor"]
            return typed.Call(called, (base.symbol, *operands), types.Scalar.NODE, span=span)
        case types.SetType() if name.text in ("size", "contains"):
            return _set_question(context, base, base.type, name, arguments, span)
        case types.MapType():
            if converted(context, name, (), arguments, span) is None or base.symbol is None:
                return None
            if name.text == "size":
                return typed.MapSize(base.symbol, span=span)
            if base.type.value.is_real:
                help = "add up integers for one answer on every target"
                message = "sums of reals depend on their order, and so may the best key"
                context.warn("W0507", message, span, help=help)
            return typed.MapBest(base.symbol, span=span)
        case types.UpdatesType():
            return _of_updates(context, base, name, arguments, span)
        case types.ListType() if types.is_list(base.type) and base.symbol is not None:
            if name.text == "size":
                return lists.size(context, base.symbol, arguments, span)
        case types.ListType() | types.ContainerType() | types.NodeMapType():
            row = builtins.collection_methods(base.type)[name.text]
            if not _fits(context, base, name, row, arguments, span):
                return None
            if row.result is not None:
                kind = _type_in(base.type, row.result)
                return members.collection_value(f"{_word(base.type)}.{name.text}", kind, span)
    _say_no_value(context, name, span)
    return None


def _of_updates(context: Context, base: Thing, name: ast.Name, arguments: Arguments, span: Span) -> Value | None:
    """`U.currentBatch(…)` or `U.size()`."""
    row = builtins.collection_methods(base.type)[name.text]
    if not _fits(context, base, name, row, arguments, span):
        return None
    construct = f"updates.{name.text}"
    if base.updates is None:  # out of a collection, which nothing runs yet
        return members.collection_value(construct, _type_in(base.type, row.result or ""), span)
    if name.text == "size":
        return updates.size_of(context, base.updates, span)
    kind = converted(context, name, (types.Scalar.INT,) * len(arguments), arguments, span)
    if kind is None:
        return None
    chosen = updates.current_batch(base.updates, walk.as_named(kind[0]) if kind else None)
    return Thing(types.UpdatesType(), None, construct, span, chosen)


def _say_no_value(context: Context, name: ast.Name, span: Span) -> None:
    if name.text in builtins.DOMAINS:
        help = f"loop over it: 'for (x in ….{name.text}(…))'"
        context.error("E0308", f"'{name.text}' is what a loop runs over, not a value", span, help=help)
    else:
        context.error("E0325", f"'{name.text}' gives no value", span, help="it is a statement of its own")


def _query(
    context: Context, base: Thing, name: ast.Name, row: builtins.QueryMethod, arguments: Arguments, span: Span
) -> typed.Expression | None:
    if (operands := converted(context, name, row.parameters, arguments, span)) is None:
        return None
    assert base.symbol is not None
    if row.query is Query.FIND_EDGE:
        return _edge_between(context, base.symbol, *operands, span=span)
    weight = context.weight() if row.result is None else None
    if weight is not None:
        context.mark_read(weight)
    kind = row.result or (types.Scalar.INT if weight is None else weight.property.element)
    return GraphQuery(base.symbol, row.query, tuple(operands), kind, weight, span=span)


def converted(
    context: Context, name: ast.Name, parameters: Sequence[types.Scalar], arguments: Arguments, span: Span
) -> list[typed.Expression] | None:
    """The arguments of a method as what it takes."""
    if len(arguments) != len(parameters):
        help = _COUNT_HELP.get((name.text, len(arguments)))
        wrong_count(context, f"'{name.text}'", counted(len(parameters)), len(arguments), span, help=help)
        return None
    operands = []
    for parameter, argument in zip(parameters, arguments, strict=True):
        value = scalar(context, argument)
        operand = None if value is None else conversions.convert(context, value, parameter)
        if operand is not None:
            operands.append(operand)
    return operands if len(operands) == len(parameters) else None


_COUNT_HELP = {
    ("edges", 1): "the arcs out of v: 'for (w in g.neighbors(v)) { edge e = g.get_edge(v, w); … }'",
    ("neighbors", 0): "say of which node: 'g.neighbors(v)'",
    ("nodes_to", 0): "say of which node: 'g.nodes_to(v)'",
}


def _edge_between(
    context: Context, graph: Symbol, first: typed.Expression, second: typed.Expression, *, span: Span
) -> typed.Expression:
    """`get_edge(first, second)`: the current arc of the nearest neighbor loop between the two, else a search."""
    for frame in reversed(context.frames):
        domain = frame.domain
        if frame.iterator is None or not isinstance(domain, typed.Neighbors) or domain.graph is not graph:
            continue
        node = walk.as_named(domain.node)
        if not is_steady(node, frame.fickle):
            continue
        forward = node == walk.as_named(first) and _is_iterator(second, frame.iterator)
        backward = node == walk.as_named(second) and _is_iterator(first, frame.iterator)
        match domain.direction:
            case Direction.OUT if forward:
                return typed.ArcInHand(frame.iterator, span=span)
            case Direction.IN if backward:
                return typed.ArcInHand(frame.iterator, span=span)
            case Direction.IN if forward:
                _warn_of_reversed_arc(context, first, second, frame.span, span)
                return typed.ArcInHand(frame.iterator, span=span)
    return GraphQuery(graph, Query.FIND_EDGE, (first, second), types.Scalar.EDGE, span=span)


def _is_iterator(node: typed.Expression, iterator: Symbol) -> bool:
    return isinstance(node, typed.Variable) and node.symbol is iterator


def is_steady(node: typed.Expression, fickle: frozenset[str]) -> bool:
    """Whether a loop's node is the same throughout its body."""
    return isinstance(node, typed.Variable) and (node.symbol.role is Role.ITERATOR or node.symbol.name not in fickle)


def _warn_of_reversed_arc(
    context: Context, first: typed.Expression, second: typed.Expression, loop: Span, span: Span
) -> None:
    first, second = walk.as_named(first), walk.as_named(second)
    assert isinstance(first, typed.Variable)
    assert isinstance(second, typed.Variable)
    node, neighbor = first.symbol.name, second.symbol.name
    context.warn(
        "W0302",
        f"the arc in hand goes from '{neighbor}' to '{node}'",
        span,
        "the ends are the other way round",
        related=[Label(loop, f"'{neighbor}' runs over the nodes with an arc to '{node}'")],
        help=f"write 'get_edge({neighbor}, {node})'",
    )


def _set_question(
    context: Context, base: Thing, kind: types.SetType, name: ast.Name, arguments: Arguments, span: Span
) -> typed.Expression | None:
    parameters = (kind.member,) if name.text == "contains" else ()
    operands = converted(context, name, parameters, arguments, span)
    if operands is None or base.symbol is None:
        return None
    if name.text == "size":
        return typed.SetSize(base.symbol, span=span)
    return typed.SetContains(base.symbol, operands[0], span=span)


def method_statement(
    context: Context, base: Thing, name: ast.Name, arguments: Arguments, span: Span
) -> typed.Statement | None:
    """`base.name(arguments);` of a method that gives no value."""
    match base.type:
        case types.SetType() if name.text == "add":
            operands = converted(context, name, (base.type.member,), arguments, span)
            if operands is None or base.symbol is None:
                return None
            context.mark_written(base.symbol)
            context.note_host_only(span, "adds to a set")
            return typed.AddToSet(base.symbol, operands[0], span=span)
        case types.GraphType():
            return _dynamic(context, base, name, arguments, span)
        case types.ListType() if types.is_list(base.type) and base.symbol is not None:
            return lists.change(context, base.symbol, name, arguments, span)
        case _:
            row = builtins.collection_methods(base.type)[name.text]
            if not _fits(context, base, name, row, arguments, span):
                return None
            context.note_host_only(span, f"changes {types.described(base.type)}")
            return typed.Unsupported(f"{_word(base.type)}.{name.text}", span=span)


def _dynamic(context: Context, base: Thing, name: ast.Name, arguments: Arguments, span: Span) -> typed.Statement | None:
    if len(arguments) != 1:
        wrong_count(context, f"'{name.text}'", "1 argument", len(arguments), span)
        return None
    value = arguments[0]
    if value is None:
        return None
    flags = types.PropertyType(types.Carrier.NODE, types.Scalar.BOOL)
    needed: types.Type = types.UpdatesType() if builtins.DYNAMIC_METHODS[name.text] == "updates" else flags
    if not isinstance(value, Thing) or value.type != needed:
        found = types.described(value.type)
        message = f"'{name.text}' takes {types.described(needed)}, not {found}"
        context.error("E0315", message, value.span, f"this is {found}")
        return None
    if value.symbol is not None:
        context.mark_read(value.symbol)
        context.mark_written(value.symbol)
    context.note_host_only(span, f"calls '{name.text}'")
    assert base.symbol is not None
    if needed == flags and value.symbol is not None:
        called = builtins.PRELUDE_ATTRIBUTES[name.text]
        return typed.CallStatement(
            typed.Call(called, (base.symbol, value.symbol), types.Void.VOID, span=span), span=span
        )
    if value.updates is None:  # out of a collection, which nothing runs yet
        return typed.Unsupported(name.text, span=span)
    seen = (binding.symbol for binding in context.scopes.visible())
    properties = tuple(symbol for symbol in seen if symbol is not None and _has_arcs(symbol.type))
    adds = name.text == "updateCSRAdd"
    return typed.ChangeGraph(base.symbol, value.updates, adds, properties, span=span)


def _has_arcs(kind: types.Type) -> bool:
    """Whether something has a value for every edge."""
    carrier = kind.carrier if isinstance(kind, types.PropertyType) else None
    return carrier is types.Carrier.EDGE or kind == types.SetType(types.Scalar.EDGE)


def _fits(
    context: Context, base: Thing, name: ast.Name, row: builtins.CollectionMethod, arguments: Arguments, span: Span
) -> bool:
    """Whether a collection's method may be called with these arguments."""
    most = len(row.parameters)
    if not most - row.optional <= len(arguments) <= most:
        wanted = counted(most) if not row.optional else f"{most - row.optional} or {most} arguments"
        wrong_count(context, f"'{name.text}'", wanted, len(arguments), span)
        return False
    if base.symbol is not None:
        context.mark_written(base.symbol)
    fine = True
    for parameter, argument in zip(row.parameters, arguments, strict=False):
        fine = argument is not None and _fits_one(context, _type_in(base.type, parameter), argument) and fine
    return fine


def _fits_one(context: Context, needed: types.Type, argument: Value) -> bool:
    if isinstance(needed, types.Scalar):
        value = scalar(context, argument)
        return value is not None and conversions.convert(context, value, needed) is not None
    if argument.type == needed:
        return True
    found = types.described(argument.type)
    context.error("E0315", f"expected {types.described(needed)}, found {found}", argument.span, f"this is {found}")
    return False


def _type_in(collection: types.Type, kind: types.Scalar | str) -> types.Type:
    """What a table row's type word means for one collection."""
    if isinstance(kind, types.Scalar):
        return kind
    if kind == "updates":
        return types.UpdatesType()
    assert isinstance(collection, types.ListType | types.ContainerType | types.NodeMapType)
    return collection.element


def _word(kind: types.Type) -> str:
    return str(kind).split("<")[0].split("(")[0]
