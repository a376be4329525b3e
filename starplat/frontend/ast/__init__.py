"""The syntax tree: a program as written, before its names are resolved.

Every node is frozen and carries a `span`, which takes no part in equality, so that `parse(unparse(p)) == p` can be
asserted. Names are plain strings here; `typed` has symbols instead.
"""

from starplat.frontend.ast.expressions import *
from starplat.frontend.ast.statements import *
