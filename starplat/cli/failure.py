"""The JSON object of a command that fails under `--json`: the exit code and stderr's text."""

from collections.abc import Iterable, Sequence

from starplat.cli import console
from starplat.diagnostics import Diagnostic, ExitCode


def wants_json(words: Sequence[str]) -> bool:
    """Whether a command line asks for an object on stdout, even one that was given up before it was understood; the
    `--json` of `bench` may name a file instead."""
    if "--json" not in words:
        return False
    after = words[words.index("--json") + 1 :]
    return words[0] != "bench" or after[:1] == ["-"]


def write_failure(words: Sequence[str], code: ExitCode, message: str, diagnostics: Iterable[Diagnostic] = ()) -> None:
    """Writes the object if the command line asks for one, unless the command has written its own."""
    if not wants_json(words) or console.wrote_json():
        return
    shown = [diagnostic.to_json() for diagnostic in diagnostics]
    console.write_json({"schema": 1, "exit_code": code.value, "error": message, "diagnostics": shown})
