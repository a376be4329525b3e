"""Opens a graph file: decompresses it, peeks at its beginning, splits its text into pieces of whole lines.

Compression is known by its first bytes. The formats read from an `Input` and never open files themselves, so that every
way in which opening or unpacking can fail has its message here.
"""

import bz2
import codecs
import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Protocol, cast

from starplat.graph import errors

HEAD = 1 << 16
PIECE = 1 << 22
LONGEST_LINE = 1 << 30
"""Bytes of a line of neighbors: a node with a hundred million of them has such a one."""

LONGEST_ROW = PIECE
"""Bytes of a line that holds one arc, a header or a comment."""


class Progress(Protocol):
    """Hears how far a long reading is: `progress("reading roads.gr", bytes so far, bytes in all)`."""

    def __call__(self, stage: str, done: int, total: int, /) -> None: ...


def unheard(stage: str, done: int, total: int, /) -> None:
    """A `Progress` that is ignored."""


@dataclass(frozen=True, slots=True)
class Compression:
    """How a compressed file is known and unpacked; `damage` gives the exceptions that tell of a damaged one."""

    name: str
    suffix: str
    magic: bytes
    unpack: Callable[[IO[bytes]], IO[bytes]]
    damage: Callable[[], tuple[type[Exception], ...]] = lambda: (EOFError, OSError)


class _Zstandard(io.RawIOBase):
    """Unpacks frame after frame; unlike the library's own reader it notices when the last one is cut short."""

    def __init__(self, packed: IO[bytes]) -> None:
        from zstandard import ZstdDecompressor

        self._decompressor = ZstdDecompressor()
        self._packed = packed
        self._frame = self._decompressor.decompressobj()
        self._fed = False
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            block = self._frame.unused_data if self._frame.eof else b""
            block = block or self._packed.read(1 << 14)
            if not block:
                if self._fed and not self._frame.eof:
                    raise EOFError("the last frame is not complete")
                return 0
            if self._frame.eof:
                self._frame = self._decompressor.decompressobj()
            self._fed = True
            self._ready = self._frame.decompress(block)
        taken = self._ready[: len(buffer)]
        self._ready = self._ready[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def _unzstd(packed: IO[bytes]) -> IO[bytes]:
    return io.BufferedReader(_Zstandard(packed), PIECE)


def _zstd_damage() -> tuple[type[Exception], ...]:
    from zstandard import ZstdError

    return EOFError, OSError, ZstdError


def _unxz(packed: IO[bytes]) -> IO[bytes]:
    from lzma import LZMAFile

    return LZMAFile(packed)


def _xz_damage() -> tuple[type[Exception], ...]:
    from lzma import LZMAError

    return EOFError, OSError, LZMAError


def _gunzip(packed: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], gzip.GzipFile(fileobj=packed))


COMPRESSIONS = (
    Compression("gzip", ".gz", b"\x1f\x8b", _gunzip, lambda: (EOFError, OSError, zlib.error)),
    Compression("xz", ".xz", b"\xfd7zXZ\x00", _unxz, _xz_damage),
    Compression("bzip2", ".bz2", b"BZh", bz2.BZ2File),
    Compression("zstd", ".zst", b"\x28\xb5\x2f\xfd", _unzstd, _zstd_damage),
)


@dataclass(frozen=True)
class Input:
    """A file to read a graph from."""

    path: Path
    progress: Progress = field(default=unheard, compare=False)

    @property
    def shown(self) -> str:
        """What messages call the file."""
        return str(self.path)

    @cached_property
    def compression(self) -> Compression | None:
        """Which compression the first bytes tell, if any."""
        with self._file() as file:
            start = file.read(8)
        return next((c for c in COMPRESSIONS if start.startswith(c.magic)), None)

    @cached_property
    def name(self) -> str:
        """The file's name, lower case, without the compression's suffix."""
        name = self.path.name.lower()
        return name.removesuffix(self.compression.suffix) if self.compression else name

    @cached_property
    def size(self) -> int:
        """Bytes on disk."""
        return self.path.stat().st_size

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB of the content."""
        with self.open() as stream:
            return stream.read(HEAD)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The content, unpacked; errors of opening and of unpacking become diagnostics."""
        with self._file() as file, self._unpacking():
            yield self._content(file)

    def read(self, most: int | None = None) -> bytes:
        """The whole content.

        `most`: the bytes it may have, by default as many as half of the machine's memory; a small archive may hold more
        than that. Raises E0811: it has more.
        """
        allowed = memory() // 2 if most is None else most
        content = self.start(allowed + 1)
        if len(content) > allowed:
            raise errors.too_long(self.shown, allowed)
        return content

    def start(self, size: int) -> bytes:
        """The first `size` bytes of the content, or all of it."""
        blocks: list[bytes] = []
        with self.open() as stream:
            while size > 0 and (block := stream.read(min(size, PIECE))):
                blocks.append(block)
                size -= len(block)
        return b"".join(blocks)

    def lines(self, longest: int = LONGEST_ROW) -> Iterator[tuple[int, bytes]]:
        """Every line and its number, counted from 1, ends removed. Raises E0805: a line has more than `longest` bytes;
        it is not read further."""
        with self.open() as stream:
            for number, line in enumerate(iter(lambda: stream.readline(longest + 1), b""), 1):
                if len(line) > longest:
                    raise errors.endless(self.shown, number, longest)
                yield number, line.rstrip(b"\r\n")

    def pieces(self, skip_lines: int = 0, longest: int = LONGEST_ROW) -> "Iterator[Piece]":
        """The text in pieces of whole lines, after the first `skip_lines`. Raises E0805: a line has far more than
        `longest` bytes; it is not read further."""
        with self._file() as file, self._unpacking():
            stream = self._content(file)
            for _ in range(skip_lines):
                stream.readline(longest)
            yield from self._pieces(file, stream, skip_lines + 1, longest)

    def _pieces(self, file: IO[bytes], stream: IO[bytes], line: int, longest: int) -> "Iterator[Piece]":
        rest: list[bytes] = []
        held = 0
        while block := stream.read(PIECE):
            self.progress(f"reading {self.path.name}", min(file.tell(), self.size), self.size)
            cut = block.rfind(b"\n") + 1
            if not cut:
                rest.append(block)
                held += len(block)
                if held > longest:
                    raise errors.endless(self.shown, line, longest)
                continue
            text = b"".join([*rest, block[:cut]])
            yield Piece(text, line)
            line += text.count(b"\n")
            rest, held = [block[cut:]], len(block) - cut
        if last := b"".join(rest):
            yield Piece(last + b"\n", line)

    def _content(self, file: IO[bytes]) -> IO[bytes]:
        """What is in the file, unpacked, after the mark with which some programs begin UTF-8 text."""
        stream: Any = file if self.compression is None else self.compression.unpack(file)
        if stream.peek(len(codecs.BOM_UTF8))[: len(codecs.BOM_UTF8)] == codecs.BOM_UTF8:
            stream.read(len(codecs.BOM_UTF8))
        return cast(IO[bytes], stream)

    @contextmanager
    def _file(self) -> Iterator[IO[bytes]]:
        if self.path.is_dir():
            raise errors.cannot_open(self.shown, "it is a directory", "name the graph's file inside it")
        try:
            if self.path.exists() and not self.path.is_file():
                help = "a graph's file is read more than once: write it to a file first"
                raise errors.cannot_open(self.shown, "it is a pipe or a device", help)
            file = self.path.open("rb")
        except (OSError, ValueError) as error:
            raise errors.cannot_open(self.shown, (getattr(error, "strerror", None) or str(error)).lower()) from None
        with file:
            yield file

    @contextmanager
    def _unpacking(self) -> Iterator[None]:
        packed = self.compression
        try:
            yield
        except Exception as error:
            if packed is not None and isinstance(error, packed.damage()):
                raise errors.damaged_archive(self.shown, packed.name, str(error).lower()) from None
            if not isinstance(error, OSError):
                raise
            raise errors.cannot_open(self.shown, (error.strerror or str(error)).lower()) from None


@dataclass(frozen=True, slots=True)
class Piece:
    """Some whole lines; `line` is the number of the first one."""

    text: bytes
    line: int


def memory() -> int:
    """Bytes of the machine's memory; 16 GiB where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**34
