"""What a profiler counts of cells of the table of figures."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from benchmarks import lines, profiles
from benchmarks.measured.profiler import TIME, sums_of

HEAD = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'


def test_what_the_profiler_prints_is_added_up_by_kernel() -> None:
    said = [
        "==PROF== Connected to process 7",
        "1234",
        HEAD,
        f'"0","walk","{lines.METRIC}","sector","1,200"',
        f'"1","sample_weight","{lines.METRIC}","sector","5"',
        f'"2","walk","{lines.METRIC}","sector","800"',
        '"2","walk","pcie__read_bytes.sum","byte","99"',
    ]
    assert sums_of(said, lines.METRIC, lines.PREPARING) == {"walk": 2000}
    assert sums_of(said, lines.METRIC) == {"walk": 2000, "sample_weight": 5}
    assert sums_of(said, "pcie__read_bytes.sum") == {"walk": 99}


def test_a_cell_is_the_sum_of_its_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [HEAD]
    for kernel, nanoseconds in (("search", 1_500_000), ("fill", 500_000)):
        said += [f'"0","{kernel}","{TIME}","nsecond","{nanoseconds:,}"']
        said += [f'"0","{kernel}","{metric}","byte","4,000,000"' for metric in (profiles.MEMORY, profiles.CACHE)]
    ncu = tmp_path / "ncu"
    ncu.write_text(f"#!{sys.executable}\nimport sys\nassert 'bfs,rmat7' in sys.argv\nprint({chr(10).join(said)!r})\n")
    ncu.chmod(ncu.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr("shutil.which", lambda name: str(ncu))
    assert profiles.main(["--graphs", "rmat7", "--rows", "bfs", "--kernels", "1"]) == 0
    printed = capsys.readouterr().out
    assert "  search: 1.5 ms, 4 MB, 4 MB\nbfs rmat7 2 8.0 8.0\n" in printed


def test_without_a_profiler_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert profiles.main(["--graphs", "rmat7"]) == 3
    assert capsys.readouterr().out == "ncu is not installed\n"
