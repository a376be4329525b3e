"""Whatever a program or a graph file holds, the answer is a result or a diagnostic, never another exception.

STARPLAT_FUZZ_ROUNDS says how many spoilt programs there are, and forty times as many graph files; another
STARPLAT_FUZZ_SEED spoils them otherwise. The same seed spoils the same places on every machine, however fast.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import starplat
from starplat import pipeline
from starplat.diagnostics import DiagnosticError
from starplat.frontend.parser import tokens
from starplat.frontend.unparse import format_source
from starplat.source import SourceFile

pytestmark = pytest.mark.long
ROOT = Path(__file__).resolve().parent.parent
ROUNDS = int(os.environ.get("STARPLAT_FUZZ_ROUNDS", "100"))
SEED = int(os.environ.get("STARPLAT_FUZZ_SEED", "1"))
SLOW = 20.0
"""Seconds that no single mutation of a small file may take."""

GRAPHS = {
    "dimacs.gr": b"c roads\np sp 4 5\na 1 2 3\na 2 3 4\na 3 4 1\na 4 1 2\na 1 3 9\n",
    "pairs.el": b"0 1\n1 2\n2 3\n3 0\n",
    "triples.wel": b"0 1 5\n1 2 6\n2 3 7\n",
    "snap.txt": b"# Directed graph: x.txt\n# Nodes: 4 Edges: 3\n# From\tTo\n10\t20\n20\t30\n30\t99999999999\n",
    "matrix.mtx": b"%%MatrixMarket matrix coordinate integer general\n% c\n4 4 3\n1 2 5\n2 3 6\n4 1 7\n",
    "symmetric.mtx": b"%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 2\n4 4\n",
    "metis.graph": b"% c\n4 3 1\n2 5\n1 5 3 6\n2 6 4 7\n3 7\n",
    "pace.gr": b"c x\np tw 4 3\n1 2\n2 3\n3 4\n",
    "table.csv": b"source,target,weight\n0,1,2.5\n1,2,3\n",
    "galois.gr": b"".join(number.to_bytes(8, "little") for number in (1, 4, 3, 3, 1, 2, 3))
    + b"".join(number.to_bytes(4, "little") for number in (1, 2, 0, 0, 7, 8, 9)),
    "gap.sg": b"\x00" + b"".join(number.to_bytes(8, "little") for number in (2, 3, 0, 1, 2, 2)) + bytes(8),
}
WORDS = (
    b"0 1 -1 2147483648 99999999999999999999 1e400 nan INF % # p a c <> {} ( ) ; . , \x00 \xff \xef\xbb\xbf \r\n "
    b"\t sp tw forall fixedPoint until iterateInBFS propNode<int> Min Max return g v dist filter edge node "
    b">> = == ? : [ ] & && /* //"
).split(b" ")


def mutate(data: bytes, choice: random.Random) -> bytes:
    """A few random changes: bytes flipped, cut out, repeated, moved, replaced by words that formats know."""
    changed = bytearray(data)
    for _ in range(choice.randint(1, 4)):
        start = choice.randrange(len(changed) + 1)
        end = min(len(changed), start + choice.choice((0, 1, 1, 2, 5, 20, 200)))
        match choice.randrange(5):
            case 0 if start < len(changed):
                changed[start] = choice.randrange(256)
            case 1:
                del changed[start:end]
            case 2:
                changed[start:start] = changed[start:end] * choice.choice((1, 2, 50))
            case 3:
                at = choice.randrange(len(changed) + 1)
                changed[at:at] = changed[start:end]
            case _:
                changed[start:end] = choice.choice(WORDS)
    return bytes(changed)


def mutate_tokens(text: str, choice: random.Random) -> str:
    """The program's words with a few of them left out, doubled, exchanged or replaced by others of its words."""
    words = [text[token.span.start : token.span.end] for token in tokens(SourceFile("seed.sp", text))]
    vocabulary = sorted(set(words))
    for _ in range(choice.randint(1, 4)):
        first, second = choice.randrange(len(words)), choice.randrange(len(words))
        match choice.randrange(4):
            case 0 if len(words) > 1:
                del words[first]
            case 1:
                words.insert(first, words[second])
            case 2:
                words[first], words[second] = words[second], words[first]
            case _:
                words[first] = choice.choice(vocabulary)
        if not words:
            words = ["function"]
    return " ".join(words)


def rounds(count: int) -> Iterator[random.Random]:
    """Sources of chance, one a round."""
    return (random.Random(f"{SEED}/{number}") for number in range(count))


def attempt(what: Callable[[], object], input: object) -> None:
    """Runs it; a diagnostic is fine, anything else shows the input."""
    started = time.process_time()
    try:
        what()
    except DiagnosticError as error:
        if not error.diagnostics:
            pytest.fail(f"STARPLAT_FUZZ_SEED={SEED}: an error without a diagnostic\nfor {input!r}")
    except Exception as error:
        pytest.fail(f"STARPLAT_FUZZ_SEED={SEED}: {type(error).__name__}: {error}\nfor {input!r}")
    taken = time.process_time() - started
    assert taken < SLOW, f"STARPLAT_FUZZ_SEED={SEED}: {taken:.1f} s for {input!r}"


def compile_all(text: str) -> None:
    source = SourceFile("mutated.sp", text)
    format_source(source)
    checked = pipeline.check(source)
    module = pipeline.lower(checked)
    pipeline.artifact(module, "opencl", "mutated")


def test_mutated_programs_give_only_diagnostics() -> None:
    programs = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*.sp"))]
    for choice in rounds(ROUNDS):
        text = choice.choice(programs)
        if choice.random() < 0.5:
            mutated = mutate_tokens(text, choice)
        else:
            mutated = mutate(text.encode(), choice).decode("utf-8", "replace")
        attempt(lambda mutated=mutated: compile_all(mutated), mutated)


def test_mutated_program_files_give_only_diagnostics(tmp_path: Path) -> None:
    program = (ROOT / "examples" / "bfs.sp").read_bytes()
    for number, choice in enumerate(rounds(ROUNDS)):
        path = tmp_path / f"{number % 10}.sp"
        path.write_bytes(mutate(program, choice))
        attempt(lambda path=path: starplat.compile(path), path.read_bytes())


def test_mutated_graph_files_give_only_diagnostics(tmp_path: Path) -> None:
    from starplat.graph import read

    for number, choice in enumerate(rounds(40 * ROUNDS)):
        name = choice.choice(sorted(GRAPHS))
        path = tmp_path / f"{number % 10}-{name}"
        path.write_bytes(mutate(GRAPHS[name], choice))
        attempt(lambda path=path: read(path), (name, path.read_bytes()))
