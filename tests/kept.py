"""What a compiler made for a test, built once for all tests and for the next run: in the cache of built kernels."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from starplat.toolchain.cache import key_of, open_cache, private_folder, write_atomically

KIND = "tests"
UNUSED_SECONDS = 24 * 60 * 60
"""Files that no test has asked for as long are removed: a compiled header takes 90 MB, and each change makes others."""


def kept(build: Callable[[], bytes], *parts: str | bytes) -> bytes:
    """What `build` gives, which depends on `parts` alone; a build that raises is not kept."""
    return open_cache(KIND).get_or_build(key_of(*parts), build)[0]


def kept_file(name: str, build: Callable[[], bytes], *parts: str | bytes) -> Path | None:
    """The same in a file of that name in a folder of its own; None where there is no safe folder. Where one is built,
    those of that name that are no longer used go."""
    folder = private_folder()
    if folder is None:
        return None
    path = folder / KIND / key_of(*parts) / name
    try:
        os.utime(path)  # it is used
    except FileNotFoundError:
        write_atomically(path, build())
        _remove_unused(folder / KIND, name)
    return path


def _remove_unused(folder: Path, name: str) -> None:
    for path in folder.glob(f"*/{name}"):
        with suppress(OSError):  # another run removes it too
            if path.stat().st_mtime < time.time() - UNUSED_SECONDS:
                path.unlink()
                path.parent.rmdir()
