"""What is searched, and what was found: the records that a process which searches and the watch over it exchange."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starplat.bench.search import Trial

Place = tuple[str, str]
"""A row and a graph."""


@dataclass(frozen=True)
class Quest:
    """What is searched.

    Attributes:
        rows, graphs: by name, in the order to search them in: a row on all graphs, then the next.
        budget: seconds for one row on one graph, kernels included.
        slowest: times `auto` beyond which a schedule has no second run.
        patience: seconds that one schedule's runs may take.
        judge: which array module judges: auto, numpy or cupy.
        data, kept: folders, as `graphs.load` takes them.
        known: what was found before, by row and graph.
        done: rows on graphs that nothing is to be found out about any more.
    """

    rows: tuple[str, ...]
    graphs: tuple[str, ...]
    target: str
    device: int | None = None
    budget: float = 20.0
    slowest: float = 5.0
    patience: float = 10.0
    judge: str = "auto"
    data: str | None = None
    kept: str | None = None
    known: tuple[tuple[Place, tuple[Trial, ...]], ...] = ()
    done: tuple[Place, ...] = ()

    @property
    def places(self) -> list[Place]:
        """Those that are left."""
        return [(row, graph) for row in self.rows for graph in self.graphs if (row, graph) not in self.done]


@dataclass(frozen=True)
class Found:
    """What was found for a row on a graph; `complete` unless time ran out, `rounds` as the row counts them."""

    row: str
    graph: str
    trials: tuple[Trial, ...]
    complete: bool = True
    rounds: int = 1

    @property
    def best(self) -> Trial | None:
        """The fastest."""
        return min((t for t in self.trials if t.counts), key=lambda t: t.median.value, default=None)

    @property
    def auto(self) -> Trial | None:
        """What the compiler chose by itself."""
        return next((t for t in self.trials if t.schedule == "auto" and t.counts), None)

    @property
    def behind(self) -> float | None:
        """How many times as long as the best `auto` takes."""
        if self.auto is None or self.best is None:
            return None
        return self.auto.median.value / self.best.median.value

    def milliseconds(self, trial: Trial | None) -> float | None:
        """Of an iteration, where the row counts these."""
        return None if trial is None else 1e3 * trial.median.value / self.rounds


def quest_of(fields: Mapping[str, Any]) -> Quest:
    """From the fields that `asdict` made of it."""
    known = tuple((place_of(place), tuple(map(trial_of, trials))) for place, trials in fields["known"])
    lists = {name: tuple(fields[name]) for name in ("rows", "graphs")}
    return Quest(**{**fields, **lists, "known": known, "done": tuple(map(place_of, fields["done"]))})


def place_of(names: Iterable[str]) -> Place:
    """The same of a place."""
    row, graph = names
    return row, graph


def trial_of(fields: Mapping[str, Any]) -> Trial:
    """The same of a trial."""
    return Trial(**{**fields, "seconds": tuple(fields["seconds"])})
