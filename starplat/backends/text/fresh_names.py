"""Fresh names for locals that the program does not name."""

from collections.abc import Iterable


class FreshNames:
    """Gives unused names; `taken` are the used ones."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)

    def fresh(self, name: str) -> str:
        """The name, or with a number where it is taken."""
        number, candidate = 2, name
        while candidate in self.taken:
            candidate, number = f"{name}_{number}", number + 1
        self.taken.add(candidate)
        return candidate
