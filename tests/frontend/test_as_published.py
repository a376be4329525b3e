"""What StarPlat's users write is accepted, noted where it could be meant otherwise; what is nearly that is not.

What the spellings mean when they run is in `tests/programs/test_as_published.py`. Collections are checked
here and refused by name when they are run; updates run (`tests/programs/test_changing_graphs.py`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from starplat import pipeline
from starplat.diagnostics import Diagnostic, DiagnosticError, Severity
from starplat.frontend.parser import parse
from starplat.frontend.unparse import format_source
from starplat.source import SourceFile

PROGRAMS = sorted((Path(__file__).parents[1] / "programs" / "as_published").glob("*.sp"))
DYNAMIC = [path for path in PROGRAMS if path.stem.startswith("dynamic")]

HEAD = """function f(Graph g, updates<g> U, propNode<int> p, propNode<double> x, propNode<bool> b, propEdge<int> far,
    node src, int n, bool t, edge arc) {
"""
TAIL = """
  src.p = n + g.num_nodes() + U.size() + arc.far; src.x = 0; src.b = t;
}
function changes(Graph g, updates<g> d) {
  int c = 0;
  forall (u in d) {
    if (g.is_an_edge(u.source, u.destination)) {
      c += 1;
    }
  }
  return c;
}
"""


def said(body: str) -> list[Diagnostic]:
    source = SourceFile("published.sp", HEAD + body + TAIL)
    try:
        return list(pipeline.check(source).warnings)
    except DiagnosticError as error:
        return list(error.diagnostics)


# --- updates: checked and lowered -----------------------------------------------------------------------------------

UPDATED = [
    "updates<g> d = U.currentBatch(0); forall (u in d) { n += 1; }",
    "updates<g> added = U.currentBatch(1), deleted = U.currentBatch(0); n = added.size() - deleted.size();",
    "updates<g> d; d = U.currentBatch(); for (u in d) { n += u.weight; }",
    "n = changes(g, U.currentBatch(1));",
    "updates<g> d = U.currentBatch(0); n = changes(g, d) + changes(g, U);",
    "forall (u in U.currentBatch(1)) { node v = u.source; v.b = True; }",
    "forall (u in U.currentBatch(1).filter(src != n)) { int v = u.destination; v.b = True; }",
    "updates<g> d = U.currentBatch(1); g.updateCSRAdd(d); g.updateCSRDel(U.currentBatch(0)); arc = -1;",
    "Batch (U : 10) { updates<g> d = U.currentBatch(0); OnDelete (u in d) : { n += 1; } }",
    "updates<g> d = U.currentBatch(0); forall (u in d) { int v = u.source; if (v.p > n) { v.b = True; } }",
]

# --- collections: lists of scalars are lowered, others are checked, and refused by name when they are run -------------

LISTED = [
    "container<node> front; for (v in front) { v.p = 1; } front.push(n); front.push(src);",
    "container<int> front; front.push(src); n = front[0].p; for (v in front) { n += v.p; }",
    "container<node>(n, src) front; for (v in front) { for (w in g.neighbors(v)) { front.push(w); } }",
    "list<int> work; work.push(src); src = work[0]; for (v in work) { edge e = g.get_edge(src, v); n += e.far; }",
    "container<int> c; c[n++] = 2; n = c[0]++; c[1]--; n += c[src];",
    "container<bool> c; c.push(True); if (c[0] && n) { n = c[1]; }",
]

COLLECTED = [
    "container<container<node>> levels; for (v in levels[n]) { v.p = n; }",
    "container<container<int>> levels; for (v in levels[0]) { v.p = n; n += v; }",
    "container<list<node>> parts; forall (v in parts[n + 1]) { v.b = True; }",
    "container<container<node>> levels; for (v in levels[n].filter(p > 2)) { n += 1; }",
    "container<container<edge>> parts; for (e in parts[src]) { n += e.far; }",
    "container<container<node>> levels; levels[n].push(src); n = levels[n].size() + levels[n][0];",
    "nodeMap(int) seen; seen.insert(n, 1); n = seen[src] + seen[n]; for (v in seen) { v.p = 1; }",
]


def checked(body: str) -> pipeline.Checked:
    assert [d for d in said(body) if d.severity is not Severity.NOTE and d.code not in ("W0202", "W0501")] == []
    return pipeline.check(SourceFile("published.sp", HEAD + body + TAIL))


@pytest.mark.parametrize("body", [*UPDATED, *LISTED])
def test_updates_and_lists_are_checked_and_lowered(body: str) -> None:
    assert [a.name for a in pipeline.lower(checked(body), "f").arguments][:2] == ["g", "U"]


@pytest.mark.parametrize("body", COLLECTED)
def test_collections_are_checked_and_refused_by_name_when_run(body: str) -> None:
    with pytest.raises(DiagnosticError) as refused:
        pipeline.lower(checked(body), "f")
    assert [d.code for d in refused.value.diagnostics] == ["E0651"]


# --- near misses: one message each, with the reason -----------------------------------------------------------------

REFUSED = [
    # no nodes
    ("node v = 2.5; v.p = 1;", "E0301", "only an integer converts to a node"),
    ("node v = src.x; v.p = 1;", "E0301", "only an integer converts to a node"),
    ("node v = t; v.p = 1;", "E0301", "a bool is no node"),
    ("node v = arc; v.p = 1;", "E0301", "the ends of an edge e are"),
    ("n = p[arc];", "E0313", "this is an edge"),
    ("n = p[t];", "E0301", "a bool is no node"),
    ("n = t.p;", "E0327", "a bool has no attributes"),
    ("n = src.x.p;", "E0327", "a double has no attributes"),
    ("n = n.far;", "E0327", "'far' belongs to edges"),
    ("n = n.weight;", "E0327", "declare the edge as one"),
    ("n = n.nothing;", "E0203", "no property 'nothing'"),
    ("n.q = 1;", "E0203", "no property 'q'"),
    ("(n + 1).p = 1;", "E0112", "a place is written"),
    ("edge e = src; e.far = 1;", "E0301", "g.get_edge(u, v)"),
    ("for (w in g.neighbors(src.x)) { w.p = 1; }", "E0301", "only an integer converts to a node"),
    ("if (src == arc) { n = 1; }", "E0324", "cannot be compared"),
    ("SetN<g> s; s.add(arc);", "E0301", "the ends of an edge e are"),
    # no conditions
    ("if (src) { n = 1; }", "E0302", "compare it, as in '… != -1'"),
    ("if (src.x) { n = 1; }", "E0302", "compare it, as in '… != 0'"),
    ("while (!src) { n = 1; }", "E0303", "compare it, as in '… == -1'"),
    ("if (t && arc) { n = 1; }", "E0303", "compare it, as in '… != -1'"),
    ("if (src.x || t) { n = 1; }", "E0303", "compare it, as in '… != 0'"),
    ("if (p) { n = 1; }", "E0308", "it has a value at each node"),
    ("if (n = 1) { n = 2; }", "E0109", "to compare, write '=='"),
    ("t = n;", "E0301", "compare it, as in '… != 0'"),
    ("t = 1;", "E0301", "write 'True'"),
    ("src.b = 0;", "E0301", "write 'False'"),
    ("g.attachNodeProperty(b = 0);", "E0301", "write 'False'"),
    # no numbers
    ("if (0 < n < 5) { n = 1; }", "E0303", "'a < b && b < c'"),
    ("if (n == n == 2) { n = 1; }", "E0324", "'a == b && b == c'"),
    ("if (t == 2) { n = 1; }", "E0324", "a bool counts as 0 or 1, never as 2"),
    ("if (n & 1 == 1) { n = 1; }", "E0303", "(a & b) == c"),
    ("if (t | n) { n = 1; }", "E0303", "joined by '||'"),
    ("n = ~t;", "E0303", "the opposite of a bool is '!'"),
    ("t += 1;", "E0303", "'+=' needs a number"),
    ("t++;", "E0303", "'+=' needs a number"),
    ("t = t + 1;", "E0301", "a number is no bool"),
    ("t = max(t, b[src]);", "E0316", "for bools use && and ||"),
    ("n = t ? True : 3;", "E0301", "expected a bool"),
    # increments
    ("n = n++;", "E0331", "nothing says which comes first"),
    ("p[n] = n++;", "E0331", "nothing says which comes first"),
    ("int k = n++ + n;", "E0331", "nothing says which comes first"),
    ("int k = n++ * n--; src.p = k;", "E0331", "nothing says which comes first"),
    ("n += max(n++, 2);", "E0331", "nothing says which comes first"),
    ("src.p = src.p++ + 1;", "E0331", "nothing says which comes first"),
    ("int k = (n++ > 2 && t) + n; src.p = k;", "E0331", "nothing says which comes first"),
    ("<src.p, n> = <Min(src.p, n++), 3>;", "E0331", "nothing says which comes first"),
    ("n = n--1;", "E0120", "write '- -'"),
    ("n = --3;", "E0120", "write '- -'"),
    ("n = (n + 1)++;", "E0112", "a place is written"),
    ("forall (v in g.nodes().filter(n++ < 3)) { v.p = 1; }", "E0120", "evaluated for many nodes"),
    ("fixedPoint until (done : n++ > 3) { src.b = True; }", "E0120", "evaluated for many nodes"),
    ("loop (i in 0 to n++ by 1) { src.p = i; }", "E0120", "evaluated in every round"),
    ("for (v in g.nodes()) { src.p = v++; }", "E0311", "changed by its loop only"),
    # loops
    ("loop (i in 0 to 5 by 0) { n += i; }", "E0409", "a step of 0"),
    ("loop (i in 0 to src.x by 1) { n += i; }", "W0301", "loses its fraction"),
    ("loop (i in 0 to 5) { n += i; }", "E0101", "expected"),
    ("loop (i in 0 to 5 by 1) { i = 3; }", "E0311", "changed by its loop only"),
    ("for (v in p[n]) { n = 1; }", "E0328", "an int is nothing to loop over"),
    ("for (v in n) { n = 1; }", "E0328", "an int is nothing to loop over"),
    ("container<node> c; for (v in c[0]) { n = 1; }", "E0328", "a node is nothing to loop over"),
    ("for (v in g) { n = 1; }", "E0328", "write 'g.nodes()'"),
    ("for (v in 3 + n) { n = 1; }", "E0118", "cannot run over this"),
    # updates
    ("updates<g> d = 3;", "E0315", "expected a list of updates"),
    ("updates<g> d = g;", "E0315", "expected a list of updates"),
    ("updates<h> d = U.currentBatch(0);", "E0201", "'h' is not declared"),
    ("updates<g> d = U.currentBatch(t, 1);", "E0314", "0 or 1 arguments"),
    ("n = changes(g, g);", "E0315", "expected a list of updates"),
    ("n = changes(g, U.size());", "E0315", "expected a list of updates"),
    ("forall (u in U.currentBatch(0)) { n += u.p; }", "E0211", "single updates have no attribute 'p'"),
    ("container<int> c(n);", "E0320", "a size stands behind the type"),
    ("int k(g);", "E0320", "only a property is bound to a graph"),
    ("propNode<int> q(n);", "E0209", "'n' is not a graph"),
    ("Graph h; n = h.num_nodes();", "E0320", "a graph can only be a parameter"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code", "reason"), REFUSED, ids=[row[0] for row in REFUSED])
def test_near_misses_are_told_once_and_why(body: str, code: str, reason: str) -> None:
    found = [d for d in said(body) if d.code not in ("W0201", "W0202") and d.severity is not Severity.NOTE]
    assert [d.code for d in found] == [code]
    words = [found[0].message, *(label.text for label in (found[0].place, *found[0].related) if label), found[0].help]
    assert reason in " / ".join(filter(None, words))


# --- notes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("if (n) { n = 1; }", ["W0303"]),
        ("if (!n && t) { n = 1; }", ["W0303"]),
        ("while (n--) { src.p = n; }", ["W0303"]),
        ("n += t;", ["W0304"]),
        ("n = t * 2 + (n > 1);", ["W0304", "W0304"]),
        ("if (t == 1) { n = 1; }", ["W0304"]),
        ("int v = src; v.p = v; node w = n; n = w + v;", []),
        ("n = src.p++ + n;", []),
        ("fixedPoint until (done : !b) { src.b = False; done = n > 4; n += 1; }", []),
        ("loop (i in 0 to n by 1) { src.p += i; }", []),
        ("propNode<int> q(g), r(g); g.attachNodeProperty(r = 1); q = r; p = q;", []),
    ],
)
def test_what_could_be_meant_otherwise_is_noted(body: str, codes: list[str]) -> None:
    assert [d.code for d in said(body)] == codes


@pytest.mark.parametrize(
    "body", ["if (n) { n = t; }", "n = src.p++;", "updates<g> d = U.currentBatch(0); n = d.size();"]
)
def test_notes_are_no_errors_under_strict(body: str) -> None:
    pipeline.check(SourceFile("published.sp", HEAD + body + TAIL), strict=True)


# --- whole programs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_as_published_are_accepted_and_keep_their_meaning_when_formatted(path: Path) -> None:
    source = SourceFile.read(path)
    found = pipeline.check(source)
    assert {d.code for d in found.warnings} <= {"W0303", "W0304", "W0501", "W0505", "W0506"}
    formatted = SourceFile(path.name, format_source(source))
    assert parse(formatted) == parse(source)
    assert format_source(formatted) == formatted.text


@pytest.mark.parametrize("path", DYNAMIC, ids=lambda path: path.stem)
def test_dynamic_programs_are_lowered_or_refused_for_their_containers(path: Path) -> None:
    found = pipeline.check(SourceFile.read(path))
    if "container<" in found.source.text:
        with pytest.raises(DiagnosticError) as refused:
            pipeline.lower(found)
        assert [d.code for d in refused.value.diagnostics] == ["E0651"]
    else:
        assert pipeline.lower(found).entry == "follow"
