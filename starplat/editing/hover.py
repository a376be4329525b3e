"""Hover: what is known of the piece of a program under the cursor, in Markdown.

A name has its declaration; a loop the effects and race classes that `starplat explain` prints; a place inside a
parallel loop those of what its statement touches. The facts are those of the last text without errors.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from starplat.analysis import parallel, races
from starplat.analysis.describe import convergence_text, loop_text
from starplat.analysis.facts import FunctionFacts
from starplat.editing.reading import Reading, of_function, of_symbol, signature
from starplat.frontend import ast, builtins, parser, typed, types, walk
from starplat.frontend.parsing import lexer, syntax
from starplat.pipeline import Checked
from starplat.source import Span

_LOOP_WORDS = frozenset(("forall", "fixedPoint", "iterateInBFS", "iterateInReverse"))
_PUNCTUATION = frozenset("(){}[];,.")


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about a piece of the text."""

    span: Span
    text: str


def hover(reading: Reading, checked: Checked | None, offset: int) -> Hover | None:
    """What is known of what stands at a character.

    `checked` is the program without errors that the text was last, None if it never was one: where the text before and
    around the place is the same in both, its facts are shown.
    """
    found = [
        w for w in parser.words(reading.source.text) if w.kind != "comment" and w.span.start <= offset <= w.span.end
    ]
    if not found:
        return None
    word = max(found, key=lambda word: word.kind in ("name", "keyword"))
    if word.text in _PUNCTUATION:
        return None
    before = None if checked is None else moved(word.span.start, reading.source.text, checked.source.text)
    facts = () if checked is None or before is None else tuple(_facts(checked, reading.source.text, before, word))
    said = [part for part in (_declaration(reading, word), *facts) if part]
    return Hover(word.span, "\n\n".join(said)) if said else None


def moved(offset: int, text: str, before: str) -> int | None:
    """Where a character of a text stood in a text of before; None if it stands in what was changed.

    >>> moved(5, "x = 1; y", "x = 10; y"), moved(7, "x = 1; y", "x = 10; y"), moved(2, "abcd", "ab")
    (6, 8, None)
    """
    same = next((i for i, (a, b) in enumerate(zip(text, before, strict=False)) if a != b), min(len(text), len(before)))
    if offset < same or text == before:
        return offset
    most = min(len(text), len(before)) - same
    after = next((i for i in range(most) if text[-1 - i] != before[-1 - i]), most)
    return offset + len(before) - len(text) if offset >= len(text) - after else None


# --- names ---------------------------------------------------------------------------------------------------------


def _declaration(reading: Reading, word: lexer.Token) -> str:
    """The declaration of what a word names, or the type of what it is part of."""
    match reading.meanings.get(word.span):
        case typed.Symbol() as symbol:
            return _fenced(of_symbol(symbol)) + f"\n\n{_role(symbol)}"
        case ast.Function() as function:
            return _fenced(of_function(function, reading.source))
        case None:
            pass
    if word.text in builtins.REMARKS:
        return _fenced(builtins.REMARKS[word.text]) + "\n\ncarried out on `reference` and under `--checked` only"
    for node in syntax.syntax_within(reading.tree):
        if isinstance(node, ast.Attribute) and node.name.span == word.span:
            base = reading.types.get(node.value.span)
            if base is not None and word.text in builtins.method_names(base):
                return _fenced(signature(base, word.text))
    kind = _type_around(reading, word)
    return "" if kind is None else _fenced(str(kind))


def _type_around(reading: Reading, word: lexer.Token) -> types.Type | None:
    """The type of the smallest expression that a word is part of; none for the words of statements."""
    around = [span for span in reading.types if span.start <= word.span.start and word.span.end <= span.end]
    if word.kind == "keyword" and word.span not in around:
        return None
    smallest = min(around, key=lambda span: span.end - span.start, default=None)
    return None if smallest is None else reading.types[smallest]


def _role(symbol: typed.Symbol) -> str:
    if isinstance(symbol.type, types.PropertyType):
        carrier = "node" if symbol.type.carrier.value == "propNode" else "edge"
        origin = "a result" if symbol.role is typed.Role.PARAMETER else "of this function alone"
        return f"property of each {carrier}, {origin}"
    return symbol.role.value


def _fenced(text: str) -> str:
    return f"```sp\n{text}\n```"


# --- facts ---------------------------------------------------------------------------------------------------------


def _facts(checked: Checked, text: str, offset: int, word: lexer.Token) -> Iterator[str]:
    """What the analyses know of the program where a word of a `text` stood in it: of the loop that begins there, or of
    the statement around it, if both are still the same."""
    function = next((f for f in checked.facts.functions if _holds(f.function.span, offset)), None)
    if function is None:
        return
    if not checked.source.text.startswith(word.text, offset):
        return
    if word.text in _LOOP_WORDS:
        yield from (f"```text\n{part}\n```" for part in _of_loop(function, checked, offset))
        return
    outermost = next((loop for loop in function.loops if _holds(loop.loop.body.span, offset)), None)
    if outermost is not None and (statement := _statement(outermost, offset)) is not None:
        first, last = (place + word.span.start - offset for place in (statement.span.start, statement.span.end))
        if checked.source.text[statement.span.start : statement.span.end] == text[first:last]:
            yield _of_statement(outermost, statement)


def _of_loop(function: FunctionFacts, checked: Checked, offset: int) -> Iterator[str]:
    for loop in function.loops:
        if _head(loop.loop).start == offset:
            yield loop_text(loop, checked.source)
    for form in function.fixed_points:
        if form.loop.span.start == offset:
            yield convergence_text(form, checked.source)


def _head(loop: parallel.ParallelLoop) -> Span:
    """Where a loop begins; the way back of an `iterateInBFS` has a word of its own."""
    reverse = loop.node.reverse if isinstance(loop.node, typed.IterateInBFS) else None
    return reverse.span if reverse is not None and loop.body is reverse.body else loop.span


def _statement(loop: races.LoopRaces, offset: int) -> typed.Statement | None:
    """The smallest statement around a place, if no others are in it."""
    inside = [s for s in walk.statements(loop.loop.body) if _holds(s.span, offset)]
    smallest = min(inside, key=lambda s: s.span.end - s.span.start, default=None)
    return None if smallest is None or walk.blocks(smallest) else smallest


def _of_statement(loop: races.LoopRaces, statement: typed.Statement) -> str:
    """The classes of what a statement touches."""
    lines = []
    for cell in loop.cells:
        kinds = dict.fromkeys(a.kind.value for a in cell.accesses if _within(a.span, statement.span))
        if kinds:
            title = f"`{cell.symbol.name}` [{cell.where}]"
            lines.append(
                f"- {title}: {', '.join(kinds)}; ({cell.race_class.value}) {cell.race_class.title}: {cell.reason}"
            )
    return "\n".join(["In this statement:", "", *lines]) if lines else ""


def _holds(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
