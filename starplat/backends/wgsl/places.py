"""Makes INTs of the places in local maps, which are LONGs on other targets: a buffer has fewer than 2^30 cells here.

Takes a module, gives one. A place is what the functions of maps are given as the ends of a window, and what is counted
from one to the other; every other LONG stays, and is refused. So are all of a map whose sums are LONGs.
"""

from dataclasses import replace

from starplat.ir import build, nodes as ir, rewriter, visitor


def with_narrow_places(module: ir.Module) -> ir.Module:
    """The module with 32 bits for every place in a map."""
    maps = {f.name: f for f in module.helpers if f.of_map and not any(map(_is_wide_array, f.parameters))}
    if not maps:
        return module
    helpers = tuple(_of_function(f) if f.name in maps else f for f in module.helpers)
    kernels = tuple(_Places(_places_of(kernel.body, maps)).kernel(kernel) for kernel in module.kernels)
    return replace(module, helpers=helpers, kernels=kernels)


def _is_wide_array(parameter: ir.Parameter) -> bool:
    return isinstance(parameter.what, ir.Array) and parameter.what.element is ir.Element.LONG


def _of_function(function: ir.Function) -> ir.Function:
    """One of the functions of maps: all of its LONGs are places."""
    places = _Places({part for part in visitor.walk(function) if isinstance(part, ir.Variable) and _is_long(part)})
    parameters = tuple(
        replace(p, what=places.variable(p.what)) if isinstance(p.what, ir.Variable) else p for p in function.parameters
    )
    result = ir.Element.INT if function.result is ir.Element.LONG else function.result
    return replace(function, parameters=parameters, result=result, body=places.kernel_block(function.body))


def _places_of(body: tuple[ir.KernelOp, ...], maps: dict[str, ir.Function]) -> set[ir.Variable]:
    found = set[ir.Variable]()
    for part in visitor.walk(body):
        match part:
            case ir.CallFunction(name, arguments) if name in maps:
                given = zip(maps[name].parameters, arguments, strict=True)
                found |= {a.variable for p, a in given if isinstance(a, ir.Ref) and _is_long(p.what)}
            case ir.Let(variable, ir.CallFunction(name)) if name in maps and _is_long(variable):
                found.add(variable)
    counters = [op for op in visitor.walk_kernel(body) if isinstance(op, ir.ForRange) and _is_long(op.variable)]
    return found | {op.variable for op in counters if isinstance(op.end, ir.Ref) and op.end.variable in found}


def _is_long(what: ir.Variable | ir.Array) -> bool:
    return isinstance(what, ir.Variable) and what.element is ir.Element.LONG


class _Places(rewriter.Rewriter):
    def __init__(self, places: set[ir.Variable]) -> None:
        self.places = places

    def variable(self, variable: ir.Variable) -> ir.Variable:
        return replace(variable, element=ir.Element.INT) if variable in self.places else variable

    def kernel_op(self, op: ir.KernelOp) -> tuple[ir.KernelOp, ...]:
        if isinstance(op, ir.Let | ir.SetLocal) and op.variable in self.places:
            return (replace(op, variable=self.variable(op.variable), value=self.narrow(op.value)),)
        if isinstance(op, ir.ForRange) and op.variable in self.places:
            return (replace(self.rebuild(op), first=self.narrow(op.first), end=self.narrow(op.end)),)
        return (self.rebuild(op),)

    def expression(self, expression: ir.Expression) -> ir.Expression:
        match expression:
            case ir.Binary(operator, left, right, ir.Element.BOOL) if self.is_place(left):
                return ir.Binary(operator, self.narrow(left), self.narrow(right), ir.Element.BOOL)
        return self.narrow(expression) if self.is_place(expression) else self.rebuild(expression)

    def is_place(self, expression: ir.Expression) -> bool:
        """Whether it is a place, or what is computed with one; not what is read or called with one."""
        match expression:
            case ir.Ref(variable):
                return variable in self.places
            case ir.Binary(_, left, right, ir.Element.LONG) | ir.Select(_, left, right):
                return self.is_place(left) or self.is_place(right)
        return False

    def narrow(self, place: ir.Expression) -> ir.Expression:
        """A place, of 32 bits. The product that spreads keys over a window would have more: a remainder does so."""
        match place:
            case ir.Const(value, ir.Element.LONG):
                return build.number(int(value))
            case ir.Cast(operand, ir.Element.LONG):
                return self.expression(operand)
            case ir.Binary(ir.BinaryOperator.SHIFT_RIGHT, ir.Binary(ir.BinaryOperator.MULTIPLY, key, slots), bits):
                hashed = self.narrow(key)
                folded = ir.Binary(ir.BinaryOperator.SHIFT_RIGHT, hashed, build.number(15), ir.Element.INT)
                assert bits == build.number(31), "the key of a map has 31 bits"
                return build.computed(ir.BinaryOperator.REMAINDER, build.minus(hashed, folded), self.narrow(slots))
            case ir.Binary(operator, left, right, ir.Element.LONG):
                return ir.Binary(operator, self.narrow(left), self.narrow(right), ir.Element.INT)
            case ir.Select(condition, then, otherwise):
                return ir.Select(self.expression(condition), self.narrow(then), self.narrow(otherwise))
            case ir.CallFunction(element=ir.Element.LONG):
                return replace(self.rebuild(place), element=ir.Element.INT)
        return self.rebuild(place)
