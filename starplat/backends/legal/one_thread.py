"""Rewrites the work of a group for one thread, for targets without thread numbers: it takes every iteration, and needs
no barrier and no atomic operation.
"""

from dataclasses import replace

from starplat.backends import statements as st
from starplat.backends.legal.inside import with_blocks
from starplat.ir import build, nodes as ir
from starplat.ir.visitor import walk_expression


def by_one_thread(body: st.Body, module: ir.Module) -> st.Body:
    """The statements for the only thread of a group."""
    return tuple(done for statement in body for done in _done(statement, module))


def _done(statement: st.Statement, module: ir.Module) -> st.Body:
    match statement:
        case st.GridBarrier():
            return ()
        case st.OnFirst(body):
            return by_one_thread(body, module)
        case st.Count():
            return (replace(statement, stride=st.Stride.ONE, body=by_one_thread(statement.body, module)),)
        case st.Call(call):
            alone = module.helper(call.function).alone
            return (statement if alone is None else st.Call(replace(call, function=alone)),)
        case st.AtomicCell() | st.FetchCell() | st.SwapCell() | st.IfBeyond() | st.WhileBeyondLocked():
            return _plainly(statement, module)
    return (with_blocks(statement, lambda block: by_one_thread(block, module)),)


def _plainly(
    statement: st.AtomicCell | st.FetchCell | st.SwapCell | st.IfBeyond | st.WhileBeyondLocked, module: ir.Module
) -> st.Body:
    """An atomic change of a cell as a plain one: no other thread looks at the cell. A pair's key and partner are one
    word, which the compare-and-swap changes as one."""
    match statement:
        case st.AtomicCell(combine, array, index, value):
            return (st.CombineCell(combine, array, index, value),)
        case st.FetchCell(variable, combine, array, index, value, declares, constant):
            read = _read(variable, ir.Load(array, index), declares, constant)
            return (read, st.CombineCell(combine, array, index, value))
        case st.SwapCell(variable, array, index, expected, value) if ir.Ref(variable) not in walk_expression(expected):
            read = _read(variable, ir.Load(array, index), declares=False, constant=False)
            store = st.StoreCell(array, index, value)
            return (read, st.If(build.equal(ir.Ref(variable), expected), (store,)))
        case st.IfBeyond(extreme, array, index, candidate, method, body, None) if method is not None:
            store = st.StoreCell(array, index, candidate)
            return (st.IfBeyond(extreme, array, index, candidate, None, (store, *by_one_thread(body, module))),)
        case st.WhileBeyondLocked(extreme, array, index, candidate, body=body):
            return (st.IfBeyond(extreme, array, index, candidate, None, by_one_thread(body, module)),)
    return (with_blocks(statement, lambda block: by_one_thread(block, module)),)


def _read(variable: ir.Variable, value: ir.Expression, declares: bool, constant: bool) -> st.Statement:
    return st.Declare(variable, value, constant) if declares else st.Assign(variable, value)
