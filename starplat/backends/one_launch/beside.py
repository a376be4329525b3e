"""Prefetches what stands beside the cells that a cluster reads.

On graphs too large for the second-level cache a round of few nodes waits for memory once for every read that depends on
the one before. Where nodes that are joined have numbers beside each other, as on roads and grids, what stands beside
the cells of this round is read in the next ones. An arc in 32 asks for it, in the middle of a line of memory.
"""

from dataclasses import replace

from starplat.backends import statements as st
from starplat.ir import nodes as ir, visitor


def asking_beside(body: st.Body) -> st.Body:
    """The statements, whose walks over arcs of sets ask for lines beside theirs."""
    return tuple(map(_statement, body))


def _statement(statement: st.Statement) -> st.Statement:
    if isinstance(statement, st.Advance) and isinstance(statement.members, ir.Array):
        return replace(statement, body=(_asked(statement), *statement.body))
    return st.with_blocks(statement, asking_beside, st.While, st.Scope)


def _asked(walk: st.Advance) -> st.AskBeside:
    """The cells of arcs, and those of nodes at either end: nodes that are read soon are beside both."""
    arc, parts = ir.Ref(walk.position), tuple(visitor.walk(walk.body))
    loads = [part for part in parts if isinstance(part, ir.Load)]
    ends = {ir.Ref(walk.node)}
    ends |= {ir.Ref(p.variable) for p in parts if isinstance(p, st.Declare) and _tells_neighbor(p.value, arc)}
    of_arcs = dict.fromkeys(load.array for load in loads if load.index == arc)
    changed = (part for part in parts if isinstance(part, st.StoreCell | st.IfBeyond) and part.index in ends)
    cells = (part.array for part in (*loads, *changed) if part.index in ends and part.array.packed is None)
    of_nodes = dict.fromkeys((walk.rows, *cells))
    new = [inner for part in parts if isinstance(part, st.IfReaches) for inner in part.body]  # put in without waiting
    inserts = (part for part in parts if isinstance(part, st.Insert) and not any(part is inner for inner in new))
    sets = dict.fromkeys(part.members for part in inserts)
    return st.AskBeside(walk.node, walk.position, tuple(of_arcs), tuple(of_nodes), tuple(sets), ir.NumArcs())


def _tells_neighbor(value: ir.Expression, arc: ir.Expression) -> bool:
    return isinstance(value, ir.Load) and value.index == arc and value.element is ir.Element.NODE
