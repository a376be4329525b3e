"""Launch arguments of kernels built from emitted text, and the words of their reductions.

Shared by targets with device pointers: a reduction's word starts at the identity, is read back after the launch, and
then made the identity again, ahead of the next one; arguments stand in the order of `backends.launch`. A target adds
how a kernel is found and started.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, assert_never

import numpy as np

from starplat.backends.launch import PEERS, RECORDS, ArgumentKind, KernelArgument, kernel_parameters
from starplat.backends.text.names import Names
from starplat.ir import nodes as ir, visitor
from starplat.ir.python.arithmetic import identity
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device, Kernels, LaunchSize
from starplat.runtime.elements import Value, as_value, clipped, dtype_of


@dataclass(frozen=True, slots=True)
class Word:
    """The cell that a reduction ends in; `start` is its identity."""

    name: str
    element: ir.Element
    start: Any
    buffer: Buffer


Given = Callable[[Mapping[str, Buffer], Mapping[str, Value], LaunchSize], Any]
"""The argument for one parameter of a kernel, by the arrays, scalars and sizes of a launch."""


NO_WORDS: Mapping[str, Word] = {}
NO_PIECES: Mapping[int, Given] = {}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A kernel as the target found it, what it takes, and its words, which it keeps."""

    entry: Any
    arguments: tuple[Given, ...]
    words: Mapping[str, Word]


class WordKernels(Kernels):
    """The kernels of one module; a target says how one is found by its emitted name (`entry`) and started (`start`).

    What stands behind each parameter is looked up once: rounds of few nodes take no longer than to launch them.
    """

    def __init__(self, device: Device, module: ir.Module, wide_arcs: bool, *, cached: bool) -> None:
        super().__init__(device, module, wide_arcs, cached=cached)
        self._renewed = set[str]()  # kernels that can begin at once, without fills of words that they wait for
        self._loaded = {kernel.name: self._load(kernel) for kernel in visitor.launched_alone(module)}

    @abstractmethod
    def entry(self, name: str, parameters: tuple[KernelArgument, ...]) -> Any:
        """The built kernel of that name, which takes these."""

    @abstractmethod
    def start(self, entry: Any, kernel: ir.Kernel, size: LaunchSize, arguments: list[Any]) -> None:
        """Launches a kernel."""

    @abstractmethod
    def memory(self, buffer: Buffer) -> Any:
        """What a kernel gets for a buffer."""

    def _load(self, kernel: ir.Kernel) -> Loaded:
        name = Names(self.module, (), ()).kernel(kernel.name)
        parameters = kernel_parameters(self.module, kernel)
        words = {r.variable.name: self._word(r) for r in kernel.brought_back}
        return Loaded(self.entry(name, parameters), self.all_given(parameters, words), words)

    def _word(self, reduction: ir.Reduction) -> Word:
        element = reduction.variable.element
        dtype = np.dtype(np.int32) if element is ir.Element.BOOL else dtype_of(element, wide_arcs=self.wide_arcs)
        start = clipped(identity(reduction.combine, element).value, dtype)
        return Word(reduction.variable.name, element, start, self.allocate_word(dtype))

    def allocate_word(self, dtype: np.dtype[Any]) -> Buffer:
        """Where a reduction ends: on the device."""
        return self.device.allocate_word(dtype)

    def _launch(
        self, kernel: ir.Kernel, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        loaded = self._loaded[kernel.name]
        renewals = [(word, partial(self.device.fill, word.buffer, word.start)) for word in loaded.words.values()]
        if kernel.name not in self._renewed:
            for _, renew in renewals:
                renew()
        self._renewed.discard(kernel.name)
        self.start(loaded.entry, kernel, size, [given(arrays, scalars, size) for given in loaded.arguments])
        taken = {word: self.device.take_words(word.buffer, renew)[0] for word, renew in renewals}
        self._renewed.add(kernel.name)
        return {word.name: as_value(found, word.element) for word, found in taken.items()}

    def all_given(
        self,
        parameters: tuple[KernelArgument, ...],
        words: Mapping[str, Word] = NO_WORDS,
        pieces: Mapping[int, Given] = NO_PIECES,
    ) -> tuple[Given, ...]:
        """The arguments of a kernel that has these words, or pieces of a control block by their number."""
        return tuple(
            pieces[number] if number in pieces else self._given(parameter, words)
            for number, parameter in enumerate(parameters)
        )

    def _given(self, parameter: KernelArgument, words: Mapping[str, Word]) -> Given:
        match parameter.kind:
            case ArgumentKind.NUM_NODES:
                nodes = self.number(ir.Element.NODE)
                return lambda arrays, scalars, size: nodes(size.num_nodes)
            case ArgumentKind.NUM_ARCS:
                arcs = self.number(ir.Element.ARC)
                return lambda arrays, scalars, size: arcs(size.num_arcs)
            case ArgumentKind.SCALAR:
                assert parameter.variable is not None
                return self._scalar(parameter.variable)
            case ArgumentKind.RECORDS:
                return self._memory_of(RECORDS)
            case ArgumentKind.PEERS:
                return self._memory_of(PEERS)
            case ArgumentKind.ARRAY:
                assert parameter.array is not None
                return self._memory_of(parameter.array.name)
            case ArgumentKind.REDUCTION if parameter.array is not None:
                return self._memory_of(parameter.array.name)
            case ArgumentKind.REDUCTION | ArgumentKind.OUTCOME:
                assert parameter.variable is not None
                return always(self.memory(words[parameter.variable.name].buffer))
            case ArgumentKind.FOUND | ArgumentKind.BARRIER:
                raise AssertionError(f"{parameter.kind} is a place on a board")
            case _:
                assert_never(parameter.kind)

    def _memory_of(self, name: str) -> Given:
        memory = self.memory
        return lambda arrays, scalars, size: memory(arrays[name])

    def _scalar(self, variable: ir.Variable) -> Given:
        name, as_number = variable.name, self.number(variable.element)
        if variable.element is not ir.Element.ARC:
            return lambda arrays, scalars, size: as_number(scalars[name])
        arc = dtype_of(ir.Element.ARC, wide_arcs=self.wide_arcs)  # INF of a wide one is INF of a narrow one
        return lambda arrays, scalars, size: as_number(clipped(scalars[name], arc).item())

    def number(self, element: ir.Element) -> Callable[[Any], Any]:
        """The conversion of a host value to the kernel's scalar of that element."""
        return self.number_type(element).type

    def scalar_type(self, parameter: KernelArgument) -> np.dtype[Any] | None:
        """The type of a parameter, None where that is memory."""
        match parameter.kind:
            case ArgumentKind.NUM_NODES:
                return self.number_type(ir.Element.NODE)
            case ArgumentKind.NUM_ARCS:
                return self.number_type(ir.Element.ARC)
            case ArgumentKind.SCALAR:
                assert parameter.variable is not None
                return self.number_type(parameter.variable.element)
            case _:
                return None

    def number_type(self, element: ir.Element) -> np.dtype[Any]:
        """The type of a scalar among a kernel's parameters."""
        return np.dtype(np.uint8) if element is ir.Element.BOOL else dtype_of(element, wide_arcs=self.wide_arcs)


def always(what: Any) -> Given:
    """The same at every launch."""
    return lambda arrays, scalars, size: what
