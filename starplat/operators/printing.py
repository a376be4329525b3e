"""Operators as text, in the words of papers: what `starplat inspect --stage operators` prints."""

from collections.abc import Iterator

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators import records as op
from starplat.same import Same

_ARROWS = {typed.Direction.OUT: "->", typed.Direction.IN: "<-", typed.Direction.BOTH: "--"}
_ROWS = {
    typed.Direction.OUT: "neighbors",
    typed.Direction.IN: "in-neighbors",
    typed.Direction.BOTH: "neighbors either way",
}
_ASKED = (typed.MapValue, typed.MapSize, typed.MapBest)
_TIGHT = (
    typed.Variable,
    typed.Cell,
    typed.Literal,
    typed.Infinity,
    typed.GraphQuery,
    typed.Apply,
    typed.GraphWeight,
    *_ASKED,
)


def printed(program: op.GraphProgram, settled: frozenset[Same] = frozenset(), *, anonymous: bool = False) -> str:
    """The text; `settled` are the places whose end does not depend on the order (`Facts.settled`). With
    `anonymous` names are `_1`, `_2` and so on, so that texts of programs can be compared."""
    return "\n".join(_Printer(program, settled, anonymous).lines()) + "\n"


class _Printer:
    def __init__(self, program: op.GraphProgram, settled: frozenset[Same], anonymous: bool) -> None:
        self._program, self._anonymous, self._settled = program, anonymous, settled
        self._names: dict[typed.Symbol, str] = {}
        self._inner: dict[typed.Symbol, str] = {}

    def lines(self) -> Iterator[str]:
        function = self._program.function
        given = ", ".join(map(self._name, function.parameters))
        written = walk.all_written(function.body)
        results = [p for p in function.parameters if isinstance(p.type, types.PropertyType) and p in written]
        shown = f" -> {', '.join(map(self._name, results))}" if results else ""
        yield f"{'' if self._anonymous else function.name}({given}){shown}"
        yield from self._block(self._program.operators, "  ")

    def _name(self, symbol: typed.Symbol) -> str:
        """The name, with a number where another symbol has it already; iterators of one operator are forgotten with
        it."""
        if symbol in self._names:
            return self._names[symbol]
        if self._anonymous:
            return self._names.setdefault(symbol, f"_{len(self._names) + 1}")
        names = self._inner if symbol.role is typed.Role.ITERATOR else self._names
        if symbol not in names:
            names[symbol] = self._free(symbol.name)
        return names[symbol]

    def _free(self, wanted: str) -> str:
        taken = {*self._names.values(), *self._inner.values()}
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        return name

    # --- operators

    def _block(self, operators: tuple[op.Operator, ...], indent: str) -> Iterator[str]:
        for operator in operators:
            for line in self._operator(operator):
                yield indent + line

    def _operator(self, operator: op.Operator) -> Iterator[str]:
        match operator:
            case op.Loop():
                yield from self._loop(operator)
            case op.Counted(loop=loop, body=body):
                first, condition = self._text(loop.first), self._text(loop.condition)
                yield f"count {self._name(loop.symbol)} from {first} while {condition}"
                yield from self._block(body, "  ")
            case op.Advance():
                self._inner.clear()
                yield from self._advance(operator)
            case op.Intersect():
                self._inner.clear()
                yield from self._intersect(operator)
            case op.VertexMap(iterator=node, domain=domain, when=when, body=body, rows=rows):
                self._inner.clear()
                yield f"each {self._name(node)}{self._of(domain)}{self._when(when)}"
                for s in body:
                    yield from ("  " + line for line in self._statement(s))
                for row in rows:
                    yield from ("  " + line for line in self._advance(row))
            case op.Foreach(loop=loop):
                self._inner.clear()
                yield f"foreach {self._name(loop.iterator)}{self._of(loop.domain)}{self._asked(loop.filter)}"
                yield from self._inside(loop.body)
            case op.Search():
                yield from self._search(operator)
            case op.Each(iterator=iterator, domain=domain, filter=asked_for, body=body):
                self._names.setdefault(iterator, self._name(iterator))
                yield f"one after another {self._name(iterator)}{self._of(domain)}{self._asked(asked_for)}"
                yield from self._block(body, "  ")
            case op.Choice(condition=condition, then=then, otherwise=otherwise):
                yield f"if {self._text(condition)}"
                yield from self._block(then, "  ")
                if otherwise:
                    yield "else"
                    yield from self._block(otherwise, "  ")
            case _:
                yield from self._statement(operator)

    def _loop(self, loop: op.Loop) -> Iterator[str]:
        if loop.frontier is not None:
            yield f"loop until {self._name(loop.frontier)} is empty"
        else:
            kind = "loop until" if loop.ends else "do while" if loop.tested_last else "while"
            yield f"{kind} {self._text(loop.condition)}"
        yield from self._block(loop.body, "  ")
        if (found := loop.spreading) is not None:
            best = "smallest" if found.extreme is typed.Extreme.MIN else "largest"
            whose = "its component" if found.both_ways else "all that reach it"
            along = " along arcs that have their reverse" if found.mutual else ""
            yield f"  union-find: every node gets the {best} {self._name(found.labels)} of {whose}{along}"

    def _search(self, operator: op.Search) -> Iterator[str]:
        search = operator.search
        self._names.setdefault(search.iterator, self._name(search.iterator))
        visited, begin = self._name(search.iterator), self._text(search.source)
        yield f"search level by level from {begin}, {visited} at each level"
        yield from self._block(operator.forward, "  ")
        if search.reverse is not None:
            yield f"back from the last level{self._asked(search.reverse.filter)}"
            yield from self._block(operator.back, "  ")

    def _asked(self, filter: typed.Expression | None) -> str:
        return "" if filter is None else f" when {self._text(filter)}"

    def _advance(self, a: op.Advance) -> Iterator[str]:
        arrow = f"{self._name(a.source)} {_ARROWS[a.direction]} {self._name(a.destination)}"
        if a.frontier is not None:
            yield f"advance {self._name(a.frontier)}  {arrow}{self._when(a.when)}"
        elif a.domain is not None:
            yield f"advance all{self._of(a.domain)}  {arrow}{self._when(a.when)}"
        else:
            yield f"advance {arrow}"
        for effect in a.effects:
            if effect.when:
                yield f"  when {' and '.join(map(self._text, effect.when))}"
            yield from ("  " + line for line in self._effect(effect))

    def _intersect(self, i: op.Intersect) -> Iterator[str]:
        u, w, x = map(self._free, "uwx")
        yield f"intersect {u} -> {w} when {u} < {w}: common {x} > {w}"
        total, scalar = self._name(i.total), isinstance(i.total.type, types.Scalar)
        grown = total if scalar else ", ".join(f"{total}[{node}]" for node in (u, w, x))
        yield f"  {grown} <- sum {i.value}"
        yield f"  symmetric in {u}, {w}, {x}: any orientation"
        yield "  where arcs lead both ways and none is twice; elsewhere each pair of neighbors is tried"

    def _effect(self, e: op.EdgeEffect) -> Iterator[str]:
        if self._is_mark(e.target, e.value):
            yield f"activates {self._name(e.symbol)}"
            return
        how = "" if e.how is op.How.STORE else f"{e.how.value} "
        yield f"{self._text(e.target)} <- {how}{self._text(e.value)}"
        for c in e.carried:
            if self._is_mark(c.place, c.value):
                yield f"activates {self._name(c.place.symbol)}"
            else:
                yield f"carrying {self._text(c.place)} := {self._text(c.value)}"
        if Same(e.target) in self._settled:
            yield "monotone: any order of arcs comes to the same end"

    def _is_mark(self, place: typed.Place, value: typed.Expression) -> bool:
        return place.symbol in self._program.frontiers and value == typed.TRUE

    def _of(self, domain: typed.Domain) -> str:
        match domain:
            case typed.AllNodes():
                return ""
            case typed.AllEdges():
                return " of all arcs"
            case typed.Members(symbol=symbol):
                return f" of {self._name(symbol)}"
            case typed.Numbers(count=count):
                return f" of the numbers below {self._text(count)}"
            case typed.Items(symbol=symbol):
                return f" of the list {self._name(symbol)}"
            case typed.Keys(symbol=symbol):
                return f" among the keys of {self._name(symbol)}"
            case typed.Neighbors(node=node, direction=direction):
                return f" of the {_ROWS[direction]} of {self._text(node)}"

    def _when(self, conditions: tuple[typed.Expression, ...]) -> str:
        return f" when {' and '.join(map(self._text, conditions))}" if conditions else ""

    # --- statements

    def _inside(self, block: typed.Block) -> Iterator[str]:
        for s in block.statements:
            yield from ("  " + line for line in self._statement(s))

    def _statement(self, s: typed.Statement) -> Iterator[str]:
        match s:
            case typed.Block():
                for inner in s.statements:
                    yield from self._statement(inner)
            case typed.If(condition, then, otherwise):
                yield f"if {self._text(condition)}"
                yield from self._inside(then)
                if otherwise is not None:
                    yield "else"
                    yield from self._inside(otherwise)
            case typed.ForEach(iterator=iterator, domain=domain, filter=asked_for, body=body, parallel=parallel):
                order = "" if parallel else " in order"
                yield f"for each {self._name(iterator)}{self._of(domain)}{order}{self._asked(asked_for)}"
                yield from self._inside(body)
            case typed.While(condition, body) | typed.DoWhile(condition=condition, body=body):
                yield f"while {self._text(condition)}"
                yield from self._inside(body)
            case typed.CountedLoop(symbol=symbol, first=first, condition=condition, body=body):
                yield f"count {self._name(symbol)} from {self._text(first)} while {self._text(condition)}"
                yield from self._inside(body)
            case typed.Return(value=value):
                yield "return" if value is None else f"return {self._text(value)}"
            case _:
                yield from self._change(s)

    def _change(self, s: typed.Statement) -> Iterator[str]:
        match s:
            case typed.Declare(symbol, value):
                if isinstance(symbol.type, types.Scalar) and value is not None:
                    yield f"{self._name(symbol)} := {self._text(value)}"
                elif isinstance(symbol.type, types.MapType):
                    yield f"map {self._name(symbol)}"
                elif symbol in self._program.frontiers:
                    yield f"frontier {self._name(symbol)}"
            case typed.Assign(place, value):
                if self._is_mark(place, value) and isinstance(place, typed.Cell):
                    yield f"{self._name(place.symbol)} += {{{self._text(place.index)}}}"
                else:
                    yield f"{self._text(place)} := {self._text(value)}"
            case typed.Update(combine, place, value):
                yield f"{self._text(place)} {combine.value} {self._text(value)}"
            case typed.AssignExtreme(extreme=extreme, place=place, candidate=candidate, carried=carried):
                yield f"{self._text(place)} <- {extreme.value.lower()} {self._text(candidate)}"
                for c in carried:
                    yield f"carrying {self._text(c.place)} := {self._text(c.value)}"
            case typed.Attach(items=items):
                yield from (self._fill(symbol, value) for symbol, value in items)
            case typed.CopyProperty(destination, source):
                yield f"{self._name(destination)} := {self._name(source)}"
            case typed.AddToSet(symbol=symbol, member=member):
                yield f"{self._name(symbol)} += {{{self._text(member)}}}"
            case typed.AddToMap(symbol=symbol, key=key, value=value):
                yield f"{self._name(symbol)}[{self._text(key)}] += {self._text(value)}"
            case typed.ChangeList(symbol=symbol, change=change, arguments=arguments):
                yield f"{self._name(symbol)} {change.value} {', '.join(map(self._text, arguments))}".rstrip()
            case typed.CallStatement(call=call):
                yield self._text(call)
            case _:
                yield type(s).__name__.lower()

    def _fill(self, symbol: typed.Symbol, value: typed.Expression | typed.Symbol) -> str:
        if isinstance(value, typed.Symbol):
            return f"{self._name(symbol)} := {self._name(value)}"
        if symbol in self._program.frontiers and isinstance(value, typed.Literal):
            return f"{self._name(symbol)} := {'all nodes' if value.value else '{}'}"
        return f"{self._name(symbol)} := {self._text(value)}"

    # --- expressions

    def _text(self, e: typed.Expression) -> str:
        match e:
            case typed.Literal(value):
                return str(value)
            case typed.Infinity(negative=negative):
                return "-INF" if negative else "INF"
            case typed.Variable(symbol) | typed.SetSize(symbol=symbol) | typed.WholeList(symbol=symbol):
                return self._name(symbol)
            case typed.ListSize(symbol=symbol) | typed.MapSize(symbol=symbol):
                return f"size({self._name(symbol)})"
            case typed.Cell(symbol, index) | typed.ListItem(symbol=symbol, index=index):
                return f"{self._name(symbol)}[{self._text(index)}]"
            case typed.MapValue(symbol=symbol, key=key):
                return f"{self._name(symbol)}[{self._text(key)}]"
            case typed.MapBest(symbol=symbol):
                return f"best({self._name(symbol)})"
            case typed.GraphWeight(edge=edge):
                return f"weight[{self._text(edge)}]"
            case typed.ArcInHand():
                return "e"
            case typed.EdgeEnd(edge=edge, end=end):
                return f"{end.value}({self._text(edge)})"
            case typed.GraphQuery(query=asked, arguments=arguments) | typed.Apply(asked, arguments):
                return f"{asked.value}({', '.join(map(self._text, arguments))})"
            case typed.SetContains(symbol=symbol, member=member):
                return f"{self._text(member)} in {self._name(symbol)}"
            case typed.Unary(operator, operand):
                return f"{operator.value}{self._tight(operand)}"
            case typed.Binary(operator, left, right):
                return f"{self._tight(left)} {operator.value} {self._tight(right)}"
            case typed.Conditional(condition, then, otherwise):
                return f"{self._tight(condition)} ? {self._tight(then)} : {self._tight(otherwise)}"
            case typed.Convert(operand):
                return self._text(operand)
            case typed.Cast(operand, kind):
                return f"{kind}({self._text(operand)})"
            case typed.Aggregate(aggregation=aggregation, property=symbol):
                return f"{aggregation.value.lower()} of {self._name(symbol)}"
            case typed.Together(values=values):
                return ", ".join(map(self._text, values))
            case typed.Call(function=called, arguments=lent):
                given = (self._name(a) if isinstance(a, typed.Symbol) else self._text(a) for a in lent)
                return f"{called}({', '.join(given)})"
            case typed.Incremented(place=place):
                return self._text(place)
            case typed.UnsupportedValue(construct=construct):
                return construct

    def _tight(self, e: typed.Expression) -> str:
        while isinstance(e, typed.Convert):
            e = e.operand
        return self._text(e) if isinstance(e, _TIGHT) else f"({self._text(e)})"
