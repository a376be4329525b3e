"""Follows the imports of a program: reads the files that it names, and those that these name.

`import "parts/sums.sp";` names a file beside the one that says it, below the program's folder; `import "pagerank";` a
program that ships with starplat. All functions are one program; each file is read once.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path, PurePosixPath

from starplat.diagnostics import Label, Reporter
from starplat.frontend import ast, parser
from starplat.frontend.mistakes.remedies import did_you_mean
from starplat.frontend.parsing.syntax import with_spans
from starplat.program_text import decoded
from starplat.resources import shipped_programs
from starplat.source import NOWHERE, SourceFile, Span


def with_imports(program: ast.Program, source: SourceFile) -> tuple[ast.Program, SourceFile]:
    """The program with the functions of what it imports, and its source with their files.

    Files are looked for in the folder of `source.name`. Raises E0214, an import names no file that may be read; E0215,
    files import each other in a circle; E01xx, an imported file has syntax errors.
    """
    if not program.imports:
        return program, source
    files = _Files(source, Path(source.name).parent)
    functions = files.functions(program, files.root_path, 0)
    files.raise_errors()
    return replace(program, functions=functions), files.joined


def path_of(wanted: ast.Import, source: SourceFile) -> Path | None:
    """The file that an import of a program's own file names, if it may be read."""
    files = _Files(source, Path(source.name).parent)
    try:
        return files.resolved(wanted.file.value, files.root_path)[0]
    except (_Refused, OSError, ValueError):
        return None


def importable(begun: str, source: SourceFile) -> list[str]:
    """What an import that begins so may go on with: programs that ship with starplat, files and folders (with `/`)."""
    behind, _, _ = begun.rpartition("/")
    folder = Path(source.name).parent / behind
    if ".." in behind.split("/") or PurePosixPath(behind).is_absolute() or not folder.is_dir():
        return []
    found = [entry.name + "/" * entry.is_dir() for entry in folder.iterdir() if not entry.name.startswith(".")]
    return sorted(n for n in found if n.endswith(("/", ".sp"))) + ([] if behind else list(shipped_programs()))


@dataclass
class _Files:
    """The files of one program. `places` has where each begins, by its path; `chain` are the imports that are being
    followed, each with the path of the file that says it."""

    source: SourceFile
    folder: Path
    found: list[SourceFile] = field(default_factory=list)
    places: dict[Path, int] = field(default_factory=dict)
    chain: list[tuple[Path, Span]] = field(default_factory=list)
    said: list[Callable[[Reporter], None]] = field(default_factory=list)

    @property
    def root_path(self) -> Path:
        """The program's own file; of a text, a path beside it that no import can name."""
        return _real(Path(self.source.name)) if self.source.is_file else _real(self.folder) / "<text>"

    @property
    def joined(self) -> SourceFile:
        return replace(self.source, imported=tuple(self.found))

    def raise_errors(self) -> None:
        """Reports what went wrong, now that all files have their places."""
        reporter = Reporter(self.joined)
        for say in self.said:
            say(reporter)
        reporter.raise_errors()

    def functions(self, program: ast.Program, path: Path, begins: int) -> tuple[ast.Function, ...]:
        """The functions of a file that begins at a place, and of all that it imports for the first time."""
        found = program.functions
        for wanted in program.imports:
            span = Span(wanted.file.span.start + begins, wanted.file.span.end + begins)
            self.chain.append((path, span))
            found += self.imported(wanted.file.value, path, span)
            self.chain.pop()
        return found

    def imported(self, name: str, by: Path, span: Span) -> tuple[ast.Function, ...]:
        try:
            path, shown = self.resolved(name, by)
            if path in (importing for importing, _ in self.chain):
                self.say_circle(path)
                return ()
            if path in self.places:
                return ()
            changed = self.source.opened(path)
            text = decoded(shown, path.read_bytes()) if changed is None else changed
        except _Refused as refused:
            self.say("E0214", f"'{name}' cannot be imported: {refused}", span, refused.help)
            return ()
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            self.say("E0214", f"'{name}' cannot be read: {reason}", span, None)
            return ()
        begins = len(self.joined.whole) + 1
        self.places[path] = begins
        self.found.append(SourceFile(shown, text))
        program = parser.parse(self.found[-1])
        moved = with_spans(program, partial(_moved, by=begins))
        return self.functions(replace(moved, imports=program.imports), path, begins)

    def resolved(self, name: str, by: Path) -> tuple[Path, str]:
        """The path of what an import names, and what to call it. Raises _Refused: it is no file of the program's folder
        and no name of the library."""
        if not name.endswith(".sp"):
            if (shipped := shipped_programs().get(name)) is None:
                near = did_you_mean(name, shipped_programs())
                raise _Refused("no such program ships with starplat", near or "a file is named with its ending, '.sp'")
            return _real(shipped), shipped.name
        if PurePosixPath(name).is_absolute() or "\\" in name or ":" in name:
            raise _Refused("it is no relative path", "name the file as seen from the one that imports it, with '/'")
        path, root = _real(by.parent / name), _real(self.folder)
        if not path.is_relative_to(root):
            raise _Refused("it is outside the program's folder", "imports stay in the folder of the program, or below")
        if not path.is_file() and self.source.opened(path) is None:
            beside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
            raise _Refused("there is no such file", did_you_mean(path.name, [n for n in beside if n.endswith(".sp")]))
        return path, str(self.folder / path.relative_to(root))

    def say(self, code: str, message: str, span: Span, help: str | None) -> None:
        self.said.append(lambda reporter: reporter.report(code, message, span, help=help))

    def say_circle(self, path: Path) -> None:
        chain = self.chain[[importing for importing, _ in self.chain].index(path) :]
        names = [*(importing.name for importing, _ in chain), path.name]
        steps = zip(pairwise(names), chain, strict=True)
        *others, last = (Label(span, f"'{a}' imports '{b}'") for (a, b), (_, span) in steps)
        message = f"files import each other in a circle: {' → '.join(names)}" if others else f"{last.text}: itself"
        help = "move what both need to a file of its own"
        self.said.append(lambda reporter: reporter.report("E0215", message, last.span, related=others, help=help))


class _Refused(Exception):  # noqa: N818 - it is the program's error, not ours
    """Why a file is not imported, and what may help."""

    def __init__(self, why: str, help: str | None) -> None:
        super().__init__(why)
        self.help = help


def _moved(span: Span, by: int) -> Span:
    return span if span == NOWHERE else Span(span.start + by, span.end + by)


def _real(path: Path) -> Path:
    """The path without links and dots."""
    return Path(os.path.realpath(path))
