"""The cache of built kernels: bytes by key, in a folder that is the user's alone.

An entry appears whole or not at all (it is written beside its place and renamed), carries a checksum, and is forgotten
when the checksum is wrong. A folder that others could write to is not used. Contents are opaque bytes.
"""

import errno
import hashlib
import os
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from platformdirs import user_cache_path

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.whole_files import replacing

FOLDER_VARIABLE = "STARPLAT_CACHE_DIR"
LOCK_SECONDS = 120
_MAGIC = b"starplat1\n"
_DIGEST = hashlib.sha256().digest_size
T = TypeVar("T")


class CacheWarning(UserWarning):
    """The cache is not used, and why."""


@dataclass(frozen=True, slots=True)
class Cache:
    """Entries of one kind in `folder`; without a folder nothing is kept."""

    folder: Path | None

    def get(self, key: str) -> bytes | None:
        """What was put under `key`, or None; a damaged entry is removed."""
        if (path := self._path(key)) is None:
            return None
        try:
            content = path.read_bytes()
        except OSError:
            return None
        payload = content[len(_MAGIC) + _DIGEST :]
        if content != _sealed(payload):
            self.forget(key)
            return None
        return payload

    def put(self, key: str, payload: bytes) -> None:
        """Keeps `payload`; a full disk or a read-only folder costs the entry, not the run."""
        if (path := self._path(key)) is None:
            return
        try:
            write_atomically(path, _sealed(payload))
        except OSError as error:
            warnings.warn(f"what was built could not be kept in {path.parent}: {error}", CacheWarning, stacklevel=2)

    def get_or_build(self, key: str, build: Callable[[], bytes]) -> tuple[bytes, bool]:
        """The entry, built by the first process while others wait for it, and whether it was cached."""

        def twice() -> tuple[bytes, bytes]:
            made = build()
            return made, made

        return self.load_or_build(key, lambda entry: entry, twice)

    def load_or_build(
        self, key: str, load: Callable[[bytes], T | None], build: Callable[[], tuple[T, bytes]]
    ) -> tuple[T, bool]:
        """The result of `load` on the entry, as in `get_or_build`; an entry that cannot be loaded is dropped. `build`
        gives its result and the entry to keep."""
        if (found := self._loaded(key, load)) is not None:
            return found, True
        with self.locked(key):
            if (found := self._loaded(key, load)) is not None:
                return found, True
            made, entry = build()
            self.put(key, entry)
            return made, False

    def _loaded(self, key: str, load: Callable[[bytes], T | None]) -> T | None:
        if (entry := self.get(key)) is None:
            return None
        if (made := load(entry)) is None:
            self.forget(key)
        return made

    def forget(self, key: str) -> None:
        """Removes an entry that turned out to be of no use; one that cannot be removed is overwritten, or stays."""
        if (path := self._path(key)) is not None:
            with suppress(OSError):
                path.unlink()

    @contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Holds the entry's lock. Building twice is harmless, so a lock is not waited for forever."""
        from filelock import FileLock, Timeout as LockTimeout

        if (path := self._path(key)) is None:
            yield
            return
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(path.with_suffix(".lock"))
            lock.acquire(timeout=LOCK_SECONDS)
        except (OSError, LockTimeout):
            yield
            return
        try:
            yield
        finally:
            lock.release()

    def _path(self, key: str) -> Path | None:
        return None if self.folder is None else self.folder / key[:2] / key


def key_of(*parts: str | bytes) -> str:
    """One key for all that a build depends on; our own version is always part of it."""
    digest = hashlib.sha256()
    for part in (_own_version(), *parts):
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def open_cache(kind: str) -> Cache:
    """The cache for one kind of entry ("opencl"), or one that keeps nothing where there is no safe folder."""
    folder = private_folder()
    return Cache(None if folder is None else folder / kind)


def private_folder() -> Path | None:
    """Our folder in the user's cache, made if need be with mode 0700; None, with a warning, where it is not safe.
    Raises E0905: the folder that STARPLAT_CACHE_DIR names is not safe."""
    wanted = os.environ.get(FOLDER_VARIABLE)
    return _checked_folder(str(wanted_folder()), bool(wanted))


def wanted_folder() -> Path:
    """Where the cache is to be: what STARPLAT_CACHE_DIR names, else our folder in the user's cache."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(os.path.expanduser(named or user_cache_path("starplat", appauthor=False))).absolute()


@cache
def _checked_folder(name: str, wanted: bool) -> Path | None:
    folder = Path(name)
    if (fault := fault_of(folder)) is None:
        return folder
    message = f"the cache folder {folder} {fault}"
    if wanted:
        help = f"name a folder of your own in {FOLDER_VARIABLE}, or unset it"
        raise DiagnosticError(Diagnostic("E0905", message, help=help), exit_code=ExitCode.WRONG_INPUT)
    warnings.warn(f"{message}; kernels are built anew every time", CacheWarning, stacklevel=3)
    return None


@dataclass(frozen=True, slots=True)
class CacheState:
    """What `starplat doctor` says of the cache: `fault` is None where it is in use; `size` in bytes."""

    folder: Path
    fault: str | None
    entries: int
    size: int


def cache_state() -> CacheState:
    folder = wanted_folder()
    fault = fault_of(folder)
    sizes = [] if fault else list(_sizes(folder))
    return CacheState(folder, fault, len(sizes), sum(sizes))


def _sizes(folder: Path) -> Iterator[int]:
    """Of every file; what vanishes meanwhile, or cannot be read, does not count."""
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                yield os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue


def fault_of(folder: Path) -> str | None:
    """What is wrong with the folder; it is made where it is missing."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as error:
        return f"cannot be made ({(error.strerror or str(error)).lower()})"
    if not stat.S_ISDIR(status.st_mode):
        return "is not a folder"
    if hasattr(os, "getuid") and status.st_uid != os.getuid():
        return "belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be written by other users"
    if not os.access(folder, os.W_OK | os.X_OK):
        return "cannot be written"
    return None


def write_atomically(path: Path, content: bytes) -> None:
    """Makes `path` hold `content` in one step; an interruption leaves no trace at `path`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def _sealed(payload: bytes) -> bytes:
    return _MAGIC + hashlib.sha256(payload).digest() + payload


@cache
def _own_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("starplat")
    except PackageNotFoundError:
        return "source"


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
