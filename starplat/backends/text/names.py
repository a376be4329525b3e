"""The emitted names of a program's identifiers.

Every identifier stays as it is unless it is a word of a target, of its library or of ours, begins with an underscore,
holds two in a row, or would mean two things; then it gets an ending. A module has the same names on every target, so
the reserved words of all targets, which are in `templates/reserved`, make one table.
"""

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from starplat.backends import statements as st
from starplat.ir import nodes as ir, visitor
from starplat.resources import template_folder


def _listed(*files: str) -> frozenset[str]:
    """The words in some files of `templates/reserved`."""
    texts = ((template_folder("reserved") / f"{file}.txt").read_text(encoding="utf-8") for file in files)
    return frozenset(word for text in texts for word in text.split())


WORDS_OF_C = _listed("c_and_cpp", "library_of_c")
"""What a header that C and C++ read may not call a parameter."""

RESERVED = WORDS_OF_C | _listed("opencl", "cuda_and_hip", "sycl_and_pragmas", "ours")
"""Of all languages, and of our own text: graph arrays too, so that no array of a program has their names."""

RESERVED_PREFIXES = tuple(_listed("prefixes"))
"""How names of the targets' libraries and of our own helper functions begin."""

_VECTORS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half", "bool")
VECTOR_WORDS = frozenset(f"{word}{width}" for word in _VECTORS for width in (1, 2, 3, 4, 8, 16))


_GRAPH_NAMES = frozenset(array.name for array in ir.GRAPH_ARRAYS)


@dataclass(frozen=True)
class Names:
    """The emitted names of everything in a module; `kernels` and `functions` are its legal ones."""

    module: ir.Module
    kernels: tuple[st.LegalKernel | st.LegalLoop, ...]
    functions: tuple[st.LegalFunction, ...]

    def kernel(self, name: str) -> str:
        return self._globals["kernel", name]

    def helper(self, name: str) -> str:
        """The name of a function that kernels call."""
        return self._globals["helper", name]

    def host_function(self, name: str) -> str:
        return self._globals["function", name]

    def local(self, what: ir.Variable | ir.Array | ir.HostList) -> str:
        """The name of a variable, array or list, in every kernel and function."""
        return what.name if what in ir.GRAPH_ARRAYS else self._locals[what.name]

    def is_taken(self, name: str) -> bool:
        """Whether something has this emitted name, or nothing may have it."""
        return not is_free(name) or name in self._locals.values() or name in self._globals.values()

    @cached_property
    def _globals(self) -> dict[tuple[str, str], str]:
        wanted = [
            *(("function", function.name) for function in self.module.functions),
            *(("helper", helper.name) for helper in self.module.helpers),
            *(("kernel", kernel.name) for kernel in self.module.kernels),
            *(("kernel", loop.name) for loop in visitor.loops_of(self.module)),
        ]
        chosen: dict[tuple[str, str], str] = {}
        used: set[str] = set()
        for kind, name in wanted:
            chosen[kind, name] = _free(name, used)
            used.add(chosen[kind, name])
        return chosen

    @cached_property
    def _locals(self) -> dict[str, str]:
        everything = (
            self.kernels,
            self.functions,
            tuple((kernel.arrays, kernel.scalars) for kernel in self.module.kernels),
            tuple(function.parameters for function in self.module.helpers),
            self.module.functions,
        )
        named = [part for part in visitor.walk(everything) if isinstance(part, ir.Array | ir.Variable | ir.HostList)]
        wanted = sorted({part.name for part in named if part.name not in _GRAPH_NAMES or part not in ir.GRAPH_ARRAYS})
        used = set(self._globals.values())
        kept = {name: name for name in wanted if is_free(name) and name not in used}
        used.update(wanted)
        for name in wanted:
            if name not in kept:
                kept[name] = _free(name, used)
                used.add(kept[name])
        return kept


def is_free(name: str) -> bool:
    """Whether a program may use the identifier in emitted text as it is."""
    return (
        name not in RESERVED
        and name not in VECTOR_WORDS
        and name not in _GRAPH_NAMES
        and not name.startswith(RESERVED_PREFIXES)
        and "__" not in name
        and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name, re.ASCII) is not None
    )


def _free(name: str, used: AbstractSet[str]) -> str:
    """`name` or, where that will not do, the first of `name_`, `name_2`, `name_3` … that will."""
    if is_free(name) and name not in used:
        return name
    plain = re.sub(r"_+", "_", re.sub(r"\W", "_", name, flags=re.ASCII)).strip("_")
    if not plain or f"{plain}_".startswith(RESERVED_PREFIXES) or plain[0].isdigit():
        plain = f"my_{plain}"
    number, candidate = 2, plain if plain != name else f"{plain}_"
    while not is_free(candidate) or candidate in used:
        candidate, number = f"{plain}_{number}", number + 1
    return candidate
