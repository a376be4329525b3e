"""The kinds of device that kernels can be scheduled for; what a target can do on each is for the target to say."""

from enum import Enum


class Processor(Enum):
    """What runs kernels."""

    GPU = "gpu"
    CPU = "cpu"

    def __str__(self) -> str:
        """With its article, as sentences have it."""
        return f"a {self.name}"
