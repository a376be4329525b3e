"""Kernels built from emitted text: the words that their reductions end in, and the arguments of a launch.

What every target with device pointers does alike: a reduction's word starts at the identity, and comes down after the
launch; arguments stand in the order that `backends.launch` says. A target adds how a kernel is found and started.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from starplat.backends import BACKENDS
from starplat.backends.launch import RECORDS, ArgumentKind, KernelArgument, kernel_parameters
from starplat.ir.arithmetic import identity
from starplat.ir.nodes import Element, Kernel, Module, Reduction
from starplat.ir.visitor import launched_alone
from starplat.runtime.buffers import Buffer
from starplat.runtime.device import Device, Kernels, LaunchSize
from starplat.runtime.elements import Value, as_value, clipped, dtype_of


@dataclass(frozen=True, slots=True)
class Word:
    """The cell that a reduction ends in; `start` is its identity."""

    name: str
    element: Element
    start: Any
    buffer: Buffer


@dataclass(frozen=True, slots=True)
class Loaded:
    """A kernel as the target found it, what it takes, and its words, which it keeps."""

    entry: Any
    arguments: tuple[KernelArgument, ...]
    words: Mapping[str, Word]


class WordKernels(Kernels):
    """The kernels of one module; a target says how one is found by its emitted name (`entry`) and started (`start`)."""

    def __init__(self, device: Device, module: Module, wide_arcs: bool, *, cached: bool) -> None:
        super().__init__(device, module, wide_arcs, cached=cached)
        self._loaded = {kernel.name: self._load(kernel) for kernel in launched_alone(module)}

    @abstractmethod
    def entry(self, name: str) -> Any:
        """The built kernel of that name."""

    @abstractmethod
    def start(self, entry: Any, kernel: Kernel, size: LaunchSize, arguments: list[Any]) -> None:
        """Launches a kernel."""

    @abstractmethod
    def memory(self, buffer: Buffer) -> Any:
        """What a kernel gets for a buffer."""

    def _load(self, kernel: Kernel) -> Loaded:
        name = BACKENDS[self.device.target].kernel_name(self.module, kernel)
        words = {r.variable.name: self._word(r) for r in kernel.brought_back}
        return Loaded(self.entry(name), kernel_parameters(self.module, kernel), words)

    def _word(self, reduction: Reduction) -> Word:
        element = reduction.variable.element
        dtype = np.dtype(np.int32) if element is Element.BOOL else dtype_of(element, wide_arcs=self.wide_arcs)
        start = clipped(identity(reduction.combine, element).value, dtype)
        return Word(reduction.variable.name, element, start, self.device.allocate(dtype, 1))

    def _launch(
        self, kernel: Kernel, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        loaded = self._loaded[kernel.name]
        for word in loaded.words.values():
            self.device.fill(word.buffer, word.start)
        arguments = [self._given(argument, arrays, scalars, size, loaded) for argument in loaded.arguments]
        self.start(loaded.entry, kernel, size, arguments)
        return {name: as_value(self.device.read_word(word.buffer), word.element) for name, word in loaded.words.items()}

    def _given(
        self,
        argument: KernelArgument,
        arrays: Mapping[str, Buffer],
        scalars: Mapping[str, Value],
        size: LaunchSize,
        loaded: Loaded,
    ) -> Any:
        if argument.kind is ArgumentKind.REDUCTION:
            assert argument.variable is not None
            if argument.array is not None:
                return self.memory(arrays[argument.array.name])
            return self.memory(loaded.words[argument.variable.name].buffer)
        return self.given(argument, arrays, scalars, size)

    def given(
        self, argument: KernelArgument, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> Any:
        """What a kernel gets for a parameter that is no word."""
        match argument.kind:
            case ArgumentKind.NUM_NODES:
                return np.int32(size.num_nodes)
            case ArgumentKind.NUM_ARCS:
                return dtype_of(Element.ARC, wide_arcs=self.wide_arcs).type(size.num_arcs)
            case ArgumentKind.ARRAY:
                assert argument.array is not None
                return self.memory(arrays[argument.array.name])
            case ArgumentKind.SCALAR:
                assert argument.variable is not None
                return self._scalar(argument.variable.element, scalars[argument.variable.name])
            case ArgumentKind.RECORDS:
                return self.memory(arrays[RECORDS])
            case _:
                raise AssertionError(f"{argument.kind} is a word")

    def _scalar(self, element: Element, value: Value) -> Any:
        return (
            np.uint8(value) if element is Element.BOOL else clipped(value, dtype_of(element, wide_arcs=self.wide_arcs))
        )
