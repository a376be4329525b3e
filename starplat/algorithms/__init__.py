"""The library: every program that ships with starplat as a function of a graph, `starplat.pagerank(G)`.

The programs are the `.sp` files in the folders beside this one and in `examples/`; `docs/algorithms.md` lists them. One
is read, checked and compiled when it is first called.

>>> from starplat import algorithms
>>> algorithms.bfs_levels([("Ann", "Bob"), ("Bob", "Cid")], src="Ann", target="reference").to_dict("level")
{'Ann': 0, 'Bob': 1, 'Cid': 2}
"""

from starplat.algorithms.algorithm import Algorithm, program
from starplat.resources import shipped_programs

__all__ = ["Algorithm", "program"]


def __getattr__(name: str) -> Algorithm:
    if name not in shipped_programs():
        raise AttributeError(_unknown(name))
    globals()[name] = found = Algorithm(name)
    return found


def __dir__() -> list[str]:
    return [*__all__, *shipped_programs()]


def _unknown(name: str) -> str:
    message = f"starplat has no attribute {name!r}, nor a program of that name"
    if name.startswith("_"):
        return message
    from starplat.program_text import unknown_program

    return f"{message}: {unknown_program(name)}"
