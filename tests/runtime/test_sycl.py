"""SYCL devices are found, what was built once is kept, and what is missing or fails says what helps."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.ir import nodes as ir
from starplat.runtime.devices.device import LaunchSize
from starplat.runtime.devices.sycl import SyclDevice
from starplat.runtime.session import default_session
from starplat.toolchain import sycl as probe, sycl_apart
from starplat.toolchain.cache import FOLDER_VARIABLE, _checked_folder
from starplat.toolchain.devices import report
from starplat.toolchain.vendors import VENDORS_VARIABLE
from tests.backends.modules import V, module_of, node_array, number, over_nodes
from tests.runtime.devices import device_of

RUN = """
from tests.backends.modules import sssp
from starplat.graph.graph import Graph
from starplat.runtime import run_module
result = run_module(sssp(), Graph.from_arcs(3, [0, 1], [1, 2], [4, 5]), target="sycl", arguments={"src": 0})
assert result["dist"].tolist() == [0, 4, 9]
print(result.cached)
"""


def in_process(program: str, cache: Path, **more: str) -> tuple[str, str]:
    environment = {**os.environ, FOLDER_VARIABLE: str(cache), "PYTHONPATH": str(Path(__file__).parents[2]), **more}
    for name in (VENDORS_VARIABLE, "POCL_CACHE_DIR", "SYCL_CACHE_DIR", "SYCL_CACHE_PERSISTENT"):
        if name not in more:
            environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=300, check=False
    )
    return done.stdout, done.stderr


def sycl_device() -> SyclDevice:
    device = device_of("sycl")
    if not isinstance(device, SyclDevice):
        pytest.skip("a compiler of whole SYCL programs is here, and its devices come first")
    return device


@pytest.mark.campaign
def test_a_second_process_builds_nothing_and_damage_is_mended(tmp_path: Path) -> None:
    sycl_device()
    cache = tmp_path / "cache"
    assert in_process(RUN, cache) == ("False\n", "")
    assert in_process(RUN, cache) == ("True\n", "")
    for kind in ("sycl", "sycl-shim"):
        for path in (cache / kind).rglob("*"):
            if path.is_file():
                path.write_bytes(b"damaged")
    assert in_process(RUN, cache) == ("False\n", "")
    assert in_process(RUN, cache) == ("True\n", "")


def test_what_the_user_set_is_respected(tmp_path: Path) -> None:
    sycl_device()
    program = "from starplat.toolchain.sycl import sycl; import os; sycl(); print(os.environ['SYCL_CACHE_DIR'])"
    assert in_process(program, tmp_path / "cache", SYCL_CACHE_DIR="/mine") == ("/mine\n", "")
    assert in_process(program, tmp_path / "cache") == (f"{tmp_path / 'cache' / 'sycl-drivers'}\n", "")


def test_importing_the_runtime_does_not_import_dpctl(tmp_path: Path) -> None:
    program = "import sys, starplat.runtime, starplat.toolchain.devices; print('dpctl' in sys.modules)"
    assert in_process(program, tmp_path / "cache") == ("False\n", "")


def test_text_that_does_not_compile_is_our_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = sycl_device()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(DiagnosticError, match=r"E0904.*nothing") as error:
        device._bundle("int k() { return nothing; }", ())
    assert error.value.exit_code is ExitCode.BUILD_FAILED
    (kept,) = (tmp_path / "refused").iterdir()
    assert str(kept) in str(error.value)
    _checked_folder.cache_clear()


@pytest.mark.parametrize(
    ("program", "seconds", "reason"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", 60, r"the device's compiler crashed \(SIGSEGV\)"),
        ("import os; os.kill(os.getpid(), 40)", 60, r"the device's compiler crashed \(signal 40\)"),
        ("import time; time.sleep(60)", 0.1, "no end after 0.1 s"),
        ("import sys; sys.exit('no memory')", 60, "no memory"),
    ],
)
def test_a_compiler_that_crashes_is_one_sentence_and_the_next_build_works(
    program: str, seconds: float, reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    device = sycl_device()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    cells = node_array("cells", ir.Element.INT)
    module = module_of(over_nodes([ir.Store(cells, ir.Ref(V), number(3))], [cells]))
    with monkeypatch.context() as broken:
        broken.setattr(sycl_apart, "_PROGRAM", program)
        broken.setattr(sycl_apart, "BUILD_SECONDS", seconds)
        with pytest.raises(DiagnosticError, match=rf"E0904.*: {reason}\n") as error:
            device.build(module, wide_arcs=False)
    assert error.value.exit_code is ExitCode.BUILD_FAILED
    assert not device.build(module, wide_arcs=False).cached
    assert device.build(module, wide_arcs=False).cached
    _checked_folder.cache_clear()


def test_a_shim_that_is_gone_builds_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    device = sycl_device()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(device.shim, "path", tmp_path / "gone.so")
    monkeypatch.setattr(sycl_apart, "build", None)
    cells = node_array("cells", ir.Element.INT)
    module = module_of(over_nodes([ir.Store(cells, ir.Ref(V), number(4))], [cells]))
    assert not device.build(module, wide_arcs=False).cached
    _checked_folder.cache_clear()


def test_a_device_that_lacks_an_aspect_is_refused() -> None:
    cells = node_array("cells", ir.Element.DOUBLE)
    module = module_of(over_nodes([], [cells]))
    device = sycl_device()

    class Small:
        has_aspect_fp64 = False

    lesser = object.__new__(SyclDevice)
    lesser.__dict__.update(device.__dict__, device=Small(), name="small")
    with pytest.raises(DiagnosticError, match=r"E0608.*small lacks fp64") as error:
        lesser.build(module, wide_arcs=False)
    assert error.value.exit_code is ExitCode.NO_DEVICE


def test_no_dpctl_says_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dpctl", None)
    probe.sycl.cache_clear()
    try:
        with pytest.raises(DiagnosticError, match="E0901") as error:
            probe.sycl()
    finally:
        probe.sycl.cache_clear()
    assert error.value.exit_code is ExitCode.NO_DEVICE
    assert error.value.diagnostics[0].help == probe.INSTALL


@pytest.mark.parametrize("module", ["program", "compiler"])
def test_a_dpctl_with_a_compiler_of_its_own_is_asked_where_it_takes_no_kernels_of_ours(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = sycl_device()
    asked: list[tuple[object, str, list[str]]] = []

    class Made:
        """dpctl's bundle: here one that the shim built."""

        def __init__(self, queue: object, text: str, copts: list[str]) -> None:
            asked.append((queue, text, copts))
            self.bundle = shim.build(queue, text, tuple(copts))

        def get_sycl_kernel(self, name: str) -> object:
            return shim.kernel(self.bundle, name)

    shim = device.shim
    newer = SimpleNamespace(program=SimpleNamespace(), compiler=SimpleNamespace())
    getattr(newer, module).create_kernel_bundle_from_sycl_source = Made
    other = with_dpctl(device, newer)
    cells = node_array("cells", ir.Element.INT)
    kernels = other.build(module_of(over_nodes([ir.Store(cells, ir.Ref(V), number(7))], [cells])), wide_arcs=False)
    buffer = device.allocate(np.dtype(np.int32), 5)
    kernels.launch(kernels.module.kernels[0], {"cells": buffer}, {}, LaunchSize(5, 5, 0))
    assert device.download(buffer).tolist() == [7] * 5
    assert asked[0][0] is device.queue
    assert asked[0][2] == ["-fwrapv"]


def test_a_dpctl_without_any_way_in_says_so() -> None:
    nothing = SimpleNamespace(program=SimpleNamespace(), __version__="9.9")
    with pytest.raises(DiagnosticError, match=r"E0901.*dpctl 9\.9 has no way"):
        with_dpctl(sycl_device(), nothing).build(module_of(over_nodes([], [])), wide_arcs=False)


def with_dpctl(device: SyclDevice, dpctl: object) -> SyclDevice:
    """The device, as a dpctl whose kernels cannot be made by others would have it."""

    class NoKernels:
        makes_kernels = False

    other = object.__new__(SyclDevice)
    other.__dict__.update(device.__dict__, dpctl=dpctl, shim=NoKernels())
    return other


def test_no_compiler_says_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    sycl_device()
    monkeypatch.setattr(probe, "gnu_compiler", lambda: None)
    probe.shim.cache_clear()
    try:
        with pytest.raises(DiagnosticError, match=r"E0901.*C\+\+ compiler") as error:
            probe.shim()
    finally:
        probe.shim.cache_clear()
    assert error.value.diagnostics[0].help == probe.INSTALL_COMPILER


def test_headers_that_do_not_compile_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sycl_device()
    broken = replace(probe.runtime(), include=tmp_path)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(probe, "runtime", lambda: broken)
    probe.shim.cache_clear()
    try:
        with pytest.raises(DiagnosticError, match=r"E0901.*sycl\.hpp"):
            probe.shim()
    finally:
        probe.shim.cache_clear()
        _checked_folder.cache_clear()


def test_every_device_is_reported() -> None:
    sycl_device()
    rows = report("sycl")
    assert [row.index for row in rows if row.usable] == list(range(len(probe.sycl_devices())))
    assert all(row.status == "ready" or not row.usable for row in rows)
    with pytest.raises(DiagnosticError, match="E0902"):
        default_session().device("sycl", 99)


def test_memory_that_is_not_there_is_foreseen() -> None:
    device = sycl_device()
    with pytest.raises(DiagnosticError, match="E0903") as error:
        device.allocate(np.dtype(np.int64), 2**44)
    assert error.value.exit_code is ExitCode.NO_DEVICE
