"""The standard streams of a command; closed ones are replaced by nothing."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any


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
