"""Programs in notebooks: what `%load_ext starplat` brings.

A cell that begins with `%%starplat` is a program, with completion of the language's words and of its own; runs and
readings that take long show how far they have come. That errors appear as in a terminal and results as tables needs no
extension.
"""

from typing import Any

from starplat import progress_listener
from starplat.notebook.cells import compile_cell, matcher
from starplat.notebook.progress import Line

_UNLOAD = "_starplat_unload"


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext starplat`."""
    programs = matcher()
    shell.register_magic_function(
        lambda line, cell: compile_cell(shell, line, cell), magic_kind="cell", magic_name="starplat"
    )
    shell.Completer.custom_matchers.append(programs)
    line = Line()
    if hasattr(shell, "kernel"):  # a terminal has nothing that could be replaced later
        progress_listener.attend(line.tell)
        shell.events.register("pre_run_cell", line.begin)
        shell.events.register("post_run_cell", line.end)

    def unload() -> None:
        shell.Completer.custom_matchers.remove(programs)
        if hasattr(shell, "kernel"):
            progress_listener.attend(None)
            shell.events.unregister("pre_run_cell", line.begin)
            shell.events.unregister("post_run_cell", line.end)

    setattr(shell, _UNLOAD, unload)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext starplat`."""
    getattr(shell, _UNLOAD)()
