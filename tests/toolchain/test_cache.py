"""The cache keeps what it is given, whole or not at all, in a folder that is the user's alone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from starplat.diagnostics import DiagnosticError
from starplat.toolchain.cache import (
    FOLDER_VARIABLE,
    Cache,
    CacheWarning,
    _checked_folder,
    key_of,
    open_cache,
    private_folder,
    wanted_folder,
    write_atomically,
)
from starplat.whole_files import mode_of_new


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    own = tmp_path / "a cache with 'quotes'"
    monkeypatch.setenv(FOLDER_VARIABLE, str(own))
    yield own
    _checked_folder.cache_clear()


def test_what_is_put_is_found(folder: Path) -> None:
    cache = open_cache("things")
    key = key_of("text", "flags")
    assert cache.get(key) is None
    cache.put(key, b"binary")
    assert cache.get(key) == b"binary"
    assert cache.get_or_build(key, lambda: b"other") == (b"binary", True)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_keys_depend_on_every_part_and_on_where_it_ends() -> None:
    assert len({key_of("ab", "c"), key_of("a", "bc"), key_of("abc"), key_of("ab", "c", "")}) == 4


@pytest.mark.parametrize("damage", [b"", b"starplat1\n", b"short", None])
def test_a_damaged_entry_is_forgotten(folder: Path, damage: bytes | None) -> None:
    cache = open_cache("things")
    key = key_of("x")
    cache.put(key, b"binary")
    (path,) = (p for p in folder.rglob("*") if p.is_file() and p.suffix != ".lock")
    path.write_bytes(path.read_bytes()[:-1] if damage is None else damage)
    assert cache.get(key) is None
    assert not path.exists()
    assert cache.get_or_build(key, lambda: b"again") == (b"again", False)


def test_an_entry_of_which_nothing_can_be_made_is_built_again(folder: Path) -> None:
    cache = open_cache("things")
    cache.put(key_of("x"), b"not a number")

    def number(entry: bytes) -> int | None:
        return int(entry) if entry.isdigit() else None

    assert cache.load_or_build(key_of("x"), number, lambda: (7, b"7")) == (7, False)
    assert cache.load_or_build(key_of("x"), number, lambda: (8, b"8")) == (7, True)


def test_the_home_of_nobody_is_a_folder_like_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(FOLDER_VARIABLE, "~nobody-is-called-so/cache")
    assert wanted_folder() == tmp_path / "~nobody-is-called-so" / "cache"


def test_an_interrupted_write_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(folder / "entry", b"content")
    assert list(folder.iterdir()) == []


def test_threads_that_ask_for_the_mode_of_new_files_leave_the_mask_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    mask, change, found = os.umask(0o027), os.umask, list[int]()

    def slow(mask: int) -> int:
        before = change(mask)
        time.sleep(0.05)
        return before

    monkeypatch.setattr(os, "umask", slow)
    threads = [Thread(target=lambda: found.append(mode_of_new())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert change(mask) == 0o027
    assert found == [0o640] * 3


@pytest.mark.skipif(os.name == "nt", reason="folders have no POSIX modes here")
def test_a_folder_that_others_may_write_is_refused(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(DiagnosticError, match=r"E0905.*can be written by other users"):
        private_folder()


@pytest.mark.skipif(os.name == "nt", reason="folders have no POSIX modes here")
def test_an_unsafe_default_folder_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = tmp_path / "starplat"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr("starplat.toolchain.cache.user_cache_path", lambda *_, **__: shared)
    with pytest.warns(CacheWarning, match="can be written by other users"):
        assert private_folder() is None
    assert Cache(None).get_or_build("key", lambda: b"built") == (b"built", False)
    assert list(shared.iterdir()) == []
    _checked_folder.cache_clear()


def test_two_processes_that_build_at_once_both_succeed(folder: Path, tmp_path: Path) -> None:
    program = (
        "import time; from starplat.toolchain.cache import open_cache\n"
        "def build(): time.sleep(0.3); print('built'); return b'binary'\n"
        "assert open_cache('things').get_or_build('00key', build)[0] == b'binary'"
    )
    processes = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert "".join(outputs).count("built") == 1
