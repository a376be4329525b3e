"""OpenCL devices are found wherever pip put their runtimes, built kernels are kept, and what fails says what helps."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.graph.graph import Graph
from starplat.runtime import run_module
from starplat.runtime.devices.opencl import Builder, OpenCLDevice
from starplat.runtime.session import default_session
from starplat.toolchain import opencl as probe, vendors
from starplat.toolchain.cache import FOLDER_VARIABLE, _checked_folder
from starplat.toolchain.devices import DeviceDescription, devices, report
from tests.backends.modules import sssp
from tests.runtime.devices import device_of

RUN = """
import numpy as np
from tests.backends.modules import sssp
from starplat.graph.graph import Graph
from starplat.runtime import run_module
result = run_module(sssp(), Graph.from_arcs(3, [0, 1], [1, 2], [4, 5]), target="opencl", arguments={"src": 0})
assert result["dist"].tolist() == [0, 4, 9]
print(result.cached)
"""


def in_process(program: str, cache: Path, **more: str) -> subprocess.Popen[str]:
    root = Path(__file__).parents[2]
    environment = {**os.environ, FOLDER_VARIABLE: str(cache), "PYTHONPATH": str(root), **more}
    for name in (vendors.VENDORS_VARIABLE, "POCL_CACHE_DIR"):
        if name not in more:
            environment.pop(name, None)
    return subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def test_a_second_process_builds_nothing(tmp_path: Path) -> None:
    device_of("opencl")
    outputs = [in_process(RUN, tmp_path / "cache").communicate(timeout=300) for _ in range(2)]
    assert outputs == [("False\n", ""), ("True\n", "")]


@pytest.mark.campaign
def test_processes_that_start_at_once_all_succeed(tmp_path: Path) -> None:
    device_of("opencl")
    processes = [in_process(RUN, tmp_path / "cache") for _ in range(3)]
    outputs = sorted(process.communicate(timeout=300) for process in processes)
    assert outputs == [("False\n", ""), ("True\n", ""), ("True\n", "")]


def test_a_damaged_binary_is_built_anew(tmp_path: Path) -> None:
    device_of("opencl")
    cache = tmp_path / "cache"
    assert in_process(RUN, cache).communicate(timeout=300)[0] == "False\n"
    for path in (cache / "opencl").rglob("*"):
        if path.is_file():
            path.write_bytes(b"damaged")
    assert in_process(RUN, cache).communicate(timeout=300) == ("False\n", "")


def test_a_value_that_the_user_set_is_respected(tmp_path: Path) -> None:
    pytest.importorskip("pyopencl")
    program = "from starplat.toolchain.opencl import opencl; import os; opencl(); print(os.environ['OCL_ICD_VENDORS'])"
    mine = f"{tmp_path}{os.sep}"
    assert in_process(program, tmp_path / "cache", OCL_ICD_VENDORS=mine).communicate(timeout=300)[0] == f"{mine}\n"


def test_importing_the_runtime_does_not_import_pyopencl(tmp_path: Path) -> None:
    program = "import sys, starplat.runtime; print('pyopencl' in sys.modules)"
    assert in_process(program, tmp_path / "cache").communicate(timeout=300)[0] == "False\n"


def test_vendor_files_have_true_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    folder = vendors._vendor_folder(["/somewhere/libone.so", "libtwo.so"])
    assert [file.read_text() for file in sorted(folder.glob("*.icd"))] == ["/somewhere/libone.so\n", "libtwo.so\n"]
    assert vendors._vendor_folder(["/somewhere/libone.so", "libtwo.so"]) == folder
    assert vendors._vendor_folder(["/somewhere/libone.so"]) != folder
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    _checked_folder.cache_clear()


def test_every_installed_runtime_is_reported() -> None:
    listed = devices()
    assert [device.target for device in listed].count("reference") == 1
    for device in listed:
        assert device.usable or device.status != "ready"
    for runtime in vendors.runtimes():
        if runtime.fault is not None:
            assert any(Path(runtime.library).name == device.name and device.mend for device in listed)


def test_what_is_missing_says_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyopencl", None)
    probe.opencl.cache_clear()
    try:
        with pytest.raises(DiagnosticError, match="E0901") as error:
            probe.opencl()
    finally:
        probe.opencl.cache_clear()
    assert error.value.exit_code is ExitCode.NO_DEVICE
    assert error.value.diagnostics[0].help == probe.INSTALL


def test_a_runtime_that_does_not_load_is_reported_with_what_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "libintelocl.so"
    library.write_text("no library")
    broken = vendors._loaded("Intel", library, vendors.INTEL_LIBRARIES)
    assert broken.fault is not None
    missing = DeviceDescription("opencl", None, library.name, "-", 0, 0, f"does not load: {broken.fault}", broken.mend)
    monkeypatch.setattr("starplat.runtime.targets.opencl_devices", lambda: ())
    monkeypatch.setattr("starplat.runtime.targets.report", lambda _: (missing,))
    with pytest.raises(DiagnosticError, match=r"E0902.*does not load") as error:
        default_session().device("opencl", 99)
    assert error.value.exit_code is ExitCode.NO_DEVICE
    assert error.value.diagnostics[0].help == vendors.INTEL_LIBRARIES


def test_unknown_targets_and_devices_are_refused() -> None:
    with pytest.raises(DiagnosticError, match="E0907") as error:
        default_session().device("opncl")
    assert "did you mean 'opencl'?" in str(error.value)
    with pytest.raises(DiagnosticError, match="E0902") as missing:
        default_session().device("reference", 7)
    assert missing.value.exit_code is ExitCode.NO_DEVICE


def test_text_that_does_not_compile_is_our_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = device_of("opencl")
    assert isinstance(device, OpenCLDevice)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(DiagnosticError, match="E0904") as error:
        Builder(device, "__kernel void k(__global int* a) { a[0] = nothing; }", "").built()
    assert error.value.exit_code is ExitCode.BUILD_FAILED
    (kept,) = (tmp_path / "refused").iterdir()
    assert str(kept) in str(error.value)
    assert "nothing" in str(error.value)
    _checked_folder.cache_clear()


def test_every_usable_opencl_device_gives_the_same_answer() -> None:
    usable = [device for device in report("opencl") if device.usable]
    if not usable:
        pytest.skip(f"no OpenCL device: {report('opencl')[0].status}")
    generator = np.random.default_rng(7)
    tails, heads = generator.integers(0, 300, (2, 1500))
    graph = Graph.from_arcs(300, tails, heads, generator.integers(1, 100, 1500))
    expected = run_module(sssp(), graph, target="reference", arguments={"src": 0})["dist"]
    for device in usable:
        assert device.index is not None
        result = run_module(sssp(), graph, target="opencl", device_index=device.index, arguments={"src": 0})
        assert np.array_equal(result["dist"], expected)
