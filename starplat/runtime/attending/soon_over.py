"""Runs that repeat a short one, which stay on the caller's thread.

Another thread takes a tenth of a millisecond to wake up and to wake the caller, as long as a small run. It is there for
Ctrl-C, which otherwise waits for the end of a kernel or of a compiled loop. What has ended soon ends soon again, on the
same graph with the same arguments.
"""

import os
from collections import OrderedDict
from collections.abc import Hashable
from weakref import WeakKeyDictionary

from starplat.graph.graph import Graph

SOON = 0.02
"""Seconds that Ctrl-C may wait."""
_MOST = 64
_IS_FORKED: list[bool] = []


class SoonOver:
    """The short runs of a device, the latest of each graph."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Graph, OrderedDict[Hashable, None]] = WeakKeyDictionary()

    def knows(self, graph: Graph, run: Hashable) -> bool:
        """Whether such a run was short. In a process that was forked none is: the threads of its parent that shared
        loops with the caller's are not there."""
        return run is not None and not _IS_FORKED and run in self._known.get(graph, ())

    def note(self, graph: Graph, run: Hashable, seconds: float) -> None:
        """A run has ended."""
        if run is None:
            return
        known = self._known.setdefault(graph, OrderedDict())
        known.pop(run, None)
        if seconds < SOON:
            known[run] = None
        if len(known) > _MOST:
            known.popitem(last=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _IS_FORKED.append(True))
