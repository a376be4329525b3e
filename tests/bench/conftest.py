"""A program, graphs, and steps of scheduling whose effects everybody can see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import starplat as package
from starplat.backends import scheduled as for_targets
from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.schedule import Schedule, apply
from starplat.schedule.schedule import Balance, Delta, Direction, Loop
from starplat.schedule.step import Step
from tests.cli.conftest import Outcome, starplat

__all__ = ["starplat"]

TEXT = "function f(Graph g, propNode<int> out, int k) { g.attachNodeProperty(out = 7); }"


@pytest.fixture
def command(starplat: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """As the command line's own tests call `starplat`, which here is the package."""
    return starplat


@pytest.fixture
def program() -> package.Program:
    return package.compile(TEXT)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The program and a small graph."""
    program, graph = tmp_path / "p.sp", tmp_path / "g.wel"
    program.write_text(TEXT, encoding="utf-8")
    graph.write_text("0 1 4\n0 2 8\n", encoding="utf-8")
    return program, graph


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """`direction=pull` fills twice, `priority=delta(n)` writes n first, `loop=device` writes what is wrong, and
    `balance=edge` is refused."""
    monkeypatch.setattr(apply, "STEPS", (Step("test", "a step", "the only one", rewritten),))
    monkeypatch.setattr(for_targets, "_KNOWN", {})


def rewritten(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module:
    if schedule.balance is Balance.EDGE:
        raise DiagnosticError(Diagnostic("E0604", "arcs cannot be shared out here"))
    if schedule.direction is Direction.PULL:
        module = filling(module, lambda fill: (fill, fill))
    if isinstance(schedule.priority, Delta):
        number = ir.Const(round(schedule.priority.width), ir.Element.INT)
        module = filling(module, lambda fill: (replace(fill, value=number), fill))
    if schedule.loop is Loop.DEVICE:
        module = filling(module, lambda fill: (replace(fill, value=ir.Const(3, ir.Element.INT)),))
    return module


def filling(module: ir.Module, fills: Callable[[ir.Fill], tuple[ir.HostOp, ...]]) -> ir.Module:
    """The module with other operations in place of its fills."""

    def block(ops: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
        return tuple(
            new
            for op in ops
            for new in (
                fills(op)
                if isinstance(op, ir.Fill)
                else (replace(op, body=block(op.body)),)
                if isinstance(op, ir.HostBlock)
                else (op,)
            )
        )

    (function,) = module.functions
    return replace(module, functions=(replace(function, body=block(function.body)),))
