"""The knobs of a schedule, their values, and a sentence about each.

A schedule chooses how a program runs and never changes an answer. Each knob is an enum; the parser, the help of the
command line, the documents and the tests read names, values and sentences from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import Any, ClassVar, Self, get_args, get_type_hints


class Setting(Enum):
    """A value of a knob: the word for it, and what it does in a sentence."""

    sentence: str

    def __new__(cls, word: str, sentence: str) -> Self:
        member = object.__new__(cls)
        member._value_ = word
        member.sentence = sentence
        return member

    def __str__(self) -> str:
        return str(self.value)


class Direction(Setting):
    """Which end of an arc does the work."""

    PUSH = "push", "an active node updates its neighbors"
    PULL = "pull", "a node gathers from its neighbors, without atomics"
    AUTO = "auto", "the better one in each round, where both are legal"


class Frontier(Setting):
    """How the active nodes of a round are stored."""

    FLAGS = "flags", "a byte per node"
    QUEUE = "queue", "a list of the active nodes, and a bit per node against duplicates"
    BITMAP = "bitmap", "a bit per node, walked word by word"
    LAYERS = "layers", "a bit per node, and a second layer that finds the words that are not zero"
    AUTO = "auto", "bits, and a list while few nodes are active"


class Balance(Setting):
    """How threads share the arcs of active nodes."""

    NODE = "node", "a thread takes a node with all its arcs"
    EDGE = "edge", "threads share all arcs evenly"
    AUTO = "auto", "edge, but node on CPUs"


class Loop(Setting):
    """What drives the rounds of a loop."""

    HOST = "host", "the host launches every kernel and decides whether to go on"
    DEVICE = "device", "one persistent kernel runs all rounds, with a grid barrier between them"
    CLUSTER = "cluster", "one cluster of groups runs rounds of few nodes, with a cheaper barrier, else as device"
    GROUP = "group", "one group of threads runs rounds while few nodes are active, else the host"
    BATCH = "batch", "the host launches several rounds ahead and asks late whether to go on"
    AUTO = "auto", "device where the target has a grid barrier, cluster for nodes of few arcs, else group or batch"


class Priority(Setting):
    """Which active nodes come first."""

    NONE = "none", "all at once"
    AUTO = "auto", "nearest first where that is proved to give the same answer and worth it"


class Algebra(Setting):
    """Whether a proved equivalent may replace the algorithm."""

    PLAIN = "plain", "never"
    PROVED = "proved", "wherever it is proved"
    AUTO = (
        "auto",
        "where it is proved and worth it: union-find, triangles on oriented rows, rows of neighbors that come first",
    )


class Order(Setting):
    """In which order nodes are numbered, and arcs walked by kernels that look for any one or add up reals."""

    AS_IS = "as-is", "nodes as in the graph, arcs by the neighbor's number"
    ROWS = "rows", "neighbors of high degree first, from rows that the device sorts once for a graph"
    PARTS = "parts", "sums from one part of the nodes after the other, so that the cache holds what is read"
    DEGREE = "degree", "nodes of high degree get low numbers, once for a graph; results are as without"
    RCM = "rcm", "neighbors get numbers near each other (reverse Cuthill-McKee), once for a graph"
    AUTO = (
        "auto",
        "parts on GPUs where neighbors are anywhere and what they have does not fit in the cache, else as-is",
    )


class Memory(Setting):
    """Where columns and read-only edge properties lie; all else is in the device's memory."""

    RESIDENT = "resident", "in the device's memory"
    MAPPED = "mapped", "in page-locked memory of the host, where kernels read them, so that larger graphs fit"
    CHUNKS = "chunks", "on the host, which copies the rows of each launch's active nodes to the device: to compare with"
    UNIFIED = "unified", "in managed memory, whose pages the driver moves: to compare with; all must fit the device"
    ONDEMAND = "ondemand", "on the device as far as there is room, the rest as mapped"
    AUTO = "auto", "resident, but ondemand where a run would not fit"


class Sources(Setting):
    """From how many sources at once a program searches that does so from each of many."""

    ONE = "one", "one after another"
    THREADS = "threads", "one after another in each thread of a CPU, with what a source changes once for each"
    AUTO = "auto", "batch(auto), but of a set only where it has many"


class Updates(Setting):
    """How a graph that changes takes a batch of updates on its device."""

    MERGE = "merge", "all arcs are copied, merged with the updates"
    IN_PLACE = "in_place", "rows have room, and only those change that updates name"
    AUTO = "auto", "in_place for large graphs with long rows, unless rounds read all arcs; else merge"


@dataclass(frozen=True, slots=True)
class Batch:
    """Searches from `width` sources at once; None: from as many as pays and fits."""

    width: int | None

    FORM: ClassVar[str] = "batch(SOURCES)"
    SENTENCE: ClassVar[str] = "SOURCES at once, a bit for each of every node"
    WIDTHS: ClassVar[tuple[int, ...]] = (64, 128, 256, 512, 1024)
    REMARK: ClassVar[str] = "SOURCES is 64, 128, 256, 512, 1024 or auto (256, 64 where memory is short)"

    @property
    def sentence(self) -> str:
        """What it does."""
        return self.SENTENCE.replace("SOURCES", str(self.width or "many"))

    def __str__(self) -> str:
        return f"batch({self.width or 'auto'})"

    @classmethod
    def parsed(cls, text: str) -> Batch | None:
        """What `batch(256)` says; None if the text says nothing of the kind, or the number is not possible."""
        if (found := re.fullmatch(r"batch\(\s*(\d{1,4}|auto)\s*\)", text)) is None:
            return None
        width = None if found[1] == "auto" else int(found[1])
        return cls(width) if width is None or width in cls.WIDTHS else None

    @classmethod
    def tried(cls, width: int | float) -> tuple[Batch, ...]:
        """The values that are worth a trial, whatever the mean weight of arcs."""
        return (cls(64), cls(256))


@dataclass(frozen=True, slots=True)
class Delta:
    """Nodes nearer than `width` times the round's number come before the others."""

    width: int | float

    FORM: ClassVar[str] = "delta(WIDTH)"
    SENTENCE: ClassVar[str] = "nearest first, in steps of WIDTH"
    REMARK: ClassVar[str] = "WIDTH is a number above zero, such as 3 or 0.5"

    @property
    def sentence(self) -> str:
        """What it does."""
        return self.SENTENCE.replace("WIDTH", str(self.width))

    def __str__(self) -> str:
        return f"delta({self.width})"

    @classmethod
    def parsed(cls, text: str) -> Delta | None:
        """What `delta(3)` says; None if the text says nothing of the kind, or the width is no number above zero."""
        if (found := re.fullmatch(r"delta\(\s*(\d{1,18})(\.\d{1,18})?\s*\)", text)) is None:
            return None
        width = float(found[1] + found[2]) if found[2] else int(found[1])
        return cls(width) if width > 0 else None

    @classmethod
    def tried(cls, width: int | float) -> tuple[Delta, ...]:
        """The values that are worth a trial: steps of a `width`."""
        return (cls(width),)


Form = Delta | Batch
Value = Setting | Form


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a program runs. A knob that is not named is left to the compiler (`auto`)."""

    direction: Direction = Direction.AUTO
    frontier: Frontier = Frontier.AUTO
    balance: Balance = Balance.AUTO
    loop: Loop = Loop.AUTO
    priority: Priority | Delta = Priority.AUTO
    algebra: Algebra = Algebra.AUTO
    order: Order = Order.AUTO
    memory: Memory = Memory.AUTO
    sources: Sources | Batch = Sources.AUTO
    updates: Updates = Updates.AUTO

    @property
    def values(self) -> Mapping[str, Value]:
        """Every knob's value, by the knob's name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def keeps_flags(self, *, batches: bool) -> bool:
        """Whether active nodes stay flags on a target with or without `batches`: the host would have to know a list's
        length in every round, and rounds launched ahead do not wait for it."""
        ahead = batches and self.loop is Loop.BATCH and self.frontier is Frontier.AUTO
        return ahead or self.frontier is Frontier.FLAGS

    def __str__(self) -> str:
        """As `parse_schedule` reads it: `auto`, `plain`, or the knobs that are not `auto`."""
        if self == PLAIN:
            return "plain"
        said = [f"{name}={value}" for name, value in self.values.items() if str(value) != "auto"]
        return ",".join(said) or "auto"


AUTO = Schedule()
"""Everything is left to the compiler: the default."""

PLAIN = Schedule(
    Direction.PUSH,
    Frontier.FLAGS,
    Balance.NODE,
    Loop.HOST,
    Priority.NONE,
    Algebra.PLAIN,
    Order.AS_IS,
    Memory.RESIDENT,
    Sources.ONE,
    Updates.MERGE,
)
"""The program as written, without any rewrite."""


def driven_by_host(schedule: Schedule) -> Schedule:
    """The same schedule with the rounds of every loop launched by the host, which can count them."""
    return replace(schedule, loop=Loop.HOST)


def gathered_by_host(schedule: Schedule) -> Schedule:
    """The same schedule for `memory=chunks`: what it leaves open is as in `plain` where kernels would otherwise reach
    rows of other nodes, share them, or go on without the host."""
    names = ("balance", "loop", "priority", "algebra", "order", "sources")
    left_open: dict[str, Any] = {
        name: PLAIN.values[name] for name in names if schedule.values[name] is AUTO.values[name]
    }
    return replace(schedule, **left_open)


def in_less_memory(schedule: Schedule) -> Iterator[Schedule]:
    """The schedules that take the place of one whose arrays do not fit, as far as it left them open: on the graph as it
    is, then with fewer sources at once, with one, with arcs on the host, in the end without arrays made of the arcs."""
    if schedule.order is Order.AUTO:
        yield (schedule := replace(schedule, order=Order.AS_IS))
    if schedule.sources in (Sources.AUTO, Batch(None)):
        yield (fewer := replace(schedule, sources=Batch(64)))
        schedule = fewer if schedule.sources is not Sources.AUTO else schedule
    if schedule.sources is Sources.AUTO:
        yield (schedule := replace(schedule, sources=Sources.ONE))
    if schedule.memory is Memory.AUTO:
        yield (schedule := replace(schedule, memory=Memory.ONDEMAND))
        if schedule.algebra is Algebra.AUTO:
            yield replace(schedule, algebra=Algebra.PLAIN)


BASES: Mapping[str, Schedule] = {"auto": AUTO, "plain": PLAIN}
"""The schedules that have a name."""


@dataclass(frozen=True, slots=True)
class Knob:
    """One thing that a schedule says. `forms` are the values with a number in them."""

    name: str
    kind: type[Setting]
    forms: tuple[type[Form], ...] = ()

    @property
    def sentence(self) -> str:
        """What it is about."""
        return (self.kind.__doc__ or "").strip()

    @property
    def words(self) -> tuple[str, ...]:
        """All values as they are written."""
        return (*(str(value) for value in self.kind), *(form.FORM for form in self.forms))

    @property
    def remark(self) -> str:
        """What the words of the forms stand for, as the end of a sentence."""
        return "".join(f"; {form.REMARK}" for form in self.forms)

    @property
    def described(self) -> Mapping[str, str]:
        """What each value does, by the word for it."""
        return {**{str(v): v.sentence for v in self.kind}, **{form.FORM: form.SENTENCE for form in self.forms}}

    def sentence_of(self, word: str) -> str:
        """What the value does that a word stands for."""
        value = self.parsed(word)
        return value.sentence if value is not None else self.sentence

    def parsed(self, word: str) -> Value | None:
        """The value that a word stands for."""
        named = next((value for value in self.kind if str(value) == word), None)
        return named or next((found for form in self.forms if (found := form.parsed(word)) is not None), None)


def _knob(name: str, hint: object) -> Knob:
    kinds = get_args(hint) or (hint,)
    (kind,) = (kind for kind in kinds if issubclass(kind, Setting))
    return Knob(name, kind, tuple(kind for kind in kinds if not issubclass(kind, Setting)))


KNOBS: Mapping[str, Knob] = {name: _knob(name, hint) for name, hint in get_type_hints(Schedule).items()}
"""All knobs, in the order of `Schedule`."""


def usage() -> str:
    """What `--schedule` takes, in a line that may be broken between any two words."""
    knobs = "; ".join(f"{knob.name}= {' | '.join(knob.words)}" for knob in KNOBS.values())
    return f"{', '.join(BASES)}, a .toml file, or some of these with commas between: {knobs}."
