"""Prints the records of a traced persistent kernel: the time at a point, and the number of active nodes."""

from collections.abc import Iterator

from starplat.backends import statements as st
from starplat.backends.c.lines import Printer
from starplat.backends.c.set_forms import need_of_list, need_visit
from starplat.backends.launch import MOST_RECORDS
from starplat.backends.text.helpers import Helpers


def need_records(helpers: Helpers) -> None:
    helpers.need("records", most_records=str(MOST_RECORDS))


def recorded(printer: Printer, record: st.Record) -> Iterator[str]:
    """The lines of a record, from the margin."""
    expressions, need = printer.expressions, printer.expressions.helpers.need
    need_records(expressions.helpers)
    begin = f"run_records, {record.point}"
    rows = "(const arc_t *)nullptr" if record.rows is None else expressions.local(record.rows)
    if record.members is not None:
        need_visit(expressions.helpers, record.members)
        need("record_counts")
        need_of_list(expressions.helpers, "record_members", record.members)
        head = f"record_members({begin}, {expressions.local(record.members)}, num_nodes, {rows}"
    elif record.listed is not None:
        need("record_counts", "record_listed")
        array, first, last = record.listed
        ends = f"{expressions.expression(first)}, {expressions.expression(last)}"
        head = f"record_listed({begin}, {expressions.local(array)}, {ends}, {rows}"
    elif record.node is not None:
        need("record_counts", "record_nodes")
        head = f"record_nodes({begin}, num_nodes, {rows}"
    else:
        yield f"record_point({begin}, {'true' if record.new_round else 'false'});"
        return
    if record.keep is None or record.node is None:
        need("every_node")
        yield f"{head}, every_node);"
    else:
        node = expressions.local(record.node)
        yield f"{head},"
        yield f"    [&](int {node}) {{ return {expressions.expression(record.keep)}; }});"
