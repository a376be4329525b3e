"""Emitted programs define nothing that nothing in them uses, and their comments name nothing that is not there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import starplat
from starplat.backends.files.definitions import definitions, unused, used
from tests.programs.targets import FULL

EXAMPLES = Path(__file__).parents[2] / "examples"
GENERATED = Path(__file__).parents[2] / "generated"
PROGRAMS = sorted(p for p in GENERATED.glob("*/*") if p.suffix != ".wgsl" and not p.name.startswith("starplat_"))
ASKED_FOR_BY_OTHERS = {"main", "CL_TARGET_OPENCL_VERSION", "SYCL_DISABLE_FSYCL_SYCLHPP_WARNING"}
"""What the system or a system's header looks for."""

TEXT = """
#define FEW 3  // of something
#define MANY 4

// Calls unused_one, it says.
struct Pair {
    int first;

    int second() const { return first; }
};

#ifdef WIDE
typedef long cell_t;
#else
typedef int cell_t;
#endif

static int unused_one(Pair pair) {
    return pair.first + MANY;
}

template <class T>
static __device__ inline cell_t twice(T value) {

    return 2 * value + FEW;
}
"""


def test_what_is_used_stays_with_all_that_it_uses() -> None:
    (kept,) = used([TEXT], ["x = twice(3);"])
    assert {name for one in definitions(kept) for name in one.names} == {"FEW", "cell_t", "twice"}
    assert used([TEXT], ['print("twice"); // unused_one()']) == []


def test_what_nothing_uses_is_found() -> None:
    assert unused(TEXT) == {"twice", "unused_one"}
    assert unused(TEXT + "\nint main() {\n    return twice(1);\n}\n") == {"unused_one", "main"}


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _kernels(text: str) -> set[str]:
    """What the host asks for by name."""
    return set(re.findall(r"^(?:__kernel|KERNEL|void\b)[^(]*?(\w+)\(", re.sub(r"\(\(.*?\)\)", "", text), re.MULTILINE))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_program_defines_what_nothing_in_it_uses(path: Path) -> None:
    assert unused(_text(path)) - ASKED_FOR_BY_OTHERS - _kernels(_text(path)) == set()


def _names(folder: Path) -> set[str]:
    return {name for path in folder.iterdir() for one in definitions(_text(path)) for name in one.names}


@pytest.mark.parametrize("folder", sorted(path for path in GENERATED.iterdir() if path.is_dir()), ids=lambda f: f.name)
def test_no_comment_names_what_is_not_there(folder: Path) -> None:
    known = {name for name in _names(folder) if "_" in name}
    own = folder.name.removesuffix("-plain")
    beside = (*GENERATED.glob("common/*"), *GENERATED.glob(f"{own}/starplat_*"))
    shared = {name for path in beside for one in definitions(_text(path)) for name in one.names}
    for path in folder.iterdir():
        text = _text(path)
        there = {name for one in definitions(text) for name in one.names} | (shared if '#include "' in text else set())
        comments = (re.sub(r"function .*|\w+\.\w+", "", line) for line in re.findall(r"//(.*)", text))
        said = {word for comment in comments for word in re.findall(r"\w+", comment)}
        assert said & known <= there, path.name


@pytest.mark.parametrize("target", ["cuda", "hip", "opencl", "sycl"])
def test_places_among_arcs_are_not_cut_to_32_bits(target: str) -> None:
    """A row may begin or end 2^31 arcs before or behind those that a warp or group looks at."""
    text = starplat.compile(EXAMPLES / "pagerank.sp").artifact(target, single_file=True)
    arcs = "|".join(("first", "last", "begin", "end", "at", "stop", "arcs"))
    cut = re.findall(rf"\(int\)(?:sycl::)?(?:min|max)?\([^;]*\b(?:{arcs})\b[^;]*;", "".join(text.values()))
    assert cut == []


@pytest.mark.parametrize("target", FULL)
def test_a_graph_is_completed_with_nothing_that_no_kernel_takes(target: str) -> None:
    files = starplat.compile(EXAMPLES / "pagerank.sp").artifact(target)
    text = "".join(text for name, text in files.items() if not name.startswith("starplat_"))
    assert "host.add_in_neighbors();" in text
    assert not re.search(r"in_arcs\b", text)
