"""`explain --device-memory`: what a run within so much memory would follow, and what would lie where."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from starplat.sizes import in_words
from tests.cli.conftest import Outcome
from tests.runtime.devices import device_of

Starplat = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("name", "size", "memory"),
    [("bfs_levels", "600K", "ondemand"), ("sssp", "600K", "ondemand"), ("pagerank", "4G", "auto")],
)
def test_what_is_foreseen_is_what_a_run_does(starplat: Starplat, name: str, size: str, memory: str) -> None:
    device_of("opencl")
    words = (name, "-g", "liechtenstein", "-t", "opencl", "--device-memory", size)
    plan = starplat("explain", *words, "--json").json["schedule"]
    assert plan["schedule"]["memory"] == memory
    room = plan["choices"][-1]
    source = ("--arg", "src=1") if name != "pagerank" else ()
    mapped = sum(starplat("run", *words, *source, "--json").json["bytes"].get("mapped", {}).values())
    assert (mapped > 0) is (memory == "ondemand")
    assert room["step"] == "room"
    assert room["why"] == f"a run may take {size} of the device's memory"
    assert room["what"].endswith(f"{in_words(mapped)} in the host's memory")
    assert ("arcs of every row" in room["what"]) is (name == "bfs_levels")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "what has room depends on the graph: give --graph too"),
        (("-g", "liechtenstein", "--for", "gpu"), 2, "asks a device that is here, and cannot go with --for"),
        (("-g", "liechtenstein", "--devices", "2"), 2, "is about a run on one device"),
        (("-g", "liechtenstein"), 3, "error[E0908]"),
    ],
)
def test_what_has_no_room_or_no_graph_is_refused(
    starplat: Starplat, words: tuple[str, ...], code: int, said: str
) -> None:
    device_of("opencl")
    found = starplat("explain", "bfs_levels", *words, "-t", "opencl", "--device-memory", "1K")
    assert said in found.err
    assert found.code == code
