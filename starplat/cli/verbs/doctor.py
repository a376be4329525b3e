"""`starplat doctor`: tries every device, and prints the command that installs what is missing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import typer

import starplat
from starplat.cli import arguments, console
from starplat.diagnostics import ExitCode

if TYPE_CHECKING:
    from rich.table import Table

    from starplat.runtime.everywhere import Attempt
    from starplat.toolchain.cache import CacheState
    from starplat.toolchain.tools import Tool

TRIAL = """\
function trial(Graph g, propNode<int> near) {
  g.attachNodeProperty(near = INF);
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      <w.near> = <Min(w.near, v + 1)>;
    }
  }
  return g.num_nodes();
}
"""
"""The trial on every device: three nodes, an atomic operation, a fill."""


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """All that was looked at."""

    attempts: tuple[Attempt, ...]
    tools: tuple[Tool, ...]
    cache: CacheState

    @property
    def healthy(self) -> bool:
        """Whether a device other than the interpreter gave the right answer."""
        return any(works(attempt) and attempt.device.target != "reference" for attempt in self.attempts)


def doctor(json: arguments.Json = False) -> None:
    """Try every target, and say what is missing and how to get it. Exit code 3 if no device works."""
    found = examine()
    if json:
        console.write_json(as_json(found))
    else:
        _print(found)
    if not found.healthy:
        console.say("no device works here: programs run on the interpreter (--target reference) only")
        raise typer.Exit(ExitCode.NO_DEVICE.value)


def examine() -> Findings:
    """Runs the trial on every device, and looks for tools."""
    from starplat.graph import Graph
    from starplat.toolchain.cache import cache_state
    from starplat.toolchain.tools import tools

    graph = Graph.from_arcs(3, [0, 1, 2], [1, 2, 1])
    with console.working("looking around") as now:
        program = starplat.compile(TRIAL)
        ran = program.run_everywhere(graph, started=lambda device: now(f"trying {device.target}, {device.name}"))
        return Findings(ran.attempts, tools(), cache_state())


def works(attempt: Attempt) -> bool:
    """Whether the device gave the right answer."""
    from starplat.runtime.everywhere import Agreement

    return attempt.agreement in (Agreement.MEASURE, Agreement.AGREES)


def state(attempt: Attempt) -> str:
    """One device in a few words."""
    return "works" if works(attempt) else attempt.reason


def _print(found: Findings) -> None:
    console.show_table(_targets(found))
    console.write("\n")
    console.show_table(_tools(found))
    console.write("\n")
    console.write(_cache(found.cache))
    if mend := commands(found):
        console.write("\nwhat is missing may come with:")
        console.write("\n".join(f"  {command}" for command in mend))


def commands(found: Findings) -> list[str]:
    """The commands that install what targets lack, each once; tools have theirs beside them."""
    return list(dict.fromkeys(a.device.mend for a in found.attempts if not works(a) and a.device.mend))


def _targets(found: Findings) -> Table:
    from rich.markup import escape

    table = console.table("target", "device", "state")
    for attempt in found.attempts:
        device = attempt.device
        index = "" if device.index is None else f"{device.index}  "
        style = "green" if works(attempt) else "yellow" if not device.usable else "bold red"
        known = ", ".join(word for word in (device.name, device.driver) if word != "-")
        row = map(escape, (device.target, f"{index}{known}" or "-"))
        table.add_row(*row, f"[{style}]{escape(state(attempt))}[/]")
    return table


def _tools(found: Findings) -> Table:
    from rich.markup import escape

    table = console.table("compiler", "for", "where")
    for tool in found.tools:
        where = tool.path or f"not found; {tool.mend}"
        version = "" if tool.path is None else f" {tool.version or 'does not start'}"
        table.add_row(*map(escape, (f"{tool.name}{version}", tool.purpose, where)))
    return table


def _cache(cache: CacheState) -> str:
    if cache.fault is not None:
        return f"cache: {cache.folder} {cache.fault}; kernels are built anew every time"
    return f"cache: {cache.folder}, {cache.entries:,} files, {cache.size / 2**20:.1f} MiB"


def as_json(found: Findings) -> dict[str, Any]:
    """One object."""
    return {
        "schema": 1,
        "healthy": found.healthy,
        "devices": [
            {**asdict(attempt.device), "works": works(attempt), "state": state(attempt)} for attempt in found.attempts
        ],
        "tools": [asdict(tool) for tool in found.tools],
        "cache": {**asdict(found.cache), "folder": str(found.cache.folder)},
        "commands": commands(found),
    }
