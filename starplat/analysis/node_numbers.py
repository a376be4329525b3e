"""Finds the int and long parameters used as nodes: their arguments are node numbers, not ids.

A parameter is one if it is converted to a node where it is used, or handed to a function whose parameter is one, or is
a node. A copy of it, `int k = src;`, is not followed.
"""

from collections.abc import Iterator

from starplat.analysis.walk import all_values, written_places
from starplat.frontend import typed, types
from starplat.frontend.walk import statements, within
from starplat.same import remembered


@remembered(256)
def ints_taken_for_nodes(program: typed.Program, name: str) -> tuple[str, ...]:
    """The integer parameters of the function that stand for nodes, in order; of the same program found once."""
    function = next(function for function in program.functions if function.name == name)
    found = set(_taken(program, function))
    return tuple(symbol.name for symbol in function.parameters if symbol in found)


def _taken(program: typed.Program, function: typed.FunctionDefinition) -> Iterator[typed.Symbol]:
    for value in _values(function.body):
        for inner in within(value):
            match inner:
                case typed.Convert(typed.Variable(symbol), types.Scalar.NODE):
                    yield symbol
                case typed.Call():
                    yield from _handed_on(program, inner)


def _handed_on(program: typed.Program, call: typed.Call) -> Iterator[typed.Symbol]:
    """The arguments of the call for parameters that stand for nodes."""
    callee = next(function for function in program.functions if function.name == call.function)
    taken = ints_taken_for_nodes(program, call.function)
    for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
        if parameter.name in taken:
            if isinstance(argument, typed.Variable):
                yield argument.symbol
            elif isinstance(argument, typed.Symbol):
                yield argument


def _values(body: typed.Block) -> Iterator[typed.Expression]:
    """Every expression, also those that say which cell is written."""
    yield from all_values(body)
    for statement in statements(body):
        for place in written_places(statement):
            if isinstance(place, typed.Cell):
                yield place.index
