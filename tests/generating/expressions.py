"""Random expressions of a wanted type over what is in scope, with a bound on their size so that nothing overflows.

Whole numbers carry their bound; `exact` reals are multiples of 1/8 below 2^20; other reals are positive and their
relative error stays small, since only sums, products, quotients, roots and the like of positive numbers are taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tests.generating.scope import REALS, WHOLE, Scope, Symbol

LOOSE = {"int": 2**30, "long": 2**60}
LIMIT = {"int": 2**31 - 2, "long": 2**62}

Bounded = tuple[str, int]

_WORDS = """
    float4 restrict main NULL barrier get_global_id atomic_min typedef uint size_t auto register template this
    delete default switch class global local constant private printf row_offsets columns num_arcs std assert
    CL_SUCCESS operator _x x_1 __x extern inline sampler_t half bool4 event_t goto union short char unsigned signed
    volatile threadIdx blockIdx warpSize __shared__ __global__ atomicAdd dim3 sycl queue item omp acc M_PI INFINITY
    kernel v0 double2 wait free exit signal index select step length normalize fract in_arcs e found depth chosen
    word lock
"""
HOSTILE = _WORDS.split()


@dataclass
class Expressions:
    """State of one function's generation."""

    random: Random
    count: Counter[str]
    scope: Scope = field(default_factory=Scope)
    graph: str = "g"
    iterators: list[tuple[str, str]] = field(default_factory=list)  # (name, node or edge)
    arcs_in_hand: list[tuple[str, str]] = field(default_factory=list)  # (text, position)
    on_host: bool = True
    nested: int = 0
    used_names: set[str] = field(default_factory=set)
    pure: dict[str, list[tuple[str, tuple[str, ...]]]] = field(default_factory=dict)

    # --- names and choices

    def fresh(self, stem: str = "x") -> str:
        """A name that nothing has; now and then one that C, OpenCL or CUDA has."""
        if self.random.random() < 0.25:
            name = self.random.choice(HOSTILE)
            if name not in self.used_names:
                self.used_names.add(name)
                self.count["hostile name"] += 1
                return name
        number = len(self.used_names)
        name = f"{stem}{number}"
        self.used_names.add(name)
        return name

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def symbols(self, test: Callable[[Symbol], bool]) -> list[Symbol]:
        found = [s for s in self.scope.visible() if test(s)]
        self.random.shuffle(found)
        return found

    # --- reading symbols

    def nodes(self) -> list[str]:
        """Texts of nodes that exist."""
        found = [name for name, kind in self.iterators if kind == "node"]
        found += [s.name for s in self.scope.visible() if s.kind == "node" and s.valid and not s.carrier]
        return found

    def edges(self) -> list[str]:
        found = [name for name, kind in self.iterators if kind == "edge"]
        return found + [text for text, _ in self.arcs_in_hand]

    def index(self, carrier: str) -> str | None:
        """An index that is in range."""
        texts = self.nodes() if carrier == "node" else self.edges()
        if carrier == "node" and (not texts or self.chance(0.08)):
            self.count["computed index"] += 1
            return f"abs({self.small()}) % {self.graph}.num_nodes()"
        if not texts:
            return None
        return self.random.choice(texts[-3:] if self.chance(0.8) else texts)

    def place(self, symbol: Symbol, index: str) -> str:
        plain = index.isidentifier()
        return f"{symbol.name}[{index}]" if not plain or self.chance(0.15) else f"{index}.{symbol.name}"

    def _edge_leaf(self, kind: str) -> Bounded | None:
        edges = self.edges()
        if not edges:
            return None
        edge = self.random.choice(edges)
        return self._weight(kind, edge) if self.chance(0.6) else self._ends(kind, edge)

    def reading(self, test: Callable[[Symbol], bool]) -> tuple[Symbol, str] | None:
        """Some readable symbol of those, as text."""
        for symbol in self.symbols(lambda s: s.carrier != "set" and test(s)):
            if not symbol.carrier:
                if self.scope.touch(symbol, "read"):
                    return symbol, symbol.name
                continue
            for _ in range(3):
                index = self.index(symbol.carrier)
                if index is not None and self.scope.touch(symbol, "read", "", index):
                    self.count[f"read {symbol.carrier} property"] += 1
                    return symbol, self.place(symbol, index)
        return None

    # --- whole numbers

    def small(self) -> str:
        """A whole number of at most 1000."""
        if self.nested > 1:
            return str(self.random.randrange(100))
        self.nested += 1
        try:
            return self.within(self.whole("int", 1), 1000)
        finally:
            self.nested -= 1

    def within(self, value: Bounded, bound: int) -> str:
        text, size = value
        if size <= bound:
            return text
        return f"({text} % {self.random.randint(2, bound + 1)})"

    def whole(self, kind: str, depth: int) -> Bounded:
        """An expression of type `kind` and its greatest absolute value."""
        if depth <= 0 or self.chance(0.15):
            return self._whole_leaf(kind)
        match self.random.randrange(13):
            case 0 | 1 | 2:
                return self._sum(kind, depth)
            case 3:
                return self._product(kind, depth)
            case 4:
                return self._quotient(kind, depth)
            case 5:
                return self._bits(kind, depth)
            case 6:
                self.count["?:"] += 1
                (a, x), (b, y) = self.whole(kind, depth - 1), self.whole(kind, depth - 1)
                return f"({self.condition(depth - 1)} ? {a} : {b})", max(x, y)
            case 7:
                (a, x), (b, y) = self.whole(kind, depth - 1), self.whole(kind, depth - 1)
                name = self.random.choice(["min", "max"])
                self.count[f"{name}()"] += 1
                return f"{name}({a}, {b})", max(x, y)
            case 8:
                a, x = self.whole(kind, depth - 1)
                self.count["abs()"] += 1
                return (f"abs({a})", x) if self.chance(0.5) else (f"(-{a})", x)
            case 9:
                a, x = self.whole(kind, depth - 1)
                self.count["~"] += 1
                return f"(~{a})", x + 1
            case 10:
                return self._call(kind, depth)
            case 11:
                return self._query(kind)
            case _:
                return self._guarded(kind) or self._whole_leaf(kind)

    def _whole_leaf(self, kind: str) -> Bounded:
        if self.chance(0.25):
            return self._literal(kind)
        if self.chance(0.25):
            nodes = self.nodes()
            if nodes and kind == "int":
                return f"(0 + {self.random.choice(nodes)})", 64
        if self.chance(0.3):
            leaf = self._edge_leaf(kind)
            if leaf is not None:
                return leaf
        found = self.reading(lambda s: s.kind == kind or (kind == "long" and s.kind == "int"))
        if found is None:
            return self._literal(kind)
        symbol, text = found
        if symbol.inf:
            self.count["INF tested"] += 1
            return f"({text} == INF ? -1 : {text} % 1000)", 1000
        return text, LOOSE[symbol.kind]

    def _literal(self, kind: str) -> Bounded:
        value = self.random.choice([0, 1, 2, 3, 7, 10, 63, 100, self.random.randrange(1000)])
        if kind == "long" and self.chance(0.1):
            return str(2**40 + value), 2**41
        return str(value), value

    def _fit(self, kind: str, a: Bounded, b: Bounded, combine: Callable[[int, int], int]) -> tuple[str, str, int]:
        for _ in range(2):
            if combine(a[1], b[1]) <= LIMIT[kind]:
                break
            self.count["%"] += 1
            if a[1] >= b[1]:
                a = f"({a[0]} % 1009)", 1008
            else:
                b = f"({b[0]} % 1013)", 1012
        return a[0], b[0], combine(a[1], b[1])

    def _sum(self, kind: str, depth: int) -> Bounded:
        sides = self.whole(kind, depth - 1), self.whole(kind, depth - 1)
        a, b, size = self._fit(kind, *sides, lambda x, y: x + y)
        return f"({a} {self.random.choice('+-')} {b})", size

    def _product(self, kind: str, depth: int) -> Bounded:
        sides = self.whole(kind, depth - 1), self.whole(kind, depth - 1)
        a, b, size = self._fit(kind, *sides, lambda x, y: x * y)
        self.count["*"] += 1
        return f"({a} * {b})", size

    def _quotient(self, kind: str, depth: int) -> Bounded:
        a, size = self.whole(kind, depth - 1)
        operator = self.random.choice("/%")
        self.count["integer " + operator] += 1
        if self.chance(0.5):
            divisor = self.random.choice([1, 2, 3, -3, 7, 10, -1, 1000])
            return f"({a} {operator} {divisor})", size
        if self.chance(0.5):
            b, _ = self.whole(kind, depth - 1)
            return f"({a} {operator} ({b} % 5 + 6))", size
        b, _ = self._whole_leaf(kind)
        if b[0] in "-0123456789":
            return f"({a} {operator} 9)", size
        self.count["division guarded by ?:"] += 1
        return f"({b} != 0 ? {a} {operator} {b} : -1)", size

    def _bits(self, kind: str, depth: int) -> Bounded:
        (a, x), (b, y) = self.whole(kind, depth - 1), self.whole(kind, depth - 1)
        operator = self.random.choice(["&", "|", "^", ">>", "cast"])
        if operator == "cast":
            self.count["cast"] += 1
            bound = min(y, 2**20)
            return f"{kind}({self.random.choice(REALS)}({self.within((b, y), bound)}) / 4.0)", bound
        self.count[f"integer {operator}"] += 1
        return f"({a} {operator} {b})", 2 ** (max(x, y)).bit_length()

    def _call(self, kind: str, depth: int) -> Bounded:
        known = self.pure.get(kind)
        if not known:
            return self._whole_leaf(kind)
        name, parameters = self.random.choice(known)
        self.count["call on the host" if self.on_host else "call in a forall"] += 1
        arguments = ", ".join(self.value(p, depth - 1) for p in parameters)
        return f"{name}({arguments})", 1000

    def _prelude(self, node: str) -> Bounded:
        """A call of a function of the language that is written in it."""
        self.count["call of the prelude"] += 1
        drawn = f"randomInt({self.random.randrange(9)}, {node}, {self.random.randint(1, 90)})"
        return self.random.choice([drawn, f"(0 + {self.graph}.neighbor({node}, {self.random.randrange(3)}))"]), 90

    def _query(self, kind: str) -> Bounded:
        g, nodes = self.graph, self.nodes()
        queries: list[Callable[[], Bounded | None]] = [lambda: (f"{g}.num_nodes()", 64)]
        if kind == "long":
            queries.append(lambda: (f"{g}.num_edges()", 10000))
        if nodes:
            node = self.random.choice(nodes)
            word = self.random.choice(["degree", "count_inNbrs", "getOutDegree", "getInDegree"])
            queries += [lambda: (f"{g}.{word}({node})", 10000)] * 2
            queries.append(lambda: self._prelude(node))
        edges = self.edges()
        if edges:
            edge = self.random.choice(edges)
            queries.append(lambda: self._ends(kind, edge))
            queries.append(lambda: self._weight(kind, edge))
        if self.chance(0.2):
            queries.append(self._size)
        if self.on_host and self.chance(0.8):
            queries += [lambda: self._aggregate(kind)] * 2
        for query in self.random.sample(queries, len(queries)):
            made = query()
            if made is not None:
                self.count["graph query"] += 1
                return made
        return self._literal(kind)

    def _ends(self, kind: str, edge: str) -> Bounded:
        self.count["edge attributes"] += 1
        name = self.random.choice(["source", "destination"] + ["id"] * (kind == "long"))
        return f"(0 + {edge}.{name})", 10000

    def _weight(self, kind: str, edge: str) -> Bounded | None:
        weights = [s for s in self.scope.visible() if s.name == "weight"]
        if weights and (weights[0].kind != kind or not self.scope.touch(weights[0], "read", "", edge)):
            return None
        if not weights and kind != "int":
            return None
        self.count["weight"] += 1
        if self.chance(0.15) and not weights:
            self.count["minWt"] += 1
            return f"({self.graph}.{self.random.choice(['minWt', 'maxWt'])}() % 1000)", 1000
        return f"({edge}.weight % 100)", 100

    def _size(self) -> Bounded | None:
        for symbol in self.symbols(lambda s: s.carrier == "set"):
            if self.scope.touch(symbol, "read"):
                self.count["set size"] += 1
                return f"{symbol.name}.size()", 10000
        return None

    def _aggregate(self, kind: str) -> Bounded | None:
        def fits(s: Symbol) -> bool:
            return s.carrier in ("node", "edge") and not s.inf and s.kind in ("bool", "int", "long", "node")

        for symbol in self.symbols(fits):
            if not self.scope.touch(symbol, "read"):
                continue
            words = ["Count"]
            if symbol.kind in WHOLE:
                words += ["Sum", "Min", "Max"]
            word = self.random.choice(words)
            result = symbol.kind if word in ("Min", "Max") else "long"
            if result == kind or (result == "int" and kind == "long"):
                self.count[word] += 1
                return f"({word}({symbol.name}) % 1000)", 1000
        return None

    def _guarded(self, kind: str) -> Bounded | None:
        """A cell behind a node or edge that may be none."""
        for symbol in self.symbols(lambda s: s.kind in ("node", "edge") and s.carrier != "set" and not s.valid):
            found = self.reading(lambda s, symbol=symbol: s is symbol)  # type: ignore[misc]
            if found is None:
                continue
            text = found[1]
            carrier = symbol.kind
            for target in self.symbols(lambda s, c=carrier: s.kind == kind and s.carrier == c and not s.inf):  # type: ignore[misc]
                if self.scope.touch(target, "read", "", text):
                    self.count["guard of -1"] += 1
                    return f"({text} != -1 ? {target.name}[{text}] : -7)", LOOSE[kind]
            return f"({text} >= 0 ? 1 : 0)", 1
        return None

    # --- bools

    def condition(self, depth: int) -> str:
        """A bool."""
        if depth <= 0:
            return self._bool_leaf()
        match self.random.randrange(8):
            case 0 | 1 | 2:
                return self._comparison(depth)
            case 3:
                operator = self.random.choice(["&&", "||"])
                self.count[operator] += 1
                return f"({self.condition(depth - 1)} {operator} {self.condition(depth - 1)})"
            case 4:
                return f"(!{self.condition(depth - 1)})"
            case 5:
                operator = self.random.choice(["&", "|", "^", "==", "!="])
                self.count[f"bool {operator}"] += 1
                return f"({self.condition(depth - 1)} {operator} {self.condition(depth - 1)})"
            case 6:
                return self._bool_question() or self._bool_leaf()
            case _:
                return self._bool_leaf()

    def _comparison(self, depth: int) -> str:
        operator = self.random.choice(["==", "!=", "<", "<=", ">", ">="])
        if self.chance(0.25):
            kind = self.random.choice(REALS)
            self.count["real comparison"] += 1
            return f"({self.exact(kind, depth - 1)} {operator} {self.exact(kind, depth - 1)})"
        kind = self.random.choice(WHOLE)
        return f"({self.whole(kind, depth - 1)[0]} {operator} {self.whole(kind, depth - 1)[0]})"

    def _bool_leaf(self) -> str:
        found = self.reading(lambda s: s.kind == "bool") if self.chance(0.6) else None
        if found is not None:
            return found[1]
        nodes = self.nodes()
        if len(nodes) > 1 and self.chance(0.5):
            a, b = self.random.sample(nodes, 2)
            return f"({a} {self.random.choice(['==', '!=', '<', '>='])} {b})"
        a = self._whole_leaf("int")[0]
        return f"({a} {self.random.choice(['<', '>', '!='])} {self.random.randrange(50)})"

    def _bool_question(self) -> str | None:
        nodes = self.nodes()
        if nodes and self.chance(0.6):
            self.count["is_an_edge"] += 1
            word = self.random.choice(["is_an_edge", "check_if_nbr"])
            return f"{self.graph}.{word}({self.random.choice(nodes)}, {self.random.choice(nodes)})"
        for symbol in self.symbols(lambda s: s.carrier == "set"):
            texts = nodes if symbol.kind == "node" else self.edges()
            if texts and self.scope.touch(symbol, "read"):
                self.count["contains"] += 1
                return f"{symbol.name}.contains({self.random.choice(texts)})"
        return None

    # --- reals

    def exact(self, kind: str, depth: int) -> str:
        """A real that is the same on every device."""
        if depth <= 0 or self.chance(0.2):
            return self._exact_leaf(kind)
        match self.random.randrange(7):
            case 0 | 1:
                return f"({self.exact(kind, depth - 1)} {self.random.choice('+-')} {self.exact(kind, depth - 1)})"
            case 2:
                name = self.random.choice(["min", "max"])
                return f"{name}({self.exact(kind, depth - 1)}, {self.exact(kind, depth - 1)})"
            case 3:
                name = self.random.choice(["floor", "ceil", "abs"])
                self.count[f"{name}() of a real"] += 1
                return f"{name}({self.exact(kind, depth - 1)})"
            case 4:
                factor = self.random.choice(["0.5", "2", "-1", "-0.5"])
                return f"({self.exact(kind, depth - 1)} * {factor})"
            case 5:
                self.count["?:"] += 1
                return f"({self.condition(depth - 1)} ? {self.exact(kind, 0)} : {self.exact(kind, 0)})"
            case _:
                return f"(-{self.exact(kind, depth - 1)})"

    def _exact_leaf(self, kind: str) -> str:
        found = self.reading(lambda s: s.kind == kind and s.exact and not s.inf) if self.chance(0.6) else None
        if found is not None:
            return found[1]
        if self.chance(0.4):
            self.count["int to real"] += 1
            return f"({self.small()} * {self.random.choice(['0.5', '0.25', '1.0', '2.0'])})"
        return self.random.choice(["0.5", "1.0", "0.25", "2.75", "10.0", "3.5", "0.125", "1e2"])

    def positive(self, kind: str, depth: int) -> str:
        """A positive real with a small relative error."""
        if depth <= 0 or self.chance(0.2):
            return self._positive_leaf(kind)
        a = self.positive(kind, depth - 1)
        match self.random.randrange(9):
            case 0 | 1:
                return f"({a} + {self.positive(kind, depth - 1)})"
            case 2:
                return f"(min({a}, 100.0) * min({self.positive(kind, depth - 1)}, 100.0))"
            case 3:
                self.count["real /"] += 1
                return f"({a} / ({self.positive(kind, depth - 1)} + 0.5))"
            case 4:
                self.count["sqrt"] += 1
                return f"sqrt({a})"
            case 5:
                self.count["exp"] += 1
                return f"exp(min({a}, 3.0))"
            case 6:
                self.count["log"] += 1
                return f"log({a} + 1.5)"
            case 7:
                self.count["pow"] += 1
                return f"pow({a} + 0.5, {self.random.choice(['2.0', '0.5', '1.5', '3'])})"
            case _:
                return f"max({a}, {self.positive(kind, depth - 1)})"

    def _positive_leaf(self, kind: str) -> str:
        found = self.reading(lambda s: s.kind == kind and not s.exact and not s.inf) if self.chance(0.6) else None
        if found is not None:
            return f"min({found[1]}, 1e6)"
        if self.chance(0.5):
            return f"(1.1 + abs({self.small()}))"
        return self.random.choice(["0.85", "1.1", "0.3", "3.14159", "12.7", "1.0f" if kind == "float" else "7.3"])

    # --- any type

    def value(self, kind: str, depth: int, exact: bool = True) -> str:
        """A value that may be stored to a symbol of that type."""
        match kind:
            case "int":
                if self.chance(0.1):
                    self.count["real to int"] += 1
                    return f"floor({self.exact('double', depth - 1)})"
                if self.chance(0.1):
                    self.count["long to int"] += 1
                    return self.within(self.whole("long", depth), 10**6)
                return self.within(self.whole("int", depth), 10**6)
            case "long":
                return self.within(self.whole("long", depth), 10**12)
            case "bool":
                return self.random.choice(["True", "False"]) if self.chance(0.1) else self.condition(depth)
            case "node":
                return self.some_node()
            case "edge":
                return self.some_edge()
            case _:
                if exact:
                    return f"min(max({self.exact(kind, depth)}, -1000.0), 1000.0)"
                return f"min({self.positive(kind, depth)}, 1e6)"

    def some_node(self) -> str:
        """A node, or -1."""
        if self.chance(0.15):
            return "-1"
        found = self.reading(lambda s: s.kind == "node" and s.carrier != "set") if self.chance(0.5) else None
        if found is not None:
            return found[1]
        edges = self.edges()
        if edges and self.chance(0.3):
            self.count["edge attributes"] += 1
            return f"{self.random.choice(edges)}.{self.random.choice(['source', 'destination'])}"
        text = self.index("node")
        assert text is not None
        return text

    def some_edge(self) -> str:
        """An edge, or -1."""
        edges, nodes = self.edges(), self.nodes()
        if edges and self.chance(0.6):
            return self.random.choice(edges)
        if nodes and self.chance(0.7):
            self.count["get_edge searched"] += 1
            return f"{self.graph}.get_edge({self.random.choice(nodes)}, {self.random.choice(nodes)})"
        found = self.reading(lambda s: s.kind == "edge" and s.carrier != "set")
        return found[1] if found is not None else "-1"
