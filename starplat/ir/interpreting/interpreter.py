"""The interpreter of kernels: one iteration after the other, ascending; devices must agree with it.

Each kernel is written as Python source (`python.kernels`) and compiled when it first runs. Floats are computed in
double precision and rounded to single where they are stored, compared or returned. What cannot go on (an index outside
an array, an integer divided by zero) is a diagnostic at the kernel's place in the program.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.ir import nodes as ir
from starplat.ir.interpreting import vectorize
from starplat.ir.interpreting.vectorize import DTYPES
from starplat.ir.python import arithmetic
from starplat.ir.python.arithmetic import Fault, Value, identity
from starplat.ir.python.kernels import helper_text, kernel_text
from starplat.ir.python.text import helper_names

Cells = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A kernel as Python functions; `mask` is None where no filter can be evaluated for all items at once."""

    kernel: ir.Kernel
    run: Callable[..., tuple[Value, ...]]
    mask: Callable[..., Any] | None


class KernelRunner:
    """Runs the kernels of one module."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self._kernels = {kernel.name: kernel for kernel in module.kernels}
        self._compiled: dict[str, _Compiled] = {}
        self._functions = helper_names(module.helpers)

    def run(
        self, kernel_name: str, arrays: Mapping[str, Cells], scalars: Mapping[str, Value], num_nodes: int, num_arcs: int
    ) -> dict[str, Value]:
        """Runs a kernel on one-dimensional contiguous `arrays` (by `Array.name`), which it changes in place.

        Returns what the iterations contributed to each reduction's variable, from the identity on.

        Raises:
            DiagnosticError: E0703, an integer is divided by zero; E0704, an index is outside its array;
                E0705, an expression is nested too deeply.
        """
        compiled = self._compiled.get(kernel_name) or self._compile(kernel_name)
        kernel = compiled.kernel
        if kernel.guard is not None and not arrays[kernel.guard.name][0]:
            return {r.variable.name: identity(r.combine, r.variable.element).value for r in kernel.reductions}
        cells = [_checked(array, arrays[array.name]) for array in kernel.arrays]
        values = [scalars[variable.name] for variable in kernel.scalars]
        items = _items(compiled, cells, values, num_nodes, num_arcs)
        try:
            results = compiled.run(num_nodes, num_arcs, items, *(array.data for array in cells), *values)
        except Fault as fault:
            raise fault.diagnosed(f"kernel '{kernel.name}'", self._module.source, kernel.span) from fault
        return {reduction.variable.name: result for reduction, result in zip(kernel.reductions, results, strict=True)}

    def _compile(self, name: str) -> _Compiled:
        kernel = self._kernels[name]
        fast, slow = vectorize.split_filter(kernel)
        try:
            functions = _execute((helper_text(h, self._functions) for h in self._module.helpers), arithmetic.OPERATIONS)
            run = _execute([kernel_text(kernel, self._functions, slow)], functions)["kernel"]
            mask = None
            if fast is not None:
                mask = _execute([vectorize.mask_text(kernel, fast)], vectorize.OPERATIONS)["mask"]
        except (RecursionError, MemoryError, SyntaxError) as error:
            raise self._too_deep(kernel) from error
        compiled = self._compiled[name] = _Compiled(kernel, run, mask)
        return compiled

    def _too_deep(self, kernel: ir.Kernel) -> DiagnosticError:
        message = f"kernel '{kernel.name}' has an expression that is nested too deeply to be interpreted"
        place = Label(kernel.span, "in this loop")
        help = "give a part of the expression a name"
        return DiagnosticError(Diagnostic("E0705", message, self._module.source, place, help=help))


def _execute(texts: Iterable[str], operations: Mapping[str, object]) -> dict[str, Any]:
    """The definitions of the texts, on top of `operations`; without Python's built-ins."""
    scope: dict[str, Any] = {**operations, "__builtins__": {}}
    for text in texts:
        exec(compile(text, "<kernel>", "exec"), scope)
    return scope


def _checked(array: ir.Array, cells: Cells) -> Cells:
    """The cells, if they are of the array's type: memoryviews of other types would not round and wrap as they must."""
    expected = np.dtype(DTYPES[array.element])
    kind = cells.dtype
    if kind != expected and not (
        (array.element is ir.Element.BOOL and kind.itemsize == 1 and kind.kind in "biu")
        or (array.element is ir.Element.ARC and kind == np.int32)
    ):
        raise TypeError(f"array '{array.name}' must hold {expected}, not {kind}")
    return cells


def _items(compiled: _Compiled, cells: list[Cells], values: list[Value], n: int, m: int) -> Iterable[int]:
    """The iterations that run; the filter's fast part has been applied."""
    kernel = compiled.kernel
    if not isinstance(kernel.domain, ir.AllNodes | ir.AllArcs):
        return (0,)
    count = n if isinstance(kernel.domain, ir.AllNodes) else m
    within = _within(kernel, kernel.domain, values, count)
    if compiled.mask is None:
        return within
    scalars = [vectorize.numpy_scalar(v, value) for v, value in zip(kernel.scalars, values, strict=True)]
    with np.errstate(all="ignore"):
        holds = compiled.mask(n, m, *cells, *scalars)
    if np.ndim(holds) == 0:
        return within if holds else ()
    chosen: list[int] = (within.start + np.flatnonzero(holds[within.start : within.stop])).tolist()
    return chosen


def _within(kernel: ir.Kernel, domain: ir.AllNodes | ir.AllArcs, values: list[Value], count: int) -> range:
    """The nodes or arcs of the domain: all of them, or those of a part."""
    ends = []
    for end, otherwise in ((domain.first, 0), (domain.end, count)):
        assert end is None or isinstance(end, ir.Ref), "a part begins and ends where scalars say"
        ends.append(otherwise if end is None else int(values[kernel.scalars.index(end.variable)]))
    return range(*ends)
