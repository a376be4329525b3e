"""What the page asks of the compiler: a name of a call and JSON in, JSON out.

Runs in the browser's Python, and in any other. Offsets into a program are counted as JavaScript counts them, in UTF-16
units; lines from 1.
"""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from contextlib import redirect_stderr
from dataclasses import replace
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starplat import pipeline
from starplat.analysis.forms import uncalled
from starplat.diagnostics import Diagnostic, DiagnosticError, StarplatWarning, first_errors, render
from starplat.frontend.types import GraphType, PropertyType
from starplat.source import SourceFile

if TYPE_CHECKING:
    from starplat.frontend import typed
    from starplat.graph import Graph
    from starplat.runtime import Result

MOST_DRAWN = 400
"""Arcs and nodes of more are not sent: no picture of them tells anything."""
MOST_ROWS = 1000
MOST_EDGES = 100_000
"""Those of the largest graph that is read here."""


def answer(call: str, arguments: str) -> str:
    """What a call gives, as JSON: `value`, or, where the input is wrong, `diagnostics`."""
    try:
        said: dict[str, Any] = {"value": CALLS[call](**json.loads(arguments))}
    except DiagnosticError as error:
        shown, more = first_errors(error.diagnostics)
        said = {"diagnostics": [_shown(one) for one in shown], "more": more}
    return json.dumps(said, allow_nan=False)


def check(name: str, text: str) -> dict[str, Any]:
    """The diagnostics of a program, and, if it has no errors, the parameters of the function that would run."""
    try:
        checked = _checked(name, text)
    except DiagnosticError as error:
        shown, more = first_errors(error.diagnostics)
        return {"diagnostics": [_shown(one) for one in shown], "more": more, "entry": None}
    return {"diagnostics": [_shown(one) for one in checked.warnings], "more": "", "entry": _entry(checked)}


def emit(name: str, text: str, target: str) -> dict[str, Any]:
    """The files that `compile` writes for a target, without those that all programs share, and which lines of them
    belong to which lines of the program."""
    files = pipeline.artifact(_module(name, text), target, name)
    own = [file for file in files if not file.startswith("starplat_")]
    return {
        "files": [{"name": file, "text": files[file], "links": links(name, text, files[file])} for file in own],
        "shared": [file for file in files if file not in own],
    }


def explain(name: str, text: str, target: str) -> dict[str, Any]:
    """What `starplat explain` prints: the facts about a program, and what the schedule chooses for a target."""
    from starplat.analysis import describe

    plan = pipeline.plan(_module(name, text), target)
    return {"facts": describe(_checked(name, text).facts), "plan": str(plan)}


def page(code: str) -> str:
    """The page about a diagnostic's code, in Markdown."""
    from starplat.resources import error_page_folder

    return (error_page_folder() / f"{code}.md").read_text(encoding="utf-8")


def gpu() -> dict[str, str | None]:
    """The name of the GPU that WebGPU reaches from here, or why there is none."""
    from starplat.toolchain.webgpu import webgpu_report

    found = webgpu_report()[0]
    return {"name": found.name, "lacking": None} if found.usable else {"name": None, "lacking": found.status}


def run(
    name: str, text: str, edges: str, undirected: bool, arguments: dict[str, str], target: str = "reference"
) -> dict[str, Any]:
    """The answers of a target on a graph, given as an edge list: `0 1` a line, or `0 1 5` with a weight."""
    from starplat.program import Program
    from starplat.runtime import bind_text

    program = Program(_checked(name, text))
    graph = _graph(edges, undirected)
    function = program.form_on(graph, arguments) or _function(program.checked).name
    bound = bind_text(program.module(function), graph, arguments)
    with warnings.catch_warnings(record=True) as caught, redirect_stderr(StringIO()) as printed:
        warnings.simplefilter("always")
        result = program.run(graph, function=function, arguments=bound, target=target)
    doubtful = [w.message.diagnostic for w in caught if isinstance(w.message, StarplatWarning) and w.message.diagnostic]
    return {**_answers(result), "printed": printed.getvalue(), "warnings": [_shown(one) for one in doubtful]}


def generate(kind: str, size: int, seed: int) -> str:
    """A graph made up, as an edge list with weights; `size` is its number of nodes, or nearly."""
    import numpy as np

    from starplat.graph import generators

    span, scale = (1, 9), max(size - 1, 1).bit_length()
    match kind:
        case "grid":
            graph = (
                generators.complete(1)
                if size < 2
                else generators.grid(round(size**0.5), 100, seed, weights=span, arrays=np)
            )
        case "rmat":
            graph = generators.rmat(scale, 3, seed, weights=span)
        case _:
            graph = generators.uniform(scale, 2, seed, weights=span)
    weights = [1] * graph.num_arcs if graph.weights is None else graph.weights.tolist()
    arcs = zip(graph.sources.tolist(), graph.columns.tolist(), weights, strict=True)
    return "".join(f"{u} {v} {weight}\n" for u, v, weight in arcs if u <= v)


CALLS = {"check": check, "emit": emit, "explain": explain, "page": page, "run": run, "generate": generate, "gpu": gpu}


@lru_cache(maxsize=4)
def _checked(name: str, text: str) -> pipeline.Checked:
    return pipeline.check(SourceFile(f"{name}.sp", text))


@lru_cache(maxsize=4)
def _module(name: str, text: str) -> Any:
    checked = _checked(name, text)
    return pipeline.lower(checked, _function(checked).name if checked.facts.program.functions else None)


def _function(checked: pipeline.Checked) -> typed.FunctionDefinition:
    """The function to run: the one that no other calls; of several the program's namesake, or the first."""
    program = checked.facts.program
    roots = uncalled(program) or program.functions
    name = checked.source.name.removesuffix(".sp")
    return next((function for function in roots if function.name == name), roots[0])


def _entry(checked: pipeline.Checked) -> dict[str, Any] | None:
    """The function that runs, and what a caller may say: its numbers, nodes and sets; None without any function."""
    if not checked.facts.program.functions:
        return None
    function = _function(checked)
    asked = [
        {"name": symbol.name, "type": str(symbol.type), "default": None if default is None else _default(default)}
        for symbol, default in zip(function.parameters, function.defaults, strict=True)
        if not isinstance(symbol.type, GraphType | PropertyType)
    ]
    return {"name": function.name, "parameters": asked}


def _default(default: Any) -> str:
    return str(getattr(default, "value", "INF"))


def _shown(diagnostic: Diagnostic) -> dict[str, Any]:
    """As `starplat check` prints it, with its place."""
    said = {**diagnostic.to_json(), "text": render(diagnostic), "from": 0, "to": 0}
    if diagnostic.source is not None and diagnostic.place is not None:
        span, text = diagnostic.place.span, diagnostic.source.text
        said["from"], said["to"] = (_utf16(text[:offset]) for offset in (span.start, max(span.start, span.end)))
    return said


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


# --- lines that belong together --------------------------------------------------------------------------------------


def links(name: str, program: str, emitted: str) -> list[dict[str, tuple[int, int]]]:
    """Ranges of lines of the program with those that were made of them, first and last line of each.

    Emitted code says above each piece which line it was made of: `// sssp.sp:12 forall (v in g.nodes())`.
    """
    lines, ours = emitted.splitlines(), program.splitlines()
    mark = re.compile(rf"^(\s*)// {re.escape(name)}\.sp:(\d+) ")
    found = []
    for number, line in enumerate(lines):
        if (match := mark.match(line)) is not None:
            first = int(match[2])
            last = _statement_end(ours, first - 1) + 1
            end = _piece_end(lines, number, last > first) + 1
            found.append({"program": (first, last), "emitted": (number + 1, end)})
    return found


def _piece_end(lines: list[str], mark: int, is_block: bool) -> int:
    """The last line of the piece below a mark, which closes at the mark's depth: with a brace, or, where it is no
    block, with the first statement."""
    depth = len(lines[mark]) - len(lines[mark].lstrip())
    for number in range(mark + 1, len(lines)):
        inner = lines[number].lstrip()
        if not inner or inner.startswith(("#", "//")) or len(lines[number]) - len(inner) > depth:
            continue
        if inner.startswith("}") or (inner.endswith(";") and not is_block):
            return number
    return len(lines) - 1


def _statement_end(lines: list[str], first: int) -> int:
    """The last line of the statement that begins on a line: where its braces are closed, or that line."""
    depth = 0
    for number in range(first, len(lines)):
        text = lines[number].partition("//")[0]
        depth += text.count("{") - text.count("}")
        if depth <= 0:
            return number
    return len(lines) - 1


# --- graphs and answers ----------------------------------------------------------------------------------------------


def _graph(edges: str, undirected: bool) -> Graph:
    from starplat.graph import read

    if edges.count("\n") > MOST_EDGES:
        help = "install starplat for larger ones"
        raise DiagnosticError(Diagnostic("E0817", f"this page reads graphs of up to {MOST_EDGES:,} edges", help=help))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "edges.txt")
        path.write_text(edges, encoding="utf-8")
        try:
            return read(path, undirected=undirected, format="el")
        except DiagnosticError as error:
            raise DiagnosticError(*(_without_folder(one, folder) for one in error.diagnostics)) from None


def _without_folder(diagnostic: Diagnostic, folder: str) -> Diagnostic:
    message, source = diagnostic.message.replace(f"{folder}/", ""), diagnostic.source
    shown = None if source is None else SourceFile(source.name.removeprefix(f"{folder}/"), source.text)
    return replace(diagnostic, message=message, source=shown)


def _answers(result: Result) -> dict[str, Any]:
    graph = result.graph
    drawn = graph.num_nodes <= MOST_DRAWN and graph.num_arcs <= 8 * MOST_DRAWN
    found = result.to_json()
    weights = None if graph.weights is None else graph.weights.tolist()
    return {
        "function": result.function,
        "device": result.device,
        "graph": {**found["graph"], "described": graph.describe()},
        "ids": [str(id) for id in result.ids[:MOST_ROWS].tolist()],
        "arcs": list(zip(graph.sources.tolist(), graph.columns.tolist(), strict=True)) if drawn else None,
        "weights": weights if drawn else None,
        "properties": [_property(result, name, found["properties"][name]) for name in result],
        "returned": found["returned"],
        "seconds": sum(result.seconds.run),
    }


def _property(result: Result, name: str, summary: dict[str, Any]) -> dict[str, Any]:
    """Its values as words, and as numbers where they are finite."""
    from starplat.runtime.results.shown import spelt

    kind = result.types[name]
    words = spelt(result, name, MOST_ROWS)
    return {
        "name": name,
        "type": str(kind.element),
        "carrier": kind.carrier.value,
        "words": words,
        "numbers": [_number(word) for word in words],
        "summary": summary,
    }


def _number(word: str) -> float | None:
    """None for what has no place on a scale: INF, no number, a name."""
    if word in ("True", "False"):
        return float(word == "True")
    return float(word) if re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", word) else None
