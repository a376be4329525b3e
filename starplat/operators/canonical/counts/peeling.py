"""Counts of neighbors that are still in a set, in their canonical form: the rewrites, in their order."""

from __future__ import annotations

from starplat.frontend import typed
from starplat.operators.canonical.counted import without_counters
from starplat.operators.canonical.counts.ends import asked_of_ends
from starplat.operators.canonical.counts.joining import done_on_joining
from starplat.operators.canonical.counts.kept import with_kept_counts
from starplat.operators.canonical.counts.nested import in_what_was_left
from starplat.operators.canonical.counts.signs import asked_for_none
from starplat.operators.canonical.counts.survivors import told_on_leaving
from starplat.operators.canonical.counts.turns import flagged_in_turn
from starplat.operators.canonical.filters import with_filters


def with_counts(body: typed.Block) -> typed.Block:
    """The body of a function that the host calls, with such counts.

    Flags of arcs that follow from sets go first, so that counts are of members. Sets are nested before counts are kept,
    as nothing is counted anew then; what is done to members comes together after that, as no count sees them any more.
    """
    asked = with_filters(asked_of_ends(flagged_in_turn(asked_for_none(without_counters(body)))))
    counted = with_filters(with_kept_counts(in_what_was_left(asked)))
    return told_on_leaving(done_on_joining(counted))
