"""Functions that a call gives one property, set or scalar by reference for several parameters have a form of their own,
in which these are one parameter: all that follows takes parameters for different things.

    step(g, x, x);                                        step_1(g, x);
"""

from dataclasses import replace
from itertools import count
from typing import Any

from starplat.frontend import typed
from starplat.frontend.types import GraphType
from starplat.operators.canonical.rebuilding import rebuilt, substituted, with_fresh_symbols

_Alike = tuple[int, ...]
"""For each parameter the place of the first that is given the same."""


def with_forms_for_repeats(program: typed.Program) -> typed.Program:
    """The program with such forms; the same one if no call gives anything twice."""
    functions = list(program.functions)
    forms: dict[tuple[str, _Alike], str] = {}

    def change(part: Any) -> Any:
        if not isinstance(part, typed.Call) or function_of(part.function).updates:
            return None
        alike = _alike(part.arguments)
        if alike == tuple(range(len(alike))):
            return None
        if (part.function, alike) not in forms:
            names = {function.name for function in functions}
            name = next(name for n in count(1) if (name := f"{part.function}_{n}") not in names)
            functions.append(_form(function_of(part.function), alike, name))
            forms[part.function, alike] = name
        kept = tuple(rebuilt(a, change) for place, a in enumerate(part.arguments) if alike[place] == place)
        return replace(part, function=forms[part.function, alike], arguments=kept)

    def function_of(name: str) -> typed.FunctionDefinition:
        return next(function for function in functions if function.name == name)

    for place, _ in enumerate(functions):  # which grows meanwhile
        body = rebuilt(functions[place].body, change)
        if body is not functions[place].body:
            functions[place] = replace(functions[place], body=body)
    return replace(program, functions=tuple(functions)) if forms else program


def _alike(arguments: tuple[typed.Expression | typed.Symbol, ...]) -> _Alike:
    first: dict[typed.Symbol, int] = {}
    return tuple(
        first.setdefault(a, place) if isinstance(a, typed.Symbol) and not isinstance(a.type, GraphType) else place
        for place, a in enumerate(arguments)
    )


def _form(function: typed.FunctionDefinition, alike: _Alike, name: str) -> typed.FunctionDefinition:
    """The function with one parameter for those that are given the same."""
    kept = {place: replace(function.parameters[place]) for place in dict.fromkeys(alike)}
    names = {parameter: kept[first] for parameter, first in zip(function.parameters, alike, strict=True)}
    body = with_fresh_symbols(substituted(function.body, names), (function.body,))
    defaults = tuple(function.defaults[place] for place in kept)
    return replace(function, name=name, parameters=tuple(kept.values()), defaults=defaults, body=body)
