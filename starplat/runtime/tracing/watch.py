"""Builds a trace from the events of a run, in order, from any source.

Loops nest: an event belongs to the round of the innermost one, and so does the time that passes in it. A round lasts
until the next one begins, so what a loop does to find out whether it goes on is part of it.
"""

from collections import Counter
from dataclasses import dataclass, field, replace

from starplat.runtime.tracing.trace import MOST_ROUNDS, Exchange, Filled, Round, Trace, Walk


@dataclass(slots=True)
class _Loop:
    """A loop that is going on. `inner` are the seconds in its round that belong to loops inside it."""

    key: object
    line: int | None
    began: float
    number: int = 0
    inner: float = 0.0
    walks: list[Walk] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)


class Watch:
    """Times are seconds of a clock that only goes on; `key` is whatever stands for a loop."""

    def __init__(self) -> None:
        self._loops: list[_Loop] = []
        self._rounds: list[Round] = []
        self._outside: list[Walk] = []
        self._exchanged_outside: list[Exchange] = []
        self._filled: Counter[Filled] = Counter()
        self._left_out = 0
        self.on_device = False

    def round(self, key: object, line: int | None, now: float) -> None:
        """A round of a loop begins, and the loop with it if it is new; inner loops of the round before are over."""
        if any(loop.key is key for loop in self._loops):
            self._leave(key, now)
            self._close(self._loops[-1], now)
        else:
            self._loops.append(_Loop(key, line, now))
        loop = self._loops[-1]
        loop.number += 1
        loop.began, loop.inner, loop.walks, loop.exchanges = now, 0.0, [], []

    def end(self, key: object, now: float) -> None:
        """A loop is over, if it ever began."""
        if any(loop.key is key for loop in self._loops):
            self._leave(key, now)
            self._close(self._loops[-1], now)
            self._loops.pop()

    def forget(self, key: object) -> bool:
        """A loop was lost sight of; gives whether it had not been over."""
        known = any(loop.key is key for loop in self._loops)
        while any(loop.key is key for loop in self._loops):
            self._loops.pop()
        return known

    def walk(self, walk: Walk) -> None:
        """A kernel begins."""
        (self._loops[-1].walks if self._loops else self._outside).append(walk)

    def exchange(self, exchange: Exchange) -> None:
        """Parts have exchanged something."""
        (self._loops[-1].exchanges if self._loops else self._exchanged_outside).append(exchange)

    def fill(self, filled: Filled) -> None:
        """An array is filled or copied."""
        self._filled[filled] += filled.times

    def lost(self, rounds: int) -> None:
        """So many rounds could not be recorded."""
        self._left_out += rounds

    def trace(self, seconds: float) -> Trace:
        filled = tuple(replace(one, times=times) for one, times in self._filled.items())
        return Trace(
            tuple(self._rounds),
            self._left_out,
            self.on_device,
            seconds,
            tuple(self._outside),
            filled,
            exchanged_outside=tuple(self._exchanged_outside),
        )

    def _leave(self, key: object, now: float) -> None:
        """Ends the loops inside one."""
        while self._loops[-1].key is not key:
            self.end(self._loops[-1].key, now)

    def _close(self, loop: _Loop, now: float) -> None:
        taken = now - loop.began
        if len(self._loops) > 1:
            self._loops[-2].inner += taken
        if loop.walks and len(self._rounds) < MOST_ROUNDS:
            seconds = max(taken - loop.inner, 0.0)
            self._rounds.append(Round(loop.line, loop.number, tuple(loop.walks), seconds, tuple(loop.exchanges)))
            return
        self._left_out += bool(loop.walks)
        self._exchanged_outside += loop.exchanges
