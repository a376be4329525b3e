"""Step `changes`: rounds in which every node works out a value from its row leave out nodes whose row is as it was.

  for (...) {                               touched := True
    forall (v) next[v] = f(x[v], row);      for (...) {
    x = next;                                 forall (v with touched[v]) { touched[v] = False; next[v] = f(x[v], row); }
  }                                           forall (v with x[v] != next[v]) {
                                                x[v] = next[v]; touched[v] = True; touched of its row = True;
                                              }
                                            }

f is a histogram of the row's values (`ir.shapes.histograms`), which takes much longer than to mark a row. It sees
nothing but x and what no round changes, so `next` holds its result already where nothing of x is new. A row is the same
both ways, so that a node is in the rows of its neighbors.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build, launches, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.module_rewriter import ModuleRewriter, with_graph_arrays
from starplat.ir.shapes.histograms import Histogram, histogram
from starplat.ir.visitor import all_expressions, host_ops, walk_expression, walk_kernel, with_signature
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Decided, for_kernels

_PLAIN = (ir.Let, ir.SetLocal, ir.Store, ir.KernelIf, ir.ForRange, ir.ForNeighbors, ir.KernelCall)
_WHOLE = (ir.Element.BOOL, ir.Element.INT, ir.Element.LONG, ir.Element.NODE)
"""Of these, equal values are the same: a real has two zeros."""


def has_rounds_of_rows(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether there are such rounds, on a symmetric graph."""
    return not capabilities.lockstep and any(
        isinstance(op, ir.Loop) and any(isinstance(inner, ir.CopyArray) for inner in op.body) for op in host_ops(module)
    )


def only_changed_rows(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> Decided:
    """The module whose rounds leave out such nodes, if the graph is symmetric and threads are cores."""
    if capabilities.lockstep or facts is None or not facts.symmetric:
        return Decided(module)
    maker = _Maker(module)
    made = maker.module()
    why = "what a node works out from its row is the same as long as the row is"
    what = "only nodes in whose row something has changed"
    return for_kernels(module, with_graph_arrays(made), maker.changed, what, why)


class _Maker(ModuleRewriter):
    """Rewrites loops."""

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.Loop(driver=None, before=(), body=(first, ir.CopyArray(cells, following))):
                launch = first.body[0] if isinstance(first, ir.HostBlock) and len(first.body) == 1 else first
                if isinstance(launch, ir.Launch) and (kernel := self._kernel(launch, cells, following)) is not None:
                    return self._rounds(op, kernel, cells, following)
        return (self.rebuild(op),)

    def _kernel(self, launch: ir.Launch, cells: ir.Array, following: ir.Array) -> ir.Kernel | None:
        """The launched kernel, if nothing else launches it and it works out `following` from rows of `cells`."""
        kernel = self.given.kernel(launch.kernel)
        found = histogram(kernel, self.given)
        alone = launches.is_launched_once(launch.kernel, self.given) and launch.members is None
        return kernel if alone and found is not None and _is_of_row(kernel, found, cells, following) else None

    def _rounds(
        self, loop: ir.Loop, kernel: ir.Kernel, cells: ir.Array, following: ir.Array
    ) -> tuple[ir.HostOp, ir.HostOp]:
        """The loop, and what stands before it."""
        touched = self.taken.array("touched", ir.Element.BOOL, ir.Extent.NODES)
        self.arrays.append(touched)
        own = ir.Load(touched, kernel.own)
        clear = ir.Store(touched, kernel.own, build.FALSE)
        self.changed[kernel.name] = with_signature(replace(kernel, body=(ir.KernelIf(own, (clear, *kernel.body)),)))
        take = self._take(kernel, cells, following, touched)
        self.kernels.append(take)
        return ir.Fill(touched, build.TRUE), replace(loop, body=(loop.body[0], ir.Launch(take.name)))

    def _take(self, kernel: ir.Kernel, cells: ir.Array, following: ir.Array, touched: ir.Array) -> ir.Kernel:
        """The kernel that takes over what has changed, and marks the nodes that see it."""
        names = self.taken.inner()
        node, neighbor = names.variables(ir.Element.NODE, "node", "neighbor")
        arc = names.variable("arc", ir.Element.ARC)
        at, new = ir.Ref(node), ir.Load(following, ir.Ref(node))
        marked = ir.Load(touched, ir.Ref(neighbor))
        mark = ir.KernelIf(build.denied(marked), (ir.Store(touched, ir.Ref(neighbor), build.TRUE, shared=True),))
        body = (
            ir.Store(cells, at, new),
            ir.Store(touched, at, build.TRUE, shared=True),
            ir.ForNeighbors(ir.Direction.OUT, at, neighbor, arc, (mark,), parallel=True),
        )
        changed = ir.KernelIf(build.differs(ir.Load(cells, at), new), body)
        name = self.taken.fresh(f"{kernel.name}_changes")
        comment = "takes what is new, and marks the rows that hold it"
        return with_signature(ir.Kernel(name, ir.AllNodes(), node, (changed,), span=kernel.span, comment=comment))


def _is_of_row(kernel: ir.Kernel, found: Histogram, cells: ir.Array, following: ir.Array) -> bool:
    """Whether every node stores to its own cell of `following`, and nowhere else, what it works out from `cells` of
    itself and of its row and from what no round changes."""
    row, node = found.loop, kernel.iterator
    if kernel.filter is not None or kernel.scalars or kernel.reductions or cells.element not in _WHOLE or node is None:
        return False
    if not isinstance(row, ir.ForNeighbors) or row.direction is not ir.Direction.OUT or cells == following:
        return False
    inside = tuple(walk_kernel(kernel.body))
    stored = {(op.array, op.index) for op in inside if isinstance(op, ir.Store) and op.array != found.keys}
    if not all(isinstance(op, _PLAIN) for op in inside) or stored != {(following, ir.Ref(node))}:
        return False
    parts = [part for e in all_expressions(kernel.body) for part in walk_expression(e)]
    added = sum(isinstance(op, ir.KernelCall) for op in inside)
    asked = {part for part in parts if isinstance(part, ir.CallFunction)}
    adding = {op.call for op in inside if isinstance(op, ir.KernelCall)}
    loads = [part for part in parts if isinstance(part, ir.Load)]
    seen = (ir.Ref(node), ir.Ref(row.neighbor))
    return (
        added == 1
        and asked <= {found.best, *adding}
        and all(load.array != following for load in loads)
        and all(load.index in seen for load in loads if load.array == cells)
    )
