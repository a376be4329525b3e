"""Rewrites of programs that count neighbors in a set, round by round: a spelling and its canonical form have one text
of operators; what only looks like the spelling keeps its own."""

from __future__ import annotations

import pytest

from starplat import pipeline
from starplat.source import SourceFile
from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

NESTED = """
function f(Graph g, propNode<int> core, propNode<int> x, int k, int rounds) {
  while (rounds > 0) {
    rounds -= 1;
    propNode<bool> stays;
    g.attachNodeProperty(stays = True);
    bool changed = True;
    while (changed) {
      changed = False;
      forall (v in g.nodes()) {
        if (v.stays && v.x > 0) {
          int around = 0;
          for (u in g.nodes_to(v).filter(stays == True)) { if (u != v) { around++; } }
          if (around < k) { v.stays = False; changed = True; }
        }
      }
    }
    forall (v in g.nodes().filter(stays)) { v.core = k; }
    k++;
  }
}
"""
IN_STEPS = """
function f(Graph g, propNode<int> core) {
  propNode<bool> gone;
  propNode<bool> weak;
  g.attachNodeProperty(core = 0);
  long inside = g.num_nodes();
  int k = 1;
  while (inside > 0) {
    g.attachNodeProperty(gone = False);
    int changes = 0;
    do {
      g.attachNodeProperty(weak = False);
      changes = 0;
      forall (v in g.nodes()) {
        if (!v.gone) {
          int d = 0;
          for (u in g.nodes_to(v)) { if (!u.gone && u != v) { d += 1; } }
          if (d < k) { v.weak = True; changes += 1; }
        }
      }
      forall (v in g.nodes().filter(weak)) { v.gone = True; }
    } while (changes > 0);
    inside = 0;
    forall (v in g.nodes().filter(gone == False)) { v.core = k; inside += 1; }
    k++;
  }
}
"""
JOINING = """
function f(Graph g, propNode<int> x, propNode<int> y, propNode<int> z, propNode<bool> in, int k) {
  propNode<bool> weak;
  while (k > 0) {
    g.attachNodeProperty(weak = False);
    k -= 1;
    forall (v in g.nodes().filter(in)) { if (v.x < k) { v.weak = True; v.y = 1; } }
    forall (v in g.nodes().filter(weak)) { forall (w in g.neighbors(v)) { w.x -= 1; } }
    forall (v in g.nodes().filter(weak == True)) { v.in = False; v.z = 3; }
  }
}
"""

EVERY_ROUND = """
function f(Graph g, propNode<int> core, propNode<int> x) {
  propNode<int> deg;
  g.attachNodeProperty(core = -1, x = 0);
  int k = 0;
  while (k < 7) {
    g.attachNodeProperty(deg = 0);
    forall (u in g.nodes().filter(core == -1)) {
      forall (v in g.neighbors(u)) { if (u != v) { v.deg += 1; } }
    }
    forall (v in g.nodes().filter(core == -1 && deg <= k)) { v.core = k; v.x = v.deg; }
    k += 1;
  }
}
"""

OF_THOSE_LEFT = """
function f(Graph g, propNode<int> core, propNode<int> x) {
  propNode<int> deg;
  g.attachNodeProperty(core = -1);
  int k = 0;
  while (k < 7) {
    g.attachNodeProperty(deg = 0);
    forall (v in g.nodes().filter(core < 0)) {
      for (u in g.nodes_to(v)) { if (0 > u.core && u != v) { v.deg += 1; } }
    }
    forall (v in g.nodes().filter(core < 0 && deg <= k)) { v.core = k; }
    k += 1;
  }
}
"""
KEPT_IN_ROUNDS = """
function f(Graph g, propNode<int> core, propNode<int> x) {
  propNode<int> number;
  propNode<bool> leaving;
  g.attachNodeProperty(core = -1, number = 0, leaving = False);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.number += 1; } }
  int k = 0;
  while (k < 7) {
    forall (v in g.nodes().filter(core == -1 && number <= k)) { v.core = k; v.leaving = True; }
    forall (v in g.nodes().filter(leaving)) {
      v.leaving = False;
      forall (w in g.neighbors(v).filter(v != w)) { w.number -= 1; }
    }
    k += 1;
  }
}
"""
DRAINED = """
function f(Graph g, propNode<int> x, propNode<int> y, int k) {
  propNode<bool> now;
  while (k > 0) {
    g.attachNodeProperty(now = False);
    k -= 1;
    forall (v in g.nodes().filter(x < k)) { v.now = True; v.x += 3; }
    forall (v in g.nodes().filter(now)) { forall (w in g.neighbors(v)) { w.y += 1; } }
    k -= 1;
  }
}
"""
LEFT = """
function f(Graph g, propNode<int> x, propNode<int> y, int k) {
  propNode<bool> now;
  g.attachNodeProperty(now = False);
  while (k > 0) {
    k -= 1;
    forall (v in g.nodes().filter(x < k)) { v.now = True; v.x += 3; }
    forall (v in g.nodes().filter(now)) { v.now = False; forall (w in g.neighbors(v)) { w.y += 1; } }
    k -= 1;
  }
}
"""
CUT = "forall (e in g.edges()) { node a = e.source; if (a.core != -1) { e.cut = True; } }"
ENDS = f"""
function f(Graph g, propNode<int> core, propNode<int> x) {{
  propEdge<bool> cut;
  forall (e in g.edges()) {{ e.cut = e.source == e.destination; }}
  g.attachNodeProperty(core = -1);
  int k = 0;
  while (k < 5) {{
    forall (e in g.edges()) {{ if (!e.cut) {{ node b = e.destination; b.x += 1; }} }}
    forall (v in g.nodes().filter(core == -1 && x > 3 * k)) {{ v.core = k; }}
    {CUT}
    k += 1;
  }}
}}
"""
OF_ENDS = """
function f(Graph g, propNode<int> core, propNode<int> x) {
  g.attachNodeProperty(core = -1);
  int k = 0;
  while (k < 5) {
    forall (a in g.nodes().filter(core == -1)) { forall (b in g.neighbors(a).filter(a != b)) { b.x += 1; } }
    forall (v in g.nodes().filter(core == -1 && x > 3 * k)) { v.core = k; }
    k += 1;
  }
}
"""

IN_TURN = """
function f(Graph g, propNode<int> x, propNode<int> y) {
  propNode<int> turn;
  g.attachNodeProperty(turn = -1, y = 0);
  int round = 0;
  int k = 9;
  while (k > 0) {
    forall (v in g.nodes().filter(x < k)) { v.turn = round; v.x = 9; }
    forall (v in g.nodes().filter(turn == round)) { forall (w in g.neighbors(v)) { w.y += 1; } }
    k -= 2;
    round++;
  }
}
"""
STATES = """
function f(Graph g, propNode<int> x, propNode<int> y) {
  propNode<int> state;
  g.attachNodeProperty(state = 0, y = 0);
  int k = 0;
  while (k < 6) {
    forall (v in g.nodes()) {
      if (v.state == 1) { v.state = 2; }
      if (v.state == 0 && v.x <= k) { v.state = 1; }
    }
    forall (v in g.nodes().filter(state == 1)) { forall (w in g.neighbors(v)) { if (w.state == 0) { w.y += 1; } } }
    k += 1;
  }
}
"""

REWRITTEN = {
    "a set that is cleared before nodes join it": (DRAINED, LEFT),
    "a set of each round": (
        DRAINED.replace("  propNode<bool> now;\n", "").replace("    g.attach", "    propNode<bool> now;\n    g.attach"),
        LEFT,
    ),
    "a set that is cleared after their turns": (
        LEFT.replace("v.now = False; ", "").replace("k -= 1;\n  }", "g.attachNodeProperty(now = False); k -= 1;\n  }"),
        LEFT,
    ),
    "the number of a round": (
        IN_TURN,
        """
function f(Graph g, propNode<int> x, propNode<int> y) {
  propNode<bool> turn;
  g.attachNodeProperty(turn = False, y = 0);
  int round = 0;
  int k = 9;
  while (k > 0) {
    forall (v in g.nodes().filter(x < k)) { v.turn = True; v.x = 9; }
    forall (v in g.nodes().filter(turn)) { forall (w in g.neighbors(v)) { w.y += 1; } }
    k -= 2;
    round++;
    g.attachNodeProperty(turn = False);
  }
}
""",
    ),
    "a state between two others": (
        STATES,
        """
function f(Graph g, propNode<int> x, propNode<int> y) {
  propNode<int> state;
  propNode<bool> turn;
  g.attachNodeProperty(state = 0, y = 0);
  int k = 0;
  while (k < 6) {
    g.attachNodeProperty(turn = False);
    forall (v in g.nodes().filter(state == 0 && x <= k)) { v.state = 2; v.turn = True; }
    forall (v in g.nodes().filter(turn)) { forall (w in g.neighbors(v).filter(state == 0)) { w.y += 1; } }
    k += 1;
  }
}
""",
    ),
    "a state that a loop ends": (
        STATES.replace("if (v.state == 1) { v.state = 2; }", "").replace(
            "k += 1;", "forall (v in g.nodes().filter(state == 1)) { v.state = 2; } k += 1;"
        ),
        """
function f(Graph g, propNode<int> x, propNode<int> y) {
  propNode<int> state;
  propNode<bool> turn;
  g.attachNodeProperty(state = 0, y = 0);
  int k = 0;
  while (k < 6) {
    forall (v in g.nodes().filter(state == 0 && x <= k)) { v.state = 2; v.turn = True; }
    forall (v in g.nodes().filter(turn)) { forall (w in g.neighbors(v).filter(state == 0)) { w.y += 1; } }
    g.attachNodeProperty(turn = False);
    k += 1;
  }
}
""",
    ),
    "flags of arcs that their ends tell": (ENDS, OF_ENDS),
    "flags that arcs lose": (
        ENDS.replace("cut = True", "cut = False")
        .replace("cut = e.source == e", "cut = e.source != e")
        .replace("!e.cut", "e.cut == True"),
        OF_ENDS,
    ),
    "flags that arcs get by rows": (
        ENDS.replace(
            CUT,
            """forall (v in g.nodes().filter(core != -1)) {
      for (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (!e.cut) { e.cut = True; }
      }
    }""",
        ),
        OF_ENDS,
    ),
    "flags that either end gives": (
        ENDS.replace("a.core != -1", "a.core != -1 || e.destination.core != -1").replace(
            "e.cut = e.source == e.destination", "e.cut = False"
        ),
        OF_ENDS.replace("a != b", "core == -1"),
    ),
    "a count of all that all nodes make": (
        EVERY_ROUND,
        """
function f(Graph g, propNode<int> core, propNode<int> x) {
  propNode<int> number;
  propNode<bool> leaving;
  g.attachNodeProperty(core = -1, x = 0, number = 0, leaving = False);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.number += 1; } }
  int k = 0;
  while (k < 7) {
    forall (v in g.nodes().filter(core == -1 && number <= k)) {
      v.core = k;
      v.leaving = True;
      v.x = v.number;
    }
    forall (v in g.nodes().filter(leaving)) {
      v.leaving = False;
      forall (w in g.neighbors(v).filter(v != w)) { w.number -= 1; }
    }
    k += 1;
  }
}
""",
    ),
    "a count of all who are left that those make who are left": (OF_THOSE_LEFT, KEPT_IN_ROUNDS),
    "a count of those at both ends of an arc": (
        OF_THOSE_LEFT.replace(
            """forall (v in g.nodes().filter(core < 0)) {
      for (u in g.nodes_to(v)) { if (0 > u.core && u != v) { v.deg += 1; } }
    }""",
            """forall (e in g.edges()) {
      node a = e.source;
      node b = e.destination;
      if (a.core < 0 && b.core <= -1 && a != b) { b.deg += 1; }
    }""",
        ),
        KEPT_IN_ROUNDS,
    ),
    "a count that all store": (
        OF_THOSE_LEFT.replace("g.attachNodeProperty(deg = 0);", "").replace(
            "for (u in g.nodes_to(v)) { if (0 > u.core && u != v) { v.deg += 1; } }",
            "int d = 0; for (u in g.nodes_to(v)) { if (!(u.core > -1) && u != v) { d++; } } v.deg = d;",
        ),
        KEPT_IN_ROUNDS,
    ),
    "a count of all, which is all that decides": (
        EVERY_ROUND.replace("v.x = v.deg; ", ""),
        """
function f(Graph g, propNode<int> core, propNode<int> x) {
  propNode<int> number;
  propNode<bool> leaving;
  g.attachNodeProperty(core = -1, x = 0, number = 0, leaving = False);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.number += 1; } }
  int k = 0;
  while (k < 7) {
    forall (v in g.nodes().filter(core == -1 && number <= k)) { v.core = k; v.leaving = True; }
    forall (v in g.nodes().filter(leaving)) {
      v.leaving = False;
      forall (w in g.neighbors(v).filter(v != w)) { w.number -= 1; }
    }
    k += 1;
  }
}
""",
    ),
    "a count of those that have left": (
        """
function f(Graph g, propNode<int> x, int k) {
  propNode<bool> gone;
  g.attachNodeProperty(gone = False);
  while (k > 0) {
    k -= 1;
    forall (v in g.nodes()) {
      int d = 0;
      for (u in g.neighbors(v).filter(!gone)) { d += 1; }
      v.x = d;
    }
    forall (v in g.nodes().filter(x == k)) { v.gone = True; }
  }
}
""",
        """
function f(Graph g, propNode<int> x, int k) {
  propNode<bool> gone;
  propNode<int> number;
  g.attachNodeProperty(gone = False, number = 0);
  forall (v in g.nodes()) { for (u in g.neighbors(v)) { v.number += 1; } }
  while (k > 0) {
    k -= 1;
    forall (v in g.nodes()) {
      int d = v.number;
      v.x = d;
    }
    forall (v in g.nodes().filter(x == k && !gone)) { forall (w in g.nodes_to(v)) { w.number -= 1; } }
    forall (v in g.nodes().filter(x == k)) { v.gone = True; }
  }
}
""",
    ),
    "a count that is made anew": (
        """
function f(Graph g, propNode<int> c, int k) {
  propNode<bool> alive;
  propNode<bool> weak;
  g.attachNodeProperty(alive = True);
  bool removed = True;
  while (removed) {
    removed = False;
    g.attachNodeProperty(weak = False);
    forall (v in g.nodes().filter(alive)) {
      int d = 0;
      for (u in g.nodes_to(v)) { if (u.alive && u != v) { d++; } }
      if (d < k) { v.weak = True; removed = True; }
    }
    forall (v in g.nodes().filter(weak)) { v.alive = False; }
    forall (v in g.nodes().filter(c > k)) { if (v.c == 3) { v.alive = True; v.c = 0; } }
  }
}
""",
        """
function f(Graph g, propNode<int> c, int k) {
  propNode<bool> alive;
  propNode<int> number;
  propNode<bool> weak;
  g.attachNodeProperty(alive = True, number = 0);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.number += 1; } }
  bool removed = True;
  while (removed) {
    removed = False;
    g.attachNodeProperty(weak = False);
    forall (v in g.nodes().filter(alive)) {
      int d = v.number;
      if (d < k) { v.weak = True; v.alive = False; removed = True; }
    }
    forall (v in g.nodes().filter(weak)) {
      forall (w in g.neighbors(v).filter(v != w)) { w.number -= 1; }
    }
    forall (v in g.nodes().filter(c > k && c == 3)) {
      if (!v.alive) {
        v.alive = True;
        forall (w in g.neighbors(v).filter(v != w)) { w.number += 1; }
      }
      v.c = 0;
    }
  }
}
""",
    ),
    "sets that are parts of the ones before": (
        NESTED,
        """
function f(Graph g, propNode<int> core, propNode<int> x, int k, int rounds) {
  propNode<bool> stays;
  propNode<int> number;
  propNode<bool> leaving;
  g.attachNodeProperty(stays = True, number = 0);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.number += 1; } }
  while (rounds > 0) {
    rounds -= 1;
    bool changed = True;
    while (changed) {
      changed = False;
      forall (v in g.nodes().filter(stays && x > 0)) {
        int around = v.number;
        if (around < k) { v.stays = False; v.leaving = True; changed = True; }
      }
      forall (v in g.nodes().filter(leaving)) {
        v.leaving = False;
        forall (w in g.neighbors(v).filter(v != w)) { w.number -= 1; }
      }
    }
    forall (v in g.nodes().filter(stays)) { v.core = k; }
    k++;
  }
}
""",
    ),
    "sets of those that have left, which they do in two steps": (
        IN_STEPS,
        """
function f(Graph g, propNode<int> core) {
  propNode<bool> gone;
  propNode<int> number;
  propNode<bool> weak;
  g.attachNodeProperty(core = 0);
  g.attachNodeProperty(gone = False, number = 0);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.number += 1; } }
  long inside = g.num_nodes();
  int left = g.num_nodes();
  int k = 1;
  while (inside > 0) {
    bool changes = False;
    do {
      g.attachNodeProperty(weak = False);
      changes = False;
      forall (v in g.nodes().filter(!gone)) {
        int d = v.number;
        if (d < k) { v.weak = True; v.gone = True; v.core = k - 1; left -= 1; changes = True; }
      }
      forall (v in g.nodes().filter(weak)) { forall (w in g.neighbors(v).filter(v != w)) { w.number -= 1; } }
    } while (changes);
    inside = left;
    k++;
  }
}
""",
    ),
    "rounds that are counted beside": (
        """
function f(Graph g, propNode<int> x) {
  bool more = True;
  for (int k = 1; more; k++) {
    more = False;
    forall (v in g.nodes().filter(x < k)) { v.x += 2 * k; more = True; }
  }
}
""",
        """
function f(Graph g, propNode<int> x) {
  bool more = True;
  int k = 1;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(x < k)) { v.x += 2 * k; more = True; }
    k++;
  }
}
""",
    ),
    "what members do to themselves": (
        JOINING,
        """
function f(Graph g, propNode<int> x, propNode<int> y, propNode<int> z, propNode<bool> in, int k) {
  propNode<bool> weak;
  while (k > 0) {
    g.attachNodeProperty(weak = False);
    k -= 1;
    forall (v in g.nodes().filter(in && x < k)) { v.weak = True; v.in = False; v.z = 3; v.y = 1; }
    forall (v in g.nodes().filter(weak)) { forall (w in g.neighbors(v)) { w.x -= 1; } }
  }
}
""",
    ),
}

ANEW = """
function f(Graph g, propNode<int> c, propNode<bool> other, int k, node s) {
  propNode<bool> alive;
  g.attachNodeProperty(alive = True);
  while (k > 0) {
    k -= 1;
    forall (v in g.nodes()) {
      int d = 0;
      for (u in g.nodes_to(v).filter(alive && u != v)) { d++; }
      v.c = d;
    }
    forall (v in g.nodes().filter(c < k)) { v.alive = False; }
  }
}
"""
MADE_ANEW = {
    "of flags that are all set in every round": ("k -= 1;", "k -= 1; g.attachNodeProperty(alive = True);"),
    "of flags that come from elsewhere": ("k -= 1;", "k -= 1; alive = other;"),
    "of flags that one node sets": ("k -= 1;", "k -= 1; s.alive = False;"),
    "of flags that neighbors set": ("{ v.alive", "{ for (w in g.neighbors(v)) { w.alive = True; } v.alive"),
    "of flags that depend": ("v.alive = False", "v.alive = v.c < 0"),
    "of some that change": ("alive && u != v", "alive && c != 3"),
    "of those below a number": ("alive && u != v", "c < 3 && u != v"),
    "of more than one": ("d++", "d += u.c"),
    "that may be left early": ("d++;", "d++; break;"),
    "once": ("while (k > 0) {", "if (k > 0) {"),
}

LEAVE = "v.stays = False; changed = True;"
NOT_NESTED = {
    "a bound that falls": ("k++", "k -= 1"),
    "a bound that begins again": ("k++;", "k++; if (k > 3) { k = 0; }"),
    "a bound that changes with nodes": ("around < k", "around < k + v.core"),
    "too many neighbors": ("around < k", "around > k"),
    "neighbors that have left": ("stays == True", "stays == False"),
    "neighbors with a property": ("stays == True", "stays && core < k"),
    "a count from one on": ("int around = 0", "int around = 1"),
    "nodes that are asked what changes": ("v.x > 0", "v.core > 0"),
    "those that have left, too": ("v.stays && v.x > 0", "v.x > 0"),
    "one round": ("while (changed) {", "if (changed) {"),
    "rounds that may end early": ("changed = True; }", "changed = v.x > 3; }"),
    "some that come back": ("k++;", "k++; forall (v in g.nodes().filter(x > k)) { v.stays = True; }"),
    "more that they do": (LEAVE, "v.stays = False; v.x = 0; changed = True;"),
    "a set that is asked before it is filled": (
        "propNode<bool> stays;",
        "propNode<bool> stays; forall (v in g.nodes().filter(stays)) { v.x = 3; }",
    ),
    "another start": ("stays = True", "stays = False"),
    "a search that is not begun": ("bool changed = True", "bool changed = k > 3"),
    "something between": ("bool changed", "forall (v in g.nodes().filter(x > k)) { v.stays = False; } bool changed"),
}
STEPS_THAT_DIFFER = {
    "of whoever was to leave before": ("g.attachNodeProperty(weak = False);", ""),
    "of some": ("filter(weak)", "filter(weak && core > 0)"),
    "in which they do more": ("{ v.gone = True; }", "{ v.gone = True; v.core = 0; }"),
    "in which all come back": ("{ v.gone = True; }", "{ v.gone = False; }"),
    "of a set that others join": ("changes = 0;\n      forall", "changes = 0; v0.weak = True;\n      forall"),
}
SEEN_ON_JOINING = {
    "by neighbors in their turns": ("v.x < k", "Count(in) < k"),
    "by a row of others": (
        "{ if (v.x < k)",
        "{ int n = 0; for (u in g.nodes_to(v)) { if (u.in) { n += 1; } } if (n < k)",
    ),
    "between": ("{ w.x -= 1; }", "{ if (w.in) { w.x -= 1; } }"),
    "in a set that lasts": ("g.attachNodeProperty(weak = False);", ""),
    "by others that join": ("k -= 1;", "k -= 1; forall (v in g.nodes().filter(y > 3)) { v.weak = True; }"),
    "from what they have": ("v.in = False", "v.in = v.x > 3"),
    "by members of another set": ("weak == True", "weak && x > 0"),
    "by those outside": ("weak == True", "weak == False"),
    "beside a row that asks for it": ("v.z = 3;", "for (w in g.neighbors(v)) { if (w.in) { w.z = 3; } }"),
}

LASTING = {
    "a number that falls": ("round++", "round -= 1"),
    "a number that begins again": ("round++;", "round++; if (round > 3) { round = 0; }"),
    "numbers from before": ("turn = -1", "turn = 2"),
    "numbers in an order": ("turn == round", "turn <= round"),
    "another number": ("turn == round", "turn == k"),
    "numbers of other rounds": ("v.turn = round", "v.turn = round + 2"),
    "a number that is read": ("w.y += 1", "w.y += v.turn"),
    "what the caller asks for": ("propNode<int> y) {\n  propNode<int> turn;", "propNode<int> y, propNode<int> turn) {"),
    "numbers that nodes raise": ("v.x = 9; }", "v.x = 9; round += 1; }"),
    "numbers before they are filled": ("  int k = 9;", "  g.attachNodeProperty(turn = round); int k = 9;"),
    "rounds of a node": (
        "k -= 2;\n    round++;",
        "k -= 2; for (v in g.nodes()) { round++; forall (w in g.neighbors(v)) { w.turn = round; } }",
    ),
}
STAYING_STATES = {
    "asked for the next one": ("w.state == 0", "w.state == 2"),
    "in an order": ("w.state == 0", "w.state < 1"),
    "left by some": ("if (v.state == 1)", "if (v.state == 1 && v.x > 3)"),
    "left at two places": ("k += 1;", "k += 1; forall (v in g.nodes().filter(x > 4)) { v.state = 0; }"),
    "in which nodes begin": ("state = 0,", "state = 1,"),
    "read": ("w.y += 1", "w.y += v.state"),
    "left after something else": ("if (v.state == 1) { v.state = 2; }", "v.y += 1; if (v.state == 1) { v.state = 2; }"),
    "of neighbors": (
        "if (v.state == 0 && v.x <= k)",
        "for (u in g.neighbors(v)) { if (u.state == 1) { v.y = 3; } } if (v.x <= k)",
    ),
    "that last": ("v.state = 2", "v.state = 1"),
}
TOLD_OTHERWISE = {
    "nodes that may come back": ("v.core = k", "v.core = k - 1"),
    "nodes that have left since": (
        CUT,
        f"forall (e in g.edges()) {{ if (!e.cut) {{ node a = e.source; a.x -= 1; }} }} {CUT}",
    ),
    "arcs that lose them": ("k += 1;", "k += 1; forall (e in g.edges()) { e.cut = False; }"),
    "some arcs": ("a.core != -1", "a.core != -1 && a.x > 3"),
    "arcs of those that stay": ("a.core != -1", "a.core == -1"),
    "nodes that begin as they come": ("g.attachNodeProperty(core = -1);", ""),
    "nodes that begin outside": ("core = -1)", "core = 0)"),
    "what arcs are at first": ("e.source == e.destination", "e.source.x > 3"),
    "what is read later": (
        "k += 1;\n  }",
        "k += 1;\n  }\n  forall (e in g.edges()) { if (e.cut) { node a = e.source; a.x = 0; } }",
    ),
    "a round that may end early": (CUT, f"if (k > 2) {{ break; }} {CUT}"),
    "some rounds": (CUT, f"if (k > 2) {{ {CUT} }}"),
    "what the caller asks for": ("propNode<int> x) {\n  propEdge<bool> cut;", "propNode<int> x, propEdge<bool> cut) {"),
    "arcs of one node": (CUT, "for (w in g.neighbors(0)) { edge e = g.get_edge(0, w); e.cut = True; }"),
}
READ = "k += 1;"
OF_OTHERS_TOO = {
    "read by others": ("core < 0 && deg", "deg"),
    "read of neighbors": (
        "{ v.core = k; }",
        "{ for (w in g.neighbors(v)) { if (w.deg > 3) { v.x = k; } } v.core = k; }",
    ),
    "of cells that may be less": ("int k = 0", "int k = -2"),
    "of cells that are not filled": ("core = -1", "x = -1"),
    "of cells that fall": ("k += 1;", "k += 1; forall (v in g.nodes()) { v.core = Min(v.core, v.x); }"),
    "of cells that begin lower": ("core = -1", "core = -2"),
    "of cells that are compared with another number": ("0 > u.core", "1 > u.core"),
    "of some": ("g.nodes().filter(core < 0)) {\n      for", "g.nodes().filter(x < 0)) {\n      for"),
}
JOIN = "v.now = True; v.x += 3; }"
NOT_DRAINED = {
    "that nodes join later": ("k -= 1;\n  }", "k -= 1; forall (v in g.nodes().filter(x > k)) { v.now = True; }\n  }"),
    "that others are asked about": (JOIN, JOIN + " forall (v in g.nodes()) { if (v.now) { v.x = 0; } }"),
    "whose turns may be left out": (JOIN, JOIN + " if (k == 1) { continue; }"),
    "whose rounds may end before": (JOIN, JOIN + " if (k == 1) { break; }"),
    "some of which have their turn": ("filter(now)", "filter(now && x > 0)"),
    "those outside which have their turn": ("filter(now)", "filter(!now)"),
    "that lasts": ("while (k > 0) {\n    g.attachNodeProperty(now = False);", "while (k > 0) {"),
    "that all begin in": ("now = False", "now = True"),
    "that nodes leave otherwise": ("v.now = True", "v.now = v.x > 1"),
    "that turns add to": ("{ w.y += 1; }", "{ w.y += 1; w.now = True; }"),
    "that have their turn in some rounds": (
        "forall (v in g.nodes().filter(now))",
        "if (k > 1) forall (v in g.nodes().filter(now))",
    ),
}
COUNTED_ANEW = {
    "read before all have counted": (
        "g.attachNodeProperty(deg",
        "forall (v in g.nodes()) { v.x = v.deg; } g.attachNodeProperty(deg",
    ),
    "read when some have left": (READ, "k += 1; forall (v in g.nodes()) { v.x = v.deg; }"),
    "changed when all have counted": (
        "forall (v in g.nodes().filter(core",
        "forall (v in g.nodes()) { v.deg += 1; } forall (v in g.nodes().filter(core",
    ),
    "not from 0 on": ("deg = 0", "deg = 1"),
    "of nodes that get a number that may be theirs": ("int k = 0", "int k = -3"),
    "of nodes that others take out": ("v.x = v.deg;", "for (w in g.neighbors(v)) { w.core = 1; }"),
    "twice": ("v.deg += 1;", "v.deg += 2;"),
    "of nodes with another number": ("filter(core == -1)) {\n      forall", "filter(core < 2)) {\n      forall"),
    "some of them": (READ, "k += 1; forall (v in g.nodes().filter(x > 2)) { v.core = v.x - 3; }"),
    "not filled": ("core = -1, x = 0", "x = 0"),
    "read after the last": ("k += 1;\n  }", "k += 1;\n  }\n  forall (v in g.nodes()) { v.x = v.deg; }"),
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_a_count_has_the_operators_of_its_canonical_form(name: str) -> None:
    before, after = REWRITTEN[name]
    assert operators_of(before) == operators_of(after)


@pytest.mark.parametrize("name", REWRITTEN)
def test_a_rewritten_program_gives_the_answer_that_it_gives_as_written(name: str) -> None:
    assert_as_written(REWRITTEN[name][0], UGLY.values())


def test_a_node_tells_only_if_it_comes_to_its_store() -> None:
    """One whose turn does nothing but search for an arc before it, which no filter does."""
    text = changed(ANEW, ("{ v.alive = False; }", "{ if (g.is_an_edge(v, s)) { v.alive = False; } }"))
    assert "d := 0" not in _operators(text)
    assert_as_written(text, [graph for graph in UGLY.values() if graph.num_nodes > 2])


@pytest.mark.parametrize("name", MADE_ANEW)
def test_a_count_that_cannot_be_kept_is_made_anew(name: str) -> None:
    assert "d := 0" not in _operators(ANEW)
    assert "d := 0" in _operators(changed(ANEW, MADE_ANEW[name]))


@pytest.mark.parametrize("name", LASTING)
def test_a_number_that_may_outlast_its_round_stays(name: str) -> None:
    assert "turn := {}" in _operators(IN_TURN)
    assert "turn := {}" not in _operators(changed(IN_TURN, LASTING[name]))


@pytest.mark.parametrize("name", STAYING_STATES)
def test_a_state_that_is_asked_for_otherwise_stays(name: str) -> None:
    assert "turn_of" in _operators(STATES)
    assert "turn_of" not in _operators(changed(STATES, STAYING_STATES[name]))


@pytest.mark.parametrize("name", TOLD_OTHERWISE)
def test_a_flag_of_arcs_that_tells_more_than_their_ends_stays(name: str) -> None:
    assert "cut" not in _operators(ENDS)
    assert "cut" in _operators(changed(ENDS, TOLD_OTHERWISE[name]))


@pytest.mark.parametrize("name", NOT_DRAINED)
def test_a_set_is_cleared_in_each_round(name: str) -> None:
    assert "now[v] := False" in _operators(DRAINED)
    assert "now[v] := False" not in _operators(changed(DRAINED, NOT_DRAINED[name]))


@pytest.mark.parametrize("name", OF_OTHERS_TOO)
def test_a_count_of_those_left_that_others_may_see_is_made_in_each_round(name: str) -> None:
    assert "\n    advance all" not in _operators(OF_THOSE_LEFT)
    text = changed(OF_THOSE_LEFT, OF_OTHERS_TOO[name])
    assert "\n    advance all" in _operators(text)


@pytest.mark.parametrize("name", COUNTED_ANEW)
def test_a_count_of_all_that_may_differ_is_made_in_each_round(name: str) -> None:
    assert "\n    advance all" not in _operators(EVERY_ROUND)
    assert "\n    advance all" in _operators(changed(EVERY_ROUND, COUNTED_ANEW[name]))


@pytest.mark.parametrize("name", NOT_NESTED)
def test_a_search_that_may_find_what_was_not_left_begins_with_all(name: str) -> None:
    assert "\n  stays := " in _operators(NESTED)
    assert "\n  stays := " not in _operators(changed(NESTED, NOT_NESTED[name]))


@pytest.mark.parametrize("name", STEPS_THAT_DIFFER)
def test_steps_that_do_more_than_leave_begin_with_all(name: str) -> None:
    text = IN_STEPS.replace("core) {", "core, node v0) {", 1)
    assert "\n  core := -1" in _operators(text)
    assert "\n  core := -1" not in _operators(changed(text, STEPS_THAT_DIFFER[name]))


def test_a_loop_by_its_counter_stays_one() -> None:
    """As does one whose rounds may be cut short, which goes on to its step."""
    body = "{ forall (v in g.nodes()) { v.x += k; } more -= 1;"
    for head, rest in (("k < more", "}"), ("more > 0", "if (more == 3) { continue; } }")):
        text = f"function f(Graph g, propNode<int> x, int more) {{ for (int k = 0; {head}; k++) {body} {rest} }}"
        assert "count k from 0" in _operators(text)


@pytest.mark.parametrize("name", SEEN_ON_JOINING)
def test_what_others_may_see_is_done_after_all_have_joined(name: str) -> None:
    def is_done_first(text: str) -> bool:
        return text.rindex("in[v] := ") < text.index("x[w] <- sum -1")

    assert is_done_first(_operators(JOINING))
    assert not is_done_first(_operators(changed(JOINING, SEEN_ON_JOINING[name])))


def _operators(text: str) -> str:
    return pipeline.operators(pipeline.check(SourceFile("near.sp", text)))
