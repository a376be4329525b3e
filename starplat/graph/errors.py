"""Diagnostics about graph files and graph arguments, one function each.

All return a `DiagnosticError` to raise. A message about text shows its one line, without holding the rest of the file.
"""

from dataclasses import dataclass

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.source import SourceFile, Span

SHOWN = 160
"""How many characters of a long line a message shows."""


@dataclass(frozen=True)
class Excerpt(SourceFile):
    """A piece of one line of a file that is too large to hold: line `number`, from its character `shift` on."""

    number: int = 1
    shift: int = 0

    def position(self, offset: int) -> tuple[int, int]:
        """The line's number in the file and the column, counted from 1."""
        return self.number, self.shift + offset + 1

    def line(self, number: int) -> str:
        """The piece's text."""
        return self.text


@dataclass(frozen=True, slots=True)
class Place:
    """Some characters of one line of a graph file; `column` and `line` count from 1."""

    file: str
    line: int
    text: str
    column: int = 1
    length: int = 1

    def excerpt(self) -> tuple[SourceFile, Label]:
        """What to show and what to underline in it."""
        shift = 0 if len(self.text) <= SHOWN else max(0, self.column - 1 - SHOWN // 2)
        start = self.column - 1 - shift
        shown = Excerpt(self.file, self.text[shift : shift + SHOWN], number=self.line, shift=shift)
        return shown, Label(Span(start, start + max(self.length, 1)))


def at(place: Place, code: str, message: str, help: str | None = None) -> DiagnosticError:
    """A message about a place in a text file."""
    excerpt, label = place.excerpt()
    where = f"{place.file}:{place.line}:{place.column}: "
    return DiagnosticError(Diagnostic(code, where + message, excerpt, label, help=help))


def about(file: str, code: str, message: str, help: str | None = None) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code, f"{file}: {message}", help=help))


def cannot_open(file: str, reason: str, help: str | None = None) -> DiagnosticError:
    """E0801: missing, a directory, not readable."""
    return about(file, "E0801", f"cannot be read: {reason}", help)


def unknown_format(file: str, reason: str) -> DiagnosticError:
    """E0802: the content is none of the formats."""
    return about(file, "E0802", reason, "`starplat graph --help` lists the formats; the content decides, then the name")


def damaged_archive(file: str, compression: str, reason: str) -> DiagnosticError:
    """E0803: the compressed stream ends early or is corrupt."""
    return about(file, "E0803", f"the {compression} archive is damaged or cut short: {reason}", "fetch the file again")


def empty(file: str, what: str = "the file is empty") -> DiagnosticError:
    """E0804: nothing to read."""
    return about(file, "E0804", what)


def malformed(place: Place, message: str, help: str | None = None) -> DiagnosticError:
    """E0805: a line is not what its format wants."""
    return at(place, "E0805", message, help)


def bad_header(place: Place, message: str, help: str | None = None) -> DiagnosticError:
    """E0806: the line that says how large the graph is is wrong."""
    return at(place, "E0806", message, help)


def wrong_count(place: Place, message: str) -> DiagnosticError:
    """E0807: the file holds more or less than its header promises."""
    return at(place, "E0807", message)


def unsupported(file: str, message: str, place: Place | None = None, help: str | None = None) -> DiagnosticError:
    """E0810: a well-formed file that is no graph, or of a kind that makes none."""
    return at(place, "E0810", message, help) if place else about(file, "E0810", message, help)


def too_many_nodes(file: str, n: int) -> DiagnosticError:
    """E0811: node numbers have 31 bits."""
    return about(file, "E0811", f"{n} nodes are too many: at most 2^31 - 1 = 2147483647 can be numbered")


def too_large(file: str, n: int, needed: int, available: int) -> DiagnosticError:
    """E0811: the header asks for more memory than is sensible."""
    gib = 2**30
    message = f"{n} nodes would need {needed / gib:.1f} GiB, more than half of this machine's {available / gib:.1f} GiB"
    return about(file, "E0811", message, "is the number of nodes right?")


def too_long(file: str, most: int) -> DiagnosticError:
    """E0811: the content, unpacked, is larger than what it could be a graph of."""
    help = "is it the right file? Edge lists, Matrix Market and .spg files may be larger"
    return about(file, "E0811", f"its content is longer than {_in_words(most)}, the most that is read of it", help)


def endless(file: str, line: int, longest: int) -> DiagnosticError:
    """E0805: a line goes on and on; what there is of it is not shown."""
    message = f"this line is longer than {_in_words(longest)}: such a file holds no lines of a graph"
    return malformed(Place(file, line, ""), message)


def _in_words(size: int) -> str:
    """Bytes, rounded down."""
    power = max((size.bit_length() - 1) // 10, 0)
    return f"{size >> 10 * power} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[min(power, 4)]}"


def wrong_size(file: str, message: str) -> DiagnosticError:
    """E0812: a binary file is cut short or inconsistent in itself."""
    return about(file, "E0812", message)


def needs_library(what: str, library: str) -> DiagnosticError:
    """E0813: an optional library is missing."""
    return DiagnosticError(Diagnostic("E0813", f"{what} needs {library}", help=f"pip install {library}"))


def too_large_to_draw(n: int, most: int) -> DiagnosticError:
    """E0818: too many nodes for a readable picture."""
    help = "draw a part of it, or plot what a program found out about it: `result.plot()`"
    return DiagnosticError(Diagnostic("E0818", f"{n:,} nodes are too many to draw: at most {most}", help=help))


def not_a_graph(message: str, help: str | None = None) -> DiagnosticError:
    """E0814: an object in memory cannot be taken for a graph."""
    return DiagnosticError(Diagnostic("E0814", message, help=help))


def cannot_write(file: str, message: str, help: str | None = None) -> DiagnosticError:
    """E0815: the format cannot be written or cannot hold this graph."""
    return about(file, "E0815", f"cannot be written: {message}", help)


def no_such_node(
    graph: str, original_id: object, there: str, help: str | None = None, place: Place | None = None
) -> DiagnosticError:
    """E0816: an id that no node has; `there` says which ids there are."""
    message = f"no node of {graph} has the id {quoted(original_id)}; {there}"
    return at(place, "E0816", message, help) if place else DiagnosticError(Diagnostic("E0816", message, help=help))


def quoted(id: object) -> str:
    """An id as a message shows it: numbers bare, text in quotes, none at length."""
    text = repr(id.item() if isinstance(id, np.generic) else id)
    return text if len(text) <= 60 else text[:57] + "..."


def wrong_arguments(message: str, help: str | None = None) -> DiagnosticError:
    """E0817: arguments that make no graph."""
    return DiagnosticError(Diagnostic("E0817", message, help=help))
