"""Fills that only one branch needs are done there, so that what the branch does can be one launch; fills that anybody
else needs stay where they are."""

from __future__ import annotations

import pytest

from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.schedule.loop.step import with_fills_in_branches
from tests.changing import changed
from tests.schedule.programs import NESTED, SSSP, assert_same_answers, module_of, scheduled, shape

_CLEAR = "    g.attachNodeProperty(dist = INF, modified = False);\n"
_FLAGS = "    propNode<bool> modified;\n    propNode<int> dist;\n"
_ENDS = """v.total += v.dist;
      }
    }
  }
}"""
assert NESTED.endswith(_ENDS)

OTHERWISE = """function spread(Graph w, propNode<int> f, node kernel, int k) {
  propNode<bool> x;
  propNode<bool> y;
  propNode<int> at;
  w.attachNodeProperty(x = False, f = 0);
  w.attachNodeProperty(at = INF);
  w.attachNodeProperty(y = False);
  if (w.count_outNbrs(kernel) / k > 1) {
    forall (v in w.nodes()) {
      v.f = 7;
    }
  } else {
    bool over = False;
    kernel.x = True;
    kernel.at = 1;
    fixedPoint until (over : !x) {
      forall (a in w.nodes().filter(x)) {
        forall (b in w.neighbors(a)) {
          <b.at, b.y> = <Min(b.at, a.at + 1), True>;
        }
      }
      w.attachNodeProperty(x = y, y = False);
    }
    forall (v in w.nodes().filter(at < INF)) {
      v.f = v.at;
    }
  }
}"""
TWICE = changed(
    NESTED,
    (
        "    if (g.count_outNbrs(src) > 0) {\n",
        "    if (g.count_outNbrs(src) > 0) {\n    if (g.count_inNbrs(src) > 0) {\n",
    ),
    (_ENDS, _ENDS.replace("  }\n}", "  }\n  }\n}")),
)
MOVED = {"flags and distances": NESTED, "the other branch, renamed": OTHERWISE, "an if in an if": TWICE}

_AFTER = """v.total += v.dist;
      }
    }
    forall (v in g.nodes().filter(modified)) {
      v.total += 1;
    }
  }
}"""
_OTHERWISE = """v.total += v.dist;
      }
    } else {
      forall (v in g.nodes().filter(!modified)) {
        v.total += 2;
      }
    }
  }
}"""
_BETWEEN = """    forall (v in g.nodes().filter(!modified)) {
      v.total += 2;
    }
"""
STAYS = {
    "asked for after the if": changed(NESTED, (_ENDS, _AFTER)),
    "cleared once for all rounds": changed(
        NESTED, (_FLAGS + _CLEAR, ""), ("  for (src in sources) {\n", f"{_FLAGS}{_CLEAR}  for (src in sources) {{\n")
    ),
    "the condition asks": changed(
        NESTED, ("g.count_outNbrs(src) > 0", "g.count_outNbrs(src) > 0 && src.modified == False")
    ),
    "the other branch asks": changed(NESTED, (_ENDS, _OTHERWISE)),
    "asked for in between": changed(NESTED, (_CLEAR, _CLEAR + _BETWEEN)),
}


def fills_in_branches(text: str) -> set[str]:
    """The arrays that are filled in a branch, after the fills have moved."""
    module = module_of(text)
    entry = with_fills_in_branches(module.function(module.entry), module)
    branches = [op for op in walk_host(entry.body) if isinstance(op, ir.HostIf)]
    row = [op for branch in branches for op in (*walk_host(branch.then), *walk_host(branch.otherwise))]
    return {op.array.name for op in row if isinstance(op, ir.Fill)}


@pytest.mark.parametrize("text", MOVED.values(), ids=MOVED)
def test_a_branch_that_needs_what_was_filled_before_is_one_launch(text: str) -> None:
    made = scheduled(text)
    (launch,) = [op for f in made.functions for op in walk_host(f.body) if isinstance(op, ir.OnDevice)]
    assert sum(isinstance(op, ir.Fill) for op in launch.body) >= 2
    assert shape(made).packed == 2
    assert_same_answers(text, **({"k": 1} if text is OTHERWISE else {}))


@pytest.mark.campaign
@pytest.mark.parametrize("text", [*MOVED.values(), *STAYS.values()], ids=[*MOVED, *STAYS])
def test_answers_are_the_same_on_fibers(text: str) -> None:
    assert_same_answers(text, fibers=True, **({"k": 1} if text is OTHERWISE else {}))


def test_the_other_branch_fills_nothing() -> None:
    assert fills_in_branches(OTHERWISE) == {"x", "y", "at"}


@pytest.mark.parametrize("text", STAYS.values(), ids=STAYS)
def test_what_somebody_else_needs_stays(text: str) -> None:
    assert "modified" not in fills_in_branches(text)
    assert_same_answers(text)


def test_a_result_is_filled_where_the_program_says() -> None:
    """Whoever called looks at it, even if the branch is not taken."""
    text = changed(OTHERWISE, ("node kernel,", "node kernel, propNode<bool> x,"), ("  propNode<bool> x;\n", ""))
    assert fills_in_branches(text) == {"y", "at"}
    assert_same_answers(text, k=1)


def test_without_such_a_branch_a_function_stays_itself() -> None:
    module = module_of(SSSP)
    entry = module.function(module.entry)
    assert with_fills_in_branches(entry, module) is entry
