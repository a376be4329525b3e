"""Makes checks of risks: functions that kernels call, operations of the host; and the table of their places.

Every iteration of a kernel has four cells of `faults`, LONGs: the number of the place where it went wrong first (0: all
went well), the innermost node there, and two operands. It goes on with a harmless value, and `faulted` tells the host
that somewhere something was wrong; that asks for the first iteration with a fault. So the answer is that of iterations
in ascending order, and no two threads write one cell of `faults`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from starplat.frontend import typed
from starplat.ir import build, nodes as ir
from starplat.ir.lowering.checking.risks import Risk
from starplat.source import SourceFile, Span

FAULT_CELLS = 4
FAULTS = (ir.Extent.ONE + ir.Extent.NODES + ir.Extent.ARCS).times(FAULT_CELLS)
"""Iterations are numbered by nodes, then arcs; the last number is that of what runs once."""

_LONG = ir.Element.LONG
_CELL, _NODE = ir.Variable("iteration", _LONG), ir.Variable("inner_node", ir.Element.NODE)
_SITE = ir.Variable("site", ir.Element.INT)


@dataclass(frozen=True, slots=True)
class Record:
    """Where a kernel tells of faults: the two arrays, the iteration's number and the innermost node at hand."""

    faulted: ir.Array
    faults: ir.Array
    iteration: ir.Expression
    node: ir.Expression

    @property
    def arguments(self) -> tuple[ir.Expression | ir.Array | ir.Variable, ...]:
        return (self.faulted, self.faults, self.iteration, self.node)

    @property
    def is_clean(self) -> ir.Expression:
        """Whether the iteration has found nothing wrong."""
        return build.equal(ir.Load(self.faults, _place(self.iteration, 0)), _long(0))


def parameters_of_record() -> tuple[Record, tuple[ir.Parameter, ...]]:
    """A record whose parts are parameters of a helper, and these."""
    faulted = ir.Array("faulted", ir.Element.BOOL, ir.Extent.ONE, ir.Origin.PARAMETER)
    faults = ir.Array("faults", _LONG, FAULTS, ir.Origin.PARAMETER)
    arrays = tuple(ir.Parameter(array, by_reference=True) for array in (faulted, faults))
    return Record(faulted, faults, ir.Ref(_CELL), ir.Ref(_NODE)), (*arrays, *map(ir.Parameter, (_CELL, _NODE)))


@dataclass(frozen=True, slots=True)
class Lines:
    """Where a kernel prints: how many slots of the others are taken, two LONGs a slot, and a DOUBLE.

    A line takes one slot for the iteration and the place (0: there is no room for more), and one for each value."""

    taken: ir.Array
    words: ir.Array
    reals: ir.Array

    @property
    def arrays(self) -> tuple[ir.Array, ...]:
        return (self.taken, self.words, self.reals)


SLOTS = 1 << 17
"""How many slots the lines of one launch have."""


def new_lines(new_array: Callable[[str, ir.Element, ir.Extent], ir.Array]) -> Lines:
    """The arrays for what kernels print."""
    taken = new_array("slots_taken", ir.Element.INT, ir.Extent.ONE)
    words = new_array("printed_words", _LONG, ir.Extent.ONE * (2 * SLOTS))
    return Lines(taken, words, new_array("printed_reals", ir.Element.DOUBLE, ir.Extent.ONE * SLOTS))


@dataclass
class Checks:
    """The checks of one module: `helpers` are the functions that kernels call, shared with the rest of lowering;
    `taken` the names that are no longer free; `prints` tells that kernels may print."""

    source: SourceFile
    helpers: dict[str, ir.Function]
    taken: set[str]
    prints: bool
    sites: list[ir.Site] = field(default_factory=list)
    _made: dict[tuple[str, ir.Expression], ir.Function] = field(default_factory=dict)

    def site(self, site: ir.Site) -> int:
        """The number of a place; the first is 1."""
        self.sites.append(site)
        return len(self.sites)

    def sites_of(self, risk: Risk, span: Span, inner: str) -> int:
        """The number of the first place of a risk; those of its other faults follow."""
        text = f"'{self.source.piece(span)}'"
        numbers = [
            self.site(ir.Site(wrong.code, span, wrong.says.replace("{text}", text), wrong.help, inner))
            for wrong in risk.wrongs
        ]
        return numbers[0]

    def call(
        self, risk: Risk, operands: tuple[ir.Expression, ...], span: Span, record: Record, inner: str
    ) -> ir.CallFunction:
        """The result of a risk in a kernel."""
        function = self._function(risk)
        given = [_as(value, one.element) for value, one in zip(operands, risk.operands, strict=True)]
        site = build.number(self.sites_of(risk, span, inner))
        return ir.CallFunction(function.name, (*record.arguments, site, *given), risk.result.element)

    def note(self, site: int, record: Record) -> ir.KernelCall:
        """Records a fault of a place in a kernel."""
        given = (*record.arguments, build.number(site), _long(0), _long(0))
        return ir.KernelCall(ir.CallFunction(self._noting().name, given, ir.Element.INT))

    def _function(self, risk: Risk) -> ir.Function:
        key = (risk.name, risk.result)
        if key not in self._made:
            self._noting()
            self._made[key] = self._kept(self._checked(risk))
        return self._made[key]

    def _checked(self, risk: Risk) -> ir.Function:
        record, lent = parameters_of_record()
        shown = (_long(0) if one.element.is_real else _as(ir.Ref(one), _LONG) for one in risk.operands)
        values = (*shown, _long(0))[:2]
        body: list[ir.KernelOp] = []
        for place, wrong in enumerate(risk.wrongs):
            site = build.plus(ir.Ref(_SITE), build.number(place)) if place else ir.Ref(_SITE)
            told = ir.CallFunction(self._noting().name, (*record.arguments, site, *values), ir.Element.INT)
            body.append(ir.KernelIf(wrong.when, (ir.KernelCall(told), ir.KernelReturn(risk.instead))))
        parameters = (*lent, ir.Parameter(_SITE), *map(ir.Parameter, risk.operands))
        result = ir.KernelReturn(risk.result)
        name = f"checked_{risk.name}"
        return ir.Function(name, parameters, risk.result.element, (*body, result), comment="tells of what goes wrong")

    def _noting(self) -> ir.Function:
        key = ("note_fault", build.ZERO)
        if key not in self._made:
            record, lent = parameters_of_record()
            values = (ir.Variable("left", _LONG), ir.Variable("right", _LONG))
            told = (_SITE, _NODE, *values)
            stores = (
                ir.Store(record.faults, _place(record.iteration, n), _as(ir.Ref(v), _LONG)) for n, v in enumerate(told)
            )
            found = (*stores, ir.Store(record.faulted, build.ZERO, build.TRUE, shared=True))
            body = (ir.KernelIf(record.is_clean, found),)
            parameters = (*lent, ir.Parameter(_SITE), *map(ir.Parameter, values))
            comment = "records the first fault of an iteration"
            self._made[key] = self._kept(ir.Function("note_fault", parameters, None, body, comment=comment))
        return self._made[key]

    def _kept(self, function: ir.Function) -> ir.Function:
        """The function under a name that is free."""
        number, name = 2, function.name
        while name in self.taken:
            number, name = number + 1, f"{function.name}_{number}"
        self.taken.add(name)
        return self.helpers.setdefault(name, replace(function, name=name))


def no_number(source: SourceFile, span: Span, inner: str) -> ir.Site:
    """A place where numbers may make NaN."""
    help = "test the operands first; scale numbers that grow too large"
    return ir.Site("E0716", span, f"'{source.piece(span)}' is not a number", help, inner)


def printed(s: typed.Print) -> ir.Site:
    """The place of a `print`."""
    return ir.Site("", s.span, parts=tuple(p if isinstance(p, str) else typed.scalar_of(p) for p in s.parts))


def failed(s: typed.Assert, inner: str) -> ir.Site:
    """The place of an assertion."""
    said = "" if s.message is None else f": {s.message}"
    text = f"an assertion fails{said}".replace("{", "{{").replace("}", "}}")
    return ir.Site("E0719", s.condition.span, text, None, inner)


def is_iterator(e: typed.Expression) -> bool:
    """Whether an index is the node or arc that a loop is at, which is always one."""
    return isinstance(e, typed.ArcInHand) or (isinstance(e, typed.Variable) and e.symbol.role is typed.Role.ITERATOR)


def _place(iteration: ir.Expression, number: int) -> ir.Expression:
    first = build.times(iteration, _long(FAULT_CELLS))
    return build.plus(first, _long(number)) if number else first


def _as(value: ir.Expression, element: ir.Element) -> ir.Expression:
    same = value.element is element or {value.element, element} <= {ir.Element.NODE, ir.Element.INT}
    return value if same else ir.Cast(value, element)


def _long(value: int) -> ir.Const:
    return ir.Const(value, _LONG)
