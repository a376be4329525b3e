"""What emitted programs need whose arcs lie on the device as far as a limit leaves room: the size of all else."""

from collections.abc import Iterable
from dataclasses import replace

from starplat.backends.c.set_uses import changed_arrays
from starplat.backends.host.words import size_of
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host

OPTION = '{"[--device-memory SIZE]", "what the arrays may take of the device, such as 12G; no arcs if not given"}'
"""As an element of the C++ list of options; as no parameter of a program has a hyphen, its name is free."""


def limited_by_nothing(module: ir.Module) -> ir.Module:
    """The module of a library, which is told of no limit: it reads all arcs in the host's memory."""
    return replace(module, on_demand=False)


def size_of_others(module: ir.Module) -> list[str]:
    """The bytes of all arrays of a run that are not placed: terms of a sum in C++, with `host` for the graph."""
    changed = changed_arrays(module)
    parameters = [p.what for p in module.function(module.entry).parameters if isinstance(p.what, ir.Array)]
    kept = [array for array in parameters if array.origin is ir.Origin.WEIGHT and array in changed]
    arrays = [array for array in (*module.graph_arrays, *parameters, *kept) if array not in module.mapped]
    made = (one.function for one in module.prepared)
    first = (module.entry, *(variant.function for variant in module.variants), *made)
    peaks = [_peak(module.function(name), module) for name in first]
    return _terms(arrays) + peaks[0] if len(peaks) == 1 else [*_terms(arrays), *_most(peaks)]


def _peak(function: ir.HostFunction, module: ir.Module) -> list[str]:
    """The most that a function holds of its own at one time, and those that it calls."""
    called = {op.function for op in walk_host(function.body) if isinstance(op, ir.HostCall)}
    return _terms(function.arrays) + _most(_peak(module.function(name), module) for name in sorted(called))


def _most(sums: Iterable[list[str]]) -> list[str]:
    """The largest of some sums."""
    found = list(dict.fromkeys(" + ".join(terms) for terms in sums if terms))
    return [f"std::max<long long>({{{', '.join(found)}}})"] if len(found) > 1 else found


def _terms(arrays: Iterable[ir.Array]) -> list[str]:
    """The bytes of arrays on the device, one term for those of one length."""
    sizes: dict[tuple[str, str], int] = {}
    for array in arrays:
        if array.origin is not ir.Origin.HOST:
            unit, count = _cell(array)
            key = unit, size_of(array, "host")
            sizes[key] = sizes.get(key, 0) + count
    return [f"{count}LL * {unit}({cells})" for (unit, cells), count in sizes.items()]


def _cell(array: ir.Array) -> tuple[str, int]:
    """The bytes of a cell: so many times a factor."""
    if array.packed is None and array.element is ir.Element.ARC:
        return "(int)sizeof(arc_t) * ", 1
    eight = array.element in (ir.Element.LONG, ir.Element.DOUBLE)
    return "", 1 if array.element is ir.Element.BOOL and array.packed is None else 8 if eight else 4
