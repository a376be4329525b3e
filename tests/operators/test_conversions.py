"""What a node offers as it is bounds what it may offer; what a conversion makes of it does not."""

from __future__ import annotations

import pytest

from tests.operators.meaning import assert_as_written
from tests.spellings.graphs import UGLY

LOSSY = [
    ("double", "int", "-1.5", ">"),
    ("double", "int", "1.5", "<"),
    ("float", "int", "-1.5", ">"),
    ("double", "long", "-1.5", ">"),
    ("double", "float", "0.1", ">"),
]
"""The type of a cell, of a local that it is read into, a number that becomes a better one there, and what is better."""


@pytest.mark.filterwarnings("ignore::starplat.StarplatWarning")
@pytest.mark.parametrize(("held", "read", "begins", "better"), LOSSY)
def test_a_cell_offers_more_than_it_holds_where_a_conversion_makes_it_more(
    held: str, read: str, begins: str, better: str
) -> None:
    text = f"""
function f(Graph g, propNode<{held}> x, node src) {{
  g.attachNodeProperty(x = {begins});
  src.x = {"-3.5" if better == "<" else "3.5"};
  bool more = True;
  while (more) {{
    more = False;
    forall (v in g.nodes()) {{
      {read} offer = v.x;
      forall (w in g.neighbors(v)) {{
        if (offer {better} w.x) {{
          w.x = offer;
          more = True;
        }}
      }}
    }}
  }}
}}
"""
    assert_as_written(text, [UGLY["knot"]])
