"""Identifiers of a program in emitted text."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from starplat.backends.legal_module import legal
from starplat.backends.opencl import CAPABILITIES
from starplat.backends.text.names import Names, is_free
from starplat.ir import nodes as ir
from starplat.resources import template_folder
from tests.backends.modules import module_of, number, over_nodes


def names_of(module: ir.Module) -> Names:
    return Names(module, *legal(module, CAPABILITIES))


def module_with(*locals: str) -> ir.Module:
    return module_of(over_nodes([ir.Let(ir.Variable(name, ir.Element.INT), number(0)) for name in locals], ()))


def called(*locals: str) -> list[str]:
    names = names_of(module_with(*locals))
    return [names.local(ir.Variable(name, ir.Element.INT)) for name in locals]


def test_ordinary_names_stay() -> None:
    assert called("dist", "nbr", "Modified_2") == ["dist", "nbr", "Modified_2"]


@pytest.mark.parametrize(
    "word", ["int", "kernel", "atomicMin", "template", "float4", "row_offsets", "M_PI_2", "parts", "in_parts", "gpus"]
)
def test_words_of_any_target_get_an_ending(word: str) -> None:
    assert called(word) == [f"{word}_"]


DECLARED = re.compile(r"^(?:class|struct|using|#define|__global__ void) (?!STARPLAT_|namespace)(\w+)", re.MULTILINE)


def test_what_headers_declare_gets_an_ending() -> None:
    """Programs use the headers' namespace, and their functions stand outside of it."""
    folder = template_folder("headers")
    texts = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir() if path.name.endswith(".jinja"))
    declared = set(DECLARED.findall(texts))
    assert {"Part", "OnGpu", "Least", "ON_BOTH", "do_to_cells"} <= declared
    assert not {name for name in declared if is_free(name)}


OF_KERNELS = re.compile(r"^(?:#define|struct|static __device__ [^(]*?(?=\w+\()) ?(\w+)", re.MULTILINE)


def test_what_kernels_of_the_cuda_family_have_beside_them_gets_an_ending() -> None:
    """Functions, types and macros, whose names an array or a set of a program would hide."""
    folders = [template_folder(name) for name in ("cuda", "cuda_family", "hip")]
    files = [
        path
        for folder in folders
        for path in folder.iterdir()
        if not path.name.endswith((".hpp.jinja", "kernels.jinja"))
    ]
    declared = {name for path in files for name in OF_KERNELS.findall(path.read_text(encoding="utf-8"))}
    assert {"MOST_KEPT", "NotedArcs", "advance_rows", "reach", "WARP", "no_long_rows"} <= declared
    assert not {name for name in declared - {"NAME"} if is_free(name)}, "but for a macro's parameter"


@pytest.mark.parametrize("name", ["_x", "a__b", "__", "_", "__kernel", "atomic_min", "cl_mem", "add_inf", "half"])
def test_reserved_shapes_become_free(name: str) -> None:
    (new,) = called(name)
    assert is_free(new)


def test_renaming_meets_no_other_name() -> None:
    names = called("int", "int_", "int_2", "work", "run")
    assert len(set(names)) == len(names)
    assert names[1:3] == ["int_", "int_2"]
    assert "work" not in names
    assert "run" not in names


def test_names_do_not_depend_on_order() -> None:
    assert dict(zip(("a", "int"), called("a", "int"), strict=True)) == dict(
        zip(("int", "a"), called("int", "a"), strict=True)
    )


def test_kernels_and_functions_have_different_names() -> None:
    module = module_with("x")
    same = replace(module, functions=(replace(module.functions[0], name="work"),), entry="work")
    names = names_of(same)
    assert names.kernel("work") != names.host_function("work")


def test_a_scalar_reads_the_same_everywhere() -> None:
    scalar = ir.Variable("long", ir.Element.LONG)
    module = module_of(over_nodes([ir.Let(ir.Variable("x", ir.Element.LONG), ir.Ref(scalar))], (), scalars=[scalar]))
    assert names_of(module).local(scalar) == "long_"
