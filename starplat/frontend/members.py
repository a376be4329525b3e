"""What `value.name` and `value[index]` mean: a property's cells, an edge's ends and weight, a collection's elements.

Values and indices come in checked; None comes out, the reason said, where there is no such member. Whether the member
is read or written is the caller's to note.
"""

from __future__ import annotations

from starplat.diagnostics import Label
from starplat.frontend import ast, typed
from starplat.frontend.builtins import EDGE_ATTRIBUTES, UPDATE_ATTRIBUTES, method_names, plural
from starplat.frontend.context import Context, Thing, Value
from starplat.frontend.conversions import convert
from starplat.frontend.suggest import closest, did_you_mean
from starplat.frontend.typed import Cell, Direction, End, Literal, Symbol, scalar_of
from starplat.frontend.types import (
    Carrier,
    ContainerType,
    GraphType,
    ListType,
    NodeMapType,
    PropertyType,
    Scalar,
    Type,
    UpdateType,
    Void,
    described,
)
from starplat.source import Span

INDEX_OF = {Carrier.NODE: Scalar.NODE, Carrier.EDGE: Scalar.EDGE}


def attribute(context: Context, base: Value, name: ast.Name, span: Span) -> Value | None:
    """`base.name`."""
    if isinstance(base, Thing):
        return _attribute_of_thing(context, base, name, span)
    match scalar_of(base):
        case Scalar.NODE:
            return _node_attribute(context, base, name, span)
        case Scalar.EDGE:
            return _edge_attribute(context, base, name, span)
        case kind:
            help = None
            binding = context.scopes.find(name.text)
            if kind.is_integer and binding is not None and binding.symbol is not None:
                help = f"index the property with a number: '{name.text}[…]'"
            context.error("E0327", f"{described(kind)} has no attributes", name.span, help=help)
            return None


def _attribute_of_thing(context: Context, base: Thing, name: ast.Name, span: Span) -> Value | None:
    match base.type:
        case GraphType():
            binding = context.scopes.find(name.text)
            if binding is not None and binding.symbol is not None and isinstance(binding.symbol.type, PropertyType):
                return Thing(binding.symbol.type, binding.symbol, name.text, span)
        case UpdateType() if name.text in UPDATE_ATTRIBUTES:
            weight = context.weight() if name.text == "weight" else None
            kind = UPDATE_ATTRIBUTES[name.text] if weight is None else weight.property.element
            return typed.UnsupportedValue(f"update.{name.text}", kind, span=span)
        case _:
            pass
    help: str | None
    if name.text in method_names(base.type):
        help = f"it is a method: write '{name.text}(…)'"
    else:
        known = UPDATE_ATTRIBUTES if isinstance(base.type, UpdateType) else method_names(base.type)
        help = did_you_mean(name.text, known)
    context.error("E0211", f"{plural(base.type)} have no attribute '{name.text}'", name.span, help=help)
    return None


def _node_attribute(context: Context, node: typed.Expression, name: ast.Name, span: Span) -> Value | None:
    symbol = _property(context, name, Carrier.NODE)
    if symbol is not None:
        return Cell(symbol, node, span=span)
    return None


def _edge_attribute(context: Context, edge: typed.Expression, name: ast.Name, span: Span) -> Value | None:
    match name.text:
        case "source" | "destination":
            graph = graph_of_edge(context, edge)
            return None if graph is None else typed.EdgeEnd(edge, End(name.text), graph, span=span)
        case "weight":
            weight = context.weight()
            return typed.GraphWeight(edge, span=span) if weight is None else Cell(weight, edge, span=span)
        case "id":
            return typed.Convert(edge, Scalar.LONG, span=span)
        case "dir":
            return Literal(0 if _is_walked_backwards(context, edge) else 1, Scalar.INT, span=span)
        case _:
            symbol = _property(context, name, Carrier.EDGE)
            return None if symbol is None else Cell(symbol, edge, span=span)


def _is_walked_backwards(context: Context, edge: typed.Expression) -> bool:
    """Whether an edge is the arc in hand of a loop over in-neighbors, or a variable that holds it."""
    match edge:
        case typed.ArcInHand():
            for frame in context.frames:
                if frame.iterator is edge.iterator and isinstance(frame.domain, typed.Neighbors):
                    return frame.domain.direction is Direction.IN
        case typed.Variable():
            return context.binding(edge.symbol).arc is Direction.IN
        case _:
            pass
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
            domains = (frame.domain for frame in context.frames if frame.iterator is edge.iterator)
            graph = next((d.graph for d in domains if isinstance(d, typed.Neighbors)), None)
        case _:
            pass
    return graph or context.graph_at_hand(edge.span, "an edge's end")


def _property(context: Context, name: ast.Name, carrier: Carrier) -> Symbol | None:
    """The property called `name` on nodes or on edges."""
    binding = context.scopes.find(name.text)
    if binding is None:
        _say_no_property(context, name, carrier)
        return None
    if binding.symbol is None:
        return None
    kind = binding.symbol.type
    if not isinstance(kind, PropertyType):
        related = [Label(binding.span, f"'{name.text}' is {described(kind)}")]
        message = f"'{name.text}' is not a property of {_carriers(carrier)}"
        context.error("E0203", message, name.span, related=related)
        return None
    if kind.carrier is not carrier:
        wrong_carrier(context, name.text, kind, name.span, binding.span)
        return None
    return binding.symbol


def _carriers(carrier: Carrier) -> str:
    return "nodes" if carrier is Carrier.NODE else "edges"


def _say_no_property(context: Context, name: ast.Name, carrier: Carrier) -> None:
    where = _carriers(carrier) + (f" of '{context.graphs[0].name}'" if len(context.graphs) == 1 else "")
    candidates = context.scopes.properties(carrier)
    related, help = context.suggestion(name.text, candidates)
    if carrier is Carrier.EDGE and help is None:
        help = did_you_mean(name.text, EDGE_ATTRIBUTES)
    if carrier is Carrier.NODE and help is None and name.text in EDGE_ATTRIBUTES:
        help = f"'{name.text}' belongs to edges: 'g.get_edge(u, v).{name.text}'"
    if help is None and closest(name.text, (b.name for b in candidates)) is None:
        help = f"declare it: '{carrier.value}<int> {name.text};'"
    if context.first_time("E0203", name.text):
        message = f"no property '{name.text}' on {where}"
        context.error("E0203", message, name.span, "not declared", related=related, help=help)


def wrong_carrier(context: Context, name: str, kind: PropertyType, span: Span, declared: Span) -> None:
    """Says that a node's property stands at an edge or an edge's at a node."""
    on, at = ("nodes", "an edge") if kind.carrier is Carrier.NODE else ("edges", "a node")
    related = [Label(declared, f"'{name}' is {described(kind)}")]
    context.error("E0313", f"'{name}' is a property of {on}, this is {at}", span, related=related)


def index(context: Context, base: Value, position: typed.Expression, span: Span) -> Value | None:
    """`base[position]`."""
    if isinstance(base, Thing):
        match base.type:
            case PropertyType():
                return _cell(context, base, base.type, position, span)
            case ListType(element=element) | ContainerType(element=element):
                return _element(context, base, (element, Scalar.INT), position, span)
            case NodeMapType(element=element):
                return _element(context, base, (element, Scalar.NODE), position, span)
            case _:
                pass
    what = described(base.type if isinstance(base, Thing) else scalar_of(base))
    context.error("E0329", f"{what} cannot be indexed", base.span, help="properties and collections can")
    return None


def _cell(context: Context, base: Thing, kind: PropertyType, position: typed.Expression, span: Span) -> Value | None:
    assert base.symbol is not None
    needed, found = INDEX_OF[kind.carrier], scalar_of(position)
    if found.is_index and found is not needed:
        wrong_carrier(context, base.symbol.name, kind, position.span, base.symbol.span)
        return None
    place = convert(context, position, needed)
    return None if place is None else Cell(base.symbol, place, span=span)


def _element(
    context: Context, base: Thing, kinds: tuple[Type, Scalar], position: typed.Expression, span: Span
) -> Value | None:
    element, needed = kinds
    if convert(context, position, needed) is None:
        return None
    return collection_value(f"{base.construct}[…]", element, span)


def collection_value(construct: str, kind: Type, span: Span) -> Value:
    """Something that came out of a collection."""
    match kind:
        case Scalar():
            return typed.UnsupportedValue(construct, kind, span=span)
        case Void():
            raise AssertionError("no collection holds nothing")
        case _:
            return Thing(kind, None, construct, span)
