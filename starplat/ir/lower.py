"""Lowers a checked program and its facts to the intermediate form.

The entry and the functions it calls from the host become host functions; their parallel loops become kernels;
functions that kernels call become helpers. What cannot run yet is refused here, by name.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from starplat.analysis import Facts, analyse, forms, infinity, transfers, walk
from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.frontend import typed
from starplat.frontend.statements.remarks import remarks
from starplat.frontend.statements.sequence import sequenced
from starplat.frontend.types import Carrier, GraphType, PropertyType, Scalar, SetType, is_list
from starplat.ir import fresh_names, nodes as ir, visitor
from starplat.ir.lowering import checking, expressions, hosts, surroundings
from starplat.ir.lowering.context import Context, array_of, element_of
from starplat.ir.lowering.kernels import KernelLowering
from starplat.operators.records import Searches, Spreading
from starplat.same import Same


def lower(
    program: typed.Program,
    entry: str | None = None,
    facts: Facts | None = None,
    settling: Mapping[Same, Spreading | None] | None = None,
    searching: Mapping[Same, Searches] | None = None,
    *,
    checked: bool = False,
) -> ir.Module:
    """The module that runs `entry` (by default the only function, or the one that no other calls); `settling` are the
    loops that do nothing but let arcs offer what they have, `searching` those that search from each of many sources,
    by identity. A module for `checked` runs tells of the first operation that goes wrong.

    Raises:
        DiagnosticError: there is no such entry (E0654, E0655), or it uses what nothing can run yet (E0651 …).
    """
    facts = analyse(sequenced(program)) if facts is None else facts
    program = facts.program
    function = entry_function(program, entry)
    context = Context(facts, settling or {}, searching or {})
    if checked:
        taken = {function.name for function in program.functions}
        prints = any(isinstance(s, typed.Print) for s in remarks(program.functions))
        context.checks = checking.Checks(program.source, context.helpers, taken, prints)
    helpers = _Helpers(context)
    context.lower_helper = helpers.lower
    _refuse_unsupported_parameters(function, context)
    main = hosts.HostLowering(context, function, is_entry=True)
    functions = [main.lower()]
    done = {function.name}
    while missing := [name for name in context.host_calls if name not in done]:
        done.add(missing[0])
        called = program.function(missing[0])
        functions.append(hosts.HostLowering(context, called, is_entry=False).lower())
    return _module(function, main, functions, context)


def entry_function(program: typed.Program, name: str | None) -> typed.FunctionDefinition:
    if name is not None:
        for function in program.functions:
            if function.name == name:
                return function
        names = ", ".join(f"'{f.name}'" for f in program.functions)
        raise DiagnosticError(Diagnostic("E0655", f"there is no function '{name}'", help=f"the program has {names}"))
    roots = forms.uncalled(program)
    if len(roots) == 1:
        return roots[0]
    raise DiagnosticError(_no_entry(program, roots))


def _no_entry(program: typed.Program, roots: Sequence[typed.FunctionDefinition]) -> Diagnostic:
    if not roots:
        return Diagnostic("E0654", "the program has no function to run", help="write 'function name(Graph g, …) { … }'")
    names = ", ".join(f"'{f.name}'" for f in roots)
    return Diagnostic(
        "E0654",
        f"any of {len(roots)} functions could be the one to run",
        program.source,
        Label(roots[1].span, "no other function calls this one either"),
        help=f"name one of {names} (on the command line with '--function')",
    )


def _refuse_unsupported_parameters(function: typed.FunctionDefinition, context: Context) -> None:
    graphs = [p for p in function.parameters if isinstance(p.type, GraphType)]
    if len(graphs) > 1:
        raise context.refuse("E0656", "a program runs on one graph", graphs[1].span, "a second graph")
    for parameter in function.parameters:
        if not (isinstance(parameter.type, GraphType | Scalar | PropertyType | SetType) or is_list(parameter.type)):
            raise context.unsupported(str(parameter.type), parameter.span)


class _Helpers:
    """Makes the functions that kernels call, each once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        loops = (loop for function in context.facts.functions for loop in function.loops)
        self._shared = frozenset(place for loop in loops for place in loop.shared)

    def lower(self, name: str) -> ir.Function:
        if name not in self._context.helpers:
            self._context.helpers[name] = self._make(self._context.program.function(name))
        return self._context.helpers[name]

    def _make(self, function: typed.FunctionDefinition) -> ir.Function:
        names = fresh_names.FreshNames(array.name for array in ir.GRAPH_ARRAYS)
        around = surroundings.Surroundings()
        lowering = KernelLowering(self._context, names, around, self._shared)
        parameters = []
        for symbol in function.parameters:
            if isinstance(symbol.type, Scalar):
                parameters.append(ir.Parameter(lowering.local(symbol), symbol.role is typed.Role.REFERENCE))
            elif isinstance(symbol.type, PropertyType | SetType):
                around.arrays[symbol] = array_of(symbol, names.fresh(symbol.name), ir.Origin.PARAMETER)
                parameters.append(ir.Parameter(around.arrays[symbol], by_reference=True))
        record: list[ir.Parameter] = []
        if self._context.checks is not None:
            record = self._record(self._context.checks, lowering)
        body = lowering.block(function.body)
        graph = [array for array in visitor.used_arrays(body) if array in ir.GRAPH_ARRAYS]
        parameters += [*(ir.Parameter(array, by_reference=True) for array in graph), *record]
        result = element_of(function.result) if isinstance(function.result, Scalar) else None
        return ir.Function(function.name, tuple(parameters), result, body, function.span)

    def _record(self, checks: checking.Checks, lowering: KernelLowering) -> list[ir.Parameter]:
        """The parameters by which a helper tells what goes wrong in it."""
        record, parameters = checking.parameters_of_record()
        lowering.around.faults = record.faulted, record.faults
        lowering.iteration, lowering.around_node = record.iteration, record.node
        if not checks.prints:
            return list(parameters)
        lowering.around.lines = lines = checking.new_lines(partial(ir.Array, origin=ir.Origin.PARAMETER))
        return [*parameters, *(ir.Parameter(array, by_reference=True) for array in lines.arrays)]


def _module(
    function: typed.FunctionDefinition, main: hosts.HostLowering, functions: list[ir.HostFunction], context: Context
) -> ir.Module:
    properties = [
        p for p in function.parameters if isinstance(p.type, PropertyType) and p.type.carrier is not Carrier.UPDATE
    ]
    given = [p for p in function.parameters if isinstance(p.type, PropertyType | SetType)]
    inputs = [
        main.arrays[p]
        for p in given
        if main.arrays[p].origin is ir.Origin.WEIGHT
        or isinstance(p.type, SetType)
        or transfers.first_contents_matter(p, function)
    ]
    kernels = tuple(context.kernels.values())
    used = {array for kernel in kernels for array in kernel.arrays}
    returned = (s.value for s in walk.statements(function.body) if isinstance(s, typed.Return) and s.value is not None)
    return ir.Module(
        source=context.program.source,
        entry=function.name,
        functions=tuple(functions),
        kernels=kernels,
        helpers=tuple(context.helpers.values()),
        arguments=_arguments(function, main, context.facts.shows_infinity),
        inputs=tuple(inputs),
        results=tuple(main.arrays[p] for p in properties),
        result_types=function.result_types,
        graph_arrays=tuple(array for array in ir.GRAPH_ARRAYS if array in used),
        sites=() if context.checks is None else tuple(context.checks.sites),
        returns_infinity=any(infinity.shows_infinity(value, context.facts.shows_infinity) for value in returned),
    )


def _arguments(
    function: typed.FunctionDefinition, main: expressions.ExpressionLowering, infinite: frozenset[typed.Symbol]
) -> tuple[ir.Argument, ...]:
    arguments = []
    for symbol, default in function.arguments:
        constant = None if default is None else main.expression(default)
        assert constant is None or isinstance(constant, ir.Const)
        arguments.append(ir.Argument(symbol.name, symbol.type, constant, symbol in infinite))
    return tuple(arguments)
