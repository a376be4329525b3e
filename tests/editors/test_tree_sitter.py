"""The grammar for tree-sitter has trees for all programs, those of its corpus; its queries name what there is.

The parser is made by the last generator of tree-sitter that is C++ and can be built from its npm package.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from starplat.diagnostics import Reporter
from starplat.frontend.parser import keywords, parse
from starplat.source import SourceFile
from tests.test_fuzz import mutate_tokens

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "editors" / "tree-sitter"
SOURCES = Path(__file__).with_name("tree_sitter")
PACKAGES = {"generator": "tree-sitter-cli@0.13.16", "runtime": "tree-sitter@0.13.23"}
PROGRAMS = [path for folder in ("examples", "starplat", "tests") for path in sorted((ROOT / folder).rglob("*.sp"))]

Trees = Callable[[list[Path]], list[tuple[str, str]]]
"""Of every program `ok` or `error`, and its tree."""


def grammar() -> str:
    return (FOLDER / "grammar.js").read_text(encoding="utf-8")


def queries() -> dict[str, str]:
    """The queries without comments, by name."""
    return {
        path.stem: re.sub(r"(?m)^\s*;.*", "", path.read_text(encoding="utf-8"))
        for path in sorted((FOLDER / "queries").glob("*.scm"))
    }


def cases() -> Iterator[tuple[str, str, str]]:
    """The name, the program and the tree of each case of the corpus."""
    for path in sorted((FOLDER / "test" / "corpus").glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        yield from re.findall(r"(?ms)^=+\n(.+?)\n=+\n\n(.*?)\n---\n\n(.*?)(?=^=|\Z)", text)


def is_program(path: Path) -> bool:
    source = SourceFile(path.name, path.read_text(encoding="utf-8"))
    reporter = Reporter(source)
    parse(source, reporter)
    return reporter.errors == ()


def test_the_grammar_has_the_words_of_the_language() -> None:
    quoted = set(re.findall(r'"([A-Za-z_]+)"', grammar()))
    assert set(keywords()) <= quoted


def test_the_grammar_has_the_operators_of_the_language() -> None:
    lark = (ROOT / "grammar" / "starplat.lark").read_text(encoding="utf-8")
    operators = set(re.findall(r'"([^"\w\s]+)"', lark))
    assert "+=" in operators
    assert operators <= set(re.findall(r'"([^"\w\s]+)"', grammar()))


def test_colours_are_given_to_all_words() -> None:
    literals = {"True", "true", "False", "false", "INF", "INT_MAX"}
    types = re.search(r"primitive_type: \(\$\) =>\s*choice\(([^)]*)\)", grammar())
    assert types is not None
    named = set(re.findall(r'"([A-Za-z_]+)"', queries()["highlights"] + types[1]))
    assert set(keywords()) - literals == named & set(keywords()) - literals


@pytest.mark.parametrize("name", sorted(queries()))
def test_queries_name_what_the_grammar_has(name: str) -> None:
    text = re.sub(r"\(#[^)]*\)", "", queries()[name])
    text, rules = re.sub(r'"[^"]*"', "", text), set(re.findall(r"(?m)^    (\w+): \(\$\)", grammar()))
    assert set(re.findall(r"\((\w+)", text)) <= rules
    assert set(re.findall(r"(\w+):", text)) <= set(re.findall(r'field\("(\w+)"', grammar()))


def test_it_is_described_to_the_generator() -> None:
    (described,) = json.loads((FOLDER / "tree-sitter.json").read_text(encoding="utf-8"))["grammars"]
    assert f'name: "{described["name"]}"' in grammar()
    assert (FOLDER / described["highlights"]).is_file()


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Trees:
    """The parser, made and built in some 20 seconds."""
    for tool in ("npm", "node", "g++", "gcc"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing")
    folder = tmp_path_factory.mktemp("tree_sitter")
    generator, runtime = (unpacked(package, folder / name) for name, package in PACKAGES.items())
    tool = built_generator(generator, folder)
    dsl = generator / "lib" / "api" / "dsl.js"
    described = said("node", SOURCES / "grammar_json.js", dsl, FOLDER / "grammar.js")
    parser = folder / "parser.c"
    parser.write_text(said(tool, input=described), encoding="utf-8")
    core = runtime / "vendor" / "tree-sitter"
    included = [f"-I{core / name}" for name in ("include", "src", "externals/utf8proc")]
    sources = [SOURCES / "trees.c", parser, core / "src" / "runtime" / "runtime.c"]
    said("gcc", "-w", "-std=gnu99", *included, *sources, "-o", folder / "trees")

    def found(files: list[Path]) -> list[tuple[str, str]]:
        lines = said(folder / "trees", *files).splitlines()
        return [(verdict, tree) for verdict, _, tree in (line.partition("\t") for line in lines)]

    return found


def unpacked(package: str, folder: Path) -> Path:
    """An npm package, which a test can do without."""
    folder.mkdir()
    packed = subprocess.run(
        ["npm", "pack", "--silent", package], cwd=folder, capture_output=True, text=True, check=False
    )
    if packed.returncode != 0:
        pytest.skip(f"npm has no {package}: {packed.stderr.strip()[-300:]}")
    with tarfile.open(folder / packed.stdout.strip().splitlines()[-1]) as archive:
        archive.extractall(folder, filter="data")
    return folder / "package"


def built_generator(package: Path, folder: Path) -> Path:
    core, objects = package / "vendor" / "tree-sitter", folder / "objects"
    objects.mkdir()
    included = [f"-I{core / name}" for name in ("include", "src", "externals/utf8proc", "externals/json-parser")]
    sources = [*sorted((core / "src" / "compiler").rglob("*.cc")), SOURCES / "parser_code.cpp"]
    sources += [core / "externals" / "utf8proc" / "utf8proc.c", core / "externals" / "json-parser" / "json.c"]

    def compiled(source: Path) -> Path:
        written = objects / f"{source.stem}.o"
        language = ("gcc", "-std=gnu99") if source.suffix == ".c" else ("g++", "-std=c++14")
        said(*language, "-w", "-O1", *included, "-c", source, "-o", written)
        return written

    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(compiled, sources))
    assert len(set(made)) == len(sources)
    said("g++", *made, "-o", folder / "parser_code")
    return folder / "parser_code"


def said(*words: str | Path, input: str | None = None) -> str:
    """What a command prints."""
    run = subprocess.run(list(map(str, words)), input=input, capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"{words[0]}: {run.stderr[-2000:]}"
    return run.stdout


@pytest.mark.campaign
def test_programs_have_trees_without_errors(trees: Trees) -> None:
    programs = list(filter(is_program, PROGRAMS))
    assert len(programs) > 450
    found = trees(programs)
    assert [str(path) for path, (verdict, _) in zip(programs, found, strict=True) if verdict != "ok"] == []


@pytest.mark.campaign
def test_cases_of_the_corpus_have_their_trees(trees: Trees, tmp_path: Path) -> None:
    named = list(cases())
    assert len(named) > 10
    files = [tmp_path / f"{number}.sp" for number in range(len(named))]
    for file, (_, text, _) in zip(files, named, strict=True):
        file.write_text(text, encoding="utf-8")
    for (name, _, expected), (verdict, tree) in zip(named, trees(files), strict=True):
        assert (verdict, tree) == ("ok", re.sub(r"\s+", " ", expected.strip())), name


@pytest.mark.campaign
def test_a_spoilt_program_that_starplat_reads_has_a_tree(trees: Trees, tmp_path: Path) -> None:
    """And most of those that it does not read have none without errors."""
    draw = random.Random(1)
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*.sp"))]
    files = []
    for number in range(3000):
        files.append(tmp_path / f"{number}.sp")
        files[-1].write_text(mutate_tokens(draw.choice(texts), draw), encoding="utf-8")
    verdicts = [verdict == "ok" for verdict, _ in trees(files)]
    read = list(map(is_program, files))
    assert [str(f) for f, whole, fine in zip(files, verdicts, read, strict=True) if fine and not whole] == []
    assert sum(read) > 50
    assert sum(whole and not fine for whole, fine in zip(verdicts, read, strict=True)) < 0.05 * len(files)
