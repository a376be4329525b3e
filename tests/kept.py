"""What a compiler made for a test, built once for all tests and for the next run: in the cache of built kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from starplat.toolchain.cache import key_of, open_cache, private_folder, write_atomically

KIND = "tests"


def kept(build: Callable[[], bytes], *parts: str | bytes) -> bytes:
    """What `build` gives, which depends on `parts` alone; a build that raises is not kept."""
    return open_cache(KIND).get_or_build(key_of(*parts), build)[0]


def kept_file(name: str, build: Callable[[], bytes], *parts: str | bytes) -> Path | None:
    """The same in a file of that name in a folder of its own; None where there is no safe folder."""
    folder = private_folder()
    if folder is None:
        return None
    path = folder / KIND / key_of(*parts) / name
    if not path.exists():
        write_atomically(path, build())
    return path
