"""Random statements of both worlds: what may stand in a `forall` and what only the host does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.generating.expressions import Expressions
from tests.generating.pieces import Piece, line, nest
from tests.generating.scope import REALS, WHOLE, Level, Symbol

SCALARS = ("bool", "int", "long", "float", "double", "node", "edge")
UPDATES = {
    "bool": ("&&=", "||=", "&=", "|=", "^="),
    "int": ("+=", "-=", "*=", "&=", "|=", "^="),
    "long": ("+=", "-=", "*=", "&=", "|=", "^="),
    "float": ("+=", "-=", "*="),
    "double": ("+=", "-=", "*="),
}
"""Operators that make reductions."""

Maker = Callable[[], list[Piece] | None]


@dataclass(frozen=True)
class Helper:
    """A function that may be called inside a forall: parameters and what it does to the cells of its node."""

    name: str
    parameters: tuple[Symbol, ...]
    effects: tuple[tuple[Symbol, str, str, str], ...]
    result: str


@dataclass
class Statements(Expressions):
    """Generates blocks. `cost` estimates how often a statement runs, `loops` is the nesting of sequential loops."""

    cost: int = 1
    loops: int = 0
    depth: int = 0
    helpers: list[Helper] = field(default_factory=list)
    own_only: set[str] | None = None
    returning: Callable[[], str] | None = None

    # --- blocks

    def block(self, size: int | None = None) -> list[Piece]:
        """Statements in a scope of their own."""
        with self.scope.block():
            return self.statements(size or self.random.choice([1, 1, 2, 2, 3]))

    def statements(self, size: int) -> list[Piece]:
        """Statements in the scope at hand; at least one."""
        found: list[Piece] = []
        self.depth += 1
        for _ in range(size):
            found += self.statement()
        self.depth -= 1
        return found or [self.declaration()]

    def statement(self) -> list[Piece]:
        """One statement (with what it needs before it)."""
        makers: list[tuple[int, Maker]] = [
            (3, self.declare_scalar),
            (4, self.assign_scalar),
            (5, self.update_scalar),
            (8, self.write_cell),
            (8, self.update_cell),
            (7, self.extreme),
            (2, self.add_to_set),
            (6, self.call_helper),
        ]
        if self.depth < 4:
            makers += [(4, self.branch), (3, self.counting), (4, self.visiting)]
        if self.loops and self.depth < 5:
            makers.append((2, self.leaving))
        for _ in range(6):
            weights = [weight for weight, _ in makers]
            made = self.random.choices([make for _, make in makers], weights)[0]()
            if made:
                return made
        return []

    # --- scalars

    def declaration(self, kind: str | None = None) -> Piece:
        """A new scalar."""
        kind = kind or self.random.choice(SCALARS)
        exact = self.chance(0.5)
        text = self.value(kind, 2, exact)
        name = self.fresh(kind[0])
        self.count[f"{kind} scalar"] += 1
        self.scope.declare(Symbol(name, kind, exact=exact or kind not in REALS))
        if self.chance(0.05) and kind != "bool" and exact:
            return line(f"{kind} {name};")
        return line(f"{kind} {name} = {text};")

    def declare_scalar(self) -> list[Piece]:
        return [self.declaration()]

    def _scalars(self, test: Callable[[Symbol], bool] = lambda s: True) -> list[Symbol]:
        return self.symbols(lambda s: not s.carrier and s.writable and not s.inf and test(s))

    def assign_scalar(self) -> list[Piece] | None:
        for symbol in self._scalars():
            if symbol.level < len(self.scope.levels):
                constant = self.constant(symbol)
                if constant is not None and self.scope.touch(symbol, "write", constant):
                    self.count["common value to a scalar"] += 1
                    return [line(f"{symbol.name} = {constant};")]
                continue
            if self.scope.touch(symbol, "write", "*"):
                return [line(f"{symbol.name} = {self.value(symbol.kind, 3, symbol.exact)};")]
        return None

    def constant(self, symbol: Symbol) -> str | None:
        """A value that is the same for all iterations."""
        match symbol.kind:
            case "bool":
                return self.random.choice(["True", "False"])
            case "int" | "long":
                return self.random.choice(["7", "-3", "0"])
            case "float" | "double":
                return self.random.choice(["2.5", "0.5"])
            case _:
                return "-1"

    def update_scalar(self) -> list[Piece] | None:
        for symbol in self._scalars(lambda s: s.kind in UPDATES):
            made = self._update(symbol, symbol.name, "")
            if made is not None:
                outer = symbol.level < len(self.scope.levels)
                self.count[f"reduction {made[1]} of a {'shared' if outer else 'private'} {symbol.kind}"] += 1
                return [line(made[0])]
        return None

    def _update(self, symbol: Symbol, place: str, index: str) -> tuple[str, str] | None:
        """`place op= …`, and the operator."""
        operator = self.random.choice(UPDATES[symbol.kind])
        family = "+=" if operator == "-=" else operator
        if symbol.kind == "float" and self.cost > 2000:
            return None
        if not self.scope.touch(symbol, "update", family, index):
            return None
        value = self._contribution(symbol, operator)
        self.count[f"{operator} on {symbol.kind}"] += 1
        if operator == "+=" and symbol.kind in WHOLE and self.chance(0.2):
            self.count["++"] += 1
            return f"{place}{self.random.choice(['++', '--'])};", operator
        if operator in ("+=", "*=") and self.chance(0.3):
            sides = (place, value) if self.chance(0.6) else (value, place)
            self.count["reduction spelt x = x + e"] += 1
            return f"{place} = {sides[0]} {operator[0]} {sides[1]};", operator
        if operator in ("&&=", "||=") and self.chance(0.3):
            return f"{place} = {place} {operator[:2]} {value};", operator
        return f"{place} {operator} {value};", operator

    def _contribution(self, symbol: Symbol, operator: str) -> str:
        kind = symbol.kind
        if kind == "bool":
            return self.condition(2)
        if kind in WHOLE:
            if operator == "*=":
                return f"({self.condition(1)} ? -1 : 1)"
            if operator in ("+=", "-="):
                return self.within(self.whole(kind, 2), 1000)
            return f"(abs({self.within(self.whole(kind, 1), 1000)}) % 1024)"
        if symbol.exact:
            if operator == "*=":
                return f"({self.condition(1)} ? -1.0 : 1.0)"
            return f"(({self.small()} % 17) * 0.25)"
        if operator == "*=":
            return self.random.choice(["1.0001", "0.9999"])
        if operator == "-=":
            return "(-(0.5 + 0.1))"
        return f"min({self.positive(kind, 2)}, 1000.0)"

    # --- cells

    def _targets(self, test: Callable[[Symbol], bool]) -> list[tuple[Symbol, str]]:
        """Cells that may be written: properties with an index."""
        found = []
        for symbol in self.symbols(lambda s: s.carrier in ("node", "edge") and s.writable and not s.inf and test(s)):
            index = self.index(symbol.carrier)
            if self.own_only is not None:
                index = self.random.choice(sorted(self.own_only)) if symbol.carrier == "node" else None
            if index is not None:
                found.append((symbol, index))
        return found

    def write_cell(self) -> list[Piece] | None:
        for symbol, index in self._targets(lambda s: True):
            if self.scope.may(symbol, "write", "*", index):
                self.scope.touch(symbol, "write", "*", index)
                self.count[f"write {symbol.carrier} {symbol.kind}"] += 1
                value = self.value(symbol.kind, 3, symbol.exact)
                return [line(f"{self.place(symbol, index)} = {value};")]
            constant = self.constant(symbol)
            if constant is not None and self.scope.touch(symbol, "write", constant, index):
                self.count["common value to cells"] += 1
                return [line(f"{self.place(symbol, index)} = {constant};")]
        return None

    def update_cell(self) -> list[Piece] | None:
        for symbol, index in self._targets(lambda s: s.kind in UPDATES):
            made = self._update(symbol, self.place(symbol, index), index)
            if made is not None:
                whose = "own" if self._is_own(index) else "another's"
                self.count[f"reduction {made[1]} on {whose} cell"] += 1
                return [line(made[0])]
        return None

    def _is_own(self, index: str) -> bool:
        return bool(self.scope.levels) and self.scope.levels[-1].positions.get(index) == "own"

    # --- Min and Max

    def extreme(self) -> list[Piece] | None:
        scalars = [(s, "") for s in self._scalars()]
        targets = self._targets(lambda s: True) + scalars
        self.random.shuffle(targets)
        for symbol, index in targets:
            without_nodes = symbol.kind == "node" and self.graph == "no_graph"
            if symbol.kind in ("bool", "edge") or not symbol.exact or without_nodes:
                continue
            word = self.random.choice(["Min", "Max"])
            made = self._plain_extreme(symbol, index, word) if self.chance(0.45) else (
                self._carrying(symbol, index, word))  # fmt: skip
            if made:
                return made
        return None

    def _text(self, symbol: Symbol, index: str) -> str:
        return self.place(symbol, index) if symbol.carrier else symbol.name

    def _plain_extreme(self, symbol: Symbol, index: str, word: str) -> list[Piece] | None:
        if not self.scope.touch(symbol, "extreme", word, index):
            return None
        place = self._text(symbol, index)
        if symbol.kind in WHOLE and self.chance(0.3):
            self.count["Min spelt min"] += 1
            candidate = self.within(self.whole(symbol.kind, 2), 10**6)
            return [line(f"{place} = {word.lower()}({place}, {candidate});")]
        candidate = self._candidate(symbol.kind)
        self.count[f"{word} of a {symbol.kind} {'cell' if symbol.carrier else 'scalar'}"] += 1
        sides = (place, candidate) if self.chance(0.8) else (candidate, place)
        return [line(f"<{place}> = <{word}({sides[0]}, {sides[1]})>;")]

    def _candidate(self, kind: str) -> str:
        if kind == "node":
            node = self.index("node")
            assert node is not None
            return node
        return self.value(kind, 2)

    def _carrying(self, symbol: Symbol, index: str, word: str) -> list[Piece] | None:
        """With carried values that depend on nothing but the candidate, so that ties do not matter."""
        detail = f"{word} {len(self.used_names)} {self.random.random()}"
        if self.own_only is not None or not self.scope.touch(symbol, "extreme", detail, index):
            return None
        before = self.declaration_of(symbol.kind, self._candidate(symbol.kind))
        candidate = self.scope.visible()[-1]
        symbols = [symbol]
        places, values = [self._text(symbol, index)], [f"{word}({self._text(symbol, index)}, {candidate.name})"]
        for _ in range(self.random.choice([1, 1, 2])):
            carried = self._carried(symbol, index, candidate, detail)
            if carried is not None and carried[2] not in symbols:
                symbols.append(carried[2])
                places.append(carried[0])
                values.append(carried[1])
        self.count[f"multi-assignment of {len(places)} to {'cells' if symbol.carrier else 'scalars'}"] += 1
        return [before, line(f"<{', '.join(places)}> = <{', '.join(values)}>;")]

    def declaration_of(self, kind: str, value: str) -> Piece:
        name = self.fresh("candidate")
        self.scope.declare(Symbol(name, kind, writable=False, valid=kind == "node"))
        return line(f"{kind} {name} = {value};")

    def _carried(self, symbol: Symbol, index: str, candidate: Symbol, detail: str) -> tuple[str, str, Symbol] | None:
        others = self.symbols(lambda s: s is not symbol and s.writable and s.carrier != "set" and s.exact
                              and not s.inf)  # fmt: skip
        for other in others:
            if other.carrier != symbol.carrier:
                made = self._carried_elsewhere(symbol, other)
                if made is not None:
                    return made
            elif self.chance(0.5):
                constant = self.constant(other)
                if constant is not None and self.scope.touch(other, "carried", constant, index):
                    self.count["carried constant"] += 1
                    return self._text(other, index), constant, other
            elif symbol.level > other.level:  # every iteration has a winner of its own, with data of its own
                continue
            elif other.kind in (*WHOLE, *REALS) and symbol.kind in (*WHOLE, "node") and self.scope.touch(
                other, "carried", detail, index
            ):  # fmt: skip
                self.count["carried data"] += 1
                return self._text(other, index), f"{candidate.name} % 100 * 3 + 1", other
        return None

    def _carried_elsewhere(self, symbol: Symbol, other: Symbol) -> tuple[str, str, Symbol] | None:
        """A constant for a shared scalar beside a cell, or for one certain cell beside a scalar: whoever wins, it is
        stored if anyone does."""
        if other.level or not self.chance(0.4) or self.own_only is not None:
            return None
        index = ""
        if other.carrier:
            certain = [s.name for s in self.scope.visible() if s.kind == "node" and s.valid and not s.level]
            if symbol.carrier or not certain or other.carrier == "edge":
                return None
            index = certain[0]
        constant = self.constant(other)
        if constant is None or not self.scope.touch(other, "carried", constant, index):
            return None
        self.count["cell beside a scalar" if other.carrier else "scalar beside a cell"] += 1
        return self._text(other, index), constant, other

    # --- sets

    def add_to_set(self) -> list[Piece] | None:
        if self.own_only is not None:
            return None
        for symbol in self.symbols(lambda s: s.carrier == "set" and s.writable):
            index = self.index(symbol.kind)
            if index is not None and self.scope.touch(symbol, "write", "True", "any"):
                self.count["add"] += 1
                return [line(f"{symbol.name}.add({index});")]
        return None

    # --- calls

    def call_helper(self) -> list[Piece] | None:
        for helper in self.random.sample(self.helpers, len(self.helpers)):
            arguments = self._arguments(helper)
            if arguments is not None:
                self.count["helper called on the host" if self.on_host else "helper called in a forall"] += 1
                return [line(f"{helper.name}({', '.join(arguments)});")]
        return None

    def _arguments(self, helper: Helper) -> list[str] | None:
        given: dict[Symbol, Symbol] = {}
        texts: dict[str, str] = {}
        out: list[str] = []
        for parameter in helper.parameters:
            if parameter.kind == "graph":
                out.append(self.graph)
            elif parameter.carrier:
                found = [s for s in self.symbols(lambda s, p=parameter: (s.kind, s.carrier, s.exact) == (p.kind,  # type: ignore[misc]
                         p.carrier, p.exact) and s.writable and not s.inf) if s not in given.values()]  # fmt: skip
                if not found:
                    return None
                given[parameter] = found[0]
                out.append(found[0].name)
            elif parameter.private_reference:
                private = [s for s in self._scalars(lambda s, p=parameter: (s.kind, s.exact) == (p.kind, p.exact))  # type: ignore[misc]
                           if s.level == len(self.scope.levels) and s not in given.values() and s not in
                           self.scope.locked]  # fmt: skip
                if not private:
                    return None
                self.count["passed by &"] += 1
                given[parameter] = private[0]
                out.append(private[0].name)
            elif parameter.kind == "node":
                nodes = [n for n in self.nodes() if not self.scope.levels or self._is_own(n)]
                if not nodes:
                    return None
                texts[parameter.name] = self.random.choice(nodes)
                out.append(texts[parameter.name])
            else:
                out.append(self.value(parameter.kind, 1, parameter.exact))
        effects = [(given[s], kind, detail, texts.get(index, "any")) for s, kind, detail, index in helper.effects
                   if s in given and s.carrier]  # fmt: skip
        for symbol, kind, detail, index in effects:
            if not self.scope.touch(symbol, kind, detail, index):
                return None
        return out

    # --- flow

    def branch(self) -> list[Piece]:
        self.count["if"] += 1
        if self.chance(0.3):
            made = self._tested()
            if made is not None:
                return made
        head = f"if ({self.condition(2)}) {{"
        if self.chance(0.4):
            self.count["else"] += 1
            return [nest(head, self.block(), ("} else {", self.block()))]
        return [nest(head, self.block())]

    def _tested(self) -> list[Piece] | None:
        """A node or edge that may be none, used where it is not."""
        kind = self.random.choice(["node", "edge"])
        if self.graph == "no_graph":
            return None
        value = self.some_node() if kind == "node" else self.some_edge()
        name = self.fresh(kind[0])
        self.count[f"{kind} tested before use"] += 1
        state = list(self.iterators)
        with self.scope.block():
            self.scope.declare(Symbol(name, kind, writable=False))
            self.iterators.append((name, kind))
            body = self.block()
        self.iterators = state
        test = self.random.choice([f"{name} != -1", f"{name} >= 0", f"!({name} == -1)"])
        return [line(f"{kind} {name} = {value};"), nest(f"if ({test}) {{", body)]

    def leaving(self) -> list[Piece]:
        if self.returning is not None and self.chance(0.5):
            self.count["return in a loop"] += 1
            return [nest(f"if ({self.condition(2)}) {{", [line(f"return{self.returning()};")])]
        word = self.random.choice(["break", "continue"])
        self.count[word] += 1
        return [nest(f"if ({self.condition(2)}) {{", [line(f"{word};")])]

    def counting(self) -> list[Piece]:
        """A loop with a bounded number of rounds."""
        rounds = self.random.randint(1, 4)
        name = self.fresh("i")
        counter = Symbol(name, "int", writable=False)
        self.cost *= rounds
        self.loops += 1
        try:
            with self.scope.block():
                self.scope.declare(counter)
                made = self._counting(name, rounds)
        finally:
            self.cost //= rounds
            self.loops -= 1
        return made

    def _counting(self, name: str, rounds: int) -> list[Piece]:
        match self.random.randrange(5):
            case 0:
                self.count["while"] += 1
                head = f"while ({name} < {rounds} && {self.condition(1)}) {{" if self.chance(0.5) else (
                    f"while ({name} < {rounds}) {{")  # fmt: skip
                return [line(f"int {name} = 0;"), nest(head, [line(f"{name} += 1;"), *self.block()])]
            case 1:
                self.count["do while"] += 1
                body = [line(f"{name}++;"), *self.block()]
                tail = f"}} while ({name} < {rounds} && {self.condition(1)});"
                return [line(f"int {name} = 0;"), nest("do {", body, tail=tail)]
            case 2:
                self.count["loop"] += 1
                first, last, step = self.random.choice([(0, rounds, 2), (rounds, 1, -1), (1, rounds, 1), (-2, 2, 3)])
                return [nest(f"loop ({name} in {first} to {last} by {step}) {{", self.block())]
            case 3:
                self.count["for down"] += 1
                return [nest(f"for (int {name} = {rounds}; {name} > 0; {name}--) {{", self.block())]
            case _:
                self.count["for"] += 1
                step = self.random.choice([f"{name}++", f"{name} += 2"])
                return [nest(f"for (int {name} = 0; {name} < {rounds}; {step}) {{", self.block())]

    # --- loops over parts of the graph

    def visiting(self) -> list[Piece] | None:
        """`for` or `forall` over something."""
        parallel = self.chance(0.5 if self.scope.levels else 0.9)
        if self.own_only is not None:
            parallel = False
        domain = self._domain()
        if domain is None:
            return None
        text, kind, position, size, arcs = domain
        if self.cost * size > 40000:
            return None
        return [self.loop(parallel, text, kind, position, size, arcs)]

    def _domain(self) -> tuple[str, str, str, int, tuple[str, str] | None] | None:
        """A domain: text, what it holds, whose the iterator's cells are, its size, the direction and centre of arcs."""
        nodes = self.nodes()
        inside = bool(self.scope.levels) or self.own_only is not None
        choice = self.random.random()
        if nodes and choice < (0.75 if inside else 0.25):
            word = self.random.choice(["neighbors", "neighbors", "nodes_to", "inOutNbrs"])
            centre = self.random.choice(nodes)
            self.count[f"over {word}"] += 1
            return f"{self.graph}.{word}({centre})", "node", "any", 12, (word, centre)
        sets = [s for s in self.symbols(lambda s: s.carrier == "set") if self.scope.may(s, "read")]
        if sets and choice > 0.8:
            self.scope.touch(sets[0], "read")
            self.count[f"over a set of {sets[0].kind}s"] += 1
            return sets[0].name, sets[0].kind, "own", 12, None
        if choice < 0.9 and not (inside and self.chance(0.7)):
            self.count["over nodes"] += 1
            return f"{self.graph}.nodes()", "node", "own", 40, None
        if inside and self.chance(0.7):
            return None
        self.count["over edges"] += 1
        return f"{self.graph}.edges()", "edge", "own", 140, None

    def loop(
        self, parallel: bool, domain: str, kind: str, position: str, size: int, arcs: tuple[str, str] | None
    ) -> Piece:
        name = self.fresh("v" if kind == "node" else "e")
        filtered = self.chance(0.35)
        self.count[f"{'forall' if parallel else 'for'}{' in a forall' if self.scope.levels else ''}"] += 1
        test = f".filter({self.filter(name, kind)})" if filtered else ""
        word = "forall" if parallel else "for"
        head = f"{word} ({name} in {domain}{test}) {{"
        iterators, hands, host, loops = list(self.iterators), list(self.arcs_in_hand), self.on_host, self.loops
        self.cost *= size
        self.iterators.append((name, kind))
        try:
            if parallel:
                self.on_host, self.loops = False, 0
                level = Level({name: position}, levelled=any(x.levelled for x in self.scope.levels))
                self._tag(level, name, arcs)
                with self.scope.parallel(level):
                    body = self._body(arcs, name, parallel)
            else:
                self.loops += 1
                for level in self.scope.levels:
                    self._tag(level, name, arcs)
                with self.scope.block():
                    body = self._body(arcs, name, parallel)
        finally:
            self.iterators, self.arcs_in_hand, self.on_host, self.loops = iterators, hands, host, loops
            self.cost //= size
        return nest(head, body)

    def _tag(self, level: Level, name: str, arcs: tuple[str, str] | None) -> None:
        """The next level's nodes, seen from a BFS level's."""
        if level.levelled and arcs is not None and level.positions.get(arcs[1]) == "own":
            tag = {"neighbors": "next", "nodes_to": "before"}.get(arcs[0])
            if tag is not None:
                level.positions[name] = tag

    def _body(self, arcs: tuple[str, str] | None, name: str, parallel: bool) -> list[Piece]:
        before: list[Piece] = []
        if arcs is not None and self.chance(0.7):
            before.append(self._arc(arcs, name, parallel))
        return before + self.statements(self.random.choice([1, 2, 2, 3]))

    def _arc(self, arcs: tuple[str, str], name: str, parallel: bool) -> Piece:
        word, centre = arcs
        edge = self.fresh("e")
        ends = (name, centre) if word == "nodes_to" else (centre, name)
        self.count["arc in hand"] += 1
        if word == "inOutNbrs":
            self.scope.declare(Symbol(edge, "edge", writable=False))
            return line(f"edge {edge} = {self.graph}.get_edge({ends[0]}, {ends[1]});")
        for level in self.scope.levels:
            if level.positions.get(centre) == "own" and not level.levelled:
                level.positions[edge] = "out arc" if word == "neighbors" else "in arc"
        if parallel:
            self.scope.levels[-1].positions[edge] = "own"
        self.scope.declare(Symbol(edge, "edge", writable=False))
        self.arcs_in_hand.append((edge, "any"))
        return line(f"edge {edge} = {self.graph}.get_edge({ends[0]}, {ends[1]});")

    def filter(self, name: str, kind: str) -> str:
        """A condition on the iterator, judged on entry, so that the loop around is all that it concerns."""
        self.count["filter"] += 1
        own = self.symbols(lambda s: s.carrier == kind and s.kind in ("bool", "int", "long", "node") and not s.inf
                           and self.scope.may(s, "read", "", name))  # fmt: skip
        parts = []
        for symbol in own[: self.random.choice([1, 1, 2])]:
            if not self.scope.touch(symbol, "read", "", name):
                continue
            text = symbol.name if self.chance(0.6) else f"{name}.{symbol.name}"
            if symbol.kind == "bool":
                parts.append(self.random.choice([text, f"!{text}", f"{text} == True", f"{text} == False"]))
            else:
                parts.append(f"{text} {self.random.choice(['<', '>=', '==', '!='])} {self.random.randrange(20)}")
        if not parts or self.chance(0.2):
            iterators, self.iterators = self.iterators, [*self.iterators, (name, kind)]
            parts.append(self.condition(1))
            self.iterators = iterators
        return self.random.choice([" && ", " || "]).join(parts)
