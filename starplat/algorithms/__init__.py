"""The library of programs, the `.sp` files in the folders beside this one and in `examples/`, compiled once a process.

>>> from starplat import algorithms
>>> algorithms.program("levels_from").functions
('levels_from',)
"""

from functools import cache

from starplat.program import Program, compile
from starplat.resources import shipped_programs


@cache
def program(name: str) -> Program:
    """The program of that name, as `starplat show` lists them, the same one every time.

    Raises:
        KeyError: there is none.
    """
    return compile(shipped_programs()[name])
