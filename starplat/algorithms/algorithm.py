"""Makes a function of a program that ships with starplat: its signature and help are those of the program's text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from inspect import Parameter, Signature, signature
from itertools import takewhile
from math import inf
from typing import TYPE_CHECKING, Any

from starplat.resources import shipped_programs

if TYPE_CHECKING:
    from starplat.frontend import typed
    from starplat.program import Program
    from starplat.runtime import Result

_NUMBERS = {"int": int, "long": int, "float": float, "double": float, "bool": bool}


@cache
def program(name: str) -> Program:
    """The program of that name, as `starplat show` lists them, the same one every time.

    Raises:
        KeyError: there is none.
    """
    from starplat.program import compile

    return compile(shipped_programs()[name])


@dataclass(frozen=True, repr=False)
class Algorithm:
    """A program that ships with starplat, as a function of a graph.

    Attributes:
        name: as `starplat show` lists it.
    """

    name: str

    def __call__(self, graph: Any, /, **options: Any) -> Result:
        """Runs the program.

        Args:
            graph: whatever `Program.run` takes.
            **options: the program's own parameters and the options of `Program.run`; None is as if not given.

        Raises:
            DiagnosticError: as `Program.run`.
        """
        return self.program.run(graph, **{name: value for name, value in options.items() if value is not None})

    def __repr__(self) -> str:
        return f"<algorithm {self.name}>"

    @property
    def program(self) -> Program:
        """The program, compiled when it is first asked for."""
        return program(self.name)

    @property
    def text(self) -> str:
        """The program's text, as `starplat show` prints it."""
        return shipped_programs()[self.name].read_text(encoding="utf-8")

    @property
    def purpose(self) -> str:
        """What it computes, in a sentence."""
        return _first_comment(self.text)[0]

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def __signature__(self) -> Signature:
        return Signature([*self.parameters, *_options()], return_annotation="Result")

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The graph and the program's own parameters, as Python calls them."""
        return tuple(_parameter(symbol, default) for symbol, default in self._entry.arguments)

    @property
    def _entry(self) -> typed.FunctionDefinition:
        """The first function that no other calls."""
        from starplat.analysis.forms import uncalled

        return uncalled(self.program.checked.tree)[0]


def _options() -> list[Parameter]:
    """What `Program.run` takes by name, beside the program's own parameters."""
    from starplat.program import Program

    parameters = signature(Program.run).parameters.values()
    return [p for p in parameters if p.kind is Parameter.KEYWORD_ONLY and p.name != "arguments"]


def _parameter(symbol: typed.Symbol, default: typed.Literal | typed.Infinity | None) -> Parameter:
    """What Python calls a parameter of a program; a property that is not given is None."""
    from starplat.frontend.types import GraphType, PropertyType

    if isinstance(symbol.type, GraphType):
        return Parameter("graph", Parameter.POSITIONAL_ONLY)
    missing = None if isinstance(symbol.type, PropertyType) else Parameter.empty
    value = missing if default is None else getattr(default, "value", inf)
    kind = _NUMBERS.get(str(symbol.type), str(symbol.type))
    return Parameter(symbol.name, Parameter.KEYWORD_ONLY, default=value, annotation=kind)


def _help(self: Algorithm) -> str:
    """How it is called, the program's first comment, and what the result holds."""
    from starplat.frontend.types import PropertyType, Void

    entry = self._entry
    results = [f"`{p.name}` ({p.type})" for p, _ in entry.arguments if isinstance(p.type, PropertyType)]
    returned = [] if isinstance(entry.result, Void) else [f"`returned` ({entry.result})"]
    call = f"{self.name}{Signature(self.parameters)}"
    held = f"The result holds {', '.join([*results, *returned])}."
    return "\n".join([call, "", *_first_comment(self.text), "", held, _FURTHER])


_FURTHER = "Further arguments are those of `starplat.Program.run`: target, schedule, results, session and others."


def _first_comment(text: str) -> list[str]:
    return [line[2:].strip() for line in takewhile(lambda line: line.startswith("//"), text.splitlines())]


Algorithm.__doc__ = property(_help)  # type: ignore[assignment]  # of an algorithm; pydoc asks the instance first
