"""The Python API: `starplat.compile`, `starplat.read`, `Program.run`, `Result`."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import starplat

ROOT = Path(__file__).resolve().parent.parent
SSSP = ROOT / "examples" / "sssp.sp"
CHAIN = sparse.coo_array((np.array([5, 6, 7]), ([0, 1, 2], [1, 2, 3])), (4, 4))


def test_a_program_is_a_path_or_a_text() -> None:
    assert starplat.compile(SSSP).name == "sssp"
    assert starplat.compile(str(SSSP)).functions == ("sssp",)
    assert starplat.compile(SSSP.read_text(encoding="utf-8")).name == "program"


def test_a_run_gives_arrays_and_what_was_returned() -> None:
    result = starplat.compile(SSSP).run(CHAIN, src=1, target="reference")
    assert isinstance(result["dist"], np.ndarray)
    assert result["dist"].tolist() == [2**31 - 1, 0, 6, 13]
    assert result.returned is None
    assert (result.target, result.program) == ("reference", "sssp")


def test_results_chooses_what_comes_back() -> None:
    result = starplat.compile(SSSP).run(CHAIN, src=0, target="reference", results=["dist"])
    assert list(result.properties) == ["dist"]
    with pytest.raises(starplat.DiagnosticError, match="E0710"):
        result["weight"]


def test_parameters_may_be_called_as_options_are() -> None:
    program = starplat.compile("function f(Graph g, node target, int repeat) { return target + repeat; }")
    arguments = {"target": 2, "repeat": 40}
    assert program.run(CHAIN, target="reference", arguments=arguments).returned == 42


def test_the_function_to_run_can_be_named() -> None:
    program = starplat.compile("function a(Graph g) { return 1; }\nfunction b(Graph g) { return 2; }\n")
    assert program.run(CHAIN, function="b", target="reference").returned == 2
    with pytest.raises(starplat.DiagnosticError, match="E0654"):
        program.run(CHAIN, target="reference")


def test_modules_are_lowered_once_for_every_entry() -> None:
    program = starplat.compile(SSSP)
    assert program.module() is program.module()


def test_auto_says_what_it_chose() -> None:
    assert starplat.compile(SSSP).run(CHAIN, src=0).target in {"reference", "opencl", "cuda", "sycl", "openacc"}


def test_validate_compares_with_the_interpreter() -> None:
    program = starplat.compile(SSSP)
    assert program.run(CHAIN, src=0, target="reference", validate=True).validated is True
    assert program.run(CHAIN, src=0, target="reference").validated is None


def test_a_program_with_a_race_is_not_compared_and_strict_refuses_it() -> None:
    text = (
        "function f(Graph g, propNode<int> p) { forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.p = v; } } }"
    )
    program = starplat.compile(text)
    assert [warning.code for warning in program.warnings] == ["W0501"]
    assert program.run(CHAIN, target="reference", validate=True).validated is None
    with pytest.raises(starplat.DiagnosticError, match="W0501"):
        starplat.compile(text, strict=True)


def test_an_error_reads_as_on_the_command_line() -> None:
    with pytest.raises(starplat.DiagnosticError) as caught:
        starplat.compile("function f(Graph g) {\n  int x = y;\n}\n")
    assert str(caught.value).startswith("error[")
    assert "program.sp:2:11" in str(caught.value)


def test_importing_starplat_costs_nothing() -> None:
    code = "import sys, starplat; print(sorted({'numpy', 'lark', 'rich', 'typer', 'scipy'} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_public_names_are_there() -> None:
    for name in starplat.__all__:
        assert getattr(starplat, name)
    assert set(starplat.__all__) <= set(dir(starplat))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        starplat.nothing  # noqa: B018


def test_a_program_says_in_a_line_what_it_is() -> None:
    program = starplat.compile("function one(Graph g) { }\nfunction two(Graph g) { }\n")
    assert repr(program) == "<Program program: one, two>"


def test_an_int_that_stands_for_a_node_is_told_where_the_input_calls_that_node_otherwise() -> None:
    text = """function marked(Graph g, int a, propNode<bool> p) { a.p = True; }
    function f(Graph g, propNode<bool> p, int src, int other, long last, int k, node start) {
        p[src] = k > 1;
        marked(g, other, p);
        for (w in g.neighbors(last)) { w.p = start == w; }
    }"""
    program = starplat.compile(text)
    given = {"src": 0, "other": 1, "last": 2, "k": 1}
    with pytest.warns(starplat.StarplatWarning) as said:
        program([("Ann", "Bob"), ("Bob", "Cid")], target="reference", start="Cid", **given)
    assert [str(warning.message).split(";")[0] for warning in said] == [
        f"'{name}' is a number that the program takes for a node: {number} is the node that graph calls '{called}'"
        for name, number, called in (("src", 0, "Ann"), ("other", 1, "Bob"), ("last", 2, "Cid"))
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program(CHAIN, target="reference", start=3, **given)


def test_a_misspelt_option_is_told_from_a_parameter() -> None:
    with pytest.raises(starplat.DiagnosticError, match=r"no parameter 'targe'\n= help: did you mean 'target'\?"):
        starplat.compile(SSSP).run(CHAIN, src=0, targe="reference")


def test_a_graph_says_in_a_line_what_it_is() -> None:
    assert repr(starplat.Graph.from_arcs(3, [0, 1], [1, 2])).startswith("<Graph graph: ")


def test_a_record_of_options_has_all_of_them() -> None:
    from starplat.program_runs import OPTIONS

    parameters = inspect.signature(starplat.Program.run).parameters.values()
    assert tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY) == OPTIONS
