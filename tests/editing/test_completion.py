"""What the word under the cursor may become, in programs that are being written."""

from __future__ import annotations

import pytest

from starplat.editing.completion import Kind, completions
from starplat.frontend.builtins import EDGE_ATTRIBUTES, GRAPH_METHODS, SET_METHODS

HEAD = "function f(Graph g, propNode<int> distance, propEdge<int> length, SetN<g> chosen, int k) { "
LOOP = HEAD + "forall (v in g.nodes()) { "


def names(text: str, after: str = "") -> set[str]:
    return {candidate.name for candidate in completions(text + after, len(text))[1]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "g.", GRAPH_METHODS),
        (HEAD + "chosen.", SET_METHODS),
        (LOOP + "v.", {"distance"}),
        (LOOP + "int x = k + v.", {"distance"}),
        (LOOP + "if (v.", {"distance"}),
        (LOOP + "forall (w in g.neighbors(v)) { edge e = g.get_edge(v, w); e.", {"length", *EDGE_ATTRIBUTES}),
        (LOOP + "forall (w in g.neighbors(v)) { v.distance += g.get_edge(v, w).", {"length", *EDGE_ATTRIBUTES}),
        (LOOP + "k.", {"distance"}),
        (HEAD + "forall (v in g.nodes().", {"filter"}),
        (HEAD + "forall (v in g.nodes().filter(dis", {"distance"}),
        (HEAD + "g.attachNodeProperty(dis", {"distance"}),
        (HEAD + "forall (v in g.nodes_t", {"nodes_to"}),
        (HEAD + "fora", {"forall"}),
        (LOOP + "<v.distance, v.dis", {"distance"}),
        (HEAD + "bool done = False; fixedPoint until (done : dis", {"distance"}),
        (LOOP + "int inner = 1; } inn", set()),
        (LOOP + "int inner = 1; inn", {"inner"}),
        (LOOP + "int later = lat", {"later"}),
        ("function first(Graph g) { }\nfunction second(Graph h) { fir", {"first"}),
        (HEAD + "// in a comment v.", set()),
        (HEAD + "/* in a comment g.", set()),
        (HEAD + "double x = 1.", set()),
        (HEAD + "double x = 12", set()),
        ("funct", {"function"}),
    ],
)
def test_what_fits_is_offered(text: str, expected: set[str]) -> None:
    assert names(text) == set(expected)


def test_names_of_another_function_are_not_offered() -> None:
    text = "function first(Graph g, int alpha) { }\nfunction second(Graph h) { alp"
    assert names(text) == set()


def test_what_follows_the_cursor_does_not_matter() -> None:
    text = LOOP + "v.dis"
    assert names(text, "tance = 1; } }") == names(text, " += ;;; }} function ((") == {"distance"}


def test_a_candidate_says_what_it_is() -> None:
    text = HEAD + "g.get_e"
    (found,) = completions(text, len(text))[1]
    assert (found.kind, found.detail) == (Kind.METHOD, "get_edge(node, node) -> edge")


def test_the_whole_word_before_the_cursor_is_replaced() -> None:
    text = HEAD + "forall (v in g.neigh"
    span, _ = completions(text, len(text))
    assert text[span.start : span.end] == "neigh"
