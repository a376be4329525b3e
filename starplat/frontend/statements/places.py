"""Checks assignment targets: a variable, a cell, a whole property, part of a collection.

Notes that it is written; refuses iterators, graphs, an edge's own attributes and the "properties" of a graph.
"""

from starplat.diagnostics import Label
from starplat.frontend import ast, builtins, typed, types, walk
from starplat.frontend.context import Context, Thing
from starplat.frontend.expressions import expressions, lists
from starplat.frontend.expressions.members import attribute, index
from starplat.frontend.typed import Cell, Place, Role, Variable

PlaceOrWhole = Place | Thing | typed.MapValue | typed.UnsupportedValue


def place(context: Context, target: ast.Expression) -> PlaceOrWhole | None:
    """What an assignment's left-hand side denotes: a variable, a cell, a whole property, or part of a collection."""
    match target:
        case ast.Identifier():
            return _named_place(context, target)
        case ast.Attribute():
            if (base := expressions.value(context, target.value)) is None:
                return None
            if isinstance(base, Thing) and isinstance(base.type, types.GraphType):
                _refuse_graph_property(context, base, target)
                return None
            found = attribute(context, base, target.name, target.span)
            return _cell_place(context, found, target)
        case ast.Index():
            base, position = expressions.value(context, target.value), expressions.expression(context, target.index)
            if base is None or position is None:
                return None
            return _cell_place(context, index(context, base, position, target.span), target)
        case _:
            context.error("E0309", "only a variable or a property's cell can be assigned", target.span)
            return None


def _named_place(context: Context, target: ast.Identifier) -> Place | Thing | None:
    if (binding := context.find(target.name, target.span)) is None or binding.symbol is None:
        return None
    symbol = binding.symbol
    if symbol.role is Role.ITERATOR or binding.fixed:
        related = [Label(binding.span, "its loop")]
        context.error("E0311", f"'{target.name}' is changed by its loop only", target.span, related=related)
        return None
    if binding.counter and context.parallel_depth > symbol.parallel_depth:
        related = [Label(binding.span, f"'{target.name}' counts this loop")]
        context.error(
            "E0410", f"the loop counter '{target.name}' is changed inside a forall", target.span, related=related
        )
        return None
    if types.is_list(symbol.type) and not lists.is_at_hand(context, binding, target.span):
        return None
    context.mark_written(symbol)
    match symbol.type:
        case types.Scalar():
            return Variable(symbol, span=target.span)
        case types.GraphType() | types.SetType() | types.MapType():
            related = [Label(binding.span, "declared here")]
            message = f"'{target.name}' is {types.described(symbol.type)} and cannot be assigned"
            context.error("E0309", message, target.span, related=related)
            return None
        case types.Void() | types.Several():
            raise AssertionError(symbol)
        case kind:
            return Thing(kind, symbol, target.name, target.span)


def _refuse_graph_property(context: Context, base: Thing, target: ast.Attribute) -> None:
    name = target.name.text
    binding = context.scopes.find(name)
    related = [] if binding is None else [Label(binding.span, f"'{name}' is declared here")]
    edges = binding is not None and binding.symbol is not None and str(binding.symbol.type).startswith("propEdge")
    help = f"to set it at every {'edge' if edges else 'node'}, write "
    help += f"'{base.construct}.attach{'Edge' if edges else 'Node'}Property({name} = …)'"
    context.error(
        "E0310", f"'{base.construct}' is a graph, it has no property to assign", target.span, related=related, help=help
    )


def _cell_place(
    context: Context, found: typed.Expression | Thing | None, target: ast.Expression
) -> PlaceOrWhole | None:
    match found:
        case None:
            return None
        case Cell():
            context.mark_written(found.symbol)
            _note_whose_cell(context, found)
            return found
        case typed.MapValue() | typed.ListItem():
            context.mark_written(found.symbol)
            return found
        case Thing() | typed.UnsupportedValue():
            return found
        case _:
            _refuse_builtin(context, target)
            return None


def _note_whose_cell(context: Context, cell: Cell) -> None:
    """Remembers a write to a cell that is not of a node or edge that the function was given."""
    index = walk.as_named(cell.index)
    own = isinstance(index, Variable) and index.symbol.role in (Role.PARAMETER, Role.REFERENCE)
    if not own:
        context.note_foreign_write(cell.span, f"writes '{cell.symbol.name}' here")


def _refuse_builtin(context: Context, target: ast.Expression) -> None:
    name = target.name.text if isinstance(target, ast.Attribute) else ""
    if (binding := context.scopes.find(name)) is not None and binding.symbol is None:
        return  # a property of this name was refused
    if name == "weight":
        help = "declare 'propEdge<int> weight' as a parameter or a local, and write that"
        context.error("E0309", "the loaded weights cannot be assigned", target.span, help=help)
    else:
        assert name in builtins.EDGE_ATTRIBUTES, target
        context.error(
            "E0309", f"the '{name}' of an edge cannot be assigned", target.span, help="it belongs to the graph"
        )
