"""Statements of a C-like language in which every decision is taken: the output of legalisation.

What an update of a shared cell becomes, in which local a value waits, where a loop ends: all of it stands here, and a
printer only spells it. Expressions are those of the intermediate form.
"""

from starplat.backends.statements.blocks import *
from starplat.backends.statements.cells import *
from starplat.backends.statements.launches import *
from starplat.backends.statements.plain import *
from starplat.backends.statements.routines import *
