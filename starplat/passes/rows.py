"""Host operations as a flat list, with marks for grouping blocks, so that a pass can move operations between these."""

from collections.abc import Iterable
from dataclasses import dataclass

from starplat.ir import nodes as ir
from starplat.source import Span


@dataclass(frozen=True, slots=True)
class Begin:
    """Where a block begins."""

    span: Span


@dataclass(frozen=True, slots=True)
class End:
    """Where the innermost open block ends."""


Row = list[ir.HostOp | Begin | End]


def opened(ops: Iterable[ir.HostOp]) -> Row:
    """The operations with all blocks opened."""
    row: Row = []
    for op in ops:
        row += [Begin(op.span), *opened(op.body), End()] if isinstance(op, ir.HostBlock) else [op]
    return row


def closed(row: Row) -> tuple[ir.HostOp, ...]:
    """The operations in their blocks; empty blocks vanish."""
    levels: list[tuple[Span | None, list[ir.HostOp]]] = [(None, [])]
    for item in row:
        match item:
            case Begin(span):
                levels.append((span, []))
            case End():
                span_of, body = levels.pop()
                assert span_of is not None
                levels[-1][1].extend([ir.HostBlock(tuple(body), span_of)] if body else [])
            case _:
                levels[-1][1].append(item)
    return tuple(levels[0][1])
