"""Transfers between host and device as rows of words, for one kernel and for a whole program.

What a program's parts read and write is known from its analysis; which words and cells cross is seen in the module, for
a launch that runs a whole loop brings back only what is asked for after it.
"""

from collections.abc import Iterable, Iterator, Sequence

from starplat.analysis.transfers import Region, Transfers
from starplat.ir import nodes as ir
from starplat.ir.visitor import blocks_of

Row = tuple[str, tuple[str, ...]]


def of_region(region: Region) -> list[Row]:
    """What a loop's kernel reads and writes."""
    rows = (("reads", region.reads), ("writes", region.writes))
    return [(title, tuple(symbol.name for symbol in symbols)) for title, symbols in rows if symbols]


def of_launch(kernels: Sequence[ir.Kernel], loop: ir.OnDevice | None) -> list[Row]:
    """The words that a launch brings back: of its kernels, or of the whole `loop` that they are parts of."""
    found = tuple(dict.fromkeys(reduction.variable.name for kernel in kernels for reduction in kernel.brought_back))
    if loop is None:
        rows = [("one word down a launch", found)]
    else:
        down = tuple(variable.name for variable in loop.outcomes)
        stays = tuple(name for name in found if name not in down)
        rows = [("one word down when the loop is over", down), ("words that stay on the device", stays)]
    return [row for row in rows if row[1]]


def of_program(transfers: Transfers, module: ir.Module) -> tuple[Row, ...]:
    """What the entry moves."""
    touched = list(_on_host(module.function(module.entry).body))
    read = dict.fromkeys(op.array.name for op in touched if isinstance(op, ir.ReadCell))
    written = dict.fromkeys(op.array.name for op in touched if isinstance(op, ir.WriteCell))
    rows = (
        ("up once: of the graph", transfers.graph),
        ("up if given", tuple(symbol.name for symbol in transfers.up)),
        ("up when changed", tuple(symbol.name for symbol in transfers.lists)),
        ("down if asked for", tuple(symbol.name for symbol in transfers.down)),
        ("stays on the device", tuple(symbol.name for symbol in transfers.resident)),
        ("cells that the host reads", tuple(read)),
        ("cells that the host writes", tuple(written)),
    )
    return tuple((title, names) for title, names in rows if names)


def _on_host(ops: Iterable[ir.HostOp]) -> Iterator[ir.HostOp]:
    """The operations, those in blocks too, but for what a launch takes over."""
    for op in ops:
        yield op
        if not isinstance(op, ir.OnDevice):
            for block in blocks_of(op):
                yield from _on_host(block)
