"""Computes transfers: what every kernel and host region reads and writes, and hence what is copied.

The graph's arrays go up once and never down; a property goes up only if the caller gave it and its first contents
matter; it comes down only if the caller asks for it or host code reads it; a scalar that a kernel changes is one word
each launch; what is declared inside a `forall` never leaves the device.
"""

from dataclasses import dataclass

from starplat.analysis import effects, walk
from starplat.analysis.hosting import Hosting
from starplat.analysis.races import LoopRaces, RaceClass
from starplat.frontend import typed
from starplat.frontend.types import Carrier, MapType, PropertyType, Scalar, SetType
from starplat.same import Same


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A kernel's accesses to memory that outlives it. `words` are the outer scalars it changes: one word down each
    launch."""

    loop: LoopRaces
    reads: tuple[typed.Symbol, ...]
    writes: tuple[typed.Symbol, ...]
    words: tuple[typed.Symbol, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Transfers:
    """What a function moves. `graph` names the parts of the graph that kernels use; `host_reads` and `host_writes`
    are properties of which the host touches single cells, one word each; `up` and `down` are property and set
    parameters, `lists` those that kernels go over."""

    graph: tuple[str, ...]
    regions: tuple[Region, ...]
    host_reads: tuple[typed.Symbol, ...]
    host_writes: tuple[typed.Symbol, ...]
    up: tuple[typed.Symbol, ...]
    down: tuple[typed.Symbol, ...]
    lists: tuple[typed.Symbol, ...]
    resident: tuple[typed.Symbol, ...]


def transfers(function: typed.FunctionDefinition, loops: tuple[LoopRaces, ...], hosting: Hosting) -> Transfers:
    kernels = _kernels(loops, hosting)
    regions = tuple(_region(kernel) for kernel in kernels)
    inside = {Same(s) for kernel in kernels for s in walk.statements(kernel.loop.body)}
    host = [s for s in walk.statements(function.body) if Same(s) not in inside]
    reads = _ordered(e.symbol for s in host for v in walk.values(s) for e in walk.within(v) if isinstance(e, typed.Cell) and not isinstance(s, typed.FixedPoint | typed.ForEach | typed.IterateInBFS))  # fmt: skip  # noqa: E501
    writes = _ordered(p.symbol for s in host for p in walk.written_places(s) if isinstance(p, typed.Cell))
    parameters = [p for p in function.parameters if isinstance(p.type, PropertyType | SetType)]
    return Transfers(
        graph=_graph_parts(function),
        regions=regions,
        host_reads=reads,
        host_writes=writes,
        up=tuple(p for p in parameters if first_contents_matter(p, function)),
        down=tuple(p for p in parameters if isinstance(p.type, PropertyType)),
        lists=_ordered(kernel.loop.domain.symbol for kernel in kernels if isinstance(kernel.loop.domain, typed.Items)),
        resident=_ordered(
            s.symbol
            for s in walk.statements(function.body)
            if isinstance(s, typed.Declare) and isinstance(s.symbol.type, PropertyType | SetType | MapType)
        ),
    )


def _kernels(loops: tuple[LoopRaces, ...], hosting: Hosting) -> list[LoopRaces]:
    """The outermost parallel loops that one kernel can hold."""
    chosen: list[LoopRaces] = []
    inside: set[Same] = set()
    for loop in loops:
        if Same(loop.loop.node) not in inside and not hosting.needs_host(loop.loop.body):
            chosen.append(loop)
            inside |= {Same(s) for s in walk.statements(loop.loop.body)}
    return chosen


def _region(races: LoopRaces) -> Region:
    memory = [a for cell in races.cells for a in cell.accesses if not isinstance(a.symbol.type, Scalar)]
    return Region(
        races,
        _ordered(a.symbol for a in memory if _is_read(a)),
        _ordered(a.symbol for a in memory if a.kind is not effects.Kind.READ),
        _ordered(
            cell.symbol
            for cell in races.cells
            if isinstance(cell.symbol.type, Scalar) and cell.race_class is not RaceClass.READ_ONLY
        ),
    )


def _is_read(access: effects.Access) -> bool:
    return access.kind in (effects.Kind.READ, effects.Kind.UPDATE, effects.Kind.EXTREME)


def _ordered(symbols: object) -> tuple[typed.Symbol, ...]:
    return tuple(dict.fromkeys(symbols))  # type: ignore[call-overload]


def first_contents_matter(symbol: typed.Symbol, function: typed.FunctionDefinition) -> bool:
    """Whether a parameter's initial contents may be read, or be the result: unless the first statement that mentions it
    overwrites it as a whole, also as a loop over all nodes or arcs, with no return before."""
    for statement in function.body.statements:
        if walk.touches(statement, symbol):
            return not _overwrites(statement, symbol)
        if any(isinstance(inner, typed.Return) for inner in walk.statements(statement)):
            break
    return isinstance(symbol.type, PropertyType)


def _names(expression: typed.Expression, symbol: typed.Symbol) -> bool:
    match expression:
        case typed.Cell() | typed.SetSize() | typed.SetContains():
            return expression.symbol is symbol
        case typed.Aggregate():
            return expression.property is symbol
        case typed.GraphQuery():
            return expression.weight is symbol
        case typed.Call():
            return any(a is symbol for a in expression.arguments)
    return False


def _overwrites(statement: typed.Statement, symbol: typed.Symbol) -> bool:
    match statement:
        case typed.Attach(items=items):
            copied = any(v is symbol for _, v in items)
            reads = any(_names(e, symbol) for v in walk.values(statement) for e in walk.within(v))
            return not (copied or reads) and any(target is symbol for target, _ in items)
        case typed.CopyProperty():
            return statement.destination is symbol and statement.source is not symbol
        case typed.ForEach(iterator=iterator, domain=typed.AllNodes() | typed.AllEdges(), filter=None, body=body):
            return _sets_own_cell(body, symbol, iterator)
    return False


def _sets_own_cell(body: typed.Block, symbol: typed.Symbol, iterator: typed.Symbol) -> bool:
    """Whether every iteration of a loop sets its own cell of a property, and neither reads it nor touches another."""
    touching = [statement for statement in body.statements if walk.touches(statement, symbol)]
    before = body.statements[: body.statements.index(touching[0])] if touching else ()
    if len(touching) != 1 or any(map(walk.leaves, before)) or walk.may_be_last(body):
        return False
    match touching[0]:
        case typed.Assign(typed.Cell(target, typed.Variable(node))) as assign:
            only_set = walk.written(assign) == (symbol,) and symbol not in walk.read(assign)
            return target is symbol and node is iterator and only_set
    return False


_OF_ROWS = (typed.Query.OUT_DEGREE, typed.Query.FIRST_EDGE, typed.Query.IS_EDGE, typed.Query.FIND_EDGE)


def _graph_parts(function: typed.FunctionDefinition) -> tuple[str, ...]:
    parts: dict[str, None] = {}
    for statement in walk.statements(function.body):
        match statement:
            case typed.ForEach(domain=typed.Neighbors(direction=direction)):
                if direction is not typed.Direction.IN:
                    parts["out-neighbors"] = None
                if direction is not typed.Direction.OUT:
                    parts["in-neighbors"] = None
            case typed.IterateInBFS():
                parts["out-neighbors"] = None
        for value in walk.values(statement):
            for e in walk.within(value):
                match e:
                    case typed.GraphWeight():
                        parts["weights"] = None
                    case typed.Cell(symbol=symbol) if symbol.name == "weight" and symbol.role is typed.Role.PARAMETER:
                        if symbol.property.carrier is Carrier.EDGE:
                            parts["weights"] = None
                    case typed.GraphQuery(query=query) if query in _OF_ROWS:
                        parts["out-neighbors"] = None
                    case typed.GraphQuery(query=typed.Query.IN_DEGREE):
                        parts["in-neighbors"] = None
    return tuple(parts)
