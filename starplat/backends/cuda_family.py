"""Shared by CUDA C++ and HIP: capabilities, spelling, texts of kernels and programs.

A target of the family is a `Family`: data, and a folder of templates for what only it has. Templates in
`templates/cuda_family/` are written in CUDA, over what the threads of a warp do together: `warps` in a target's own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from starplat.backends import launch, legal_module
from starplat.backends.c.cplusplus import CPLUSPLUS, of_reals
from starplat.backends.c.set_forms import FORMS, set_helpers
from starplat.backends.files import layout, placed
from starplat.backends.files.artifact import artifact_pieces, host_lines
from starplat.backends.files.definitions import in_namespace, used
from starplat.backends.files.headers import Header, arithmetic, bare, device_part, headers_of_placement, shared
from starplat.backends.files.render import helper_texts, render
from starplat.backends.host.launches import Launching
from starplat.backends.host.parts import Connection
from starplat.backends.spelling import GroupWords, Spelling
from starplat.backends.text.comments import END_OF_KERNELS
from starplat.backends.text.helpers import Helper, made_of, named
from starplat.backends.view import Unit, view
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.processors import Processor

_WORDS = {
    ir.Combine.ADD: "Add",
    ir.Combine.BIT_AND: "And",
    ir.Combine.BIT_OR: "Or",
    ir.Combine.BIT_XOR: "Xor",
    ir.Combine.MIN: "Min",
    ir.Combine.MAX: "Max",
}

CAPABILITIES = Capabilities(
    atomics=frozenset(
        {(combine, element) for combine in _WORDS for element in (ir.Element.INT, ir.Element.LONG)}
        | {(ir.Combine.ADD, ir.Element.FLOAT), (ir.Combine.ADD, ir.Element.DOUBLE)}
    ),
    swap_bits=frozenset({32, 64}),
    grid_barrier=True,
    batches=True,
    late_words=True,
    mapped_memory=True,
    shared_arcs=True,
    group_tables=True,
)


def _math(element: ir.Element) -> Mapping[ir.MathFunction, str]:
    if element.is_real:
        return of_reals(element)
    whole = (ir.MathFunction.MIN, ir.MathFunction.MAX, ir.MathFunction.ABS)
    return {**{function: function.value for function in whole}, ir.MathFunction.POPCOUNT: "__popcll"}


SMALLEST_WARP = 32

SPELLING = replace(
    CPLUSPLUS,
    kernel='extern "C" __global__ void',
    function="static __device__ ",
    whole_group_kernel='extern "C" __global__ void __launch_bounds__({size})',
    restrict="__restrict__",
    groups=GroupWords(
        scratch="__shared__ {kind} {name}{cells};",
        number="blockIdx.x",
        count="gridDim.x",
        wait="__syncthreads();",
        any="__syncthreads_or({})",
        thread="thread",
        name="block",
    ),
    thread="blockIdx.x * blockDim.x + threadIdx.x",
    threads="gridDim.x * blockDim.x",
    lane="threadIdx.x",
    fence="__threadfence();",
    barrier="grid_barrier(arrived);",
    barrier_helper="grid_barrier",
    try_lock="atomicCAS({cell}, 0, 1) == 0",
    unlock="atomicExch({cell}, 0);",
    cell_words={ir.Element.INT: {"word": "unsigned"}, ir.Element.LONG: {"word": "unsigned long long"}},
    swaps={ir.Element.INT: "atomicCAS", ir.Element.LONG: "atomic_swap_long"},
    atomics={
        **{(combine, ir.Element.INT): f"atomic{word}" for combine, word in _WORDS.items()},
        **{(combine, ir.Element.LONG): f"atomic_{word.lower()}_long" for combine, word in _WORDS.items()},
        (ir.Combine.MIN, ir.Element.LONG): "atomicMin",
        (ir.Combine.MAX, ir.Element.LONG): "atomicMax",
        (ir.Combine.ADD, ir.Element.FLOAT): "atomicAdd",
        (ir.Combine.ADD, ir.Element.DOUBLE): "atomicAdd",
    },
    math={element: _math(element) for element in ir.Element},
    scratch_cells=launch.GROUP_SIZE // SMALLEST_WARP,
)


BLOCKS_PER_MULTIPROCESSOR = 256
MANY_ARCS = 2**22
"""Arcs from which a graph is large for a persistent kernel. On one device `MANY_GROUPS` are not asked of the compiler:
with `__launch_bounds__(512, 4)` PageRank took 22.4 ms instead of 14.8 (H200, R-MAT of 2^20 nodes and 33 M arcs). On
several they are where rows are added up, since what meets the others takes registers: a round over half of rmat26 takes
10.6 ms in place of 12.4 (H200)."""

ARCS_OF_A_NODE = 8
"""Arcs of a node, from which searches have few rounds."""


def blocks_together(op: ir.OnDevice, num_nodes: int, num_arcs: int) -> int:
    """The number of blocks per multiprocessor of a persistent kernel: few where a walk of a set takes many rounds."""
    thin = launch.walks_sets(op) and num_arcs // ARCS_OF_A_NODE < num_nodes
    return launch.FEW_GROUPS if num_arcs < MANY_ARCS or thin else launch.most_groups(op)


def _blocks_in_words(op: ir.OnDevice) -> str:
    """The same, for a host program."""
    few, most = launch.FEW_GROUPS, launch.most_groups(op)
    thin = f" || graph.num_arcs / {ARCS_OF_A_NODE} < graph.num_nodes" * launch.walks_sets(op)
    return str(few) if few == most else f"graph.num_arcs < {MANY_ARCS}{thin} ? {few} : {most}"


def _of_all(spelling: Spelling) -> tuple[Helper, ...]:
    """Helpers that are in the header of every target of the family."""
    kinds = {element: spelling.values[element] for element in (ir.Element.INT, ir.Element.LONG, ir.Element.DOUBLE)}
    sums = (
        made_of("group_combine", name=f"group_add_{e.value}", type=t, combined="value + other")
        for e, t in kinds.items()
    )
    largest = made_of("group_combine", name="group_max_arc", type="arc_t", combined="max(value, other)")
    plain = named("warps", "grid_barrier", "largest_arc", "saturated", "find_arc")
    return (*plain, *arithmetic(spelling), *sums, largest)


SIGNED_ATOMICS = {
    "atomic_swap_long": Helper("signed_swap"),
    **{
        name: Helper("signed_atomic", (("name", name), ("atomic", atomic)))
        for name, atomic in (
            ("atomic_add_long", "atomicAdd"),
            ("atomic_and_long", "atomicAnd"),
            ("atomic_or_long", "atomicOr"),
            ("atomic_xor_long", "atomicXor"),
        )
    },
}
"""64-bit atomic functions that there are for unsigned numbers only, by the name of ours."""

_OF_ROWS = (
    *named("warp_number", "sum_up_to", "every_node", "each_kept", "each_flagged"),
    made_of("long_rows", threads=str(launch.THREADS_TOGETHER)),
    *named("kept_by_warps", "teams", "warp_arcs", "share_arcs"),
    *named("advance_all", "advance_visited", "advance_arcs", "advance_listed"),
    *named(
        "search_all",
        "ask_step",
        "ask_all",
        "collect_all",
        "share_values",
        "gather_step",
        "long_values",
        "gather_all",
        "gather_rows",
    ),
    *named("gather_each", "gather_listed"),
    made_of("triangles_by_tables", threads=str(launch.GROUP_SIZE)),
)
"""Helpers by which threads share rows."""

_SETS = {
    ir.Packing.SWITCHED: ("sets", "a bit for each node, and a list while they are few"),
    ir.Packing.SHARED: ("clusters", "lists in the memory of a cluster while members are few, beside those elsewhere"),
    ir.Packing.LIST: ("lists", "a bit for each node, and a list"),
    ir.Packing.BITS: ("bits", "a bit for each node"),
    ir.Packing.LAYERS: ("layers", "a bit for each node, and a bit for each word of these"),
}
"""What the header for a kind of sets is called, and how such sets are kept."""

_SHARED_FILES = ("helpers", "sets", "rows", "asking", "gathering", "maps", "triangles")
"""The templates of helpers that the family shares."""

_LIMITS = {
    "INT_MAX": "0x7fffffff",
    "INT_MIN": "(-0x7fffffff - 1)",
    "LLONG_MAX": "0x7fffffffffffffffLL",
    "LLONG_MIN": "(-0x7fffffffffffffffLL - 1)",
    "INFINITY": "__int_as_float(0x7f800000)",
    "NAN": "__int_as_float(0x7fffffff)",
}
"""Names of the standard headers, for compilers without them."""


@dataclass(frozen=True, eq=False)
class Family:
    """A target of the family. Its templates are `<name>/kernels<suffix>.jinja`, `host<suffix>.jinja` and its helpers'.

    Attributes:
        name: what users call the target.
        suffix: how its files end.
        added: helpers for atomic functions that it lacks, by the name that the spelling gives them.
        last_error: its function for what went wrong in a launch.
        helper_files: the templates, without their ending, that have helpers of its own.
        language, includes: what its header is in, and asks for.
        connection: that of programs in parts.
    """

    name: str
    suffix: str
    added: Mapping[str, Helper]
    last_error: str
    helper_files: tuple[str, ...] = ("helpers",)
    capabilities: Capabilities = CAPABILITIES
    spelling: Spelling = field(default=SPELLING)
    language: str = "CUDA C++"
    includes: tuple[str, ...] = ("#include <cuda_runtime.h>",)
    connection: Connection = Connection.PROCESSES

    def capabilities_on(self, processor: Processor) -> Capabilities | None:
        """What its kernels may rely on: it runs on GPUs."""
        return self.capabilities if processor is Processor.GPU else None

    def kernels_text(self, module: ir.Module) -> str:
        """The kernels. `-DARC_64` makes arc numbers 64 bits wide. Raises E06xx: the target cannot do what the program
        asks."""
        unit = view(module, self.capabilities, self.spelling)
        helpers = used(self._texts(self._helpers(unit)), unit.lines)
        says = [*helpers, *unit.lines]
        return render(
            f"{self.name}/kernels{self.suffix}.jinja",
            program=unit.program,
            limits={name: value for name, value in _LIMITS.items() if any(name in line for line in says)},
            arcs=any("arc_t" in line for line in says),
            helpers=helpers,
            routines=(*unit.functions, *unit.kernels),
        )

    def loop(self, module: ir.Module, op: ir.OnDevice) -> tuple[str, tuple[launch.KernelArgument, ...]]:
        """The name and parameters of a persistent kernel in the text."""
        return legal_module.loop_entry(op, module, self.capabilities)

    def artifact(
        self, module: ir.Module, stem: str, *, library: bool = False, single_file: bool = False
    ) -> dict[str, str]:
        """`<stem>.cu`: the routines of `kernels_text`, host code, and `main` or a function for C."""
        module = placed.as_emitted(module, library=library)
        unit = view(module, self.capabilities, self.spelling)
        helpers = self._helpers(unit)
        base, *of_sets = self.headers()
        headers = (base, *(one for one in of_sets if one.fits(helpers) and any(map(one.holds, helpers))))
        launching = Launching(
            "{kernel}<<<device.blocks({iterations}), {group}>>>",
            "{kernel}<<<1, 1>>>",
            after=f'check({self.last_error}(), "{{kernel}}");',
            busy="device.busy({iterations})",
            blocks_together=_blocks_in_words,
        )
        headers += headers_of_placement(module, self.name, self.language, converts=True)
        helpers = tuple(helper for helper in helpers if not any(header.holds(helper) for header in headers))
        pieces = artifact_pieces(
            module,
            stem,
            self.capabilities,
            launching,
            library=library,
            kernel_helpers=helpers,
            headers=headers,
            connection=self.connection,
        )
        text = render(
            f"{self.name}/host{self.suffix}.jinja",
            **pieces,
            kernel_helpers=used(self._texts(helpers, pieces["shared_helpers"]), (*unit.lines, *host_lines(pieces))),
            routines=(*unit.functions, *unit.kernels),
            end_of_kernels=END_OF_KERNELS,
        )
        return layout.laid_out({f"{stem}{self.suffix}": text}, headers, single_file=single_file)

    @cache  # noqa: B019  the targets are few and live as long as the program
    def headers(self) -> tuple[Header, ...]:
        """The headers that programs of the target share."""
        device = device_part(
            f"{self.name}/device.hpp.jinja",
            blocks_per_multiprocessor=BLOCKS_PER_MULTIPROCESSOR,
            threads_together=launch.THREADS_TOGETHER,
            groups_of_a_cluster=launch.GROUPS_OF_A_CLUSTER * self.capabilities.clusters,
        )
        check_place = helper_texts(["common/host_helpers.jinja"], named("check_place"))
        both = frozenset((*arithmetic(self.spelling), Helper("saturated")))
        return tuple(
            Header(
                name,
                says,
                includes,
                tuple(shared(text) for text in (*first, *self._texts(helpers, both))),
                frozenset(bare(helper) for helper in (*helpers, *named("check_place") * bool(first))),
            )
            for name, says, includes, helpers, first in (
                (
                    f"starplat_{self.name}.hpp",
                    f"{self.language}: devices, their memory, and what kernels call. Needs C++17.",
                    self.includes,
                    (*self.added.values(), *_of_all(self.spelling), *_OF_ROWS),
                    (device, *check_place),
                ),
                *(
                    (*self._of_sets(packing), ())
                    for packing in FORMS
                    if packing is not ir.Packing.SHARED or self.capabilities.clusters
                ),
                (
                    f"starplat_{self.name}_maps.hpp",
                    f"{self.language}: counts the keys of rows in maps of a block. Needs C++17.",
                    (f'#include "starplat_{self.name}.hpp"',),
                    named("block_maps", "count_rows"),
                    (),
                ),
            )
        )

    def _of_sets(self, packing: ir.Packing) -> tuple[str, str, tuple[str, ...], tuple[Helper, ...]]:
        """The header for sets of nodes that are kept in one way: name, sentence, what it asks for, helpers."""
        name, kept = _SETS[packing]
        says = f"{self.language}: sets of nodes in the device's memory: {kept}. Needs C++17."
        before = "_sets" * (packing is ir.Packing.SHARED)
        includes = (f'#include "starplat_{self.name}{before}.hpp"',)
        return (
            f"starplat_{self.name}_{name}.hpp",
            says,
            includes,
            set_helpers(packing, clusters=self.capabilities.clusters),
        )

    def _helpers(self, unit: Unit) -> tuple[Helper, ...]:
        """Those that the kernels call, and those that these call."""
        return (Helper("warps"), *(helper for name, helper in self.added.items() if unit.says(name)), *unit.helpers)

    def _texts(self, helpers: tuple[Helper, ...], for_host: object = ()) -> list[str]:
        """The helpers as text; those that host code calls too are made for both."""
        own = (f"{self.name}/{name}.jinja" for name in self.helper_files)
        templates = (*own, *(f"cuda_family/{name}.jinja" for name in _SHARED_FILES))
        texts, apart = list[str](), dict[str, list[str]]()
        for helper in helpers:
            both = "__host__ " * (isinstance(for_host, frozenset) and helper in for_host)
            function = f"static {both}__device__ "
            given = tuple((n, function if n == "function" and both else v) for n, v in helper.arguments)
            words = {**self.spelling.for_helpers, "function": function}
            place = apart.setdefault(helper.space, []) if helper.space else texts
            place += helper_texts(templates, [Helper(helper.macro, given)], **words)
        return [*texts, *(in_namespace(space, inside) for space, inside in apart.items())]
