"""Arrays that a GPU and its host share, told with stand-ins for CuPy and for the driver's virtual memory."""

from __future__ import annotations

import ctypes
import gc
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph.graph import Graph
from starplat.runtime.devices import cuda_split, cupy_device
from starplat.runtime.session import default_session
from tests.runtime.standin import CuPy
from tests.runtime.test_cuda_standin import StandInDevice

PAGE = 64
GPU, HOST = (1, 0), (3, 1)
SUM = starplat.compile("""
function sum(Graph g, propEdge<int> weight, propNode<int> total) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            v.total += e.weight + w;
        }
    }
}
""")


class Driver:
    """The functions of libcuda that place memory. `pages` has who holds each page, by its address; `lacks` is a place
    that has no memory, `fails` a function with an error of its own."""

    def __init__(self) -> None:
        self.reserved: dict[int, Any] = {}
        self.pages: dict[int, tuple[int, int]] = {}
        self.handles: dict[int, tuple[tuple[int, int], int]] = {}
        self.attributes = {102: 1, 134: 1, 141: 1}
        self.lacks: tuple[int, int] | None = None
        self.fails, self.error = "", 999

    def __getattr__(self, name: str) -> Callable[..., int]:
        def called(*arguments: Any) -> int:
            function = re.sub("(?=[A-Z])", "_", name.removeprefix("cu")).lower()[1:]
            return self.error if name == self.fails else getattr(self, function)(*map(_bare, arguments))

        return called

    def device_get_attribute(self, found: Any, number: int, device: int) -> int:
        found.value = self.attributes[number]
        return 0

    def mem_get_allocation_granularity(self, found: Any, of: Any, option: int) -> int:
        found.value = PAGE
        return 0

    def mem_address_reserve(self, found: Any, size: int, *_: int) -> int:
        cells = np.full(size, 255, np.uint8)
        found.value = cells.ctypes.data
        self.reserved[found.value] = cells
        return 0

    def mem_address_free(self, address: int, size: int) -> int:
        assert len(self.reserved.pop(address)) == size
        assert not any(address <= page < address + size for page in self.pages)
        return 0

    def mem_create(self, found: Any, size: int, of: Any, flags: int) -> int:
        place = (of.place.kind, of.place.number)
        if place == self.lacks:
            return 2
        found.value = len(self.handles) + 1
        self.handles[found.value] = place, size
        return 0

    def mem_release(self, handle: int) -> int:
        self.handles[handle] = (0, 0), 0
        return 0

    def mem_map(self, address: int, size: int, offset: int, handle: int, flags: int) -> int:
        place, held = self.handles[handle]
        assert held == size
        self.pages |= dict.fromkeys(range(address, address + size, PAGE), place)
        return 0

    def mem_unmap(self, address: int, size: int) -> int:
        for page in range(address, address + size, PAGE):
            del self.pages[page]
        return 0

    def mem_set_access(self, address: int, size: int, access: Any, count: int) -> int:
        place = (access.place.kind, access.place.number)
        assert place == GPU or all(self.pages[page] == HOST for page in range(address, address + size, PAGE))
        return 0

    def ctx_synchronize(self) -> int:
        return 0

    def device_get_p2_p_attribute(self, found: Any, attribute: int, device: int, other: int) -> int:
        found.value = int((attribute, device, other) == (3, 0, 1))
        return 0


def _bare(argument: Any) -> Any:
    """What C has: numbers, and what pointers point to."""
    return argument._obj if hasattr(argument, "_obj") else getattr(argument, "value", argument)


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    made = Driver()

    class Split(cuda_split.SplitMemory):
        @property
        def cells(self) -> Any:
            return made.reserved[self.address]

    monkeypatch.setattr(cuda_split, "_driver", lambda: made)
    monkeypatch.setattr(cupy_device, "SplitMemory", Split)
    device = StandInDevice(CuPy(), 0)
    monkeypatch.setitem(default_session()._devices, ("cuda", 0), device)
    yield made
    device.close()
    gc.collect()


def graph() -> Graph:
    generator = np.random.default_rng(5)
    ends = generator.integers(0, 20, (2, 100))
    return Graph.from_arcs(20, ends[0], ends[1], generator.integers(1, 9, 100), directed=True)


def run(taken: Graph, **how: Any) -> Any:
    return SUM.run(taken, target="cuda", schedule="memory=ondemand,loop=host", device_memory=4 * 41 + 203, **how)


def test_the_first_pages_are_the_gpus_and_the_rest_the_hosts(driver: Driver) -> None:
    taken = graph()
    result = run(taken)
    assert result["total"].tolist() == SUM.run(taken, target="reference")["total"].tolist()
    assert result["weight"].tolist() == taken.weights.tolist()
    assert dict(result.estimate.mapped) == {"columns": 400 - 192, "weight": 400}
    (start,) = driver.reserved
    assert [driver.pages[start + PAGE * page] for page in range(7)] == [GPU] * 3 + [HOST] * 4
    assert driver.reserved[start][:400].view(np.int32).tolist() == taken.columns.tolist()
    assert set(driver.reserved[start][400:].tolist()) == {255}
    assert run(taken).bytes.up == 0


def test_memory_goes_with_the_graph(driver: Driver) -> None:
    taken = graph()
    run(taken)
    default_session().device("cuda").forget_graphs()
    del taken
    gc.collect()
    assert (driver.reserved, driver.pages) == ({}, {})


@pytest.mark.parametrize("place", [GPU, HOST])
def test_a_place_without_memory_leaves_nothing_behind(driver: Driver, place: tuple[int, int]) -> None:
    driver.lacks, taken = place, graph()
    result = run(taken)
    assert result["total"].tolist() == SUM.run(taken, target="reference")["total"].tolist()
    assert dict(result.estimate.mapped) == {"columns": 400, "weight": 400}
    assert (driver.reserved, driver.pages) == ({}, {})


def test_a_driver_that_fails_is_a_fault_of_the_device(driver: Driver) -> None:
    driver.fails = "cuMemMap"
    with pytest.raises(DiagnosticError, match=r"E0906.*cuMemMap failed with error 999"):
        run(graph())
    assert (driver.reserved, driver.pages) == ({}, {})


@pytest.mark.parametrize("error", [304, 800, 801])
def test_where_the_system_refuses_to_place_memory_arrays_lie_whole(driver: Driver, error: int) -> None:
    driver.fails, driver.error, taken = "cuMemCreate", error, graph()
    result = run(taken)
    assert result["total"].tolist() == SUM.run(taken, target="reference")["total"].tolist()
    assert dict(result.estimate.mapped) == {"columns": 400, "weight": 400}
    assert (driver.reserved, driver.pages) == ({}, {})
    assert default_session().device("cuda").split_unit is None


@pytest.mark.parametrize("number", [102, 141])
def test_drivers_that_cannot_split(driver: Driver, number: int) -> None:
    driver.attributes[number] = 0
    assert cuda_split.unit(0) is None
    assert ctypes.sizeof(cuda_split._Properties) == 32


def test_devices_are_peers_only_where_atomic_operations_cross(driver: Driver) -> None:
    assert cuda_split.changes_atomically(0, 1)
    assert not cuda_split.changes_atomically(0, 2)
    driver.fails = "cuDeviceGetP2PAttribute"
    assert not cuda_split.changes_atomically(0, 1)
