"""The state of lowering: the program, its facts, the kernels and helpers made so far."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from starplat.analysis import Facts, walk
from starplat.analysis.infinity import may_be_infinite
from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar, SetType, Type
from starplat.ir import build, fresh_names, nodes as ir
from starplat.ir.lowering import checking, elements
from starplat.operators.records import Searches, Spreading
from starplat.same import Same
from starplat.source import Span


@dataclass
class Context:
    """`settling` are the loops that do nothing but let arcs offer what they have, `searching` those that search from
    each of many sources, by identity; `lower_helper` makes (once) the kernel function of a program's function and
    gives it with the graph arrays it needs; `checks` are those of a checked run."""

    facts: Facts
    settling: Mapping[Same, Spreading | None]
    searching: Mapping[Same, Searches]
    kernels: dict[str, ir.Kernel] = field(default_factory=dict)
    helpers: dict[str, ir.Function] = field(default_factory=dict)
    arrays: set[ir.Array] = field(default_factory=set)
    host_calls: dict[str, None] = field(default_factory=dict)
    kernel_names: fresh_names.FreshNames = field(default_factory=fresh_names.FreshNames)
    lower_helper: Callable[[str], ir.Function] = field(init=False)
    checks: checking.Checks | None = None

    @property
    def program(self) -> typed.Program:
        return self.facts.program

    def may_be_infinite(self, expression: typed.Expression) -> bool:
        return may_be_infinite(expression, self.facts.infinite, self.facts.finite)

    def settles(self, place: typed.Place) -> bool:
        """Whether a cell changed by Min or Max has the same end in any order of iterations."""
        return Same(place) in self.facts.settled

    def refuse(self, code: str, message: str, span: Span, text: str = "", help: str | None = None) -> DiagnosticError:
        """The error to raise for what cannot be lowered."""
        return DiagnosticError(Diagnostic(code, message, self.program.source, Label(span, text), help=help))

    def refuse_stores(self, call: typed.Call, flag: typed.Symbol) -> None:
        """E0669 where a function stores to the flag of a fixed point around the call, which has two copies of it."""
        if flag in walk.changed_by(call, self.program):
            raise self.refuse(
                "E0669", f"'{call.function}' stores to '{flag.name}', the flag of a fixedPoint around it", call.span,
                "the round reads one copy of the flag and stores to another; a function that stays apart has one",
                f"let '{call.function}' store to a second property, and copy that to '{flag.name}' in every round",
            )  # fmt: skip

    def unsupported(self, construct: str, span: Span) -> DiagnosticError:
        """E0651 for node maps and lists of lists."""
        help = "a list holds numbers, bools, nodes or edges: of several lists keep one, and the places where they begin"
        if "nodeMap" in construct:
            help = "a 'propNode' has a value for every node; a 'SetN' beside it holds the nodes that were given one"
        return self.refuse("E0651", f"'{construct}' cannot run yet", span, "no target has it so far", help)


def array_of(symbol: typed.Symbol, name: str, origin: ir.Origin) -> ir.Array:
    """The array behind a property or set."""
    return ir.Array(name, element_of(symbol.type), extent_of(symbol.type), origin, isinstance(symbol.type, SetType))


def element_of(type: Type) -> ir.Element:
    match type:
        case PropertyType():
            return elements.ELEMENTS[type.element]
        case SetType():
            return ir.Element.BOOL
        case Scalar():
            return elements.ELEMENTS[type]
    raise AssertionError(f"no element type for {type}")


def extent_of(type: Type) -> ir.Extent:
    if isinstance(type, PropertyType) and type.carrier is Carrier.UPDATE:
        return ir.Extent.UPDATES
    of_nodes = type.carrier is Carrier.NODE if isinstance(type, PropertyType) else type == SetType(Scalar.NODE)
    return ir.Extent.NODES if of_nodes else ir.Extent.ARCS


def zero(element: ir.Element) -> ir.Const:
    """The value of an uninitialised cell or variable: 0, False, or -1 for no node and no edge."""
    match element:
        case ir.Element.BOOL:
            return ir.Const(False, element)
        case ir.Element.NODE | ir.Element.ARC:
            return ir.Const(-1, element)
        case ir.Element.FLOAT | ir.Element.DOUBLE:
            return ir.Const(0.0, element)
    return ir.Const(0, element)


def both(left: ir.Expression | None, right: ir.Expression | None) -> ir.Expression | None:
    """`left && right`, where either may be missing."""
    if left is None or right is None:
        return right if left is None else left
    return build.both(left, right)
