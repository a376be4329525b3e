"""A full disk costs what would have been kept, and no run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from starplat.diagnostics import DiagnosticError
from starplat.toolchain import cache, libraries
from starplat.toolchain.cache import CacheWarning, where_there_is_room
from starplat.toolchain.compilers import builds


@pytest.fixture
def full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Folders in which no byte can be written; the first is the cache's."""
    folders = [tmp_path / "cache"]
    usual_bytes, usual_text = Path.write_bytes, Path.write_text

    def check(path: Path) -> None:
        if any(folder in path.parents for folder in folders):
            raise cache.no_room()

    def write_bytes(path: Path, content: bytes) -> int:
        check(path)
        return usual_bytes(path, content)

    def write_text(path: Path, content: str, **how: str) -> int:
        check(path)
        return usual_text(path, content, **how)

    def write_atomically(path: Path, content: bytes) -> None:
        check(path)
        raise AssertionError("nothing else is kept here")

    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(folders[0]))
    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    monkeypatch.setattr(Path, "write_text", write_text)
    monkeypatch.setattr(cache, "write_atomically", write_atomically)
    return folders


TEXT = 'extern "C" int answer() { return 42; }\n'


def test_kernels_are_built_and_loaded_where_there_is_room(full: list[Path]) -> None:
    if not builds("openmp"):
        pytest.skip("no g++ is here")
    with pytest.warns(CacheWarning, match="could not be kept"):
        library, cached = libraries.open_library(builds("openmp")[0], TEXT)
    assert library.answer() == 42
    assert not cached


def test_no_room_anywhere_is_said_as_such(full: list[Path]) -> None:
    full.append(Path("/"))
    with pytest.raises(DiagnosticError, match="there is no room for files") as caught:
        where_there_is_room(lambda folder: (folder / "kernels.cpp").write_text(TEXT))
    assert caught.value.diagnostics[0].code == "E0921"


def test_a_library_that_does_not_load_is_not_taken_for_a_full_disk() -> None:
    with pytest.raises(DiagnosticError) as caught:
        libraries._opened(b"no library")
    assert caught.value.diagnostics[0].code == "E0909"


def test_what_a_driver_prints_while_it_compiles_is_seen_only_if_asked_for(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from starplat.toolchain.opencl import opencl, quiet_build

    pytest.importorskip("pyopencl")
    opencl()

    class Remarking:
        devices = ("device",)

        def build(self, flags: str) -> str:
            os.write(2, b"1 warning generated.\n")
            return flags

        def get_build_info(self, device: str, what: object) -> str:
            return "a loop was unrolled"

    monkeypatch.delenv("STARPLAT_VERBOSE", raising=False)
    assert quiet_build(Remarking(), "-flag") == "-flag"
    assert capfd.readouterr().err == ""
    monkeypatch.setenv("STARPLAT_VERBOSE", "1")
    quiet_build(Remarking(), "-flag")
    assert capfd.readouterr().err == "1 warning generated.\na loop was unrolled\n"
