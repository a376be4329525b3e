"""Says a kernel's operations with what a target can do.

Takes the kernels and functions of a module and the target's capabilities, returns statements in which every decision is
taken. Knows what targets can do, not what they are called or how they spell it.
"""

from __future__ import annotations

from dataclasses import replace

from starplat.backends.legal.contributions import Contributions, Together, result_word
from starplat.backends.legal.domains import in_pieces, over_domain
from starplat.backends.legal.operations import Operations
from starplat.backends.statements import (
    Alone,
    Body,
    Count,
    For,
    If,
    Leave,
    LegalFunction,
    LegalKernel,
    SharedLoop,
    Stride,
    TeamLoop,
    While,
)
from starplat.backends.unread import without_unread
from starplat.backends.uses import walk
from starplat.ir.capabilities import Capabilities
from starplat.ir.listed import listed_length
from starplat.ir.nodes import (
    CallFunction,
    Const,
    Element,
    Function,
    Kernel,
    Listed,
    Load,
    Module,
    Once,
    Unary,
    UnaryOperator,
    Workers,
)


def legal_kernel(kernel: Kernel, module: Module, capabilities: Capabilities) -> LegalKernel:
    """The kernel as statements: its loop over the domain, and the end of its reductions."""
    operations = Operations(kernel, module, capabilities)
    contributions = operations.contributions
    scalars = {scalar.name for scalar in kernel.scalars}
    results = tuple(result_word(reduction, scalars, operations.locals) for reduction in kernel.reductions)
    body = over_domain(kernel, operations)
    if kernel.in_pieces:
        body = in_pieces(operations, body)
    if capabilities.structured_loops:
        body, ends = _shared_out(kernel, contributions, body), contributions.handed_over(results)
    else:
        ends = contributions.ends(results, _together(kernel))
    body = (*_guarded(kernel, capabilities), *contributions.declared(), *body, *ends)
    return LegalKernel(kernel, results, without_unread(body))


def _guarded(kernel: Kernel, capabilities: Capabilities) -> Body:
    """All threads leave at once where the guard says so."""
    if kernel.guard is None:
        return ()
    assert capabilities.batches, "kernels have guards only where the host asks for rounds ahead"
    return (If(Unary(UnaryOperator.NOT, Load(kernel.guard, Const(0, Element.INT))), (Leave(),)),)


def _together(kernel: Kernel) -> Together:
    """Who hands on what threads contribute."""
    if isinstance(kernel.domain, Once):
        return Together.ALONE
    return Together.APART if kernel.works_apart else Together.IN_GROUPS


def legal_function(function: Function, module: Module, capabilities: Capabilities) -> LegalFunction:
    """The function as statements."""
    body = Operations(function, module, capabilities).block(function.body)
    return LegalFunction(function, without_unread(body))


def _shared_out(kernel: Kernel, contributions: Contributions, body: Body) -> Body:
    """The kernel's loop as the target shares it out, or its block for one thread."""
    if isinstance(kernel.domain, Once):
        return (Alone(body, tuple(contributions.parts.values()), kernel.arrays),)
    (loop,) = body
    assert isinstance(loop, Count)
    reductions = tuple(map(contributions.contributed, contributions.parts))
    uneven = any(isinstance(part, Count | While | For | CallFunction) for part in walk(loop.body))
    length = listed_length(kernel.domain) if isinstance(kernel.domain, Listed) else None
    by_teams = any(isinstance(part, TeamLoop) for part in walk(loop.body))
    loop = replace(loop, stride=Stride.ONE)
    return (SharedLoop(loop, reductions, kernel.arrays, uneven, length, by_teams, isinstance(kernel.domain, Workers)),)
