"""Locations of data files: the grammar, the templates, the programs, the pages about errors.

An installed package carries them in `starplat/_resources`; in an editable install they are read from the repository.
"""

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_PACKED = _PACKAGE / "_resources"


def grammar(name: str) -> str:
    """The text of `grammar/<name>.lark`."""
    return (_folder("grammar") / f"{name}.lark").read_text(encoding="utf-8")


def template_folder(name: str) -> Path:
    """The folder `templates/<name>`."""
    return _folder("templates") / name


def error_page_folder() -> Path:
    """The folder of the pages `E0101.md` …"""
    return _folder("errors", "docs/errors")


@cache
def shipped_programs() -> dict[str, Path]:
    """The programs that come with starplat, by name, in the order of the alphabet.

    >>> shipped_programs()["sssp"].name
    'sssp.sp'
    """
    found = [*(_PACKAGE / "algorithms").glob("*/*.sp"), *_folder("examples").glob("*.sp")]
    return {path.stem: path for path in sorted(found, key=lambda path: path.stem)}


@cache
def shipped_graphs() -> dict[str, Path]:
    """The graphs that come with starplat, by name.

    >>> list(shipped_graphs())
    ['liechtenstein']
    """
    found = sorted((_folder("examples") / "graphs").iterdir())
    return {path.name.partition(".")[0]: path for path in found if path.suffix != ".md"}


@cache
def _folder(packed: str, in_repository: str | None = None) -> Path:
    candidates = (_PACKED / packed, _PACKAGE.parent / (in_repository or packed))
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"starplat is installed without its '{packed}' folder (looked at {candidates})")
