"""A kernel over listed words goes over their nodes, and over no number beyond the last node; one over numbers over each
below its count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.printing.modules import print_module
from starplat.ir.printing.proceeding import proceeding
from starplat.ir.verifying.modules import InvalidModule, verify
from starplat.ir.visitor import with_signature
from starplat.runtime import bind, run_module
from tests.backends.emulated import Machine, emulated
from tests.ir.building import binary
from tests.ir.test_listed import SEEN, TOTAL, ZERO, N, V, kernel, module_for, number, ran
from tests.programs.targets import REFERENCE, Target, every_target

WORDS = ir.Array("words", ir.Element.NODE, ir.Extent.BITS, ir.Origin.TEMPORARY)
PLACE, COUNT = ir.Variable("i", ir.Element.INT), ir.Variable("number_of_words", ir.Element.INT)


def over_numbers(name: str, count: ir.Expression, *body: ir.KernelOp) -> ir.Kernel:
    return with_signature(ir.Kernel(name, ir.Numbers(count), PLACE, body))


def module_with(count: int, walked: ir.Kernel, first: ir.Expression | None = None) -> ir.Module:
    """Every third word is listed, from above; then `walked` is launched."""
    last = binary("/", ir.NumNodes(), number(32))
    third = binary("-", last, binary("*", ir.Ref(PLACE), number(3)))
    node = ir.Cast(binary("*", third, number(32)), ir.Element.NODE) if first is None else first
    notes = over_numbers("note", ir.Ref(COUNT), ir.Store(WORDS, ir.Ref(PLACE), node))
    whole = module_for(kernels=())
    main = whole.functions[0]
    body = (*main.body, ir.DeclareVariable(COUNT, number(count)), ir.Fill(WORDS, ir.Const(0, ir.Element.NODE)))
    body += (ir.Launch("note"), ir.Launch("walk"))
    made = ir.HostFunction("run", (ir.Parameter(SEEN), ir.Parameter(TOTAL)), (WORDS,), None, body)
    module = replace(whole, functions=(made,), kernels=(notes, walked))
    verify(module)
    return module


def seeing() -> ir.Kernel:
    """Notes in every node how often it is walked."""
    once = binary("+", ir.Load(SEEN, ir.Ref(V)), number(1))
    return kernel("walk", ir.InWords(WORDS, ir.Ref(COUNT)), ir.Store(SEEN, ir.Ref(V), once))


def nodes_of(words: Iterable[int]) -> list[int]:
    return [node for word in words for node in range(32 * word, min(32 * word + 32, N))]


@every_target
@pytest.mark.parametrize("count", [0, 1, 2, 10])
def test_the_nodes_of_the_words_are_walked(count: int, target: Target) -> None:
    """The first of the words has fewer nodes than bits."""
    seen, _ = ran(module_with(count, seeing()), target)
    expected = np.isin(np.arange(N), nodes_of(N // 32 - 3 * i for i in range(count)))
    np.testing.assert_array_equal(seen, expected.astype(np.int64))


def test_the_emulated_device_walks_words() -> None:
    with emulated(Machine()):
        seen, _ = ran(module_with(2, seeing()), Target("emulated", "cuda"))
    assert int(seen.sum()) == len(nodes_of([N // 32, N // 32 - 3]))


def test_it_reads_well() -> None:
    module = module_with(2, seeing())
    assert "a work-item for every bit of the words that are listed in words" in proceeding(module)
    assert "a work-item for every number below a limit" in proceeding(module)
    assert "for v in words words[0 .. number_of_words]" in print_module(module)
    text = BACKENDS["cuda"].kernels_text(module)
    assert "const int v = words[place / 32] + place % 32;" in text
    assert "if (v >= num_nodes) continue;" in text
    artifact = "".join(BACKENDS["cuda"].artifact(module, "run").values())
    assert "walk<<<device.blocks(number_of_words << 5), 256>>>" in artifact
    assert "note<<<device.blocks(number_of_words), 256>>>" in artifact


def test_a_graph_without_nodes_has_no_words_to_walk() -> None:
    module, graph = module_with(0, seeing()), Graph.from_arcs(0, [], [])
    result = run_module(module, graph, target="reference", arguments=bind(module, graph, {}))
    assert len(result["seen"]) == 0


def test_words_that_are_none_are_found_out() -> None:
    module = module_with(1, seeing(), first=ir.Cast(number(-32), ir.Element.NODE))
    with pytest.raises(DiagnosticError) as caught:
        ran(module, REFERENCE)
    assert caught.value.diagnostics[0].code == "E0704"


@pytest.mark.parametrize(
    ("domain", "reason"),
    [
        (ir.InWords(SEEN, number(1)), "lists no words"),
        (ir.InWords(WORDS, ir.Load(SEEN, ZERO)), "is not known"),
        (ir.InWords(WORDS, ir.Ref(ir.Variable("w", ir.Element.FLOAT))), "walk"),
    ],
)
def test_words_that_make_no_sense_are_refused(domain: ir.InWords, reason: str) -> None:
    with pytest.raises(InvalidModule, match=reason):
        module_for(kernels=(kernel("walk", domain),))


def test_a_kernel_does_not_change_the_words_that_it_goes_over() -> None:
    change = ir.Store(WORDS, ZERO, ir.Const(0, ir.Element.NODE))
    with pytest.raises(InvalidModule, match="which it goes over"):
        module_for(kernels=(kernel("walk", ir.InWords(WORDS, number(1)), change),))
