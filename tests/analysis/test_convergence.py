"""Both of StarPlat's spellings of a fixed point are recognised by what they mean, near misses are not."""

from __future__ import annotations

import pytest

from starplat.analysis.convergence import Spelling
from tests.analysis.test_races import facts_of

PROGRAM = """
function f(Graph g, propNode<int> dist, node s) {{
  propNode<bool> active;
  propNode<bool> later;
  g.attachNodeProperty(dist = INF, active = False, later = False);
  s.dist = 0;
  s.active = True;
  bool done = False;
  fixedPoint until (done : {condition}) {{
    forall (u in g.nodes().filter(active)) {{
      forall (t in g.neighbors(u)) {{
        {step}
      }}
    }}
    {after}
  }}
}}
"""


@pytest.mark.parametrize(
    ("condition", "step", "after", "expected"),
    [
        ("!active", "<t.dist, t.active> = <Min(t.dist, u.dist + 1), True>;", "", Spelling.ONE_FLAG),
        ("active == False", "<t.dist, t.active> = <Min(t.dist, u.dist + 1), True>;", "", Spelling.ONE_FLAG),
        ("!active", "if (t.dist == INF) { t.dist = 1; t.active = True; }", "", Spelling.ONE_FLAG),
        (
            "!active",
            "<t.dist, t.later> = <Min(t.dist, u.dist + 1), True>;",
            "active = later; g.attachNodeProperty(later = False);",
            Spelling.TWO_FLAGS,
        ),
        (
            "!active",
            "<t.dist, t.later> = <Min(t.dist, u.dist + 1), True>;",
            "g.attachNodeProperty(active = later, later = False);",
            Spelling.TWO_FLAGS,
        ),
        ("!active", "<t.dist, t.active> = <Min(t.dist, u.dist + 1), True>; u.active = False;", "", Spelling.IN_PLACE),
        ("!active", "t.active = u.dist > 3;", "", Spelling.IN_PLACE),
        ("dist < INF", "<t.dist, t.active> = <Min(t.dist, u.dist + 1), True>;", "", Spelling.IN_PLACE),
    ],
)
def test_spelling(condition: str, step: str, after: str, expected: Spelling) -> None:
    facts = facts_of(PROGRAM.format(condition=condition, step=step, after=after))
    (form,) = facts.functions[0].fixed_points
    assert form.spelling is expected


LENT = """
function step(Graph g, propNode<int> dist, propNode<bool> now) {{
  forall (u in g.nodes().filter(now)) {{
    {step}
  }}
}}
function f(Graph g, propNode<int> dist, node s) {{
  propNode<bool> active;
  s.active = True;
  fixedPoint until (done : !active) {{
    step(g, dist, active);
  }}
}}
"""


@pytest.mark.parametrize(
    ("step", "expected", "reason"),
    [
        ("forall (t in g.neighbors(u)) { t.now = True; }", Spelling.ONE_FLAG, "the body writes 'active' only by"),
        ("u.now = False;", Spelling.IN_PLACE, "in 'step' 'now' is written otherwise than by storing True"),
        ("u.dist = 1;", Spelling.IN_PLACE, "the body never stores to 'active'"),
    ],
)
def test_a_flag_is_followed_into_functions(step: str, expected: Spelling, reason: str) -> None:
    (form,) = facts_of(LENT.format(step=step)).functions[1].fixed_points
    assert form.spelling is expected
    assert form.reason.startswith(reason)
