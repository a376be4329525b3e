"""The benchmark of graphs that change holds its answers against the static programs, whatever the times are."""

from __future__ import annotations

import pytest

from benchmarks import changing

pytestmark = pytest.mark.filterwarnings("ignore::starplat.StarplatWarning")


def test_batches_on_the_cpu_come_to_the_static_answers(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--graphs", "rmat6", "--target", "opencl", "--shares", "0.05", "--batches", "2", "--repeat", "1")
    assert changing.main(list(given)) == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[lines.index(changing.HEAD) + 1 :]
    assert [line.split()[3] for line in table] == ["apply", *changing.ROWS]
    assert all("right" in line for line in table)
