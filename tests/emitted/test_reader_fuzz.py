"""Spoilt graph files: the reader of emitted programs, under AddressSanitizer and UBSan, judges them as Python's does.

A few hundred of them here; `STARPLAT_READER_FUZZ_FILES=100000 pytest tests/emitted/test_reader_fuzz.py` goes on for a
minute, and `STARPLAT_READER_FUZZ_SEED` begins elsewhere.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.emitted.mutations import is_costly, mutated, seeds
from tests.emitted.readers import File, answers, disagreement

FILES = int(os.environ.get("STARPLAT_READER_FUZZ_FILES", "400"))
SEED = int(os.environ.get("STARPLAT_READER_FUZZ_SEED", "1"))
BATCH = 400


def test_the_files_to_begin_with_are_read(built: Path, tmp_path: Path) -> None:
    files = written(seeds(), tmp_path)
    said = list(answers(built, files))
    assert [answer.split()[0] for answer in said] == ["graph"] * len(files)
    assert not list(filter(None, map(disagreement, files, said)))


@pytest.mark.long
def test_spoilt_files_get_the_same_verdict(built: Path, tmp_path: Path) -> None:
    draw = random.Random(SEED)
    graphs = refused = 0
    for _ in range(0, FILES, BATCH):
        files = batch(draw, tmp_path)
        said = list(answers(built, files))
        wrong = list(filter(None, map(disagreement, files, said)))
        assert not wrong, f"{len(wrong)} of {len(files)}: " + "\n".join(wrong[:10])
        graphs += sum(answer.startswith("graph") for answer in said)
        refused += sum(answer.startswith("refused") for answer in said)
    print(f"{graphs} spoilt files are graphs, {refused} are refused")
    assert graphs > BATCH / 10
    assert refused > BATCH / 10


def batch(draw: random.Random, folder: Path) -> list[File]:
    """As many spoilt files, in folders of their own."""
    begin, files = list(seeds().items()), list[File]()
    while len(files) < BATCH:
        name, data = draw.choice(begin)
        spoilt = mutated(draw, data)
        if not is_costly(name, spoilt):
            place = folder / str(len(files))
            place.mkdir(exist_ok=True)
            (place / name).write_bytes(spoilt)
            files.append(File(place / name, draw.random() < 0.3))
    return files


def written(contents: dict[str, bytes], folder: Path) -> list[File]:
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return [File(folder / name, undirected) for name in contents for undirected in (False, True)]
