"""Decides which values wait in a local until they are used."""

from collections.abc import Iterable

from starplat.backends import statements as st
from starplat.backends.uses import assigned_in, assigned_once, reads, variables_in
from starplat.ir import nodes as ir, visitor
from starplat.ir.fresh_names import FreshNames


class Locals:
    """Those of one kernel or function; `changing` are assigned, `once_set` by one operation only."""

    def __init__(self, routine: ir.Kernel | ir.Function, taken: Iterable[str]) -> None:
        names = {variable.name for variable in variables_in(routine)}
        names.update(array.name for array in getattr(routine, "arrays", ()))
        self.names = FreshNames(names.union(taken))
        self.changing = assigned_in(routine)
        self.once_set = assigned_once(routine)

    def fresh(self, name: str, element: ir.Element) -> ir.Variable:
        """A local with a name that nothing else has."""
        return ir.Variable(self.names.fresh(name), element)

    def receiver(self, name: str, element: ir.Element) -> ir.Variable:
        """A fresh local that one operation assigns."""
        variable = self.fresh(name, element)
        self.changing, self.once_set = self.changing | {variable}, self.once_set | {variable}
        return variable

    def settled(self, value: ir.Expression, name: str, body: st.Body) -> tuple[st.Body, ir.Expression]:
        """`value` where it may be mentioned more than once: in a local, unless it is one that `body` leaves alone."""
        if isinstance(value, ir.Const | ir.NumNodes | ir.NumArcs):
            return (), value
        if isinstance(value, ir.Ref) and value.variable not in assigned_in(body):
            return (), value
        return self._held(value, name)

    def early(self, value: ir.Expression, name: str) -> tuple[st.Body, ir.Expression]:
        """`value`, mentioned once but late: in a local if a cell that it reads may change until then."""
        return ((), value) if is_stable(value) else self._held(value, name)

    def _held(self, value: ir.Expression, name: str) -> tuple[st.Body, ir.Expression]:
        local = self.fresh(name, value.element)
        return (st.Declare(local, value, constant=True),), ir.Ref(local)

    def apart(
        self, variable: ir.Variable, index: ir.Expression, value: ir.Expression
    ) -> tuple[st.Body, tuple[ir.Expression, ir.Expression]]:
        """The cell's index and its new value, in locals if they mention the variable that is about to change."""
        before: st.Body = ()
        settled = []
        for name, part in (("cell", index), ("value", value)):
            more, known = (
                self.settled(part, name, (st.Assign(variable, part),)) if reads(variable, part) else ((), part)
            )
            before += more
            settled.append(known)
        return before, (settled[0], settled[1])


def is_stable(value: ir.Expression) -> bool:
    """Whether the value cannot change while other threads run: made of locals, constants and the graph."""
    return not any(
        isinstance(part, ir.CallFunction) or (isinstance(part, ir.Load) and part.array.origin is not ir.Origin.GRAPH)
        for part in visitor.walk_expression(value)
    )
