"""Shared by targets whose kernels are C++ functions of one loop under directives.

Such a target is a `Directives` of its own, the words around it below, and a folder of templates.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from starplat.backends.c.cplusplus import CPLUSPLUS, of_reals
from starplat.backends.compiled_loops import compiled_text
from starplat.backends.files import definitions, headers, layout
from starplat.backends.files.artifact import artifact_pieces
from starplat.backends.files.placed import is_in_chunks
from starplat.backends.files.render import helper_texts, render
from starplat.backends.host.launches import AS_FUNCTIONS
from starplat.backends.spelling import Directives, Spelling
from starplat.backends.text.comments import END_OF_KERNELS
from starplat.backends.text.helpers import Helper, made_of, named
from starplat.backends.view import Unit, view
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.processors import Processor

_WHOLE = (ir.Combine.ADD, ir.Combine.MULTIPLY, ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.BIT_XOR)

CAPABILITIES = Capabilities(
    atomics=frozenset(
        {(combine, element) for combine in _WHOLE for element in (ir.Element.INT, ir.Element.LONG)}
        | {(combine, element) for combine in _WHOLE[:2] for element in (ir.Element.FLOAT, ir.Element.DOUBLE)}
    ),
    swap_bits=frozenset({32, 64}),
    structured_loops=True,
)
"""The operators of `atomic update`; `atomic compare` is not understood everywhere."""

_WHOLE_MATH = {
    ir.Element.INT: {ir.MathFunction.MIN: "smaller_int", ir.MathFunction.MAX: "larger_int", ir.MathFunction.ABS: "abs"},
    ir.Element.LONG: {
        ir.MathFunction.MIN: "smaller_long",
        ir.MathFunction.MAX: "larger_long",
        ir.MathFunction.ABS: "llabs",
        ir.MathFunction.POPCOUNT: "__builtin_popcountll",
    },
}
_OWN_MATH = {
    f"{word}_{end}": Helper("chosen", (("name", f"{word}_{end}"), ("type", kind), ("operator", operator)))
    for word, operator in (("smaller", "<"), ("larger", ">"))
    for end, kind in (("int", "int"), ("long", "long long"))
}
"""Functions of the C++ library are not made for devices, so these are ours."""


_IN_HEADERS = (
    *named("largest_arc", "saturated_int", "saturated_long", "saturated_arc", "find_arc", "flip_byte"),
    *(
        made_of("swap_extreme", name=f"atomic_{word}_{end}", type=kind, beyond=beyond)
        for word, beyond in (("min", "<"), ("max", ">"))
        for end, kind in (("int", "int"), ("long", "long long"), ("arc", "arc_t"), ("double", "double"))
    ),
)


def _math(element: ir.Element) -> Mapping[ir.MathFunction, str]:
    if element.is_real:
        return of_reals(element)
    return _WHOLE_MATH[ir.Element.LONG if element in (ir.Element.LONG, ir.Element.ARC) else ir.Element.INT]


_SATURATING = {
    ir.Element.INT: "saturated_int",
    ir.Element.NODE: "saturated_int",
    ir.Element.LONG: "saturated_long",
    ir.Element.ARC: "saturated_arc",
}


def spelling(directives: Directives, function: str) -> Spelling:
    """C++ under these directives; `function` stands before functions that kernels call."""
    return replace(
        CPLUSPLUS,
        kernel='extern "C" void',
        function=function,
        restrict="__restrict__",
        fence="__atomic_thread_fence(__ATOMIC_SEQ_CST);",
        try_lock="__atomic_exchange_n({cell}, 1, __ATOMIC_ACQUIRE) == 0",
        unlock="__atomic_store_n({cell}, 0, __ATOMIC_RELEASE);",
        compare_swap=(
            "{variable} = {expected};",
            "__atomic_compare_exchange_n({address}, &{variable}, {value}, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);",
        ),
        math={element: _math(element) for element in ir.Element},
        saturating=_SATURATING,
        saturating_helpers=_SATURATING,
        directives=directives,
    )


@dataclass(frozen=True, eq=False)
class DirectiveBackend:
    """A target of this kind. `name` is also the folder of its templates, `language` what its users call it, `includes`
    the lines by which programs ask for its header."""

    name: str
    language: str
    spelling: Spelling
    capabilities: Capabilities = CAPABILITIES
    processors: tuple[Processor, ...] = (Processor.CPU,)
    includes: tuple[str, ...] = ()

    def capabilities_on(self, processor: Processor) -> Capabilities | None:
        """What its kernels may rely on, the same wherever they run."""
        return self.capabilities if processor in self.processors else None

    def kernels_text(self, module: ir.Module) -> str:
        """The kernels, and loops that are compiled with them, as one C++ file without a `main`. `-DARC_64` makes
        numbers of arcs 64 bits wide."""
        unit = view(module, self.capabilities, self.spelling)
        loops = compiled_text(module, self.capabilities, unit.helpers)
        return render(
            "directives/kernels.cpp.jinja", language=self.language, loops=loops, **self._pieces(unit, loops.text)
        )

    def artifact(
        self, module: ir.Module, stem: str, *, library: bool = False, single_file: bool = False
    ) -> dict[str, str]:
        """`<stem>.cpp`: the kernels, host code, and `main` or a function for C."""
        unit = view(module, self.capabilities, self.spelling)
        kernels, directives = self._pieces(unit), self.spelling.directives
        ahead = None if directives is None else directives.ahead
        launching = AS_FUNCTIONS if ahead is None else replace(AS_FUNCTIONS, wait=ahead[1])
        header = self.header()
        more = (headers.header_of_chunks(self.name, f"C++ with {self.language}"),) if is_in_chunks(module) else ()
        text = render(
            f"{self.name}/host.cpp.jinja",
            kernel_helpers=self._helpers(unit, header),
            routines=kernels["routines"],
            end_of_kernels=END_OF_KERNELS,
            **artifact_pieces(module, stem, self.capabilities, launching, library=library, headers=(header, *more)),
        )
        return layout.laid_out({f"{stem}.cpp": text}, (header, *more), single_file=single_file)

    @cache  # noqa: B019  the targets are few and live as long as the program
    def header(self) -> headers.Header:
        """The header that programs of the target share."""
        directives = self.spelling.directives
        of_rows = named("rows_at_a_time") if directives is not None and directives.loop_of_rows is not None else ()
        of_lists = named("additions") if self.capabilities.gathers else ()
        helpers = (*_OWN_MATH.values(), *_IN_HEADERS, *of_rows, *of_lists, *headers.arithmetic(self.spelling))
        for_host = named("check_place", "saturated")
        texts = (
            headers.device_part(f"{self.name}/device.hpp.jinja"),
            *helper_texts(["common/host_helpers.jinja"], for_host),
            *helper_texts(["directives/helpers.jinja"], helpers, **self.spelling.for_helpers),
        )
        return headers.Header(
            f"starplat_{self.name}.hpp",
            f"C++ with {self.language}: devices, their memory, and what kernels call. Needs C++17.",
            self.includes,
            tuple(map(headers.shared, texts)),
            frozenset(map(headers.bare, (*helpers, *for_host))),
        )

    def _pieces(self, unit: Unit, loops: str = "") -> dict[str, object]:
        helpers = self._helpers(unit)
        everything = (*helpers, *unit.lines, loops)

        def mentions(*words: str) -> bool:
            return any(word in text for text in everything for word in words)

        reals = {name for element, names in self.spelling.math.items() if element.is_real for name in names.values()}
        return {
            "program": unit.program,
            "threads": mentions("omp_get"),
            "vectors": mentions("std::vector"),
            "limits": mentions("INT_M", "LLONG_M"),
            "reals": mentions("INFINITY", "NAN") or any(map(unit.says, reals)),
            "absolute": unit.says("abs") or unit.says("llabs"),
            "arcs": mentions("arc_t"),
            "helpers": helpers,
            "routines": (*unit.functions, *unit.kernels),
        }

    def _helpers(self, unit: Unit, header: headers.Header | None = None) -> list[str]:
        """The functions that kernels call, without those in the header that a program has beside it."""
        own = [helper for name, helper in _OWN_MATH.items() if unit.says(name)]
        wanted = [helper for helper in (*own, *unit.helpers) if header is None or not header.holds(helper)]
        texts = helper_texts(["directives/helpers.jinja"], wanted, **self.spelling.for_helpers)
        return definitions.used(texts, unit.lines)
