"""`explain`, `inspect` and `compile` tell for which device they speak: the one that a run takes, or a kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import starplat as package
from starplat import DiagnosticError
from starplat.backends import BACKENDS
from starplat.backends.scheduled import capabilities_of
from starplat.ir.processors import Processor
from starplat.runtime import targets
from starplat.runtime.session import default_session
from starplat.runtime.targets import capabilities_at, chosen
from starplat.toolchain import devices
from starplat.toolchain.description import DeviceDescription
from starplat.toolchain.devices import REPORTS, report
from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]
CPU = DeviceDescription("opencl", 0, "two cores", "-", 2, 0)
GPU = DeviceDescription("opencl", 1, "a card", "-", 2, 0, is_gpu=True)


def with_devices(monkeypatch: pytest.MonkeyPatch, *found: DeviceDescription) -> None:
    """The targets have these devices and no others."""

    def reported(target: str) -> tuple[DeviceDescription, ...]:
        return tuple(device for device in found if device.target == target)

    def opencl_capabilities(index: int) -> object:
        return None if reported("opencl")[index].is_gpu else BACKENDS["opencl"].capabilities_on(Processor.CPU)

    for module in (devices, targets):
        monkeypatch.setattr(module, "report", reported)
    monkeypatch.setitem(targets._CAPABILITIES, "opencl", opencl_capabilities)


@pytest.mark.parametrize("target", REPORTS)
def test_a_device_that_is_only_looked_at_can_do_what_it_can_when_it_is_opened(target: str) -> None:
    usable = [device for device in report(target) if device.usable]
    if not usable:
        pytest.skip(f"{target} has no device here")
    for device in usable:
        assert device.index is not None
        opened = default_session().device(target, device.index).capabilities or capabilities_of(target)
        assert capabilities_at(target, device.index) == opened
        assert chosen(target, device.index).capabilities == opened


def test_explain_speaks_of_the_device_that_run_takes(
    starplat: Starplat, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_devices(monkeypatch, CPU, GPU)
    explain = ("explain", examples / "pagerank.sp", "-t", "opencl")
    at_hand = starplat(*explain).out
    assert "schedule for opencl, device 0 (two cores, a CPU): auto\n" in at_hand
    assert "each thread takes a piece" in at_hand
    other = starplat(*explain, "--device", 1).out
    assert "schedule for opencl, device 1 (a card, a GPU): auto\n" in other
    assert "each thread takes a piece" not in other
    assert starplat(*explain, "--json").json["schedule"]["device"] == "device 0 (two cores, a CPU)"


def test_a_kind_of_device_is_spoken_of_whatever_is_here(
    starplat: Starplat, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {}
    for found in ((), (CPU,), (GPU,)):
        with_devices(monkeypatch, *found)
        for kind in Processor:
            explained = starplat("explain", examples / "pagerank.sp", "-t", "opencl", "--for", kind.value)
            said.setdefault(kind, set()).add(explained.out)
            assert f"schedule for opencl, {kind}: auto\n" in explained.out
    assert all(len(texts) == 1 for texts in said.values())
    assert said[Processor.GPU] != said[Processor.CPU]


@pytest.mark.parametrize(("target", "kind"), [("opencl", "GPU"), ("cuda", "GPU"), ("hip", "GPU"), ("openmp", "CPU")])
def test_where_a_target_has_no_device_that_is_said(
    starplat: Starplat, examples: Path, monkeypatch: pytest.MonkeyPatch, target: str, kind: str
) -> None:
    with_devices(monkeypatch)
    explained = starplat("explain", examples / "pagerank.sp", "-t", target)
    assert f"schedule for {target}, a {kind}, none of which is here: auto\n" in explained.out
    asked = starplat("explain", examples / "pagerank.sp", "-t", target, "--for", kind.lower()).out
    assert explained.out.replace(", none of which is here", "") == asked
    numbered = starplat("explain", examples / "pagerank.sp", "-t", target, "--device", 0)
    assert (numbered.code, "error[E0902]" in numbered.err) == (3, True)


def test_inspect_says_it_beside_the_text(starplat: Starplat, examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_devices(monkeypatch, CPU, GPU)
    source = ("inspect", examples / "pagerank.sp", "-t", "opencl", "--stage", "source")
    for device, kind in (("0 (two cores, a CPU)", "cpu"), ("1 (a card, a GPU)", "gpu")):
        at_hand = starplat(*source, "--device", device[0])
        assert at_hand.err == f"schedule for opencl, device {device}\n"
        assert at_hand.out == starplat(*source, "--for", kind).out
    difference = starplat("inspect", examples / "pagerank.sp", "--diff", "opencl", "cuda")
    assert difference.err.splitlines() == [
        "schedule for opencl, device 0 (two cores, a CPU)",
        "schedule for cuda, a GPU, none of which is here",
    ]
    assert starplat("inspect", examples / "pagerank.sp", "-t", "opencl").err == "", "no schedule, no device"
    beside = starplat("inspect", examples / "pagerank.sp", "-t", "opencl", "--annotate")
    assert "device 0" in beside.err


def test_what_compile_writes_does_not_depend_on_what_is_here(
    starplat: Starplat, examples: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def written(folder: str, *asked: str) -> dict[str, str]:
        assert starplat("compile", examples / "pagerank.sp", "-t", "opencl", "-o", tmp_path / folder, *asked).code == 0
        return {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / folder).iterdir()}

    with_devices(monkeypatch, CPU)
    for_gpus = written("here")
    assert for_gpus == written("gpu", "--for", "gpu")
    for_cpus = written("cpu", "--for", "cpu")
    shown = starplat("inspect", examples / "pagerank.sp", "-t", "opencl", "--stage", "source", "--for", "cpu").out
    kernels = for_cpus["pagerank.cl"]
    assert shown.endswith(kernels[kernels.index("\n// pagerank.sp:") :])
    assert "device.launch_apart(" in for_cpus["pagerank.cpp"]
    assert "launch_apart" not in for_gpus["pagerank.cpp"]


def test_a_kind_that_a_target_does_not_run_on_is_refused(starplat: Starplat, examples: Path, tmp_path: Path) -> None:
    program = examples / "pagerank.sp"
    for verb in (("explain",), ("inspect", "--stage", "source"), ("compile", "-o", tmp_path)):
        refused = starplat(*verb, program, "-t", "cuda", "--for", "cpu")
        assert (refused.code, refused.err) == (
            2,
            "error[E0666]: target 'cuda' does not run on CPUs\n= help: it runs on GPUs\n",
        )
    assert "error[E0666]" in starplat("explain", program, "-t", "openmp", "--for", "gpu").err
    assert "error[E0666]" in starplat("explain", program, "-t", "reference", "--for", "gpu").err
    both = starplat("explain", program, "-t", "opencl", "--for", "gpu", "--device", 0)
    assert (both.code, "cannot go with --device" in both.err) == (2, True)
    with pytest.raises(DiagnosticError, match="no kind of device that is called 'tpu'"):
        package.compile(program).artifact("opencl", processor="tpu")
