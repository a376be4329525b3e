"""Random statements that only the host does, and whole functions: the entry, helpers, functions of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.generating.pieces import Piece, line, nest
from tests.generating.scope import REALS, WHOLE, Level, Symbol
from tests.generating.statements import SCALARS, Helper, Maker, Statements


@dataclass
class Hosts(Statements):
    """Generates what runs on the host. `host_helpers` are functions that start kernels of their own."""

    host_helpers: list[Helper] = field(default_factory=list)

    def statement(self) -> list[Piece]:
        if self.scope.levels or self.own_only is not None or self.chance(0.25):
            return super().statement()
        makers: list[tuple[int, Maker]] = [
            (14, self.parallel),
            (4, self.attach),
            (2, self.copy),
            (2, self.swap),
            (3, self.declare_property),
            (2, self.declare_set),
            (6, self.host_call),
            (2, self.product),
            (1, self.far_edges),
        ]
        if self.depth < 3 and self.cost <= 16:
            makers += [(4, self.relaxation), (4, self.search), (2, self.counted_fixed_point), (2, self.marking)]
            makers += [(1, self.one_by_one)]
        for _ in range(6):
            made = self.random.choices([m for _, m in makers], [w for w, _ in makers])[0]()
            if made:
                return made
        return []

    def parallel(self) -> list[Piece] | None:
        domain = self._domain()
        if domain is None or self.cost * domain[3] > 40000:
            return None
        return [self.loop(True, *domain)]

    # --- whole properties

    def _properties(self, carrier: str) -> list[Symbol]:
        return self.symbols(lambda s: s.carrier == carrier and s.writable and s not in self.scope.locked)

    def declare_property(self) -> list[Piece]:
        carrier = "node" if self.chance(0.7) else "edge"
        kind = self.random.choice(SCALARS)
        name = self.fresh("p")
        self.count[f"prop{carrier.title()}<{kind}>"] += 1
        self.count["local property"] += 1
        if self.loops:
            self.count["property declared in a loop"] += 1
        symbol = self.scope.declare(Symbol(name, kind, carrier, exact=kind not in REALS or self.chance(0.5)))
        made = [line(f"prop{carrier.title()}<{kind}> {name};")]
        if self.chance(0.6):
            made.append(line(f"{self.graph}.attach{carrier.title()}Property({self._filled(symbol)});"))
        return made

    def _filled(self, symbol: Symbol) -> str:
        with self.scope.without(symbol):
            return f"{symbol.name} = {self.value(symbol.kind, 1, symbol.exact)}"

    def declare_set(self) -> list[Piece]:
        kind = self.random.choice(["node", "edge"])
        name = self.fresh("s")
        self.count[f"local set of {kind}s"] += 1
        self.scope.declare(Symbol(name, kind, "set"))
        return [line(f"Set{kind[0].upper()}<{self.graph}> {name};")]

    def attach(self) -> list[Piece] | None:
        carrier = "node" if self.chance(0.7) else "edge"
        symbols = [s for s in self._properties(carrier) if not s.inf][: self.random.choice([1, 2, 3])]
        if not symbols:
            return None
        items = [self._attached(symbol) for symbol in symbols]
        self.count[f"attach of {len(items)}"] += 1
        return [line(f"{self.graph}.attach{carrier.title()}Property({', '.join(items)});")]

    def _attached(self, symbol: Symbol) -> str:
        like = self._like(symbol)
        if like and self.chance(0.4):
            self.count["attach copies"] += 1
            return f"{symbol.name} = {like[0].name}"
        return f"{symbol.name} = {self.value(symbol.kind, 1, symbol.exact)}"

    def _like(self, symbol: Symbol) -> list[Symbol]:
        return self.symbols(lambda s: s is not symbol and (s.kind, s.carrier, s.exact, s.inf)
                            == (symbol.kind, symbol.carrier, symbol.exact, symbol.inf))  # fmt: skip

    def copy(self) -> list[Piece] | None:
        for symbol in self._properties(self.random.choice(["node", "edge"])):
            like = self._like(symbol)
            if like:
                self.count["copy"] += 1
                return [line(f"{symbol.name} = {like[0].name};")]
        return None

    def swap(self) -> list[Piece] | None:
        for carrier in ("node", "edge"):
            for symbol in self._properties(carrier):
                like = [s for s in self._like(symbol) if s.writable and s not in self.scope.locked]
                if like:
                    self.count["swap"] += 1
                    a, b = symbol.name, like[0].name
                    return [line(f"{self.graph}.attach{carrier.title()}Property({a} = {b}, {b} = {a});")]
        return None

    def product(self) -> list[Piece]:
        kind = self.random.choice(["int", "long", "float", "double"])
        name, result = self.fresh("p"), self.fresh("r")
        at = self.index("node")
        self.count["Product"] += 1
        one = "1" if kind in WHOLE else "1.0"
        factor = self.random.choice(["-3", "2", "-1"]) if kind in WHOLE else self.random.choice(["0.5", "-2.0"])
        self.scope.declare(Symbol(result, kind))
        return [
            line(f"propNode<{kind}> {name};"),
            line(f"{self.graph}.attachNodeProperty({name} = {one});"),
            line(f"{name}[{at}] = {factor};"),
            line(f"{kind} {result} = Product({name});"),
        ]

    def far_edges(self) -> list[Piece]:
        """INF in cells of type `edge`, which may be narrower than a long on a device."""
        name, far, n = self.fresh("p"), self.fresh("l"), self.fresh("i")
        self.count["INF in an edge property"] += 1
        self.scope.declare(Symbol(n, "long"))
        nodes = self.graph + ".nodes()"
        return [
            line(f"propNode<edge> {name};"),
            line(f"long {far} = {self.random.choice(['INF', '2147483647', '1000000'])};"),
            line(f"{self.graph}.attachNodeProperty({name} = {far});"),
            nest(f"forall (e in {self.graph}.edges()) {{",
                 [line("node t = e.destination;"), line(f"<t.{name}> = <Min(t.{name}, e)>;")]),
            line(f"long {n} = 0;"),
            nest(f"forall (v in {nodes}) {{",
                 [nest(f"if (v.{name} < {self.graph}.num_edges()) {{", [line(f"{n} += v.{name};")])]),
        ]  # fmt: skip

    # --- calls

    def host_call(self) -> list[Piece] | None:
        for helper in self.random.sample(self.host_helpers, len(self.host_helpers)):
            arguments = self._arguments(helper)
            if arguments is None:
                continue
            self.count["host function called"] += 1
            text = f"{helper.name}({', '.join(arguments)})"
            if not helper.result or self.chance(0.3):
                return [line(f"{text};")]
            name = self.fresh("r")
            self.scope.declare(Symbol(name, helper.result, exact=helper.result not in REALS))
            return [line(f"{helper.result} {name} = {text};")]
        return None

    # --- fixed points

    def _around(self, *symbols: Symbol) -> list[Piece]:
        """Statements whose outcome does not depend on how often they run: fills of a property from what stays."""
        if self.chance(0.6):
            return []
        free = [s for s in self._properties("node") if s not in symbols and not s.inf and s.level == 0]
        if not free:
            return []
        target = free[0]
        name = self.fresh("v")
        iterators, self.iterators = self.iterators, [(name, "node")]
        cost, self.cost = self.cost, 10**5
        with self.scope.without(target, *symbols), self.scope.parallel(Level({name: "own"})):
            value = self.value(target.kind, 2, target.exact)
        self.iterators, self.cost = iterators, cost
        self.count["work beside a fixed point"] += 1
        return [nest(f"forall ({name} in {self.graph}.nodes()) {{", [line(f"{name}.{target.name} = {value};")])]

    def relaxation(self) -> list[Piece]:
        """Distances or labels, in both spellings, over every direction, perhaps with one value carried."""
        kind = self.random.choice(["int", "long", "float", "double", "node"])
        word = "Max" if self.chance(0.3) else "Min"
        two = self.chance(0.4)
        dist, flag, other = (self.fresh(x) for x in ("dist", "modified", "modified_nxt"))
        known = [s for s in self._properties("node") if s.kind == "bool" and s.level == 0]
        given = bool(known) and self.chance(0.4)
        if given:
            flag = known[0].name
            self.count["fixedPoint on given flags"] += 1
        v, w, done = self.fresh("v"), self.fresh("w"), self.fresh("finished")
        self.count[f"fixedPoint with {'two flags' if two else 'one flag'}"] += 1
        self.count[f"relaxation of {kind} by {word}"] += 1
        start = self._start(kind, word, dist, v, flag)
        direction = self.random.choice(["neighbors", "nodes_to", "inOutNbrs"])
        candidate, arc = self._relaxed(kind, word, dist, v, w, direction)
        target = other if two else flag
        places, values = [f"{w}.{dist}", f"{w}.{target}"], [f"{word}({w}.{dist}, {candidate})", "True"]
        extra = self.chance(0.3) and kind != "node"
        carried = self.fresh("carried")
        if extra:
            self.count["carried data in a fixed point"] += 1
            places.append(f"{w}.{carried}")
            values.append(f"{candidate} * 2")
        filters = "" if self.chance(0.6) else f".filter({w} != {v})"
        loop = self.random.choice(["forall", "forall", "for"])
        step = nest(f"{loop} ({w} in {self.graph}.{direction}({v}){filters}) {{",
                    [*arc, line(f"<{', '.join(places)}> = <{', '.join(values)}>;")])  # fmt: skip
        active = self.random.choice([flag, f"{flag} == True", f"{v}.{flag}"])
        body = [nest(f"forall ({v} in {self.graph}.nodes().filter({active})) {{", [step]), *self._around(*known[:1])]
        if two:
            g = self.graph
            body.append(line(f"{g}.attachNodeProperty({flag} = {other}, {other} = False);") if self.chance(0.6) else
                        line(f"{flag} = {other};"))  # fmt: skip
            if body[-1].heads[0].startswith(flag):
                body.append(line(f"{g}.attachNodeProperty({other} = False);"))
        declared = [line(f"propNode<{kind}> {dist};"), *([] if given else [line(f"propNode<bool> {flag};")])]
        declared += [line(f"propNode<bool> {other};")] if two else []
        if extra:
            declared.append(line(f"propNode<{kind}> {carried};"))
            self.scope.declare(Symbol(carried, kind, "node", inf=True))
        self.scope.declare(Symbol(dist, kind, "node", inf=kind != "node"))
        if not given:
            self.scope.declare(Symbol(flag, "bool", "node"))
        condition = self.random.choice([f"!{flag}", f"{flag} == False"])
        flagged = [line(f"bool {done} = False;")] if self.chance(0.7) else []
        loop = nest(f"fixedPoint until ({done} : {condition}) {{", body)
        return [*declared, *start, *flagged, loop, *self._used(dist, kind)]

    def _used(self, name: str, kind: str) -> list[Piece]:
        """A result that depends on what was found out."""
        if kind in REALS:
            self.count["INF of reals tested"] += 1
            v, total = self.fresh("v"), self.fresh("sum")
            self.scope.declare(Symbol(total, "int"))
            return [
                line(f"int {total} = 0;"),
                nest(f"forall ({v} in {self.graph}.nodes().filter({name} != INF)) {{",
                     [nest(f"if ({v}.{name} > -INF) {{", [line(f"{total}++;")])]),
            ]  # fmt: skip
        if kind not in WHOLE:
            return []
        total = self.fresh("sum")
        v = self.fresh("v")
        self.scope.declare(Symbol(total, "long"))
        return [
            line(f"long {total} = 0;"),
            nest(f"forall ({v} in {self.graph}.nodes().filter({name} != INF && {name} != -INF)) {{",
                 [line(f"{total} += {v}.{name} % 1000;")]),
        ]  # fmt: skip

    def _start(self, kind: str, word: str, dist: str, v: str, flag: str) -> list[Piece]:
        g = self.graph
        if kind == "node":
            return [
                line(f"{g}.attachNodeProperty({flag} = True);"),
                nest(f"forall ({v} in {g}.nodes()) {{", [line(f"{v}.{dist} = {v};")]),
            ]
        if word == "Max":
            self.count["-INF"] += 1
        at = self.index("node")
        far = "INF" if word == "Min" else "-INF"
        start = "0" if word == "Min" else "100"
        return [
            line(f"{g}.attachNodeProperty({dist} = {far}, {flag} = False);"),
            line(f"{dist}[{at}] = {start};"),
            line(f"{flag}[{at}] = True;"),
        ]

    def _relaxed(self, kind: str, word: str, dist: str, v: str, w: str, direction: str) -> tuple[str, list[Piece]]:
        if kind == "node":
            return f"{v}.{dist}", []
        if word == "Max":
            return (f"({v}.{dist} - {self.random.choice(['1', '3'])})" if kind in WHOLE else f"({v}.{dist} - 1.5)"), []
        weighted = self.chance(0.6) and not any(s.name == "weight" and s.kind in REALS for s in self.scope.visible())
        if not weighted or not self._may_weigh():
            return f"({v}.{dist} + {'2' if kind in WHOLE else '0.5'})", []
        self.count["INF + weight"] += 1
        e = self.fresh("e")
        ends = f"{w}, {v}" if direction == "nodes_to" else f"{v}, {w}"
        if direction == "inOutNbrs":
            return f"({v}.{dist} + 1)", []
        return f"({v}.{dist} + abs({e}.weight % 50))", [line(f"edge {e} = {self.graph}.get_edge({ends});")]

    def _may_weigh(self) -> bool:
        found = [s for s in self.scope.visible() if s.name == "weight"]
        return not found or found[0] not in self.scope.locked

    def counted_fixed_point(self) -> list[Piece]:
        """In place, ended by a number or by cells that count up."""
        done, rounds = self.fresh("done"), self.fresh("rounds")
        limit = self.random.randint(1, 3)
        self.count["fixedPoint in place"] += 1
        counter = self.scope.declare(Symbol(rounds, "int", writable=False))
        self.cost *= limit
        self.loops, loops = 0, self.loops
        if self.chance(0.5):
            body = [line(f"{rounds} += 1;"), *self.block()]
            made = nest(f"fixedPoint until ({done} : {rounds} >= {limit}) {{", body)
            first = [line(f"int {rounds} = 0;")]
        else:
            self.scope.blocks[-1].remove(counter)
            steps, v = self.fresh("steps"), self.fresh("v")
            symbol = self.scope.declare(Symbol(steps, "int", "node", writable=False))
            self.count["fixedPoint on cells"] += 1
            with self.scope.without(symbol):
                inner = self.block()
            body = [nest(f"forall ({v} in {self.graph}.nodes()) {{", [line(f"{v}.{steps} += 1;")]), *inner]
            made = nest(f"fixedPoint until ({done} : {steps} >= {limit}) {{", body)
            first = [line(f"propNode<int> {steps};"), line(f"{self.graph}.attachNodeProperty({steps} = 0);")]
        self.cost //= limit
        self.loops = loops
        return [*first, line(f"bool {done} = False;"), made]

    def marking(self) -> list[Piece]:
        """A frontier of flags of its own: the loop writes what its filter reads."""
        seen, done, v, w = self.fresh("seen"), self.fresh("done"), self.fresh("v"), self.fresh("w")
        at, g = self.index("node"), self.graph
        self.count["a filter that its loop writes"] += 1
        self.scope.declare(Symbol(seen, "bool", "node"))
        reached = self.scope.declare(Symbol(self.fresh("reached"), "int"))
        rounds = self.random.randint(1, 3)
        i = self.fresh("i")
        visit = nest(f"forall ({w} in {g}.{self.random.choice(['neighbors', 'nodes_to'])}({v}).filter(!{seen})) {{",
                     [line(f"{w}.{seen} = True;")])  # fmt: skip
        body = [nest(f"forall ({v} in {g}.nodes().filter({seen})) {{", [visit, line(f"{reached.name} += 1;")])]
        if self.chance(0.5):
            visit = nest(f"for ({w} in {g}.nodes_to({v})) {{", [line(f"{w}.{seen} = True;")])
            body = [nest(f"forall ({v} in {g}.nodes().filter({seen})) {{", [visit, line(f"{reached.name} += 1;")])]
        loop = nest(f"for (int {i} = 0; {i} < {rounds}; {i}++) {{", body)
        if self.chance(0.5):
            loop = body[0]
        del done
        return [
            line(f"propNode<bool> {seen};"),
            line(f"{g}.attachNodeProperty({seen} = False);"),
            line(f"{seen}[{at}] = True;"),
            line(f"int {reached.name} = 0;"),
            loop,
        ]

    def one_by_one(self) -> list[Piece] | None:
        """A parallel loop whose body needs the host."""
        name = self.fresh("v")
        sets = [s.name for s in self.symbols(lambda s: s.carrier == "set" and s.kind == "node")]
        domain = self.random.choice([*sets, f"{self.graph}.nodes().filter({name} < 3)"])
        iterators, self.iterators = self.iterators, [*self.iterators, (name, "node")]
        self.cost *= 10
        self.loops, loops = 0, self.loops
        self.count["forall driven by the host"] += 1
        parallel = self.chance(0.5)
        with self.scope.block():
            written = [s for s in self.scope.visible() if s.writable]
            with self.scope.without(*(written if parallel else [])):
                body = self.declare_property() + self.relaxation() if self.chance(0.5) else (
                    self.declare_property() + self.search())  # fmt: skip
        total = self.fresh("total")
        self.scope.declare(Symbol(total, "int"))
        body.append(line(f"{total} += 1;"))
        self.iterators, self.loops = iterators, loops
        self.cost //= 10
        return [line(f"int {total} = 0;"), nest(f"{'forall' if parallel else 'for'} ({name} in {domain}) {{", body)]

    # --- breadth-first search

    def search(self) -> list[Piece] | None:
        v = self.fresh("v")
        source = "-1" if self.chance(0.06) else self.index("node")
        outer = self.random.random()
        made: list[Piece] = []
        self.count["iterateInBFS"] += 1
        if outer < 0.4:
            return self._paths(v, str(source))
        if outer < 0.5:
            return self._levels_by_host(v, str(source))
        test = ""
        if self.chance(0.3):
            test = f".filter({self.filter(v, 'node')})"
            self.count["BFS filter"] += 1
        head = f"iterateInBFS ({v} in {self.graph}.nodes() from {source}){test} {{"
        forward = self._pass(v)
        if self.chance(0.5):
            made.append(nest(head, forward))
        else:
            self.count["iterateInReverse"] += 1
            condition = f" ({self.filter(v, 'node')})" if self.chance(0.6) else ""
            made += [nest(head, forward, (f"}} iterateInReverse{condition} {{", self._pass(v)))]
        return made

    def _levels_by_host(self, v: str, source: str) -> list[Piece]:
        """A search whose bodies need the host, for one node after the other."""
        p, w, up, down = self.fresh("p"), self.fresh("w"), self.fresh("up"), self.fresh("down")
        g = self.graph
        self.count["BFS driven by the host"] += 1
        self.scope.declare(Symbol(up, "int", "node"))
        self.scope.declare(Symbol(down, "int"))
        words = [self.random.choice(["neighbors", "nodes_to", "inOutNbrs"]) for _ in range(2)]
        bodies = [
            [
                line(f"propNode<int> {p};"),
                line(f"{g}.attachNodeProperty({p} = {self.random.randint(1, 5)});"),
                nest(f"{self.random.choice(['forall', 'for'])} ({w} in {g}.{word}({v})) {{", [line(inner)]),
            ]
            for word, inner in zip(words, (f"{w}.{up} += {w}.{p};", f"{down} += {w}.{p} + {v}.{up};"), strict=True)
        ]
        head = f"iterateInBFS ({v} in {g}.nodes() from {source}) {{"
        first = [line(f"propNode<int> {up};"), line(f"{g}.attachNodeProperty({up} = 0);"), line(f"int {down} = 0;")]
        if self.chance(0.4):
            return [*first, nest(head, bodies[0]), nest(f"if ({down} == 0) {{", [line(f"{down} = 1;")])]
        return [*first, nest(head, bodies[0], ("} iterateInReverse {", bodies[1]))]

    def _pass(self, v: str) -> list[Piece]:
        state = list(self.iterators), list(self.arcs_in_hand), self.on_host, self.loops
        self.iterators.append((v, "node"))
        self.cost *= 40
        self.on_host, self.loops = False, 0
        with self.scope.parallel(Level({v: "own"}, levelled=True)):
            body = self.statements(self.random.choice([1, 2, 3]))
        self.iterators, self.arcs_in_hand, self.on_host, self.loops = state
        self.cost //= 40
        return body

    def _paths(self, v: str, source: str) -> list[Piece]:
        """Numbers of shortest paths, pulled or pushed, and what depends on them, backwards."""
        sigma, delta, w = self.fresh("sigma"), self.fresh("delta"), self.fresh("w")
        g = self.graph
        self.scope.declare(Symbol(sigma, "double", "node", exact=False))
        self.scope.declare(Symbol(delta, "double", "node", exact=False))
        word = self.random.choice(["forall", "for"])
        if self.chance(0.5):
            self.count["BFS pull"] += 1
            inner = f"{v}.{sigma} = {v}.{sigma} + {w}.{sigma};" if self.chance(0.5) else f"{v}.{sigma} += {w}.{sigma};"
        else:
            self.count["BFS push"] += 1
            inner = f"{w}.{sigma} += {v}.{sigma};"
        forward = [nest(f"{word} ({w} in {g}.neighbors({v})) {{", [line(inner)])]
        if self.chance(0.5):
            back = [nest(f"{word} ({w} in {g}.neighbors({v})) {{",
                         [line(f"{v}.{delta} += {v}.{sigma} / {w}.{sigma} * (1.0 + {w}.{delta});")])]  # fmt: skip
        else:
            back = [nest(f"{word} ({w} in {g}.nodes_to({v})) {{",
                         [line(f"{w}.{delta} += {w}.{sigma} / {v}.{sigma} * (1.0 + {v}.{delta});")])]  # fmt: skip
        self.count["iterateInReverse"] += 1
        condition = f" ({v} != {source})" if self.chance(0.5) else ""
        head = f"iterateInBFS ({v} in {g}.nodes() from {source}) {{"
        first = [line(f"{sigma}[{source}] = 1.0;")] if source != "-1" else []
        return [
            line(f"propNode<double> {sigma};"),
            line(f"propNode<double> {delta};"),
            line(f"{g}.attachNodeProperty({sigma} = 0.0, {delta} = 0.0);"),
            *first,
            nest(head, forward, (f"}} iterateInReverse{condition} {{", back)),
        ]
