"""STARPLAT_DUMP writes what would run, STARPLAT_OVERRIDE runs what was edited and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from starplat import pipeline
from starplat.backends import BACKENDS
from starplat.backends.scheduled import for_target
from starplat.graph_files import read
from starplat.ir.printing.modules import print_module
from starplat.ir.printing.proceeding import proceeding
from starplat.program_text import read_program
from starplat.runtime import text
from starplat.runtime.facts import facts_of
from starplat.runtime.session import default_session
from starplat.source import SourceFile
from starplat.toolchain.devices import report
from tests.cli.conftest import Outcome
from tests.runtime.devices import device_of

Starplat = Callable[..., Outcome]
Variables = Callable[..., None]

on_opencl = pytest.mark.skipif(
    not any(device.usable for device in report("opencl")), reason="there is no OpenCL device here"
)
KERNELS = "sssp.sssp.opencl.cl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mine"


def sssp(starplat: Starplat, examples: Path, roads: Path, *more: object, target: str = "opencl") -> Outcome:
    return starplat("run", examples / "sssp.sp", "--graph", roads, "--arg", "src=1", "--target", target, *more)


@pytest.fixture
def dumped(starplat: Starplat, examples: Path, roads: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that a run on OpenCL has been dumped to, and that is in force from now on."""
    monkeypatch.setenv("STARPLAT_DUMP", str(folder))
    assert sssp(starplat, examples, roads).code == 0
    monkeypatch.delenv("STARPLAT_DUMP")
    monkeypatch.setenv("STARPLAT_OVERRIDE", str(folder))
    return folder


@on_opencl
def test_a_dump_holds_kernels_intermediate_form_and_the_hosts_way(examples: Path, roads: Path, dumped: Path) -> None:
    assert sorted(path.name for path in dumped.iterdir()) == ["sssp.sssp.host.txt", "sssp.sssp.ir.txt", KERNELS]
    device = default_session().device("opencl")
    module = pipeline.lower(pipeline.check(read_program(examples / "sssp.sp")))
    module = for_target(module, "opencl", None, facts_of(read(roads)), device.capabilities)
    kernels = BACKENDS["opencl"].kernels_text(module)
    shown = {KERNELS: kernels, "sssp.sssp.ir.txt": print_module(module), "sssp.sssp.host.txt": proceeding(module)}
    for name, expected in shown.items():
        assert (dumped / name).read_text(encoding="utf-8").rstrip("\n") == expected.rstrip("\n")


def test_the_interpreter_has_no_kernels_to_dump(
    starplat: Starplat, examples: Path, roads: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARPLAT_DUMP", str(folder))
    assert sssp(starplat, examples, roads, target="reference").code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["sssp.sssp.host.txt", "sssp.sssp.ir.txt"]


@on_opencl
def test_edited_kernels_run_and_it_is_said(starplat: Starplat, examples: Path, roads: Path, dumped: Path) -> None:
    kernels = dumped / KERNELS
    edited = kernels.read_text(encoding="utf-8").replace(", weight[e])", ", weight[e] + 1)")
    kernels.write_text(edited, encoding="utf-8")
    outcome = sssp(starplat, examples, roads, "--json")
    assert outcome.json["properties"]["dist"]["sum"] == 12 + 1 + 2 + 3
    assert f"warning: STARPLAT_OVERRIDE is in force: {kernels} runs, instead of the emitted kernels" in outcome.err
    assert sssp(starplat, examples, roads, "--validate").code == 4


@on_opencl
def test_the_emitted_kernels_are_back_when_the_override_is_gone(
    starplat: Starplat, examples: Path, roads: Path, dumped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = dumped / KERNELS
    kernels.write_text(kernels.read_text(encoding="utf-8").replace("weight[e])", "0)"), encoding="utf-8")
    assert sssp(starplat, examples, roads, "--json").json["properties"]["dist"]["sum"] == 0
    monkeypatch.delenv("STARPLAT_OVERRIDE")
    outcome = sssp(starplat, examples, roads, "--json")
    assert outcome.json["properties"]["dist"]["sum"] == 12
    assert "OVERRIDE" not in outcome.err


@on_opencl
def test_an_override_that_is_not_there_is_said(starplat: Starplat, examples: Path, roads: Path, dumped: Path) -> None:
    (dumped / KERNELS).unlink()
    outcome = sssp(starplat, examples, roads)
    assert outcome.code == 0
    assert f"there is no {dumped / KERNELS}: the emitted kernels run" in outcome.err


@on_opencl
def test_an_edit_that_does_not_build_is_the_editors_mistake(
    starplat: Starplat, examples: Path, roads: Path, dumped: Path
) -> None:
    kernels = dumped / KERNELS
    kernels.write_text(kernels.read_text(encoding="utf-8").replace("const int nbr", "const int"), encoding="utf-8")
    outcome = sssp(starplat, examples, roads)
    assert outcome.code == 1
    assert f"error[E0912]: {kernels}, which STARPLAT_OVERRIDE puts in place, does not build: " in outcome.err


@on_opencl
@pytest.mark.parametrize("content", [b"// nothing\n", b"\xff\xfe"])
def test_an_override_without_the_kernels_is_refused(
    starplat: Starplat, examples: Path, roads: Path, dumped: Path, content: bytes
) -> None:
    (dumped / KERNELS).write_bytes(content)
    outcome = sssp(starplat, examples, roads)
    assert outcome.code == 1
    assert f"error[E0910]: {dumped / KERNELS}" in outcome.err


def test_an_override_without_a_function_that_the_run_calls_is_refused(
    starplat: Starplat, examples: Path, roads: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop of launches is a function beside OpenMP's kernels, which the run calls."""
    device_of("openmp")
    monkeypatch.setenv("STARPLAT_DUMP", str(folder))
    assert sssp(starplat, examples, roads, target="openmp").code == 0
    monkeypatch.delenv("STARPLAT_DUMP")
    monkeypatch.setenv("STARPLAT_OVERRIDE", str(folder))
    (kernels,) = folder.glob("*.openmp.cpp")
    kernels.write_text(kernels.read_text(encoding="utf-8").replace("sssp_rounds", "sssp_turns"), encoding="utf-8")
    outcome = sssp(starplat, examples, roads, target="openmp")
    assert outcome.code == 1
    said = f"error[E0910]: {kernels} has no function 'sssp_rounds', which the run calls in place of a loop"
    assert said in outcome.err


def test_a_dump_that_cannot_be_written_is_one_sentence(
    starplat: Starplat, examples: Path, roads: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("STARPLAT_DUMP", str(tmp_path / "file" / "folder"))
    outcome = sssp(starplat, examples, roads, target="reference")
    assert outcome.code == 1
    assert outcome.err.count("error[E0792]") == 1


@pytest.mark.parametrize(
    "name",
    ["../../../etc/passwd.sp", "a b;c.sp", "..", ".sp", "ä.sp", "x" * 300 + ".sp", "C:\\windows\\nul.sp", "-rf.sp"],
)
def test_file_names_are_safe_and_differ(name: str) -> None:
    module = pipeline.lower(pipeline.check(SourceFile(name, "function f(Graph g) { return g.num_nodes(); }")))
    called = text.kernels_file("opencl", module)
    assert Path(called).name == called
    assert len(called) < 120
    assert called.isascii()
    assert not called.startswith((".", "-"))
    assert not set(called) & set(" ;:\\/*?")
