"""Makes rows in parts on the device (see `layouts.in_parts`).

Rows ascend, so a node's arcs of a part lie together: two searches find how many they are. Prefix sums of these numbers
tell where rows begin.
"""

from dataclasses import replace

from starplat.ir import build, fresh_names, module_rewriter, nodes as ir, visitor
from starplat.schedule.rows.prefix_sums import prefix_sums

_LONG = ir.Element.LONG


def with_rows_in_parts(module: ir.Module) -> ir.Module:
    """The module with the functions that make the rows in parts that its kernels use."""
    for (parts, way), arrays in ir.PART_ARRAYS.items():
        if arrays[0] in module.graph_arrays:
            module = _Builder(module, ir.REVERSE if way else ir.CSR, parts, arrays).added()
    return module_rewriter.with_graph_arrays(module)


def _long(value: int) -> ir.Const:
    return ir.Const(value, _LONG)


class _Builder:
    """Makes the function and the kernels for one direction."""

    def __init__(self, module: ir.Module, of: ir.Layout, parts: int, arrays: tuple[ir.Array, ir.Array]) -> None:
        self.module, self.of, self.parts, self.made = module, of, parts, arrays
        self.names = names = fresh_names.names_of(module)
        self.rows, self.columns = (
            replace(array, name=self.names.fresh(f"{word}_of_parts"), origin=ir.Origin.PARAMETER)
            for array, word in zip(arrays, ("rows", "columns"), strict=True)
        )
        self.node = names.variable("node", ir.Element.NODE)
        self.part, self.low, self.high, self.at = names.variables(_LONG, "part", "low", "high", "at")
        self.arc, self.end, self.count = names.variables(ir.Element.ARC, "arc", "end", "count")
        self.row = build.plus(build.times(ir.Ref(self.part), ir.NumNodes(_LONG)), ir.Cast(ir.Ref(self.node), _LONG))

    def added(self) -> ir.Module:
        way = self.made[0].name.removesuffix(f"rows_in_{self.parts}_parts")
        count = self.kernel(f"count_{way}parts", self.counted(), "arcs of every part")
        fill = self.kernel(f"fill_{way}parts", self.filled(), "the rows themselves")
        all_rows = build.times(ir.NumNodes(_LONG), _long(self.parts))
        sums = prefix_sums(self.rows, build.plus(all_rows, _long(1)), self.names)
        kernels = (count, *sums.kernels, fill)
        parameters = (ir.Parameter(self.rows), ir.Parameter(self.columns))
        body: tuple[ir.HostOp, ...] = (
            ir.Fill(self.rows, ir.Const(0, ir.Element.ARC)),
            ir.Launch(count.name),
            *sums.ops,
            ir.Launch(fill.name),
        )
        function = ir.HostFunction(self.names.fresh(f"cut_{way}rows"), parameters, (), None, body)
        return replace(
            self.module,
            functions=(*self.module.functions, function),
            kernels=(*self.module.kernels, *kernels),
            prepared=(*self.module.prepared, ir.Prepared(function.name, self.made)),
        )

    def kernel(self, name: str, body: tuple[ir.KernelOp, ...], comment: str) -> ir.Kernel:
        kernel = ir.Kernel(self.names.fresh(name), ir.AllNodes(), self.node, body=body, comment=comment)
        return visitor.with_signature(kernel)

    def counted(self) -> tuple[ir.KernelOp, ...]:
        """How many of a node's arcs each part has, in the cell behind its row's: the first arc beyond the part is
        searched for in what is left of the row."""
        nodes, parts = ir.NumNodes(_LONG), _long(self.parts)
        share = build.divided(build.plus(nodes, _long(self.parts - 1)), parts)
        beyond = build.times(build.plus(ir.Ref(self.part), _long(1)), share)
        middle = build.plus(ir.Ref(self.low), build.half(build.minus(ir.Ref(self.high), ir.Ref(self.low))))
        neighbor = ir.Cast(self.of.neighbor(ir.Cast(ir.Ref(self.at), ir.Element.ARC)), _LONG)
        search = (
            ir.Let(self.at, middle),
            ir.KernelIf(
                build.less(neighbor, beyond),
                (ir.SetLocal(self.low, build.plus(ir.Ref(self.at), _long(1))),),
                (ir.SetLocal(self.high, ir.Ref(self.at)),),
            ),
        )
        found, behind = ir.Cast(ir.Ref(self.low), ir.Element.ARC), build.plus(self.row, _long(1))
        each = (
            ir.Let(self.low, ir.Cast(ir.Ref(self.arc), _LONG)),
            ir.Let(self.high, ir.Cast(ir.Ref(self.end), _LONG)),
            ir.KernelWhile(build.less(ir.Ref(self.low), ir.Ref(self.high)), search),
            ir.Store(self.rows, behind, build.minus(found, ir.Ref(self.arc))),
            ir.SetLocal(self.arc, found),
        )
        return (
            ir.Let(self.arc, self.of.first(ir.Ref(self.node))),
            ir.Let(self.end, self.of.end(ir.Ref(self.node))),
            ir.ForRange(self.part, _long(0), parts, each),
        )

    def filled(self) -> tuple[ir.KernelOp, ...]:
        row = ir.Load(self.rows, self.row)
        end = ir.Load(self.rows, build.plus(self.row, _long(1)))
        copy = (
            ir.Store(self.columns, ir.Ref(self.count), self.of.neighbor(ir.Ref(self.arc))),
            ir.SetLocal(self.arc, build.plus(ir.Ref(self.arc), ir.Const(1, ir.Element.ARC))),
        )
        return (
            ir.Let(self.arc, self.of.first(ir.Ref(self.node))),
            ir.ForRange(self.part, _long(0), _long(self.parts), (ir.ForRange(self.count, row, end, copy),)),
        )
