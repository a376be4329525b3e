"""Runs in parts whose ranks are processes of MPI: answers as of one part, mistakes said once, no rank left behind."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.cli.child_process import RANK_VARIABLES, started_as
from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.runtime.parts.agreeing import VERSION, require_alike
from starplat.runtime.parts.communicator import OPERATIONS, Communicator
from starplat.runtime.parts.threads import in_threads
from tests.runtime.test_parts import CAN_BE_DIVIDED, ring

ROOT = Path(__file__).resolve().parents[2]
PATIENT = {"MPIR_CVAR_ENABLE_HEAVY_YIELD": "1", "MPIR_CVAR_POLLS_BEFORE_YIELD": "100"}
"""Waiting ranks yield their core, since there are more ranks than cores: else waiting takes most of the time."""
SSSP = ("run", "sssp", "--graph", "liechtenstein", "--arg", "src=1")


def mpiexec() -> str:
    """The launcher that comes with MPI's wheel."""
    pytest.importorskip("mpi4py", reason="pip install 'starplat[mpi]'")
    beside = Path(sys.executable).with_name("mpiexec")
    if not beside.is_file():
        pytest.skip("mpiexec is missing: pip install 'starplat[mpi]'")
    if sys.platform == "linux" and not Path("/dev/shm").is_dir():
        pytest.skip("/dev/shm is missing, in which MPI's ranks share memory")
    return str(beside)


def said(*words: str, patience: float = 300.0) -> subprocess.CompletedProcess[str]:
    """What the words say; one rank left waiting for another is an error once our patience is over."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    return subprocess.run(
        words, cwd=ROOT, env=environment | PATIENT, capture_output=True, text=True, timeout=patience, check=False
    )


def starplat_in(ranks: int, *words: str) -> subprocess.CompletedProcess[str]:
    mpiexec()
    return said(sys.executable, "-m", "starplat", *words, "--ranks", str(ranks))


@pytest.mark.parametrize(("target", "ranks", "step"), [
    ("openmp", 2, 6),
    pytest.param("openmp", 2, 5, marks=pytest.mark.campaign),
    pytest.param("openmp", 3, 4, marks=pytest.mark.campaign),
    pytest.param("reference", 2, 7, marks=pytest.mark.campaign),
    *(pytest.param(t, n, 1, marks=pytest.mark.nightly) for t in ("opencl", "sycl", "openmp") for n in (2, 3, 5)),
])  # fmt: skip
def test_examples_are_right_on_ranks(target: str, ranks: int, step: int) -> None:
    module = "tests.runtime.ranks_of_examples"
    done = said(mpiexec(), "-n", str(ranks), sys.executable, "-m", module, target, str(step), patience=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("is right") == len(CAN_BE_DIVIDED)


def test_the_command_starts_ranks_and_one_speaks(tmp_path: Path) -> None:
    out = tmp_path / "r.csv"
    done = starplat_in(3, *SSSP, "-t", "openmp", "--json", "--out", str(out))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["properties"]["dist"]["sum"] == 1793000995
    assert len(found["parts"]["arcs"]) == 3
    assert sum(found["parts"]["arcs"]) == 34116
    assert found["parts"]["bytes"] > 0 < found["parts"]["exchanges"]
    assert done.stderr.count("r.csv: written") == 1
    assert len(out.read_text(encoding="utf-8").splitlines()) == 16913


def test_a_trace_shows_what_ranks_exchange(tmp_path: Path) -> None:
    chain = tmp_path / "chain.el"
    chain.write_text("".join(f"{node} {node + 1}\n" for node in range(4)), encoding="utf-8")
    done = starplat_in(2, "run", "bfs_levels", "-g", str(chain), "-a", "src=0", "-t", "openmp", "--trace", "--json")
    assert done.returncode == 0, done.stderr
    rounds = json.loads(done.stdout)["trace"]["rounds"]
    heads = 2 * 3 * 8  # levels cross as the one value that all nodes of the frontier have, the frontier as bits
    sizes = {"active_nodes": 2 * 8, "level": heads, "frontier": heads + 1}
    found = [{each["name"]: each["bytes"] for each in one["exchanges"]} for one in rounds]
    assert found == [sizes] * 4 + [sizes | {"frontier": heads}]


def test_ranks_that_a_launcher_has_started_are_known() -> None:
    done = said(mpiexec(), "-n", "2", sys.executable, "-m", "starplat", *SSSP, "-t", "openmp")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("1793000995") == 1
    assert re.search(r"parts: 2 of [\d,]+ to [\d,]+ arcs; [\d,]+ bytes in [\d,]+ exchanges", done.stdout)


@pytest.mark.parametrize(("words", "code", "said_once"), [
    (("run", "sssp", "--graph", "missing.mtx", "--arg", "src=1"), 1, "error[E0801]"),
    (("run", "sssp", "--graph", "liechtenstein", "--arg", "src=0"), 1, "error[E0816]"),
    (("run", "label_propagation", "--graph", "liechtenstein"), 1, "error[E0668]"),
    ((*SSSP, "--validate"), 1, "error[E0736]: a run in parts goes without validate"),
    ((*SSSP, "--max-rounds", "3"), 1, "error[E0730]"),
    (("run", "-", "--graph", "liechtenstein"), 2, "ranks do not share stdin"),
])  # fmt: skip
def test_a_mistake_is_said_once_and_ends_all(words: tuple[str, ...], code: int, said_once: str) -> None:
    done = starplat_in(2, *words)
    assert done.returncode == code, done.stderr
    assert done.stderr.count(said_once) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "Abort" not in done.stderr


RUNNING_OFTEN = """
from mpi4py import MPI
from starplat.runtime.divided.among_ranks import communicator_of

print(sum(communicator_of(MPI.COMM_WORLD).on_one_host for _ in range(2100)))
"""


@pytest.mark.campaign
def test_a_program_may_run_more_often_than_mpi_has_communicators() -> None:
    done = said(mpiexec(), "-n", "2", sys.executable, "-c", RUNNING_OFTEN)
    assert done.stdout.split() == ["2100", "2100"], done.stderr


FAILING_ALONE = """
from mpi4py import MPI
from starplat.runtime.divided.among_ranks import communicator_of
from starplat.runtime.parts.agreeing import ending_together

communicator = communicator_of(MPI.COMM_WORLD)
with ending_together(communicator):
    if communicator.rank == 1:
        raise FAULT
    communicator.gather(0)
"""


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        ("AssertionError('it has failed')", 4, "internal error: AssertionError: it has failed"),
        ("MemoryError('no 4 MiB')", 1, "error: there is not enough memory for this on rank 1: no 4 MiB"),
    ],
)
def test_what_goes_wrong_on_one_rank_ends_the_others(fault: str, code: int, words: str) -> None:
    done = said(mpiexec(), "-n", "2", sys.executable, "-c", FAILING_ALONE.replace("FAULT", fault))
    assert done.returncode == code
    assert done.stderr.count(words) == 1, done.stderr


ABORTING = """
import os
from starplat.runtime.parts.mpi import abort_all

class World:
    def Abort(self, code):
        os.write(1, b"ended")

os.write(2, b"why")
abort_all(World(), 1)
"""


def test_a_rank_that_ends_all_waits_till_the_launcher_has_read_why() -> None:
    with subprocess.Popen([sys.executable, "-c", ABORTING], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as rank:
        assert rank.stdout is not None
        assert rank.stderr is not None
        select.select([rank.stderr], [], [])
        assert select.select([rank.stdout], [], [], 0.5)[0] == []
        assert rank.stderr.read(3) == b"why"
        assert rank.stdout.read() == b"ended"


def test_ranks_with_other_graphs_are_refused() -> None:
    one = [sys.executable, "-m", "starplat", *SSSP]
    other = [sys.executable, "-m", "starplat", *SSSP, "--undirected"]
    done = said(mpiexec(), "-n", "1", *one, ":", "-n", "1", *other)
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("error[E0735]: rank 1 has another --undirected than rank 0") == 1


@pytest.mark.parametrize(
    ("words", "said_once"),
    [
        (("-t", "reference"), "error[E0735]: rank 1 has another --target than rank 0"),
        (("-t", "nonsense"), "error[E0735]: rank 1 has another --target than rank 0"),
        (("-t", "openmp", "--schedule", "direction=up"), "error[E0735]: rank 1 has another --schedule than rank 0"),
        (("-t", "openmp", "--repeat", "2"), "error[E0735]: rank 1 has another --repeat than rank 0"),
        (("-t", "openmp", "--ranks", "3"), "error[E0735]: rank 1 has another --ranks than rank 0"),
        (("-t", "openmp", "--devices", "2"), "error[E0735]: rank 1 has another --devices than rank 0"),
        (("-t", "openmp", "--repeat", "none"), "Invalid value for '--repeat'"),
    ],
)
def test_ranks_with_other_options_are_refused(words: tuple[str, ...], said_once: str) -> None:
    one = [sys.executable, "-m", "starplat", *SSSP]
    done = said(mpiexec(), "-n", "1", *one, "-t", "openmp", ":", "-n", "1", *one, *words)
    assert done.returncode in (1, 2), done.stderr
    assert done.stderr.count(said_once) == 1, done.stderr


@pytest.mark.parametrize("option", ["out", "timeout"])
def test_ranks_that_would_end_otherwise_are_refused(option: str, tmp_path: Path) -> None:
    one = [sys.executable, "-m", "starplat", *SSSP, "-t", "openmp"]
    given = str(tmp_path / "r.csv") if option == "out" else "60"
    done = said(mpiexec(), "-n", "1", *one, ":", "-n", "1", *one, f"--{option}", given)
    assert done.returncode == 1, done.stderr
    assert done.stderr.count(f"error[E0735]: rank 1 has another --{option} than rank 0") == 1, done.stderr


def test_a_rank_that_dies_ends_the_others() -> None:
    """The others would wait for ever."""
    dies = "import os, time; from mpi4py import MPI; time.sleep(1); os.kill(os.getpid(), 9)"
    done = said(
        mpiexec(), "-n", "1", sys.executable, "-m", "starplat", *SSSP, ":", "-n", "1", sys.executable, "-c", dies
    )
    assert done.returncode != 0
    assert "1793000995" not in done.stdout


def test_a_rank_that_is_killed_leaves_nothing_in_memory() -> None:
    """What ranks share has no name any more once they are connected."""
    looks = (
        "import os; from starplat.cli import ranks; out = os.dup(1); ranks._connected(0, None).gather(None); "
        "words = open('/proc/self/maps').read().split(); "
        "left = [word for word in words if word.startswith('/dev/shm/') and os.path.exists(word)]; "
        "os.write(out, f'{left}\\n'.encode())"
    )
    done = said(mpiexec(), "-n", "2", sys.executable, "-c", looks)
    assert done.stdout.split() == ["[]", "[]"], done.stderr


SPLIT = "MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED); "


@pytest.mark.parametrize(
    "before",
    ["", "from mpi4py import MPI; ", pytest.param(f"from mpi4py import MPI; {SPLIT}", marks=pytest.mark.campaign)],
    ids=["before MPI begins", "at once", "later"],
)
def test_a_silent_rank_ends_the_others_in_time(before: str) -> None:
    silent = f"import time; {before}time.sleep(900)"
    one = [sys.executable, "-m", "starplat", *SSSP, "-t", "openmp", "--timeout", "1"]
    done = said(mpiexec(), "-n", "1", *one, ":", "-n", "1", sys.executable, "-c", silent)
    codes = {1} if before else {1, 9}  # before MPI begins the launcher may say how it ended the silent one: SIGKILL
    assert done.returncode in codes, done.stderr
    assert done.stderr.count("error[E0737]: rank 0 has waited 1 s for the others") == 1, done.stderr


SILENT_AT_LAST = """
import sys, time
from starplat.runtime.parts.mpi import watched_world
rank = int(sys.argv[1])
comm = watched_world(rank, 900)
comm.allgather(rank)
if rank == 1:
    time.sleep(900)
comm._watch._seconds = 1  # not before: how long the other takes to come so far is left to chance
"""


def test_a_rank_that_does_not_come_to_the_end_is_waited_for_in_time() -> None:
    one, other = ([sys.executable, "-c", SILENT_AT_LAST, rank] for rank in "01")
    done = said(mpiexec(), "-n", "1", *one, ":", "-n", "1", *other)
    assert done.stderr.count("error[E0737]: rank 0 has waited 1 s for the others") == 1, done.stderr


def test_ranks_that_answer_in_time_are_not_ended() -> None:
    done = starplat_in(2, *SSSP, "-t", "openmp", "--timeout", "300")
    assert done.returncode == 0, done.stderr
    assert "1793000995" in done.stdout


def test_only_ranks_have_a_timeout() -> None:
    done = said(sys.executable, "-m", "starplat", *SSSP, "--timeout", "9")
    assert (done.returncode, "only ranks wait for each other: give --ranks too" in done.stderr) == (2, True)


def test_an_empty_number_of_a_rank_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in RANK_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PMI_RANK", "")
    assert started_as() is None
    monkeypatch.setenv("PMIX_RANK", "0")
    assert started_as() == 0


def test_ranks_of_another_version_have_other_options() -> None:
    def work(communicator: Communicator) -> str:
        marks: tuple[dict[str, object], ...] = ({VERSION: "1", "--new": 3}, {VERSION: "0"})
        with pytest.raises(DiagnosticError) as raised:
            require_alike(communicator, marks[communicator.rank])
        return raised.value.diagnostics[0].message

    assert in_threads(2, work) == ["rank 1 has another version of starplat than rank 0: 0, not 1"] * 2


def test_what_connects_no_ranks_is_refused() -> None:
    with pytest.raises(DiagnosticError, match="E0712"):
        starplat.compile("bfs_levels").run(ring(), src=0, comm=3)


def test_ranks_agree_from_python() -> None:
    program = starplat.compile("pagerank")
    expected = program.run(ring(), target="reference")["rank"]

    def work(communicator: Communicator) -> starplat.Result:
        return program.run(ring(), target="reference", comm=communicator, session=starplat.Session())

    for result in in_threads(3, work):
        np.testing.assert_allclose(result["rank"], expected)
        assert result.parts is not None
        assert sum(result.parts.arcs) == ring().num_arcs


def test_an_error_of_one_rank_is_raised_on_all() -> None:
    program = starplat.compile("bfs_levels")

    def work(communicator: Communicator) -> str:
        try:
            program.run(ring(), src=99 if communicator.rank == 1 else 0, target="reference", comm=communicator)
        except DiagnosticError as error:
            return error.diagnostics[0].code
        return "none"

    assert in_threads(3, work) == ["E0816"] * 3


CELLS = """
import numpy as np
from mpi4py import MPI
from starplat.ir import nodes as ir
from starplat.runtime.parts.mpi import MpiCommunicator
from tests.runtime.test_packing import exchanged
from tests.runtime.test_ranks import given, expected
comm = MpiCommunicator(MPI.COMM_WORLD)
for kind in ("?", "i4", "i8", "f4", "f8"):
    for combine in ir.Combine:
        if expected(combine, kind, comm.size) is not None:
            found = comm.combine(given(comm.rank, kind), combine)
            np.testing.assert_array_equal(found, expected(combine, kind, comm.size), f"{combine} {kind}")
            assert found.dtype == np.dtype(kind)
assert comm.gather(comm.rank) == [0, 1, 2]
assert comm.on_one_host
for comm.on_one_host in (True, False):
    for kind in ("?", "i4", "i8", "f4", "f8"):
        shared = comm.share(given(comm.rank, kind)[:5], [0, 2, 2, 5])
        np.testing.assert_array_equal(shared, [given(0, kind)[0], given(0, kind)[1], *given(2, kind)[2:5]])
    exchanged(comm)
"""


def given(rank: int, kind: str) -> np.ndarray:
    """Cells of a rank."""
    cells = np.random.default_rng(rank).integers(-3, 4, 9).astype(kind)
    if kind.startswith("f"):
        cells[rank * 2] = np.nan
    return cells


def expected(combine: ir.Combine, kind: str, size: int) -> np.ndarray | None:
    """What comes of the cells of all ranks; None where the operation has no meaning."""
    is_bits = combine in (ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.BIT_XOR)
    is_truth = combine in (ir.Combine.AND, ir.Combine.OR)
    if (is_bits and kind.startswith("f")) or is_truth != (kind == "?"):
        return None
    found = given(0, kind)
    for rank in range(1, size):
        found = OPERATIONS[combine](found, given(rank, kind))
    return found


def test_mpi_combines_and_packs_cells_as_numpy_does() -> None:
    done = said(mpiexec(), "-n", "3", sys.executable, "-c", CELLS)
    assert done.returncode == 0, done.stderr
