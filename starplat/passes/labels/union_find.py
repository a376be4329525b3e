"""Replaces label propagation until convergence by union-find.

A loop in which labels spread (`ir.Spreading`, found in operators) becomes five launches (`trees`): every node points to
its best neighbor; joins a second one; paths are flattened; every arc joins the trees at its ends, which mostly are one
by then; paths are flattened. Where labels begin as nodes, they are the trees: a tree's root is its best node, so the
answer is the same bit for bit. Where they are any values, trees are an array of their own and two more launches follow:
the root's label becomes the best of its tree, then every node takes its root's.

Where a program follows arcs one way only, labels spread over all of a component if arcs lead both ways. That is not
tested for every arc: the arcs that joined two trees connect each component, so it is enough that each of these has its
reverse. If one has not, the program's own loop runs.

Where labels only spread along arcs that have their reverse, that is looked up before an arc joins two trees, and no
arcs are sampled. If the program has the arcs at hand that enter nodes, nodes go over these and search their own rows.

Of a graph that is known to have every arc's reverse, no arc within the great tree that most nodes are in by then has to
be looked at: only nodes that are still apart from it join along their arcs, those into the tree as well.
On cores, which tell the host at once whether there are any, no arc is looked at where there are none.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from starplat.ir import build, fresh_names, nodes as ir, uses, visitor
from starplat.operators.records import Start
from starplat.passes.labels.among_parts import STEPS as STEPS_OF_PARTS, TreesOfParts
from starplat.passes.labels.trees import STEPS, Trees
from starplat.passes.memory import has_two_names
from starplat.passes.rewritten import Found, Rewritten, replaced, tidied


def union_find(
    module: ir.Module,
    *,
    shares_arcs: bool = False,
    stores_paths: bool = False,
    symmetric: bool = False,
    even_few: bool = True,
    in_parts: bool = False,
    all_rows: bool = False,
    joins: Callable[[ir.Combine, ir.Element], bool] = lambda combine, element: True,
) -> Rewritten:
    """The same program with union-find in place of label propagation, and the replacements.

    Args:
        shares_arcs: whether threads are to share the arcs of all nodes, where a kernel goes over these.
        stores_paths: whether threads should store a shorter path, rather than update it atomically.
        symmetric: whether every graph that the program will see has arcs, each of them with its reverse.
        even_few: whether loops are replaced in which all nodes but a few begin with one value, so that they would go
            over little of the graph at a time, and perhaps not over all of it.
        in_parts: whether the run will be divided into parts. Then loops stay whose labels might spread one way only.
        all_rows: whether each of these parts has the rows of all nodes.
        joins: whether threads can combine numbers of a type in one cell.
    """
    done = []
    rewritten = module
    for function in () if has_two_names(module) else module.functions:
        for row in uses.rows(function.body):
            for place, op in enumerate(row):
                if not isinstance(op, ir.Loop) or op.spreading is None:
                    continue
                both_ways = symmetric or op.spreading.both_ways
                if (both_ways or not in_parts) and _is_wanted(op.spreading, even_few, joins):
                    function_now, before = rewritten.function(function.name), row[:place]
                    builder = _Builder(
                        rewritten,
                        function_now,
                        op,
                        op.spreading,
                        before,
                        shares_arcs=shares_arcs,
                        stores_paths=stores_paths,
                        symmetric=symmetric,
                        in_parts=in_parts,
                        all_rows=all_rows,
                    )
                    rewritten = builder.module_with_it()
                    done.append(builder.note())
    return Rewritten(tidied(rewritten), tuple(done)) if done else Rewritten(module)


def _is_wanted(found: ir.Spreading, even_few: bool, joins: Callable[[ir.Combine, ir.Element], bool]) -> bool:
    element = found.labels.element
    able = found.start is Start.NODES or element is ir.Element.BOOL or joins(found.extreme, element)
    return able and (even_few or found.start is not Start.FEW)


@dataclass
class _Builder:
    """Writes the kernels for one loop, and the host operations that launch them. `before` is what stands before the
    loop in its row."""

    module: ir.Module
    host_function: ir.HostFunction
    loop: ir.Loop
    found: ir.Spreading
    before: tuple[ir.HostOp, ...]
    shares_arcs: bool
    stores_paths: bool
    symmetric: bool
    in_parts: bool = False
    all_rows: bool = False

    def __post_init__(self) -> None:
        self.label = self.found.labels
        self.are_nodes = self.found.start is Start.NODES
        launched = (
            self.module.kernel(op.kernel) for op in visitor.walk_host((self.loop,)) if isinstance(op, ir.Launch)
        )
        changing = [kernel for kernel in launched if self.label in visitor.written_arrays(kernel.body)]
        kernels = fresh_names.FreshNames(kernel.name for kernel in self.module.kernels)
        stem = f"{self.host_function.name}_{self.label.name}"
        self.names = {
            step: kernels.free(f"{stem}_{step}")
            for step in (*(STEPS_OF_PARTS if self.in_parts else STEPS), "restart", "combine", "share")
        }
        names = fresh_names.FreshNames(fresh_names.names_throughout(self.host_function, self.module))
        self.one_way = ir.Variable(names.free("one_way"), ir.Element.BOOL)
        self.both_ways = self.symmetric or self.found.both_ways
        self.apart = ir.Array(
            names.free(f"{self.label.name}_apart"), ir.Element.BOOL, ir.Extent.NODES, ir.Origin.TEMPORARY
        )
        self.middle = ir.Variable(names.free("middle"), ir.Element.NODE)
        left = ir.Variable(names.free("left"), ir.Element.BOOL)
        self.left = left if self.symmetric and self.stores_paths and not self.in_parts else None
        tree = ir.Array(names.free(f"{self.label.name}_tree"), ir.Element.NODE, ir.Extent.NODES, ir.Origin.TEMPORARY)
        self.tree = self.label if self.are_nodes else tree
        direction = ir.Direction.IN if ir.IN_COLUMNS in self.module.graph_arrays else ir.Direction.OUT
        self.trees = Trees(
            self.tree,
            self.found.extreme if self.are_nodes else ir.Combine.MIN,
            self.names,
            None if self.both_ways else self.one_way,
            direction if self.found.mutual and not self.symmetric else None,
            self.apart if self.symmetric else None,
            self.middle,
            self.left,
            self.shares_arcs,
            self.stores_paths,
            not self.in_parts and any(ir.SOURCES in kernel.arrays for kernel in changing),
            changing[0].span,
            {self.label.name, self.tree.name, self.one_way.name, self.middle.name, left.name},
        )
        self.v = self.trees.v
        self.of_parts = TreesOfParts(self.trees, self.names, names.free, self.all_rows) if self.in_parts else None

    def module_with_it(self) -> ir.Module:
        """The module with the loop replaced."""
        body = replaced(self.host_function.body, (self.begun_by(), ()), (self.loop, self.host()))
        trees = () if self.are_nodes else (self.tree,)
        arrays = (*self.host_function.arrays, *trees, *((self.apart,) if self.symmetric else ()))
        arrays += self.of_parts.arrays if self.of_parts is not None else ()
        function = replace(self.host_function, body=body, arrays=arrays)
        kernels = (*(self.of_parts or self.trees).kernels(), *self.beside_trees())
        return replace(self.module.with_function(function), kernels=(*self.module.kernels, *kernels))

    def begun_by(self) -> ir.Launch | None:
        """The launch that only gives nodes their first labels, which the loop's replacement does itself."""
        touching = (op for op in reversed(self.before) if uses.use(op, self.label, self.module) is not uses.Use.NONE)
        last = next(touching, None)
        if not self.are_nodes or not isinstance(last, ir.Launch):
            return None
        kernel = self.module.kernel(last.kernel)
        return last if kernel.arrays == (self.label,) and not kernel.reductions else None

    def note(self) -> Found:
        """What was done, for people."""
        how_far = "" if self.both_ways else "on graphs whose arcs lead both ways"
        how_far = "along arcs that have their reverse" if self.found.mutual else how_far
        how_far = "only for nodes apart from the great tree after two arcs of each" if self.symmetric else how_far
        what = f"union-find for '{self.label.name}' in place of a loop"
        kind = "smallest" if self.found.extreme is ir.Combine.MIN else "largest"
        best = f"the {kind} {'node' if self.are_nodes else 'value'} of its component"
        if self.label.element is ir.Element.BOOL:
            best = f"{self.found.extreme is ir.Combine.MAX} where any node of its component has begun so"
        return Found(what, f"the loop ends when every node has {best}", how_far)

    # --- the host ---

    def host(self) -> tuple[ir.HostOp, ...]:
        launches = tuple(ir.Launch(self.names[step]) for step in self.trees.steps)
        shared = () if self.are_nodes else (ir.Launch(self.names["combine"]), ir.Launch(self.names["share"]))
        if self.of_parts is not None:
            return (ir.HostBlock((*self.of_parts.host(), *shared), placed=(self.label,)),)
        if self.symmetric:
            half = build.divided(ir.NumArcs(ir.Element.ARC), ir.Const(2, ir.Element.ARC), ir.Element.ARC)
            declared = ir.DeclareVariable(self.middle, ir.CSR.neighbor(half))
            return (ir.HostBlock((declared, *self.while_some_are_left(launches), *shared)),)
        if self.both_ways:
            return (*launches, *shared)
        restart = (ir.Launch(self.names["restart"]),) if self.are_nodes else ()
        again = (*restart, self.loop)
        declared = ir.DeclareVariable(self.one_way, build.FALSE)
        return (ir.HostBlock((declared, *launches, ir.HostIf(ir.Ref(self.one_way), again, shared))),)

    def while_some_are_left(self, launches: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
        """The launches; where the host knows the word of a kernel at once, the last two only if nodes are left that
        were set apart."""
        if self.left is None:
            return launches
        *first, join, flatten = launches
        return ir.DeclareVariable(self.left, build.FALSE), *first, ir.HostIf(ir.Ref(self.left), (join, flatten))

    # --- kernels ---

    def beside_trees(self) -> list[ir.Kernel]:
        if not self.are_nodes:
            return [
                self.of_nodes("combine", self.combine(), "the root of each tree gets the best label in it"),
                self.of_nodes("share", self.share(), "every node gets the label of its root"),
            ]
        restart = (ir.Store(self.label, ir.Ref(self.v), ir.Ref(self.v)),)
        return [] if self.both_ways else [self.of_nodes("restart", restart, "every node points to itself again")]

    def of_nodes(self, step: str, body: tuple[ir.KernelOp, ...], comment: str) -> ir.Kernel:
        return self.trees.kernel(step, ir.AllNodes(), self.v, body, comment)

    def combine(self) -> tuple[ir.KernelOp, ...]:
        """Roots have their own label; a thread writes only if it finds the root's to be worse, which is seldom."""
        root, extreme = self.trees.local("root", ir.Element.NODE), self.found.extreme
        mine, held = ir.Load(self.label, ir.Ref(self.v)), ir.Load(self.label, ir.Ref(root))
        if self.label.element is not ir.Element.BOOL:
            better: ir.Expression = build.beyond(extreme, mine, held)
            update: ir.KernelOp = ir.UpdateCell(extreme, self.label, ir.Ref(root), mine, shared=True)
        else:
            greatest = extreme is ir.Combine.MAX
            one, other = (mine, build.denied(held)) if greatest else (build.denied(mine), held)
            better = build.both(one, other)
            update = ir.Store(self.label, ir.Ref(root), ir.Const(greatest, ir.Element.BOOL), shared=True)
        return ir.Let(root, ir.Load(self.tree, ir.Ref(self.v))), ir.KernelIf(better, (update,))

    def share(self) -> tuple[ir.KernelOp, ...]:
        root = self.trees.local("root", ir.Element.NODE)
        taken = ir.Store(self.label, ir.Ref(self.v), ir.Load(self.label, ir.Ref(root)))
        apart = build.differs(ir.Ref(root), ir.Ref(self.v))
        return ir.Let(root, ir.Load(self.tree, ir.Ref(self.v))), ir.KernelIf(apart, (taken,))
