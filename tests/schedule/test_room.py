"""Which programs may have room in their rows, and what becomes of their kernels."""

from __future__ import annotations

import pytest

import starplat
from starplat.algorithms import program
from starplat.backends.cuda import CUDA
from starplat.backends.openmp import OPENMP
from starplat.backends.scheduled import for_target
from starplat.diagnostics import DiagnosticError
from starplat.ir.printing.modules import print_module
from starplat.schedule.parse import parse_schedule
from starplat.schedule.updates.room import pays_in_place

IN_PLACE = parse_schedule("updates=in_place")


def around(body: str, parameters: str = "propNode<int> x, propEdge<int> y") -> str:
    return f"""Dynamic f(Graph g, {parameters}, updates<g> U, int size) {{
      Batch (U : size) {{
        g.updateCSRAdd(U);
        {body}
      }}
    }}"""


def reason(text: str, target: str = "openmp") -> str:
    with pytest.raises(DiagnosticError) as refused:
        for_target(starplat.compile(text).module(), target, IN_PLACE)
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "E0665"
    return diagnostic.message.rpartition("rows have no room (")[2].rstrip(")") or diagnostic.message


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("forall (v in g.nodes()) { v.x = g.num_edges(); }", "asks for the number of edges"),
        ("int m = g.num_edges(); forall (v in g.nodes()) { v.x = m; }", "asks for the number of edges"),
        ("forall (e in g.edges()) { e.y = e; }", "takes an edge for a number"),
        ("forall (e in g.edges()) { if (e > 3) { e.y = 1; } }", "takes an edge for a number"),
        ("forall (v in g.nodes()) { edge e = 3; e.y = 1; }", "takes a number for an edge"),
        (
            "forall (v in g.nodes()) { for (w in g.inOutNbrs(v)) { v.x += w; } }",
            "asks for the first edge of a node, or goes over its edges both ways",
        ),
        ("edge e = g.get_edge(0, 1); e.y = 1;", "the host looks at edges one by one"),
        ("for (e in g.edges()) { e.y = 1; }", "takes a number for an edge"),
    ],
)
def test_programs_that_ask_where_edges_lie_are_refused_with_the_reason(body: str, why: str) -> None:
    assert why in reason(around(body))


def test_edges_as_results_are_refused() -> None:
    text = around("forall (v in g.nodes()) { v.x = g.get_edge(v, v); }", "propNode<edge> x")
    assert reason(text) == "an argument or a result holds edges"


def test_a_graph_that_does_not_change_needs_no_room() -> None:
    assert "no graph changes" in reason("function f(Graph g, propNode<int> x) { forall (v in g.nodes()) { v.x = 1; } }")


@pytest.mark.parametrize("target", ["hip", "webgpu", "sycl", "openacc"])
def test_targets_say_what_they_lack(target: str) -> None:
    module = program("dynamic_degrees").module()
    with pytest.raises(DiagnosticError) as refused:
        for_target(module, target, IN_PLACE)
    assert "it has no kernels that pass over room in rows" in refused.value.diagnostics[0].message


def test_kernels_pass_over_slots_without_arcs() -> None:
    body = """forall (v in g.nodes()) {
      for (w in g.neighbors(v)) {
        v.x += w;
      }
      v.x += g.count_outNbrs(v);
    }
    forall (e in g.edges()) {
      e.y = 0;
    }"""
    text = print_module(for_target(starplat.compile(around(body)).module(), "openmp", IN_PLACE))
    assert "if w >= 0" in text
    assert "row_ends[v] - row_offsets[v]" in text
    assert "where columns[e] >= 0" in text
    assert "  rows with room" in text


def kernels_in_place(body: str, parameters: str) -> str:
    module = for_target(starplat.compile(around(body, parameters)).module(), "openmp", IN_PLACE)
    return print_module(module)


@pytest.mark.parametrize(
    ("filter", "tests"),
    [
        ("!y", "where !y[e] && columns[e] >= 0"),
        ("y && !z", "where y[e] && !z[e] && columns[e] >= 0"),
        ("w > 3", "where columns[e] >= 0 && w[e] > 3"),
        ("!y && w > 3", "where columns[e] >= 0 && (!y[e] && w[e] > 3)"),
    ],
)
def test_flags_of_slots_are_read_before_their_neighbors(filter: str, tests: str) -> None:
    parameters = "propEdge<bool> y, propEdge<bool> z, propEdge<int> w"
    assert tests in kernels_in_place(f"forall (e in g.edges().filter({filter})) {{ e.w = 1; e.z = True; }}", parameters)


@pytest.mark.parametrize(
    ("filter", "keep", "then"),
    [
        ("!y", "return !y[e]; }", "if (columns[e] < 0) return -1;"),
        ("w > 3", "return columns[e] >= 0 && w[e] > 3; }", "const int a"),
    ],
)
def test_flags_alone_are_tested_before_an_arc_is_noted(filter: str, keep: str, then: str) -> None:
    body = f"""forall (e in g.edges().filter({filter})) {{
      node a = e.destination;
      forall (c in g.neighbors(a)) {{
        c.x = 1;
      }}
    }}"""
    text = around(body, "propNode<int> x, propEdge<bool> y, propEdge<int> w")
    lines = CUDA.kernels_text(for_target(starplat.compile(text).module(), "cuda", IN_PLACE)).splitlines()
    place = next(number for number, line in enumerate(lines) if keep in line)
    assert "-> int {" in lines[place + 1]
    assert then in lines[place + 2]


@pytest.mark.parametrize(
    ("ends", "asked"),
    [
        ("e.source, e.destination", "first_of_parallel(row_offsets, columns, e, v, w)"),
        ("e.destination, e.source", "find_arc_among_gaps(w, v)"),
        ("v, v", "find_arc_among_gaps(v, v)"),
    ],
)
def test_whether_an_arc_is_the_first_of_those_parallel_takes_no_search(ends: str, asked: str) -> None:
    body = f"""forall (v in g.nodes()) {{
      for (w in g.neighbors(v)) {{
        edge e = g.get_edge(v, w);
        if (e == g.get_edge({ends})) {{
          v.x += 1;
        }}
      }}
    }}"""
    assert asked in kernels_in_place(body, "propNode<int> x")


def test_a_module_without_the_knob_stays_as_it_is() -> None:
    module = program("dynamic_sssp").module()
    assert for_target(module, "openmp", parse_schedule("auto")) == for_target(
        module, "openmp", parse_schedule("updates=merge")
    )


@pytest.mark.parametrize(
    ("name", "nodes", "arcs", "pays"),
    [
        ("dynamic_sssp", 2**20, 2**24, True),
        ("dynamic_triangle_count", 2**20, 2**24, True),
        ("dynamic_sssp", 2**10, 2**14, False),  # merging takes no time
        ("dynamic_sssp", 2**23, 2**24, False),  # room would double the graph
        ("dynamic_pagerank", 2**20, 2**24, False),  # all arcs are read again and again
        ("sssp", 2**20, 2**24, False),  # no graph changes
    ],
)
def test_runs_that_leave_it_open_give_room_where_it_pays(name: str, nodes: int, arcs: int, pays: bool) -> None:
    assert pays_in_place(program(name).module(), OPENMP.capabilities, nodes, arcs) is pays
