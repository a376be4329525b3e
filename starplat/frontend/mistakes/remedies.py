"""Help for unknown names: the known name that was probably meant, what other languages call things, and what to write.

Names are looked up without regard to case and underscores; None for unlisted ones.
"""

from collections.abc import Iterable
from itertools import islice

from starplat.diagnostics import Rewrite
from starplat.frontend.builtins import DOMAINS, GRAPH_QUERIES, NEIGHBOR_DOMAINS, NODE
from starplat.frontend.parsing.foreign import by_name

FUNCTIONS = (
    "min max abs sqrt exp log pow floor ceil random randomInt, and Sum Product Count Min Max of a whole property"
)


_FUNCTIONS = by_name(
    {
        "println printf puts echo write display show cout": "write 'print(…)', which checked runs carry out",
        "rand drand48 uniform": "write 'random(seed, i)': a double from 0 up to 1",
        "randint": "write 'randomInt(seed, i, n)': from 0 up to n - 1",
        "range xrange": "to count, write 'for (int i = 0; i < n; i++)' or 'loop (i in 0 to n by 1)'",
        "len length size": "write 'g.num_nodes()', 'g.num_edges()', or 's.size()' of a set",
        "fabs absolute": "write 'abs(x)'",
        "squareroot root": "write 'sqrt(x)'",
        "power": "write 'pow(x, y)'",
        "square sqr": "write 'x * x'",
        "ln log1p": "write 'log(x)', the natural logarithm",
        "log2": "write 'log(x) / log(2.0)'",
        "log10": "write 'log(x) / log(10.0)'",
        "round rint": "write 'floor(x + 0.5)'",
        "trunc": "an assignment to an int cuts the fraction off",
        "mod fmod": "write '%' between integers, 'x - y * floor(x / y)' between reals",
        "sign sgn": "write 'x > 0 ? 1 : x < 0 ? -1 : 0'",
        "isinf isfinite": "compare with 'INF'",
        "not": "write '!'",
        "swap": "write 'int kept = a; a = b; b = kept;'",
        "sort sorted": "nothing is sorted here: 'for' runs over nodes, neighbors and sets in ascending order",
        "check require ensure expect": "write 'assert(condition, \"text\")', which checked runs judge",
        "exit quit abort": "'return' leaves the function",
        "get": "index the property: 'dist[v]'",
    }
)
_NAMES = by_name(
    {
        "null none nil nullptr nothing": "'-1' is no node and no edge",
        "inf infinity infty maxint intmax longmax fltmax dblmax infint": "write 'INF'",
        "intmin minint": "write '-INF'",
        "true": "write 'True'",
        "false": "write 'False'",
        "nan": "there is no such number here: use a value of your own, or a 'propNode<bool>'",
        "self this": "inside a filter a bare property is the node's own; elsewhere name the loop's iterator",
        "console math system std": "functions stand alone: 'sqrt(x)', 'print(x)'",
        "pi mpi": "write '3.141592653589793'",
    }
)
_GRAPH = by_name(
    {
        "degree deg outdegree getdegree countneighbors countnbrs countoutneighbors numneighbors numoutneighbors": (
            "write '{graph}.degree(v)' for the arcs out of it, '{graph}.count_inNbrs(v)' for those into it"
        ),
        "indegree countinneighbors numinneighbors": "write '{graph}.count_inNbrs(v)'",
        "numvertices nodecount vertexcount numberofnodes order countnodes size length": "write '{graph}.num_nodes()'",
        "edgecount numberofedges countedges numarcs": "write '{graph}.num_edges()'",
        "vertices getnodes allnodes v": "write '{graph}.nodes()'",
        "arcs getedges alledges e": "write '{graph}.edges()'",
        "adj adjacent adjacentnodes neighbours outneighbors outneighbours outnbrs nbrs successors getneighbors": (
            "write '{graph}.neighbors(v)'"
        ),
        "inneighbors inneighbours innbrs predecessors incoming nodesfrom": "write '{graph}.nodes_to(v)'",
        "hasedge isedge edgeexists containsedge isneighbor areneighbors": "write '{graph}.is_an_edge(u, v)'",
        "edge arc getarc findedge": "write '{graph}.get_edge(u, v)'",
        "weight getweight edgeweight wt cost": "write '{graph}.get_edge(u, v).weight'",
        "minweight": "write '{graph}.minWt()'",
        "maxweight": "write '{graph}.maxWt()'",
        "attachproperty setnodeproperty initnodeproperty addnodeproperty": "write '{graph}.attachNodeProperty(p = 0)'",
        "addedge addnode removeedge deleteedge addvertex": "a program's graph changes by updates only",
    }
)
_PROPERTY = by_name(
    {
        "size length len count": "there is a value at each node or edge: 'g.num_nodes()', 'g.num_edges()'",
        "max maximum": "write 'Max({property})'",
        "min minimum": "write 'Min({property})'",
        "sum total": "write 'Sum({property})'",
        "fill set assign attach reset": "to fill it, write 'g.attachNodeProperty({property} = …)'",
        "get at": "write 'v.{property}' or '{property}[v]'",
    }
)
_SET = by_name(
    {
        "has in includes include member ismember find exists": "write '{set}.contains(v)'",
        "insert push append pushback put": "write '{set}.add(v)'",
        "count length len cardinality": "write '{set}.size()'",
        "empty isempty": "write '{set}.size() == 0'",
        "remove erase discard delete pop clear": "sets only grow: keep a 'propNode<bool>' for what may leave",
    }
)
_COLLECTION = by_name(
    {
        "empty isempty": "write '{list}.size() == 0'",
        "front first top peek": "write '{list}[0]'",
        "back last": "write '{list}[{list}.size() - 1]'",
        "pop popfront popback dequeue poll shift remove erase": "keep count of what is done: '{list}[next++]'",
        "add append insert pushback enqueue offer": "write '{list}.push(x)'",
        "count length len": "write '{list}.size()'",
        "get at": "write '{list}[i]'",
        "has contains find includes": "loop over it: 'for (x in {list})'",
    }
)
_EDGE = by_name(
    {
        "src from start tail first u": "write '{edge}.source'",
        "dst dest to target end head second v": "write '{edge}.destination'",
        "w wt cost length len value": "write '{edge}.weight'",
    }
)
NODE_METHODS = frozenset(
    {*NEIGHBOR_DOMAINS, *(name for name, row in GRAPH_QUERIES.items() if row.parameters == (NODE,))}
)
"""Methods of graphs that are asked about one node."""


def of_function(name: str, graph: str) -> str | None:
    """What to write instead of a function that there is not, which may be a method elsewhere."""
    if name in NODE_METHODS:
        return f"it is a method of the graph: write '{graph}.{name}(v)'"
    if name in DOMAINS or (name in GRAPH_QUERIES and not GRAPH_QUERIES[name].parameters):
        return f"it is a method of the graph: write '{graph}.{name}()'"
    return _FUNCTIONS.get(_plain(name)) or of_member("graph", name, graph)


def of_name(name: str, graph: str) -> str | None:
    """What to write instead of a name that is not declared."""
    if name in NEIGHBOR_DOMAINS:
        return f"write '{graph}.{name}(v)'"
    if name in DOMAINS:
        return f"write '{graph}.{name}()'"
    return _NAMES.get(_plain(name))


_MEMBERS = {"graph": _GRAPH, "property": _PROPERTY, "set": _SET, "list": _COLLECTION, "edge": _EDGE}


def of_member(of: str, name: str, named: str) -> str | None:
    """What to write instead of a method or an attribute that a graph, property, set, list or edge does not have."""
    found = _MEMBERS[of].get(_plain(name))
    return None if found is None else found.format_map({of: named})


def of_node_member(name: str, graph: str, node: str) -> str | None:
    """What to write instead of an attribute or a method that nodes do not have."""
    if _plain(name) in ("id", "index", "number", "nodeid"):
        return f"a node is its number: write '{node}'"
    if name in NODE_METHODS:
        return f"it is a method of the graph: write '{graph}.{name}({node})'"
    found = _GRAPH.get(_plain(name))
    return None if found is None or "(v)" not in found else found.format(graph=graph).replace("(v)", f"({node})")


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


_MOST_CANDIDATES = 100
"""Enough for every program that a person writes, few enough that a thousand mistakes in a generated one stay cheap."""


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `name`, or None where none is like it.

    >>> closest("modfied", ["modified", "dist"])
    'modified'
    >>> closest("sin", ["min", "exp"])
    """
    wrong = name.lower()
    near = (candidate for candidate in candidates if candidate != name and abs(len(candidate) - len(name)) <= 3)
    distances = [(_slips(wrong, candidate.lower()), candidate) for candidate in islice(near, _MOST_CANDIDATES)]
    fitting = [(slips, candidate) for slips, candidate in distances if slips <= _allowed(wrong, candidate.lower())]
    return min(fitting, key=lambda pair: pair[0])[1] if fitting else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """A help line that proposes the candidate most like `name`."""
    found = closest(name, candidates)
    return None if found is None else Rewrite(f"did you mean '{found}'?", found)


def _allowed(wrong: str, right: str) -> int:
    """How many slips are likely in a name: in a short one, every other name is one slip away."""
    if (length := min(len(wrong), len(right))) < 3:
        return 0
    if length == 3:
        return 1 if len(wrong) != len(right) or sorted(wrong) == sorted(right) else 0
    return 1 if length < 6 else 2 if length < 9 else 3


def _slips(wrong: str, right: str) -> int:
    """Letters left out, put in, replaced, or exchanged with the next (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(wrong, 1):
        before, last, row = row, before, [i]
        for j, other in enumerate(right, 1):
            slips = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and wrong[i - 2] == other:
                slips = min(slips, last[j - 2] + 1)
            row.append(slips)
    return row[-1]
