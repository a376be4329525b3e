"""A program as a tree of statements in text form, which can be printed and from which statements can be taken out.

A piece is a line, or heads with the blocks that they open (`if (…) {`, `} else {`) and a tail. `smaller` gives every
tree that has one piece less, or a piece's block in its place; it knows nothing of the language, so that most of them
mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Block = tuple["Piece", ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement. A line has one head and no blocks."""

    heads: tuple[str, ...]
    blocks: tuple[Block, ...] = ()
    tail: str = "}"

    def lines(self, indent: str = "") -> Iterator[str]:
        """The text."""
        if not self.blocks:
            yield indent + self.heads[0]
            return
        for head, block in zip(self.heads, self.blocks, strict=True):
            yield indent + head
            for piece in block:
                yield from piece.lines(indent + "  ")
        yield indent + self.tail

    def smaller(self) -> Iterator[tuple[Piece, ...]]:
        """What may stand for the piece: nothing, its blocks' contents, fewer branches, smaller blocks."""
        yield ()
        for block in self.blocks:
            yield block
        if len(self.blocks) > 1 and self.tail == "}":
            yield (Piece(self.heads[:1], self.blocks[:1]),)
        for position, block in enumerate(self.blocks):
            for less in smaller(block):
                yield (Piece(self.heads, (*self.blocks[:position], less, *self.blocks[position + 1 :]), self.tail),)


def line(text: str) -> Piece:
    """A statement without blocks."""
    return Piece((text,))


def nest(head: str, block: list[Piece], *more: tuple[str, list[Piece]], tail: str = "}") -> Piece:
    """A statement with blocks."""
    return Piece((head, *(h for h, _ in more)), (tuple(block), *(tuple(b) for _, b in more)), tail)


def smaller(block: Block) -> Iterator[Block]:
    """Blocks with one piece less, or one piece made smaller: large cuts first."""
    size = len(block) // 2
    while size > 1:
        for start in range(0, len(block), size):
            yield (*block[:start], *block[start + size :])
        size //= 2
    for position in range(len(block)):
        for less in block[position].smaller():
            yield (*block[:position], *less, *block[position + 1 :])


def text_of(block: Block) -> str:
    """The program's text."""
    return "\n".join(text for piece in block for text in piece.lines()) + "\n"
