"""Brings programs that compute core numbers to canonical form."""

from starplat.frontend import typed
from starplat.operators.canonical.counts.change_flags import without_change_flags
from starplat.operators.canonical.counts.falling_bounds import as_peeling
from starplat.operators.canonical.counts.peelings import as_peelings


def with_counts(body: typed.Block) -> typed.Block:
    """The body of a function that the host calls, with bounds that fall as peelings, and with peelings in one loop."""
    return as_peelings(without_change_flags(as_peeling(body)))
