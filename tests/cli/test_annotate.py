"""`inspect --annotate`, `--html` and `--diff`: all lines are there, atomics have reasons, the page is safe."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from starplat import pipeline
from starplat.backends import BACKENDS
from starplat.cli.views.annotating import annotate
from starplat.cli.views.annotation import Annotation
from starplat.cli.views.side_by_side import page
from starplat.diagnostics import DiagnosticError
from starplat.program_text import read_program
from starplat.source import SourceFile
from tests.cli.conftest import ROOT, Outcome

Starplat = Callable[..., Outcome]
Write = Callable[..., Path]

EXAMPLES = sorted((ROOT / "examples").glob("*.sp"))
VOID = {"meta", "br", "link", "img", "input", "hr"}


def annotated(path: Path, target: str) -> tuple[Annotation, SourceFile]:
    source = read_program(path)
    try:
        return annotate(pipeline.check(source), target), source
    except DiagnosticError as error:
        if (target, error.diagnostics[0].code) != ("webgpu", "E0604"):
            raise
        pytest.skip(f"refused: {error.diagnostics[0].message}")


@pytest.mark.thin(plain=5)
@pytest.mark.parametrize("target", BACKENDS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_line_of_both_texts_stands_there_once(path: Path, target: str) -> None:
    found, source = annotated(path, target)
    numbers = [line.number for section in found.sections for line in section.lines]
    assert numbers == list(range(1, len(source.text.splitlines()) + 1))
    emitted = pipeline.kernels_text(pipeline.lower(pipeline.check(source)), target).splitlines()
    shown = [line for section in found.sections for kernel in section.kernels for line in kernel.lines]
    assert {line.number: line.text for line in (*shown, *found.shared_text)} == dict(enumerate(emitted, 1))


@pytest.mark.thin(plain=5)
@pytest.mark.parametrize("target", BACKENDS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_atomic_has_a_reason_and_its_line(path: Path, target: str) -> None:
    found, _ = annotated(path, target)
    for kernel in (kernel for section in found.sections for kernel in section.kernels):
        assert all(atomic.reason for atomic in kernel.atomics)
        cells = [atomic for atomic in kernel.atomics if not atomic.operation.startswith("reduction")]
        assert any(line.atomic for line in kernel.lines) or not cells


def test_a_kernel_stands_beside_its_loop_with_the_reasons(starplat: Starplat, examples: Path) -> None:
    outcome = starplat("inspect", examples / "sssp.sp", "-t", "opencl", "--annotate")
    assert outcome.code == 0
    assert re.search(r"^lines 12–17: kernels? sssp_min_dist", outcome.out, re.MULTILINE)
    assert re.search(r"^12 +forall \(v in .*  // sssp.sp:12 forall", outcome.out, re.MULTILINE)
    assert re.search(r"◆ +if \(candidate < (latest\()?dist\[nbr\]\)? && candidate < atomic_min", outcome.out)
    assert re.search(
        r"^◆ min of dist +a cell that is one iteration's own is an out-neighbor's", outcome.out, re.MULTILINE
    )
    assert re.search(r"^\(d\) dist .* monotone: it only changes by Min", outcome.out, re.MULTILINE)
    assert re.search(r"^down if asked for +dist, weight$", outcome.out, re.MULTILINE)
    assert "\x1b" not in outcome.out
    assert not re.search(r" $", outcome.out, re.MULTILINE)


@pytest.mark.parametrize(
    ("program", "target", "operation", "line"),
    [
        ("sssp", "cuda", "members of modified", r"insert\(modified_later, nbr\);"),
        ("sssp", "opencl", "enlist into modified_later_bits", r"enlist\(nbr, modified_later_bits, "),
        ("connected_components", "openmp", "compare and swap on component", "compare_exchange.*component"),
    ],
)
def test_operations_of_the_compilers_own_have_reasons_too(
    program: str, target: str, operation: str, line: str, examples: Path
) -> None:
    found, _ = annotated(examples / f"{program}.sp", target)
    kernels = [kernel for section in found.sections for kernel in section.kernels]
    reasons = {atomic.operation: atomic.reason for kernel in kernels for atomic in kernel.atomics}
    assert reasons[operation]
    assert any(shown.atomic for kernel in kernels for shown in kernel.lines if re.search(line, shown.text))


COUNTS = """function rounds(Graph g, propNode<int> x, int k) {
  int last = 0;
  int left = k;
  while (left > 0) {
    int changed = 0;
    forall (v in g.nodes()) {
      v.x += 1;
      changed += 1;
    }
    left -= 1;
    last = changed;
  }
  return last;
}"""


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("cuda", {"one word down when the loop is over": ("last",), "words that stay on the device": ("changed",)}),
        ("openmp", {"one word down a launch": ("changed",)}),
    ],
)
def test_words_are_said_to_cross_where_they_do(tmp_path: Path, target: str, expected: dict[str, object]) -> None:
    path = tmp_path / "rounds.sp"
    path.write_text(COUNTS, encoding="utf-8")
    found, _ = annotated(path, target)
    assert {title: names for s in found.sections for title, names in s.transfers if "word" in title} == expected


@pytest.mark.parametrize(("target", "crosses"), [("cuda", False), ("openmp", True)])
def test_cells_are_the_hosts_where_it_writes_them(examples: Path, target: str, crosses: bool) -> None:
    found, _ = annotated(examples / "sssp_two_flags.sp", target)
    assert ("cells that the host writes" in dict(found.transfers)) is crosses


class Reader(HTMLParser):
    """Checks nesting, and keeps the texts of code lines and all attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.lines: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if ("class", "line") in attrs or ("class", "line atomic") in attrs:
            self.lines.append("")
            self._depth = len(self.open) + 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if len(self.open) < self._depth:
            self._depth = 0

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.lines[-1] += data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def test_the_page_is_alone_and_holds_both_texts(starplat: Starplat, examples: Path, tmp_path: Path) -> None:
    out = tmp_path / "sssp.html"
    outcome = starplat("inspect", examples / "sssp.sp", "-t", "cuda", "--html", out)
    assert (outcome.code, outcome.out) == (0, "")
    text = out.read_text(encoding="utf-8")
    reader = read(text)
    assert not re.search(r"https?:|url\(|@import", text)
    assert not [a for a in reader.attributes if a[1] in ("src", "href", "srcset") or a[1].startswith("on")]
    program = (examples / "sssp.sp").read_text(encoding="utf-8").splitlines()
    emitted = starplat("inspect", examples / "sssp.sp", "-t", "cuda", "--stage", "source").out.splitlines()
    assert sorted(reader.lines) == sorted([*program, *emitted])
    assert ("span", "data-names", "dist modified weight") in reader.attributes
    assert "prefers-color-scheme: dark" in text


def test_nothing_of_a_program_escapes_into_the_page(program: Write) -> None:
    text = (
        "// </span><script>alert(1)</script> &amp; \u2028 \"'\n"
        "function f(Graph g, propNode<int> a) {\n"
        "  forall (v in g.nodes()) { v.a = 1 < 2; } // <img src=x onerror=alert(1)>\n"
        "}\n"
    ).replace("1 < 2", "v < 2 ? 1 : 2")
    source = SourceFile("<b>&\"'.sp", text)
    made = page(annotate(pipeline.check(source), "opencl"), source)
    reader = read(made)
    assert made.count("<script>") == 1
    assert "<img" not in made
    assert "<b>" not in made
    assert html.escape("</span><script>alert(1)</script> &amp;") in made
    assert text.splitlines()[-2] in reader.lines


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\f\n"])
def test_any_line_ends_will_do(examples: Path, end: str) -> None:
    text = (examples / "sssp.sp").read_text(encoding="utf-8").replace("\n", end)
    source = SourceFile("p.sp", text)
    reader = read(page(annotate(pipeline.check(source), "opencl"), source))
    assert reader.lines[: len(text.splitlines())][0] == text.splitlines()[0]


def test_the_same_program_gives_the_same_page(examples: Path) -> None:
    found, source = annotated(examples / "bfs.sp", "opencl")
    again, _ = annotated(examples / "bfs.sp", "opencl")
    assert page(found, source) == page(again, source)


def test_diff_compares_two_targets(starplat: Starplat, examples: Path) -> None:
    outcome = starplat("inspect", examples / "sssp.sp", "--diff", "opencl", "cuda", "-s", "plain")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0].startswith("--- ")
    assert lines[0].endswith("sssp.sp (opencl)")
    assert "-__kernel __attribute__((vec_type_hint(int4)))" in lines
    assert "-void sssp_min_dist(" in lines
    assert '+extern "C" __global__ void sssp_min_dist(' in lines
    assert starplat("inspect", examples / "sssp.sp", "--diff", "opencl", "opencl").out == ""


def test_diff_compares_two_schedules(starplat: Starplat, examples: Path) -> None:
    outcome = starplat("inspect", examples / "sssp.sp", "-t", "cuda", "--diff", "plain", "loop=device")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert [line.split("sssp.sp ")[1] for line in lines[:2]] == ["(plain)", "(loop=device)"]
    assert any(
        re.fullmatch(r'\+extern "C" __global__ void __launch_bounds__\(.+\) sssp_loop\(', line) for line in lines
    )
    assert starplat("inspect", examples / "sssp.sp", "--diff", "plain", "plain,direction=push").out == ""
    assert starplat("inspect", examples / "sssp.sp", "--diff", "plain", "direction=psuh").code == 2


def test_diff_of_no_such_target_is_a_usage_error(starplat: Starplat, examples: Path) -> None:
    outcome = starplat("inspect", examples / "sssp.sp", "--diff", "opencl", "cudda")
    assert outcome.code == 2
    assert "error[E0796]" in outcome.err
    assert starplat("inspect", examples / "sssp.sp", "--diff", "opencl", "cuda", "--annotate").code == 2


def test_diff_is_coloured_where_colour_is_wanted(process: Callable[..., Outcome], examples: Path) -> None:
    plain = process("inspect", examples / "bfs.sp", "--diff", "opencl", "cuda")
    coloured = process("inspect", examples / "bfs.sp", "--diff", "opencl", "cuda", FORCE_COLOR="1")
    assert "\x1b[32m+" in coloured.out
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.out) == plain.out


def test_one_launch_stands_beside_all_that_it_does(starplat: Starplat, examples: Path) -> None:
    """As `auto` has it; what was asked for instead is shown instead."""
    outcome = starplat("inspect", examples / "sssp.sp", "-t", "cuda", "--annotate")
    assert outcome.code == 0
    assert ": kernel sssp_loop" in outcome.out
    assert re.search(r"◆ +.*atomicMin\(&dist\[nbr\]", outcome.out)
    assert re.search(r"^\(d\) dist .* monotone: it only changes by Min", outcome.out, re.MULTILINE)
    plain = starplat("inspect", examples / "sssp.sp", "-t", "cuda", "--annotate", "-s", "plain")
    assert ": kernels sssp_finished" in plain.out or ": kernel sssp_min_dist" in plain.out
    assert "sssp_loop" not in plain.out


def test_the_stage_of_the_schedule_tells_what_a_launch_does(starplat: Starplat, examples: Path) -> None:
    outcome = starplat("inspect", examples / "k_core.sp", "-t", "cuda", "--stage", "schedule")
    assert outcome.code == 0
    lines = [line.strip() for line in outcome.out.splitlines()]
    assert "launch k_core_loop, in which the threads wait for each other" in lines
    assert "loop" in lines
    assert not any("on the host" in line for line in lines)
    assert any(line.startswith("run k_core_set_core: ") and "finds peeled" in line for line in lines)


def test_explain_says_what_became_of_a_loop(starplat: Starplat, examples: Path) -> None:
    outcome = starplat("explain", examples / "sssp.sp", "-t", "cuda", "--for", "gpu")
    assert outcome.code == 0
    said = outcome.out[outcome.out.index("schedule for cuda, a GPU: auto") :].splitlines()[1:]
    steps = [line.split()[0] for line in said if line]
    assert {"loop", "frontier", "balance"} <= set(steps)
    assert "nothing to choose" in starplat("explain", examples / "sssp.sp", "-t", "cuda", "-s", "plain").out
