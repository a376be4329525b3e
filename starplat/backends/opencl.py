"""OpenCL C 1.2: capabilities and spelling."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

from starplat.backends import kernels_apart, spelling
from starplat.backends.c import cplusplus, groups
from starplat.backends.files import definitions, headers
from starplat.backends.files.render import helper_texts, render
from starplat.backends.text.helpers import Helper, named
from starplat.backends.view import Unit, view
from starplat.ir import nodes as ir

_SIMPLE = (ir.Combine.ADD, ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.BIT_XOR, ir.Combine.MIN, ir.Combine.MAX)
_WORDS = dict(zip(_SIMPLE, ("add", "and", "or", "xor", "min", "max"), strict=True))

_ON_GPUS, _ON_CPUS = kernels_apart.capabilities(
    (combine, element) for combine in _SIMPLE for element in (ir.Element.INT, ir.Element.LONG)
)
CPU_CAPABILITIES = replace(_ON_CPUS, group_maps=True, rows_with_room=True)
CAPABILITIES = replace(_ON_GPUS, group_maps=True, group_tables=True, rows_with_room=True)
"""64-bit atomic operations come with extensions: see `extensions`. Those of a GPU are taken for granted."""

_TYPES = {**cplusplus.TYPES, ir.Element.LONG: "long"}
_CELLS = {**_TYPES, ir.Element.BOOL: "uchar"}

_INTEGERS = {ir.MathFunction.MIN: "min", ir.MathFunction.MAX: "max", ir.MathFunction.POPCOUNT: "popcount"}


def _math(element: ir.Element) -> Mapping[ir.MathFunction, str]:
    if element.is_real:
        return cplusplus.REALS
    return {**_INTEGERS, ir.MathFunction.ABS: f"({_TYPES[element]})abs"}


_LATEST_INT = "atomic_or((volatile __global int *)&(cell), 0)"
_LATEST_LONG = "atom_add((volatile __global long *)&(cell), 0)"

SPELLING = spelling.Spelling(
    values=_TYPES,
    parameters={**_CELLS},
    cells=_CELLS,
    long_suffix="L",
    largest={
        ir.Element.INT: "INT_MAX",
        ir.Element.NODE: "INT_MAX",
        ir.Element.LONG: "LONG_MAX",
        ir.Element.ARC: "ARC_MAX",
    },
    smallest={ir.Element.INT: "INT_MIN", ir.Element.NODE: "INT_MIN", ir.Element.LONG: "LONG_MIN"},
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
    groups=spelling.GroupWords(
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
        **{(combine, ir.Element.INT): f"atomic_{word}" for combine, word in _WORDS.items()},
        **{(combine, ir.Element.LONG): f"atom_{word}" for combine, word in _WORDS.items()},
    },
    math={element: _math(element) for element in ir.Element},
    saturating={
        ir.Element.INT: "convert_int_sat",
        ir.Element.NODE: "convert_int_sat",
        ir.Element.LONG: "convert_long_sat",
        ir.Element.ARC: "convert_arc_sat",
    },
    swaps={ir.Element.INT: "atomic_cmpxchg", ir.Element.LONG: "atom_cmpxchg"},
    unsigned={ir.Element.INT: "uint", ir.Element.LONG: "ulong"},
    lock_flag="volatile bool",  # else what the lock guards may move behind the loop, where lanes wait for each other
    saturating_helpers={ir.Element.ARC: "saturating_arc"},
    cell_words={
        ir.Element.INT: {"word": "int", "swap": "atomic_cmpxchg"},
        ir.Element.LONG: {"word": "long", "swap": "atom_cmpxchg"},
    },
    ptx_adds={ir.Element.FLOAT: ("f32", "f"), ir.Element.DOUBLE: ("f64", "d")},
    latest={
        ir.Element.INT: spelling.Latest("latest", _LATEST_INT),
        ir.Element.NODE: spelling.Latest("latest", _LATEST_INT),
        ir.Element.LONG: spelling.Latest("latest_long", _LATEST_LONG, "cl_khr_int64_base_atomics"),
        ir.Element.FLOAT: spelling.Latest("latest_float", f"as_float({_LATEST_INT})"),
        ir.Element.DOUBLE: spelling.Latest("latest_double", f"as_double({_LATEST_LONG})", "cl_khr_int64_base_atomics"),
        ir.Element.ARC: spelling.Latest(
            "latest_arc", f"(sizeof(arc_t) == 8 ? {_LATEST_LONG} : {_LATEST_INT})", "cl_khr_int64_base_atomics"
        ),
    },
)

_BASE_EXTENSION = "cl_khr_int64_base_atomics"
_BASE_ATOMICS = ("atom_add", "atom_cmpxchg")
_EXTENDED_ATOMICS = ("atom_and", "atom_or", "atom_xor", "atom_min", "atom_max")


@cache
def _headers() -> tuple[headers.Header, headers.Header]:
    """The header that programs share, and that of their kernels."""
    includes = ("#define CL_TARGET_OPENCL_VERSION 120", "#include <CL/cl.h>")
    return headers.host_header("opencl", "OpenCL 1.2", includes), _header_of_kernels()


def _header_of_kernels() -> headers.Header:
    """The header that files of kernels share. What needs an extension is there where the device has it."""
    common = headers.common_helpers(SPELLING, CAPABILITIES)
    plain = [helper for helper in common if not headers.says_double(helper) and helper.macro != "latest"]
    swaps = [helper for helper in common if headers.says_double(helper) and helper.macro == "swap_loop"]
    reals = [helper for helper in common if headers.says_double(helper) and helper.macro != "swap_loop"]
    own = (*named("find_arc"), *plain, *groups.ROWS_OF_GROUPS, *named("latest_shared", "group_bits"), groups.TABLES)
    latest = render("opencl/latest.jinja", latest=dict.fromkeys(SPELLING.latest.values()))
    parts = (
        headers.folded_text(latest),
        *_texts(own),
        _guarded(("cl_khr_fp64",), reals),
        _guarded(("cl_khr_fp64", _BASE_EXTENSION), swaps),
    )
    helpers = frozenset(map(headers.bare, (*common, *own, *named("largest_arc", "saturating_arc"))))
    says = "OpenCL C 1.2: what kernels call."
    return headers.Header("starplat_opencl_kernels.h", says, (), parts, helpers, "opencl/kernels.h.jinja")


def _guarded(extensions: tuple[str, ...], helpers: Iterable[Helper]) -> str:
    """Helpers for devices that have some extensions."""
    condition = " && ".join(f"defined({extension})" for extension in extensions)
    pragmas = "\n".join(f"#pragma OPENCL EXTENSION {extension} : enable" for extension in extensions)
    return "\n\n".join((f"#if {condition}\n{pragmas}", *_texts(helpers), "#endif"))


def _texts(helpers: Iterable[Helper]) -> list[str]:
    files = [f"opencl/{name}.jinja" for name in ("helpers", "maps", "triangles")]
    return helper_texts(files, helpers, **SPELLING.for_helpers)


def _text(module: ir.Module, header: headers.Header | None) -> str:
    """The kernels, with the helpers that they use or, of these, with those that are not in the header."""
    unit = view(module, CAPABILITIES, SPELLING)
    helpers = definitions.used(_texts(h for h in unit.helpers if header is None or not header.holds(h)), unit.lines)
    return render(
        "opencl/kernels.cl.jinja",
        program=unit.program,
        double=unit.says("double"),
        extensions=_atomic_extensions(unit),
        header=None if header is None else header.name,
        arcs=unit.says("arc_t") or any("arc_t" in helper for helper in helpers),
        helpers=helpers,
        routines=(*unit.functions, *unit.kernels),
    )


def language_flag(text: str, device_version: str) -> str:
    """The `-cl-std=` to build emitted text with: 1.2, but the newest that the device has for text with a lock.

    OpenCL C 1.2 has fences for a work-group's own work-items only; `device_version` is "OpenCL 3.0 …".
    """
    newest = device_version.removeprefix("OpenCL ")[:1]
    return f"-cl-std=CL{newest}.0" if "device_fence" in text and newest in ("2", "3") else "-cl-std=CL1.2"


def extensions(module: ir.Module) -> tuple[str, ...]:
    """What a device must offer besides OpenCL 1.2 to build the text."""
    unit = view(module, CAPABILITIES, SPELLING)
    return ("cl_khr_fp64",) * unit.says("double") + _atomic_extensions(unit)


def _atomic_extensions(unit: Unit) -> tuple[str, ...]:
    swaps = any(("swap", "atom_cmpxchg") in helper.arguments for helper in unit.helpers)
    base = swaps or any(unit.says(word) for word in _BASE_ATOMICS)
    extended = any(unit.says(word) for word in _EXTENDED_ATOMICS)
    return (_BASE_EXTENSION,) * base + ("cl_khr_int64_extended_atomics",) * extended


OPENCL = kernels_apart.KernelsApart("opencl", "OpenCL 1.2", ".cl", CAPABILITIES, CPU_CAPABILITIES, _text, _headers)
