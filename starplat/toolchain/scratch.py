"""Folders for short-lived files; if a disk is full, elsewhere.

They go to our folder in the user's cache or to the system's temporary folder, and to memory (/dev/shm) at last.
"""

import errno
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.toolchain.cache import private_folder

MEMORY = Path("/dev/shm")
Answer = TypeVar("Answer")


def no_room() -> OSError:
    """What a disk says that is full."""
    return OSError(errno.ENOSPC, "No space left on device")


def where_there_is_room(work: Callable[[Path], Answer]) -> Answer:
    """What `work` gives in a folder of its own, which is gone afterwards: the first in which files can be written.
    Raises E0921: there is no such folder."""
    tried = []
    for parent in _parents():
        try:
            with tempfile.TemporaryDirectory(prefix=".starplat-", dir=parent, ignore_cleanup_errors=True) as folder:
                return work(Path(folder))
        except OSError as error:
            if error.errno is None:  # a library that does not load, and not a file that cannot be written
                raise
            tried.append(f"{parent} ({(error.strerror or str(error)).lower()})")
    message = f"there is no room for files that kernels are built from: {', '.join(tried) or 'no folder'}"
    help = "free some space, or name a folder with room in TMPDIR"
    raise DiagnosticError(Diagnostic("E0921", message, help=help))


def _parents() -> Iterator[Path]:
    if (ours := private_folder()) is not None:
        yield ours
    with suppress(FileNotFoundError):  # it looks whether files can be written there
        yield Path(tempfile.gettempdir())
    if MEMORY.is_dir():
        yield MEMORY
