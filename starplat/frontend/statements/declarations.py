"""Checks type names and declarations, of parameters and locals."""

from dataclasses import dataclass

from starplat.diagnostics import Label
from starplat.frontend import ast, builtins, scope, typed, types
from starplat.frontend.context import Context, Thing
from starplat.frontend.expressions import calls, conversions, local_maps
from starplat.frontend.expressions.expressions import expression, value
from starplat.frontend.expressions.lists import copied_list, may_be_declared, nothing
from starplat.frontend.statements.lists import broken_statement, broken_value, declare_updates
from starplat.frontend.typed import Role, Symbol
from starplat.source import Span

_SCALARS = {kind.value: kind for kind in types.Scalar}


@dataclass(frozen=True, slots=True)
class Meaning:
    """A type, the graph that it was bound to in the text, and the `sizes` of a container: how many elements it has at
    first, and their value."""

    type: types.Type
    graph: Symbol | None = None
    sizes: tuple[typed.Expression, ...] = ()


def meaning(context: Context, written: ast.TypeName, bound_to: ast.Name | None = None) -> Meaning | None:
    graph_name = written.graph or bound_to
    graph = None if graph_name is None else graph_named(context, graph_name)
    if graph_name is not None and graph is None:
        return None
    match written.name:
        case "Graph" | "dirGraph":
            return Meaning(types.GraphType(written.name == "dirGraph"))
        case "propNode" | "propEdge":
            element = _property_element(context, written)
            return None if element is None else Meaning(types.PropertyType(types.Carrier(written.name), element), graph)
        case "SetN" | "SetE":
            return Meaning(types.SetType(types.Scalar.NODE if written.name == "SetN" else types.Scalar.EDGE), graph)
        case "updates":
            return Meaning(types.UpdatesType(), graph)
        case "map":
            return _map(context, written)
        case "list" | "container" | "nodeMap":
            return _collection(context, written)
        case name:
            return Meaning(_SCALARS[name])


def graph_named(context: Context, name: ast.Name) -> Symbol | None:
    """The graph of that name; says so if it is none."""
    if (binding := context.find(name.text, name.span)) is None or binding.symbol is None:
        return None
    if not isinstance(binding.symbol.type, types.GraphType):
        related = [Label(binding.span, f"'{name.text}' is {types.described(binding.symbol.type)}")]
        context.error("E0209", f"'{name.text}' is not a graph", name.span, related=related)
        return None
    binding.read = True
    return binding.symbol


def _property_element(context: Context, written: ast.TypeName) -> types.Scalar | None:
    element = None if written.element is None else meaning(context, written.element)
    if element is None:
        return None
    if isinstance(element.type, types.Scalar):
        return element.type
    assert written.element is not None
    help = "it may hold bool, int, long, float, double, node or edge"
    message = f"a property cannot hold {types.described(element.type)}"
    context.error("E0319", message, written.element.span, help=help)
    return None


def _map(context: Context, written: ast.TypeName) -> Meaning | None:
    parts = [None if part is None else meaning(context, part) for part in (written.key, written.element)]
    key, value = (None if part is None else part.type for part in parts)
    if key is None or value is None:
        return None
    kind = local_maps.map_type(context, written, key, value)
    return None if kind is None else Meaning(kind)


def _collection(context: Context, written: ast.TypeName) -> Meaning | None:
    element: types.Type = types.Scalar.INT
    if written.element is not None:
        if (inner := meaning(context, written.element)) is None:
            return None
        element = inner.type
    sizes = []
    for size, needed in zip(written.sizes, (types.Scalar.INT, element), strict=False):
        if (number := expression(context, size)) is not None and isinstance(needed, types.Scalar):
            sizes.append(conversions.convert(context, number, needed) or broken_value(needed, size.span))
    match written.name:
        case "list":
            return Meaning(types.ListType(element))
        case "container":
            of_scalars = isinstance(element, types.Scalar)
            kind = types.ListType(element) if of_scalars else types.ContainerType(element)
            return Meaning(kind, sizes=tuple(sizes))
    return Meaning(types.NodeMapType(element))


def declaration(context: Context, node: ast.Declaration) -> list[typed.Statement]:
    """The statements of `type a = …, b;`."""
    what = meaning(context, node.type)
    statements: list[typed.Statement] = []
    for declarator in node.declarators:
        bound = what if what is None or declarator.graph is None else _bound(context, what, declarator.graph)
        statements.extend(_declare(context, node, bound, declarator))
    return statements


def _bound(context: Context, what: Meaning, graph: ast.Name) -> Meaning | None:
    """The declaration of `propNode<int> d(g);`."""
    if not isinstance(what.type, types.PropertyType):
        help = None
        if isinstance(what.type, types.ContainerType | types.ListType):
            help = f"a size stands behind the type, before the name: '{what.type}({graph.text}) …'"
        message = f"only a property is bound to a graph like this, not {types.described(what.type)}"
        context.error("E0320", message, graph.span, help=help)
        return None
    symbol = graph_named(context, graph)
    return None if symbol is None else Meaning(what.type, symbol)


def _declare(
    context: Context, node: ast.Declaration, what: Meaning | None, declarator: ast.Declarator
) -> list[typed.Statement]:
    name = declarator.name
    if what is None:
        return [_wrong(context, name)]
    match what.type:
        case types.Scalar():
            return [_declare_scalar(context, node, what.type, declarator)]
        case types.PropertyType():
            return _declare_property(context, node, what, declarator)
        case types.SetType():
            return [_declare_set(context, node, what, declarator)]
        case types.MapType():
            return [_declare_map(context, node, what.type, declarator)]
        case types.ListType() if types.is_list(what.type):
            return _declare_list(context, node, what, declarator)
        case types.ListType() | types.ContainerType() | types.NodeMapType() | types.UpdatesType():
            return [_declare_collection(context, node, what, declarator)]
        case _:
            message = f"{types.described(what.type)} can only be a parameter"
            context.error("E0320", message, node.type.span, help="it is given when the program is run")
            return [_wrong(context, name)]


def _wrong(context: Context, name: ast.Name) -> typed.Statement:
    """A declaration that was refused; its name is known, so that its uses give no further message."""
    context.declare_wrongly(name.text, name.span)
    return broken_statement(name.span)


def _declare_scalar(
    context: Context, node: ast.Declaration, kind: types.Scalar, declarator: ast.Declarator
) -> typed.Statement:
    given = None if declarator.value is None else expression(context, declarator.value)
    because = Label(declarator.name.span, f"'{declarator.name.text}' is {types.indefinite(kind)}")
    initial = None if given is None else conversions.convert(context, given, kind, (because,))
    if declarator.value is not None and initial is None:
        initial = broken_value(kind, declarator.value.span)
    symbol = context.declare(declarator.name, kind, Role.LOCAL)
    if kind is types.Scalar.EDGE and initial is not None:
        _remember_edge(context, context.binding(symbol), initial)
    return typed.Declare(symbol, initial, span=node.span)


def _remember_edge(context: Context, binding: scope.Binding, edge: typed.Expression) -> None:
    """Notes of an edge variable which graph its edge is of, and which way its arc is walked."""
    match edge:
        case typed.GraphQuery():
            binding.graph = edge.graph
        case typed.ArcInHand():
            if (walked := context.walked(edge.iterator)) is not None:
                binding.graph, binding.arc = walked.graph, walked.direction
        case typed.Variable():
            other = context.binding(edge.symbol)
            binding.graph, binding.arc = other.graph, other.arc


def _declare_property(
    context: Context, node: ast.Declaration, what: Meaning, declarator: ast.Declarator
) -> list[typed.Statement]:
    name, kind = declarator.name, what.type
    assert isinstance(kind, types.PropertyType)
    graph = what.graph or context.graph_at_hand(name.span, f"the property '{name.text}'")
    if graph is None or not property_name_is_free(context, kind, name):
        return [_wrong(context, name)]
    context.note_host_only(name.span, "declares a property")
    copied = None if declarator.value is None else value(context, declarator.value)
    symbol = context.declare(name, kind, Role.LOCAL)
    context.binding(symbol).graph = graph
    declared = typed.Declare(symbol, span=node.span)
    if declarator.value is None:
        return [declared]
    copy = None if copied is None else copy_property(context, symbol, copied, declarator.value, node.span)
    return [declared, copy or broken_statement(node.span)]


def property_name_is_free(context: Context, kind: types.PropertyType, name: ast.Name) -> bool:
    """Whether a property may have this name: `e.source` and the like mean something else already."""
    if kind.carrier is types.Carrier.NODE or name.text not in builtins.RESERVED_EDGE_PROPERTIES:
        return True
    message = f"every edge has '.{name.text}' already"
    context.error("E0213", message, name.span, "no property can have this name", help="give it another name")
    return False


def may_hold_weights(context: Context, kind: types.PropertyType, name: ast.Name) -> bool:
    """Whether a parameter of this name can begin as the graph's weights, if it is to."""
    if kind.carrier is types.Carrier.NODE or name.text != "weight" or kind.element.is_numeric:
        return True
    message = "the weights of edges are numbers"
    help = "write 'propEdge<int> weight', or 'long', 'float' or 'double', or give it another name"
    context.error("E0332", message, name.span, f"'weight' is {types.indefinite(kind)}", help=help)
    return False


def copy_property(
    context: Context, destination: Symbol, source: Thing | typed.Expression, written: ast.Expression, span: Span
) -> typed.Statement | None:
    """`destination = source`, both whole properties."""
    kind = destination.property
    if not isinstance(source, Thing) or not isinstance(source.type, types.PropertyType):
        carrier = "Node" if kind.carrier is types.Carrier.NODE else "Edge"
        graph = context.graph_of(destination)
        name = graph.name if graph is not None else "g"
        help = f"to fill it, write '{name}.attach{carrier}Property({destination.name} = …)'"
        if isinstance(source, Thing):
            calls.scalar(context, source)
        else:
            message = f"'{destination.name}' is {types.indefinite(kind)} and cannot be set to one value"
            related = [Label(destination.span, "declared here")]
            context.error(
                "E0312", message, written.span, f"this is {types.described(source.type)}", related=related, help=help
            )
        return None
    assert source.symbol is not None
    context.mark_read(source.symbol)
    if not source.type.holds_as_much_as(kind):
        message = f"a {source.type} cannot be copied to a {kind}"
        related = [Label(destination.span, f"'{destination.name}' is {types.indefinite(kind)}")]
        context.error("E0321", message, written.span, f"this is {types.indefinite(source.type)}", related=related)
        return None
    return typed.CopyProperty(destination, source.symbol, span=span)


def _declare_set(context: Context, node: ast.Declaration, what: Meaning, declarator: ast.Declarator) -> typed.Statement:
    name = declarator.name
    context.note_host_only(name.span, "declares a set")
    symbol = context.declare(name, what.type, Role.LOCAL)
    context.binding(symbol).graph = what.graph
    if declarator.value is not None:
        value(context, declarator.value)
        message = f"a {what.type} cannot have an initial value"
        context.error("E0320", message, declarator.value.span, help=f"it is empty: add to it with '{name.text}.add(…)'")
    return typed.Declare(symbol, span=node.span)


def _declare_map(
    context: Context, node: ast.Declaration, kind: types.MapType, declarator: ast.Declarator
) -> typed.Statement:
    name = declarator.name
    found = local_maps.owner_of_map(context, name)
    if declarator.value is not None:
        value(context, declarator.value)
        message = "a map cannot have an initial value"
        context.error(
            "E0320", message, declarator.value.span, help=f"it is empty: add to it with '{name.text}[…] += …'"
        )
    if found is None:
        return _wrong(context, name)
    symbol = context.declare(name, kind, Role.LOCAL)
    context.maps[symbol] = found
    return typed.Declare(symbol, span=node.span)


def _declare_list(
    context: Context, node: ast.Declaration, what: Meaning, declarator: ast.Declarator
) -> list[typed.Statement]:
    name, kind = declarator.name, what.type
    context.note_host_only(name.span, f"declares {types.indefinite(kind)}")
    given = None if declarator.value is None else value(context, declarator.value)
    if not may_be_declared(context, name, kind):
        return [_wrong(context, name)]
    symbol = context.declare(name, kind, Role.LOCAL)
    declared = typed.Declare(symbol, span=node.span)
    if what.sizes:
        number, *values = what.sizes
        arguments = (number, values[0] if values else nothing(symbol.element, node.span))
        return [declared, typed.ChangeList(symbol, typed.ListChange.RESIZE, arguments, span=node.span)]
    if declarator.value is None:
        return [declared]
    if given is None or given.type != kind:
        if given is not None:
            _refuse_initial(context, declarator, declarator.value, kind, given.type)
        return [declared, broken_statement(node.span)]
    copy = copied_list(symbol, given, node.span) if isinstance(given, Thing) else None
    return [declared, copy or typed.Unsupported(f"{node.type.name} =", span=node.span)]


def _refuse_initial(
    context: Context, declarator: ast.Declarator, initial: ast.Expression, kind: types.Type, found: types.Type
) -> None:
    because = Label(declarator.name.span, f"'{declarator.name.text}' is {types.described(kind)}")
    message = f"expected {types.described(kind)}, found {types.described(found)}"
    context.error("E0315", message, initial.span, related=[because])


def _declare_collection(
    context: Context, node: ast.Declaration, what: Meaning, declarator: ast.Declarator
) -> typed.Statement:
    kind = what.type
    context.note_host_only(declarator.name.span, f"declares {types.indefinite(kind)}")
    given = None if declarator.value is None else value(context, declarator.value)
    if declarator.value is not None and given is not None and given.type != kind:
        _refuse_initial(context, declarator, declarator.value, kind, given.type)
    symbol = context.declare(declarator.name, kind, Role.LOCAL)
    context.binding(symbol).graph = what.graph
    if isinstance(kind, types.UpdatesType):
        return declare_updates(context, symbol, given if isinstance(given, Thing) else None, node.span)
    return typed.Unsupported(context.reporter.source.piece(node.type.span), span=node.span)
