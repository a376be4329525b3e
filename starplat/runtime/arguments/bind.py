"""Binds a caller's arguments to the parameters of a program's entry.

`bind` takes Python values, `bind_text` the words of a command line; both give scalars and arrays in the form that the
executor wants, or one diagnostic for every wrong argument, with the list of the parameters. Nodes go by original ids.
Arrays that lie on a device stay there until the run's device is known; `brought_over` fetches those it cannot use.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, assert_never

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.frontend import typed, types
from starplat.frontend.mistakes.remedies import did_you_mean
from starplat.frontend.typed import ALL
from starplat.frontend.types import GraphType, ListType, PropertyType, Scalar, SetType, Type, UpdatesType
from starplat.graph.graph import Graph
from starplat.graph.ids import Labelled
from starplat.graph.updates import Updates, read_updates, updates_from
from starplat.ir import nodes as ir
from starplat.ir.lists import taken
from starplat.runtime.arguments.caller_arrays import CallerArray, fetched, on_a_device
from starplat.runtime.arguments.properties import (
    elements,
    members,
    numbered_cells,
    numbered_members,
    property_cells,
    taken_apart,
)
from starplat.runtime.arguments.property_files import property_in
from starplat.runtime.arguments.scalars import NONE, UnfitError, parsed, scalar
from starplat.runtime.elements import Cells, Value
from starplat.same import remembered


@dataclass(frozen=True, slots=True)
class Bound:
    """The entry's arguments: `scalars` by name, `arrays` those whose first contents the caller gave, `updates` lists
    of updates by the program's names for them, `lists` the elements of lists."""

    scalars: Mapping[str, Value] = field(default_factory=dict)
    arrays: Mapping[str, Cells | CallerArray] = field(default_factory=dict)
    updates: Mapping[str, Updates] = field(default_factory=dict)
    lists: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)

    def within(self, module: ir.Module) -> "Bound":
        """The same by the module's names for them."""
        if not (self.scalars or self.arrays or self.updates or self.lists):
            return self
        names = names_in(module)
        scalars = {names[name]: value for name, value in self.scalars.items()}
        arrays = {names[name]: cells for name, cells in self.arrays.items()}
        most = max(map(len, self.updates.values()), default=0)
        for name, parts in parts_of_updates(module).items():
            given = taken_apart(self.updates[name], most)
            arrays |= zip(parts, given, strict=False)
            scalars |= zip(parts[len(given) :], (0, len(self.updates[name]), ALL), strict=True)
        lists = {names[name]: elements for name, elements in self.lists.items()}
        return Bound(scalars, arrays, self.updates, lists)

    def on_host(self, graph: Graph) -> "Bound":
        """The same with the contents that arrays on devices have now."""
        brought = {n: brought_over(a, graph) if isinstance(a, CallerArray) else a for n, a in self.arrays.items()}
        return replace(self, arrays=brought)


def bind(module: ir.Module, graph: Graph, given: Mapping[str, object], options: Collection[str] = ()) -> Bound:
    """The arguments `given` as Python values: numbers, bools, original ids of nodes, sequences of ids, arrays; updates
    as the path of a file, or what `updates_from` takes.

    `options` are names that the caller takes beside the parameters, and that one may have been meant for. Raises E0701
    missing, E0702 unknown, E0712 of the wrong kind, E0706 out of range, E0707 of the wrong length; E08xx, updates are
    wrong.
    """
    return _Binder(module, graph, options).bound(given)


def bind_text(module: ir.Module, graph: Graph, given: Mapping[str, str]) -> Bound:
    """The arguments `given` as words: `INF`, `true`, `42`; a set `1,5,9` or `@file`, a property one value for all or
    `@file`, as `property_files` reads it; updates `@file`. Raises DiagnosticError: as `bind`, and E0711, a file cannot
    be read."""
    types = {argument.name: argument.type for argument in module.arguments}
    values: dict[str, object] = {}
    problems: list[Diagnostic] = []
    for name, text in given.items():
        try:
            values[name] = _from_text(name, text, types.get(name), graph)
        except UnfitError as unfit:
            problems.append(_unfit(name, types[name], unfit, called=graph.names.node_of(text) != NONE))
        except OSError as error:
            problems.append(_unreadable(name, text, error))
        except UnicodeDecodeError:
            problems.append(Diagnostic("E0711", f"argument '{name}': {text[1:]} is not a text file"))
    if problems:
        raise DiagnosticError(*problems)
    return bind(module, graph, values)


def brought_over(lent: CallerArray, graph: Graph) -> Cells:
    """The cells of an array that lies on a device which is not the run's, or that the run cannot use as it is. Raises
    DiagnosticError: as `bind`, for arrays."""
    try:
        cells = fetched(lent.value)
        match lent.kind:
            case PropertyType():
                return numbered_cells(cells, lent.kind, graph)
            case SetType():
                return numbered_members(cells, lent.kind, graph)
            case _:
                assert_never(lent.kind)
    except UnfitError as unfit:
        raise DiagnosticError(_unfit(lent.name, lent.kind, unfit)) from None


@remembered(256)
def names_in(module: ir.Module) -> Mapping[str, str]:
    """What the module calls the entry's arguments: not always what the program does, which may say `sources`."""
    return {name: parts[0] for name, parts, kind in _parameters(module) if not isinstance(kind, UpdatesType)}


@remembered(256)
def parts_of_updates(module: ir.Module) -> Mapping[str, tuple[str, ...]]:
    """What the module calls the parts of each list of updates: four arrays, then three numbers."""
    return {name: parts for name, parts, kind in _parameters(module) if isinstance(kind, UpdatesType)}


def _parameters(module: ir.Module) -> Iterator[tuple[str, tuple[str, ...], Type]]:
    """The arguments, what the module calls them or their parts, and their types."""
    for one in taken(module):
        yield one.argument.name, one.names, one.argument.type


def signature(module: ir.Module) -> str:
    """The parameters that a caller may give, with their types."""
    return ", ".join(_in_words(argument) for argument in module.arguments if not isinstance(argument.type, GraphType))


class _Binder:
    def __init__(self, module: ir.Module, graph: Graph, options: Collection[str]) -> None:
        self._module = module
        self._options = options
        self._graph = graph
        self._arguments = {a.name: a for a in module.arguments if not isinstance(a.type, GraphType)}
        self._graphs = {a.name for a in module.arguments if isinstance(a.type, GraphType)}
        self._problems: list[Diagnostic] = []
        self._scalars: dict[str, Value] = {}
        self._arrays: dict[str, Cells | CallerArray] = {}
        self._updates: dict[str, Updates] = {}
        self._lists: dict[str, tuple[Value, ...]] = {}

    def bound(self, given: Mapping[str, object]) -> Bound:
        for name in given:
            if name not in self._arguments:
                self._unknown(name)
        for argument in self._arguments.values():
            if argument.name in given:
                self._take(argument, given[argument.name])
            elif isinstance(argument.type, Scalar) and argument.default is not None:
                self._scalars[argument.name] = argument.default.value
            elif not isinstance(argument.type, PropertyType):
                self._missing(argument)
        if self._problems:
            raise DiagnosticError(*self._problems)
        return Bound(self._scalars, self._arrays, self._updates, self._lists)

    def _take(self, argument: ir.Argument, value: object) -> None:
        name, graph = argument.name, self._graph
        try:
            match argument.type:
                case PropertyType() | SetType() if on_a_device(value):
                    self._arrays[name] = CallerArray(name, argument.type, value)
                case Scalar():
                    self._scalars[name] = scalar(value, argument.type, graph)
                case PropertyType():
                    self._arrays[name] = property_cells(value, argument.type, graph)
                case SetType():
                    self._arrays[name] = members(value, argument.type, graph)
                case ListType():
                    self._lists[name] = elements(value, argument.type, graph)
                case UpdatesType() if isinstance(value, str | PathLike):
                    self._updates[name] = read_updates(value, graph)
                case UpdatesType():
                    self._updates[name] = updates_from(value, graph)
                case _:
                    raise UnfitError("it cannot be given from outside the program")
        except UnfitError as unfit:
            called = isinstance(value, str) and graph.names.node_of(value) != NONE
            self._problems.append(_unfit(name, argument.type, unfit, called=called))
        except DiagnosticError as error:
            self._problems.extend(error.diagnostics)

    def _missing(self, argument: ir.Argument) -> None:
        message = f"'{self._module.entry}' needs the argument '{argument.name}', {_kind(argument.type)}"
        self._problems.append(Diagnostic("E0701", message, help=self._parameters()))

    def _unknown(self, name: str) -> None:
        if name in self._graphs:
            message = f"'{name}' is the graph itself and cannot be given as an argument"
            self._problems.append(Diagnostic("E0702", message, help=self._parameters()))
            return
        message = f"'{self._module.entry}' has no parameter '{name}'"
        suggestion = did_you_mean(name, [*self._arguments, *self._options])
        help = f"{suggestion} {self._parameters()}" if suggestion else self._parameters()
        self._problems.append(Diagnostic("E0702", message, help=help))

    def _parameters(self) -> str:
        words = signature(self._module)
        return f"its parameters are: {words}" if words else "it takes no arguments besides the graph"


def _from_text(name: str, text: str, kind: Type | None, graph: Graph) -> object:
    match kind:
        case SetType(member=element) | ListType(element=Scalar() as element):
            listed = Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text
            return _listed(listed, element, graph)
        case PropertyType() if text.startswith("@"):
            return property_in(text[1:], name, kind)
        case PropertyType():
            return parsed(text)
        case UpdatesType() if text.startswith("@"):
            return Path(text[1:])
        case UpdatesType():
            raise UnfitError(f"'{text}' does not name a file")
        case Scalar.NODE:
            return text
        case Scalar():
            return parsed(text)
        case _:
            return text


def _listed(text: str, kind: Scalar, graph: Graph) -> list[object]:
    """What words list. Names may hold blanks, so that only commas and line ends stand between them."""
    named = kind is Scalar.NODE and isinstance(graph.names, Labelled)
    words = filter(None, map(str.strip, re.split(r"[,\n]" if named else r"[,\s]", text)))
    return list(words) if kind is Scalar.NODE else [parsed(word) for word in words]


def _unreadable(name: str, text: str, error: OSError) -> Diagnostic:
    if text == "@":
        return Diagnostic("E0711", f"argument '{name}': '@' stands before the name of a file, and there is none")
    reason = (error.strerror or str(error)).lower()
    return Diagnostic("E0711", f"argument '{name}': {text[1:]} cannot be read: {reason}")


def _unfit(name: str, kind: Type, unfit: UnfitError, *, called: bool = False) -> Diagnostic:
    """What was given does not fit; `called` says that a node is called so."""
    code = "E0706" if unfit.out_of_range else "E0712"
    help = f"a parameter 'node {name}' takes what nodes are called" if called and kind in _NUMBERS else _hint(kind)
    return Diagnostic(code, f"argument '{name}', {_kind(kind)}: {unfit}", help=help)


_NUMBERS = (Scalar.INT, Scalar.LONG)


def _in_words(argument: ir.Argument) -> str:
    default = "" if argument.default is None else f" = {_spelt(argument.default.value)}"
    optional = " (may be left out)" if isinstance(argument.type, PropertyType) else ""
    return f"{argument.type} {argument.name}{default}{optional}"


def _spelt(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _kind(kind: Type) -> str:
    """The type with its article, as messages use it."""
    return f"{'an' if str(kind)[0] in 'aeiou' else 'a'} {kind}"


def _hint(kind: Type) -> str | None:
    match kind:
        case Scalar.NODE:
            return "a node is given by its id in the graph's file"
        case Scalar.BOOL:
            return "write true or false"
        case Scalar():
            return None
        case SetType():
            return "a set is given as a list of ids: 1,5,9 or @file on the command line"
        case ListType():
            return "a list is given as a sequence or an array: 1,5,9 or @file on the command line"
        case PropertyType():
            return (
                "a property is one value for all, an array with one for every node (or edge) in the graph's order, or "
                "values by id; on the command line @FILE (.csv, .npz, .npy, .parquet, .txt)"
            )
        case UpdatesType():
            return "updates are given as @FILE, lines 'a SOURCE DESTINATION' and 'd SOURCE DESTINATION'"
        case _:
            return None


FRACTION = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d+)?")
"""A word that is a number, but no integer."""


def form_for(
    forms: Sequence[typed.FunctionDefinition], graphs: Sequence[Graph], given: Mapping[str, object]
) -> typed.FunctionDefinition:
    """The first form whose integers meet no number with a fraction in the graphs' weights or the arguments, values or
    words as on a command line; else the last."""
    return next((form for form in forms if all(_takes(form, graph, given) for graph in graphs)), forms[-1])


def _takes(form: typed.FunctionDefinition, graph: Graph, given: Mapping[str, object]) -> bool:
    return not any(_is_whole(p) and _is_real(_meets(p, graph, given)) for p in form.parameters)


def _is_whole(parameter: typed.Symbol) -> bool:
    kind = parameter.type.element if isinstance(parameter.type, types.PropertyType) else parameter.type
    return isinstance(kind, types.Scalar) and kind.is_integer


def _meets(parameter: typed.Symbol, graph: Graph, given: Mapping[str, object]) -> Any:
    """What the parameter is given, None if nothing."""
    kind = parameter.type
    if parameter.name in given or not (isinstance(kind, types.PropertyType) and kind.carrier is types.Carrier.EDGE):
        return given.get(parameter.name)
    return graph.weights if parameter.name == ir.Origin.WEIGHT.value else None


def _is_real(value: Any) -> bool:
    if value is None:
        return False
    if isinstance(value, str):
        return FRACTION.fullmatch(value.strip()) is not None
    cells = list(value.values()) if isinstance(value, Mapping) else value
    return bool(np.dtype(getattr(cells, "dtype", None) or np.asarray(cells).dtype).kind == "f")
