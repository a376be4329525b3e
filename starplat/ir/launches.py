"""What host operations launch, and which arrays they touch by what they launch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from starplat.ir.nodes import Array, HostOp, Kernel, Launch, Module
from starplat.ir.visitor import arrays_in, walk_host


def touched(op: HostOp, module: Module) -> tuple[Array, ...]:
    """The arrays that an operation itself names or its kernel uses, those of its blocks left out."""
    kernel = module.kernel(op.kernel).arrays if isinstance(op, Launch) else ()
    return (*arrays_in(op), *kernel)


def launched_kernels(ops: Iterable[HostOp], module: Module) -> Iterator[Kernel]:
    """The kernels that the operations themselves launch, one for each launch."""
    return (module.kernel(op.kernel) for op in ops if isinstance(op, Launch))


def launches(module: Module) -> Iterator[Launch]:
    """All launches, wherever they stand."""
    return (op for function in module.functions for op in walk_host(function.body) if isinstance(op, Launch))


def launched_names(module: Module) -> set[str]:
    """The names of the kernels that anything launches."""
    return {launch.kernel for launch in launches(module)}


def is_launched_once(kernel: str, module: Module) -> bool:
    """Whether a kernel runs at one place only."""
    return sum(launch.kernel == kernel for launch in launches(module)) == 1
