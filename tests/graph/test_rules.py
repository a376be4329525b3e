"""What the readers accept and what they refuse: a small file for each rule, and its verdict, in `rules/`.

`rules/expected.json` says of every file either the graph in it (whether it is directed, the ids of its nodes in their
order, its arcs with weights, 1 where it has none) or the code, the place and some words of the refusal. Another reader
of these formats can be held against the same files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, read
from tests.graph.graphs import well_formed

RULES = Path(__file__).parent / "rules"
EXPECTED: dict[str, dict[str, Any]] = json.loads((RULES / "expected.json").read_text(encoding="utf-8"))


def test_every_file_has_a_verdict() -> None:
    assert sorted(path.name for path in RULES.iterdir() if path.name != "expected.json") == sorted(EXPECTED)


@pytest.mark.filterwarnings("ignore:.*they count 1")
@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_gets_its_verdict(name: str) -> None:
    expected = EXPECTED[name]
    if "refused" not in expected:
        graph = read(RULES / name)
        assert as_verdict(graph) == expected
        assert well_formed(graph)
        return
    with pytest.raises(DiagnosticError) as caught:
        read(RULES / name)
    (diagnostic,) = caught.value.diagnostics
    place = f":{expected['at']}" if "at" in expected else ""
    assert diagnostic.code == expected["refused"]
    assert diagnostic.message.startswith(f"{RULES / name}{place}: ")
    assert expected["words"] in diagnostic.message


def as_verdict(graph: Graph) -> dict[str, Any]:
    """A graph as `expected.json` has it."""
    ids = graph.original_ids
    weights = [1] * graph.num_arcs if graph.weights is None else graph.weights.tolist()
    arcs = zip(ids[graph.sources].tolist(), ids[graph.columns].tolist(), weights, strict=True)
    return {"directed": graph.directed, "ids": ids.tolist(), "arcs": [list(arc) for arc in arcs]}
