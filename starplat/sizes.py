"""Sizes in bytes as people write them: `4096`, `64M`, `12GiB`."""

import re

_UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("bytes", 1))


def size_in(text: str) -> int | None:
    """The bytes that a text tells, a number with K, M or G (powers of 1024) or without; None if it tells none."""
    found = re.fullmatch(r"\s*(\d{1,15})\s*([KMG]?)(i?B)?\s*", text, re.IGNORECASE)
    return None if found is None else int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2].upper()]


def in_words(size: int) -> str:
    """Bytes in the largest unit that they reach."""
    name, unit = next((row for row in _UNITS if size >= row[1]), _UNITS[-1])
    return f"{size} bytes" if unit == 1 else f"{size / unit:.1f} {name}"
