"""State of the checker inside one function: names, enclosing loops, the reporter.

`Context` is handed to every checking function. It knows no syntax and decides no types.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum

from starplat.diagnostics import Label, Reporter, Rewrite, Severity
from starplat.frontend import ast, scope, typed, types
from starplat.frontend.mistakes import remedies
from starplat.frontend.typed import Role, Symbol
from starplat.source import Span

DEEPEST_EXPRESSION = 120
DEEPEST_STATEMENT = 48


@dataclass(frozen=True, slots=True)
class Thing:
    """The meaning of an expression that is no scalar: a graph, a property, a set, a map, a collection.

    `symbol` is None for what only collections give, an element or a slice of one; `construct` names it for messages.
    `updates` tells which a list of updates holds, where that is known.
    """

    type: types.GraphType | types.PropertyType | types.SetType | types.MapType | types.Collection
    symbol: Symbol | None
    construct: str
    span: Span
    updates: typed.Updates | None = None


Value = typed.Expression | Thing


class Enclosure(Enum):
    """A construct around a statement."""

    FORALL = "forall"
    FOR = "for"
    WHILE = "while"
    FIXED_POINT = "fixedPoint"
    BFS = "iterateInBFS"
    BATCH = "Batch"
    ON_UPDATE = "OnAdd/OnDelete"

    @property
    def is_parallel(self) -> bool:
        """Whether the body may run for several values at once."""
        return self in (Enclosure.FORALL, Enclosure.BFS, Enclosure.ON_UPDATE)


@dataclass(frozen=True, slots=True)
class Frame:
    """An open loop; `fickle` holds the names that are assigned in its body."""

    kind: Enclosure
    span: Span
    iterator: Symbol | None = None
    domain: typed.Domain | None = None
    fickle: frozenset[str] = frozenset()


@dataclass(slots=True)
class LocalMap:
    """A map of one iteration, that of the node `owner`; `depth` loops are around its declaration.

    Keys are `added` at one place, in the loop `adding`; `read` holds a place where it is read for each loop, by the
    head of the outermost loop since the declaration.
    """

    owner: Symbol
    depth: int
    added: Span | None = None
    adding: Frame | None = None
    read: dict[Span, Span] = field(default_factory=dict)


@dataclass(slots=True)
class Signature:
    """The part of a function that callers see.

    `result` is None where the function is wrong. `host_only` and `foreign_write` are the places that keep it from
    being called inside a `forall`.
    """

    name: str
    span: Span
    parameters: tuple[Symbol, ...]
    defaults: tuple[typed.Literal | typed.Infinity | None, ...]
    result: types.Scalar | types.Several | types.ListType | types.Void | None
    host_only: Label | None = None
    foreign_write: Label | None = None


@dataclass(slots=True)
class Context:
    """The state of checking one function.

    `incremented` checks an increment inside an expression, and `increments` says whether the function has any;
    `updates` tells what each list of updates holds, `update_cells` where each update
    stands that a loop takes.
    `bare_node` is the node at which a bare property is read, `judging` counts the open conditions that the device
    evaluates for many nodes, `said` holds what needs no second message, and
    `suggestions_left` bounds the work on programs full of mistakes.
    """

    reporter: Reporter
    signatures: dict[str, Signature]
    function_names: dict[str, Span]
    incremented: "Callable[[Context, ast.Incremented], typed.Expression | None]"
    scopes: scope.Scopes = field(default_factory=scope.Scopes)
    frames: list[Frame] = field(default_factory=list)
    graphs: list[Symbol] = field(default_factory=list)
    maps: dict[Symbol, LocalMap] = field(default_factory=dict)
    updates: dict[Symbol, typed.Updates] = field(default_factory=dict)
    update_cells: dict[Symbol, tuple[typed.Updates, typed.Expression]] = field(default_factory=dict)
    parallel_depth: int = 0
    bare_node: Symbol | None = None
    judging: int = 0
    expression_depth: int = 0
    statement_depth: int = 0
    expected_result: types.Scalar | types.Several | None = None
    returns: list[tuple[Span, tuple[typed.Expression, ...]]] = field(default_factory=list)
    returns_value: bool = False
    empty_returns: list[Span] = field(default_factory=list)
    host_only: Label | None = None
    foreign_write: Label | None = None
    increments: bool = False
    suggestions_left: int = 25
    said: set[tuple[str, str]] = field(default_factory=set)

    # --- messages ---

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        text: str = "",
        *,
        related: Iterable[Label] = (),
        help: str | None = None,
    ) -> None:
        """Reports a mistake."""
        self.reporter.report(code, message, span, text, related=related, help=help)

    def warn(
        self,
        code: str,
        message: str,
        span: Span,
        text: str = "",
        *,
        related: Iterable[Label] = (),
        help: str | None = None,
        severity: Severity = Severity.WARNING,
    ) -> None:
        """Reports a warning, or (NOTE) how an ambiguous construct is understood."""
        self.reporter.report(code, message, span, text, related=related, help=help, severity=severity)

    def first_time(self, code: str, name: str) -> bool:
        """Whether this is the first message of its kind about `name` in this function."""
        if (code, name) in self.said:
            return False
        self.said.add((code, name))
        return True

    # --- names ---

    def find(self, name: str, span: Span) -> scope.Binding | None:
        """The binding of `name`; reports once that it is not declared."""
        if (binding := self.scopes.find(name, span)) is None:
            related, help = self.suggestion(name, (b for b in self.scopes.visible()))
            if help is None and name in self.function_names:
                help = f"'{name}' is a function: call it with '{name}(…)'"
            help = help or remedies.of_name(name, self.graph_name)
            self.error(
                "E0201", f"'{name}' is not declared", span, "not found in this scope", related=related, help=help
            )
            self.scopes.forget(name, span)
        return binding

    @property
    def graph_name(self) -> str:
        """The graph's name in messages."""
        return self.graphs[0].name if len(self.graphs) == 1 else "g"

    def suggestion(self, name: str, candidates: Iterable[scope.Binding]) -> tuple[list[Label], str | None]:
        """The declaration of the most similar name, and a help line that proposes it."""
        if self.suggestions_left == 0:
            return [], None
        self.suggestions_left -= 1
        by_name: dict[str, scope.Binding] = {}
        for binding in candidates:
            by_name.setdefault(binding.name, binding)
        if (found := remedies.closest(name, by_name)) is None:
            return [], None
        return [Label(by_name[found].span, f"'{found}' is declared here")], Rewrite(f"did you mean '{found}'?", found)

    def declare(self, written: ast.Name, kind: types.Type, role: Role) -> Symbol:
        """Adds a name to the innermost block; says if it is taken, warns if it hides another."""
        name, span = written.text, written.span
        if (before := self.scopes.here(name)) is not None and before.symbol is not None:
            related = [Label(before.span, f"'{name}' is first declared here")]
            self.error("E0202", f"'{name}' is declared twice", span, "declared again", related=related)
        elif before is None:
            self._warn_of_shadowing(name, span)
        symbol = Symbol(name, kind, role, span, self.parallel_depth)
        self.scopes.bind(scope.Binding(name, symbol, span))
        return symbol

    def declare_wrongly(self, name: str, span: Span) -> None:
        """Adds a name whose declaration was refused, so that its uses give no further message."""
        self.scopes.bind(scope.Binding(name, None, span))

    def _warn_of_shadowing(self, name: str, span: Span) -> None:
        if (hidden := self.scopes.find(name)) is not None and hidden.symbol is not None:
            related = [Label(hidden.span, "the one it hides")]
            self.warn(
                "W0204", f"'{name}' hides another '{name}'", span, "", related=related, help="give it another name"
            )

    def binding(self, symbol: Symbol) -> scope.Binding:
        return self.scopes.of_symbol[symbol]

    def mark_read(self, symbol: Symbol) -> None:
        """Notes that the program uses the symbol's value."""
        if (binding := self.scopes.of_symbol.get(symbol)) is not None:
            binding.read = True

    def mark_written(self, symbol: Symbol) -> None:
        """Notes that the program changes the symbol."""
        if (binding := self.scopes.of_symbol.get(symbol)) is not None:
            binding.written = True
            binding.arc = None

    def graph_of(self, symbol: Symbol) -> Symbol | None:
        """The graph of a property, a set or an edge, if it was given or there is only one."""
        if (binding := self.scopes.of_symbol.get(symbol)) is not None and binding.graph is not None:
            return binding.graph
        return self.graphs[0] if len(self.graphs) == 1 else None

    def graph_at_hand(self, span: Span, what: str) -> Symbol | None:
        """The only graph in scope; says if there is none or more than one."""
        if len(self.graphs) == 1:
            self.mark_read(self.graphs[0])
            return self.graphs[0]
        if not self.graphs:
            message, help = f"{what} needs a graph, and none is in scope", "add a parameter 'Graph g'"
        else:
            names = " and ".join(f"'{graph.name}'" for graph in self.graphs)
            message, help = f"{what}: of which graph, {names}?", f"name it: 'propNode<int, {self.graphs[0].name}>'"
        self.error("E0210", message, span, help=help)
        return None

    def walked(self, iterator: Symbol) -> typed.Neighbors | None:
        """The neighbors that an open loop with this iterator goes over."""
        domains = (frame.domain for frame in self.frames if frame.iterator is iterator)
        return next((domain for domain in domains if isinstance(domain, typed.Neighbors)), None)

    def weight(self, used: Span | None = None) -> Symbol | None:
        """The propEdge named `weight` in scope, which then stands for the edges' weights, here at `used`."""
        binding = self.scopes.find("weight", used)
        symbol = binding.symbol if binding is not None else None
        if symbol is None or not isinstance(symbol.type, types.PropertyType) or symbol.type.carrier.value != "propEdge":
            return None
        return symbol

    # --- nesting ---

    @contextmanager
    def block(self) -> Iterator[None]:
        """A scope of its own for what is declared inside."""
        self.scopes.open()
        try:
            yield
        finally:
            self.scopes.close()

    @contextmanager
    def inside(self, frame: Frame) -> Iterator[None]:
        """The body of a loop."""
        self.frames.append(frame)
        self.parallel_depth += frame.kind.is_parallel
        try:
            yield
        finally:
            self.parallel_depth -= frame.kind.is_parallel
            self.frames.pop()

    @contextmanager
    def bare(self, node: Symbol, *, on_device: bool) -> Iterator[None]:
        """An expression in which a bare property means its value at `node`; for many nodes at once if `on_device`."""
        before, self.bare_node = self.bare_node, node
        self.judging += on_device
        try:
            yield
        finally:
            self.judging -= on_device
            self.bare_node = before

    def note_host_only(self, span: Span, what: str) -> None:
        """Remembers that the function may not be called inside a `forall`."""
        if self.host_only is None:
            self.host_only = Label(span, what)

    def note_foreign_write(self, span: Span, what: str) -> None:
        """Remembers that the function writes a cell that is not its caller's own."""
        if self.foreign_write is None:
            self.foreign_write = Label(span, what)
