"""What a device is asked to do: nothing but what the program needs, and numbers reach kernels as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.graph.graph import Graph
from starplat.runtime.devices.opencl import OpenCLDevice, OpenCLKernels
from tests.runtime.devices import device_of, every_target

EXAMPLES = Path(__file__).parents[2] / "examples"

COMMANDS = {
    "launch": (OpenCLKernels, "start"),
    "fill": (OpenCLDevice, "_fill"),
    "copy": (OpenCLDevice, "_copy"),
    "read": (OpenCLDevice, "_read_cell"),
    "write": (OpenCLDevice, "_write_cell"),
    "up": (OpenCLDevice, "_upload"),
    "down": (OpenCLDevice, "_download"),
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often an OpenCL device has been asked for what."""
    device_of("opencl")
    counted: Counter[str] = Counter()

    def counting(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def count(*arguments: Any) -> Any:
            counted[name] += 1
            return method(*arguments)

        return count

    for name, (owner, method) in COMMANDS.items():
        monkeypatch.setattr(owner, method, counting(name, getattr(owner, method)))
    return counted


def chain(n: int) -> Graph:
    """A path, both ways."""
    left = np.arange(n - 1)
    return Graph.from_arcs(n, np.concatenate([left, left + 1]), np.concatenate([left + 1, left]))


def again(asked: Counter[str], program: str, graph: Graph, **given: Any) -> Counter[str]:
    """What is asked for in a run on a graph that is on the device already."""
    compiled = starplat.compile(EXAMPLES / f"{program}.sp")
    compiled.run(graph, target="opencl", results=[], **given)
    asked.clear()
    compiled.run(graph, target="opencl", results=[], **given)
    return Counter(asked)


def test_union_find_takes_five_launches_and_nothing_else(asked: Counter[str]) -> None:
    assert again(asked, "connected_components", chain(30)) == {"launch": 5}


def test_a_level_takes_a_launch_for_each_kernel_and_one_word(asked: Counter[str]) -> None:
    given: dict[str, Any] = {"arguments": {"sources": [0]}, "schedule": "loop=host"}
    short, long = (again(asked, "betweenness", chain(n), **given) for n in (20, 30))
    long.subtract(short)
    assert +long == {"launch": 3 * 10, "read": 10}  # two kernels and a word on the way out, one kernel on the way back


@every_target
def test_a_cell_that_is_written_is_there_for_what_comes_next(target: str) -> None:
    device = device_of(target)
    for dtype in (np.bool_, np.int32, np.int64, np.float32, np.float64):
        buffer = device.allocate(np.dtype(dtype), 5)
        device.fill(buffer, 0)
        device.write_cell(buffer, 3, 1)
        assert device.read_cell(buffer, 3) == dtype(1)
        assert device.download(buffer).tolist() == [dtype(0)] * 3 + [dtype(1), dtype(0)]
        device.release(buffer)


NUMBERS = """
function numbers(Graph g, propNode<long> whole, propNode<double> real, propNode<float> small, propNode<node> to,
                 bool b, int i, long l, float x, double y, node s) {
  forall (v in g.nodes()) {
    v.whole = l - i;
    v.real = y;
    v.small = x;
    v.to = v;
    if (b) {
      v.to = s;
    }
  }
}
"""


@every_target
def test_numbers_of_every_type_reach_a_kernel(target: str) -> None:
    device_of(target)
    program = starplat.compile(NUMBERS)
    for b, i, long, x, y in ((True, -(2**31), 2**62 + 3, 0.1, 1e300), (False, 2**31 - 1, -(2**63) + 2**31, -1.5, -0.0)):
        given = {"b": b, "i": i, "l": long, "x": x, "y": y, "s": 2}
        found = program.run(chain(4), target=target, arguments=given)
        assert found["whole"].tolist() == [long - i] * 4
        assert found["real"].tobytes() == np.full(4, y).tobytes()
        assert found["small"].tolist() == [np.float32(x)] * 4
        assert found["to"].tolist() == ([2] * 4 if b else [0, 1, 2, 3])
