"""`doctor`: what works, what is missing and the command that mends it, and the exit code says if any works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from starplat.runtime import everywhere
from starplat.toolchain import devices, tools
from starplat.toolchain.cache import cache_state
from starplat.toolchain.description import DeviceDescription
from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]


def test_doctor_says_of_every_device_whether_it_works(starplat: Starplat) -> None:
    found = starplat("doctor", "--json").json
    assert found["schema"] == 1
    assert {device["target"] for device in found["devices"]} == set(devices.REPORTS)
    assert next(d for d in found["devices"] if d["target"] == "reference")["works"]
    assert all(device["works"] for device in found["devices"] if device["index"] is not None)


def test_exit_code_3_where_only_the_interpreter_works(starplat: Starplat, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = DeviceDescription("opencl", None, "-", "-", 0, 0, "no OpenCL runtime is installed", "pip install some")
    present = {"opencl": (missing,), "reference": devices.report("reference")}
    monkeypatch.setattr(everywhere, "report", lambda target: present.get(target, ()))
    outcome = starplat("doctor")
    assert outcome.code == 3
    assert "no OpenCL runtime is installed" in outcome.out
    assert "  pip install some\n" in outcome.out
    assert "no device works here" in outcome.err
    assert starplat("doctor", "--json").json["healthy"] is False


def test_compilers_are_found_with_their_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, said in (
        ("nvcc", "Cuda compilation tools, release 13.0, V13.0.88"),
        ("g++", "g++ (Debian 12.2.0-14) 12.2.0"),
    ):
        script = tmp_path / name
        script.write_text(f"#!/bin/sh\necho 'copyright 2026'\necho '{said}'\n", encoding="utf-8")
        script.chmod(0o755)
    broken = tmp_path / "icpx"
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {tool.name: tool for tool in tools.tools()}
    assert found["nvcc"].version == "13.0.88"
    assert found["g++"].version == "12.2.0"
    assert (found["icpx"].path, found["icpx"].version) == (str(broken), None)
    assert found["hipcc"].path is None


def test_the_cache_is_described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setenv("STARPLAT_CACHE_DIR", str(folder))
    assert (cache_state().entries, cache_state().fault) == (0, None)
    (folder / "entry").write_bytes(b"12345")
    assert (cache_state().entries, cache_state().size) == (1, 5)
    folder.chmod(0o777)
    assert cache_state().fault == "can be written by other users"
