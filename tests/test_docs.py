"""The documents tell the truth: their commands run, their programs compile, their links lead somewhere, their index is
whole.

In `docs/tutorial.md`, `docs/python.md`, `docs/algorithms.md`, `docs/networkx.md` and the README's Python, blocks run in
order, in one folder that is empty at first. A fence may say `file=NAME` (the block is written there) or `exit=N`.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import starplat

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(?P<kind>\w*)(?P<words>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced piece of a document."""

    kind: str
    options: dict[str, str]
    text: str
    line: int


def blocks(document: Path) -> Iterator[Block]:
    text = document.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        options = dict(word.split("=", 1) for word in shlex.split(found["words"]))
        yield Block(found["kind"], options, found["text"], text.count("\n", 0, found.start()) + 1)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, to make files in: pages are for those who have no checkout."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.campaign
@pytest.mark.parametrize("page", ["tutorial.md", "python.md", "algorithms.md", "networkx.md"])
def test_a_page_runs_from_top_to_bottom(workspace: Path, page: str) -> None:
    python: list[str] = []
    for block in blocks(ROOT / "docs" / page):
        if "file" in block.options:
            (workspace / block.options["file"]).write_text(block.text, encoding="utf-8")
        elif block.kind == "sh":
            for line in block.text.splitlines():
                run_command(line, int(block.options.get("exit", "0")))
        elif block.kind == "python":
            python.append(block.text)
    run_python("".join(python))


def run_command(line: str, expected: int) -> None:
    name, *arguments = shlex.split(line)
    assert name == "starplat"
    command = [sys.executable, "-m", "starplat", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == expected, f"{line}\n{done.stdout}\n{done.stderr}"


def run_python(text: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr


def test_the_readmes_python_runs(workspace: Path) -> None:
    run_python("".join(block.text for block in blocks(ROOT / "README.md") if block.kind == "python"))


def test_the_readmes_program_is_the_example() -> None:
    shown = next(block.text for block in blocks(ROOT / "README.md") if block.kind == "sp")
    assert words_of(shown) == words_of((ROOT / "examples" / "sssp.sp").read_text(encoding="utf-8"))


def test_the_readmes_kernels_are_the_emitted_ones(request: pytest.FixtureRequest) -> None:
    """The loop of the kernel, from `generated/`. Refreshed by `--refresh-goldens`."""
    readme = ROOT / "README.md"
    shown = [block for block in blocks(readme) if "from" in block.options]
    assert len(shown) == len({block.options["from"] for block in shown}) == 4
    for block in shown:
        emitted = loop_of((ROOT / block.options["from"]).read_text(encoding="utf-8"), "sssp_min_dist")
        if request.config.getoption("--refresh-goldens"):
            readme.write_text(readme.read_text(encoding="utf-8").replace(block.text, emitted), encoding="utf-8")
        else:
            assert block.text == emitted


def loop_of(code: str, kernel: str) -> str:
    """A kernel's body up to the end of its loop; only the walk over the arcs where threads share them."""
    if f"{kernel}(" not in code:
        lines = code[code.index("extern") :].splitlines(keepends=True)
        first = next(number for number, line in enumerate(lines) if line.lstrip().startswith("advance"))
        last = next(number for number, line in enumerate(lines) if number > first and line.strip() == "});")
        return textwrap.dedent("".join(lines[first : last + 1]))
    body = code.split(f"{kernel}(", 1)[1].split(") {\n", 1)[1]
    loop = body[: body.index("\n    }\n") + len("\n    }\n")]
    if "bring_part(" in loop:
        shared = loop[loop.rindex("\n", 0, loop.index("bring_part(")) + 1 :]
        loop = shared[: shared.index("\n        }\n") + len("\n        }\n")]
    return textwrap.dedent(loop)


def words_of(program: str) -> list[str]:
    return re.sub(r"//[^\n]*", "", program).split()


def test_the_readmes_answer_is_the_answer(workspace: Path) -> None:
    """The table of the README, times and device aside, is what the command prints."""
    shown = next(block.text for block in blocks(ROOT / "README.md") if block.kind == "text").splitlines()
    command = (
        next(block.text for block in blocks(ROOT / "README.md") if block.kind == "sh").splitlines()[0].split(" && ")[1]
    )
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    printed = done.stderr.splitlines() + done.stdout.splitlines()
    assert not any("cache" in line for line in shown), "a new user's first run builds its kernels"
    for line in (*shown[:1], *shown[2:5], shown[-1]):
        assert line.split() in [other.split() for other in printed]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_programs_in_documents_compile(document: Path) -> None:
    for block in blocks(document):
        if block.kind == "sp" and block.options.get("file") != "mistake.sp":
            starplat.compile(block.text).module()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", FENCE.sub("", document.read_text(encoding="utf-8"))):
        if "://" not in target:
            assert (document.parent / target).exists(), target


def titles() -> dict[str, str]:
    """Code and title of every page about a message."""
    pages = sorted((ROOT / "docs" / "errors").glob("[EWN]????.md"))
    first = {page.stem: page.read_text(encoding="utf-8").splitlines()[0] for page in pages}
    return {code: line.removeprefix(f"# {code}: ") for code, line in first.items()}


def test_source_files_that_documents_name_exist() -> None:
    folders = ("starplat", "tests", "benchmarks", "templates", "docs")
    files = {f"/{path.relative_to(ROOT)}" for folder in folders for path in (ROOT / folder).rglob("*.*")}
    named = {
        (document.name, name)
        for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
        for name in re.findall(r"`(?:python )?([\w/]+\.(?:py|jinja))\b", document.read_text(encoding="utf-8"))
        if "TARGET" not in name
    }
    assert len(named) > 100
    assert sorted((where, name) for where, name in named if not any(file.endswith(f"/{name}") for file in files)) == []


AREAS = {
    "E01": "Syntax",
    "E02": "Names",
    "E03": "Types",
    "E04": "Structure and flow",
    "E06": "Targets, schedules, what cannot run yet",
    "E07": "Arguments, files of the command line, runs",
    "E08": "Graph files",
    "E09": "Devices and the cache",
    "W": "Warnings",
}
"""The heading above the codes that begin so, in the index of messages."""


def test_the_index_of_messages_is_whole(request: pytest.FixtureRequest) -> None:
    """Refreshed by `--refresh-messages`."""
    index = ROOT / "docs" / "errors.md"
    whole = index.read_text(encoding="utf-8").split("\n## ")[0]
    listed = titles()
    for start, area in AREAS.items():
        rows = [f"- [{code}](errors/{code}.md) {title}\n" for code, title in listed.items() if code.startswith(start)]
        whole += f"\n## {area}\n\n{''.join(rows)}"
    assert [code for code in listed if f"[{code}]" not in whole] == []
    if request.config.getoption("--refresh-messages"):
        index.write_text(whole, encoding="utf-8")
    assert index.read_text(encoding="utf-8") == whole


def test_the_readme_lists_exactly_the_targets_that_exist() -> None:
    from starplat.backends import BACKENDS
    from starplat.runtime.targets import TARGETS

    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## What runs where")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == {*TARGETS, *BACKENDS}


def test_every_page_says_its_code_and_has_a_title() -> None:
    for code, title in titles().items():
        assert title
        assert not title.startswith("#"), code


def test_the_help_of_graph_names_every_format() -> None:
    from starplat.cli.verbs.graph import FORMATS_READ
    from starplat.graph.formats import FORMATS

    said = FORMATS_READ.lower()
    assert [format.title for format in FORMATS if format.title.lower().split()[0] not in said] == []
