"""The typed tree: every name is a `Symbol`, every expression has a type, every shorthand is expanded.

`check` makes it from the syntax tree; nothing unresolved can be said in it. What `check` has normalised:

* `x op= e`, `x++`, `x = x + e` (also with e first where the operator commutes) are all `Update`; `x -= e` is
  `Update(ADD, x, -e)`; `/=` and `%=`, which do not commute, are plain `Assign`.
* an implicit conversion is an explicit `Convert`; operands of arithmetic and comparisons have one type.
* `flag == True` is `flag`, `flag == False` is `!flag`.
* `v.dist` and `dist[v]` are both `Cell`; `e.weight` is the `Cell` of the propEdge named `weight` where one is in
  scope, else `GraphWeight`.
* a bare property in a loop's filter or a fixedPoint's condition is the `Cell` at the loop's own node.
* `get_edge(u, v)` that is the arc in hand of an enclosing neighbor loop is `ArcInHand`.
* `for (i = …; …; …)` and `loop` are `CountedLoop` where they are plain counting, else `While` in a `Block`.
"""

from starplat.frontend.typed.dynamic import *
from starplat.frontend.typed.expressions import *
from starplat.frontend.typed.program import *
from starplat.frontend.typed.statements import *
from starplat.frontend.typed.symbols import *
