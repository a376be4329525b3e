"""Finds the loops that one kernel can hold, and those that the host must drive.

A kernel holds everything sequential, neighbor loops and nested `forall`s. What needs the host inside it (a fixed
point, a BFS, memory that is allocated, filled or copied as a whole, a call of a function that does such things) makes
a `forall` run its iterations one after another, which its meaning permits, each with its own parallel loops.
"""

from collections.abc import Iterator

from starplat.analysis import walk
from starplat.frontend import typed, types


class Hosting:
    """Answers for one program (memoised per function)."""

    def __init__(self, program: typed.Program) -> None:
        self._program = program
        self._needs: dict[str, bool] = {}

    def needs_host(self, statement: typed.Statement) -> bool:
        """Whether anything below the statement can only be done by the host."""
        return any(_is_host_only(inner) for inner in walk.statements(statement)) or any(
            self.function_needs_host(call.function) for call in walk.calls(statement)
        )

    def function_needs_host(self, name: str) -> bool:
        """Whether a function cannot be called from a kernel."""
        if name not in self._needs:
            self._needs[name] = self.needs_host(self._program.function(name).body)
        return self._needs[name]

    def is_sequential_kernel(self, statement: typed.Statement) -> bool:
        """Whether a sequential loop of the host is better run whole by one thread of the device.

        It is where the loop touches device memory and starts no loop over all nodes, all edges or a set that could
        run in parallel.
        """
        if self.needs_host(statement) or any(isinstance(s, typed.Return) for s in walk.statements(statement)):
            return False
        if any(
            isinstance(s, typed.ForEach) and s.parallel and not isinstance(s.domain, typed.Neighbors)
            for s in walk.statements(statement)
        ):
            return False
        if any(_grows_its_domain(s) for s in walk.statements(statement)) or self._sums_up_what_changes(statement):
            return False
        if any(self._starts_parallel_loop(call.function) for call in walk.calls(statement)):
            return False
        lent = walk.lent(statement) - set(walk.declared(statement))
        if any(isinstance(symbol.type, types.Scalar) for symbol in lent):
            return False  # only the host can lend its variables
        return _touches_memory(statement)

    def _sums_up_what_changes(self, statement: typed.Statement) -> bool:
        """Whether a whole property or set is reduced that the statement writes meanwhile, or is reduced inside a
        function: a kernel only has reductions from before its launch."""
        asked = {symbol for value in walk.all_values(statement) for symbol in _summed_up(value)}
        return bool(asked & _written(statement)) or any(self._asks(call.function) for call in walk.calls(statement))

    def _asks(self, name: str) -> bool:
        body = self._program.function(name).body
        return any(True for value in walk.all_values(body) for _ in _summed_up(value)) or any(
            self._asks(call.function) for call in walk.calls(body)
        )

    def _starts_parallel_loop(self, name: str) -> bool:
        body = self._program.function(name).body
        return any(isinstance(s, typed.ForEach) and s.parallel for s in walk.statements(body))


def _is_host_only(statement: typed.Statement) -> bool:
    match statement:
        case typed.FixedPoint() | typed.IterateInBFS() | typed.Attach() | typed.CopyProperty() | typed.Unsupported():
            return True
        case typed.TakeBatch() | typed.EndBatch() | typed.ChangeGraph():
            return True
        case typed.ChangeList() | typed.ForEach(domain=typed.Items()):
            return True
        case typed.Declare():
            return not isinstance(statement.symbol.type, types.Scalar | types.MapType) or _reads_a_list(statement)
    return _reads_a_list(statement)


def _reads_a_list(statement: typed.Statement) -> bool:
    places = walk.written_places(statement)
    parts = (part for value in walk.values(statement) for part in walk.within(value))
    return any(isinstance(part, typed.ListItem | typed.ListSize) for part in (*places, *parts))


def _summed_up(value: typed.Expression) -> Iterator[typed.Symbol]:
    """The properties and sets of which the value needs all cells."""
    for e in walk.within(value):
        match e:
            case typed.Aggregate():
                yield e.property
            case typed.SetSize():
                yield e.symbol
            case typed.GraphQuery(query=typed.Query.MIN_WEIGHT | typed.Query.MAX_WEIGHT):
                yield e.graph if e.weight is None else e.weight


def _written(statement: typed.Statement) -> set[typed.Symbol]:
    """The properties and sets that something below the statement may write."""
    added = {s.symbol for s in walk.statements(statement) if isinstance(s, typed.AddToSet)}
    return {place.symbol for place in walk.places(statement)} | added | walk.lent(statement)


def _grows_its_domain(statement: typed.Statement) -> bool:
    """Whether a loop over a set adds to that set: its members are those on entry, which the host copies."""
    if not isinstance(statement, typed.ForEach) or not isinstance(statement.domain, typed.Members):
        return False
    symbol = statement.domain.symbol
    return any(isinstance(s, typed.AddToSet) and s.symbol is symbol for s in walk.statements(statement.body)) or any(
        symbol in call.arguments for call in walk.calls(statement.body)
    )


def _touches_memory(statement: typed.Statement) -> bool:
    touched = (typed.Cell, typed.SetContains)
    return (
        any(isinstance(place, typed.Cell) for place in walk.places(statement))
        or any(isinstance(s, typed.AddToSet) for s in walk.statements(statement))
        or any(isinstance(e, touched) for e in walk.all_parts(statement))
        or any(isinstance(symbol.type, types.PropertyType | types.SetType) for symbol in walk.lent(statement))
    )
