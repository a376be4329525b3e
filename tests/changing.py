"""Programs that differ from another in a few places."""

from __future__ import annotations


def changed(text: str, *changes: tuple[str, str]) -> str:
    """The text with each first string, which it has, replaced by the second wherever it stands."""
    for before, after in changes:
        assert before in text, f"the program has no {before!r}"
        text = text.replace(before, after)
    return text
