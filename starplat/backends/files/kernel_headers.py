"""The header of a target's kernels: helper functions that are the same in every file of kernels.

For targets whose kernels are a file of their own: its first line asks for the header, which lies beside it. A program
in a single file holds the kernels with what they use, as the device's compiler gets them.
"""

from starplat.backends.c import atomics, group_ends, groups
from starplat.backends.c.expressions import ExpressionPrinter
from starplat.backends.files.headers import arithmetic
from starplat.backends.spelling import Spelling
from starplat.backends.text.helpers import Helper, Helpers
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities

_ELEMENTS = (ir.Element.INT, ir.Element.LONG, ir.Element.FLOAT, ir.Element.DOUBLE)


def common_helpers(spelling: Spelling, capabilities: Capabilities) -> tuple[Helper, ...]:
    """Arithmetic, and sums over a group and in a shared cell, for the types that programs mostly have."""
    helpers = Helpers()
    expressions = ExpressionPrinter(spelling, lambda what: what.name, str, helpers)
    for element in spelling.latest:
        expressions.latest(element)
    for element in _ELEMENTS:
        if ir.Combine.ADD not in spelling.group_reductions:
            group_ends.group_function(expressions, ir.Combine.ADD, element)
        if (ir.Combine.ADD, element) not in capabilities.atomics:
            atomics.AtomicPrinter(expressions).swap_loop(ir.Combine.ADD, element)
    groups.join_function(expressions, ir.Combine.ADD, ir.Element.DOUBLE)
    return (*arithmetic(spelling), *helpers.needed)


def says_double(helper: Helper) -> bool:
    """Whether the helper is only for devices that have doubles."""
    return any(value == "double" for _, value in helper.arguments)
