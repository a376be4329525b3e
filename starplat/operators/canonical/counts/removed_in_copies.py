"""Marks the nodes that a round removes in a copy of a set, which then becomes the set, and removes them where it does.

after = alive;                                        g.attachNodeProperty(leaves = False);
forall (v in g.nodes().filter(alive)) {               forall (v in g.nodes().filter(alive)) {
  if (v.x < k) { v.after = False; }                     if (v.x < k) { v.leaves = True; }
}                                                     }
alive = after;                                        forall (v in g.nodes().filter(leaves)) { v.alive = False; }

Both hold the same but for the nodes that are marked. Nothing else reads the copy.
"""

from dataclasses import replace

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import hosts, rebuilding
from starplat.operators.canonical.counts.members import FLAG, loops_over_nodes
from starplat.same import Same


def with_marks_for_copies(body: typed.Block) -> typed.Block:
    """A function's body with such marks, in the blocks that the host runs."""
    return rebuilding.with_host_blocks(body, lambda statements: _marked(statements, body))


def _marked(statements: rebuilding.Statements, body: typed.Block) -> rebuilding.Statements:
    for first, s in enumerate(statements):
        match s:
            case typed.CopyProperty(copy, members) if copy.type == FLAG and copy.role is typed.Role.LOCAL:
                back = [i for i, other in enumerate(statements) if other == typed.CopyProperty(members, copy)]
            case _:
                continue
        between = statements[first + 1 : back[0]] if len(back) == 1 else ()
        loops, stores = [d for i in between for d in loops_over_nodes(i)], walk.writers(copy, *between)
        known = {Same(i) for i in (s, *stores, *(statements[i] for i in back))}
        others = [i for i in walk.statements(body) if Same(i) not in known and i != typed.Declare(copy)]
        removes = all(isinstance(i, typed.Assign) and i.value == typed.FALSE for i in stores)
        alone = not any(copy in (*walk.written(i), *walk.read(i)) for i in others)
        if stores and loops and removes and alone and members not in walk.all_written(*between):
            if hosts.may_leave(between) or not isinstance(loops[0].domain, typed.AllNodes):
                continue
            build, graph = Builder(s.span), loops[0].domain.graph
            mark, node = build.of_nodes(f"leaves_{members.name}", types.Scalar.BOOL), build.iterator()
            marks = _with_marks(between, copy, mark)
            gone = build.assign(build.cell(members, node), False)
            removed = build.over(node, typed.AllNodes(graph), gone, condition=build.cell(mark, node))
            clear = typed.Attach(graph, ((mark, typed.FALSE),), span=s.span)
            rest = statements[back[0] + 1 :]
            return (*statements[:first], build.declare(mark), clear, *marks, removed, *rest)
    return statements


def _with_marks(statements: rebuilding.Statements, copy: typed.Symbol, mark: typed.Symbol) -> rebuilding.Statements:
    """Statements that mark nodes in place of storing False in a copy."""

    def marked(part: object) -> typed.Assign | None:
        match part:
            case typed.Assign(typed.Cell(symbol) as cell) if symbol is copy:
                return replace(part, place=replace(cell, symbol=mark), value=typed.TRUE)
        return None

    return rebuilding.rebuilt(statements, marked)
