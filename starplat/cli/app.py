"""The verbs of the command line, their standard streams, and the exit code of an exception that escapes from one.

Exit codes: 0 fine, 1 the program or the input is wrong, 2 usage, 3 no such device or toolchain, 4 a mistake of
starplat itself (emitted code did not compile, or an internal error), 130 interrupted. STARPLAT_DEBUG=1 shows the
traceback of an internal error. A reader of stdout that goes away (`| head`) ends the process quietly with 0.
"""

import errno
import gc
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import IO, Annotated, Any, NoReturn

import typer

from starplat.cli import console
from starplat.diagnostics import DiagnosticError, ExitCode, StarplatWarning

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
VERBS = (
    "check",
    "compile",
    "run",
    "show",
    "new",
    "bench",
    "tune",
    "inspect",
    "explain",
    "fmt",
    "lsp",
    "devices",
    "doctor",
    "version",
    "graph",
)
"""The modules of `starplat.cli.verbs` that hold a verb each, in the order of the help."""

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""typer's own class for a wrong command line; typer keeps it in different modules in different versions."""
assert UsageError.__name__ == "UsageError"


def _print_version(wanted: bool) -> None:
    if wanted:
        from starplat.cli.verbs.version import version

        version()
        raise typer.Exit


def _common(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Compile and run graph programs."""


def command_line(first: str | None = None) -> typer.Typer:
    """The command whose first word is `first`: with that verb alone, as others cost the time of their imports; with
    all verbs where it is none of them."""
    app = typer.Typer(
        name="starplat",
        help="Compile and run graph programs.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Exit codes: 0 fine, 1 wrong program or input, 2 usage, 3 no such device, 4 a mistake of starplat, "
        "130 interrupted.",
    )
    app.callback()(_common)
    for name in (first,) if first in VERBS else VERBS:
        verb = import_module(f"starplat.cli.verbs.{name}")
        if name == "graph":
            app.add_typer(verb.app, name=name)
        else:
            app.command(cls=getattr(verb, "COMMAND", None))(getattr(verb, name))
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    gc.set_threshold(50_000)  # trees grow, little is thrown away: collecting seldom saves a tenth of a short process
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminated)  # a polite kill cleans up as an interruption does
    try:
        with prepared(), warnings.catch_warnings():
            warnings.showwarning = _say_warning
            return _guarded(arguments)
    except (BrokenPipeError, SystemExit) as gone:
        if isinstance(gone, SystemExit) and not isinstance(gone.__context__, BrokenPipeError):
            raise
        let_go_of(sys.stdout)  # typer and rich turn a broken pipe into an exit with 1
        return ExitCode.FINE.value


def _say_warning(message: Warning | str, *place: object, **more: object) -> None:
    """A Python warning as one line, without the place in our code. The verbs show warnings about a program's text in
    full."""
    if isinstance(message, StarplatWarning) and message.diagnostic is not None:
        return
    console.say(f"warning: {message}")


def _guarded(arguments: Sequence[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    console.begin()
    try:
        result = command_line(next(iter(words), None))(args=arguments, prog_name="starplat", standalone_mode=False)
        sys.stdout.flush()
        if result == ExitCode.INTERRUPTED.value:
            return _interrupted(words)
        return result if isinstance(result, int) else ExitCode.FINE.value
    except DiagnosticError as error:
        console.show(error.diagnostics)
        console.write_failure(words, error.exit_code, error.diagnostics[0].message, error.diagnostics)
        return error.exit_code.value
    except UsageError as error:
        return _wrong_usage(error, words)
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted(words)
    except BrokenPipeError:
        raise
    except MemoryError:
        return _failed(words, ExitCode.WRONG_INPUT, "there is not enough memory for this")
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK_FULL:
            console.usage_error(f"the output cannot be written: {error.strerror}")
            let_go_of(sys.stdout)
            return ExitCode.WRONG_INPUT.value
        return _internal_error(error, words)


def _interrupted(words: Sequence[str]) -> int:
    console.say("interrupted")
    console.write_failure(words, ExitCode.INTERRUPTED, "interrupted")
    return ExitCode.INTERRUPTED.value


def _failed(words: Sequence[str], code: ExitCode, message: str, hint: str | None = None) -> int:
    """Reports the failure, also as an object if one is wanted, and gives the exit code."""
    console.usage_error(message, hint)
    console.write_failure(words, code, message)
    return code.value


def _wrong_usage(error: Exception, words: Sequence[str]) -> int:
    context = getattr(error, "ctx", None)
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    if not message:
        return ExitCode.USAGE.value
    if context is None:  # it failed before it was parsed
        path = " ".join(("starplat", *(word for word in words[:1] if word in VERBS)))
    else:
        path = context.command_path
    message = message.replace(": Value error, ", ": ")
    return _failed(words, ExitCode.USAGE, message, f"`{path} --help` lists what there is")


def _internal_error(error: Exception, words: Sequence[str]) -> int:
    if os.environ.get("STARPLAT_DEBUG"):
        traceback.print_exception(error)
    said = " ".join(str(error).split())[:300]
    return _failed(
        words,
        ExitCode.BUILD_FAILED,
        f"internal error: {type(error).__name__}: {said}",
        "this is a mistake of starplat; please report it, and the traceback that STARPLAT_DEBUG=1 shows",
    )


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


@contextmanager
def prepared() -> Iterator[None]:
    """Makes any name or comment printable, and lets a command go on to its own exit code where the reader of its
    messages has gone (`starplat check x.sp 2>&1 | head -1`)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  for the process's life
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    stderr = sys.stderr
    sys.stderr = _Messages(stderr)
    try:
        yield
    finally:
        sys.stderr = stderr


class _Messages:
    """stderr, which discards all messages once one cannot be written."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        try:
            return self.stream.write(text)
        except BrokenPipeError:
            let_go_of(self.stream)
            return len(text)

    def flush(self) -> None:
        try:
            self.stream.flush()
        except BrokenPipeError:
            let_go_of(self.stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def let_go_of(stream: IO[str]) -> None:
    """Redirects a stream to nothing, so that the interpreter's last flush does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
