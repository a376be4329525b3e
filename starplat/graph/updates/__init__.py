"""Updates of a graph: an ordered list of arcs to add and to delete, and the graph after some of them."""

from starplat.graph.updates.changed import Changed
from starplat.graph.updates.objects import updates_from
from starplat.graph.updates.spelt import read_updates
from starplat.graph.updates.updates import ADD, DELETE, Updates

__all__ = ["ADD", "DELETE", "Changed", "Updates", "read_updates", "updates_from"]
