"""Writes files whole: an interruption leaves the old file or the new one; what cannot be written is known before."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

NO_FILE = "it is a pipe or a device"
"""Why something is not replaced that is neither a file nor a folder."""
_MASK = Lock()
"""Held while the mask of permissions, which is read by changing it, is another: a second thread would keep that one."""


@contextmanager
def replacing(destination: Path, mode: int | None = None, suffix: str = ".part") -> Iterator[Path]:
    """A path beside the destination to write to, which takes its place if the block ends well; by default for the user
    alone, else with permissions `mode`. Raises OSError."""
    handle, name = tempfile.mkstemp(prefix=f".{destination.name[:64]}.", suffix=suffix, dir=destination.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(destination)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def mode_of_new() -> int:
    """The permissions that a new file gets."""
    with _MASK:
        mask = os.umask(0o077)  # a file that another thread makes meanwhile is for the user alone
        os.umask(mask)
    return 0o666 & ~mask


def why_not_writable(destination: Path) -> str | None:
    """Why no file can be written there, as a part of a sentence; None if it can. Raises OSError, ValueError or
    RuntimeError: the system refuses to tell."""
    place = destination.resolve()
    if place.is_dir():
        return "it is a folder"
    if place.exists() and not place.is_file():
        return NO_FILE
    if not place.parent.is_dir():
        return f"there is no folder {destination.parent}"
    return None if os.access(place.parent, os.W_OK | os.X_OK) else "permission denied"
