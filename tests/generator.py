"""Random programs over the whole static language, well-typed and of classes (a) to (e), with graphs and arguments.

`generate(seed)` gives a `Case`: the same seed, the same case. `count` of a case says which constructs it has, so that a
campaign can tell whether all of them occurred. `shrunk` takes statements out of a program that fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import numpy as np

from starplat.graph import Graph
from tests.generating.expressions import Expressions
from tests.generating.hosts import Hosts
from tests.generating.pieces import Block, Piece, line, nest, smaller, text_of
from tests.generating.scope import REALS, WHOLE, Level, Symbol
from tests.generating.statements import SCALARS, Helper
from tests.zoo import ZOO, graph


@dataclass(frozen=True)
class Case:
    """A program and what it is run with. `weight` says that it has a property of that name."""

    seed: int
    program: Block
    arguments: dict[str, Any]
    graph: Graph
    count: Counter[str] = field(compare=False)

    @property
    def text(self) -> str:
        return text_of(self.program)

    @property
    def call(self) -> dict[str, Any]:
        """What `Program.run` takes beside graph and target."""
        return {"function": "entry", "arguments": self.arguments}


def generate(seed: int) -> Case:
    """The case of a seed."""
    random = Random(seed)
    count: Counter[str] = Counter()
    chosen = _graph(random)
    maker = _Program(random, count, chosen)
    program = maker.program()
    return Case(seed, tuple(program), maker.arguments, chosen, count)


def _graph(random: Random) -> Graph:
    if random.random() < 0.4:
        names = sorted(name for name in ZOO if ZOO[name].num_nodes and name not in ("heavy", "ids-from-one"))
        return ZOO[random.choice(names)]
    n = random.randint(1, 24)
    arcs = [(random.randrange(n), random.randrange(n), random.randint(0, 9)) for _ in range(random.randint(0, 70))]
    return graph("random", n, arcs, directed=random.random() < 0.5)


class _Program:
    def __init__(self, random: Random, count: Counter[str], chosen: Graph) -> None:
        self.random, self.count, self.chosen = random, count, chosen
        self.arguments: dict[str, Any] = {}
        self.pure: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        self.helpers: list[Helper] = []
        self.host_helpers: list[Helper] = []
        self.functions = {"entry"}
        self.entry_names: set[str] = set()

    def program(self) -> list[Piece]:
        made = [self._pure() for _ in range(self.random.choice([0, 1, 1, 2]))]
        made += [self._helper() for _ in range(self.random.choice([0, 1, 1, 2]))]
        made += [self._host_helper() for _ in range(self.random.choice([0, 0, 1]))]
        entry = self._entry()
        return [*made, entry] if self.random.random() < 0.7 else [entry, *made]

    def _state(self) -> Hosts:
        state = Hosts(self.random, self.count, pure=self.pure, helpers=list(self.helpers),
                      host_helpers=list(self.host_helpers))  # fmt: skip
        state.used_names |= self.functions
        if self.random.random() < 0.3:
            state.graph = state.fresh("g")
        else:
            state.used_names.add("g")
        return state

    def _name(self, state: Expressions, stem: str) -> str:
        name = state.fresh(stem)
        while name in self.functions:
            name = state.fresh(stem)
        self.functions.add(name)
        return name

    # --- functions of numbers

    def _pure(self) -> Piece:
        state = self._state()
        state.helpers, state.host_helpers = [], []
        state.graph = "no_graph"
        state.own_only = set()
        name = self._name(state, "f")
        kinds = [self.random.choice(["int", "long", "bool"]) for _ in range(self.random.randint(1, 3))]
        result = self.random.choice(["int", "long"])
        parameters = [Symbol(state.fresh("a"), kind) for kind in kinds]
        state.scope.levels.append(Level({}, recording=True))
        for parameter in parameters:
            state.scope.declare(parameter)
        text = ", ".join(f"{p.kind} {p.name}" for p in parameters)
        state.returning = lambda: f" {self._bounded(state, result)}"
        with _no_graph(state):
            body = [p for p in state.statements(self.random.randint(1, 3)) if p.heads]
            early = nest(f"if ({state.condition(1)}) {{", [line(f"return {self._bounded(state, result)};")])
            body.append(early)
            body.append(line(f"return {self._bounded(state, result)};"))
        self.count["early return"] += 1
        self.pure.setdefault(result, []).append((name, tuple(kinds)))
        return nest(f"function {name}({text}) {{", body)

    def _bounded(self, state: Hosts, kind: str) -> str:
        """An expression of exactly that type, at most 1000."""
        names = [s.name for s in state.scope.visible() if s.kind == kind and not s.carrier]
        start = self.random.choice(names) if names else ("0" if kind == "int" else "(1099511627776 * 0)")
        return f"({start} % 100 + {state.within(state.whole('int', 2), 800)})"

    # --- functions called from a forall

    def _helper(self) -> Piece:
        state = self._state()
        state.helpers, state.host_helpers = [], []
        name = self._name(state, "h")
        g = Symbol(state.graph, "graph")
        v = Symbol(state.fresh("v"), "node", valid=True, writable=False)
        properties = self._property_parameters(state, self.random.choice([1, 2]), carrier="node")
        level = Level({}, recording=True)
        state.scope.levels.append(level)
        state.scope.declare(v)
        state.own_only = {v.name}
        state.on_host = False
        state.returning = lambda: ""
        scalars = [Symbol(state.fresh("a"), self.random.choice(["int", "long", "bool"]))
                   for _ in range(self.random.choice([0, 1]))]  # fmt: skip
        if self.random.random() < 0.5:
            kind = self.random.choice(["int", "long", "double", "bool", "float"])
            scalars.append(Symbol(state.fresh("out"), kind, private_reference=True))
        for scalar in scalars:
            state.scope.declare(scalar)
        early = state.condition(1)
        body = state.statements(self.random.randint(1, 3))
        if self.random.random() < 0.3:
            self.count["early return"] += 1
            body.insert(0, nest(f"if ({early}) {{", [line("return;")]))
        parameters = (g, v, *properties, *scalars)
        effects = tuple(level.record)
        self.helpers.append(Helper(name, parameters, effects, ""))
        return nest(f"function {name}({', '.join(map(_parameter, parameters))}) {{", body)

    def _property_parameters(self, state: Hosts, number: int, carrier: str | None = None) -> list[Symbol]:
        made = []
        for _ in range(number):
            kind = self.random.choice(SCALARS)
            where = carrier or self.random.choice(["node", "node", "edge"])
            exact = kind not in REALS or self.random.random() < 0.5
            made.append(state.scope.declare(Symbol(state.fresh("p"), kind, where, exact=exact)))
        return made

    # --- functions of the host

    def _host_helper(self) -> Piece:
        state = self._state()
        state.host_helpers = []
        name = self._name(state, "host")
        g = Symbol(state.graph, "graph")
        properties = self._property_parameters(state, self.random.choice([1, 2]))
        scalars = [Symbol(state.fresh("a"), self.random.choice(["int", "long", "bool"]))]
        if self.random.random() < 0.5:
            scalars.append(Symbol(state.fresh("out"), self.random.choice(["int", "double", "bool"]),
                                  private_reference=True))  # fmt: skip
        for scalar in scalars:
            state.scope.declare(scalar)
        state.cost, state.depth = 8, 1
        body = state.statements(self.random.randint(1, 3))
        result = self.random.choice(["", "int", "bool", "double"])
        if result == "double":
            text = state.fresh("result")
            body += [line(f"double {text} = {state.value('double', 1, False)};"), line(f"return {text};")]
        elif result:
            text = state.fresh("result")
            body += [line(f"{result} {text} = {state.value(result, 1)};"), line(f"return {text};")]
        parameters = (g, *properties, *scalars)
        self.host_helpers.append(Helper(name, parameters, (), result))
        return nest(f"function {name}({', '.join(map(_parameter, parameters))}) {{", body)

    # --- the entry

    def _entry(self) -> Piece:
        state = self._state()
        parameters = [Symbol(state.graph, "graph")]
        for symbol in self._property_parameters(state, self.random.randint(2, 6)):
            parameters.append(symbol)
            self.entry_names.add(symbol.name)
            self.count[f"prop{symbol.carrier.title()}<{symbol.kind}>"] += 1
            self._give_cells(symbol)
        if self.random.random() < 0.4:
            kind = self.random.choice(["int", "int", "long"])
            parameters.append(state.scope.declare(Symbol("weight", kind, "edge", writable=False)))
            self.count["weight parameter"] += 1
        parameters += self._sets(state)
        node = state.scope.declare(Symbol(state.fresh("src"), "node", valid=True, writable=False))
        parameters.append(node)
        self.arguments[node.name] = self.random.randrange(self.chosen.num_nodes)
        scalars = [self._scalar(state) for _ in range(self.random.choice([0, 1, 2]))]
        texts = [_parameter(p, state.graph) for p in (*parameters, *scalars)]
        if self.random.random() < 0.4:
            kind, default = self.random.choice([("int", "-3"), ("double", "0.85"), ("bool", "True"), ("long", "7")])
            symbol = state.scope.declare(Symbol(state.fresh("d"), kind, exact=kind not in REALS))
            texts.append(f"{kind} {symbol.name} = {default}")
            self.count["default"] += 1
        body = state.statements(self.random.randint(3, 9))
        if self.random.random() < 0.7:
            body += self._digest(state)
        elif self.random.random() < 0.8:
            kind = self.random.choice(SCALARS)
            body += self._returned(state, kind)
        return nest(f"{self.random.choice(['function', 'Static'])} entry({', '.join(texts)}) {{", body)

    def _digest(self, state: Hosts) -> list[Piece]:
        """One number out of all that is in scope and is no result by itself, so that no mistake stays unseen."""
        self.count["returns long"] += 1
        digest, v = state.fresh("digest"), state.fresh("v")
        lines = [line(f"long {digest} = 0;")]
        body: list[Piece] = []
        for number, symbol in enumerate(state.scope.visible(), 3):
            if symbol.carrier == "node" and symbol.exact and symbol.name not in self.entry_names:
                body += _folded(digest, f"{v}.{symbol.name}", symbol, number)
            elif symbol.carrier == "set":
                lines.append(line(f"{digest} += {symbol.name}.size() * {number};"))
                if symbol.kind == "node":
                    body.append(line(f"{digest} += {symbol.name}.contains({v}) ? {v} + {number} : 0;"))
            elif not symbol.carrier and symbol.exact:
                lines += _folded(digest, symbol.name, symbol, number)
        if body:
            lines.append(nest(f"forall ({v} in {state.graph}.nodes()) {{", body))
        return [*lines, line(f"return {digest};")]

    def _returned(self, state: Hosts, kind: str) -> list[Piece]:
        self.count[f"returns {kind}"] += 1
        name = state.fresh("result")
        value = line(f"{kind} {name} = {state.value(kind, 2, kind not in REALS or self.random.random() < 0.5)};")
        early = nest(f"if ({state.condition(2)}) {{", [line(f"return {name};")])
        last = line(f"return {name};")
        if self.random.random() < 0.3:
            self.count["early return"] += 1
            return [value, early, *state.statements(1), last]
        return [value, last]

    def _sets(self, state: Hosts) -> list[Symbol]:
        made = []
        for kind, size in (("node", self.chosen.num_nodes), ("edge", self.chosen.num_arcs)):
            if self.random.random() < 0.5:
                symbol = state.scope.declare(Symbol(state.fresh("s"), kind, "set"))
                made.append(symbol)
                self.count[f"set of {kind}s given"] += 1
                self.arguments[symbol.name] = sorted({self.random.randrange(size) for _ in range(min(size, 8))})
        return made

    def _scalar(self, state: Hosts) -> Symbol:
        kind = self.random.choice(["int", "long", "bool", "float", "double"])
        symbol = state.scope.declare(Symbol(state.fresh("a"), kind, exact=kind not in REALS))
        values: dict[str, Callable[[], Any]] = {
            "int": lambda: self.random.randint(-50, 50),
            "long": lambda: self.random.randint(-50, 50) * 10**6,
            "bool": lambda: self.random.random() < 0.5,
        }
        self.arguments[symbol.name] = values.get(kind, lambda: self.random.choice([0.5, 2.25, 7.0]))()
        return symbol

    def _give_cells(self, symbol: Symbol) -> None:
        """First contents, for some."""
        if self.random.random() < 0.4:
            return
        size = self.chosen.num_nodes if symbol.carrier == "node" else self.chosen.num_arcs
        draw = np.random.default_rng(self.random.randrange(2**32))
        match symbol.kind:
            case "bool":
                cells = draw.integers(0, 2, size) == 1
            case "int" | "long":
                cells = draw.integers(-40, 40, size)
            case "float" | "double":
                cells = draw.integers(1, 100, size) * 0.25
            case "node":
                cells = draw.integers(-1, self.chosen.num_nodes, size)
            case _:
                cells = draw.integers(-1, max(self.chosen.num_arcs, 0), size)
        self.count["first contents given"] += 1
        self.arguments[symbol.name] = cells


class _no_graph:  # noqa: N801 - used like a function
    """Keeps a function without a graph from asking one."""

    def __init__(self, state: Hosts) -> None:
        self.state = state

    def __enter__(self) -> None:
        state = self.state
        state.on_host = False
        state.index = lambda carrier: None  # type: ignore[method-assign]
        state._domain = lambda: None  # type: ignore[method-assign]
        state._query = state._literal  # type: ignore[method-assign]
        state.some_node = lambda: "-1"  # type: ignore[method-assign]
        state.some_edge = lambda: "-1"  # type: ignore[method-assign]

    def __exit__(self, *_: object) -> None:
        """The state is not used any more."""


def _folded(digest: str, text: str, symbol: Symbol, number: int) -> list[Piece]:
    match symbol.kind:
        case "bool":
            return [line(f"{digest} += {text} ? {number} : 0;")]
        case "float" | "double":
            digits = [line(f"long digit = floor({text} * 4.0);"), line(f"{digest} += digit * {number};")]
            return [nest(f"if ({text} < 1000.5 && {text} > -1000.5) {{", digits)]
        case _:
            return [line(f"{digest} += {text} % {number + 90} * {number};")]


def _parameter(symbol: Symbol, graph: str = "g") -> str:
    match symbol.carrier:
        case "node" | "edge":
            return f"prop{symbol.carrier.title()}<{symbol.kind}> {symbol.name}"
        case "set":
            return f"Set{symbol.kind[0].upper()}<{graph}> {symbol.name}"
    kind = "Graph" if symbol.kind == "graph" else symbol.kind
    return f"{kind}{'&' if symbol.private_reference else ''} {symbol.name}"


def shrunk(case: Case, fails: Callable[[Case], bool], tries: int = 400) -> Case:
    """A smaller case that fails too: statements are taken out while it does."""
    for _ in range(tries):
        found = next((c for c in _less(case) if fails(c)), None)
        if found is None:
            return case
        case = found
    return case


def _less(case: Case) -> Iterator[Case]:
    for program in smaller(case.program):
        if program and any("entry(" in piece.heads[0] for piece in program):
            yield replace(case, program=program)


__all__ = ["WHOLE", "Case", "generate", "shrunk"]
