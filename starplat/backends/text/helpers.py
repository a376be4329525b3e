"""The helper functions that an emitted text calls, so that only those are emitted."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Helper:
    """A helper function: a macro of the templates, its arguments, and the namespace that it stands in, if any."""

    macro: str
    arguments: tuple[tuple[str, str], ...] = ()
    space: str = ""


def made_of(macro: str, **words: str) -> Helper:
    return Helper(macro, tuple(words.items()))


def named(*macros: str) -> tuple[Helper, ...]:
    """Helpers that are the same wherever they stand."""
    return tuple(map(Helper, macros))


@dataclass(slots=True)
class Helpers:
    """Those that a text needs, in the order of first need; `sets` is the most sets of nodes of a launch, `wide` whether
    groups of a cluster have many threads, `thin` whether long rows are left to warps as they are, for graphs of few
    arcs for each node or where no set is walked, `tests` whether sums test arcs ahead of their values, `keeps` whether
    threads of a cluster keep cells of rows. While a namespace is set, the helpers `of_space` come from there."""

    sets: int = 0
    wide: bool = False
    thin: bool = False
    tests: bool = False
    keeps: bool = False
    space: str = ""
    of_space: frozenset[str] = frozenset()
    needed: dict[Helper, None] = field(default_factory=dict)

    def need(self, *macros: str, **arguments: str) -> None:
        """Notes some, made of the same words."""
        for macro in macros:
            space = self.space if macro in self.of_space else ""
            self.needed[Helper(macro, tuple(arguments.items()), space)] = None
