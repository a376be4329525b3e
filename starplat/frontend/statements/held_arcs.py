"""Refuses arcs that are held across a change of the graph, and changes while arcs are walked.

Numbers of arcs are others after `updateCSRAdd` and `updateCSRDel`. A variable, or a property or list whose values are
edges, must get a new value before it is read again; follows every function that changes the graph in the order of its
statements, loops twice.
"""

from collections.abc import Iterable

from starplat.diagnostics import Label, Reporter
from starplat.frontend import typed, walk
from starplat.frontend.types import ListType, PropertyType, Scalar, SetType
from starplat.source import Span


def refuse_held_arcs(program: typed.Program, reporter: Reporter) -> None:
    """Reports E0420 and E0421."""
    for function in program.functions:
        if any(isinstance(inner, typed.ChangeGraph) for inner in walk.statements(function.body)):
            _Follower(reporter, function.parameters).follow(function.body)


def _holds_arcs(symbol: typed.Symbol) -> bool:
    kind = symbol.type
    return kind is Scalar.EDGE or (isinstance(kind, PropertyType | ListType) and kind.element is Scalar.EDGE)


class _Follower:
    """Follows one function: `old` are the symbols that hold arcs of a graph before, each with the change since."""

    def __init__(self, reporter: Reporter, parameters: Iterable[typed.Symbol]) -> None:
        self.reporter = reporter
        self.known = {symbol for symbol in parameters if _holds_arcs(symbol)}
        self.old: dict[typed.Symbol, Span] = {}
        self.walked: list[Span] = []
        self.told: set[Span] = set()

    def follow(self, statement: typed.Statement) -> None:
        if isinstance(statement, typed.ForEach):
            self.old.pop(statement.iterator, None)  # a filter asks each new arc
        for expression in walk.expressions(statement):
            self.read(expression)
        match statement:
            case typed.Block():
                for inner in statement.statements:
                    self.follow(inner)
            case typed.If():
                before = dict(self.old)
                self.follow(statement.then)
                then, self.old = self.old, before
                if statement.otherwise is not None:
                    self.follow(statement.otherwise)
                self.old |= then
            case typed.ChangeGraph():
                self.change(statement.span)
            case _ if inside := walk.blocks(statement):
                self.loop(statement, inside)
            case _:
                self.write(statement)

    def loop(self, loop: typed.Statement, inside: tuple[typed.Statement, ...]) -> None:
        """A loop, whose second round begins as the first ended."""
        if walks := _walks_arcs(loop):
            self.walked.append(loop.span)
        before = dict(self.old)
        for _ in range(2):
            if isinstance(loop, typed.ForEach) and _holds_arcs(loop.iterator):
                self.known.add(loop.iterator)
                self.old.pop(loop.iterator, None)
            if (
                isinstance(loop, typed.ForEach)
                and isinstance(loop.domain, typed.Items)
                and loop.domain.symbol in self.old
            ):
                self.refuse(loop.domain.symbol, loop.span)
            for part in inside:
                self.follow(part)
            for expression in walk.expressions(loop):
                self.read(expression)
        self.old |= before
        if walks:
            self.walked.pop()

    def change(self, span: Span) -> None:
        if self.walked and span not in self.told:
            self.told.add(span)
            self.reporter.report(
                "E0421", "the graph changes while its arcs are walked", span, "",
                related=[Label(self.walked[-1], "this loop goes over arcs")],
                help="change the graph before or after the loop",
            )  # fmt: skip
        self.old |= dict.fromkeys(self.known, span)

    def read(self, expression: typed.Expression) -> None:
        for part in walk.within(expression):
            match part:
                case (
                    typed.Variable(symbol=symbol)
                    | typed.Cell(symbol=symbol)
                    | typed.ListItem(symbol=symbol)
                    | typed.WholeList(symbol=symbol)
                ) if symbol in self.old:
                    self.refuse(symbol, part.span)
                case typed.Call(arguments=arguments):
                    for given in arguments:
                        if isinstance(given, typed.Symbol) and given in self.old:
                            self.refuse(given, part.span)

    def refuse(self, symbol: typed.Symbol, span: Span) -> None:
        if span in self.told:
            return
        self.told.add(span)
        holds = "is an edge" if symbol.type is Scalar.EDGE else "holds edges"
        message = f"'{symbol.name}' {holds} of the graph before it changed"
        match symbol.type:
            case Scalar():
                help = "find the edge again with 'g.get_edge'"
            case ListType():
                help = "clear the list after the change, and fill it anew"
            case _:
                help = "fill the property anew after the change"
        related = [Label(self.old[symbol], "the graph changes here, and numbers of edges with it")]
        self.reporter.report("E0420", message, span, "", related=related, help=help)

    def write(self, statement: typed.Statement) -> None:
        """What gets a new value; of a property, all of it."""
        match statement:
            case typed.Declare(symbol=symbol) if _holds_arcs(symbol):
                if not isinstance(symbol.type, ListType):  # a list holds nothing yet
                    self.known.add(symbol)
                self.old.pop(symbol, None)
            case typed.ChangeList(symbol=symbol, change=change) if _holds_arcs(symbol):
                self.known.add(symbol)
                if change in (typed.ListChange.CLEAR, typed.ListChange.COPY):
                    self.old.pop(symbol, None)
            case typed.Assign(place=typed.Variable(symbol=symbol)):
                self.old.pop(symbol, None)
            case typed.Attach(items=items):
                for symbol, _ in items:
                    self.old.pop(symbol, None)
            case typed.CopyProperty(destination=symbol, source=source):
                self.old.pop(symbol, None)
                if source in self.old:
                    self.refuse(source, statement.span)


def _walks_arcs(loop: typed.Statement) -> bool:
    match loop:
        case typed.IterateInBFS() | typed.ForEach(domain=typed.AllEdges() | typed.Neighbors()):
            return True
        case typed.ForEach(domain=typed.Members(symbol=symbol)):
            return symbol.type == SetType(Scalar.EDGE)
    return False
