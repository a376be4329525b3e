"""Comments and blank lines of a text, which the tree does not hold, handed out in order."""

import re
from dataclasses import dataclass

from starplat.source import Span


@dataclass
class Trivia:
    """The comments not yet written, and where the text had blank lines."""

    text: str
    waiting: list[Span]

    def __post_init__(self) -> None:
        self.waiting.reverse()

    def before(self, position: int) -> list[Span]:
        """Takes the comments that start before `position`."""
        taken = []
        while self.waiting and self.waiting[-1].start < position:
            taken.append(self.waiting.pop())
        return taken

    def beside(self, position: int) -> list[Span]:
        """Takes the comments that follow `position` on its line, nothing but blanks between."""
        taken: list[Span] = []
        while self.waiting and self.waiting[-1].start >= position:
            gap = self.text[position : self.waiting[-1].start]
            if gap.strip(" \t"):
                break
            taken.append(self.waiting.pop())
            position = taken[-1].end
        return taken

    def spelling(self, comment: Span) -> str:
        lines = re.split(r"\r\n|\r|\n", self.text[comment.start : comment.end])
        return "\n".join(line.rstrip() for line in lines)

    def blank_before(self, position: int) -> bool:
        """Whether a blank line stands directly before `position`."""
        start = position
        while start and self.text[start - 1].isspace():
            start -= 1
        return len(re.findall(r"\r\n|\r|\n", self.text[start:position])) > 1
