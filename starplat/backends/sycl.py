"""SYCL 2020: capabilities and spelling."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from starplat.backends import kernels_apart, legal_module, spelling, statements as st
from starplat.backends.c import cplusplus, groups, parameters
from starplat.backends.files import definitions, headers
from starplat.backends.files.headers import Header, bare, host_header, shared
from starplat.backends.files.render import helper_texts, render
from starplat.backends.text.helpers import Helper, named
from starplat.backends.view import Routine, Unit, view
from starplat.ir import nodes as ir, visitor

_ATOMICS = {
    ir.Combine.ADD: "fetch_add",
    ir.Combine.BIT_AND: "fetch_and",
    ir.Combine.BIT_OR: "fetch_or",
    ir.Combine.BIT_XOR: "fetch_xor",
    ir.Combine.MIN: "fetch_min",
    ir.Combine.MAX: "fetch_max",
}
_REAL_SUMS = {(ir.Combine.ADD, ir.Element.FLOAT): "fetch_add", (ir.Combine.ADD, ir.Element.DOUBLE): "fetch_add"}
_WHOLE = {(combine, e): name for combine, name in _ATOMICS.items() for e in (ir.Element.INT, ir.Element.LONG)}

CAPABILITIES, CPU_CAPABILITIES = kernels_apart.capabilities((*_WHOLE, *_REAL_SUMS))
"""Doubles and 64-bit atomic operations are aspects of a device (see `aspects`); `fetch_min` of reals forgets NaN."""

_WHOLE_MATH = (ir.MathFunction.MIN, ir.MathFunction.MAX, ir.MathFunction.ABS, ir.MathFunction.POPCOUNT)


def _math(element: ir.Element) -> Mapping[ir.MathFunction, str]:
    if element.is_real:
        return {function: f"sycl::{name}" for function, name in cplusplus.REALS.items()}
    return {function: f"sycl::{function.value}" for function in _WHOLE_MATH}


_GROUP_OPERATIONS = {
    ir.Combine.ADD: "plus",
    ir.Combine.MULTIPLY: "multiplies",
    ir.Combine.AND: "logical_and",
    ir.Combine.OR: "logical_or",
    ir.Combine.BIT_AND: "bit_and",
    ir.Combine.BIT_OR: "bit_or",
    ir.Combine.BIT_XOR: "bit_xor",
    ir.Combine.MIN: "minimum",
    ir.Combine.MAX: "maximum",
}

_GROUPS = spelling.GroupWords(
    memory="auto &{name} = group_memory<{kind}{cells}>();",
    memory_helper="group_memory",
    number="item.get_group(0)",
    count="item.get_group_range(0)",
    wait="sycl::group_barrier(item.get_group());",
    takes="const sycl::nd_item<1> &item, ",
    gives="item, ",
    smaller="sycl::min",
    larger="sycl::max",
)

SPELLING = replace(
    cplusplus.CPLUSPLUS,
    kernel="KERNEL",
    function="static ",
    whole_group_kernel="KERNEL",
    restrict="__restrict",
    groups=_GROUPS,
    thread="item.get_global_id(0)",
    threads="item.get_global_range(0)",
    lane="item.get_local_id(0)",
    fence="sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::device);",
    barrier="sycl::group_barrier(item.get_group());",
    try_lock="atomic({place}).exchange(1) == 0",
    unlock="atomic({place}).store(0);",
    lock_flag="volatile bool",  # else what the lock guards moves behind the loop, where lanes wait for each other
    atomics={**_WHOLE, **_REAL_SUMS},
    atomic_call="atomic({place}).{function}({value})",
    compare_swap=("{variable} = {expected};", "atomic({place}).compare_exchange_strong({variable}, {value});"),
    group_reductions={
        combine: f"sycl::reduce_over_group(item.get_group(), {{part}}, sycl::{name}<{{type}}>())"
        for combine, name in _GROUP_OPERATIONS.items()
    },
    math={element: _math(element) for element in ir.Element},
)

_SINGLE_SOURCE = replace(
    SPELLING, leading_parameters=("const sycl::nd_item<1> &item",), groups=replace(_GROUPS, memory=None)
)
_LAUNCH_PARAMETERS = ("void *queue", "std::size_t group_count", "std::size_t group_size")

_LIMITS = ("INT_MAX", "INT_MIN", "LLONG_MAX", "LLONG_MIN")
_REAL_LIMITS = ("INFINITY", "NAN")


@cache
def _headers() -> tuple[Header, Header]:
    """The header that programs share, and that of their kernels."""
    quiet = "SYCL_DISABLE_FSYCL_SYCLHPP_WARNING"
    includes = (f"#ifndef {quiet}", f"#define {quiet}", "#endif", "#include <sycl/sycl.hpp>")
    return host_header("sycl", "SYCL 2020", includes), _header_of_kernels()


def _header_of_kernels() -> Header:
    """The header that files of kernels share."""
    first = named("largest_arc", "saturated", "group_memory", "find_arc")
    helpers = (*first, *groups.ROWS_OF_GROUPS, *headers.common_helpers(SPELLING, CAPABILITIES))
    parts = (shared(text) for text in (render("sycl/atomic.jinja").rstrip("\n"), *_texts(helpers)))
    includes = ("#include <sycl/sycl.hpp>", "", "#include <climits>", "#include <cmath>", "#include <limits>")
    says = "SYCL 2020: what kernels call."
    names = frozenset(map(bare, helpers))
    return Header("starplat_sycl_kernels.hpp", says, includes, tuple(parts), names, "sycl/kernels.hpp.jinja")


def _text(module: ir.Module, header: Header | None) -> str:
    """The kernels, with the helpers that they use or, of these, with those that are not in the header."""
    return render("sycl/kernels.cpp.jinja", **_pieces(view(module, CAPABILITIES, SPELLING), header))


def single_source_text(module: ir.Module) -> str:
    """The kernels for a compiler of whole SYCL programs, each with a C function that launches it.

    That takes a `sycl::queue *`, the number of groups and their size, then what the kernel takes; it returns what went
    wrong as text, or a null pointer. Raises E06xx: SYCL cannot do what the program asks.
    """
    unit = view(module, CAPABILITIES, _SINGLE_SOURCE)
    return render("sycl/single_source.cpp.jinja", launchers=tuple(map(_launcher, unit.kernels)), **_pieces(unit))


def _launcher(kernel: Routine) -> dict[str, object]:
    signature = parameters.signature_text(f"const char *{kernel.name}", [*_LAUNCH_PARAMETERS, *kernel.parameters])
    names = [re.findall(r"\w+", parameter)[-1] for parameter in kernel.parameters]
    shared = [f"{'' if memory.cells is None else '&'}{memory.name}[0]" for memory in kernel.memory]
    memory = [(memory.kind, memory.name, memory.cells or 1) for memory in kernel.memory]
    return {"signature": signature, "memory": memory, "call": f"{kernel.name}({', '.join(('item', *shared, *names))})"}


def _texts(helpers: Iterable[Helper]) -> list[str]:
    return helper_texts(["sycl/helpers.jinja"], helpers, **SPELLING.for_helpers)


def _pieces(unit: Unit, header: Header | None = None) -> dict[str, object]:
    helpers = definitions.used(_texts(h for h in unit.helpers if header is None or not header.holds(h)), unit.lines)
    return {
        "header": None if header is None else header.name,
        "program": unit.program,
        "limits": _says_any(unit, helpers, _LIMITS),
        "real_limits": _says_any(unit, helpers, _REAL_LIMITS),
        "arcs": _says_any(unit, helpers, ("arc_t",)),
        "atomics": _says_any(unit, helpers, ("atomic(",)),
        "helpers": helpers,
        "functions": unit.functions,
        "kernels": unit.kernels,
    }


def _says_any(unit: Unit, helpers: list[str], words: tuple[str, ...]) -> bool:
    return any(word in text for word in words for text in (*unit.lines, *helpers))


def aspects(module: ir.Module, *, wide_arcs: bool) -> tuple[str, ...]:
    """What a device must offer besides the least to run the kernels, as SYCL calls it."""
    wide = {ir.Element.LONG, ir.Element.DOUBLE} | ({ir.Element.ARC} if wide_arcs else set())
    needs_wide_atomics = any(element in wide for element in _updated_at_once(module))
    needs_doubles = view(module, CAPABILITIES, SPELLING).says("double")
    return ("fp64",) * needs_doubles + ("atomic64",) * needs_wide_atomics


def _updated_at_once(module: ir.Module) -> Iterator[ir.Element]:
    """The elements of the cells that are updated atomically."""
    for part in visitor.walk(legal_module.legal(module, CAPABILITIES)):
        match part:
            case st.AtomicCell() if part.method is not st.Method.FLIP_BYTE:
                yield part.array.element
            case st.IfBeyond() if part.method is not None:
                yield part.array.element
            case st.FetchCell() | st.SwapCell():
                yield part.array.element
            case st.CombineGroup():
                yield part.result.element


SYCL = kernels_apart.KernelsApart("sycl", "SYCL 2020", "_kernels.cpp", CAPABILITIES, CPU_CAPABILITIES, _text, _headers)
