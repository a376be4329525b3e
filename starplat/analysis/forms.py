"""Finds the functions of a program that may be run: those that no other calls, and whether they are forms of one."""

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import PropertyType, Scalar, Type
from starplat.same import remembered


def uncalled(program: typed.Program) -> tuple[typed.FunctionDefinition, ...]:
    """The functions that no other calls, in the order of the text."""
    called = {call.function for function in program.functions for call in walk.calls(function.body)}
    return tuple(function for function in program.functions if function.name not in called)


@remembered(256)
def forms(program: typed.Program) -> tuple[typed.FunctionDefinition, ...]:
    """The functions that no other calls, if there are several that differ in nothing but their types of numbers: the
    same algorithm for weights that are integers and for others. Of the same program they are found once."""
    found = uncalled(program)
    alike = all(_are_forms(found[0], other) for other in found[1:])
    different = len({tuple(p.type for p in function.parameters) for function in found}) == len(found)
    return found if len(found) > 1 and alike and different else ()


def _are_forms(one: typed.FunctionDefinition, other: typed.FunctionDefinition) -> bool:
    names = [[symbol.name for symbol in function.parameters] for function in (one, other)]
    pairs = zip(one.parameters, other.parameters, strict=False)
    return names[0] == names[1] and all(_alike(a.type, b.type) for a, b in pairs)


def _alike(one: Type, other: Type) -> bool:
    match one, other:
        case PropertyType(), PropertyType():
            return one.carrier is other.carrier and _alike(one.element, other.element)
        case Scalar(), Scalar():
            return one is other or (one.is_numeric and other.is_numeric)
    return one == other
