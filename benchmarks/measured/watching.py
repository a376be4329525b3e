"""Follows processes that search schedules: ends one whose kernel takes too long, and starts another for the rest."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace

from benchmarks.measured.graphs import ROOT
from benchmarks.measured.processes import events_of, next_event
from benchmarks.measured.quests import Found, Place, Quest, place_of, trial_of
from starplat.bench.search import Trial

START = "from benchmarks.measured.searching import work; work()"
PREPARING = 120.0
"""Seconds that a graph may take, or a row's kernels, or the first run of `auto` with its judge."""


@dataclass
class Watch:
    """Follows processes until all is found, or the deadline, a time of `time.monotonic`, has come."""

    quest: Quest
    found: Callable[[Found], None]
    say: Callable[[str], None] = lambda text: None
    deadline: float | None = None
    known: dict[Place, dict[str, Trial]] = field(default_factory=dict)

    def run(self) -> None:
        """Tells `found` of every row on every graph, those included for which no time was left."""
        while self.quest.places and not self._late():
            self._one_process()
        for row, graph in self.quest.places:
            self._found((row, graph), complete=False)

    def _one_process(self) -> None:
        """Until it ends, which the watch may do."""
        process = subprocess.Popen(
            [sys.executable, "-c", START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert process.stdin is not None
        known = tuple((place, tuple(trials.values())) for place, trials in self.known.items())
        with process.stdin:
            process.stdin.write(json.dumps(asdict(replace(self.quest, known=known))))
        events, allowed, current = events_of(process), PREPARING, ("", "", "")
        try:
            while True:
                event = next_event(events, self._seconds(allowed))
                match event:
                    case {"event": "prepare"}:
                        allowed, current = PREPARING, ("", "", "")
                    case {"event": "ready"}:
                        self.say(f"{event['what']}; ready after {event['seconds']:.1f} s")
                    case {"event": "start", "row": row, "graph": graph, "schedule": schedule}:
                        current = (row, graph, schedule)
                        allowed = PREPARING if schedule == "auto" else self.quest.patience
                    case {"event": "trials"}:
                        self.known[place_of(event["place"])] = {t.schedule: t for t in map(trial_of, event["trials"])}
                    case {"event": "done"}:
                        self._found(place_of(event["place"]), complete=event["complete"], rounds=event["rounds"])
                        if not self.quest.places:
                            return
                    case {"event": "end"}:
                        self._lost(current, f"its process ended with exit code {process.wait()}")
                        return
                    case _:
                        self._lost(current, f"stopped after {allowed:.0f} s")
                        return
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()

    def _lost(self, current: tuple[str, str, str], reason: str) -> None:
        """The schedule that ended the process is not run again; without one, nothing more is."""
        if self._late():
            return
        row, graph, schedule = current
        if not row:
            self.say(reason)
            self.deadline = time.monotonic()
        elif schedule == "auto":
            self.known.setdefault((row, graph), {})[schedule] = Trial(schedule, reason=reason)
            self._found((row, graph), complete=False)
        else:
            self.known.setdefault((row, graph), {})[schedule] = Trial(schedule, reason=reason)

    def _found(self, place: Place, *, complete: bool, rounds: int = 1) -> None:
        self.quest = replace(self.quest, done=(*self.quest.done, place))
        trials = tuple(self.known.get(place, {}).values())
        self.found(Found(*place, trials, complete, rounds))

    def _late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def _seconds(self, allowed: float) -> float:
        return allowed if self.deadline is None else max(0.0, min(allowed, self.deadline - time.monotonic()))
