"""Write a graph algorithm once; get readable, fast code for any accelerator.

>>> import starplat
>>> program = starplat.compile("function count(Graph g) { return g.num_nodes(); }")
>>> program.run(starplat.Graph.from_arcs(3, [0, 1], [1, 2]), target="reference").returned
3
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from starplat.version import __version__

if TYPE_CHECKING:
    from starplat import algorithms
    from starplat.algorithms.algorithm import Algorithm
    from starplat.diagnostics import Diagnostic, DiagnosticError, StarplatWarning
    from starplat.graph import Graph
    from starplat.graph_files import read
    from starplat.program import Program, compile
    from starplat.runtime import Result, Session, close
    from starplat.schedule import Schedule

__all__ = [
    "Diagnostic",
    "DiagnosticError",
    "Graph",
    "Program",
    "Result",
    "Schedule",
    "Session",
    "StarplatWarning",
    "__version__",
    "algorithms",
    "close",
    "compile",
    "read",
]

_HOMES = {
    "Diagnostic": "starplat.diagnostics",
    "DiagnosticError": "starplat.diagnostics",
    "Graph": "starplat.graph",
    "Program": "starplat.program",
    "Result": "starplat.runtime",
    "Schedule": "starplat.schedule",
    "Session": "starplat.runtime",
    "StarplatWarning": "starplat.diagnostics",
    "close": "starplat.runtime",
    "compile": "starplat.program",
    "load_ipython_extension": "starplat.notebook",
    "read": "starplat.graph_files",
    "unload_ipython_extension": "starplat.notebook",
}


def __getattr__(name: str) -> "Algorithm":
    """Imports a public name from its home when it is first asked for: `import starplat` itself costs nothing. Other
    names are algorithms, `starplat.pagerank`."""
    home = import_module(_HOMES.get(name, "starplat.algorithms"))
    found: Any = home if name == "algorithms" else getattr(home, name)
    value: Algorithm = found
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(import_module("starplat.algorithms"))} - {"Algorithm", "program"})
