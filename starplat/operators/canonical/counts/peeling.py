"""Brings counts of neighbors in a set to canonical form: the rewrites in their order."""

from starplat.frontend import typed
from starplat.operators.canonical.counts import change_flags, ends, joining, kept, nested, ones, round_marks
from starplat.operators.canonical.counts.falling_bounds import as_peeling
from starplat.operators.canonical.counts.one_loop import in_one_loop
from starplat.operators.canonical.counts.removed_in_copies import with_marks_for_copies
from starplat.operators.canonical.counts.sequential_peeling import left_at_once
from starplat.operators.canonical.counts.signs import compared_with_none
from starplat.operators.canonical.filters import with_filters
from starplat.operators.canonical.labels.truths import as_truths


def with_counts(body: typed.Block) -> typed.Block:
    """The body of a function that the host calls, with such counts in canonical form.

    Bounds that fall become a peeling first, which the others read. Sums of ones are counts before numbers become flags
    again, as some hold fewer once others are marks. Flags of arcs are replaced first, so that counts are of members of
    sets, and flags of changes are dropped. Peelings are nested before counts are maintained, since no set is filled in
    every round then. Loops over members are fused last, when no count reads them.
    """
    counted = ones.with_ones_counted(left_at_once(as_peeling(body)))
    flagged = as_truths(round_marks.with_flags_for_marks(compared_with_none(counted)))
    flagged = with_marks_for_copies(flagged)
    asked = with_filters(ends.asked_of_ends(change_flags.without_change_flags(flagged)))
    counted = with_filters(kept.with_kept_counts(nested.in_what_was_left(asked)))
    return in_one_loop(joining.done_on_joining(counted))
