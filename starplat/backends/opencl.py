"""OpenCL C 1.2: what it can do and how it spells things."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from starplat.backends.artifact import artifact_pieces, kernel_pieces
from starplat.backends.cplusplus import REALS, TYPES
from starplat.backends.definitions import used
from starplat.backends.headers import Header, host_header
from starplat.backends.layout import laid_out
from starplat.backends.names import Names
from starplat.backends.render import helper_texts, render
from starplat.backends.spelling import GroupWords, Latest, Spelling
from starplat.backends.view import Unit, view
from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import Combine, Element, Kernel, MathFunction, Module
from starplat.ir.processors import Processor

_SIMPLE = (Combine.ADD, Combine.BIT_AND, Combine.BIT_OR, Combine.BIT_XOR, Combine.MIN, Combine.MAX)
_WORDS = dict(zip(_SIMPLE, ("add", "and", "or", "xor", "min", "max"), strict=True))

CAPABILITIES = Capabilities(
    atomics=frozenset((combine, element) for combine in _SIMPLE for element in (Element.INT, Element.LONG)),
    swap_bits=frozenset({32, 64}),
    group_loops=True,
    group_rows=True,
    quick_groups=True,
    batches=True,
    late_words=True,
)
"""64-bit atomic operations come with extensions: see `extensions`. Of a GPU, which is taken for granted."""

CPU_CAPABILITIES = replace(CAPABILITIES, quick_groups=False, lockstep=False, late_words=False)
"""Of a device whose work-items take turns on a core."""

_TYPES = {**TYPES, Element.LONG: "long"}
_CELLS = {**_TYPES, Element.BOOL: "uchar"}

_INTEGERS = {
    MathFunction.MIN: "min",
    MathFunction.MAX: "max",
    MathFunction.ABS: "abs",
}


def _math(element: Element) -> dict[tuple[MathFunction, Element], str]:
    if element.is_real:
        return {(function, element): name for function, name in REALS.items()}
    names = {(function, element): name for function, name in _INTEGERS.items()}
    return {**names, (MathFunction.ABS, element): f"({_TYPES[element]})abs"}


_LATEST_INT = "atomic_or((volatile __global int *)&(cell), 0)"
_LATEST_LONG = "atom_add((volatile __global long *)&(cell), 0)"

SPELLING = Spelling(
    values=_TYPES,
    parameters={**_CELLS},
    cells=_CELLS,
    long_suffix="L",
    largest={Element.INT: "INT_MAX", Element.NODE: "INT_MAX", Element.LONG: "LONG_MAX", Element.ARC: "ARC_MAX"},
    smallest={Element.INT: "INT_MIN", Element.NODE: "INT_MIN", Element.LONG: "LONG_MIN"},
    kernel="__kernel void",
    function="static ",
    uneven_kernel="__kernel __attribute__((vec_type_hint(int4)))\nvoid",  # on a CPU no lanes
    uneven_group_kernel=(
        "__kernel __attribute__((vec_type_hint(int4))) __attribute__((reqd_work_group_size({size}, 1, 1)))\nvoid"
    ),
    one_group_kernel="__kernel __attribute__((vec_type_hint(int4)))\nvoid",  # on a CPU no lanes: the group has one item
    whole_group_kernel="__kernel __attribute__((reqd_work_group_size({size}, 1, 1)))\nvoid",
    space="__global ",
    restrict="restrict",
    restrict_spreads=True,  # NVIDIA's compiler does
    groups=GroupWords(
        memory="__local {kind} {name}{cells};",
        scratch="__local {kind} {name}{cells};",
        number="get_group_id(0)",
        count="get_num_groups(0)",
        wait="barrier(CLK_LOCAL_MEM_FENCE);",
        space="__local ",
        record=("typedef struct {", "} GroupRows;"),
    ),
    thread="get_global_id(0)",
    threads="get_global_size(0)",
    lane="get_local_id(0)",
    fence="device_fence();",
    fence_helper="device_fence",
    barrier="barrier(CLK_GLOBAL_MEM_FENCE);",
    any_pointer=None,
    try_lock="atomic_cmpxchg({cell}, 0, 1) == 0",
    unlock="atomic_xchg({cell}, 0);",
    atomics={
        **{(combine, Element.INT): f"atomic_{word}" for combine, word in _WORDS.items()},
        **{(combine, Element.LONG): f"atom_{word}" for combine, word in _WORDS.items()},
    },
    math={key: name for element in Element for key, name in _math(element).items()},
    saturating={
        Element.INT: "convert_int_sat",
        Element.NODE: "convert_int_sat",
        Element.LONG: "convert_long_sat",
        Element.ARC: "convert_arc_sat",
    },
    swaps={Element.INT: "atomic_cmpxchg", Element.LONG: "atom_cmpxchg"},
    lock_flag="volatile bool",  # else what the lock guards may move behind the loop, where lanes wait for each other
    saturating_helpers={Element.ARC: "saturating_arc"},
    cell_words={
        Element.INT: {"word": "int", "swap": "atomic_cmpxchg"},
        Element.LONG: {"word": "long", "swap": "atom_cmpxchg"},
    },
    ptx_adds={Element.FLOAT: ("f32", "f"), Element.DOUBLE: ("f64", "d")},
    latest={
        Element.INT: Latest("latest", _LATEST_INT),
        Element.NODE: Latest("latest", _LATEST_INT),
        Element.LONG: Latest("latest_long", _LATEST_LONG, "cl_khr_int64_base_atomics"),
        Element.FLOAT: Latest("latest_float", f"as_float({_LATEST_INT})"),
        Element.DOUBLE: Latest("latest_double", f"as_double({_LATEST_LONG})", "cl_khr_int64_base_atomics"),
        Element.ARC: Latest(
            "latest_arc", f"(sizeof(arc_t) == 8 ? {_LATEST_LONG} : {_LATEST_INT})", "cl_khr_int64_base_atomics"
        ),
    },
)

_BASE_ATOMICS = ("atom_add", "atom_cmpxchg")
_EXTENDED_ATOMICS = ("atom_and", "atom_or", "atom_xor", "atom_min", "atom_max")


@dataclass(frozen=True)
class OpenCL:
    """Kernels in a `.cl` file, and a C++ program over OpenCL's C interface beside it."""

    name: str = "opencl"
    capabilities: Capabilities = CAPABILITIES

    def capabilities_on(self, processor: Processor) -> Capabilities:
        """What its kernels may rely on there."""
        return self.capabilities if processor is Processor.GPU else CPU_CAPABILITIES

    def kernels_text(self, module: Module) -> str:
        """The text of the `.cl` file. `-DARC_64` makes arc numbers 64 bits wide."""
        return kernels_text(module)

    def kernel_name(self, module: Module, kernel: Kernel) -> str:
        """What the kernel is called in the text."""
        return kernel_name(module, kernel)

    def artifact(
        self, module: Module, stem: str, *, library: bool = False, single_file: bool = False
    ) -> dict[str, str]:
        """`<stem>.cpp`, and `<stem>.cl`, which is `kernels_text`; in a single file that text is a literal."""
        header, kernels = _header(), kernels_text(module)
        pieces = artifact_pieces(module, stem, CAPABILITIES, library=library, headers=(header,))
        pieces |= kernel_pieces(f"{stem}.cl", kernels, single_file=single_file)
        program = {f"{stem}.cpp": render("opencl/host.cpp.jinja", **pieces)}
        files = program if single_file else {f"{stem}.cl": kernels, **program}
        return laid_out(files, (header,), single_file=single_file)


@cache
def _header() -> Header:
    """The header that programs share."""
    includes = ("#define CL_TARGET_OPENCL_VERSION 120", "#include <CL/cl.h>")
    return host_header("opencl", "OpenCL 1.2", includes)


def kernels_text(module: Module) -> str:
    """The text of the `.cl` file, byte for byte what a runner builds.

    Raises:
        DiagnosticError: E06xx, OpenCL cannot do what the program asks.
    """
    unit = view(module, CAPABILITIES, SPELLING)
    helpers = used(helper_texts(["opencl/helpers.jinja"], unit.helpers, **SPELLING.for_helpers), unit.lines)
    return render(
        "opencl/kernels.cl.jinja",
        program=unit.program,
        double=unit.says("double"),
        extensions=_atomic_extensions(unit),
        arcs=unit.says("arc_t") or any("arc_t" in helper for helper in helpers),
        helpers=helpers,
        routines=(*unit.functions, *unit.kernels),
    )


def kernel_name(module: Module, kernel: Kernel) -> str:
    """What a kernel is called in the text."""
    return Names(module, (), ()).kernel(kernel.name)


def language_flag(text: str, device_version: str) -> str:
    """The `-cl-std=` to build emitted text with: 1.2, but the newest that the device has for text with a lock.

    OpenCL C 1.2 has fences for a work-group's own work-items only; `device_version` is "OpenCL 3.0 …".
    """
    newest = device_version.removeprefix("OpenCL ")[:1]
    return f"-cl-std=CL{newest}.0" if "device_fence" in text and newest in ("2", "3") else "-cl-std=CL1.2"


def extensions(module: Module) -> tuple[str, ...]:
    """What a device must offer besides OpenCL 1.2 to build the text."""
    unit = view(module, CAPABILITIES, SPELLING)
    return ("cl_khr_fp64",) * unit.says("double") + _atomic_extensions(unit)


def _atomic_extensions(unit: Unit) -> tuple[str, ...]:
    swaps = any(("swap", "atom_cmpxchg") in helper.arguments for helper in unit.helpers)
    base = swaps or any(unit.says(word) for word in _BASE_ATOMICS)
    extended = any(unit.says(word) for word in _EXTENDED_ATOMICS)
    return ("cl_khr_int64_base_atomics",) * base + ("cl_khr_int64_extended_atomics",) * extended
