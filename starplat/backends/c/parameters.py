"""Prints the parameter lists of kernels and functions."""

import re
from collections.abc import Container, Iterable
from typing import assert_never

from starplat.backends import statements as st
from starplat.backends.launch import ArgumentKind, KernelArgument, kernel_parameters, loop_parameters
from starplat.backends.spelling import Spelling
from starplat.backends.text.folding import LAID_OUT, between
from starplat.backends.text.names import Names
from starplat.backends.uses import seen_by_callees, uses_num_arcs, uses_num_nodes
from starplat.ir import launches, nodes as ir, shared_cells
from starplat.ir.visitor import walk, walk_host
from starplat.passes.memory import has_two_names


class Parameters:
    """Prints them in the words of one target, with the names of one module."""

    def __init__(self, module: ir.Module, spelling: Spelling, names: Names) -> None:
        self.module = module
        self.spelling = spelling
        self.names = names
        self.volatile = seen_by_callees(module, shared_cells.locked_in)
        self.has_two_names = has_two_names(module)
        self.hidden = {function.name: self.hidden_arguments(function) for function in module.helpers}

    def of_function(self, function: ir.Function) -> list[str]:
        """Those of a function of the program, the hidden ones first."""
        hidden = [self._size(argument) for argument in self.hidden[function.name]]
        return [*hidden, *(self._function_parameter(function, parameter) for parameter in function.parameters)]

    def of_kernel(self, legal: st.LegalKernel) -> list[str]:
        """Those of a kernel, without those common to all kernels of the target."""
        kernel, results = legal.kernel, iter(legal.results)
        written, volatile = shared_cells.written_in(kernel.body, self.module), self.volatile[kernel.name]
        chosen = self.chosen(written, kernel)
        return [
            self._pointer(next(results), True, False)
            if argument.kind is ArgumentKind.REDUCTION
            else self._parameter(argument, written, volatile, chosen)
            for argument in kernel_parameters(self.module, kernel)
        ]

    def of_loop(self, legal: st.LegalLoop) -> list[str]:
        """The same of a persistent kernel."""
        inside = kernels_inside(legal, self.module)
        written = {array for kernel in inside for array in shared_cells.written_in(kernel.body, self.module)}
        written |= {array for op in walk_host(legal.op.body) for array in launches.changed_by(op)}
        written |= set() if legal.op.crossing is None else {legal.op.crossing.cells}
        volatile = under_all_names({a for kernel in inside for a in self.volatile[kernel.name]}, legal)
        chosen = frozenset(array for kernel in inside for array in self.chosen(written, kernel))
        parameters = loop_parameters(self.module, legal)
        return [self._parameter(argument, written, volatile, chosen) for argument in parameters]

    def chosen(self, written: Iterable[ir.Array], kernel: ir.Kernel) -> frozenset[ir.Array]:
        """The arrays without `restrict`, which the compiler would extend to others."""
        return _chosen_beside(frozenset(written), kernel) if self.spelling.restrict_spreads else frozenset()

    def _parameter(
        self,
        argument: KernelArgument,
        written: Container[ir.Array],
        volatile: Container[ir.Array],
        chosen: Container[ir.Array],
    ) -> str:
        array, variable = argument.array, argument.variable
        match argument.kind:
            case ArgumentKind.NUM_NODES | ArgumentKind.NUM_ARCS:
                return self._size(argument.kind.value)
            case ArgumentKind.ARRAY:
                assert array is not None
                return self._pointer(array, array in written, array in volatile, one_of_two=array in chosen)
            case ArgumentKind.SCALAR:
                assert variable is not None
                return f"{self.spelling.parameters[variable.element]} {self.names.local(variable)}"
            case ArgumentKind.FOUND | ArgumentKind.OUTCOME:
                assert array is not None
                return self._pointer(array, True, False)
            case ArgumentKind.BARRIER:
                return f"{self.spelling.space}unsigned *arrived"
            case ArgumentKind.RECORDS:
                return f"{self.spelling.space}{self.spelling.values[ir.Element.LONG]} *run_record_words"
            case ArgumentKind.PEERS:
                return "Peers *peers"
            case ArgumentKind.REDUCTION:
                raise AssertionError("those of a kernel are its results, those of a persistent one have rings")
        assert_never(argument.kind)

    def _size(self, name: str) -> str:
        """The parameter for n or m, which have fixed names."""
        return f"{self.spelling.values[ir.Element.INT if name == 'num_nodes' else ir.Element.ARC]} {name}"

    def _function_parameter(self, function: ir.Function, parameter: ir.Parameter) -> str:
        match parameter.what:
            case ir.Array(origin=ir.Origin.THREAD) as array:
                assert self.spelling.directives is not None
                assert self.spelling.directives.gathered is not None
                return self.spelling.directives.gathered[1].format(name=self.names.local(array))
            case ir.Array() as array:
                written = array in shared_cells.written_in(function.body, self.module)
                volatile = array in self.volatile[function.name]
                return self._pointer(array, written, volatile, of_function=True)
            case ir.Variable(_, element) as variable:
                star = "*" if parameter.by_reference else ""
                return f"{self.spelling.values[element]} {star}{self.names.local(variable)}"

    def _pointer(
        self, array: ir.Array, written: bool, volatile: bool, *, of_function: bool = False, one_of_two: bool = False
    ) -> str:
        """An array that a launch only reads is `restrict`: a caller that passes one property twice is refused if the
        program changes it (E0713). A function of the program may be called with one array twice."""
        if array.packed:
            return f"{self.spelling.space}unsigned *{self.names.local(array)}_words"
        kind = self.spelling.cells[array.element]
        promised = array.origin is ir.Origin.GRAPH or not (of_function or volatile or self.has_two_names)
        restrict = f"{self.spelling.restrict} " if promised and not written and not one_of_two else ""
        changes = "volatile " * volatile + "const " * (not written)
        return f"{self.spelling.space}{changes}{kind} *{restrict}{self.names.local(array)}"

    def hidden_arguments(self, function: ir.Function) -> tuple[str, ...]:
        """The arguments of a function that its calls do not name: n and m, where it uses them."""
        uses_n, uses_m = uses_num_nodes(function.body, self.module), uses_num_arcs(function.body, self.module)
        return ("num_nodes",) * uses_n + ("num_arcs",) * uses_m


def _chosen_beside(written: frozenset[ir.Array], kernel: ir.Kernel) -> frozenset[ir.Array]:
    """The arrays of which the kernel selects a cell beside one that it writes: `a ? row[e] : rank[v]`."""
    found: set[ir.Array] = set()
    for part in walk((kernel.filter, kernel.body)):
        if isinstance(part, ir.Select):
            then, otherwise = (
                {inner.array for inner in walk(side) if isinstance(inner, ir.Load)}
                for side in (part.then, part.otherwise)
            )
            found |= then if otherwise & written else set()
            found |= otherwise if then & written else set()
    return frozenset(found)


def unnamed_if_idle(parameter: str, body: Iterable[str]) -> str:
    """A parameter of C++, without its name if no line of the body uses it."""
    kind, name = re.split(r"(?=\b\w+$)", parameter, maxsplit=1)
    return parameter if any(re.search(rf"\b{name}\b", line) for line in body) else kind.rstrip()


def signature_text(head: str, parameters: list[str]) -> str:
    """`head(parameters)`, with the parameters in lines of their own where one line would be too long."""
    line = f"{head}({', '.join(parameters)})"
    if len(line.rsplit("\n", 1)[-1]) + len(" {") <= LAID_OUT:
        return line
    *attributes, last = head.split("\n")
    return "\n".join((*attributes, *between(f"{last}(", parameters, ")")))


def kernels_inside(legal: st.LegalLoop, module: ir.Module) -> tuple[ir.Kernel, ...]:
    """The kernels that are parts of an operation."""
    return tuple(module.kernel(op.kernel) for op in walk_host(legal.op.body) if isinstance(op, ir.Launch))


def under_all_names(arrays: set[ir.Array], legal: st.LegalLoop) -> set[ir.Array]:
    """The arrays, and those that they are swapped with."""
    found, swaps = set(arrays), [op for op in walk_host(legal.op.body) if isinstance(op, ir.Swap)]
    while more := {a for s in swaps for a in (s.first, s.second) if {s.first, s.second} & found} - found:
        found |= more
    return found
