"""Side effects in expressions: increments and calls that change their arguments, and the reads beside them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from starplat.frontend import typed, walk
from starplat.frontend.types import Scalar


@dataclass
class Acting:
    """Answers for one program; `changes` memoises which parameters each function changes."""

    program: typed.Program
    changes: dict[str, tuple[bool, ...]] = field(default_factory=dict)

    def changed(self, part: "Part") -> frozenset[typed.Symbol]:
        """The places that a call may change through its arguments, or an increment changes."""
        if isinstance(part, typed.Incremented):
            return frozenset((part.place.symbol,))
        lent = zip(part.arguments, self.changed_parameters(part.function), strict=True)
        return frozenset(argument for argument, changes in lent if changes and isinstance(argument, typed.Symbol))

    def changed_parameters(self, name: str) -> tuple[bool, ...]:
        if name not in self.changes:
            function = self.program.function(name)
            written: set[typed.Symbol] = set()
            for statement in walk.statements(function.body):
                given = [s for part in parts(walk.expressions(statement)) for s in self.changed(part)]
                lent = {a for call in calls(walk.expressions(statement)) for a in call.arguments}
                written |= {s for s in walk.written(statement) if s not in lent} | set(given)
                written |= {p.symbol for p in walk.written_places(statement)}
            by_value = [isinstance(p.type, Scalar) and p.role is not typed.Role.REFERENCE for p in function.parameters]
            pairs = zip(function.parameters, by_value, strict=True)
            self.changes[name] = tuple(p in written and not value for p, value in pairs)
        return self.changes[name]

    def acts(self, value: typed.Expression) -> bool:
        """Whether the value has a part in it that changes something."""
        return any(self.changed(part) for part in parts((value,)))

    def needs_order(self, values: Iterable[typed.Expression]) -> bool:
        """Whether the order of evaluation of these must be made explicit: increments are statements."""
        tops = tuple(values)
        return any(
            isinstance(part, typed.Incremented)
            or any(self.meets(changed, other) for top in tops for other in _beside(top, part))
            for part in parts(tops)
            if (changed := self.changed(part))
        )

    def meets(self, changed: frozenset[typed.Symbol], other: typed.Expression) -> bool:
        """Whether an expression beside a part with side effects has some too, or reads what that changes."""
        for part in walk.within(other):
            match part:
                case typed.Call() if self.changed(part) or changed.intersection(
                    a for a in part.arguments if isinstance(a, typed.Symbol)
                ):
                    return True
                case typed.Incremented():
                    return True
                case _ if walk.symbol_of(part) in changed:
                    return True
        return False

    def disturbed(self, value: typed.Expression, later: Iterable[typed.Expression]) -> bool:
        """Whether evaluating the later ones may change the value."""
        return any(self.meets(self.changed(part), value) for part in parts(later))


Part = typed.Call | typed.Incremented
"""The expressions that may have side effects."""


def calls(values: Iterable[typed.Expression]) -> Iterable[typed.Call]:
    """All calls of functions of the program in these."""
    return (part for part in parts(values) if isinstance(part, typed.Call))


def parts(values: Iterable[typed.Expression]) -> Iterable[Part]:
    """All parts of these with side effects."""
    return (part for value in values for part in walk.within(value) if isinstance(part, Part))


def _beside(top: typed.Expression, acting: Part) -> Iterable[typed.Expression]:
    """The largest parts of `top` that neither hold `acting` nor lie in it."""
    if top is acting:
        return
    inside = [child for child in walk.children(top) if any(part is acting for part in walk.within(child))]
    if not inside:
        yield top
        return
    for child in walk.children(top):
        yield from _beside(child, acting) if child is inside[0] else (child,)
