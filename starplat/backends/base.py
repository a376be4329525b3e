"""The interface of a target."""

from typing import Protocol

from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.processors import Processor


class Backend(Protocol):
    """A target: its name, its capabilities, and the texts that it emits for a module."""

    @property
    def name(self) -> str:
        """The target's name on the command line."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What its kernels may rely on; of a GPU, where it runs on GPUs and CPUs."""
        ...

    def capabilities_on(self, processor: Processor) -> Capabilities | None:
        """What its kernels may rely on where such a device runs them; None if it runs on none."""
        ...

    def kernels_text(self, module: ir.Module) -> str:
        """The kernels, byte for byte as the target's compiler gets them. Raises E06xx: the target cannot do what the
        program asks."""
        ...

    def artifact(
        self, module: ir.Module, stem: str, *, library: bool = False, single_file: bool = False
    ) -> dict[str, str]:
        """A complete program, or all of a library but its header for C: the files' names, from `stem`, and their texts.

        The headers that programs share (see `layout`) are files of their own, or, with `single_file`, in the one file
        that there is. Raises E06xx: the target cannot do what the program asks.
        """
        ...
