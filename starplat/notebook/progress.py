"""The line under a cell that says how far a long run or reading has come, and goes away when the cell ends."""

from html import escape
from time import perf_counter
from typing import Any

SILENT = 2.0
"""Seconds of a cell after which it is told of."""
PAUSE = 0.2
"""Seconds between two changes."""


class Bar:
    """Words with a bar before them: as long as the share that is done, or moving where that is not known."""

    def __init__(self, words: str, share: float | None) -> None:
        self.words, self.share = words, share

    def __repr__(self) -> str:
        return self.words

    def _repr_html_(self) -> str:
        value = "" if self.share is None else f' value="{self.share:.3f}"'
        return f"<progress{value}></progress> {escape(self.words)}" if self.words else ""


class Line:
    """One line of output in a notebook."""

    def __init__(self) -> None:
        self._shown: Any = None
        self._next = 0.0

    def begin(self, *cell: object) -> None:
        """A cell begins."""
        self._next = perf_counter() + SILENT

    def tell(self, words: str, share: float | None) -> None:
        """Shows how far the work has come, if it is time to."""
        from IPython.display import display

        if (now := perf_counter()) < self._next:
            return
        self._next = now + PAUSE
        if self._shown is None:
            self._shown = display(Bar(words, share), display_id=True)
        else:
            self._shown.update(Bar(words, share))

    def end(self, *result: object) -> None:
        """The cell is done: nothing of the line is left."""
        if self._shown is not None:
            self._shown.update(Bar("", None))
            self._shown = None
