"""Step `frontier`: sets that a program makes of others (union, intersection, subtraction, copy), counts, takes members
out of, asks for and clears, in every spelling; what cannot be a set stays flags, and the reason is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from starplat.backends import BACKENDS
from starplat.ir import nodes as ir
from starplat.ir.shapes.members import membership
from starplat.ir.visitor import loops_of, walk_host
from starplat.runtime import run_module
from starplat.runtime.validate import first_difference
from starplat.schedule import PLAIN
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from starplat.schedule.step import Decided
from tests.backends.emulated import Machine, emulated
from tests.programs.targets import TARGETS, Target
from tests.schedule.programs import arguments_for, assert_same_answers, module_of, program_of
from tests.zoo import ZOO

TARGETS_OF_BOTH_KINDS = ("cuda", "openmp")
"""One that runs whole loops in one launch, and one whose loops the host drives."""


def rounds(body: str, *, more: str = "") -> str:
    """A program whose rounds are `body`, over four sets of flags that begin with one node in two of them."""
    return f"""function f(Graph g, propNode<int> turns, node src) {{
  propNode<bool> a; propNode<bool> b; propNode<bool> c; propNode<bool> seen;
  g.attachNodeProperty(a = False, b = False, c = False, seen = False, turns = 0);
  src.a = True;
  src.b = True;
  int round = 0;{more}
  while (round < 6) {{
    {body}
    round += 1;
  }}
}}"""


def walk(members: str, to: str = "c") -> str:
    """Everybody in a set counts, and puts its neighbors into another."""
    asked = f"forall (v in g.nodes().filter({members}))"
    return f"{asked} {{ v.turns += round + 1; forall (w in g.neighbors(v)) {{ w.{to} = True; }} }}\n    "


CLEAR_C = "g.attachNodeProperty(c = False);"
NEXT = "g.attachNodeProperty(a = c, c = False);"

SETS = {
    "union by a walk": (rounds(walk("a", "b") + "forall (v in g.nodes().filter(b == True)) { v.a = True; }"), "ab"),
    "union stored": (rounds("forall (v in g.nodes()) { v.c = v.a || v.b; }\n" + walk("c", "b")), "abc"),
    "union by ||=": (rounds("forall (u in g.nodes()) { u.a ||= u.b; }\n" + walk("a == True", "b")), "ab"),
    "union in place": (rounds("forall (u in g.nodes()) { u.a = u.b || u.a; }\n" + walk("a", "b")), "ab"),
    "a walk over either": (rounds(walk("a == True || b") + NEXT), "abc"),
    "whoever is in either": (
        rounds("forall (v in g.nodes()) { if (v.a || v.b == True) { v.c = True; } }\n" + walk("c", "b") + CLEAR_C),
        "abc",
    ),
    "intersection by filter": (
        rounds("forall (v in g.nodes().filter(a == True && b == True)) { v.c = True; }\n"
               + walk("c", "a") + walk("c", "b") + CLEAR_C),
        "ac",
    ),
    "intersection stored": (
        rounds("forall (v in g.nodes()) { v.c = v.a && v.b; }\n" + walk("c", "a") + walk("c", "b")), "ac"
    ),
    "intersection in place": (
        rounds("forall (v in g.nodes()) { v.a = v.b && v.a; }\n" + walk("a", "b") + walk("b", "a")), "ab"
    ),
    "intersection by &&=": (
        rounds("forall (v in g.nodes()) { v.a &&= v.b; }\n" + walk("a", "b") + walk("b", "a")), "ab"
    ),
    "intersection nested": (
        rounds("forall (v in g.nodes()) { if (v.a) { if (v.b) { v.c = True; } } }\n"
               + walk("c", "a") + walk("c", "b") + CLEAR_C),
        "ac",
    ),
    "subtraction by filter": (
        rounds("forall (v in g.nodes().filter(seen == False && a == True)) { v.c = True; }\n"
               "forall (v in g.nodes().filter(c)) { v.seen = True; }\n" + walk("c", "a") + CLEAR_C),
        "ac",
    ),
    "subtraction stored": (
        rounds("forall (v in g.nodes()) { v.a = v.c && !v.seen; }\n"
               "forall (v in g.nodes().filter(a)) { v.seen = True; }\n" + walk("a") + "src.c = True;"),
        "ac",
    ),
    "subtraction either way": (
        rounds("forall (v in g.nodes()) { if (v.c && !v.seen) { v.a = True; } else { v.a = False; } }\n"
               "forall (v in g.nodes().filter(a)) { v.seen = True; }\n" + walk("a") + "src.c = True;"),
        "ac",
    ),
    "members of another are taken out": (
        rounds("forall (v in g.nodes().filter(seen == True)) { v.a = False; }\n"
               "forall (v in g.nodes().filter(a)) { v.seen = True; }\n" + walk("a") + NEXT),
        "ac",
    ),
    "some members are taken out": (
        rounds("forall (v in g.nodes().filter(a && v % 3 == round % 3)) { v.a = False; }\n" + walk("a") + NEXT), "ac"
    ),
    "those who leave do something": (
        rounds("forall (v in g.nodes()) { if (v.a && v.turns > 3) { v.a = False; v.turns += 100; } }\n"
               + walk("a") + "forall (v in g.nodes().filter(c)) { v.a = True; }"),
        "ac",
    ),
    "those who leave tell their neighbors": (
        rounds("forall (v in g.nodes().filter(a && v % 3 == round % 3)) {\n"
               "  v.a = False;\n  forall (w in g.neighbors(v)) { w.turns += 10; }\n}\n"
               + walk("a") + "forall (v in g.nodes().filter(c)) { v.a = True; }"),
        "ac",
    ),
    "taken out twice in a round": (
        rounds("forall (v in g.nodes().filter(a && v % 3 == round % 3)) { v.a = False; }\n" + walk("a")
               + "if (round % 2 == 0) { forall (v in g.nodes()) { v.a = v.a && !v.c; } }\n"
               "forall (v in g.nodes().filter(c)) { v.a = True; }"),
        "ac",
    ),
    "all leave by a walk": (
        rounds(walk("a") + "forall (v in g.nodes().filter(a)) { v.a = False; }\n"
               "forall (v in g.nodes().filter(c)) { v.a = True; v.c = False; }"),
        "ac",
    ),
    "all leave by a loop over all": (
        rounds(walk("a") + "forall (v in g.nodes()) { v.a = False; }\n"
               "forall (v in g.nodes().filter(c)) { v.a = True; }\nforall (v in g.nodes()) { v.c = False; }"),
        "ac",
    ),
    "one becomes the other in a loop over all": (
        rounds(walk("a") + "forall (v in g.nodes()) { v.a = v.c; v.c = False; }"), "ac"
    ),
    "a copy that both outlive": (
        rounds(walk("a") + "b = a;\nforall (v in g.nodes().filter(c)) { v.a = True; }\n"
               "forall (v in g.nodes().filter(b && !c)) { v.turns += 7; }"),
        "abc",
    ),
    "three change places": (
        rounds(walk("a") + "seen = a; a = c; c = seen;\nforall (v in g.nodes().filter(c)) { v.turns += 9; }"), "ac"
    ),
    "counted by ?:": (
        rounds("count = 0;\nforall (v in g.nodes()) { count += v.a ? 1 : 0; }\n" + walk("a") + NEXT
               + " src.turns = count;",
               more=" int count = 0;"),
        "ac",
    ),
    "counted by a walk": (
        rounds("count = 0;\nforall (v in g.nodes().filter(a == True)) { count++; }\n" + walk("a") + NEXT
               + " src.turns = count;", more=" int count = 0;"),
        "ac",
    ),
    "asked for by others": (
        rounds(walk("a") + "forall (v in g.nodes()) { v.turns += v.a ? 2 : 1; }\n" + NEXT), "ac"
    ),
    "until nobody is new": (
        """function f(Graph g, propNode<int> depth, node src) {
  propNode<bool> now; propNode<bool> told; propNode<bool> done;
  g.attachNodeProperty(now = False, told = False, done = False, depth = -1);
  src.now = True;
  int round = 0;
  bool over = False;
  fixedPoint until (over : !now) {
    forall (v in g.nodes().filter(now)) {
      v.done = True;
      v.depth = round;
      forall (w in g.neighbors(v)) { w.told = True; }
    }
    g.attachNodeProperty(now = False);
    forall (v in g.nodes().filter(told && done == False)) { v.now = True; }
    g.attachNodeProperty(told = False);
    round += 1;
  }
}""",
        ("now", "told"),
    ),
    "SetN, its size, and who is in both": (
        """function f(Graph g, propNode<int> a, propNode<int> b) {
  g.attachNodeProperty(b = 0);
  int i = 0;
  do {
    SetN<g> one; SetN<g> two;
    forall (v in g.nodes().filter(a == i)) { one.add(v); forall (w in g.neighbors(v)) { two.add(w); } }
    int many = two.size();
    forall (v in one) { if (two.contains(v)) { v.b += many; } }
    forall (v in two) { if (!one.contains(v)) { forall (w in g.neighbors(v)) { w.b += 1; } } }
    i += 1;
  } while (i < 4);
}""",
        ("one", "two"),
    ),
}  # fmt: skip
"""Programs, and the names of their sets."""

FLAGS = {
    "neighbors take others out": (
        rounds(walk("a") + "forall (v in g.nodes().filter(a)) { forall (w in g.neighbors(v)) { w.b = False; } }\n"
               + walk("b") + NEXT),
        "b", "f_add_turns_and_set_b takes out single nodes",
    ),
    "the host takes one out": (rounds("src.a = False;\n" + walk("a") + NEXT), "a", "the host removes a single node"),
    "the host asks for one": (
        rounds(walk("a") + "if (src.a) { src.turns = 5; }\n" + NEXT), "a", "the host tests a single node"
    ),
    "all are members at first": (
        rounds("forall (v in g.nodes().filter(a && v % 3 == round % 3)) { v.a = False; }\n" + walk("a")).replace(
            "a = False,", "a = True,", 1),
        "a", "all nodes are added at once",
    ),
    "who leaves is asked for by a walk over either": (
        rounds("forall (v in g.nodes().filter((a || b) && v.turns < 9)) "
               "{ v.turns += 1; forall (w in g.neighbors(v)) { w.c = True; } }\n" + NEXT),
        "a", "no loop walks its members only",
    ),
    "the caller sees them": (
        rounds(walk("a") + NEXT).replace("propNode<int> turns,", "propNode<int> turns, propNode<bool> a,")
        .replace("propNode<bool> a; ", ""),
        "a", "the caller sees its flags",
    ),
}  # fmt: skip
"""Near misses: programs, flags that are no set, and the reason that is told."""


def made(text: str, target: str, schedule: str = "priority=none") -> Decided:
    return decided(module_of(text), parse_schedule(schedule), BACKENDS[target].capabilities)


def sets_said(found: Decided) -> set[str]:
    """The names of the sets that the choices tell of."""
    said = [choice.what.split(":")[0] for choice in found.choices if "a set of nodes" in choice.what]
    return {name for names in said for name in names.split(", ")}


@pytest.mark.parametrize("target", TARGETS_OF_BOTH_KINDS)
@pytest.mark.parametrize(("text", "names"), SETS.values(), ids=SETS)
def test_what_is_made_of_sets_is_a_set(text: str, names: str | tuple[str, ...], target: str) -> None:
    assert set(names) <= sets_said(made(text, target))


@pytest.mark.parametrize("text", [text for text, *_ in (*SETS.values(), *FLAGS.values())], ids=[*SETS, *FLAGS])
def test_answers_stay(text: str) -> None:
    assert_same_answers(text)


@pytest.mark.parametrize("target", TARGETS_OF_BOTH_KINDS)
@pytest.mark.parametrize(("text", "name", "why"), FLAGS.values(), ids=FLAGS)
def test_what_is_no_set_stays_flags_and_says_why(text: str, name: str, why: str, target: str) -> None:
    found = made(text, target)
    assert name not in sets_said(found)
    assert [choice.why for choice in found.choices if choice.what == f"{name}: stays flags"] == [why]


def test_nothing_is_said_of_flags_that_no_loop_walks() -> None:
    text = rounds(walk("a") + "forall (v in g.nodes().filter(!seen)) { v.turns += 1; }\n" + NEXT)
    assert not any("stays flags" in choice.what for choice in made(text, "cuda").choices)


def inside(module: ir.Module) -> Iterator[ir.Launch | ir.Fill | ir.Swap]:
    for loop in loops_of(module):
        yield from (op for op in walk_host(loop.body) if isinstance(op, ir.Launch | ir.Fill | ir.Swap))


@pytest.mark.parametrize(
    "name", ["subtraction by filter", "members of another are taken out", "some members are taken out", "union stored",
             "all leave by a loop over all", "one becomes the other in a loop over all", "a walk over either"]
)  # fmt: skip
def test_nothing_in_a_round_looks_at_all_nodes(name: str) -> None:
    module = made(SETS[name][0], "cuda").module
    launched = [module.kernel(op.kernel) for op in inside(module) if isinstance(op, ir.Launch)]
    assert launched
    assert all(membership(kernel) is not None for kernel in launched)


def test_who_stays_is_put_into_another_set_by_a_walk_that_empties_the_first() -> None:
    module = made(SETS["some members are taken out"][0], "cuda").module
    swaps = {(op.first.name, op.second.name) for op in inside(module) if isinstance(op, ir.Swap)}
    assert ("a", "a_stay") in swaps
    walks = [found for kernel in module.kernels if (found := membership(kernel)) and found.members.name == "a"]
    assert sum(found.takes for found in walks) >= 1


def test_a_kernel_is_taken_apart_only_for_sets() -> None:
    """What is stored for flags that nobody walks stays one kernel over all nodes; they are filled once, at first."""
    text = rounds(walk("a") + "forall (v in g.nodes()) { v.seen = v.a && !v.c; }\n" + NEXT
                  + "forall (v in g.nodes()) { v.turns += v.seen ? 1 : 0; }")  # fmt: skip
    found = made(text, "cuda")
    assert sets_said(found) == {"a", "c"}
    assert sum(isinstance(op, ir.Fill) and op.array.name == "seen" for op in inside(found.module)) == 1


HARD = ("union stored", "a walk over either", "subtraction stored", "those who leave do something",
        "taken out twice in a round", "three change places", "SetN, its size, and who is in both")  # fmt: skip


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize(
    ("name", "frontier"),
    [
        *((name, "auto") for name in HARD),
        *(("taken out twice in a round", kept) for kept in ("queue", "bitmap", "layers")),
    ],
)
def test_threads_of_one_launch_give_the_same_answers(name: str, frontier: str) -> None:
    text = SETS[name][0]
    program = program_of(text)
    module = made(text, "cuda", f"frontier={frontier}").module
    for graph in (ZOO["random"], ZOO["star-out-undirected"]):
        given = arguments_for(program, graph)
        expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
        with emulated(Machine(3, 64, seed=2)):
            found = run_module(module, graph, target="cuda", arguments=given, schedule=PLAIN)
        assert first_difference(found, expected) is None


@pytest.mark.parametrize("target", [t for t in TARGETS if t.target in ("openmp", "opencl")], ids=lambda t: t.label)
@pytest.mark.parametrize("name", HARD[-4:])
def test_devices_give_the_same_answers(name: str, target: Target) -> None:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    text = SETS[name][0]
    program = program_of(text)
    for graph in (ZOO["random"], ZOO["star-out-undirected"]):
        given = arguments_for(program, graph)
        expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
        module, index = made(text, target.target, "auto").module, target.device or 0
        found = run_module(module, graph, target=target.target, device_index=index, arguments=given, schedule=PLAIN)
        assert first_difference(found, expected) is None
