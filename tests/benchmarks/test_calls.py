"""`benchmarks/calls.py` measures calls of programs that have run before."""

import pytest

from benchmarks import calls
from tests.runtime.devices import device_of


def test_a_line_tells_what_a_call_costs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    device_of("openmp")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")  # which the script sets, for all tests after this one too
    monkeypatch.setattr("sys.argv", ["calls.py", "--graphs", "grid:4", "--algorithms", "bfs", "--runs", "2"])
    assert calls.main() == 0
    _, line = capsys.readouterr().out.splitlines()
    least, median, beside, _, entered = map(float, line.split()[2:])
    assert 0 < beside < least <= median
    assert entered > 100
