"""Prints row expansion: loops whose arcs the threads of a group share through its memory, in any C-like language."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from starplat.backends import statements as st
from starplat.backends.c import atomics, lines
from starplat.backends.c.expressions import ExpressionPrinter
from starplat.backends.c.lines import INDENT, Printer
from starplat.backends.c.precedence import BIT_AND, PREFIX
from starplat.backends.launch import GROUP_SIZE
from starplat.backends.spelling import ATOMIC_WORDS, GroupWords
from starplat.backends.text.helpers import made_of, named
from starplat.backends.uses import variables_in
from starplat.ir import build, conditions, nodes as ir


def combined_by_group(expressions: ExpressionPrinter, group: st.CombineGroup) -> Iterator[str]:
    """The lines of the statement, from the margin."""
    element, spelling = group.result.element, expressions.spelling
    part, scratch = expressions.local(group.part), expressions.local(group.scratch)
    given = part
    if group.part.element is ir.Element.BOOL and group.combine is not ir.Combine.BIT_XOR:
        yield from _flagged_by_group(expressions, group)
        return
    if group.combine not in spelling.group_reductions:
        cells = spelling.scratch_cells * group.threads // GROUP_SIZE
        assert spelling.groups is not None
        assert spelling.groups.scratch is not None
        yield spelling.groups.scratch.format(kind=spelling.values[element], name=scratch, cells=f"[{cells}]")
    elif group.part.element is not element:
        given = f"({spelling.values[element]}){part}"
    yield f"{part} = {joined_by_group(expressions, group.combine, element, given, scratch)};"
    value = ir.Ref(ir.Variable(group.part.name, element))
    call = atomics.AtomicPrinter(expressions).call(group.combine, group.result, group.index, value, group.method)
    yield from lines.guarded(f"{spelling.lane} == 0", [f"{call};"])


def _flagged_by_group(expressions: ExpressionPrinter, group: st.CombineGroup) -> Iterator[str]:
    part, spelling, sets = ir.Ref(group.part), expressions.spelling, group.combine.is_any
    assert spelling.groups is not None
    found = expressions.expression(part if sets else build.denied(part))
    cell = expressions.cell(group.result, group.index)
    condition = f"{spelling.groups.any.format(found)} && {spelling.lane} == 0"
    yield from lines.guarded(condition, [f"{cell} = {int(sets)};"])


@dataclass(frozen=True, slots=True)
class GroupMemory:
    """Memory that a group shares, as text: `cells` of a kind, or one object of it."""

    kind: str
    name: str
    cells: int | None = None

    def declared(self, expressions: ExpressionPrinter) -> Iterator[str]:
        """The line that declares it; none where it is a parameter of the kernel."""
        words = expressions.spelling.groups
        assert words is not None
        if words.memory is None:
            return
        if words.memory_helper is not None:
            expressions.helpers.need(words.memory_helper)
        yield words.memory.format(kind=self.kind, name=self.name, cells="" if self.cells is None else f"[{self.cells}]")

    @property
    def parameter(self) -> str:
        return f"{self.kind} &{self.name}" if self.cells is None else f"{self.kind} *{self.name}"


def joined_by_group(
    expressions: ExpressionPrinter, combine: ir.Combine, element: ir.Element, part: str, scratch: str
) -> str:
    """The combined parts of a group's threads: for all of them if the target has it, else for the first alone."""
    spelling = expressions.spelling
    if combine in spelling.group_reductions:
        return spelling.group_reductions[combine].format(part=part, type=spelling.values[element])
    return f"{group_function(expressions, combine, element)}({part}, {scratch})"


def group_function(expressions: ExpressionPrinter, combine: ir.Combine, element: ir.Element) -> str:
    """The function by which a group combines values; noted as used."""
    machine = ir.Element.INT if element is ir.Element.NODE else element
    name = f"group_{ATOMIC_WORDS[combine]}_{machine.value}"
    combined = expressions.combined(combine, "value", "other", machine)
    kind = expressions.spelling.values[machine]
    expressions.helpers.need("group_combine", name=name, type=kind, combined=combined)
    return name


FEW_ASKED, FEW_OFFERS, MOST_ASKED = 4, 8, 2**14
"""How many arcs of a row a group tests at first, or takes bits from, and at most, before it looks whether that is
enough."""

MOST_ALONE, MOST_COUNTED = 8, 1024
"""The most arcs of a row whose keys a thread counts by itself, and of rows whose maps lie in a group's memory."""

MOST_CELLS, FEW_KEPT = 2048, 128
"""Cells of the tables in which a group looks up nodes, so that they fit in 32 KB with the rest, and the most nodes of a
row that has a table beside others."""

MOST_VALUES = 1024
"""How many arc values a group keeps at a time; all threads reduce a longer row."""

ROWS_OF_GROUPS = (
    *named("group_rows", "owner_of", "bring_arcs", "bring_rows", "bring_part", "node_of_all", "node_of_words"),
    *named("groups_for_each", "listed_node"),
    made_of("end_of_piece", most_values=str(MOST_VALUES)),
)
"""The program-independent helpers of row expansion, each after those that it uses."""

TABLES = made_of("group_tables", most_cells=str(MOST_CELLS), few=str(FEW_KEPT))
"""The helper of tables."""


_OverArcs = st.GroupAdvance | st.GroupAsk | st.GroupCollect | st.GroupCount | st.GroupGather


@dataclass(frozen=True)
class GroupPrinter:
    """Prints such loops; `listed` is the first element and the length of the list they run over, as text, if any; the
    first is empty where they run over numbers."""

    printer: Printer
    listed: tuple[str, str] | None

    @property
    def expressions(self) -> ExpressionPrinter:
        """The expression printer of `printer`."""
        return self.printer.expressions

    def advance(self, advance: st.GroupAdvance) -> Iterator[str]:
        nodes = advance.nodes
        yield from self.loop_head(advance)
        yield from self.row_expansion(nodes, advance.node, advance.visit, split=True)
        arcs = self.each_arc(advance, "0", self.name(nodes.count), self.printer.lines(advance.body))
        yield from _indented(arcs)
        yield "}"

    def count_key(self, count: st.CountKey) -> Iterator[str]:
        maps, name = count.maps, self.name
        given = (
            *(f"&{name(maps.maps)}", f"&{name(maps.nodes.memory)}", name(maps.nodes.owner)),
            *(name(maps.start), name(maps.stop)),
            *(f"{name(array)} + {name(maps.window)}" for array in (maps.keys, maps.sums)),
            *(self.text(count.key), self.text(count.value)),
        )
        yield f"count_key({', '.join(given)});"

    def gather(self, gather: st.GroupGather) -> Iterator[str]:
        name, nodes, expressions = self.name, gather.nodes, self.expressions
        kind, start = self.kind(gather.total), expressions.expression(gather.start)
        begin, end, count = name(gather.first), name(gather.end), name(nodes.count)
        memory = f"&{name(nodes.memory)}"
        yield from self.loop_head(gather)
        yield from self.row_expansion(nodes, gather.node, (), split=False)
        self.need_owner()
        expressions.helpers.need("end_of_piece", most_values=str(MOST_VALUES))
        yield f"{INDENT}{kind} {name(gather.total)} = {start};"
        yield f"{INDENT}for ({self.kind(nodes.count)} {begin} = 0, {end}; {begin} < {count}; {begin} = {end}) {{"
        yield f"{INDENT * 2}{end} = end_of_piece({memory}, {begin}, {count});"
        yield f"{INDENT * 2}{kind} {name(gather.joined)} = {start};"
        yield f"{INDENT * 2}#pragma unroll 4"
        kept = (f"{INDENT}{line}" for line in self.on_value(gather))
        yield from _indented(self.each_arc(gather, begin, end, [*self.printer.lines(gather.body), *kept]), 2)
        given = (memory, begin, end, name(gather.joined), name(gather.values), name(gather.total))
        joined = self.call(join_function(expressions, gather.combine, gather.total.element), *given)
        yield f"{INDENT * 2}{name(gather.total)} = {joined};"
        yield f"{INDENT}}}"
        yield from _indented(self.finish(gather))
        yield "}"

    def ask(self, ask: st.GroupAsk) -> Iterator[str]:
        name, nodes = self.name, ask.nodes
        answer, node = name(ask.answer), name(nodes.node)
        own = f"{name(ask.passing)}[{self.expressions.spelling.lane}]"
        yield from self.loop_head(ask)
        yield from self.taken_node(nodes, self.any_node(nodes))
        rows, kind = name(nodes.rows), self.kind(ask.stretch.arc)
        yield f"{INDENT}{kind} {name(ask.stretch.arc)} = {node} < 0 ? 0 : {rows}[{node}];"
        yield f"{INDENT}const {kind} {name(ask.stretch.end)} = {node} < 0 ? 0 : {rows}[{node} + 1];"
        yield f"{INDENT}bool {answer} = false;"
        yield f"{INDENT}{own} = false;"
        passes = lines.guarded(self.text(ask.condition), [f"{name(ask.passing)}[{name(nodes.owner)}] = true;"])
        tested = [*self.printer.lines(ask.body), *(f"{INDENT}{line}" for line in passes)]
        yield from _indented(self.stretches(ask, FEW_ASKED, tested, answer, own))
        yield from _indented(self.finish(ask))
        yield "}"

    def collect(self, collect: st.GroupCollect) -> Iterator[str]:
        name, nodes, lane = self.name, collect.nodes, self.expressions.spelling.lane
        complete, node, rows = name(collect.complete), name(nodes.node), name(nodes.rows)
        arc, end = name(collect.stretch.arc), name(collect.stretch.end)
        self.expressions.helpers.need("latest_shared")
        self.expressions.helpers.need("group_bits")
        places = [f"&{name(collect.lacking)}[{2 * GROUP_SIZE * i}]" for i in range(len(collect.found))]
        lacks_none = f"lacks_none({name(collect.lacking)}, {len(places)})"
        yield from self.loop_head(collect)
        yield from self.taken_node(nodes, self.any_node(nodes))
        yield f"{INDENT}{self.kind(collect.stretch.arc)} {arc} = 0, {end} = 0;"
        yield f"{INDENT}bool {complete} = true;"
        yield f"{INDENT}if ({self.text(build.at_least(ir.Ref(nodes.node), build.ZERO))}) {{"
        yield from _indented(self.named(collect.node, node, (collect.ahead, collect.wanted)), 2)
        yield from self.printer.lines(collect.ahead, 2)
        for place, wanted in zip(places, collect.wanted, strict=True):
            yield f"{INDENT * 2}lack_bits({place}, {self.text(wanted)});"
        row = self.expressions.at(PREFIX, collect.row)
        yield f"{INDENT * 2}{arc} = {rows}[{row}];"
        yield f"{INDENT * 2}{end} = {rows}[{row} + 1];"
        yield f"{INDENT * 2}{complete} = {lacks_none};"
        yield f"{INDENT}}}"
        offered = tuple(st.Declare(v, value, constant=True) for v, value in collect.offered)
        taken = [line.removeprefix(INDENT) for line in self.printer.lines(offered)]
        owner = name(nodes.owner)
        taken += (f"find_bits({at}, {owner}, {name(v)});" for at, (v, _) in zip(places, collect.offered, strict=True))
        offers = [f"{INDENT}{line}" for line in lines.guarded(self.text(collect.condition), taken)]
        tested = [*self.printer.lines(collect.body), *offers]
        yield from _indented(self.stretches(collect, FEW_OFFERS, tested, complete, lacks_none))
        yield f"{INDENT}if ({node} < 0) continue;"
        yield from _indented(self.named(collect.node, node, (collect.ahead, collect.wanted, collect.finish)))
        yield from self.printer.lines(collect.ahead)
        for place, wanted, found in zip(places, collect.wanted, collect.found, strict=True):
            bits = self.expressions.at(BIT_AND, wanted)
            yield f"{INDENT}const {self.kind(found)} {name(found)} = {bits} & ~lacked_bits({place}, {lane});"
        some = " | ".join(map(name, collect.found))
        yield f"{INDENT}if (({some}) != 0) {{"
        yield from self.printer.lines(collect.finish, 2)
        yield f"{INDENT}}}"
        yield "}"

    def stretches(
        self, loop: st.GroupAsk | st.GroupCollect, few: int, body: list[str], done: str, asked: str
    ) -> Iterator[str]:
        """The loop in which a group looks at a few arcs of each row, then at more of those that are not `done`, which
        is `asked` behind each turn. `body` is done for an arc. Both are without indentation."""
        name, kind = self.name, self.kind(loop.stretch.arc)
        arc, end, most, stop = (
            name(v) for v in (loop.stretch.arc, loop.stretch.end, loop.stretch.most, loop.stretch.stop)
        )
        node, count, memory = map(name, (loop.nodes.node, loop.nodes.count, loop.nodes.memory))
        yield f"for ({kind} {most} = {few};; {most} = {most} < {MOST_ASKED} ? 4 * {most} : {most}) {{"
        yield f"{INDENT}const {kind} {stop} = {done} ? {arc} : {end} - {arc} > {most} ? {arc} + {most} : {end};"
        yield f"{INDENT}const {kind} {count} = {self.call('bring_arcs', f'&{memory}', node, arc, stop)};"
        yield f"{INDENT}if ({count} == 0) break;"
        yield from _indented(self.each_arc(loop, "0", count, body))
        yield f"{INDENT}{self.words.wait}"
        yield f"{INDENT}{arc} = {stop};"
        yield f"{INDENT}{done} = {asked};"
        yield "}"

    def count(self, count: st.GroupCount) -> Iterator[str]:
        name, maps, nodes = self.name, count.maps, count.nodes
        start, stop, longer, node, memory = map(name, (maps.start, maps.stop, maps.longer, nodes.node, nodes.memory))
        shared, wide = f"&{name(maps.maps)}", self.kind(maps.window)
        need = self.expressions.helpers.need
        need("group_rows", "owner_of")
        need("latest_shared")
        need(
            "group_maps",
            most_counted=str(MOST_COUNTED),
            most_alone=str(MOST_ALONE),
            latest=self.expressions.latest(ir.Element.INT),
        )
        yield from self.loop_head(count)
        yield from self.taken_node(nodes, self.any_node(nodes))
        arcs, best = name(count.length.variable), name(count.best)
        yield from self.printer.lines((count.length,))
        yield f"{INDENT}int {best} = -1;"
        yield f"{INDENT}if ({arcs} <= MOST_ALONE) {{"
        yield from _indented(self.count_alone(count, node, arcs, best), 2)
        yield f"{INDENT}}}"
        yield f"{INDENT}if (some_are_longer({shared}, {arcs})) {{"
        brought = self.call("bring_arcs", f"&{memory}", node, "0", f"{arcs} <= MOST_ALONE ? 0 : {arcs}")
        yield f"{INDENT * 2}const {self.kind(nodes.count)} {name(nodes.count)} = {brought};"
        yield f"{INDENT * 2}forget_keys({shared});"
        kind, end = self.kind(maps.start), name(nodes.count)
        yield f"{INDENT * 2}for ({kind} {start} = 0, {stop}; {start} < {end}; {start} = {stop}) {{"
        yield f"{INDENT * 3}{stop} = end_of_rows(&{memory}, {start});"
        yield f"{INDENT * 3}const int {longer} = {memory}.node[owner_of(&{memory}, {start})];"
        two = f"2{self.expressions.spelling.long_suffix}"
        yield f"{INDENT * 3}const {wide} {name(maps.window)} = {two} * {self.expressions.at(PREFIX, count.first)};"
        of_longer = f"{name(maps.keys)} + {name(maps.window)}, {name(maps.sums)} + {name(maps.window)}"
        yield f"{INDENT * 3}clear_maps({shared}, {stop} - {start}, {of_longer});"
        yield from _indented(self.each_arc(count, start, stop, self.printer.lines(count.body)), 3)
        yield f"{INDENT * 3}rank_keys({shared}, &{memory}, {start}, {stop}, {of_longer});"
        yield f"{INDENT * 2}}}"
        yield f"{INDENT}}}"
        # not in the branch above: pocl loses what a local is given behind barriers under a condition
        yield f"{INDENT}if ({arcs} > MOST_ALONE) {best} = best_key({shared});"
        yield from _indented(self.finish(count))
        yield "}"

    def count_alone(self, count: st.GroupCount, node: str, arcs: str, best: str) -> Iterator[str]:
        """How a thread counts a short row by itself, without indentation."""
        keys, sums, place = map(self.name, (count.few_keys, count.few_sums, count.place))
        yield f"int {keys}[MOST_ALONE], {sums}[MOST_ALONE];"
        yield "#pragma unroll"
        yield f"for ({self.kind(count.place)} {place} = 0; {place} < MOST_ALONE; {place}++) {{"
        yield f"{INDENT}{keys}[{place}] = -1;"
        yield f"{INDENT}{sums}[{place}] = 0;"
        yield f"{INDENT}if ({place} < {arcs}) {{"
        yield from _indented(self.named(count.node, node, count.of_few), 2)
        yield from self.printer.lines(count.of_few, 2)
        yield f"{INDENT}}}"
        yield "}"
        yield f"{best} = best_of_few({keys}, {sums}, {arcs});"

    def keep_key(self, keep: st.KeepKey) -> Iterator[str]:
        keys, sums, place = map(self.name, (keep.keys, keep.sums, keep.place))
        yield f"{keys}[{place}] = {self.text(keep.key)};"
        yield f"{sums}[{place}] = {self.text(keep.value)};"

    def triangles(self, each: st.GroupTriangles) -> Iterator[str]:
        name, found, nodes = self.name, each.triangles, each.nodes
        tables, start, stop, arc, which = map(name, (each.tables, each.start, each.stop, each.arc, each.which))
        count, kind, rows = name(nodes.count), self.kind(nodes.count), name(ir.CSR.offsets)
        self.expressions.helpers.need("group_rows", "owner_of", "bring_arcs")
        self.expressions.helpers.need("group_tables", most_cells=str(MOST_CELLS), few=str(FEW_KEPT))
        yield from self.loop_head(each)
        yield from self.taken_node(nodes, self.any_node(nodes))
        given = f"&{tables}, {name(nodes.node)}, {rows}, {name(found.sizes)}"
        yield f"{INDENT}const {kind} {count} = keep_rows({given});"
        yield f"{INDENT}for ({kind} {start} = 0, {stop}; {start} < {count}; {start} = {stop}) {{"
        yield f"{INDENT * 2}{stop} = fill_tables(&{tables}, {start}, {name(found.kept)});"
        yield f"{INDENT * 2}for ({kind} {arc} = 0; {arc} >= 0;) {{"
        arrays = ", ".join(map(name, (*ir.CSR.row_arrays, found.kept, found.sizes)))
        places = f"{start}, {stop}, {arc}"
        of_each = str(found.of_each).lower()
        yield f"{INDENT * 3}{arc} = look_up(&{tables}, {of_each}, {places}, {arrays});"
        yield f"{INDENT * 3}for (int {which} = 0; {which} < nodes_to_tell({arc} < 0); {which}++) {{"
        yield f"{INDENT * 4}int {name(each.node)};"
        number = f"{self.kind(found.number)} {name(found.number)}"
        yield f"{INDENT * 4}const {number} = take_found(&{tables}, {which}, &{name(each.node)});"
        yield f"{INDENT * 4}if ({name(found.number)} == 0) continue;"
        yield from self.printer.lines(each.body, 4)
        yield f"{INDENT * 3}}}"
        yield f"{INDENT * 2}}}"
        yield f"{INDENT}}}"
        yield "}"

    # --- parts of the loops ------------------------------------------------------------------------------------------

    def loop_head(self, loop: st.GroupLoop) -> Iterator[str]:
        """The declarations of group memory, and the head of the loop over nodes: one node for each thread at a time."""
        need, spelling, begin = self.expressions.helpers.need, self.expressions.spelling, self.name(loop.nodes.begin)
        need("group_rows", "bring_arcs")
        for memory in memory_of(loop, self.expressions):
            yield from memory.declared(self.expressions)
        size = self.size(loop.nodes)
        if self.listed is not None and size != self.listed[1]:
            yield f"const int {size} = {self.listed[1]};"
        yield f"for (int {begin} = 0; {begin} < {size}; {begin} += {spelling.threads}) {{"

    def row_expansion(self, nodes: st.RowExpansion, node: ir.Variable, visit: st.Body, *, split: bool) -> Iterator[str]:
        """Each thread adds one row. With `split`, several groups may share a row if they outnumber the listed nodes."""
        name, need = self.name, self.expressions.helpers.need
        rows = (f"&{name(nodes.memory)}", name(nodes.node), name(nodes.rows))
        begin, groups = name(nodes.begin), "1"
        if self.listed is None:
            found = self.any_node(nodes)
        elif isinstance(nodes.listed, ir.InWords):
            need("node_of_all", "node_of_words")
            found = self.call("node_of_words", self.listed[0], begin, self.size(nodes), self.expressions.num_nodes)
        else:
            need("listed_node")
            first, size = self.listed[0], self.size(nodes)
            if split:
                need("groups_for_each")
                groups = name(nodes.groups)
                yield f"{INDENT}const int {groups} = {self.call('groups_for_each', size)};"
            found = self.call("listed_node", first, begin, size, groups)
        yield from self.taken_node(nodes, found)
        if visit:
            yield f"{INDENT}if ({self.text(build.at_least(ir.Ref(nodes.node), build.ZERO))}) {{"
            yield from _indented(self.named(node, name(nodes.node), visit), 2)
            yield from self.printer.lines(visit, 2)
            yield f"{INDENT}}}"
        if groups == "1":
            need("bring_rows")
            count = self.call("bring_rows", *rows)
        else:
            need("bring_part")
            count = self.call("bring_part", *rows, groups)
        yield f"{INDENT}const {self.kind(nodes.count)} {name(nodes.count)} = {count};"

    def any_node(self, nodes: st.RowExpansion) -> str:
        """The node of all that a thread takes."""
        self.expressions.helpers.need("node_of_all")
        return self.call("node_of_all", self.name(nodes.begin), self.size(nodes))

    def taken_node(self, nodes: st.RowExpansion, found: str) -> Iterator[str]:
        """The node that a thread takes, -1 if it is not to be kept."""
        node = self.name(nodes.node)
        yield f"{INDENT}{'const ' * (nodes.keep is None)}int {node} = {found};"
        if nodes.keep is not None:
            exists = build.at_least(ir.Ref(nodes.node), build.ZERO)
            dropped = build.both(exists, conditions.negated(nodes.keep))
            yield f"{INDENT}if ({self.text(dropped)}) {node} = -1;"

    def size(self, nodes: st.RowExpansion) -> str:
        """The number of nodes of the loop, as text: a local if it is an expression."""
        if self.listed is None:
            return self.expressions.num_nodes
        return self.listed[1] if self.listed[1].isidentifier() else self.name(nodes.size)

    def each_arc(self, loop: _OverArcs, begin: str, end: str, body: list[str]) -> Iterator[str]:
        """The loop of a group over the arcs of its rows; `body` is its body, both without indentation."""
        name, nodes, spelling = self.name, loop.nodes, self.expressions.spelling
        kind, place, owner, memory = self.kind(nodes.count), name(nodes.place), name(nodes.owner), name(nodes.memory)
        first = spelling.lane if begin == "0" else f"{begin} + {spelling.lane}"
        yield f"for ({kind} {place} = {first}; {place} < {end}; {place} += {GROUP_SIZE}) {{"
        done: object = loop.body
        if isinstance(loop, st.GroupAsk):
            done = (loop.body, loop.condition)
        elif isinstance(loop, st.GroupCollect):
            done = (loop.body, loop.condition, loop.offered)
        uses = variables_in(done)
        if (
            isinstance(loop, st.GroupAsk | st.GroupCollect | st.GroupCount)
            or loop.node in uses
            or loop.position in uses
        ):
            self.need_owner()
            found = f"owner_of(&{memory}, {place})"
            if isinstance(loop, st.GroupCount):
                found = f"own_place(&{name(loop.maps.maps)}, &{memory}, {begin}, {end}, {place})"
            yield f"{INDENT}const int {owner} = {found};"
        yield from _indented(self.named(loop.node, f"{memory}.node[{owner}]", done))
        if loop.position in uses:
            yield f"{INDENT}const {kind} {name(loop.position)} = {place} + {memory}.shift[{owner}];"
        yield from body
        yield "}"

    def on_value(self, gather: st.GroupGather) -> Iterator[str]:
        """The statements that keep an arc's value, or reduce it where the piece is one long row."""
        begin, end, joined, value = map(self.name, (gather.first, gather.end, gather.joined, gather.value))
        combined = self.expressions.combined(gather.combine, joined, value, gather.total.element)
        yield f"if ({end} - {begin} > {MOST_VALUES}) {{"
        yield f"{INDENT}{joined} = {combined};"
        yield "} else {"
        yield f"{INDENT}{self.name(gather.values)}[{self.name(gather.nodes.place)} - {begin}] = {value};"
        yield "}"

    def finish(self, gather: st.GroupAsk | st.GroupCount | st.GroupGather) -> Iterator[str]:
        """The statements for a node, without indentation. They end the loop's body, so `continue` skips them."""
        node = self.name(gather.nodes.node)
        yield f"if ({node} < 0) continue;"
        yield from self.named(gather.node, node, gather.finish)
        yield from self.printer.lines(gather.finish, 0)

    def named(self, node: ir.Variable, place: str, body: object) -> Iterator[str]:
        """The declaration of the program's node variable, if `body` uses it."""
        if node in variables_in(body):
            yield f"const int {self.name(node)} = {place};"

    def call(self, function: str, *arguments: str) -> str:
        """A call of a function that needs the calling thread's index."""
        return f"{function}({self.words.gives}{', '.join(arguments)})"

    def need_owner(self) -> None:
        """Requests the helper function that finds the owner of an arc."""
        self.expressions.helpers.need("owner_of")

    @property
    def words(self) -> GroupWords:
        assert self.expressions.spelling.groups is not None
        return self.expressions.spelling.groups

    # --- spellings ---------------------------------------------------------------------------------------------------

    def name(self, what: ir.Variable | ir.Array) -> str:
        return self.expressions.local(what)

    def kind(self, variable: ir.Variable) -> str:
        """The type of a local."""
        return self.expressions.spelling.values[variable.element]

    def text(self, expression: ir.Expression) -> str:
        return self.expressions.expression(expression)


def join_function(expressions: ExpressionPrinter, combine: ir.Combine, element: ir.Element) -> str:
    """The name of the function that reduces the values of a piece; requests it as a helper."""
    function, for_all = f"join_{combine.name.lower()}_{element.value}", combine in expressions.spelling.group_reductions
    expressions.helpers.need(
        "join_values",
        name=function,
        type=expressions.spelling.values[element],
        combined=expressions.combined(combine, "total", "other", element),
        reduced=joined_by_group(expressions, combine, element, "joined", "values"),
        reduced_value="joined" if for_all else "values[0]",
        for_all="yes" * for_all,
        most_values=str(MOST_VALUES),
    )
    return function


def memory_of(loop: st.GroupLoop, expressions: ExpressionPrinter) -> tuple[GroupMemory, ...]:
    """The group memory that such a loop declares."""
    rows = GroupMemory("GroupRows", expressions.local(loop.nodes.memory))
    match loop:
        case st.GroupAdvance():
            return (rows,)
        case st.GroupAsk():
            return (GroupMemory("int", expressions.local(loop.passing), GROUP_SIZE), rows)
        case st.GroupCollect():
            cells = 2 * GROUP_SIZE * len(loop.found)
            return (GroupMemory("int", expressions.local(loop.lacking), cells), rows)
        case st.GroupCount():
            return (GroupMemory("GroupMaps", expressions.local(loop.maps.maps)), rows)
        case st.GroupTriangles():
            return (GroupMemory("GroupTables", expressions.local(loop.tables)),)
    kind = expressions.spelling.values[loop.total.element]
    return (GroupMemory(kind, expressions.local(loop.values), MOST_VALUES), rows)


def _indented(lines: Iterable[str], depth: int = 1) -> Iterator[str]:
    for line in lines:
        yield f"{INDENT * depth}{line}"
