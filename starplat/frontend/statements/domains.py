"""Checks the domains of loops: nodes, edges or neighbors of a graph, members of a set, elements of a collection."""

from dataclasses import dataclass

from starplat.frontend import ast, typed, types
from starplat.frontend.builtins import DOMAINS, NEIGHBOR_DOMAINS
from starplat.frontend.context import Context, Thing, Value
from starplat.frontend.expressions import expressions, local_maps, methods
from starplat.frontend.typed import Symbol


@dataclass(frozen=True, slots=True)
class Range:
    """The domain of a loop: `over` is a domain, or the word for a collection; `element` its iterator's type; of the
    neighbors of a node, those that `beside` has an arc to as well; of a list, its `updates`."""

    over: typed.Domain | str
    element: types.Type
    graph: Symbol | None = None
    beside: typed.Expression | None = None
    updates: typed.Updates | None = None


def domain(context: Context, node: ast.Domain) -> Range | None:
    """The domain without its filter, which speaks of the iterator."""
    over = node.over
    if isinstance(over, ast.Call) and isinstance(over.function, ast.Attribute):
        if (base := expressions.value(context, over.function.value)) is None:
            return None
        if isinstance(base, Thing) and isinstance(base.type, types.GraphType):
            return _of_graph(context, base, over, over.function.name)
        if not methods.known_method(context, base, over.function.name):
            return None
    return _of_value(context, expressions.value(context, over), over)


def _of_graph(context: Context, base: Thing, node: ast.Call, name: ast.Name) -> Range | None:
    assert base.symbol is not None
    if name.text not in DOMAINS:
        if methods.known_method(context, base, name):
            help = "loop over g.nodes(), g.edges(), g.neighbors(v), g.nodes_to(v), a set or a container"
            context.error("E0328", f"'{name.text}' is nothing to loop over", node.span, help=help)
        return None
    count = 2 if name.text == "common_neighbors" else 1 if name.text in NEIGHBOR_DOMAINS else 0
    parameters = (types.Scalar.NODE,) * count
    operands = methods.converted(context, name, parameters, expressions.arguments_of(context, node), node.span)
    if operands is None:
        return None
    match name.text:
        case "nodes":
            return Range(typed.AllNodes(base.symbol), types.Scalar.NODE, base.symbol)
        case "edges":
            return Range(typed.AllEdges(base.symbol), types.Scalar.EDGE, base.symbol)
        case "common_neighbors":
            neighbors = typed.Neighbors(base.symbol, operands[0], typed.Direction.OUT)
            return Range(neighbors, types.Scalar.NODE, base.symbol, operands[1])
        case word:
            return Range(
                typed.Neighbors(base.symbol, operands[0], NEIGHBOR_DOMAINS[word]), types.Scalar.NODE, base.symbol
            )


def _of_value(context: Context, over: Value | None, node: ast.Expression) -> Range | None:
    if over is None:
        return None
    if isinstance(over, Thing):
        match over.type:
            case types.SetType(member=member) if over.symbol is not None:
                return Range(typed.Members(over.symbol), member, context.graph_of(over.symbol))
            case types.MapType(key=key) if over.symbol is not None:
                local_maps.note_read(context, over.symbol, node.span)
                return Range(typed.Keys(over.symbol), key)
            case types.ListType() if over.symbol is not None and types.is_list(over.type):
                return Range(typed.Items(over.symbol), over.symbol.element, context.graph_of(over.symbol))
            case types.ListType(element=element) | types.ContainerType(element=element):
                return Range(str(over.type).split("<", maxsplit=1)[0], element)
            case types.NodeMapType():
                return Range("nodeMap", types.Scalar.NODE)
            case types.UpdatesType():
                return Range("updates", types.UpdateType(), updates=over.updates)
    what = types.described(over.type)
    if isinstance(over, Thing) and isinstance(over.type, types.GraphType):
        context.error("E0328", f"{what} is nothing to loop over", node.span, help=f"write '{over.construct}.nodes()'")
        return None
    help = "loop over g.nodes(), g.edges(), g.neighbors(v), g.nodes_to(v), a set or a container"
    context.error("E0328", f"{what} is nothing to loop over", node.span, help=help)
    return None
