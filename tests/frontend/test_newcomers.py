"""What newcomers write gets one message, at the smallest wrong piece, that says what to write instead.

Each row of `MISTAKES` is a piece of a function's body, in which the wrong piece stands between guillemets, the code of
the message and some words of its help.
"""

from __future__ import annotations

import pytest

from starplat import pipeline
from starplat.diagnostics import Diagnostic, DiagnosticError, Severity
from starplat.frontend.mistakes.remedies import closest
from starplat.source import SourceFile

PARAMETERS = (
    "Graph g, propNode<int> dist, propNode<double> x, propEdge<int> cost, node src, int n, bool t, edge e, SetN<g> s"
)
HEAD = f"function f({PARAMETERS}) {{\n  src.dist = n;\n"
TAIL = "\n  src.x = src.dist; src.dist = t ? 1 : e.cost; n = s.size();\n}\n"

MISTAKES = [
    # casts and types
    ("src.x = «(double)»n / 2;", "E0125", "around the value"),
    ("n = «(int)»src.x;", "E0125", "around the value"),
    ("t = «(bool)»n;", "E0125", "x != 0"),
    ("t = «bool»(n);", "E0125", "x != 0"),
    ("node v = «(node)»n; v.dist = 1;", "E0125", "as it is"),
    ("int«[10]» a;", "E0126", "propNode<int> p;"),
    ("int a«[10]»;", "E0126", "propNode<int> p;"),
    ("double«[]» a;", "E0126", "propNode<int> p;"),
    ("propNode<int> d«[5]»;", "E0126", "propNode<int> p;"),
    ("int «*»a;", "E0126", "leave the '*' out"),
    ("int «&»a = n;", "E0126", "leave the '&' out"),
    ("«propNode» d;", "E0123", "propNode<int>"),
    ("«let» k = 3;", "E0123", "int x = 1;"),
    ("«var» k = 3;", "E0123", "int x = 1;"),
    ("«auto» k = n;", "E0123", "int x = 1;"),
    ("«const» int k = 3; n = k;", "E0114", "leave it out: 'int"),
    ("«const» k = 3; n = k;", "E0123", "int x = 1;"),
    ("«unsigned» int k = 3; n = k;", "E0114", "leave it out: 'int"),
    ("«string» s = n;", "E0123", "no texts"),
    ("«Int» k = 3; n = k;", "E0114", "did you mean 'int'?"),
    ("«vertex» v = src; v.dist = 1;", "E0123", "did you mean 'node'?"),
    ("«vector»<int> v;", "E0123", "propNode<int> p;"),
    ("int k = 3, «int» m = 4; n = k + m;", "E0101", "said once"),
    ("container<int> c(«10»);", "E0123", "container<…>(…) c;"),
    ("container<int> c(«g».num_nodes());", "E0123", "container<…>(…) c;"),
    ("container<int> c(«n» + 1, 0);", "E0123", "container<…>(…) c;"),
    # operators
    ("n = n «**» 2;", "E0127", "pow(x, y)"),
    ("n = n «//» 2;\nsrc.dist = n;", "E0127", "write '/'"),
    ("n = (n «//» 2) + 1;\nsrc.dist = n;", "E0127", "write '/'"),
    ("if (n «//» 2 > 1) {\n n = 3;\n}", "E0127", "write '/'"),
    ("if (t «and» n > 1) { n = 2; }", "E0127", "write '&&'"),
    ("if (t «or» n > 1) { n = 2; }", "E0127", "write '||'"),
    ("if («not» t) { n = 2; }", "E0127", "write '!'"),
    ("if («not»(t)) { n = 2; }", "E0205", "write '!'"),
    ("n = n «mod» 3;", "E0127", "write '%'"),
    ("if (n «<>» 2) { n = 2; }", "E0127", "write '!='"),
    ("if (n «===» 2) { n = 2; }", "E0127", "write '=='"),
    ("if (n «!==» 2) { n = 2; }", "E0127", "write '!='"),
    ("if (n «=<» 2) { n = 3; }", "E0127", "'<='"),
    ("if (n «=>» 2) { n = 3; }", "E0127", "'>='"),
    ("if (n «is» 2) { n = 3; }", "E0127", "write '=='"),
    ("n «:=» 3;", "E0127", "write '='"),
    ("n = src«->»dist;", "E0127", "write '.'"),
    ("if (n «=» 2) { n = 3; }", "E0109", "write '=='"),
    ("n = n«--»1;", "E0120", "write '- -'"),
    ("if («n > 1» | n) { n = 3; }", "E0303", "joined by '||'"),
    ("if («0 < n» < 3) { n = 3; }", "E0303", "a < b && b < c"),
    # signs and letters
    ("n = n «–» 1;", "E0103", "write '-'"),
    ("n = n «−» 1;", "E0103", "write '-'"),
    ("n = n «×» 2;", "E0103", "write '*'"),
    ("if (n «≤» 2) { n = 3; }", "E0103", "write '<='"),
    ("src.dist = «∞»;", "E0103", "write 'INF'"),
    ("int gr«ö»ße = 3; n = größe;", "E0103", "letters A to Z"),
    ("int caf«é» = 3; n = café + café;", "E0103", "call it 'cafe'"),
    ("print(«“done”»);", "E0103", 'write "done"'),
    ("print(«'done'»);", "E0103", 'write "done"'),
    ('print(«"done»);', "E0130", "close it"),
    (r'print("a«\d»");', "E0130", "a backslash stands before"),
    ("n = «0x1F»;", "E0105", "31"),
    ("n = «10L»;", "E0105", "no ending: 10"),
    ("n = «1_000»;", "E0105", "1000"),
    # heads
    ("forall (v «:» g.nodes()) { v.dist = 1; }", "E0128", "(v in …)"),
    ("for («node» v : g.nodes()) { v.dist = 1; }", "E0128", "for (v in …)"),
    ("for («auto» v : g.nodes()) { v.dist = 1; }", "E0128", "for (v in …)"),
    ("forall («node» v in g.nodes()) { v.dist = 1; }", "E0128", "forall (v in …)"),
    ("forall «v in g.nodes()» { v.dist = 1; }", "E0128", "forall (v in g.nodes())"),
    ("forall «v in g.nodes()»: v.dist = 1;", "E0128", "forall (v in g.nodes())"),
    ("for «i in range(n)» { src.dist = i; }", "E0128", "for (int i = 0"),
    ("for (i in «range»(n)) { src.dist = i; }", "E0205", "for (int i = 0"),
    ("for («i» = 0; i < n; i++) { src.dist = i; }", "E0201", "for (int i"),
    ("forall (u«,» w in g.edges()) { n += 1; }", "E0128", "e.source"),
    ("if «n > 1» { n = 3; }", "E0128", "if (…)"),
    ("while «n > 1» { n = 3; }", "E0128", "while (…)"),
    ("if (t)«:» n = 3;", "E0128", "{ … }"),
    ("if (t) { n = 1; } «elif» (n > 2) { n = 2; } else { n = 3; }", "E0114", "else if (…)"),
    ("if (t) { n = 1; } «elsif» (n > 2) n = 2;", "E0114", "else if (…)"),
    ("if (t) «then» { n = 1; }", "E0114", "leave it out"),
    ("«foreach» (v in g.nodes()) { v.dist = 1; }", "E0114", "forall (v in …)"),
    ("«Forall» (v in g.nodes()) { v.dist = 1; }", "E0114", "did you mean 'forall'?"),
    ("do { n--; } «until» (n < 3);", "E0101", "while (!(…))"),
    ("«switch» (n) { case 1: n = 2; break; default: n = 3; }", "E0114", "else if (…)"),
    ("forall (v in g.«nodes») { v.dist = 1; }", "E0211", "g.nodes()"),
    ("forall (v in «g») { v.dist = 1; }", "E0328", "g.nodes()"),
    ("forall (v in «nodes») { v.dist = 1; }", "E0201", "g.nodes()"),
    ("forall (v in src.«neighbors») { v.dist = 1; }", "E0203", "g.neighbors(src)"),
    ("forall (v in src.«neighbors»()) { v.dist = 1; }", "E0204", "g.neighbors(src)"),
    ("forall (d in «g.edges(src)») { d.cost = 1; }", "E0314", "g.get_edge(v, w)"),
    ("n = 3«»\nsrc.dist = n;", "E0106", ""),
    ("n = «(»n + 1;", "E0107", ""),
    # names, functions, methods, attributes
    ("n = «rand»();", "E0205", "random(seed, i)"),
    ("«printf»(n);", "E0205", "write 'print(…)'"),
    ('n = «"done"»;', "E0333", "an argument of 'print'"),
    ("n = «print(n)»;", "E0325", "as a statement"),
    ("assert(«n++ > 0»);", "E0419", "of its own"),
    ("assert(n > 0, «n»);", "E0315", "by itself"),
    ("src.x = «sin»(src.x);", "E0205", "functions are min max abs"),
    ("src.x = «round»(src.x);", "E0205", "floor(x + 0.5)"),
    ("n = «len»(dist);", "E0205", "g.num_nodes()"),
    ("n = «dist»(src);", "E0205", "dist[v]"),
    ("n = src[«dist»];", "E0308", "v.dist"),
    ("n = «min(n, 2, 3)»;", "E0314", "min(a, min(b, c))"),
    ("node v = «null»; v.dist = 1;", "E0201", "'-1'"),
    ("node v = «NULL»; v.dist = 1;", "E0201", "'-1'"),
    ("node v = «None»; v.dist = 1;", "E0201", "'-1'"),
    ("n = «inf»;", "E0201", "write 'INF'"),
    ("n = «INFINITY»;", "E0201", "write 'INF'"),
    ("t = «TRUE»;", "E0201", "write 'True'"),
    ("n = g.«outdegree»(src);", "E0204", "g.degree(v)"),
    ("n = src.«degree»();", "E0204", "g.degree(src)"),
    ("n = src.«getOutDegree»();", "E0204", "g.getOutDegree(src)"),
    ("n = src.«degree»;", "E0203", "g.degree(src)"),
    ("n = g.«num_vertices»();", "E0204", "g.num_nodes()"),
    ("n = g.«numNodes»();", "E0204", "did you mean 'num_nodes'?"),
    ("n = g.«num_nodes»;", "E0211", "g.num_nodes()"),
    ("t = g.«hasEdge»(src, n);", "E0204", "g.is_an_edge(u, v)"),
    ("for (w in g.neighbors(src)) { n += w.«weight»; }", "E0203", "g.get_edge(src, w).weight"),
    ("for (u in g.nodes_to(src)) { n += u.«weight»; }", "E0203", "g.get_edge(u, src).weight"),
    ("n = e.«target»;", "E0203", "e.destination"),
    ("n = e.«src»;", "E0203", "e.source"),
    ("n = src.«id»;", "E0203", "write 'src'"),
    ("src.«dits» = 1;", "E0203", "did you mean 'dist'?"),
    ("t = «1»;", "E0301", "write 'True'"),
    # in another language's order
    ("forall (v in g.nodes())«.filter(dist > 2)» { v.dist = 1; }", "E0128", "g.nodes().filter(…)"),
    ("forall (v in g.nodes() «if» v.dist > 2) { v.dist = 1; }", "E0128", "g.nodes().filter(…)"),
    ("forall (v in g.nodes() «where» dist) { v.dist = 1; }", "E0128", "g.nodes().filter(…)"),
    ("n = 1 «if» t else 2;", "E0128", "c ? a : b"),
    ("if (src «in» s && t) { n = 1; } else { n = 2; }", "E0127", "s.contains(src)"),
    ("n = src «in» g.neighbors(src) ? 1 : 2;", "E0127", "g.is_an_edge(u, v)"),
    ("fixedPoint until («!»t) { src.dist = 1; }", "E0115", "until (finished : condition)"),
    ("fixedPoint until (t«)» { src.dist = 1; }", "E0115", "until (finished : condition)"),
    ("forall (v in «neighbors»(src)) { v.dist = 1; }", "E0205", "g.neighbors(v)"),
    ("n = «num_nodes»() + 1;", "E0205", "g.num_nodes()"),
    ("n = «degree»(src);", "E0205", "g.degree(v)"),
    ("for (w in n.«neighbors»()) { w.dist = 1; }", "E0204", "g.neighbors(n)"),
    ("n = dist.«max»();", "E0204", "Max(dist)"),
    ("dist.«fill»(0);", "E0204", "g.attachNodeProperty(dist = …)"),
    ("n = «max(dist)»;", "E0314", "'Max(…)'"),
    ("t = s.«has»(src);", "E0204", "s.contains(v)"),
    ("s.«insert»(src);", "E0204", "s.add(v)"),
    ("«for» (i in 0 to n by 1) { src.dist = i; }", "E0128", "loop (i in 0 to n by 1)"),
    ("«forall» (i in n to n + 4 by 2) { src.dist = i; }", "E0128", "loop (i in 0 to n by 1)"),
    ("list<node> q; n = q.«front»();", "E0204", "q[0]"),
    ("list<node> q; q.«pop»();", "E0204", "q[next++]"),
    ("list<node> q; while (!q.«empty»()) { n += 1; }", "E0204", "q.size() == 0"),
]  # fmt: skip

PROGRAMS = [
    ("«def» f(Graph g) {\n  return 1;\n}", "E0124", "'return'"),
    ("«int» f(Graph g) {\n  return 1;\n}", "E0124", "'return'"),
    ("function «int» f(Graph g) {\n  return 1;\n}", "E0124", "'return'"),
    ("function f(Graph g) «-> int» {\n  return 1;\n}", "E0124", "'return'"),
    ("function f(Graph g)«: int» {\n  return 1;\n}", "E0124", "'return'"),
    ("function f(g«:» Graph, int n) {\n  return n;\n}", "E0123", "'Graph g'"),
    ("function f(Graph g, p«:» propNode<int>) {\n  g.attachNodeProperty(p = 1);\n}", "E0123", "'propNode<int> p'"),
    ("function f(Graph «*»g) {\n  return g.num_nodes();\n}", "E0126", "by reference"),
    ("function f(Graph g, int p«[]») {\n  return p;\n}", "E0126", "propNode<int> p;"),
    ("function f(«const» int n) {\n  return n;\n}", "E0114", "leave it out"),
    ("«Function» f(Graph g) {\n  return 1;\n}", "E0114", "did you mean 'function'?"),
    ("import «all»;\nfunction f(int n) {\n  return n;\n}", "E0101", ""),
    ("«include» all;\nfunction f(int n) {\n  return n;\n}", "E0116", "before all functions"),
    ("function f(int n)\n  «int» k = n;\n  return k;\n}", "E0101", ""),
    ("function f(int n)«:»\n  return n;\n", "E0128", "{ … }"),
    ("function f(Graph g, int n) {\n  while (n > 2)«»\n    n -= 1;\n    n -= 2;\n  }\n  return n;\n}", "E0129", ""),
]

FINE = [
    "if (t) { n = 1; } else if (n > 2) { n = 2; } else if (n > 1) n = 3; else { n = 4; }",
    "t = True; t = true; t = False || false;",
    "if (n != 2 && !(n == 3)) { n = 2; }",
    "n = n / 2; // 2;",
    "n = n // halves it;\n / 2;",
    "<src.dist, src.x> =<Min(src.dist, 3), 1>;",
    "int and = 3, or = 4, foreach = 2, elif = 1, mod = 0; n = and + or + foreach + elif - mod;",
    "int print = 3; n = print; int len = n, null = 2, range = 1; n = len + null + range;",
    "container<container<int>> c; list<list<int>> l; n = c.size() + l.size();",
]  # fmt: skip


def errors(text: str) -> list[Diagnostic]:
    try:
        pipeline.check(SourceFile("new.sp", text))
    except DiagnosticError as error:
        return [d for d in error.diagnostics if d.severity is Severity.ERROR]
    return []


def assert_told_once(text: str, code: str, help: str) -> None:
    start, end = text.index("«"), text.index("»") - 1
    found = errors(text.replace("«", "").replace("»", ""))
    assert [d.code for d in found] == [code]
    assert found[0].place is not None
    assert (found[0].place.span.start, found[0].place.span.end) == (start, end)
    assert help in (found[0].help or "")


@pytest.mark.parametrize(("body", "code", "help"), MISTAKES, ids=[row[0] for row in MISTAKES])
def test_a_newcomers_mistake_gets_one_message_with_the_remedy(body: str, code: str, help: str) -> None:
    assert_told_once(HEAD + body + TAIL, code, help)


@pytest.mark.parametrize(("text", "code", "help"), PROGRAMS, ids=[row[0] for row in PROGRAMS])
def test_a_mistake_in_a_header_gets_one_message_with_the_remedy(text: str, code: str, help: str) -> None:
    assert_told_once(text, code, help)


@pytest.mark.parametrize("body", FINE)
def test_what_is_right_is_no_mistake(body: str) -> None:
    assert errors(HEAD + body + TAIL) == []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("modfied", "modified"), ("neigbours", "neighbors"), ("Dist", "dist"), ("dits", "dist"), ("mni", "min"),
        ("dst", "dist"), ("numNodes", "num_nodes"),
    ],
)  # fmt: skip
def test_a_slip_is_put_right(wrong: str, right: str) -> None:
    assert closest(wrong, ["modified", "neighbors", "dist", "min", "max", "num_nodes", "count_outNbrs"]) == right


@pytest.mark.parametrize("wrong", ["sin", "cos", "v", "w", "rank", "weight", "edges", "modulus"])
def test_another_name_is_no_slip(wrong: str) -> None:
    assert closest(wrong, ["modified", "neighbors", "dist", "min", "max", "u", "num_nodes"]) is None
