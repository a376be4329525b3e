"""Checks local maps: where one is declared, what may be added to it and where, when it may be read.

A map lies in memory that the row of its iteration's node bounds. So it belongs to an iteration of a `forall` over
nodes, and keys are added in one place, in one loop over that node's own neighbors.
"""

from starplat.diagnostics import Label
from starplat.frontend import ast, typed, types, walk
from starplat.frontend.context import Context, Enclosure, Frame, LocalMap
from starplat.frontend.expressions import conversions, operators
from starplat.frontend.typed import Symbol, Variable
from starplat.source import Span

_KEYS = (types.Scalar.INT, types.Scalar.NODE, types.Scalar.BOOL)


def map_type(context: Context, written: ast.TypeName, key: object, value: object) -> types.MapType | None:
    """`map<key, value>`, if the two are types that a map can have."""
    assert written.key is not None
    assert written.element is not None
    if key not in _KEYS:
        context.error(
            "E0415", f"a map cannot have {key} keys", written.key.span, help="a key is an int, a node or a bool"
        )
        return None
    if not isinstance(value, types.Scalar) or not value.is_numeric:
        help = "a map adds up int, long, float or double values"
        context.error("E0415", f"a map cannot add up {value} values", written.element.span, help=help)
        return None
    assert isinstance(key, types.Scalar)
    return types.MapType(key, value)


def owner_of_map(context: Context, name: ast.Name) -> LocalMap | None:
    """The node to whose iteration a map declared here belongs; says so if there is none."""
    parallel = [frame for frame in context.frames if frame.kind.is_parallel]
    help = "declare it inside 'forall (v in g.nodes())' and add to it in 'for (u in g.neighbors(v))'"
    if not parallel:
        context.error("E0414", "a map belongs to one iteration of a 'forall'", name.span, "in no 'forall'", help=help)
        return None
    first = parallel[0]
    over_nodes = first.kind is Enclosure.FORALL and isinstance(first.domain, typed.AllNodes | typed.Members)
    if len(parallel) > 1 or not over_nodes or first.iterator is None or first.iterator.type is not types.Scalar.NODE:
        related = [Label(frame.span, "runs in parallel") for frame in parallel]
        message = "a map belongs to one node: its 'forall' is over all nodes or a set of nodes, inside no other one"
        context.error("E0414", message, name.span, related=related, help=help)
        return None
    return LocalMap(first.iterator, len(context.frames))


def note_read(context: Context, symbol: Symbol, span: Span) -> None:
    """Notes that a map is read here; says so if other iterations add to it meanwhile."""
    if (found := context.maps.get(symbol)) is None or len(context.frames) == found.depth:
        return
    loop = context.frames[found.depth].span
    found.read.setdefault(loop, span)
    _check_apart(context, symbol, found, loop)


def _check_apart(context: Context, symbol: Symbol, found: LocalMap, loop: Span) -> None:
    """Refuses a `forall` that both adds to a map and reads it."""
    if found.adding is None or not found.adding.kind.is_parallel or found.adding.span != loop or loop not in found.read:
        return
    assert found.added is not None
    related = [Label(found.added, "added to here")]
    message = f"'{symbol.name}' is read while iterations of the same 'forall' add to it"
    help = "read it after the loop; or make the loop a 'for', which is in order"
    context.error("E0418", message, found.read[loop], related=related, help=help)


def add_to_map(
    context: Context, node: ast.Assignment, place: typed.MapValue, given: typed.Expression
) -> typed.Statement | None:
    """`votes[key] += given;`"""
    symbol = place.symbol
    if node.operator not in ("+=", "-="):
        refuse_change(context, place, f"'{node.operator}' is not for it")
        return None
    because = Label(symbol.span, f"'{symbol.name}' is {types.indefinite(symbol.type)}")
    value = conversions.convert(context, given, symbol.map.value, (because,))
    found = context.maps.get(symbol)
    if value is None or found is None or not _is_bounded(context, symbol, found, node.span):
        return None
    if node.operator == "-=":
        value = operators.negate(value, value.span)
    return typed.AddToMap(symbol, place.key, value, span=node.span)


def refuse_change(context: Context, place: typed.MapValue, why: str) -> None:
    """Says that a map is only added to, in statements."""
    name = place.symbol.name
    help = f"write '{name}[…] += …' as a statement"
    context.error("E0417", f"'{name}' only adds up: {why}", place.span, help=help)


def _is_bounded(context: Context, symbol: Symbol, found: LocalMap, span: Span) -> bool:
    """Whether an addition here leaves no more keys than the owner has neighbors; says why not."""
    owner = found.owner.name
    help = f"add in one place, in 'for (u in g.neighbors({owner}))': the map has room for a key for each neighbor"
    inside = context.frames[found.depth :]
    if found.added is not None:
        related = [Label(found.added, "the first place")]
        context.error("E0416", f"keys are added to '{symbol.name}' in two places", span, related=related, help=help)
        return False
    if len(inside) != 1 or not _over_own_neighbors(inside[0], found.owner):
        message = f"keys are added to '{symbol.name}' outside a loop over the neighbors of '{owner}'"
        if any(_over_own_neighbors(frame, found.owner) for frame in inside):
            message = f"keys are added to '{symbol.name}' in a loop inside another"
        related = [
            Label(symbol.span, f"'{symbol.name}' belongs to '{owner}'"),
            *(Label(f.span, "a loop") for f in inside),
        ]
        context.error("E0416", message, span, related=related, help=help)
        return False
    found.added, found.adding = span, inside[0]
    _check_apart(context, symbol, found, inside[0].span)
    return True


def refuse_unfilled(context: Context) -> None:
    """Refuses maps to which nothing is added: what their storage would be for is unknown."""
    for symbol, found in context.maps.items():
        if found.added is None and not context.reporter.errors:
            help = f"write '{symbol.name}[…] += …' in a loop over the neighbors of '{found.owner.name}'"
            context.error("E0416", f"nothing is added to '{symbol.name}'", symbol.span, help=help)


def _over_own_neighbors(frame: Frame, owner: Symbol) -> bool:
    return isinstance(frame.domain, typed.Neighbors) and walk.as_named(frame.domain.node) == Variable(owner)
