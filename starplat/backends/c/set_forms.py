"""The functions of `templates/cuda_family/sets.jinja` for each packing of sets.

Printers ask here for the functions that they call; no other printer knows how a set is stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from starplat.backends.launch import GROUPS_OF_A_CLUSTER, MOST_LISTED, SET_WORDS, most_new
from starplat.backends.text.helpers import Helper, Helpers
from starplat.ir import nodes as ir


@dataclass(frozen=True, slots=True)
class Form:
    """`words` is how a set's bits are reached, `bits` or `layers`; `list` whether its members are listed: `none`,
    `short` (while they are few), `shared` (while they are few, in the memory of a cluster's groups) or `whole`."""

    words: str
    list: str


FORMS: Mapping[ir.Packing, Form] = {
    ir.Packing.SWITCHED: Form("bits", "short"),
    ir.Packing.SHARED: Form("bits", "shared"),
    ir.Packing.LIST: Form("bits", "whole"),
    ir.Packing.BITS: Form("bits", "none"),
    ir.Packing.LAYERS: Form("layers", "none"),
}


def packing_of(members: ir.Array) -> ir.Packing:
    assert members.packed is not None, f"'{members.name}' is no set"
    return members.packed


def need_frontier(helpers: Helpers, members: ir.Array) -> None:
    """Notes the type of sets and the insertion."""
    packing = packing_of(members)
    form, sizes = FORMS[packing], str(SET_WORDS[packing].sizes)
    if form.list == "shared":
        helpers.need("clusters")
        noted = str(most_new(packing, helpers.sets, wide=helpers.wide))
        helpers.need("frontier_shared", most_new=noted, most_blocks=str(GROUPS_OF_A_CLUSTER))
        helpers.need("put_off", "tell", "mark_listed")
        return
    listed = str(MOST_LISTED) if form.list == "short" else ""
    helpers.need("frontier", words=form.words, list=form.list, size_words=sizes, most_listed=listed)
    helpers.need(f"mark_{form.words}")
    helpers.need(f"note_{form.list}", most_new=str(most_new(packing, helpers.sets, wide=helpers.wide)))
    helpers.need("inserted")


def need_insertion(
    helpers: Helpers, members: ir.Array, *, alone: bool = False, new: bool = False, own: bool = False
) -> str:
    """Notes the function that inserts a node, and returns its name; `own` where threads that are together may insert
    theirs at once."""
    form = FORMS[packing_of(members)]
    new = new and form.list == "shared"
    if own and packing_of(members) is ir.Packing.SWITCHED:
        helpers.need("insert_own")
        return "insert_own"
    if form.list == "shared":
        helpers.need(*(("list_new", "insert_new") if new else (f"mark_{form.words}",)))
        helpers.need(*(() if new or alone else ("list_new", "insert_shared")))
    if alone:
        need_of_list(helpers, "insert_alone", members)
    return "insert_alone" if alone else "insert_new" if new else "insert"


def need_end(helpers: Helpers, members: ir.Array, *, together: bool) -> str:
    """Notes the function that ends the inserting, and returns its name; `together` where a group's threads have met."""
    if FORMS[packing_of(members)].list == "shared" and not together:
        helpers.need("inserted_shared")
    return "tell_all" if together else "inserted"


def puts_in_together(members: ir.Array) -> bool:
    """Whether a warp can put its nodes into a set together: a bit for each, and no list of all."""
    form = FORMS[packing_of(members)]
    return form.words == "bits" and form.list in ("none", "short")


_WALKED_AS = {"shared": "short"}
"""Kinds of lists that share the functions of another kind."""


def need_query(helpers: Helpers, query: str, members: ir.Array) -> None:
    """Notes a function that answers a query about a set, such as `is_empty`."""
    shared = FORMS[packing_of(members)].list == "shared" and query in ("has_many", "is_empty")
    helpers.need(f"{query}_shared" if shared else query)


def need_visit(helpers: Helpers, members: ir.Array) -> None:
    """Notes the walk over a set's members."""
    form = FORMS[packing_of(members)]
    need_frontier(helpers, members)
    helpers.need("begin_anew_shared" if form.list == "shared" else "begin_anew")
    if form.list != "whole":
        _need_words(helpers, form)
        helpers.need("sum_up_to", "visit_bits", f"visit_marked_{form.words}")
    if form.list != "none":
        need_listed(helpers, members)
        helpers.need("visit_list_shared" if form.list == "shared" else "visit_list")
    helpers.need(f"visit_members_{_WALKED_AS.get(form.list, form.list)}")


def need_advance(helpers: Helpers, members: ir.Array) -> None:
    """Notes the walk over the arcs of a set's members."""
    if FORMS[packing_of(members)].list == "shared":
        helpers.need("team_bits", "advance_share")
    need_of_list(helpers, "advance_members", members)


def clearing(helpers: Helpers, members: ir.Array) -> str:
    """The function that takes all members out, which is noted."""
    if FORMS[packing_of(members)].list != "shared":
        return "clear"
    helpers.need("clear_bits_shared", "clear_shared")
    return "clear_shared"


def need_beginning(helpers: Helpers, members: ir.Array) -> None:
    """Notes the function that leaves one member."""
    form = FORMS[packing_of(members)]
    helpers.need("begin_with", list=form.list, words=form.words)


def need_listed(helpers: Helpers, members: ir.Array) -> None:
    """Notes the test whether a set's list has all members, and their number."""
    form = FORMS[packing_of(members)]
    helpers.need(f"listed_{_WALKED_AS.get(form.list, form.list)}")


def need_listing(helpers: Helpers, members: ir.Array) -> None:
    """Notes the function that writes a set's members elsewhere."""
    form = FORMS[packing_of(members)]
    if form.list != "none":
        need_listed(helpers, members)
    if form.list != "whole":
        _need_words(helpers, form)
        helpers.need("sum_up_to")
    helpers.need("list_members", list=form.list)


CLUSTER = "in_cluster"
"""The namespace of the sets that the groups of a cluster share: a program has others beside them."""


def set_helpers(packing: ir.Packing, *, clusters: bool = False) -> tuple[Helper, ...]:
    """All of them for sets that are kept in one way, of launches with few sets; `clusters` tells that launches take
    turns."""
    needed = _set_helpers(packing)
    if packing is not ir.Packing.SHARED:
        return tuple(helper for helper in needed if clusters or helper.macro not in _CROSSING["short"])
    return tuple(replace(helper, space=CLUSTER * (helper.macro in CLUSTER_MACROS)) for helper in needed)


def _set_helpers(packing: ir.Packing) -> tuple[Helper, ...]:
    members = ir.Array("members", ir.Element.BOOL, ir.Extent.NODES, ir.Origin.TEMPORARY, packed=packing)
    helpers = Helpers(sets=1)
    need_frontier(helpers, members)
    need_visit(helpers, members)
    need_listing(helpers, members)
    need_insertion(helpers, members)
    need_insertion(helpers, members, alone=True)
    if packing is not ir.Packing.SHARED:
        need_beginning(helpers, members)
    need_end(helpers, members, together=False)
    for macro in ("contains", "has_many", "has_some", "is_empty", "size_of_set", "each_member"):
        need_query(helpers, macro, members)
    need_advance(helpers, members)
    helpers.need("advance", "advance_and_keep", "gather_members", "gather", "gather_and_keep")
    if puts_in_together(members):
        helpers.need("insert_together", "advance_in_parts")
    if not has_whole_list(members):
        need_of_list(helpers, "gather_noted", members)
        helpers.need("gather_places", "gather_places_and_keep")
    if FORMS[packing].list == "short":
        helpers.need("advance_near")
    helpers.need(*_CROSSING.get(FORMS[packing].list, ()))
    if packing is ir.Packing.SHARED:
        helpers.need(*_WITHOUT_SETS)
    return tuple(helper for helper in helpers.needed if helper.macro not in _OF_ROWS)


_WITHOUT_SETS = ("reached", "note_reached", "reach", "team_bits", "each_at_once", "gather_ready", "gather_behind")
"""Functions of clusters that know no sets."""

_CROSSING = {
    "short": ("set_left", "leave"),
    "shared": (
        *("insert_new", "shared_out", "leave_shared", "clear_shared"),
        *("look_ahead", "advance_ahead", "advance_and_gather", "advance_and_gather_ahead"),
    ),
}
"""Functions by which a launch leaves its sets to another one, and finds them, by the kind of list."""

_OF_ROWS = ("warp_number", "sum_up_to")
"""Functions used outside of sets too."""


def has_whole_list(members: ir.Array | None) -> bool:
    """Whether a set has a list of all its members at any time."""
    return members is not None and FORMS[packing_of(members)].list == "whole"


def _need_words(helpers: Helpers, form: Form) -> None:
    """Notes the walk over a set's bits, word by word."""
    helpers.need("warp_number" if form.words == "bits" else "sum_up_to")
    helpers.need(f"visit_words_{form.words}")


def need_of_list(helpers: Helpers, helper: str, members: ir.Array) -> None:
    """Notes a function of which a part depends on how a set is listed."""
    form = FORMS[packing_of(members)]
    if helper == "gather_noted" and form.list == "shared":
        helpers.need("clear_bits_shared", "team_bits", "gather_ready", "gather_share")
    helpers.need(helper, list=form.list)


CLUSTER_MACROS = frozenset(
    {helper.macro for helper in _set_helpers(ir.Packing.SHARED)} - {"clusters", *_WITHOUT_SETS} | {"record_members"}
)
"""The helpers of the namespace."""
