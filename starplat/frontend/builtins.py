"""Tables of the built-in methods, attributes and functions.

`method_names` says what may be called on what, a row with what and what it gives; what a call becomes is decided in
`methods`. Rows that give no value stand as statements only; what `DOMAINS` has stands in loops.
"""

from dataclasses import dataclass

from starplat.frontend import types
from starplat.frontend.typed import Aggregation, Direction, Function, Query

NODE, INT, BOOL = types.Scalar.NODE, types.Scalar.INT, types.Scalar.BOOL


@dataclass(frozen=True, slots=True)
class QueryMethod:
    """A question to a graph; `result` None: the type of the weights in scope."""

    query: Query
    parameters: tuple[types.Scalar, ...]
    result: types.Scalar | None


GRAPH_QUERIES = {
    "num_nodes": QueryMethod(Query.NUM_NODES, (), INT),
    "num_edges": QueryMethod(Query.NUM_EDGES, (), types.Scalar.LONG),
    "count_outNbrs": QueryMethod(Query.OUT_DEGREE, (NODE,), INT),
    "getOutDegree": QueryMethod(Query.OUT_DEGREE, (NODE,), INT),
    "count_inNbrs": QueryMethod(Query.IN_DEGREE, (NODE,), INT),
    "getInDegree": QueryMethod(Query.IN_DEGREE, (NODE,), INT),
    "degree": QueryMethod(Query.OUT_DEGREE, (NODE,), INT),
    "first_edge": QueryMethod(Query.FIRST_EDGE, (NODE,), types.Scalar.EDGE),
    "get_edge": QueryMethod(Query.FIND_EDGE, (NODE, NODE), types.Scalar.EDGE),
    "is_an_edge": QueryMethod(Query.IS_EDGE, (NODE, NODE), BOOL),
    "check_if_nbr": QueryMethod(Query.IS_EDGE, (NODE, NODE), BOOL),
    "minWt": QueryMethod(Query.MIN_WEIGHT, (), None),
    "maxWt": QueryMethod(Query.MAX_WEIGHT, (), None),
}

NEIGHBOR_DOMAINS = {direction.value: direction for direction in Direction}
DOMAINS = frozenset({"nodes", "edges", "common_neighbors", *NEIGHBOR_DOMAINS})
ATTACH_NODE, ATTACH_EDGE = "attachNodeProperty", "attachEdgeProperty"
DYNAMIC_METHODS = {"updateCSRAdd": "updates", "updateCSRDel": "updates", "propagateNodeFlags": "propNode<bool>"}
"""Statements of dynamic programs on a graph, with what their one argument is."""

PRELUDE_ATTRIBUTES = {
    "neighbor": "neighbor_at",
    "reverse": "arc_back",
    "propagateNodeFlags": "propagate_flags",
    "size": "updates_in",
}
"""Methods of graphs and of updates, and an edge's attribute, that are functions of the prelude."""

GRAPH_METHODS = frozenset({*GRAPH_QUERIES, "neighbor", *DOMAINS, ATTACH_NODE, ATTACH_EDGE, *DYNAMIC_METHODS})
SET_METHODS = frozenset({"size", "contains", "add"})
MAP_METHODS = frozenset({"size", "best"})


@dataclass(frozen=True, slots=True)
class CollectionMethod:
    """`parameters` are types, or `element` for the collection's own; `optional` of them may be left out.

    `result` None: a statement. `element` as result: the collection's own."""

    parameters: tuple[types.Scalar | str, ...]
    result: types.Scalar | str | None
    optional: int = 0


_SEQUENCE_METHODS = {
    "push": CollectionMethod(("element",), None),
    "insert": CollectionMethod((INT, "element"), None),
    "size": CollectionMethod((), INT),
    "clear": CollectionMethod((), None),
    "resize": CollectionMethod((INT, "element"), None, optional=1),
}
_NODE_MAP_METHODS = {
    "insert": CollectionMethod((NODE, "element"), None),
    "contains": CollectionMethod((NODE,), BOOL),
    "size": CollectionMethod((), INT),
    "clear": CollectionMethod((), None),
}
_UPDATES_METHODS = {"currentBatch": CollectionMethod((INT,), "updates", optional=1), "size": CollectionMethod((), INT)}


def collection_methods(kind: types.Type) -> dict[str, CollectionMethod]:
    """The methods of a collection type, by name."""
    match kind:
        case types.ListType() | types.ContainerType():
            return _SEQUENCE_METHODS
        case types.NodeMapType():
            return _NODE_MAP_METHODS
        case types.UpdatesType():
            return _UPDATES_METHODS
    return {}


def method_names(kind: types.Type) -> frozenset[str]:
    """The methods of a value of type `kind`."""
    match kind:
        case types.GraphType():
            return GRAPH_METHODS
        case types.SetType():
            return SET_METHODS
        case types.MapType():
            return MAP_METHODS
    return frozenset(collection_methods(kind))


EDGE_ATTRIBUTES = frozenset({"source", "destination", "weight", "id", "dir", "reverse"})
UPDATE_ATTRIBUTES = {"source": NODE, "destination": NODE, "weight": INT}
RESERVED_EDGE_PROPERTIES = EDGE_ATTRIBUTES - {"weight"}

FUNCTIONS = {
    "min": (Function.MIN, 2),
    "max": (Function.MAX, 2),
    "Min": (Function.MIN, 2),
    "Max": (Function.MAX, 2),
    "abs": (Function.ABS, 1),
    "sqrt": (Function.SQRT, 1),
    "exp": (Function.EXP, 1),
    "log": (Function.LOG, 1),
    "pow": (Function.POW, 2),
    "floor": (Function.FLOOR, 1),
    "ceil": (Function.CEIL, 1),
}
"""Mathematical functions with how many arguments they take; `Min` and `Max` of one property are aggregates."""

CASTS = {kind.value: kind for kind in types.Scalar if kind.is_numeric}
"""The types that a value can be cast to, by the words of the cast."""

AGGREGATES = {aggregation.value: aggregation for aggregation in Aggregation}
REMARKS = {"print": "print(value or text, …)", "assert": "assert(condition, text)"}
"""The statements that checked runs and `reference` alone carry out, with how they are called."""

FUNCTION_NAMES = frozenset({*FUNCTIONS, *AGGREGATES, *REMARKS})

_KINDS = {
    types.GraphType: "graphs",
    types.SetType: "sets",
    types.ListType: "lists",
    types.ContainerType: "containers",
    types.MapType: "maps",
    types.NodeMapType: "node maps",
    types.UpdatesType: "updates",
    types.UpdateType: "single updates",
    types.PropertyType: "properties",
}
_SCALARS = {types.Scalar.NODE: "nodes", types.Scalar.EDGE: "edges"}


def plural(kind: types.Type) -> str:
    """The plural of a type's name, for messages.

    >>> plural(types.GraphType())
    'graphs'
    """
    if isinstance(kind, types.Scalar):
        return _SCALARS.get(kind, f"{kind} values")
    return _KINDS.get(type(kind), f"{kind} values")
