"""Writes the manual pages of the command line into `docs/man`: `python docs/generate_man.py`.

A page for `starplat` and one for each verb, from what the verbs declare; wheels bring them to `share/man/man1`. A test
says when they are stale.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

import typer

from starplat.cli.app import command_line

FOLDER = Path(__file__).resolve().parent / "man"


def pages() -> dict[str, str]:
    """The text of every page, in roff, by the name of its file."""
    return {f"{'-'.join(path)}.1": page(path, command) for path, command in commands(("starplat",), _root())}


def commands(path: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The command and those below it, each with the words that call it."""
    yield path, command
    for name, verb in getattr(command, "commands", {}).items():
        yield from commands((*path, name), verb)


def page(path: tuple[str, ...], command: Any) -> str:
    """The page of one command."""
    verbs = getattr(command, "commands", {})
    types = get_type_hints(command.callback) if command.callback else {}
    described = [(each, types[each.name]) for each in command.params if each.name in types]  # not typer's own
    arguments = [(*each, value_of(*each)) for each in described if each[0].param_type_name == "argument"]
    options = [each for each in described if each[0].param_type_name == "option"]
    help, name = one_line(command.help), "-".join(path)
    places = [value if argument.required else f"[{value}]" for argument, _, value in arguments]
    synopsis = " ".join(["[OPTIONS]", *places, *(["COMMAND"] if verbs else [])])
    lines = [f'.TH "{name.upper()}" 1 "" starplat "starplat manual"']
    lines += [".SH NAME", f"{roff(name)} \\- {roff(help.split('. ')[0].rstrip('.'))}"]
    lines += [".SH SYNOPSIS", f".B {roff(' '.join(path))}", roff(synopsis), ".SH DESCRIPTION", roff(help)]
    lines += section("ARGUMENTS", [(f".B {roff(value)}", argument.help) for argument, _, value in arguments])
    lines += section("OPTIONS", [(f".B {roff(spelling(*each))}", meaning(*each)) for each in options])
    lines += section("COMMANDS", [(f".BR {roff(name)}\\-{roff(verb)} (1)", its.help) for verb, its in verbs.items()])
    if command.epilog:
        title, _, rest = command.epilog.partition(": ")
        lines += [f".SH {title.upper()}", roff(rest)]
    lines += [] if len(path) == 1 else [".SH SEE ALSO", f".BR {roff('-'.join(path[:-1]))} (1)"]
    return "\n".join(lines) + "\n"


def section(title: str, entries: list[tuple[str, str]]) -> list[str]:
    """A section of marked words, each with what it means; none where there is none."""
    lines = [f".SH {title}"] if entries else []
    for words, text in entries:
        lines += [".TP", words, roff(one_line(text))]
    return lines


def spelling(option: Any, type: Any) -> str:
    """How an option is written: `-g, --graph PATH`."""
    names = ", ".join(sorted(option.opts, key=len))
    return names if type is bool else f"{names} {value_of(option, type)}"


def value_of(parameter: Any, type: Any) -> str:
    """What stands for a value of an argument or an option, whose type may be left out or come several times."""
    if parameter.metavar:
        return str(parameter.metavar)
    while inside := [each for each in get_args(type) if each is not NoneType]:
        type = inside[0]
    if issubclass(type, Enum):
        return "|".join(str(member.value) for member in type)
    return {str: "TEXT", int: "NUMBER", float: "NUMBER", Path: "PATH"}[type]


def meaning(option: Any, type: Any) -> str:
    """What an option means, and its value where it is left out."""
    default = getattr(option.default, "value", option.default)
    said = type is bool or default is None or option.required or (isinstance(default, (list, tuple)) and not default)
    return f"{option.help}{'' if said else f' By default {default}.'}{' Required.' if option.required else ''}"


def one_line(text: str) -> str:
    return " ".join(text.split())


def roff(text: str) -> str:
    """Text in which roff finds nothing of its own."""
    escaped = re.sub(r"^(?=[.'])", r"\\&", text.replace("\\", "\\e").replace("-", "\\-"))
    return re.sub(r"[^\x00-\x7f]", lambda found: f"\\[u{ord(found.group()):04X}]", escaped)


def _root() -> Any:
    return typer.main.get_command(command_line())


if __name__ == "__main__":
    for old in FOLDER.glob("*.1"):
        old.unlink()
    for file, text in pages().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
