"""How much memory the host has left: what the system says, and what control groups (containers) allow of it."""

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from time import monotonic

PROC = Path("/proc")
GROUPS = Path("/sys/fs/cgroup")


READ_AGAIN = 0.02
"""Seconds for which a reading is good: a run asks several times, and files of the system take longer than a round."""


def host_memory() -> int | None:
    """Bytes of memory that the host has left for this process, at most 20 ms ago; None if unknown."""
    return _read(PROC, GROUPS, int(monotonic() / READ_AGAIN))


@lru_cache(maxsize=1)
def _read(_proc: Path, _groups: Path, _when: int) -> int | None:
    """What the system and the groups say; the arguments tell one reading from the next."""
    return min((room for room in (_of_system(), *_of_groups()) if room is not None), default=None)


def at_most_host_memory(left: int) -> int:
    """The free memory of a device that lives in the host's memory."""
    host = host_memory()
    return left if host is None else min(left, host)


def _of_system() -> int | None:
    try:
        for line in (PROC / "meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (OSError, ValueError, AttributeError):
        return None


def _of_groups() -> Iterator[int]:
    """What the process's group and those around it leave, as far as they have limits: version 2, then version 1."""
    try:
        lines = (PROC / "self/cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes") if controllers else ("memory.max", "memory.current")
        top = GROUPS / "memory" if controllers else GROUPS
        below = Path(path.lstrip("/"))
        for folder in (top / below, *(top / parent for parent in below.parents)):
            if (room := _left(folder, *names)) is not None:
                yield room


def _left(folder: Path, limit: str, usage: str) -> int | None:
    """The bytes between a group's limit and its usage; pages of files that it can drop count as free. None where it has
    no limit or is not to be seen from here."""
    try:
        most, used = int((folder / limit).read_text()), int((folder / usage).read_text())
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return None
    return max(most - used + int(stat.get("inactive_file", 0)), 0)
