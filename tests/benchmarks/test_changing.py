"""The benchmark of graphs that change holds its answers against the static programs, whatever the times are."""

from __future__ import annotations

import pytest

from benchmarks import changing


def test_batches_on_the_cpu_come_to_the_static_answers(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--graphs", "rmat6", "--target", "opencl", "--shares", "0.05", "--batches", "2", "--repeat", "1")
    assert changing.main(list(given)) == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[lines.index(changing.HEAD) + 1 :]
    assert [line.split()[3] for line in table] == ["apply", *changing.ROWS]
    assert all("right" in line for line in table)


def test_a_batch_is_compared_with_the_change_of_the_graph_in_both_in_neither_and_in_its_time_alone() -> None:
    line = changing.Line("rmat22", 0.001, "sssp", batch=4.0, applied=1.0, static=15.0, right=True)
    assert line.readings == (5.0, 4.0, 3.75)
    assert line.keeps_promise
    assert not changing.Line("rmat22", 0.001, "sssp", batch=4.0, applied=0.9, static=15.0, right=True).keeps_promise
    assert changing.Line("rmat22", 0.001, "sssp", batch=1.0, applied=1.0, static=1.0, right=True).readings[0] > 1e9
    assert changing.Line("rmat22", 0.01, "apply", batch=1e-3, applied=1e-3, static=None, right=True).keeps_promise
