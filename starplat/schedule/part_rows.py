"""Makes rows in parts on the device (see `layouts.in_parts`): five launches, each of which visits every arc, or every
row of every part, at most once.

Rows ascend, so a node's arcs of a part lie together: two searches find how many they are. Sums of pieces of these
numbers, and sums of the pieces, tell where rows begin.
"""

from dataclasses import replace

from starplat.ir import build, fresh_names, module_rewriter, nodes as ir, visitor

_PIECE = 4096
"""Numbers that a thread adds up."""

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
        pieces = (ir.Extent.NODES // _PIECE + 1).times(parts)
        self.sums = self.names.array("sums_of_pieces", ir.Element.ARC, pieces)
        self.node, self.piece = names.variable("node", ir.Element.NODE), names.variable("piece", ir.Element.INT)
        self.part, self.low, self.high, self.at = names.variables(_LONG, "part", "low", "high", "at")
        self.arc, self.end, self.sum, self.count = names.variables(ir.Element.ARC, "arc", "end", "sum", "count")
        self.row = build.plus(build.times(ir.Ref(self.part), ir.NumNodes(_LONG)), ir.Cast(ir.Ref(self.node), _LONG))

    def added(self) -> ir.Module:
        way = self.made[0].name.removesuffix(f"rows_in_{self.parts}_parts")
        numbers = ir.Numbers(build.size(self.sums.extent))
        kernels = (
            self.kernel(f"count_{way}parts", ir.AllNodes(), self.node, self.counted(), "arcs of every part"),
            self.kernel(f"sum_{way}pieces", numbers, self.piece, self.summed(), "their sums, piece by piece"),
            self.kernel(f"sum_{way}sums", ir.Numbers(build.ONE), self.piece, self.joined(), "what precedes a piece"),
            self.kernel(f"begin_{way}rows", numbers, self.piece, self.begun(), "where rows begin"),
            self.kernel(f"fill_{way}parts", ir.AllNodes(), self.node, self.filled(), "the rows themselves"),
        )
        parameters = (ir.Parameter(self.rows), ir.Parameter(self.columns))
        body: tuple[ir.HostOp, ...] = (
            ir.Fill(self.rows, ir.Const(0, ir.Element.ARC)),
            *(ir.Launch(kernel.name) for kernel in kernels),
        )
        function = ir.HostFunction(self.names.fresh(f"cut_{way}rows"), parameters, (self.sums,), None, body)
        return replace(
            self.module,
            functions=(*self.module.functions, function),
            kernels=(*self.module.kernels, *kernels),
            prepared=(*self.module.prepared, ir.Prepared(function.name, self.made)),
        )

    def kernel(
        self, name: str, domain: ir.Domain, iterator: ir.Variable, body: tuple[ir.KernelOp, ...], comment: str
    ) -> ir.Kernel:
        return visitor.with_signature(ir.Kernel(self.names.fresh(name), domain, iterator, body=body, comment=comment))

    def counted(self) -> tuple[ir.KernelOp, ...]:
        """How many of a node's arcs each part has: the first arc beyond it is searched for in what is left of the
        row."""
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
        found = ir.Cast(ir.Ref(self.low), ir.Element.ARC)
        each = (
            ir.Let(self.low, ir.Cast(ir.Ref(self.arc), _LONG)),
            ir.Let(self.high, ir.Cast(ir.Ref(self.end), _LONG)),
            ir.KernelWhile(build.less(ir.Ref(self.low), ir.Ref(self.high)), search),
            ir.Store(self.rows, self.row, build.minus(found, ir.Ref(self.arc))),
            ir.SetLocal(self.arc, found),
        )
        return (
            ir.Let(self.arc, self.of.first(ir.Ref(self.node))),
            ir.Let(self.end, self.of.end(ir.Ref(self.node))),
            ir.ForRange(self.part, _long(0), parts, each),
        )

    def of_piece(self, *each: ir.KernelOp) -> ir.ForRange:
        """For the rows of a piece, and a cell more behind all rows."""
        first = build.times(ir.Cast(ir.Ref(self.piece), _LONG), _long(_PIECE))
        last = build.plus(build.times(ir.NumNodes(_LONG), _long(self.parts)), _long(1))
        end = build.plus(first, _long(_PIECE))
        return ir.ForRange(self.at, first, ir.Apply(ir.MathFunction.MIN, (end, last), _LONG), each)

    def summed(self) -> tuple[ir.KernelOp, ...]:
        more = build.plus(ir.Ref(self.sum), ir.Load(self.rows, ir.Ref(self.at)))
        return (
            ir.Let(self.sum, ir.Const(0, ir.Element.ARC)),
            self.of_piece(ir.SetLocal(self.sum, more)),
            ir.Store(self.sums, ir.Ref(self.piece), ir.Ref(self.sum)),
        )

    def joined(self) -> tuple[ir.KernelOp, ...]:
        each = self.replaced(self.sums, ir.Ref(self.at))
        return (
            ir.Let(self.sum, ir.Const(0, ir.Element.ARC)),
            ir.ForRange(self.at, _long(0), ir.Cast(build.size(self.sums.extent), _LONG), each),
        )

    def begun(self) -> tuple[ir.KernelOp, ...]:
        before = ir.Load(self.sums, ir.Ref(self.piece))
        return (ir.Let(self.sum, before), self.of_piece(*self.replaced(self.rows, ir.Ref(self.at))))

    def replaced(self, numbers: ir.Array, place: ir.Expression) -> tuple[ir.KernelOp, ...]:
        """A number becomes the sum of those before it."""
        return (
            ir.Let(self.count, ir.Load(numbers, place)),
            ir.Store(numbers, place, ir.Ref(self.sum)),
            ir.SetLocal(self.sum, build.plus(ir.Ref(self.sum), ir.Ref(self.count))),
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
