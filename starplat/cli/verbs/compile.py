"""`starplat compile`: writes the complete program for a target, kernels and host code."""

from pathlib import Path
from typing import Annotated

import typer

import starplat
from starplat.cli import arguments, console, files
from starplat.diagnostics import Diagnostic, DiagnosticError

EVERY = "all"
"""What `--target` calls every target."""

LACKS = "E0604"
"""The target has nothing for what the program asks: of every target, the others are written."""


def compile(
    file: arguments.ProgramFile,
    target: Annotated[
        str, typer.Option("--target", "-t", help="The target, e.g. opencl; all writes a folder for each.")
    ] = "opencl",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to write to; made if missing.")
    ] = Path(),
    function: arguments.FunctionName = None,
    kind: arguments.Kind = None,
    schedule: arguments.ScheduleText = None,
    library: Annotated[
        bool, typer.Option("--library", help="Write a library with a C header instead of a program with a main.")
    ] = False,
    single_file: Annotated[
        bool, typer.Option("--single-file", help="Write one file, with the headers and the kernels in it.")
    ] = False,
    mpi: Annotated[
        bool,
        typer.Option("--mpi", help="Write a program of MPI's processes, each with a part of the nodes (openmp, cuda)."),
    ] = False,
    devices: Annotated[
        bool, typer.Option("--devices", help="Write a program for several GPUs, each with a part of the nodes (cuda).")
    ] = False,
    strict: arguments.Strict = False,
    all_errors: arguments.AllErrors = False,
    json: arguments.Json = False,
) -> None:
    """Write a program's code for a target: kernels, host code, and how to build them in the first comment."""
    from starplat.backends import BACKENDS

    wanted = arguments.wanted_schedule(schedule, file)
    program = starplat.compile(file, strict=strict)
    console.show(program.warnings)
    texts, refused = dict[Path, str](), dict[str, DiagnosticError]()
    folders = {name: output / name for name in BACKENDS} if target == EVERY else {target: output}
    for each, folder in folders.items():  # separate ones for several targets, since some have the same names
        try:
            made = program.artifact(
                each,
                function,
                library=library,
                single_file=single_file,
                schedule=wanted,
                processor=kind,
                mpi=mpi,
                devices=devices,
            )
        except DiagnosticError as error:
            if target != EVERY or error.diagnostics[0].code != LACKS:
                raise
            refused[each] = error
            console.say(f"{each}: not written: {error.diagnostics[0].message}")
        else:
            texts |= {folder / name: text for name, text in made.items()}
    if not texts:
        raise next(iter(refused.values()))
    for path, text in texts.items():
        _make_folder(path.parent)
        files.write_text(path, text)
    if json:
        reasons = {each: error.diagnostics[0].message for each, error in refused.items()}
        console.write_json(
            {"schema": 1, "program": program.name, "target": target, "files": [*map(str, texts)], "refused": reasons}
        )
    else:
        console.write("\n".join(map(str, texts)))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise DiagnosticError(Diagnostic("E0792", f"{folder}: cannot be made: {files.reason_of(error)}")) from error
