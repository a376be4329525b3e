"""What host operations launch, and which arrays they touch by what they launch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from starplat.ir import nodes as ir
from starplat.ir.same import Same
from starplat.ir.visitor import arrays_in, walk_host


def touched(op: ir.HostOp, module: ir.Module) -> tuple[ir.Array, ...]:
    """The arrays that an operation itself names or its kernel uses, those of its blocks left out."""
    kernel = module.kernel(op.kernel).arrays if isinstance(op, ir.Launch) else ()
    return (*arrays_in(op), *kernel)


def launched_kernels(ops: Iterable[ir.HostOp], module: ir.Module) -> Iterator[ir.Kernel]:
    """The kernels that the operations themselves launch, one for each launch."""
    return (module.kernel(op.kernel) for op in ops if isinstance(op, ir.Launch))


def launches(module: ir.Module) -> Iterator[ir.Launch]:
    """All launches, wherever they stand."""
    return (op for function in module.functions for op in walk_host(function.body) if isinstance(op, ir.Launch))


def launched_names(module: ir.Module) -> set[str]:
    """The names of the kernels that anything launches."""
    return {launch.kernel for launch in launches(module)}


def is_launched_once(kernel: str, module: ir.Module) -> bool:
    """Whether a kernel runs at one place only."""
    return _places(Same(module))[kernel] == 1


@lru_cache(maxsize=16)
def _places(same: Same) -> Counter[str]:
    """At how many places each kernel is launched; steps ask for every kernel of a module."""
    return Counter(launch.kernel for launch in launches(same.module))
