"""The files of a search: a `.toml` that people read and edit, and a state file to resume from."""

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starplat.backends import BACKENDS, scheduled
from starplat.bench import records, search
from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.ir.printing.modules import print_module
from starplat.runtime import facts, session
from starplat.schedule import AUTO, KNOBS
from starplat.schedule.parse import parse_schedule
from starplat.version import __version__

if TYPE_CHECKING:
    from starplat.graph import Graph
    from starplat.ir import nodes as ir

FIRST_LINE = "# Written by `starplat tune`; edit it as you like."
KIND = "tune"
SCHEMA = 1
SHOWN = 5
"""How many of the next best a file lists."""


def toml(outcome: search.Outcome, program: str, sizes: records.Sizes) -> str:
    """The best schedule as a file, with what was found around it as comments."""
    best = outcome.best
    assert best is not None
    counting = [trial for trial in outcome.trials if trial.counts]
    lines = [
        FIRST_LINE,
        f"# {program} on {sizes.name} ({sizes.described}), {outcome.target}, {outcome.device}",
        f"# {in_words(outcome)}",
        "",
        "[schedule]",
    ]
    values = {name: str(value) for name, value in parse_schedule(best.schedule).values.items()}
    width = max(len(_setting(name, value)) for name, value in values.items())
    for name, value in values.items():
        lines.append(f"{_setting(name, value):<{width}}  # {KNOBS[name].sentence_of(value)}")
    if counting[1:]:
        lines += ["", "# The next best, in milliseconds:"]
        lines += [f"# {trial.median.value * 1000:10.4g}  {trial.schedule}" for trial in counting[1 : SHOWN + 1]]
    return "\n".join(lines) + "\n"


def in_words(outcome: search.Outcome) -> str:
    """How many were measured, and how far `auto` was from the best."""
    counting = [trial for trial in outcome.trials if trial.counts]
    best = outcome.best
    if best is None:
        return "no schedule ran"
    takes = f"{best.median.value * 1000:.4g} ms"
    if len(counting) == 1 and not outcome.complete:
        return f"only {best.schedule} was measured: {takes}{_rest(outcome)}"
    if len(counting) == 1:
        return f"all schedules measured are one: {takes}"
    many = f"{len(counting)} schedules that differ measured{_rest(outcome)}; the best takes {takes}"
    if outcome.behind is None:
        return f"{many}, auto did not run"
    if best is outcome.auto:
        return f"{many}, and is auto"
    return f"{many}, auto {outcome.behind.value:.2f} times as long{_doubt(outcome.behind)}"


def _doubt(behind: records.Estimate) -> str:
    """The interval of the ratio, and whether it leaves any difference."""
    if behind.interval is None:
        return " (measured too seldom to be sure)"
    unsure = ", which may be chance" if behind.low <= 1 else ""
    return f" ({behind.low:.2f} to {behind.high:.2f}{unsure})"


def _rest(outcome: search.Outcome) -> str:
    return "" if outcome.complete else " (the budget ran out before all had their turn)"


def _setting(name: str, value: str) -> str:
    return f'{name} = "{value}"'


def key_of(module: "ir.Module", graph: "Graph", words: Mapping[str, str], target: str, device: int | None) -> str:
    """The key of a search, whose times are useless to another. The module of `auto` on that device is part of it, so
    that a changed compiler starts over."""
    there = session.default_session().device(target, device or 0)
    automatic = scheduled.for_target(module, target, AUTO, facts.facts_on(there, graph, module), there.capabilities)
    emitted = "" if target == scheduled.REFERENCE else BACKENDS[target].kernels_text(automatic)
    program = (__version__, module.source.whole, module.entry, print_module(automatic), emitted)
    parts = (*program, sorted(words.items()), target, device or 0, there.name)
    digest = hashlib.sha256(repr(parts).encode())
    for cells in (graph.row_offsets, graph.columns, graph.weights):
        digest.update(b"none" if cells is None else cells.tobytes())
    return digest.hexdigest()


def state_text(key: str, trials: search.Trials, written: str | None) -> str:
    """All that is known, as JSON; `written` is the `digest` of the `.toml` beside it."""
    rows = [
        {"schedule": t.schedule, "seconds": list(t.seconds), "reason": t.reason, "wrong": t.wrong}
        for t in trials.values()
    ]
    found = {"schema": SCHEMA, "kind": KIND, "key": key, "written": written, "trials": rows}
    return json.dumps(found, indent=1) + "\n"


def digest(text: str) -> str:
    """Recognises a file that was written before."""
    return hashlib.sha256(text.encode()).hexdigest()


def written_last(path: Path) -> str | None:
    """The `digest` of the `.toml` that the search of this file wrote; None if unknown."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["written"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, str) else None


def read_state(path: Path, key: str) -> search.Trials | None:
    """The trials of an earlier search of the same; None if there was none, empty if it was about something else. Raises
    E0797: the file is no search's."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if (found["kind"], found["schema"]) != (KIND, SCHEMA):
            raise ValueError
        return {t.schedule: t for t in map(_trial, found["trials"])} if found["key"] == key else {}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError, DiagnosticError) as error:
        message = f"{path}: is in the way: it holds no search that could be taken up again"
        raise DiagnosticError(Diagnostic("E0797", message, help="remove it, or name another file")) from error


def _trial(found: dict[str, Any]) -> search.Trial:
    seconds = tuple(map(float, found["seconds"]))
    if not all(0.0 <= time < math.inf for time in seconds):
        raise ValueError
    return search.Trial(str(parse_schedule(found["schedule"])), seconds, str(found["reason"]), bool(found["wrong"]))
