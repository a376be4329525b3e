"""Small programs for the tests of passes, and how their kernels look as text."""

from __future__ import annotations

from starplat.frontend.check import check
from starplat.frontend.parser import parse
from starplat.ir import nodes as ir
from starplat.ir.lower import lower
from starplat.ir.printing.modules import print_module
from starplat.source import SourceFile

HEAD = "Graph g, propNode<double> a, propNode<double> b, propNode<int> c, propNode<int> d, propNode<bool> f, int k"


def module(body: str, head: str = HEAD, others: str = "") -> ir.Module:
    """The module of `function f(head) { body }` as lowering leaves it."""
    source = SourceFile("test.sp", f"function run({head}) {{\n{body}\n}}\n{others}")
    return lower(check(parse(source), source), "run")


def every_node(body: str, filter: str = "") -> ir.Module:
    """A module with one `forall` over the nodes."""
    chosen = f".filter({filter})" if filter else ""
    return module(f"forall (v in g.nodes(){chosen}) {{ {body} }}")


def lines(module: ir.Module) -> list[str]:
    """The module as text, without margins."""
    return [line.strip() for line in print_module(module).splitlines()]


def launches(module: ir.Module) -> list[str]:
    """What the host does with whole arrays, in order."""
    words = ("launch", "fill", "copy", "swap")
    return [line for line in lines(module) if line.startswith(words)]
