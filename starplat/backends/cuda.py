"""CUDA C++: what it can do and how it spells things."""

from __future__ import annotations

from dataclasses import dataclass

from starplat.backends.cexpr import Helper
from starplat.backends.launch import GROUP_SIZE
from starplat.backends.names import Names
from starplat.backends.render import helper_texts, render
from starplat.backends.spelling import Spelling
from starplat.backends.view import view
from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import Combine, Element, Kernel, MathFunction, Module

_BITS = (Combine.BIT_AND, Combine.BIT_OR, Combine.BIT_XOR)
_WHOLE = (*_BITS, Combine.ADD, Combine.MIN, Combine.MAX)
_WORDS = {
    Combine.ADD: "Add",
    Combine.BIT_AND: "And",
    Combine.BIT_OR: "Or",
    Combine.BIT_XOR: "Xor",
    Combine.MIN: "Min",
    Combine.MAX: "Max",
}

CAPABILITIES = Capabilities(
    atomics=frozenset(
        {(combine, element) for combine in _WHOLE for element in (Element.INT, Element.LONG)}
        | {(Combine.ADD, Element.FLOAT), (Combine.ADD, Element.DOUBLE)}
    ),
    swap_bits=frozenset({32, 64}),
    grid_barrier=True,
    sub_groups=True,
)
"""Compute capability 6.0 and newer."""

_TYPES = {
    Element.BOOL: "bool",
    Element.INT: "int",
    Element.LONG: "long long",
    Element.FLOAT: "float",
    Element.DOUBLE: "double",
    Element.NODE: "int",
    Element.ARC: "arc_t",
}

_REALS = {
    **{function: function.value for function in MathFunction},
    MathFunction.MIN: "fmin",
    MathFunction.MAX: "fmax",
    MathFunction.ABS: "fabs",
}


def _math(element: Element) -> dict[tuple[MathFunction, Element], str]:
    if element is Element.FLOAT:
        return {(function, element): f"{name}f" for function, name in _REALS.items()}
    if element is Element.DOUBLE:
        return {(function, element): name for function, name in _REALS.items()}
    whole = (MathFunction.MIN, MathFunction.MAX, MathFunction.ABS)
    return {(function, element): function.value for function in whole}


WARP_SIZE = 32

SPELLING = Spelling(
    values=_TYPES,
    parameters=_TYPES,
    cells=_TYPES,
    long_suffix="LL",
    largest={Element.INT: "INT_MAX", Element.NODE: "INT_MAX", Element.LONG: "LLONG_MAX", Element.ARC: "ARC_MAX"},
    smallest={Element.INT: "INT_MIN", Element.NODE: "INT_MIN", Element.LONG: "LLONG_MIN"},
    kernel='extern "C" __global__ void',
    function="static __device__ ",
    whole_group_kernel='extern "C" __global__ void __launch_bounds__({size})',
    space="",
    restrict="__restrict__",
    local_memory="__shared__ ",
    thread="blockIdx.x * blockDim.x + threadIdx.x",
    threads="gridDim.x * blockDim.x",
    lane="threadIdx.x",
    fence="__threadfence();",
    try_lock="atomicCAS({cell}, 0, 1) == 0",
    unlock="atomicExch({cell}, 0);",
    atomics={
        **{(combine, Element.INT): f"atomic{word}" for combine, word in _WORDS.items()},
        **{(combine, Element.LONG): f"atomic_{word.lower()}_long" for combine, word in _WORDS.items()},
        (Combine.MIN, Element.LONG): "atomicMin",
        (Combine.MAX, Element.LONG): "atomicMax",
        (Combine.ADD, Element.FLOAT): "atomicAdd",
        (Combine.ADD, Element.DOUBLE): "atomicAdd",
    },
    math={key: name for element in Element for key, name in _math(element).items()},
    saturating={element: f"saturated<{_TYPES[element]}>" for element in Element if element.is_integer},
    saturating_helpers=dict.fromkeys(Element, "saturated"),
    scratch_cells=GROUP_SIZE // WARP_SIZE,
)

_UNSIGNED_ONLY = {
    f"atomic_{word.lower()}_long": (word.lower(), f"atomic{word}") for word in ("Add", "And", "Or", "Xor")
}
"""64-bit atomic functions that CUDA has for unsigned numbers only, by the name of ours."""


@dataclass(frozen=True)
class Cuda:
    """Kernels in a `.cu` file, which the run-time compiler and nvcc build alike."""

    name: str = "cuda"
    capabilities: Capabilities = CAPABILITIES

    def kernels_text(self, module: Module) -> str:
        """The kernels. `-DARC_64` makes arc numbers 64 bits wide.

        Raises:
            DiagnosticError: E06xx, CUDA cannot do what the program asks.
        """
        unit = view(module, CAPABILITIES, SPELLING)
        signed = [
            Helper("signed_atomic", (("word", word), ("function", function)))
            for name, (word, function) in _UNSIGNED_ONLY.items()
            if unit.says(name)
        ]
        helpers = helper_texts("cuda/helpers.jinja", (*signed, *unit.helpers))
        says = [*helpers, *(line for r in (*unit.functions, *unit.kernels) for line in (r.signature, *r.body))]
        return render(
            "cuda/kernels.cu.jinja",
            program=unit.program,
            limits={name: value for name, value in _LIMITS.items() if any(name in line for line in says)},
            arcs=any("arc_t" in line for line in says),
            helpers=helpers,
            routines=(*unit.functions, *unit.kernels),
        )

    def kernel_name(self, module: Module, kernel: Kernel) -> str:
        """What the kernel is called in the text."""
        return Names(module, (), ()).kernel(kernel.name)

    def artifact(self, module: Module, stem: str) -> dict[str, str]:
        """`<stem>.cu`."""
        return {f"{stem}.cu": self.kernels_text(module)}


_LIMITS = {
    "INT_MAX": "0x7fffffff",
    "INT_MIN": "(-INT_MAX - 1)",
    "LLONG_MAX": "0x7fffffffffffffffLL",
    "LLONG_MIN": "(-LLONG_MAX - 1)",
    "INFINITY": "__int_as_float(0x7f800000)",
    "NAN": "__int_as_float(0x7fffffff)",
}
"""Names of the standard headers, for compilers without them."""
