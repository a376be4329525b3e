"""The text of a module is what people read: it is complete, and the same every time."""

from __future__ import annotations

from starplat.ir import nodes as ir
from starplat.ir.printing.expressions import print_expression
from starplat.ir.printing.modules import print_module
from starplat.ir.printing.operations import LINES
from starplat.ir.visitor import HOST_OPS, KERNEL_OPS
from tests.ir.building import binary, number
from tests.ir.test_verify import sssp

TEXT = """\
module sssp
  graph: row_offsets, columns, weights
  results: dist

host sssp(dist: int[n] parameter, src: node)
  array modified: bool[n] local
  array modified_next: bool[n] temporary
  fill dist with INF
  fill modified with false
  write dist[src] = 0
  write modified[src] = true
  let again: bool = true
  while again
    body
      again = false
      fill modified_next with false
      launch k
      swap modified, modified_next

kernel k for v in nodes
  array row_offsets: arc[n + 1] graph
  array columns: node[m] graph
  array weights: int[m] graph
  array modified: bool[n] local
  array dist: int[n] parameter
  array modified_next: bool[n] temporary
  reduction again: bool by ||
  where modified[v]
  forall nbr in out_neighbors(v) at e
    dist[nbr] min= dist[v] +inf weights[e], modified_next[nbr] = true shared
  contribute again true
"""


def test_a_module_as_text() -> None:
    assert print_module(sssp()) == TEXT


def test_expressions_have_the_brackets_that_they_need() -> None:
    a, b = (ir.Ref(ir.Variable(name, ir.Element.INT)) for name in "ab")
    shown: dict[str, ir.Expression] = {
        "a - (b - a) - b": binary("-", binary("-", a, binary("-", b, a)), b),
        "(a + b) * a": binary("*", binary("+", a, b), a),
        "a + b * a": binary("+", a, binary("*", b, a)),
        "a < b && !(a == b)": binary("&&", binary("<", a, b), ir.Unary(ir.UnaryOperator.NOT, binary("==", a, b))),
        "-(-1)": ir.Unary(ir.UnaryOperator.NEGATE, number(-1)),
        "(a < b ? a : b) + 1": binary("+", ir.Select(binary("<", a, b), a, b), number(1)),
        "double inf(INF)": ir.Cast(number(2**31 - 1), ir.Element.DOUBLE, keeps_inf=True),
        "0.5": ir.Const(0.5, ir.Element.DOUBLE),
    }
    for text, expression in shown.items():
        assert print_expression(expression) == text


def test_every_operation_has_a_line() -> None:
    """But a block that only groups."""
    assert {*LINES, ir.HostBlock} == {*KERNEL_OPS, *HOST_OPS}
