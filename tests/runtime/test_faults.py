"""A device that fails says so in one sentence, and the next run works: no cache is harmed, nothing broken is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import starplat
from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.graph.graph import Graph
from starplat.runtime import run_module
from starplat.runtime.devices import opencl
from starplat.runtime.devices.device import Device
from starplat.runtime.devices.opencl import OpenCLDevice, OpenCLKernels
from starplat.runtime.session import default_session
from starplat.toolchain import cache
from tests.backends.modules import sssp
from tests.runtime.devices import device_of

GRAPH = Graph.from_arcs(4, [0, 1, 0], [1, 2, 2], [5, 6, 20])


def distances() -> list[int]:
    cells: list[int] = run_module(sssp(), GRAPH, target="opencl", arguments={"src": 0})["dist"].tolist()
    return cells


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> OpenCLDevice:
    """OpenCL's first device, with a cache folder of its own."""
    found = device_of("opencl")
    assert isinstance(found, OpenCLDevice)
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path))
    return found


def refused(code: str, exit_code: ExitCode) -> str:
    """The message of a run that must fail so."""
    with pytest.raises(DiagnosticError) as caught:
        distances()
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == [code]
    assert caught.value.exit_code is exit_code
    message = caught.value.diagnostics[0].message
    assert "\n" not in message
    return message


def failing(error: Callable[[], Exception]) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error()

    return fail


def out_of_resources(device: OpenCLDevice) -> Callable[[], Exception]:
    """What OpenCL raises when a kernel has faulted."""
    return lambda: device.cl.RuntimeError("clFinish failed: OUT_OF_RESOURCES\nmore of it")


@pytest.mark.parametrize("moment", ["launch", "wait", "upload", "download"])
def test_a_kernel_that_faults(moment: str, device: OpenCLDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = distances()
    with monkeypatch.context() as broken:
        fail = failing(out_of_resources(device))

        def fault(self: Any, *_: Any, **__: Any) -> Any:
            with self._opencl.faults if isinstance(self, OpenCLKernels) else self.faults:
                fail()

        place: tuple[type, str] = {
            "launch": (OpenCLKernels, "start"),
            "wait": (OpenCLDevice, "synchronise"),
            "upload": (OpenCLDevice, "_write_cell"),
            "download": (OpenCLDevice, "_download"),
        }[moment]
        broken.setattr(*place, fault)
        message = refused("E0906", ExitCode.NO_DEVICE)
    assert "failed while the program ran: clFinish failed: OUT_OF_RESOURCES" in message
    assert distances() == expected
    anew = default_session().device("opencl")
    assert anew is not device
    assert not anew.broken


def test_a_device_that_has_vanished(device: OpenCLDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = distances()
    with monkeypatch.context() as gone:
        gone.setattr(
            OpenCLDevice, "synchronise", lambda self: failing(lambda: opencl.device_fault(self.name, "lost"))()
        )
        refused("E0906", ExitCode.NO_DEVICE)
        gone.setattr(device.cl, "Context", failing(lambda: device.cl.RuntimeError("DEVICE_NOT_AVAILABLE")))
        assert "does not answer: DEVICE_NOT_AVAILABLE" in refused("E0906", ExitCode.NO_DEVICE)
    assert distances() == expected


def test_a_compiler_that_fails(device: OpenCLDevice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(
            opencl, "quiet_build", failing(lambda: RuntimeError("clBuildProgram failed\nerror: out of memory"))
        )
        assert "error: out of memory" in refused("E0904", ExitCode.BUILD_FAILED)
        broken.setattr("starplat.toolchain.description.write_atomically", failing(lambda: OSError(28, "no space left")))
        refused("E0904", ExitCode.BUILD_FAILED)
    assert not [path for path in (tmp_path / "opencl").rglob("*") if path.is_file() and path.suffix != ".lock"]
    expected = distances()
    assert distances() == expected


def test_a_device_with_little_local_memory(device: OpenCLDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "capabilities", None)  # as a GPU, whose work-groups share rows
    monkeypatch.setattr(device, "local_memory", 1024)
    program = starplat.compile("pagerank")
    device.forget_graphs()
    with pytest.raises(DiagnosticError, match=r"E0608.*takes [\d,]+ bytes of local memory.* has 1,024") as caught:
        program.run(GRAPH, target="opencl", schedule="balance=edge")
    assert "balance=node" in str(caught.value)


def test_a_damaged_entry_of_the_cache_is_built_again(device: OpenCLDevice, tmp_path: Path) -> None:
    expected = distances()
    for path in (tmp_path / "opencl").rglob("*"):
        if path.is_file() and path.suffix != ".lock":
            path.write_bytes(path.read_bytes()[:-7])
    assert distances() == expected


def test_a_mistake_of_the_caller_does_not_cost_the_device(device: Device) -> None:
    with pytest.raises(DiagnosticError, match="E0816"):
        run_module(sssp(), GRAPH, target="opencl", arguments={"src": 99})
    assert default_session().device("opencl") is device
