"""Which programs need each rewrite of the canonical form: those whose operators are others without it.

    python benchmarks/rewrites.py                 all rewrites, and how many programs each changes and is needed for
    python benchmarks/rewrites.py from_zero       one of them, and the names of these programs

The programs are the examples, the algorithms, and those of `tests/programs` and `tests/spellings`. That a rewrite
changes a program and is not needed means that another does the same for it.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import starplat
from starplat import pipeline
from starplat.diagnostics import DiagnosticError
from starplat.operators.canonical import form

ROOT = Path(__file__).parents[1]
FOLDERS = ("examples", "starplat/algorithms", "tests/programs", "tests/spellings")
QUESTIONS = ("called_by_kernels", "inlined", "by_rows", "rebuilt", "stored_at_once")
"""What `form` imports besides: functions that are no rewrites of a function's body, or parts of others."""


def rewrites() -> Iterator[str]:
    """The names by which `form` calls rewrites."""
    for name, value in vars(form).items():
        module = getattr(value, "__module__", "")
        is_rewrite = isinstance(value, FunctionType) and module.startswith(form.__package__) and module != form.__name__
        if is_rewrite and name not in QUESTIONS:
            yield name


def operators_of(checked: pipeline.Checked) -> str:
    try:
        return pipeline.operators(checked)
    except DiagnosticError as error:  # several functions could be the one to run
        return error.diagnostics[0].code


def programs() -> dict[str, pipeline.Checked]:
    """The checked programs, by their path; those that are wrong on purpose are left out."""
    found = {}
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.sp")):
        try:
            found[str(path.relative_to(ROOT))] = starplat.compile(path).checked
        except DiagnosticError:
            continue
    return found


def noting(rewrite: Callable[..., Any], changes: list[bool]) -> Callable[..., Any]:
    """The rewrite, which notes whether it changes what it is given."""

    def noted(body: Any, *more: Any) -> Any:
        made = rewrite(body, *more)
        changes.append(made != body)
        return made

    return noted


def main(wanted: list[str]) -> None:
    warnings.simplefilter("ignore")
    names, all_programs = wanted or list(rewrites()), programs()
    given = {name: getattr(form, name) for name in names}
    changes: dict[str, list[bool]] = defaultdict(list)
    changed: dict[str, list[str]] = defaultdict(list)
    for name in names:
        setattr(form, name, noting(given[name], changes[name]))
    whole = {}
    for path, checked in all_programs.items():
        whole[path] = operators_of(checked)
        for name in names:
            if any(changes[name]):
                changed[name].append(path)
            changes[name].clear()
    for name in names:
        setattr(form, name, given[name])
    for name in names:
        setattr(form, name, lambda body, *_: body)
        needed = [path for path in changed[name] if operators_of(all_programs[path]) != whole[path]]
        setattr(form, name, given[name])
        print(f"{name:24} changes {len(changed[name]):4} needed for {len(needed):4}", flush=True)
        if wanted:
            print("\n".join(f"  {path}" for path in needed))


if __name__ == "__main__":
    main(sys.argv[1:])
