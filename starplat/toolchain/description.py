"""The row of `starplat devices` for one device of one target."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeviceDescription:
    """One device of one target. `index` is what `--device` takes, None for what cannot be used; `memory` in bytes."""

    target: str
    index: int | None
    name: str
    driver: str
    compute_units: int
    memory: int
    status: str = "ready"
    mend: str | None = None
    is_gpu: bool = False

    @property
    def usable(self) -> bool:
        """Whether programs can run on it."""
        return self.index is not None


def in_brief(error: Exception) -> str:
    """The relevant line of an import's or driver's error, which may be a page."""
    lines = [" ".join(line.split()) for line in str(error).splitlines()]
    worded = [line for line in lines if any(map(str.isalpha, line))]
    causes = (line for line in worded if re.match(r"\w*(Error|Exception): ", line))
    return next(causes, worded[0] if worded else type(error).__name__)


def missing(target: str, status: str, mend: str | None) -> DeviceDescription:
    """The row of a target that has no device here."""
    return DeviceDescription(target, None, "-", "-", 0, 0, status, mend)
