"""Line layout of emitted code: indentation, one-line conditions, and the interface of the statement printer."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from starplat.backends import statements as st
from starplat.backends.c.expressions import ExpressionPrinter
from starplat.ir import nodes as ir

INDENT = "    "

SHORT = 80
"""The most characters of a condition and its statement in one line."""

_JUMPS = ("break;", "continue;", "return")
_NOT_PLAIN = ("if ", "for ", "while ", "do ", "#", "//", "{")


class Printer(Protocol):
    """Prints statements; the statement printer prints what is inside of one."""

    @property
    def expressions(self) -> ExpressionPrinter: ...

    def text(self, expression: ir.Expression) -> str: ...

    def lines(self, body: st.Body, depth: int = 1) -> list[str]: ...

    def otherwise(self, body: st.Body) -> Iterator[str]: ...

    def count(self, count: st.Count) -> Iterator[str]: ...

    def loop(self, statement: st.While | st.For | st.Count) -> Iterator[str]: ...


def guarded(condition: str, body: Sequence[str]) -> Iterator[str]:
    """The lines, from the margin, that are run under a condition: one for a jump, and for a short plain statement."""
    line = f"if ({condition}) {body[0]}" if len(body) == 1 else ""
    is_plain = line.endswith(";") and "\n" not in line and not body[0].startswith(_NOT_PLAIN)
    if is_plain and (len(line) <= SHORT or body[0].startswith(_JUMPS)):
        yield line
        return
    yield f"if ({condition}) {{"
    yield from (f"{INDENT}{inner}" for inner in body)
    yield "}"
