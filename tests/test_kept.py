"""Files that tests share are built once, and go when no test has used them for a day."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests import kept


def test_a_file_is_built_once_and_goes_when_it_is_no_longer_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "private_folder", lambda: tmp_path)
    built = list[str]()

    def file(text: str) -> Path:
        path = kept.kept_file("header", lambda: built.append(text) or text.encode(), text)
        assert path is not None
        assert path.read_bytes() == text.encode()
        return path

    old, used = file("old"), file("used")
    for path in (old, used):
        os.utime(path, (time.time() - 2 * kept.UNUSED_SECONDS,) * 2)
    file("used")
    file("new")
    assert built == ["old", "used", "new"]
    assert [path.exists() for path in (old, old.parent, used)] == [False, False, True]
