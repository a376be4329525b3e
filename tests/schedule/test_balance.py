"""Step `balance`: threads share arcs where an arc is a step of its own, and never where arcs belong together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from starplat.backends.hip import HIP
from starplat.backends.opencl import CAPABILITIES as OPENCL, CPU_CAPABILITIES
from starplat.backends.sycl import CAPABILITIES as SYCL
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.shapes.searching import asking, searching
from starplat.ir.visitor import launched_alone
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from starplat.schedule.schedule import Schedule
from tests.programs.cases import EXAMPLES
from tests.schedule import near_misses
from tests.schedule.programs import CUDA, RENAMED, SSSP, TWO_FLAGS, assert_same_answers, module_of, scheduled, shape

SHARED = ("a continue among the arcs", "gathering with filters", "gathering the least")
ALONE = (
    "a break among the arcs", "arcs whose order matters", "what is ahead of the arcs changes",
    "something after the arcs", "arcs of another node", "a function ahead of the arcs writes",
)  # fmt: skip


@pytest.mark.parametrize("text", [SSSP, TWO_FLAGS, RENAMED], ids=["one flag", "two flags", "renamed"])
def test_relaxations_share_arcs(text: str) -> None:
    assert shape(scheduled(text)).shares >= 1


@pytest.mark.parametrize("example", ["sssp", "bfs", "k_core", "radii", "closeness", "betweenness", "pagerank"])
def test_kernels_of_examples_share_arcs(example: str) -> None:
    assert shape(scheduled((EXAMPLES / f"{example}.sp").read_text(encoding="utf-8"))).shares >= 1


@pytest.mark.parametrize("text", near_misses.SHARES.values(), ids=near_misses.SHARES)
def test_what_is_special_stays_right(text: str) -> None:
    assert_same_answers(text)


@pytest.mark.parametrize("name", ALONE)
def test_arcs_that_belong_together_stay_together(name: str) -> None:
    assert shape(scheduled(near_misses.SHARES[name])).shares == 0
    assert shape(for_target(near_misses.SHARES[name], OPENCL)).shares == 0


@pytest.mark.parametrize("name", SHARED)
def test_arcs_that_are_steps_of_their_own_are_shared(name: str) -> None:
    assert shape(scheduled(near_misses.SHARES[name])).shares == 1
    assert shape(for_target(near_misses.SHARES[name], OPENCL)).shares == 1


@pytest.mark.parametrize("way", ["balance=node", "target"])
def test_nothing_is_shared_where_nobody_asks_or_nobody_can(way: str) -> None:
    if way == "target":
        module = decided(module_of(SSSP), Schedule(), replace(CUDA, shared_arcs=False)).module
    else:
        module = scheduled(SSSP, way)
    assert shape(module).shares == 0


@pytest.mark.parametrize("text", near_misses.ALL.values(), ids=near_misses.ALL)
def test_only_kernels_over_nodes_share_arcs(text: str) -> None:
    for kernel in scheduled(text).kernels:
        assert not kernel.shares_arcs or isinstance(kernel.domain, ir.AllNodes | ir.Listed)


# --- launches of their own -----------------------------------------------------------------------------------------


def for_target(text: str, capabilities: Capabilities, schedule: str = "auto") -> ir.Module:
    return decided(module_of(text), parse_schedule(schedule), capabilities).module


def sharing(module: ir.Module) -> int:
    """How many kernels that the host launches share arcs."""
    return sum(kernel.shares_arcs for kernel in launched_alone(module))


ONCE = """function once(Graph g, propNode<int> a, propNode<long> b) {
  forall (v in g.nodes().filter(a > 1)) { forall (w in g.neighbors(v)) { w.b += v.a; } }
}"""


@pytest.mark.parametrize("text", [SSSP, TWO_FLAGS, RENAMED, ONCE], ids=["one flag", "two flags", "renamed", "no loop"])
def test_launches_of_the_host_share_arcs_by_warps_or_by_groups(text: str) -> None:
    assert sharing(for_target(text, CUDA, "loop=host")) >= 1
    assert sharing(for_target(text, OPENCL, "loop=host")) >= 1


def test_groups_of_sycl_do_so_too() -> None:
    assert sharing(for_target(SSSP, SYCL, "loop=host")) == sharing(for_target(SSSP, OPENCL, "loop=host"))
    assert sharing(for_target(SSSP, replace(SYCL, quick_groups=False), "loop=host")) == 0


def test_wavefronts_share_arcs_as_warps_do() -> None:
    lacking = {"clusters": False, "managed_memory": False, "peers": False, "rows_with_room": False}
    assert HIP.capabilities == replace(CUDA, atomics=HIP.capabilities.atomics, **lacking)
    assert shape(for_target(SSSP, HIP.capabilities)).shares >= 1
    assert shape(for_target(SSSP, HIP.capabilities, "balance=node")).shares == 0


def test_groups_share_arcs_where_waiting_is_cheap_or_where_that_is_asked_for() -> None:
    assert sharing(for_target(SSSP, OPENCL)) == sharing(for_target(SSSP, CPU_CAPABILITIES, "balance=edge")) == 2
    assert sharing(for_target(SSSP, CPU_CAPABILITIES)) == 0
    assert sharing(for_target(SSSP, OPENCL, "balance=node")) == 0
    assert sharing(for_target(SSSP, replace(OPENCL, group_rows=False))) == 0


STORES = {
    "only there": ("v.b = 7;", 1),
    "read by an arc": ("v.b = 7;", 0),
    "read by the filter": ("v.c = 7;", 1),
    "written by an arc": ("v.d = 7;", 0),
    "of what changes": ("v.b = v.d;", 0),
    "added": ("v.b += 7;", 1),
    "added as by an arc": ("v.d += 7;", 1),
    "changed otherwise than by an arc": ("v.d |= 7;", 0),
    "under a condition": ("if (v.b > 7) { v.b = 7; }", 1),
    "told to all": ("total += v.b;", 1),
}


@pytest.mark.parametrize("name", STORES)
def test_what_is_stored_ahead_of_the_arcs_must_be_nobody_elses(name: str) -> None:
    """One thread does it, once, of a warp as of a group, and others may have the node's arcs at any time."""
    ahead, shares = STORES[name]
    added = "w.b" if name == "read by an arc" else "1"
    text = f"""function f(Graph g, propNode<int> b, propNode<int> c, propNode<int> d) {{
      long total = 0;
      forall (v in g.nodes().filter(c > 1)) {{ {ahead} forall (w in g.neighbors(v)) {{ w.d += {added}; }} }}
      return total;
    }}"""
    assert (sharing(for_target(text, CUDA)), sharing(for_target(text, OPENCL))) == (shares, shares)


SEARCHES = {
    "a flag": "if (u.a > v.a) { v.f = True; break; }",
    "a value of the node": "if (u.a > v.a) { v.b = v.a; break; }",
}
DEPENDENT = {
    "which neighbor": "if (u.a > v.a) { v.b = u.a; break; }",
    "what is stored decides": "if (u.b > v.a) { v.b = 7; break; }",
    "no end": "if (u.a > v.a) { v.f = True; }",
    "a neighbor's cell": "if (u.a > v.a) { u.f = True; break; }",
}


def looking(body: str) -> str:
    loop = f"forall (v in g.nodes().filter(a > 1)) {{ for (u in g.neighbors(v)) {{ {body} }} }}"
    return f"function f(Graph g, propNode<int> a, propNode<int> b, propNode<bool> f) {{ {loop} }}"


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_that_does_the_same_whatever_it_finds_is_shared(name: str) -> None:
    module = for_target(looking(SEARCHES[name]), CUDA)
    assert sharing(module) == 1
    assert searching(module.kernels[0]) is not None
    assert sharing(for_target(looking(SEARCHES[name]), OPENCL)) == 0  # groups have no search


@pytest.mark.parametrize("name", DEPENDENT)
def test_other_searches_stay_in_one_thread(name: str) -> None:
    assert sharing(for_target(looking(DEPENDENT[name]), CUDA)) == 0


ANSWERS = {
    "yes": "bool any = False; for (u in g.neighbors(v)) { if (u.a > v.a) { any = True; break; } } v.f = any;",
    "no": "bool all = True; for (u in g.neighbors(v)) { if (u.a > v.a) { all = False; break; } } if (all) { v.b = 7; }",
    "two tests": "bool any = False; "
    "for (u in g.neighbors(v)) { if (u.a > v.a) { if (u.a > 7) { any = True; break; } } } v.f = any;",
    "a value ahead": "int mine = v.a + 1; bool any = False; "
    "for (u in g.neighbors(v)) { if (u.a > mine) { any = True; break; } } v.f = any || mine > 7;",
    "the filter's cell changes": "bool any = False; "
    "for (u in g.neighbors(v)) { if (u.b > v.b) { any = True; break; } } if (any) { v.a += 1; }",
}
OTHER_ANSWERS = {
    "which neighbor": "int any = -1; for (u in g.neighbors(v)) { if (u.a > v.a) { any = u; break; } } v.b = any;",
    "counted": "int n = 0; for (u in g.neighbors(v)) { if (u.a > v.a) { n += 1; if (n > 2) { break; } } } v.b = n;",
    "the answer decides": "bool any = False; "
    "for (u in g.neighbors(v)) { if (u.a > v.a && !any) { any = True; break; } } v.f = any;",
    "a cell that not every arc may have": "bool any = False; "
    "for (u in g.neighbors(v)) { if (u.b < 0 || a[u.b] > v.a) { any = True; break; } } v.f = any;",
    "a value ahead changes": "int mine = v.b + 1; bool any = False; "
    "for (u in g.neighbors(v)) { if (u.a > mine) { any = True; break; } } v.b = any ? 1 : 2;",
}


def asked(body: str) -> str:
    loop = f"forall (v in g.nodes().filter(a > 1)) {{ {body} }}"
    return f"function f(Graph g, propNode<int> a, propNode<int> b, propNode<bool> f) {{ {loop} }}"


@pytest.mark.parametrize("name", ANSWERS)
def test_nodes_that_ask_whether_an_arc_passes_share_arcs(name: str) -> None:
    module = for_target(asked(ANSWERS[name]), CUDA)
    assert sharing(module) == 1
    assert asking(module.kernels[0]) is not None
    assert sharing(for_target(asked(ANSWERS[name]), OPENCL)) == 1


@pytest.mark.parametrize("name", OTHER_ANSWERS)
def test_nodes_that_learn_more_of_their_arcs_take_them_in_order(name: str) -> None:
    assert {sharing(for_target(asked(OTHER_ANSWERS[name]), able)) for able in (CUDA, OPENCL)} == {0}
