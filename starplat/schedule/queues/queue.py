"""A set of nodes as a queue, and the function that adds a node."""

from dataclasses import dataclass

from starplat.ir import build, fresh_names, nodes as ir

_BITS_IN_A_WORD = build.number(32)
_BIT = ir.Variable("bit", ir.Element.INT)


@dataclass(frozen=True, slots=True)
class Queue:
    """The arrays of a set: `bits` of the members, the first `size[0]` cells of `nodes` list them, in no order; `count`
    is the host's copy of that number."""

    bits: ir.Array
    nodes: ir.Array
    size: ir.Array
    count: ir.Variable

    @property
    def arrays(self) -> tuple[ir.Array, ...]:
        return self.bits, self.nodes, self.size

    @property
    def told(self) -> tuple[ir.Array, ...]:
        """The arguments of an insertion."""
        return self.arrays

    @property
    def walked(self) -> ir.Listed:
        """The members of the set."""
        return ir.Listed(self.nodes, build.ZERO, ir.Ref(self.count))


def queue_of(flags: ir.Array, taken: fresh_names.FreshNames) -> Queue:
    """Arrays and a variable in the place of flags."""
    name = flags.name
    return Queue(
        taken.array(f"{name}_bits", ir.Element.INT, ir.Extent.BITS),
        taken.array(f"{name}_list", ir.Element.NODE, ir.Extent.NODES),
        taken.array(f"{name}_size", ir.Element.INT, ir.Extent.ONE),
        taken.variable(f"{name}_count", ir.Element.INT),
    )


def insertion(taken: fresh_names.FreshNames) -> ir.Function:
    """The function that adds a node to a set; a bit seen set by a plain read needs no atomic operation."""
    node, bit = ir.Variable("node", ir.Element.NODE), _BIT
    held, place = ir.Variable("held", ir.Element.INT), ir.Variable("place", ir.Element.INT)
    bits = ir.Array("bits", ir.Element.INT, ir.Extent.BITS, ir.Origin.TEMPORARY)
    nodes = ir.Array("list", ir.Element.NODE, ir.Extent.NODES, ir.Origin.TEMPORARY)
    size = ir.Array("size", ir.Element.INT, ir.Extent.ONE, ir.Origin.TEMPORARY)
    listed: tuple[ir.KernelOp, ...] = (
        ir.Let(place, build.ZERO),
        ir.FetchAdd(place, size, build.ZERO, build.ONE),
        ir.Store(nodes, ir.Ref(place), ir.Ref(node)),
    )
    body = put_into(bits, node, held, (ir.KernelIf(_without(ir.Ref(held), ir.Ref(bit)), listed),))
    parameters = (ir.Parameter(node), ir.Parameter(bits), ir.Parameter(nodes), ir.Parameter(size))
    comment = "Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order."
    return ir.Function(taken.fresh("enlist"), parameters, None, body, comment=comment)


def insertion_alone(insert: ir.Function, taken: fresh_names.FreshNames) -> ir.Function:
    """The same for the only thread."""
    node, (bits, nodes, size) = ir.Variable("node", ir.Element.NODE), (p.what for p in insert.parameters[1:])
    assert isinstance(bits, ir.Array)
    assert isinstance(nodes, ir.Array)
    assert isinstance(size, ir.Array)
    new: tuple[ir.KernelOp, ...] = (
        ir.UpdateCell(ir.Combine.BIT_OR, bits, word_of(ir.Ref(node)), ir.Ref(_BIT), shared=False),
        ir.Store(nodes, ir.Load(size, build.ZERO), ir.Ref(node)),
        ir.UpdateCell(ir.Combine.ADD, size, build.ZERO, build.ONE, shared=False),
    )
    unknown = _without(ir.Load(bits, word_of(ir.Ref(node))), ir.Ref(_BIT))
    body = (ir.Let(_BIT, bit_of(ir.Ref(node))), ir.KernelIf(unknown, new))
    comment = "The same where no other thread runs."
    return ir.Function(taken.fresh(f"{insert.name}_alone"), insert.parameters, None, body, comment=comment)


def put_into(
    bits: ir.Array, node: ir.Variable, held: ir.Variable, new: tuple[ir.KernelOp, ...]
) -> tuple[ir.KernelOp, ...]:
    """Sets the bit of a node, unless a plain read sees it set; its old value is `held` for what is done then."""
    put = (ir.Let(held, build.ZERO), ir.FetchOr(held, bits, word_of(ir.Ref(node)), ir.Ref(_BIT)), *new)
    unknown = _without(ir.Load(bits, word_of(ir.Ref(node))), ir.Ref(_BIT))
    return ir.Let(_BIT, bit_of(ir.Ref(node))), ir.KernelIf(unknown, put)


def inserted(node: ir.Expression, told: tuple[ir.Array, ...], insert: ir.Function) -> ir.KernelCall:
    """The call that adds a node to a set."""
    return ir.KernelCall(ir.CallFunction(insert.name, (node, *told), ir.Element.INT))


def contained(node: ir.Expression, bits: ir.Array) -> ir.Expression:
    """Whether a node is in the set that has these bits."""
    found = _common(ir.Load(bits, word_of(node)), bit_of(node))
    return build.differs(found, build.ZERO)


def word_of(node: ir.Expression) -> ir.Expression:
    """Where a node's bit is."""
    return build.divided(node, _BITS_IN_A_WORD, ir.Element.INT)


def bit_of(node: ir.Expression) -> ir.Expression:
    """Which bit of the word it is."""
    place = ir.Binary(ir.BinaryOperator.REMAINDER, node, _BITS_IN_A_WORD, ir.Element.INT)
    return ir.Binary(ir.BinaryOperator.SHIFT_LEFT, build.ONE, place, ir.Element.INT)


def _without(word: ir.Expression, bit: ir.Expression) -> ir.Expression:
    return build.equal(_common(word, bit), build.ZERO)


def _common(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return ir.Binary(ir.BinaryOperator.BIT_AND, left, right, ir.Element.INT)
