"""Edge lists: two node ids a line, three with a weight. SNAP `.txt`, GAP `.el` and `.wel`, and what NetworkX writes,
two ids and a dictionary: `1 2 {'weight': 3}`.

Lines that start with `#` or `%` are comments. The first line that is none says what all are like: how many columns,
what stands between them, and whether ids are numbers or names. Nodes are the ids that occur, numbers in ascending
order, names in that of the lines; but in a `.el` or `.wel` without comments (GAP's own) they are 0 up to the highest
id. Edges are directed unless a comment before the first of them says "undirected".
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import IO

from starplat.diagnostics import DiagnosticError
from starplat.graph import errors, numbering, spelt, streams, tables
from starplat.graph.formats.base import (
    Format,
    Header,
    Keeps,
    Listing,
    first_lines,
    is_text,
    require_no_isolated,
    write_table,
)
from starplat.graph.graph import Graph
from starplat.graph.ids import Labelled

SEPARATORS = (",", ";", "|", "\t")
GAP_SUFFIXES = (".el", ".wel")


def separator_in(line: str) -> str | None:
    """What stands between the words of lines like this one, None for blanks. A tab does, whatever the words hold,
    unless it only follows another separator."""
    if "\t" in line and not any(f"{mark}\t" in line for mark in SEPARATORS):
        return "\t"
    return next((mark for mark in SEPARATORS if mark in line), None)


@dataclass(frozen=True, slots=True)
class Form:
    """What the first line that is no comment says of all: its number, its words with what stands between them, whether
    a dictionary follows them, and the comments before it."""

    line: int
    words: tuple[str, ...]
    separator: str | None
    attributes: bool
    comments: tuple[bytes, ...]

    @property
    def named(self) -> bool:
        return any(map(spelt.is_name, self.words[:2]))

    @property
    def layout(self) -> tables.Layout:
        """The columns, if they are all that there is; a tab is a blank like others between numbers."""
        mark = None if self.separator in (None, "\t") else self.separator.encode()
        return tables.Layout(len(self.words), (0, 1), 2 if len(self.words) == 3 else None, separator=mark)


def read(input: streams.Input) -> Graph:
    """The graph of an edge list."""
    form = form_of(input)
    if form.attributes or form.named:
        rows, directed = _rows(input, form), not says_undirected(form.comments)
        return spelt.graph_of_rows(input, rows, "edge list", directed=directed, numbers_only=not form.named)
    return _listing(input, form).read()


def listing(input: streams.Input) -> Listing:
    """The arcs of an edge list without dictionaries. Raises E0810: dictionaries follow the ids."""
    form = form_of(input)
    if form.attributes:
        message = "an edge list with dictionaries is not read in pieces"
        raise errors.unsupported(input.shown, message, help="leave out --pieces")
    return _listing(input, form)


def _listing(input: streams.Input, form: Form) -> Listing:
    title, shown = "edge list", input.shown
    if form.named:
        labels = numbering.Labels(shown)
        arcs, numbered = partial(spelt.label_blocks, input, lambda: _rows(input, form), labels), labels.numbering
    else:
        arcs, numbered = partial(tables.arc_blocks, input, form.layout), partial(numbering.of_ids_seen, shown)
        if input.name.endswith(GAP_SUFFIXES) and not form.comments:
            title, numbered = "GAP edge list", partial(numbering.up_to_highest, shown)
    return Listing(input, title, not says_undirected(form.comments), len(form.words) == 3, arcs, numbered)


def says_undirected(comments: Iterable[bytes]) -> bool:
    """Whether comments call the graph undirected: the first one that speaks of it decides, by its first such word.

    >>> says_undirected([b"# Undirected graph"]), says_undirected([b"# directed, not undirected"])
    (True, False)
    """
    found = next(filter(None, map(_WAY.search, comments)), None)
    return found is not None and (found["un"] is None) == (found["not"] is not None)


_WAY = re.compile(rb"\b(?P<not>not\s+)?(?P<un>un)?directed\b", re.IGNORECASE)


def form_of(input: streams.Input) -> Form:
    """The form of an edge list; that of one without edges is two columns of numbers."""
    comments = []
    for number, line in input.lines():
        stripped = line.strip()
        if stripped[:1] in (b"#", b"%"):
            comments.append(stripped)
        elif stripped:
            return _form_of_line(input, number, line, tuple(comments))
    if not input.head:
        raise errors.empty(input.shown)
    return Form(0, ("0", "0"), None, False, tuple(comments))


_BLANKS = bytes.maketrans(b"\v\f\r", b"   ")


def _form_of_line(input: streams.Input, number: int, line: bytes, comments: tuple[bytes, ...]) -> Form:
    text = tables.shown(line.translate(_BLANKS)).strip(spelt.BLANKS)
    attributes = "{" in text and text.endswith("}")
    ids = text.partition("{")[0] if attributes else text
    separator = separator_in(ids)
    words = words_in(ids, separator)
    header = Header(input.shown, number, line, ())
    if attributes and len(words) != 2:
        raise errors.malformed(header.place(), f"expected two node ids and a dictionary, found {len(words)} ids")
    if len(words) not in (2, 3):
        message = f"expected two node ids and perhaps a weight, found {len(words)} word{'s' * (len(words) != 1)}"
        raise errors.malformed(header.place(min(len(words) - 1, 3)), message)
    return Form(number, tuple(words), separator, attributes, comments)


_WORDS = re.compile(f"[^{spelt.BLANKS}]+")


def words_in(text: str, separator: str | None) -> list[str]:
    """The words of a line; between separators names may hold blanks."""
    plain = _WORDS.findall(text if separator is None else text.replace(separator, " "))
    if separator is None or not any(map(spelt.is_name, plain)):
        return plain
    words = [word.strip(spelt.BLANKS) for word in text.split(separator)]
    return words if words[-1] else words[:-1]


def _rows(input: streams.Input, form: Form) -> Iterator[spelt.Row]:
    """The lines of an edge list whose ids are names, or that a dictionary follows."""
    second = True
    for number, line in spelt.text_lines(input):
        ids, brace, _ = line.partition("{") if form.attributes else (line, "", "")
        words = words_in(ids, form.separator)
        if len(words) != len(form.words) or (form.attributes and not brace):
            raise _wrong_width(input, number, line, form, len(words))
        if second and number != form.line:
            second = False
            _refuse_header(input, form, words)
        weight = words[2] if len(words) == 3 else None
        yield number, words[0], words[1], _weight_in(input, number, line) if form.attributes else weight


def _refuse_header(input: streams.Input, form: Form, second: list[str]) -> None:
    """Refuses a first line of names above a line of numbers: it names columns, by words that are not known."""
    if all(map(spelt.is_name, form.words[:2])) and all(map(spelt.is_natural, second[:2])):
        line = next(line for number, line in input.lines() if number == form.line)
        help = "call them source and target (and weight), or begin the line with #"
        raise errors.bad_header(
            Header(input.shown, form.line, line, ()).place(), "this line seems to name columns", help
        )


def _weight_in(input: streams.Input, number: int, line: str) -> str | None:
    text = line[line.index("{") :]
    try:
        return weight_in(text)
    except NoDictionaryError:
        where = errors.Place(input.shown, number, line, line.index("{") + 1, len(text))
        raise errors.malformed(where, "expected a dictionary such as {} or {'weight': 3}") from None


def _wrong_width(input: streams.Input, number: int, line: str, form: Form, found: int) -> DiagnosticError:
    expected = "two node ids and a dictionary" if form.attributes else f"{len(form.words)} columns"
    message = f"expected {expected} as in the lines before" + (f", found {found}" if not form.attributes else "")
    return errors.malformed(errors.Place(input.shown, number, line, len(line) + 1), message)


def write(graph: Graph, stream: IO[bytes]) -> None:
    """Every arc on a line, with the original ids, names under a header; an undirected graph's edges once, and a comment
    that says so."""
    require_no_isolated(graph)
    source, destination, weights = graph.sources, graph.columns, graph.weights
    if not graph.directed:
        once = source <= destination
        source, destination = source[once], destination[once]
        weights = None if weights is None else weights[once]
        stream.write(b"# Undirected graph\n")
    elif not len(source):
        stream.write(b"# Directed graph without nodes\n")
    ids = graph.original_ids
    if isinstance(graph.names, Labelled):  # below names of columns ids may be names, whatever the first of them is
        stream.write(b"src dst\n" if weights is None else b"src dst weight\n")
    write_table(stream, [ids[source], ids[destination]], weights)


def added_nodes(graph: Graph, name: str) -> int:
    """How many nodes a reader of the file of that name would add: in GAP's they are 0 up to the highest id."""
    if not name.endswith(GAP_SUFFIXES) or not graph.directed or graph.id_range is None:
        return 0  # an undirected graph is written with a comment
    return graph.id_range[1] + 1 - graph.num_nodes


def recognises(input: streams.Input) -> bool:
    """By its name; else text whose first line that is no comment starts with a number, or ends with a dictionary."""
    if not is_text(input):
        return False
    lines = (line.strip() for line in first_lines(input))
    first = next((line for line in lines if line and line[:1] not in b"#%"), b"0")
    return input.name.endswith(FORMAT.suffixes) or re.match(rb"[-+]?\d|[^{]*[\s,;|]\{.*\}$", first) is not None


SUFFIXES = (".el", ".wel", ".txt", ".edges", ".edgelist", ".tsv", ".csv")
FORMAT = Format("el", "edge list", SUFFIXES, recognises, read, write, Keeps.ALL, listing)


_SIMPLE = re.compile(r"\{(?:\s*(?:'weight'|\"weight\")\s*:\s*(?P<weight>[^\s,:'\"(){}\[\]]+)\s*)?\}")
_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[\[\](){},:]|[^\s'\"\[\](){},:]+")
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_KEYS = ("'weight'", '"weight"')
_NUMPY = re.compile(r"np\.(?:float|u?int)\d+ \( (.*) \)")
"""How NumPy 2 writes its numbers."""


class NoDictionaryError(ValueError):
    """A text that is no dictionary as Python writes it."""


def weight_in(text: str) -> str | None:
    """The weight in a dictionary, as it is spelt, or None if it has none.

    >>> weight_in("{'weight': 2.5, 'at': (1, 2)}"), weight_in("{}")
    ('2.5', None)

    Raises:
        NoDictionaryError: the text is no dictionary.
    """
    if (simple := _SIMPLE.fullmatch(text)) is not None:
        return simple["weight"]
    weight: str | None = None
    for key, colon, *value in _items(_TOKEN.findall(text), text):
        if key in _KEYS and colon == ":":
            weight = _NUMPY.sub(r"\1", " ".join(value))
    return weight


def _items(tokens: list[str], text: str) -> list[list[str]]:
    """The tokens of every item, `key : value`."""
    if "".join(tokens[:1] + tokens[-1:]) != "{}" or len("".join(tokens)) < len(re.sub(r"\s", "", text)):
        raise NoDictionaryError
    items: list[list[str]] = [[]]
    closing: list[str] = []
    for token in tokens[1:-1]:
        if token in _CLOSING:
            closing.append(_CLOSING[token])
        elif token in _CLOSING.values() and (not closing or closing.pop() != token):
            raise NoDictionaryError
        if token == "," and not closing:
            items.append([])
        else:
            items[-1].append(token)
    items = items if items[-1] else items[:-1]
    if closing or not all(len(item) > 2 and ":" in item for item in items):
        raise NoDictionaryError
    return items
