"""Casts and shifts give on every target what the language says, for numbers at the ends of their types too."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import starplat
from starplat import DiagnosticError, Program
from tests.backends.emulated import Machine, emulated
from tests.programs.targets import Target, every_target
from tests.zoo import graph

INTS = (0, 1, -1, 2, -7, 63, 1000, -(2**31), 2**31 - 2)
LONGS = (0, 5, -5, 2**31, -(2**31) - 1, 2**40 + 3, -(2**63), 2**63 - 2, 2**32)
REALS = (0.0, -0.5, 2.75, -2.75, 1e9, -3e9, 1e30, -1e30, math.nan)
COUNTS = (0, 1, 31, 32, 33, 63, 64, -1, 2**31 - 2)
NODES = graph("numbers", len(INTS), [])


def wrapped(value: int, bits: int) -> int:
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def cut(value: float, bits: int) -> int:
    """A real as a whole number: towards zero, at the ends of the range beyond them."""
    if math.isnan(value):
        return 0
    return min(max(int(value), -(2 ** (bits - 1))), 2 ** (bits - 1) - 1)


CASES: tuple[tuple[str, str, Callable[[int, int, float, int], object]], ...] = (
    ("int", "int(r)", lambda i, w, r, c: cut(r, 32)),
    ("int", "int(r * 2.0) / 3 * 3", lambda i, w, r, c: wrapped(int(cut(r * 2, 32) / 3) * 3, 32)),
    ("int", "int(l)", lambda i, w, r, c: wrapped(w, 32)),
    ("long", "long(int(l))", lambda i, w, r, c: wrapped(w, 32)),
    ("long", "long(r)", lambda i, w, r, c: cut(r, 64)),
    ("long", "long(i) * 4", lambda i, w, r, c: i * 4),
    ("float", "float(i) / 3.0", lambda i, w, r, c: np.float32(i) / np.float32(3)),
    ("double", "double(i) / 3", lambda i, w, r, c: i / 3),
    ("double", "double(float(i))", lambda i, w, r, c: float(np.float32(i))),
    ("double", "double(single) * 0.1", lambda i, w, r, c: float(np.float32(i)) * 0.1),
    ("double", "double(i < 0) + int(i < 0)", lambda i, w, r, c: 2.0 * (i < 0)),
    ("double", "single * double(0.1)", lambda i, w, r, c: float(np.float32(i)) * 0.1),
    ("int", "i << c", lambda i, w, r, c: wrapped(i << c % 32, 32)),
    ("int", "i >> c", lambda i, w, r, c: i >> c % 32),
    ("long", "l << c", lambda i, w, r, c: wrapped(w << c % 64, 64)),
    ("long", "l >> c", lambda i, w, r, c: w >> c % 64),
    ("int", "i << (l + c)", lambda i, w, r, c: wrapped(i << (w + c) % 32, 32)),
    ("long", "long(i) << 33", lambda i, w, r, c: wrapped(i << 33, 64)),
    ("int", "1 << c & 12 | i >> 40", lambda i, w, r, c: wrapped(1 << c % 32, 32) & 12 | i >> 8),
    ("int", "i + 1 >> 2 << 1", lambda i, w, r, c: i + 1 >> 2 << 1),
)


@cache
def program() -> Program:
    results = ", ".join(f"propNode<{kind}> x{number}" for number, (kind, _, _) in enumerate(CASES))
    lines = "\n".join(f"    v.x{number} = {text};" for number, (_, text, _) in enumerate(CASES))
    return starplat.compile(f"""
function f(Graph g, propNode<int> is, propNode<long> ls, propNode<double> rs, propNode<int> cs, {results}) {{
  forall (v in g.nodes()) {{
    int i = v.is;
    long l = v.ls;
    double r = v.rs;
    int c = v.cs;
    float single = i;
{lines}
  }}
}}
""")


def check(run: Callable[[dict[str, object]], object]) -> None:
    kinds = (np.int32, np.int64, np.float64, np.int32)
    given = zip(("is", "ls", "rs", "cs"), (INTS, LONGS, REALS, COUNTS), kinds, strict=True)
    result = run({name: np.array(cells, kind) for name, cells, kind in given})
    for number, (kind, text, meaning) in enumerate(CASES):
        wanted = [meaning(*given) for given in zip(INTS, LONGS, REALS, COUNTS, strict=True)]
        found = result[f"x{number}"]  # type: ignore[index]
        assert found.dtype == {"int": np.int32, "long": np.int64, "float": np.float32, "double": np.float64}[kind]
        np.testing.assert_allclose(found, wanted, rtol=1e-6 if kind == "float" else 1e-15, err_msg=text)


@every_target
def test_they_give_what_the_language_says(target: Target) -> None:
    check(lambda given: target.run(program(), NODES, given))


def test_they_do_in_emulated_cuda() -> None:
    with emulated(Machine(seed=1)):
        check(lambda given: program().run(NODES, target="cuda", arguments=given))


def test_a_checked_run_takes_no_cast_and_no_shift_for_an_overflow() -> None:
    text = """
function f(Graph g, long l, int i) {
  return int(l) + (i << 31) + (int(l >> 4) >> 60);
}
"""
    result = starplat.compile(text).run(NODES, target="reference", checked=True, l=2**32 + 5, i=3)
    assert result.returned == wrapped(5 + (3 << 31), 32) + ((2**28) >> 28)


def test_casts_are_silent_and_no_stage_looks_through_them() -> None:
    found = starplat.compile("""
function f(Graph g, propNode<double> x, long l) {
  double y = 2.5;
  y = int(y) + 0.5;
  int k = int(l) + int(l < 3);
  forall (v in g.nodes()) {
    x[v] = int(v.x) + k;
  }
  return y;
}
""")
    assert not found.warnings
    assert found.run(NODES, target="reference", x=np.full(len(INTS), 1.75), l=7)["x"].tolist() == [8.0] * len(INTS)
    assert found.run(NODES, target="reference", l=7).returned == 2.5


@pytest.mark.parametrize(
    ("text", "code"),
    [("int(3000000000)", "E0304"), ("float(1e300)", "E0304"), ("1.5 << 2", "E0303"), ("1 >> True", "E0303"),
     ("int(g)", "E0308"), ("v.x >> 1", "E0303")],
)  # fmt: skip
def test_what_has_no_meaning_is_said(text: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        starplat.compile(f"function f(Graph g, propNode<float> x) {{ forall (v in g.nodes()) {{ v.x = {text}; }} }}")
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_two_types_may_still_close_together() -> None:
    found = starplat.compile("function f(Graph g, list<list<int>> q, int k) { k >>= 1; return k >> 1; }")
    assert [w.code for w in found.warnings] == ["W0203"]
