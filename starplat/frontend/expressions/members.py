"""Checks `value.name` and `value[index]`: property cells, edge ends and weights, elements of collections.

Values and indices come in checked; None comes out, the reason said, where there is no such member. Whether the member
is read or written is the caller's to note.
"""

from starplat.diagnostics import Label
from starplat.frontend import ast, typed, types, walk
from starplat.frontend.builtins import EDGE_ATTRIBUTES, PRELUDE_ATTRIBUTES, UPDATE_ATTRIBUTES, method_names, plural
from starplat.frontend.context import Context, Thing, Value
from starplat.frontend.expressions import calls, conversions, lists, updates
from starplat.frontend.mistakes import remedies
from starplat.frontend.mistakes.remedies import closest, did_you_mean
from starplat.frontend.typed import Cell, Direction, End, Literal, Symbol, scalar_of
from starplat.source import Span

INDEX_OF = {types.Carrier.NODE: types.Scalar.NODE, types.Carrier.EDGE: types.Scalar.EDGE}


def attribute(context: Context, base: Value, name: ast.Name, span: Span) -> Value | None:
    """`base.name`."""
    if isinstance(base, Thing):
        if context.bare_node is None or not isinstance(base.type, types.PropertyType):
            return _attribute_of_thing(context, base, name, span)
        own = calls.scalar(context, base)
        return None if own is None else attribute(context, own, name, span)
    match scalar_of(base):
        case types.Scalar.NODE:
            return _node_attribute(context, base, name, span)
        case types.Scalar.EDGE:
            return _edge_attribute(context, base, name, span)
        case kind if kind.is_integer:
            return _number_attribute(context, base, name, span)
        case kind:
            context.error("E0327", f"{types.described(kind)} has no attributes", name.span, help="nodes and edges have")
            return None


def _attribute_of_thing(context: Context, base: Thing, name: ast.Name, span: Span) -> Value | None:
    match base.type:
        case types.GraphType():
            binding = context.scopes.find(name.text, name.span)
            if (
                binding is not None
                and binding.symbol is not None
                and isinstance(binding.symbol.type, types.PropertyType)
            ):
                return Thing(binding.symbol.type, binding.symbol, name.text, span)
        case types.UpdateType() if name.text in UPDATE_ATTRIBUTES:
            if base.symbol is None or base.symbol not in context.update_cells:  # of a list that was not understood
                return typed.UnsupportedValue(f"update.{name.text}", UPDATE_ATTRIBUTES[name.text], span=span)
            return updates.part_of_update(context, base.symbol, name, span)
    help: str | None
    if name.text in method_names(base.type):
        given = "v" if name.text in remedies.NODE_METHODS else "" if base.construct != name.text else "…"
        help = f"it is a method: write '{base.construct}.{name.text}({given})'"
    else:
        known = UPDATE_ATTRIBUTES if isinstance(base.type, types.UpdateType) else method_names(base.type)
        help = did_you_mean(name.text, known)
    context.error("E0211", f"{plural(base.type)} have no attribute '{name.text}'", name.span, help=help)
    return None


def named(base: Value) -> str:
    """A value's name in messages, if it has one."""
    if isinstance(base, Thing):
        return base.construct
    base = walk.as_named(base)
    if isinstance(base, typed.Variable):
        return base.symbol.name
    return "e" if base.type is types.Scalar.EDGE else "v"


def _node_attribute(context: Context, node: typed.Expression, name: ast.Name, span: Span) -> Value | None:
    if (symbol := _property(context, name, types.Carrier.NODE, node)) is not None:
        return Cell(symbol, node, span=span)
    return None


def _number_attribute(context: Context, number: typed.Expression, name: ast.Name, span: Span) -> Value | None:
    """`number.name`, where the number stands for a node."""
    binding = context.scopes.find(name.text)
    kind = None if binding is None or binding.symbol is None else binding.symbol.type
    if isinstance(kind, types.PropertyType):
        of_edges = kind.carrier is types.Carrier.EDGE
    else:
        of_edges = binding is None and name.text in EDGE_ATTRIBUTES
    if of_edges:
        message = f"{types.described(scalar_of(number))} stands for a node, and '{name.text}' belongs to edges"
        context.error("E0327", message, name.span, help="declare the edge as one: 'edge e = g.get_edge(u, v);'")
        return None
    node = conversions.convert(context, number, types.Scalar.NODE)
    return None if node is None else _node_attribute(context, node, name, span)


def _edge_attribute(context: Context, edge: typed.Expression, name: ast.Name, span: Span) -> Value | None:
    match name.text:
        case "source" | "destination":
            graph = graph_of_edge(context, edge)
            return None if graph is None else typed.EdgeEnd(edge, End(name.text), graph, span=span)
        case "weight":
            weight = context.weight(name.span)
            return typed.GraphWeight(edge, span=span) if weight is None else Cell(weight, edge, span=span)
        case "id":
            return typed.Convert(edge, types.Scalar.LONG, span=span)
        case "reverse":
            graph = graph_of_edge(context, edge)
            called = PRELUDE_ATTRIBUTES["reverse"]
            return None if graph is None else typed.Call(called, (graph, edge), types.Scalar.EDGE, span=span)
        case "dir":
            return Literal(0 if _is_walked_backwards(context, edge) else 1, types.Scalar.INT, span=span)
        case _:
            symbol = _property(context, name, types.Carrier.EDGE, edge)
            return None if symbol is None else Cell(symbol, edge, span=span)


def _is_walked_backwards(context: Context, edge: typed.Expression) -> bool:
    """Whether an edge is the current arc of a loop over in-neighbors, or a variable that holds it."""
    match edge:
        case typed.ArcInHand():
            walked = context.walked(edge.iterator)
            return walked is not None and walked.direction is Direction.IN
        case typed.Variable():
            return context.binding(edge.symbol).arc is Direction.IN
    return False


def graph_of_edge(context: Context, edge: typed.Expression) -> Symbol | None:
    """The graph that an edge belongs to."""
    graph: Symbol | None = None
    match edge:
        case typed.Variable():
            graph = context.graph_of(edge.symbol)
        case typed.GraphQuery():
            graph = edge.graph
        case typed.ArcInHand():
            walked = context.walked(edge.iterator)
            graph = None if walked is None else walked.graph
    return graph or context.graph_at_hand(edge.span, "an edge's end")


def _property(context: Context, name: ast.Name, carrier: types.Carrier, base: typed.Expression) -> Symbol | None:
    """The property called `name` on nodes or on edges, here on `base`."""
    if (binding := context.scopes.find(name.text, name.span)) is None:
        _say_no_property(context, name, carrier, base)
        return None
    if binding.symbol is None:
        return None
    kind = binding.symbol.type
    if not isinstance(kind, types.PropertyType):
        related = [Label(binding.span, f"'{name.text}' is {types.described(kind)}")]
        message = f"'{name.text}' is not a property of {_carriers(carrier)}"
        help = remedies.of_member("edge", name.text, named(base)) if carrier is types.Carrier.EDGE else None
        context.error("E0203", message, name.span, related=related, help=help)
        return None
    if kind.carrier is not carrier:
        of_arc = carrier is types.Carrier.NODE
        help = f"the edge that leads there has it: '{_edge_to(context, base)}.{name.text}'" if of_arc else None
        wrong_carrier(context, name.text, kind, name.span, binding.span, help)
        return None
    return binding.symbol


def _carriers(carrier: types.Carrier) -> str:
    return "nodes" if carrier is types.Carrier.NODE else "edges"


def _say_no_property(context: Context, name: ast.Name, carrier: types.Carrier, base: typed.Expression) -> None:
    where = _carriers(carrier) + (f" of '{context.graphs[0].name}'" if len(context.graphs) == 1 else "")
    candidates = context.scopes.properties(carrier)
    related, help = context.suggestion(name.text, candidates)
    if carrier is types.Carrier.EDGE:
        help = help or remedies.of_member("edge", name.text, named(base)) or did_you_mean(name.text, EDGE_ATTRIBUTES)
    else:
        help = help or remedies.of_node_member(name.text, context.graph_name, named(base))
        if help is None and name.text in EDGE_ATTRIBUTES:
            help = f"'{name.text}' belongs to edges: '{_edge_to(context, base)}.{name.text}'"
    if help is None and closest(name.text, (b.name for b in candidates)) is None:
        help = f"declare it: '{carrier.value}<int> {name.text};'"
    if context.first_time("E0203", name.text):
        message = f"no property '{name.text}' on {where}"
        context.error("E0203", message, name.span, "not declared", related=related, help=help)


def _edge_to(context: Context, node: typed.Expression) -> str:
    """How to write the edge to a node: the current arc where the node is a loop's neighbor."""
    graph = context.graph_name
    for frame in reversed(context.frames):
        domain = frame.domain
        if isinstance(domain, typed.Neighbors) and node == typed.Variable(frame.iterator or domain.graph):
            ends = (named(domain.node), named(node))
            first, second = ends if domain.direction is Direction.OUT else ends[::-1]
            return f"{graph}.get_edge({first}, {second})"
    return f"{graph}.get_edge(u, v)"


def wrong_carrier(
    context: Context, name: str, kind: types.PropertyType, span: Span, declared: Span, help: str | None = None
) -> None:
    """Says that a node's property stands at an edge or an edge's at a node."""
    on, at = ("nodes", "an edge") if kind.carrier is types.Carrier.NODE else ("edges", "a node")
    related = [Label(declared, f"'{name}' is {types.described(kind)}")]
    context.error("E0313", f"'{name}' is a property of {on}, this is {at}", span, related=related, help=help)


def index(context: Context, base: Value, position: typed.Expression, span: Span) -> Value | None:
    """`base[position]`."""
    if isinstance(base, Thing):
        match base.type:
            case types.PropertyType():
                return _cell(context, base, base.type, position, span)
            case types.ListType() if base.symbol is not None and types.is_list(base.type):
                return lists.item(context, base.symbol, position, span)
            case types.ListType(element=element) | types.ContainerType(element=element):
                return _element(context, base, (element, types.Scalar.INT), position, span)
            case types.MapType(key=needed):
                key = conversions.convert(context, position, needed)
                assert base.symbol is not None
                return None if key is None else typed.MapValue(base.symbol, key, span=span)
            case types.NodeMapType(element=element):
                return _element(context, base, (element, types.Scalar.NODE), position, span)
    what = types.described(base.type if isinstance(base, Thing) else scalar_of(base))
    context.error("E0329", f"{what} cannot be indexed", base.span, help="properties and collections can")
    return None


def _cell(
    context: Context, base: Thing, kind: types.PropertyType, position: typed.Expression, span: Span
) -> Value | None:
    assert base.symbol is not None
    needed, found = INDEX_OF[kind.carrier], scalar_of(position)
    if found.is_index and found is not needed:
        wrong_carrier(context, base.symbol.name, kind, position.span, base.symbol.span)
        return None
    place = conversions.convert(context, position, needed)
    return None if place is None else Cell(base.symbol, place, span=span)


def _element(
    context: Context, base: Thing, kinds: tuple[types.Type, types.Scalar], position: typed.Expression, span: Span
) -> Value | None:
    element, needed = kinds
    if conversions.convert(context, position, needed) is None:
        return None
    return collection_value(f"{base.construct}[…]", element, span)


def collection_value(construct: str, kind: types.Type, span: Span) -> Value:
    match kind:
        case types.Scalar():
            return typed.UnsupportedValue(construct, kind, span=span)
        case types.Void() | types.Several():
            raise AssertionError("no collection holds nothing")
    return Thing(kind, None, construct, span)
