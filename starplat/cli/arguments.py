"""Arguments and options shared by several verbs, and the schedule and the device that they ask for."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from starplat.cli import console
from starplat.ir.processors import Processor
from starplat.schedule.schedule import usage

if TYPE_CHECKING:
    from starplat.runtime.targets import Chosen
    from starplat.schedule import Schedule

ProgramFile = Annotated[
    Path, typer.Argument(metavar="FILE.sp", help="The program, or a shipped one's name.", show_default=False)
]
ProgramOrStdin = Annotated[
    Path, typer.Argument(metavar="FILE.sp", help="The program, a shipped one's name, - for stdin.", show_default=False)
]
ProgramFiles = Annotated[
    list[Path], typer.Argument(metavar="FILE.sp…", help="The programs; - reads stdin.", show_default=False)
]
FunctionName = Annotated[
    str | None,
    typer.Option("--function", metavar="NAME", help="The entry; by default the function that no other calls."),
]
ScheduleText = Annotated[
    str | None, typer.Option("--schedule", "-s", metavar="SCHEDULE", help=f"How to run: {usage()}", show_default=False)
]
DeviceNumber = Annotated[int | None, typer.Option("--device", metavar="N", min=0, help="Its number.")]
Kind = Annotated[
    Processor | None,
    typer.Option("--for", help="Schedule for this kind of device, whatever is here.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
Strict = Annotated[bool, typer.Option("--strict", help="Treat races as errors.")]
AllErrors = Annotated[
    bool, typer.Option("--all-errors", help="Show all errors, not only the first 20.", callback=console.show_all_errors)
]
Undirected = Annotated[bool, typer.Option("--undirected", help="Add the other direction of every arc that lacks it.")]
DropLoops = Annotated[bool, typer.Option("--drop-loops", help="Leave out arcs from a node to itself.")]
Dedup = Annotated[bool, typer.Option("--dedup", help="Keep the lightest of parallel arcs.")]
Weights = Annotated[
    str | None, typer.Option("--weights", metavar="HOW", help="Give the arcs new weights: ones, or random:LO..HI:SEED.")
]
Arguments = Annotated[
    list[str] | None,
    typer.Option(
        "--arg",
        "-a",
        metavar="K=V",
        help="An argument; may be repeated. A set or a list is 1,5,9 or @FILE, a property one value for all or @FILE: "
        ".csv, .npz, .parquet (as --out writes them; FILE:COLUMN), .npy or .txt; updates @FILE.",
    ),
]


def arguments_in(given: list[str]) -> dict[str, str]:
    """The words of every `--arg k=v`. Raises typer.BadParameter: one has no `=`, or a name comes twice."""
    words: dict[str, str] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(f"'{item}' is not of the form name=value", param_hint="--arg")
        if name.strip() in words:
            raise typer.BadParameter(f"'{name.strip()}' is given twice", param_hint="--arg")
        words[name.strip()] = value.strip()
    return words


def wanted_schedule(given: str | None, program: Path) -> "Schedule | None":
    """The schedule, None if none is asked for; one from a file beside the program is reported. Raises E0660 to E0664:
    it is wrong."""
    from starplat.schedule.parse import file_beside, parse_schedule, read_schedule

    if given is not None:
        return parse_schedule(given)
    if (path := file_beside(program)) is None:
        return None
    found = read_schedule(path)
    console.say(f"{path}: schedule {found}")
    return found


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """The device of a target that a schedule is for: the one of that number, or any of a kind."""

    device: int | None = None
    kind: Processor | None = None

    def __post_init__(self) -> None:
        if self.device is not None and self.kind is not None:
            raise typer.BadParameter("is about any device of a kind, and cannot go with --device", param_hint="--for")

    @property
    def asked(self) -> bool:
        """Whether the command line says anything about it."""
        return self.device is not None or self.kind is not None

    def of(self, target: str) -> "Chosen":
        """The device of that target. Raises E0796, there is no such target; E0666 or E0902, no such device."""
        from starplat import pipeline
        from starplat.runtime.targets import chosen

        pipeline.require_target(target)
        return chosen(target, self.device, self.kind)


ANY = DeviceChoice()
"""The one that is at hand."""
