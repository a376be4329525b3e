"""Expressions with what functions return in place of their calls, where the functions do nothing else."""

from starplat.ir import nodes as ir
from starplat.ir.rewriter import ArrayRule, Replacer


def inlined(expression: ir.Expression, module: ir.Module) -> ir.Expression:
    """The expression without calls of such functions."""
    return _Inlining(module).expression(expression)


class _Inlining(Replacer):
    def __init__(self, module: ir.Module) -> None:
        super().__init__({})
        self.module = module

    def expression(self, expression: ir.Expression) -> ir.Expression:
        match expression:
            case ir.CallFunction(name, arguments):
                helper = self.module.helper(name)
                match helper.body:
                    case (ir.KernelReturn(value),) if value is not None and not helper.references:
                        given = dict(zip((p.what for p in helper.parameters), arguments, strict=True))
                        arrays = {one: other for one, other in given.items() if isinstance(other, ir.Array)}
                        values: dict[ir.Expression, ir.Expression] = {
                            ir.Ref(one): other
                            for one, other in given.items()
                            if isinstance(one, ir.Variable) and not isinstance(other, ir.Array | ir.Variable)
                        }
                        own = ArrayRule(lambda array: arrays.get(array, array)).expression(value)
                        return self.expression(Replacer(values).expression(own))
        return self.rebuild(expression)
