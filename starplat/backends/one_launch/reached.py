"""Tests by bits whether a cell was lowered, in the rounds of a cluster that lower each cell once.

The bits are in the memory of the cluster's groups, nearer than the cells and the bits of a set: a cell whose bit is not
set is stored and its node listed without another test. `schedule.direction.waves` has the proof.
"""

from dataclasses import replace

from starplat.backends import statements as st
from starplat.ir import build, nodes as ir


def reaching(cells: ir.Array, body: st.Body) -> st.Body:
    """The statements of a launch with tests of bits in place of cells."""
    return _Reaching(cells).block(body)


class _Reaching:
    def __init__(self, cells: ir.Array) -> None:
        self.cells = cells

    def block(self, body: st.Body) -> st.Body:
        return tuple(map(self.statement, body))

    def statement(self, statement: st.Statement) -> st.Statement:
        match statement:
            case st.IfBeyond(ir.Combine.MIN, self.cells, index, value, method, body) if method is not None:
                return st.IfReaches(self.cells, index, value, _all_new(body))
            case st.If(test, (st.StoreCell(self.cells, index, value), *told), ()) if self.lowers(test, index, value):
                return st.IfReaches(self.cells, index, value, _all_new(tuple(told)))
        return st.with_blocks(statement, self.block, st.Advance, st.Scope, st.Count)

    def lowers(self, test: ir.Expression, index: ir.Expression, value: ir.Expression) -> bool:
        return test == build.less(value, ir.Load(self.cells, index))


def all_found_new(body: st.Body) -> st.Body:
    """The statements of a pull, whose nodes were not reached, so they are in no set."""
    return tuple(map(_found_new, body))


def _found_new(statement: st.Statement) -> st.Statement:
    match statement:
        case st.Scope():
            return replace(statement, body=all_found_new(statement.body))
        case st.Search():
            return replace(statement, reach=_all_new(statement.reach))
    return statement


def _all_new(body: st.Body) -> st.Body:
    return tuple(replace(inner, new=True) if isinstance(inner, st.Insert) else inner for inner in body)
