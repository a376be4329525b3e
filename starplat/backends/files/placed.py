"""What emitted programs need whose arcs lie on the device as far as a limit leaves room: the size of all else, and the
heads of rows."""

from collections.abc import Iterable
from dataclasses import replace

from starplat.backends.host.words import size_of
from starplat.backends.uses import changed_arrays
from starplat.ir import nodes as ir
from starplat.ir.launches import calls_in
from starplat.ir.visitor import only_copied
from starplat.schedule.memory.heads import heads_in_program


def room_options(module: ir.Module) -> list[str]:
    """The option of a limit, in a program that takes one, as an element of the C++ list of options; as no parameter of
    a program has a hyphen, its name is free."""
    if not (module.on_demand or is_in_chunks(module)):
        return []
    arcs = "no" if module.on_demand else "all"
    what = f"what the arrays may take of the device, such as 12G; {arcs} arcs if not given"
    return [f'{{"[--device-memory SIZE]", "{what}"}}']


def is_in_chunks(module: ir.Module) -> bool:
    """Whether the host copies rows to the device for each launch."""
    return any(kernel.chunks is not None for kernel in module.kernels)


def as_emitted(module: ir.Module, *, library: bool) -> ir.Module:
    """The module of a program, whose rows have heads on the device where that helps. A library is told of no limit, and
    reads all arcs in the host's memory."""
    if library:
        return replace(module, on_demand=False)
    return heads_in_program(module)


_ROWS = {ir.HEAD_OFFSETS: ir.CSR, ir.IN_HEAD_OFFSETS: ir.REVERSE}
_KINDS = {ir.HeadKind.FIRST: "first", ir.HeadKind.SHORT: "whole"}


def read_at_heads(module: ir.Module) -> dict[ir.Array, ir.Array]:
    """The arrays of arcs that the host has where the device has heads of rows, by the arrays of these."""
    found = {ir.HEAD_COLUMNS: ir.COLUMNS, ir.IN_HEAD_COLUMNS: ir.IN_COLUMNS}
    weights = (a for a in module.mapped if a.origin is ir.Origin.WEIGHT or a == ir.WEIGHTS)
    found |= {ir.HEAD_WEIGHTS[a.element]: a for a in weights if a.element in ir.HEAD_WEIGHTS}
    return {head: array for head, array in found.items() if head in module.graph_arrays}


def heads_of_graph(module: ir.Module) -> str | None:
    """What the heads of rows are made of, in C++; None if there are none."""
    if module.heads is None:
        return None
    sizes = dict.fromkeys((offsets for offsets in _ROWS if offsets in module.graph_arrays), 0)
    for head in read_at_heads(module):
        sizes[ir.IN_HEAD_OFFSETS if head == ir.IN_HEAD_COLUMNS else ir.HEAD_OFFSETS] += _cell(head)[1]
    rows = (f"{{host.{_ROWS[offsets].offsets.name}, {size}}}" for offsets, size in sizes.items())
    return f"room, {' + '.join(_terms(module.mapped))}, Heads::{_KINDS[module.heads]}, {{{', '.join(rows)}}}"


def head_cells(array: ir.Array, module: ir.Module) -> str | None:
    """What one of the arrays of heads is made of, in C++; None if it is none of them."""
    if array in _ROWS:
        return f"heads.begins(host.{_ROWS[array].offsets.name})"
    if (copied := read_at_heads(module).get(array)) is None:
        return None
    rows = ir.REVERSE if array == ir.IN_HEAD_COLUMNS else ir.CSR
    name = ir.WEIGHTS.name if copied.origin is ir.Origin.WEIGHT else copied.name
    return f"heads.copies(host.{rows.offsets.name}, host.{name})"


def size_of_others(module: ir.Module) -> list[str]:
    """The bytes of all arrays of a run that are neither placed nor copies in heads: terms of a sum in C++, with `host`
    for the graph."""
    changed = changed_arrays(module)
    parameters = module.function(module.entry).given_arrays
    kept = [array for array in parameters if array.origin is ir.Origin.WEIGHT and array in changed]
    far = only_copied(module).union(module.mapped)
    arrays = [array for array in (*module.graph_arrays, *parameters, *kept) if array not in far]
    made = (one.function for one in module.prepared)
    first = (module.entry, *(variant.function for variant in module.variants), *made)
    peaks = [_peak(module.function(name), module) for name in first]
    return _terms(arrays) + peaks[0] if len(peaks) == 1 else [*_terms(arrays), *_most(peaks)]


def chunks_of(module: ir.Module) -> str | None:
    """How many arcs there are copies of at a time, in C++; None in a program without such copies."""
    kernels = [kernel.chunks for kernel in module.kernels if kernel.chunks is not None]
    if not kernels:
        return None
    rows = dict.fromkeys(one.offsets for chunks in kernels if isinstance(chunks, ir.Chunks) for one in chunks.rows)
    entries = (module.entry, *(variant.function for variant in module.variants))
    cells = max(_copied_cells(module.function(name), module) for name in entries)
    return f"room_for_arcs(room, {cells}, host.num_arcs, {{{', '.join(f'&host.{array.name}' for array in rows)}}})"


def _copied_cells(function: ir.HostFunction, module: ir.Module) -> int:
    """The most bytes of an arc's copies that there are at one time."""
    own = sum(_cell(array)[1] for array in function.arrays if array.extent is ir.Extent.HEADS)
    return own + max((_copied_cells(module.function(name), module) for name in calls_in(function)), default=0)


def _peak(function: ir.HostFunction, module: ir.Module) -> list[str]:
    """The most that a function holds of its own at one time, and those that it calls."""
    return _terms(function.arrays) + _most(_peak(module.function(name), module) for name in sorted(calls_in(function)))


def _most(sums: Iterable[list[str]]) -> list[str]:
    """The largest of some sums."""
    found = list(dict.fromkeys(" + ".join(terms) for terms in sums if terms))
    return [f"std::max<long long>({{{', '.join(found)}}})"] if len(found) > 1 else found


def _terms(arrays: Iterable[ir.Array]) -> list[str]:
    """The bytes of arrays on the device, one term for those of one length."""
    sizes: dict[tuple[str, str], int] = {}
    for array in arrays:
        if array.origin is not ir.Origin.HOST and array.extent is not ir.Extent.HEADS:
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
