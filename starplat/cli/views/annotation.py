"""A program aligned with a target's code, as data; made by `annotating`, shown by `side_by_side` and `page`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A line of either text; `names` are the properties and scalars that it touches, `atomic` says that it holds an
    atomic operation."""

    number: int
    text: str
    names: tuple[str, ...] = ()
    atomic: bool = False


@dataclass(frozen=True, slots=True)
class Atomic:
    """An atomic operation, and why it must be."""

    name: str
    operation: str
    reason: str


@dataclass(frozen=True, slots=True)
class KernelText:
    """One emitted kernel."""

    name: str
    lines: tuple[Line, ...]
    atomics: tuple[Atomic, ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """The verdict of an analysis on a cell set."""

    title: str
    letter: str
    race_class: str
    reason: str
    name: str


@dataclass(frozen=True, slots=True)
class Section:
    """Consecutive lines of the program, with their kernels or steps of the host (depth and text)."""

    lines: tuple[Line, ...]
    kernels: tuple[KernelText, ...]
    host: tuple[tuple[int, str], ...]
    cells: tuple[Cells, ...] = ()
    transfers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    goes_on: bool = False

    @property
    def title(self) -> str:
        """Which lines, and what they became."""
        first, last = self.lines[0].number, self.lines[-1].number
        where = f"line {first}" if first == last else f"lines {first}–{last}"
        if self.goes_on:
            return f"{where}: more of the loop above"
        if self.kernels:
            noun = "kernel" if len(self.kernels) == 1 else "kernels"
            return f"{where}: {noun} {', '.join(kernel.name for kernel in self.kernels)}"
        return f"{where}: on the host" if self.host else where


@dataclass(frozen=True, slots=True)
class Annotation:
    """The whole program. `shared_text` belongs to no line of it: types, helper functions, and kernels of the compiler's
    own."""

    program: str
    function: str
    target: str
    sections: tuple[Section, ...]
    shared_text: tuple[Line, ...]
    transfers: tuple[tuple[str, tuple[str, ...]], ...]
