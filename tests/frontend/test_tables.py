"""The parser's tables: kept ones parse as built ones do, and nothing is read that the grammar did not make."""

from __future__ import annotations

from pathlib import Path

import pytest

from starplat import pipeline
from starplat.frontend.parser import _Machinery, parse
from starplat.frontend.parsing import tables
from starplat.frontend.parsing.builder import Builder
from starplat.source import SourceFile
from starplat.toolchain.cache import Cache

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.sp"))
WRONG = "function f(Graph g { forall v in g.nodes() ) { v.x = ; } "


@pytest.fixture
def keeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    kept = Cache(tmp_path)
    monkeypatch.setattr(tables._Chosen, "keeper", staticmethod(lambda: kept))
    return kept


def entries(keeper: Cache) -> list[Path]:
    assert keeper.folder is not None
    return [path for path in keeper.folder.rglob("*") if path.is_file()]


def test_tables_are_kept_once_and_parse_alike(keeper: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [SourceFile(path.name, path.read_text(encoding="utf-8")) for path in EXAMPLES]
    expected = [parse(source) for source in sources]
    tables.tables(Builder())
    assert len(entries(keeper)) == 1
    monkeypatch.setattr(tables, "_built", lambda *arguments: pytest.fail("the tables are built again"))
    machinery = _Machinery()
    monkeypatch.setattr("starplat.frontend.parser._machinery", lambda: machinery)
    assert [parse(source) for source in sources] == expected


def test_mistakes_are_found_alike(keeper: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    def said() -> str:
        with pytest.raises(Exception, match="error") as caught:
            parse(SourceFile("p.sp", WRONG))
        return str(caught.value)

    expected = said()
    tables.tables(Builder())
    machinery = _Machinery()
    monkeypatch.setattr("starplat.frontend.parser._machinery", lambda: machinery)
    assert said() == expected


def test_damaged_tables_are_built_again(keeper: Cache) -> None:
    tables.tables(Builder())
    (entry,) = entries(keeper)
    entry.write_bytes(entry.read_bytes()[:-100])
    tables.tables(Builder())
    assert len(entries(keeper)) == 1
    assert keeper.get(entry.name) is not None


def test_another_grammar_has_other_tables(keeper: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    tables.tables(Builder())
    text = tables.grammar("starplat")
    monkeypatch.setattr(tables, "grammar", lambda name: text + "\n// more\n")
    tables.tables(Builder())
    assert len(entries(keeper)) == 2


def test_an_unsafe_cache_folder_is_not_used_and_no_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("STARPLAT_CACHE_DIR", str(folder))
    assert pipeline._kept_tables() is None
    assert not [each for each in recwarn if each.category is not ResourceWarning]  # garbage of other tests
    folder.chmod(0o700)
    assert pipeline._kept_tables() is not None
