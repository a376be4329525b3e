"""WGSL, which browsers and wgpu compile for whatever GPU there is: capabilities and spelling.

Its numbers have 32 bits: programs with `long` or `double` in their kernels are refused by name.
"""

from dataclasses import dataclass
from functools import cache

from starplat.backends import launch, spelling
from starplat.backends.c.lines import INDENT
from starplat.backends.files import headers, layout
from starplat.backends.files.artifact import artifact_pieces, kernel_pieces
from starplat.backends.files.render import helper_texts, render
from starplat.backends.text.folding import folded
from starplat.backends.wgsl.instances import Binding, emitted as emitted_as
from starplat.backends.wgsl.kernels import wgsl_unit
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.processors import Processor
from starplat.resources import template_folder
from starplat.same import remembered

_ATOMIC = (ir.Combine.ADD, ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.BIT_XOR, ir.Combine.MIN, ir.Combine.MAX)

CAPABILITIES = Capabilities(
    atomics=frozenset((combine, ir.Element.INT) for combine in _ATOMIC),
    swap_bits=frozenset({32}),
    double=False,
    wide_arcs=False,
)

_TYPES = {
    ir.Element.BOOL: "bool",
    ir.Element.FLOAT: "f32",
    **dict.fromkeys((ir.Element.INT, ir.Element.NODE, ir.Element.ARC), "i32"),
}
_INTEGERS = (ir.Element.INT, ir.Element.NODE, ir.Element.ARC)
_SIZES = {"group_size": str(launch.GROUP_SIZE), "half_group": str(launch.GROUP_SIZE // 2)}
_LARGEST, _SMALLEST = "2147483647", "(-2147483647 - 1)"

_MATH = {**{function: function.value for function in ir.MathFunction}, ir.MathFunction.POPCOUNT: "countOneBits"}

SPELLING = spelling.Spelling(
    values=_TYPES,
    math=dict.fromkeys(_TYPES, _MATH),
    largest=dict.fromkeys(_INTEGERS, _LARGEST),
    smallest=dict.fromkeys(_INTEGERS, _SMALLEST),
)


@dataclass(frozen=True)
class WebGPU:
    """Kernels in a `.wgsl` file."""

    name: str = "webgpu"
    capabilities: Capabilities = CAPABILITIES

    def capabilities_on(self, processor: Processor) -> Capabilities:
        """What its kernels may rely on there."""
        return self.capabilities

    def kernels_text(self, module: ir.Module) -> str:
        """The kernels with all that they need."""
        unit = wgsl_unit(module, CAPABILITIES, SPELLING)
        return render(
            "webgpu/kernels.wgsl.jinja",
            program=unit.program,
            bindings=unit.bindings,
            helpers=helper_texts(["webgpu/helpers.jinja"], unit.helpers, **_SIZES),
            routines=unit.routines,
        )

    def artifact(
        self, module: ir.Module, stem: str, *, library: bool = False, single_file: bool = False
    ) -> dict[str, str]:
        """`<stem>.cpp`, and `<stem>.wgsl`; one file has the kernels as a literal."""
        header, kernels = _header(), self.kernels_text(module)
        pieces = artifact_pieces(module, stem, CAPABILITIES, library=library, headers=(header,))
        pieces |= kernel_pieces(f"{stem}.wgsl", kernels, single_file=single_file)
        program = {f"{stem}.cpp": render("webgpu/host.cpp.jinja", bindings=_tables(module), **pieces)}
        return layout.laid_out(
            program if single_file else {f"{stem}.wgsl": kernels, **program}, (header,), single_file=single_file
        )


@cache
def _header() -> headers.Header:
    """The header that programs share."""
    return headers.host_header("webgpu", "WebGPU", ("#include <webgpu/webgpu.h>",), fill_text=fill_text())


def fill_text() -> str:
    """The kernel that fills a buffer."""
    return (template_folder("webgpu") / "fill.wgsl").read_text(encoding="utf-8")


def _tables(module: ir.Module) -> tuple[str, ...]:
    """The buffers of each kernel, as the lines of a C++ map."""
    lines = []
    for name, bindings in bindings_of(module).items():
        buffers = ", ".join(f"{{{binding.number}, {str(binding.written).lower()}}}" for binding in bindings)
        lines.append(f'{INDENT}{{"{name}", {{{buffers}}}}},')
    return folded(lines)


@remembered(16)
def bindings_of(module: ir.Module) -> dict[str, tuple[Binding, ...]]:
    """The buffers that each kernel is given, by its name in the text, in the order of its parameters."""
    found = emitted_as(module, CAPABILITIES)
    return {
        found.names.kernel(legal.kernel.name): tuple(
            found.bindings[array] for array in (*legal.kernel.arrays, *legal.results)
        )
        for legal in found.kernels
    }
