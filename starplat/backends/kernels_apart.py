"""A target whose kernels lie in a file of their own, which the program beside it has compiled where it runs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from starplat.backends.files import layout, placed
from starplat.backends.files.artifact import artifact_pieces, kernel_pieces
from starplat.backends.files.headers import Header, headers_of_placement
from starplat.backends.files.render import render
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.processors import Processor


def capabilities(atomics: Iterable[tuple[ir.Combine, ir.Element]]) -> tuple[Capabilities, Capabilities]:
    """What kernels may rely on on a GPU, and on a CPU, where the work-items of small groups take turns on a core."""
    on_gpus = Capabilities(
        atomics=frozenset(atomics),
        swap_bits=frozenset({32, 64}),
        group_loops=True,
        group_rows=True,
        quick_groups=True,
        batches=True,
        late_words=True,
        mapped_memory=True,
    )
    return on_gpus, replace(on_gpus, quick_groups=False, lockstep=False, late_words=False, rows_with_room=True)


@dataclass(frozen=True)
class KernelsApart:
    """A `Backend` of that kind.

    Attributes:
        language: what comments call it, with its version.
        ending: that of the file of kernels, behind the stem.
        capabilities, on_cpus: what kernels may rely on on a GPU, and on a CPU.
        text: the kernels, without what is in a header if one is given. `-DARC_64` makes arc numbers 64 bits wide.
        headers: the header that programs share, and the one that files of kernels do.
    """

    name: str
    language: str
    ending: str
    capabilities: Capabilities
    on_cpus: Capabilities
    text: Callable[[ir.Module, Header | None], str]
    headers: Callable[[], tuple[Header, Header]]

    def capabilities_on(self, processor: Processor) -> Capabilities:
        """What its kernels may rely on there."""
        return self.capabilities if processor is Processor.GPU else self.on_cpus

    def kernels_text(self, module: ir.Module) -> str:
        """The kernels with all that they need, as a runner builds them."""
        return self.text(module, None)

    def artifact(
        self, module: ir.Module, stem: str, *, library: bool = False, single_file: bool = False
    ) -> dict[str, str]:
        """`<stem>.cpp`, and the kernels over their header; one file has `kernels_text` as a literal."""
        module = placed.as_emitted(module, library=library)
        mapped = headers_of_placement(module, self.name, self.language)
        of_host, of_kernels = self.headers()
        name, kernels = f"{stem}{self.ending}", self.text(module, None if single_file else of_kernels)
        pieces = artifact_pieces(module, stem, self.capabilities, library=library, headers=(of_host, *mapped))
        pieces |= kernel_pieces(name, kernels, single_file=single_file)
        program = {f"{stem}.cpp": render(f"{self.name}/host.cpp.jinja", **pieces)}
        files = program if single_file else {name: kernels, **program}
        return layout.laid_out(files, (of_host, of_kernels, *mapped), single_file=single_file)
