"""The kinds of device that kernels are scheduled for; a target tells its capabilities on each."""

from enum import Enum


class Processor(Enum):
    """A kind of device."""

    GPU = "gpu"
    CPU = "cpu"

    def __str__(self) -> str:
        """With its article, as sentences have it."""
        return f"a {self.name}"
