"""How two rows are intersected."""

from enum import Enum


class Meeting(Enum):
    """The ways to intersect two rows."""

    SEARCH = "numbers of one are searched in the other"
    MERGE = "both are gone through side by side"
    MARKS = "those of one have marks, which are looked for at the numbers of the other"
