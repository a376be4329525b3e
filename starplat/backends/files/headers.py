"""The header of a target: everything that its programs share beside their algorithm.

A header has the target's devices and memory, and those of our helper functions that are the same in every program. It
stands beside programs as it is; a program in a single file holds only those of its definitions that it uses. Functions
that depend on a program (on a type that is rarely met, on how many sets a launch has) stay in the program.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from starplat.backends import launch
from starplat.backends.c import atomics, groups
from starplat.backends.c.expressions import ExpressionPrinter, sum_text
from starplat.backends.files.definitions import used
from starplat.backends.files.render import helper_texts, render
from starplat.backends.spelling import Spelling
from starplat.backends.text.folding import folded
from starplat.backends.text.helpers import Helper, Helpers, made_of, named
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities

_STATIC = re.compile(r"^static (?!constexpr)((?:__host__ |__device__ )*)(__forceinline__ |inline )?", re.MULTILINE)

Bare = tuple[str, tuple[tuple[str, str], ...]]


def bare(helper: Helper) -> Bare:
    """A helper without what stands before it, which differs between host and device."""
    macro = f"{helper.space}::{helper.macro}" if helper.space else helper.macro
    return macro, tuple(sorted(pair for pair in helper.arguments if pair[0] != "function"))


def arithmetic(spelling: Spelling) -> tuple[Helper, ...]:
    """Sums and products that wrap around or keep infinity, for the types that programs mostly have."""
    kinds = {element: spelling.values[element] for element in (ir.Element.INT, ir.Element.LONG, ir.Element.DOUBLE)}
    ends = {**spelling.largest, ir.Element.DOUBLE: "INFINITY"}
    whole = ((ir.Element.INT, ""), (ir.Element.LONG, "_long"))
    return (
        *(
            made_of("add_inf", name=f"add_inf{end}", type=kinds[e], largest=ends[e], sum=sum_text(spelling, e))
            for e, end in whole
        ),
        *(made_of("multiply", name=f"multiply{end}", type=kinds[e]) for e, end in whole),
        *(
            made_of(
                "keeping_inf",
                name=f"{source.value}_to_{target.value}_inf",
                source=kinds[source],
                target=kinds[target],
                source_inf=ends[source],
                target_inf=ends[target],
            )
            for source, target in combinations(kinds, 2)
        ),
    )


@dataclass(frozen=True, slots=True)
class Header:
    """A header.

    Attributes:
        name: of its file.
        says: what it is, in a sentence.
        includes: the lines by which it asks for the target's own headers.
        parts: its definitions, each before those that use it.
        helpers: which helpers are among them.
        template: what they stand in; a header of kernels has one of its own.
    """

    name: str
    says: str
    includes: tuple[str, ...]
    parts: tuple[str, ...]
    helpers: frozenset[Bare]
    template: str = "common/header.hpp.jinja"

    def holds(self, helper: Helper) -> bool:
        """Whether the helper is there, just as the program wants it."""
        return bare(helper) in self.helpers

    def fits(self, helpers: Iterable[Helper]) -> bool:
        """Whether a program that needs these may take it: none is there in another form, and sets are of its kind."""
        macros = {macro for macro, _ in self.helpers}
        kinds = {macro for macro in macros if macro.startswith("frontier")}
        ours = all(self.holds(helper) for helper in helpers if bare(helper)[0] in macros)
        return ours and kinds <= {helper.macro for helper in helpers}

    def needed(self, says: Sequence[str]) -> list[str]:
        """The definitions that a text uses that holds all it `says`."""
        return used(self.parts, says)

    def text(self, says: Sequence[str] | None = None) -> str:
        """The header, or of it only what a text uses that holds all it `says`."""
        parts = self.parts if says is None else self.needed(says)
        guard = self.name.replace(".", "_").upper()
        return render(self.template, guard=guard, says=self.says, includes=self.includes, parts=parts)


def device_part(template: str, **pieces: object) -> str:
    """The part of a header with a target's devices and memory, from its own template."""
    text = render(
        template,
        group_size=launch.GROUP_SIZE,
        groups_of_a_unit=launch.GROUPS_OF_A_UNIT,
        iterations_of_a_piece=launch.ITERATIONS_OF_A_PIECE,
        most_pieces=launch.MOST_PIECES,
        threads_of_one_group=launch.THREADS_OF_ONE_GROUP,
        **pieces,
    )
    return folded_text(text)


def folded_text(text: str) -> str:
    """A part without long lines, and without empty ones around it."""
    return "\n".join(folded(text.strip("\n").split("\n")))


def host_header(name: str, language: str, includes: tuple[str, ...], **pieces: object) -> Header:
    """The header of a target whose kernels are a text of their own."""
    helpers = named("check_place", "saturated")
    texts = (device_part(f"{name}/device.hpp.jinja", **pieces), *helper_texts(["common/host_helpers.jinja"], helpers))
    says = f"{language}: devices, their memory, and the kernels' text. Needs C++17."
    return Header(f"starplat_{name}.hpp", says, includes, tuple(map(shared, texts)), frozenset(map(bare, helpers)))


def headers_of_placement(module: ir.Module, name: str, language: str, *, converts: bool = False) -> tuple[Header, ...]:
    """The headers of a target for the arrays of a program that may lie in the host's memory; `converts` tells that
    kernels take pointers."""

    def header(word: str, what: str, part: str, *includes: str) -> Header:
        says = f"{language}: arrays {what}. Needs C++17."
        return Header(f"starplat_{name}_{word}.hpp", says, includes, (part,), frozenset())

    if not module.mapped:
        return ()
    target, mapped = f'#include "starplat_{name}.hpp"', f"{name}/mapped.hpp.jinja"
    if module.managed:
        return (header("managed", "in memory whose pages the driver moves", device_part(mapped, managed=True), target),)
    on_host = header("mapped", "in page-locked memory of the host", device_part(mapped, managed=False), target)
    if not module.on_demand:
        return (on_host,)
    where = "on the device or, where it has no room, in memory of the host"
    asked = (f'#include "{on_host.name}"', '#include "starplat_arguments.hpp"', "#include <optional>")
    return on_host, header("placed", where, device_part("common/placed.hpp.jinja", converts=converts), *asked)


def header_of_chunks(name: str, language: str) -> Header:
    """The header of a target for programs whose host copies rows to the device for each launch."""
    says = f"{language}: copies of rows on the device, for one launch after another. Needs C++17."
    includes = (f'#include "starplat_{name}.hpp"', '#include "starplat_arguments.hpp"')
    part = device_part(f"{name}/chunks.hpp.jinja")
    return Header(f"starplat_{name}_chunks.hpp", says, includes, (part,), frozenset())


def shared(text: str) -> str:
    """A helper as a header has it: it may stay unused."""
    return _STATIC.sub(lambda match: f"{match[1]}{match[2] or 'inline '}", text)


_ELEMENTS = (ir.Element.INT, ir.Element.LONG, ir.Element.FLOAT, ir.Element.DOUBLE)


def common_helpers(spelling: Spelling, capabilities: Capabilities) -> tuple[Helper, ...]:
    """Arithmetic, and sums over a group and in a shared cell, for the types that programs mostly have."""
    helpers = Helpers()
    expressions = ExpressionPrinter(spelling, lambda what: what.name, str, helpers)
    for element in spelling.latest:
        expressions.latest(element)
    for element in _ELEMENTS:
        if ir.Combine.ADD not in spelling.group_reductions:
            groups.group_function(expressions, ir.Combine.ADD, element)
        if (ir.Combine.ADD, element) not in capabilities.atomics:
            atomics.AtomicPrinter(expressions).swap_loop(ir.Combine.ADD, element)
    groups.join_function(expressions, ir.Combine.ADD, ir.Element.DOUBLE)
    return (*arithmetic(spelling), *helpers.needed)


def says_double(helper: Helper) -> bool:
    """Whether the helper is only for devices that have doubles."""
    return any(value == "double" for _, value in helper.arguments)
