"""Brings counts of neighbors in a set to canonical form: the rewrites in their order."""

from __future__ import annotations

from starplat.frontend import typed
from starplat.operators.canonical.counts.change_flags import without_change_flags
from starplat.operators.canonical.counts.ends import asked_of_ends
from starplat.operators.canonical.counts.joining import done_on_joining
from starplat.operators.canonical.counts.kept import with_kept_counts
from starplat.operators.canonical.counts.nested import in_what_was_left
from starplat.operators.canonical.counts.ones import with_ones_counted
from starplat.operators.canonical.counts.round_marks import with_flags_for_marks
from starplat.operators.canonical.counts.sequential_peeling import left_at_once
from starplat.operators.canonical.counts.signs import compared_with_none
from starplat.operators.canonical.counts.survivors import told_on_leaving
from starplat.operators.canonical.filters import with_filters
from starplat.operators.canonical.labels.truths import as_truths


def with_counts(body: typed.Block) -> typed.Block:
    """The body of a function that the host calls, with such counts in canonical form.

    Sums of ones are counts before numbers become flags again, as some hold fewer once others are marks. Flags of
    arcs are replaced first, so that counts are of members of sets, and flags of changes are dropped. Peelings are
    nested before counts are maintained, since no set is filled in every round then. Loops over members are fused
    last, when no count reads them.
    """
    flagged = without_change_flags(
        as_truths(with_flags_for_marks(compared_with_none(with_ones_counted(left_at_once(body)))))
    )
    asked = with_filters(asked_of_ends(flagged))
    counted = with_filters(with_kept_counts(in_what_was_left(asked)))
    return told_on_leaving(done_on_joining(counted))
