"""Splits a loop that finds the next level and then works along the arcs to it into two loops.

    forall (v in g.nodes().filter(level == depth)) {      forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {                        forall (w in g.neighbors(v)) {
        if (w.level == INF) {                                 if (w.level == INF) {
          w.level = depth + 1; more = True;                     w.level = depth + 1; more = True;
        }                                                     }
        if (w.level == depth + 1) {                         }
          w.paths += v.paths;                             }
        }                                                 forall (v in g.nodes().filter(level == depth)) {
      }                                                     forall (w in g.neighbors(v)) {
    }                                                         if (w.level == depth + 1) { w.paths += v.paths; }
                                                            }
                                                          }

In the second loop the ends of every arc have their levels. The caller, `apart`, proves that levels are stored once and
that the work does not affect which nodes are found.
"""

from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.operators.canonical.hosts import Loop
from starplat.operators.canonical.rebuilding import rebuilt, spliced, with_fresh_symbols
from starplat.operators.canonical.searches.stores import read_nest


def with_the_rest_behind(loop: Loop) -> Loop | None:
    """The loop with the statements after such a store in a loop of their own; None if there are none."""
    for place, s in enumerate(loop.body.statements):
        if apart := _apart(s):
            return replace(loop, body=spliced(loop.body, place, apart))
    return None


def _apart(s: typed.Statement) -> tuple[typed.Statement, ...]:
    nest = read_nest(s)
    if nest is None or walk.leaves(s) or len(nest.inner) < 2 or not isinstance(nest.inner[0], typed.If):
        return ()
    finds, *rest = nest.inner
    stores = [i for i in walk.statements(finds) if isinstance(i, typed.Assign) and isinstance(i.place, typed.Cell)]
    if not stores or not all(isinstance(other, typed.If) for other in rest):
        return ()

    def only(kept: tuple[typed.Statement, ...]) -> typed.Statement:
        def change(part: Any) -> Any:
            whole = isinstance(part, typed.Block) and part.statements == nest.inner
            return replace(part, statements=kept) if whole else None

        return rebuilt(s, change)

    behind = only(tuple(rest))
    return only((finds,)), with_fresh_symbols(behind, (behind,))
