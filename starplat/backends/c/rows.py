"""Prints loops whose threads share the arcs of nodes: of all, of a set, of a list, of searching nodes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import overload

from starplat.backends import launch, statements as st, uses
from starplat.backends.c.expressions import ExpressionPrinter
from starplat.backends.c.lines import INDENT, Printer
from starplat.backends.c.precedence import SUM
from starplat.backends.c.set_forms import (
    FORMS,
    has_whole_list,
    need_advance,
    need_insertion,
    need_of_list,
    need_visit,
    packing_of,
    puts_in_together,
)
from starplat.backends.legal.inside import without_unread
from starplat.ir import build, conditions, nodes as ir
from starplat.ir.shapes.listed import known_length, listed_length

_OverNodes = st.Advance | st.Ask | st.Gather | st.Search


@dataclass(frozen=True)
class RowPrinter:
    """Prints calls of the functions that share arcs out."""

    printer: Printer

    @property
    def expressions(self) -> ExpressionPrinter:
        return self.printer.expressions

    def each_member(self, each: st.EachMember) -> Iterator[str]:
        need_visit(self.expressions.helpers, each.members)
        self.expressions.helpers.need("each_member")
        name, function = self.expressions.local, "take_members" if each.takes else "each_member"
        yield f"{function}({name(each.members)}, num_nodes, [&](int {name(each.node)}) {{"
        yield from self.printer.lines(each.body)
        yield "});"

    def each_kept(self, each: st.EachKept) -> Iterator[str]:
        if each.flags is not None:
            self.expressions.helpers.need("each_flagged")
            yield f"each_flagged({self.expressions.expression(each.end)}, {self.expressions.local(each.flags)},"
            yield from self.function(f"(arc_t {self.expressions.local(each.number)})", each.body, ");")
            return
        self.expressions.helpers.need("each_kept")
        name, end = self.expressions.local(each.number), self.expressions.expression(each.end)
        given = f"[&]({self.expressions.spelling.values[each.number.element]} {name}) {{"
        yield f"each_kept({end},"
        yield f"{INDENT}{given} return {self.expressions.expression(each.keep)}; }},"
        yield f"{INDENT}{given}"
        yield from self.printer.lines(each.body, 2)
        yield f"{INDENT}}});"

    def advance(self, advance: st.Advance) -> Iterator[str]:
        name = self.expressions.local
        if advance.follows is not None:
            yield from self.follow(advance, advance.follows)
            return
        if advance.ahead is not None:
            yield from self.advance_ahead(advance, advance.ahead)
            return
        if advance.short_rows:
            yield from self.advance_short_rows(advance)
            return
        all_nodes = advance.members is None and advance.listed is None and advance.keep is None
        if all_nodes and not advance.visit and advance.part is None:
            self.expressions.helpers.need("advance_arcs")
            yield f"advance_arcs(num_nodes, {name(advance.rows)},"
        else:
            yield from self.over_nodes(advance, "advance")
        streamed = {ir.Ref(advance.position)} if advance.few and not self.reads_far(advance.body) else set()
        self.expressions.streamed |= streamed
        yield from self.of_arcs(advance, f"(int {name(advance.node)}, arc_t {name(advance.position)})", ");")
        self.expressions.streamed -= streamed

    def of_arcs(self, loop: st.Advance | st.Gather, head: str, end: str, kind: str = "") -> Iterator[str]:
        """An argument that is the work on an arc, or its value of some `kind`; with a test, if there is one."""
        body = loop.body if isinstance(loop, st.Advance) else loop.value
        if not loop.test:
            yield from self.function(f"{head}{kind}", body, end)
            return
        helpers = ("row_arcs_where", "share_arcs_where") if isinstance(loop, st.Advance) else ()
        self.expressions.helpers.need("where", *helpers)
        yield f"{INDENT}where([&]{head} {{"
        yield from self.printer.lines(loop.test, 2)
        yield f"{INDENT}}}, [&]{head}{kind} {{"
        yield from self.printer.lines(body, 2)
        yield f"{INDENT}}}){end}"

    def advance_and_gather(self, both: st.AdvanceAndGather) -> Iterator[str]:
        advance, gather = both.advance, both.gather
        name, need = self.expressions.local, self.expressions.helpers.need
        self.called(advance, "advance")
        self.called(gather, "gather")
        need("advance_and_gather", "every_node")
        assert gather.noted is not None
        given = [name(gather.noted.flags), self.behind(gather.noted.array, gather.noted.first), "num_nodes"]
        function, of_walk, of_sums, neighbor = "advance_and_gather", [name(advance.rows)], [name(gather.rows)], ""
        if (ahead := advance.ahead) is not None and gather.behind is not None:
            function, neighbor = "advance_and_gather_ahead", f", int {name(ahead.neighbor)}"
            need(function)
            given.append(name(ahead.found))
            of_walk.append(name(ahead.columns))
            of_sums += map(name, uses.arrays_in((gather.behind.neighbor,)))
            assert gather.kept is not None
            yield from self.read_kept(gather.kept)
        yield f"{function}({', '.join((*given, *of_walk))},"
        yield from self.of_arcs(advance, f"(int {name(advance.node)}, arc_t {name(advance.position)}{neighbor})", ",")
        yield f"{INDENT}{', '.join((*of_sums, self.start(gather)))},"
        yield from self.joined(gather)

    def look_ahead(self, look: st.LookAhead) -> Iterator[str]:
        name, helpers = self.expressions.local, self.expressions.helpers
        need_visit(helpers, look.members)
        self.need_for_rows(*_NEEDS[st.Advance, False])
        need_advance(helpers, look.members)
        helpers.need("look_ahead", sums="true" * helpers.keeps)
        helpers.need(*("advance_ahead",) if look.sums is None else ("advance_and_gather", "advance_and_gather_ahead"))
        offer = look.offer
        if look.declares and offer is not None:
            yield from self.offer(offer)
        given = [*map(name, (look.members, look.rows, look.columns, *(look.sums or ())))]
        if look.many or offer is not None:
            given.append("2 * FEW_AHEAD" if look.many else "FEW_AHEAD")
        if offer is not None:
            given.append(name(offer.function))
        yield f"{'auto ' * look.declares}{name(look.found)} = look_ahead({', '.join(given)});"

    def offer(self, offer: st.Offer) -> Iterator[str]:
        name, kind = self.expressions.local, self.expressions.spelling.values[offer.offered.element]
        here = f"{name(offer.cell.array)}[{name(offer.node)}]"
        yield f"{kind} {name(offer.offered)} = 0;  // by a thread's arc"
        yield f"const auto {name(offer.function)} = [&](int {name(offer.node)}, arc_t {name(offer.position)}) {{"
        yield f"{INDENT}const {kind} {name(offer.now)} = *(volatile {kind} *)&{here};  // not what a cache has kept"
        yield f"{INDENT}{name(offer.offered)} = {self.expressions.expression(offer.candidate)};"
        yield "};"

    def advance_ahead(self, advance: st.Advance, ahead: st.Ahead) -> Iterator[str]:
        name = self.expressions.local
        more = (f"{name(ahead.columns)}, {name(ahead.found)}",)
        head = list(self.over_nodes(advance, "advance", *more))
        yield from (head[0].replace("advance(", "advance_ahead(", 1), *head[1:])
        given = f"(int {name(advance.node)}, arc_t {name(advance.position)}, int {name(ahead.neighbor)})"
        offer = f", {name(ahead.offer.function)}" if ahead.offer is not None else ""
        yield from self.function(given, advance.body, f"{offer});")

    def advance_short_rows(self, advance: st.Advance) -> Iterator[str]:
        neighbor, columns = _neighbor(advance, advance.body)
        yield from self.whole_rows(advance, "advance_short_rows", columns)
        yield from self.function(f"(int {self.expressions.local(advance.node)})", advance.visit, ",")
        if advance.test:
            yield from self.of_neighbor(advance, neighbor, advance.test, ",")
        else:
            yield f"{INDENT}[&](int, int) {{ return true; }},"
        yield from self.of_neighbor(advance, neighbor, advance.body, ");")

    def whole_rows(self, loop: st.Advance | st.Ask, function: str, columns: ir.Array) -> Iterator[str]:
        """The head of a call by which threads take whole rows, and which nodes are kept."""
        name = self.expressions.local
        self.expressions.helpers.need("short_rows", "whole_rows", function)
        yield f"{function}(num_nodes, {name(loop.rows)}, {name(columns)},"
        assert loop.keep is not None
        yield f"{INDENT}[&](int {name(loop.node)}) {{ return {self.expressions.expression(loop.keep)}; }},"

    def of_neighbor(self, loop: st.Advance | st.Ask, neighbor: ir.Variable, body: st.Body, end: str) -> Iterator[str]:
        """An argument that is a function of a node and its neighbor."""
        name = self.expressions.local
        left = tuple(part for part in body if not (isinstance(part, st.Declare) and part.variable == neighbor))
        yield from self.function(f"(int {name(loop.node)}, int {name(neighbor)})", left, end)

    def follow(self, advance: st.Advance, left_out: ir.Variable) -> Iterator[str]:
        name, node = self.expressions.local, f"int {self.expressions.local(advance.node)}"
        assert advance.keep is not None
        self.need_for_rows("warp_arcs", "share_arcs", "long_values", "follow_all")
        far = "<true>" * self.reads_far(advance.body)
        yield f"{name(left_out)} |= follow_all{far}(num_nodes, {name(advance.rows)},"
        yield f"{INDENT}[&]({node}) {{ return {self.expressions.expression(advance.keep)}; }},"
        yield from self.function(f"({node}) -> bool", advance.visit, ",")
        yield from self.function(f"({node}, arc_t {name(advance.position)}) -> int", advance.body, ");")

    def reads_far(self, body: st.Body) -> bool:
        """Whether arrays that may lie in the host's memory are read there."""
        return not self.expressions.far.isdisjoint(uses.arrays_in(body))

    def function(self, head: str, body: st.Body, end: str) -> Iterator[str]:
        """An argument that is a function, and what comes behind it."""
        yield f"{INDENT}[&]{head} {{"
        yield from self.printer.lines(body, 2)
        yield f"{INDENT}}}{end}"

    def advance_rows(self, advance: st.AdvanceRows) -> Iterator[str]:
        name, text = self.expressions.local, self.expressions.expression
        arc = name(advance.arc)
        self.need_for_rows("advance_rows")
        yield f"advance_rows({text(advance.first)}, {text(advance.end)}, {name(advance.rows)},"
        yield f"{INDENT}[&](arc_t {arc}) {{ return {text(advance.keep)}; }},"
        yield from self.function(f"(arc_t {arc}) -> int", advance.row, ",")
        yield from self.function(f"(arc_t {arc}, arc_t {name(advance.position)})", advance.body, ");")

    def each_triangle(self, each: st.EachTriangle) -> Iterator[str]:
        name, found = self.expressions.local, each.triangles
        self.need_for_rows("warp_arcs")
        self.expressions.helpers.need("triangles_by_tables", threads=str(launch.GROUP_SIZE))
        given = ", ".join(map(name, (*ir.CSR.row_arrays, found.kept, found.sizes)))
        yield f"each_triangle<{str(found.of_each).lower()}>(num_nodes, {given},"
        yield from self.function(f"(int {name(each.node)}, long long {name(found.number)})", each.body, ");")

    def gather(self, gather: st.Gather) -> Iterator[str]:
        name, start = self.expressions.local, self.start(gather)
        of_node = f"int {name(gather.node)}, "
        all_nodes = gather.members is None and gather.listed is None and gather.keep is None
        if all_nodes and gather.node not in uses.variables_in(gather.value):
            far = self.reads_far(gather.value)
            if gather.in_pieces and not far:
                function = "gather_evenly"
                self.need_for_rows("long_values", function)
            elif far or not gather.short_rows:
                function = "gather_far_rows" if far else "gather_rows"
                self.need_for_rows("long_values", "teams", "gather_step", "every_node", "gather_all", function)
            else:
                function = "gather_short_rows"
                self.expressions.helpers.need("short_rows", function)
            of_node = ""
            yield f"{function}({self.nodes(gather)}, {self.rows(gather)}, {start},"
            streamed = {ir.Ref(gather.position)} if gather.streams and not far else set[ir.Expression]()
        else:
            columns = () if gather.behind is None else uses.arrays_in((gather.behind.neighbor,))
            yield from self.over_nodes(gather, "gather", *map(name, columns), start)
            streamed = set()
        self.expressions.streamed |= streamed
        yield from self.joined(gather, of_node)
        self.expressions.streamed -= streamed

    def start(self, gather: st.Gather) -> str:
        """What a sum begins with."""
        return f"({self.expressions.spelling.values[gather.total.element]}){self.expressions.expression(gather.start)}"

    def joined(self, gather: st.Gather, of_node: str | None = None) -> Iterator[str]:
        """The functions of a sum, of which that of an arc's value knows `of_node` what is given, or its node."""
        name, element = self.expressions.local, gather.total.element
        kind = self.expressions.spelling.values[element]
        joined = self.expressions.combined(gather.combine, "a", "b", element)
        of_node = f"int {name(gather.node)}, " if of_node is None else of_node
        yield f"{INDENT}[&]({kind} a, {kind} b) -> {kind} {{ return {joined}; }},"
        neighbor = "" if gather.behind is None else f", int {name(gather.behind.neighbor.variable)}"
        head, ended = f"({of_node}arc_t {name(gather.position)}{neighbor})", f"({kind} {name(gather.total)})"
        if (kept := gather.kept) is not None and gather.behind is not None:
            yield f"{INDENT}{name(kept.reader)},"
            yield f"{INDENT}[&]{head[:-1]}, const {name(kept.kind)} &{name(kept.cells)}) -> {kind} {{"
            yield from self.cells_kept(kept, gather.behind.known, 2)
            yield from self.printer.lines(gather.value, 2)
            yield f"{INDENT}}},"
            row = f"in_cluster::KeptRow<decltype({name(kept.reader)}), {name(kept.kind)}>"
            ended = f"{ended[:-1]}, const {row} &{name(kept.row)})"
        elif gather.behind is not None and gather.listed is not None:
            yield from self.in_turn(head, gather.behind.known, f"() -> {kind}", gather.value, "},")
        else:
            yield from self.of_arcs(gather, head, ",", f" -> {kind}")
        if gather.early is None:
            yield from self.function(f"(int {name(gather.node)}, {ended[1:]}", gather.finish, ");")
            return
        yield from self.in_turn(f"(int {name(gather.node)})", gather.early, f"{ended} mutable", gather.finish, "});")

    def read_kept(self, kept: st.Kept) -> Iterator[str]:
        """The cells that are kept of a neighbor, and the function that reads them."""
        name, kind = self.expressions.local, self.expressions.local(kept.kind)
        kinds = (f"{self.expressions.spelling.values[a.element]} {name(a)};" for a in kept.arrays)
        yield f"struct {kind} {{ {' '.join(kinds)} }};"
        yield f"auto {name(kept.reader)} = [&](int neighbor) -> {kind} {{"
        yield f"{INDENT}return {{{', '.join(f'{name(array)}[neighbor]' for array in kept.arrays)}}};"
        yield "};"

    def cells_kept(self, kept: st.Kept, known: st.Body, depth: int) -> Iterator[str]:
        """The declarations of cells, of which a thread has kept the values."""
        name = self.expressions.local
        for one in known:
            assert isinstance(one, st.Declare)
            assert isinstance(one.value, ir.Load)
            kind, cell = self.expressions.spelling.values[one.variable.element], name(one.value.array)
            yield f"{INDENT * depth}const {kind} {name(one.variable)} = {name(kept.cells)}.{cell};"

    def in_turn(self, head: str, first: st.Body, later: str, body: st.Body, end: str) -> Iterator[str]:
        """An argument that is a function: it does some first, and returns a function that does the rest."""
        yield f"{INDENT}[&]{head} {{"
        yield from self.printer.lines(first, 2)
        yield f"{INDENT * 2}return [=]{later} {{"
        yield from self.printer.lines(body, 3)
        yield f"{INDENT * 2}}};"
        yield f"{INDENT}{end}"

    def each_at_once(self, each: st.EachAtOnce) -> Iterator[str]:
        name, text = self.expressions.local, self.expressions.expression
        position = name(each.position)
        if (kept := each.kept) is not None:
            neighbor = each.known[0]
            assert isinstance(neighbor, st.Declare)
            cells = name(kept.cells)
            given = f"arc_t {position}, int {name(neighbor.variable)}, const {name(kept.kind)} &{cells}"
            yield f"{name(kept.row)}.each([&]({given}) {{"
            yield from self.cells_kept(kept, each.known[1:], 1)
            yield from self.printer.lines(each.body)
            yield "});"
            return
        self.expressions.helpers.need("clusters", "each_at_once")
        yield f"each_at_once({text(each.first)}, {text(each.end)}, [&](arc_t {position}) {{"
        yield from self.printer.lines(each.known)
        yield f"{INDENT}return [{', '.join(('=', *(f'&{name(variable)}' for variable in each.sets)))}] {{"
        yield from self.printer.lines(each.body, 2)
        yield f"{INDENT}}};"
        yield "});"

    def search(self, search: st.Search) -> Iterator[str]:
        name = self.expressions.local
        reach, end, function = search.reach, ");", "search_all"
        match reach:
            case (*ahead, st.Insert(members, node, alone=False, new=new)) if puts_in_together(members):
                if node == self.node_of(search):
                    self.expressions.helpers.need("insert_together")
                    reach, end = tuple(ahead), f", {self.own_nodes(search, members)});"
                    function += "<true>" * new
        head = list(self.over_nodes(search, "search"))
        yield from (head[0].replace("search_all", function, 1), *head[1:])
        yield from self.test(search)
        yield from self.function(f"(int {name(search.node)}, arc_t {name(search.position)})", reach, end)

    def ask(self, ask: st.Ask) -> Iterator[str]:
        name = self.expressions.local
        if ask.short_rows:
            neighbor, columns = _neighbor(ask, ask.test)
            yield from self.whole_rows(ask, "ask_short_rows", columns)
            yield from self.of_neighbor(ask, neighbor, ask.test, ",")
        else:
            yield from self.over_nodes(ask, "ask")
            yield from self.test(ask)
        yield from self.function(f"(int {name(ask.node)}, bool {name(ask.answer)})", ask.finish, ");")

    def test(self, asking: st.Advance | st.Search | st.Ask) -> Iterator[str]:
        """The test of an arc, an argument."""
        name = self.expressions.local
        yield from self.function(f"(int {name(asking.node)}, arc_t {name(asking.position)})", asking.test, ",")

    def count(self, count: st.CountRows) -> Iterator[str]:
        name, text = self.expressions.local, self.expressions.expression
        self.need_for_rows("long_values", "block_maps", "count_rows")
        keep = "every_node" if count.keep is None else f"[&](int {name(count.node)}) {{ return {text(count.keep)}; }}"
        if count.keep is None:
            self.expressions.helpers.need("every_node")
        yield f"count_rows(num_nodes, {name(count.keys)}, {name(count.sums)}, {keep},"
        yield f"{INDENT}[&](int {name(count.node)}) {{ return {text(count.first)}; }},"
        yield from self.function(f"(int {name(count.node)}, arc_t {name(count.place)}) -> KeyAndValue", count.body, ",")
        yield from self.function(f"(int {name(count.node)}, int {name(count.best)})", count.finish, ");")

    def collect(self, collect: st.Collect) -> Iterator[str]:
        name = self.expressions.local
        word, kind = name(collect.word), self.expressions.spelling.values[ir.Element.LONG]
        self.expressions.helpers.need("warp_number", "collect_all")
        take, end = collect.take, ");"
        together = (op for op in take if isinstance(op, st.Insert) and puts_in_together(op.members))
        if (inserted := next(together, None)) is not None:
            self.expressions.helpers.need("insert_together")
            take = without_unread(tuple(op for op in take if op is not inserted))
            end = f", {name(inserted.members)});"
        yield f"collect_all<{collect.lanes}>(num_nodes, {', '.join(map(name, collect.arrays))},"
        yield from self.function(f"(int {word}) -> {kind}", collect.wanted, ",")
        yield from self.function(f"(int {word}, {kind} {name(collect.found)})", take, end)

    def over_nodes(self, loop: _OverNodes, function: str, *more: str) -> Iterator[str]:
        """The head of a call that shares the arcs of nodes: which nodes, and which are kept."""
        name, (function, whose) = self.expressions.local, self.called(loop, function)
        if isinstance(loop, st.Advance) and self.reads_far(loop.body):
            function = f"{function}<true>"
        given = f"{', '.join((whose, self.rows(loop), *more))},"
        if _listed(loop) is not None:
            yield f"{function}("
            given = f"{INDENT}{given}"
        else:
            given = f"{function}({given}"
        visit = loop.visit if isinstance(loop, st.Advance) else ()
        apart = function.startswith("advance_visited")
        if visit and not apart:
            yield given
            yield from self.keep_and_visit(loop.node, loop.keep, visit)
        elif loop.keep is None:
            self.expressions.helpers.need("every_node")
            yield f"{given} every_node,"
        else:
            yield given
            yield f"{INDENT}[&](int {name(loop.node)}) {{ return {self.expressions.expression(loop.keep)}; }},"
        if apart:
            yield from self.function(f"(int {name(loop.node)})", visit, ",")

    def rows(self, loop: _OverNodes) -> str:
        """Where the rows begin that a loop goes over: of rows in parts, those of one; of a part's nodes, theirs."""
        ahead = loop.ahead if isinstance(loop, st.Gather) else None
        first = None if loop.part is None else loop.part.first
        given = (self.expressions.expression(each) for each in (ahead, first) if each is not None)
        return " + ".join((self.expressions.local(loop.rows), *given))

    def nodes(self, loop: _OverNodes) -> str:
        """How many nodes a loop over all goes over, or over those of a part."""
        if loop.part is None or loop.part.first is None or loop.part.end is None:
            return "num_nodes"
        return self.expressions.expression(build.minus(loop.part.end, loop.part.first))

    def node_of(self, loop: st.Search) -> ir.Expression:
        """How a loop's body names its node; that of a part begins with the node's declaration."""
        known = ir.Ref(loop.node)
        if loop.part is None or loop.part.first is None:
            return known
        ahead = (op for op in loop.reach if isinstance(op, st.Declare) and op.constant)
        return next((ir.Ref(op.variable) for op in ahead if op.value == build.plus(loop.part.first, known)), known)

    def own_nodes(self, loop: _OverNodes, members: ir.Array) -> str:
        """A set that nodes of a loop are put into, which count from the first node of its part if it has one."""
        name = self.expressions.local(members)
        if loop.part is None or loop.part.first is None:
            return name
        need_insertion(self.expressions.helpers, members)
        self.expressions.helpers.need("insert_of_part")
        return f"OfPart{{{name}, {self.expressions.expression(loop.part.first)}}}"

    def called(self, loop: _OverNodes, function: str) -> tuple[str, str]:
        """The function that does it, noted with all it needs, and the rows that it is given."""
        name, need = self.expressions.local, self.expressions.helpers.need
        members, takes = (loop.members, loop.takes) if isinstance(loop, st.Advance | st.Gather) else (None, False)
        listed = _listed(loop)
        if members is not None:
            need_visit(self.expressions.helpers, members)
        self.need_for_rows(*_NEEDS[type(loop), members is None])
        noted = loop.noted if isinstance(loop, st.Gather) and not has_whole_list(loop.members) else None
        if isinstance(loop, st.Gather) and (listed or noted):
            self.need_for_rows("teams", "gather_step", "gather_each")
        if noted is not None:
            need_of_list(self.expressions.helpers, "gather_noted", noted.flags)
            places = self.behind(noted.array, noted.first)
            need(f"gather_places{_kept(takes)}")
            function, whose = f"{function}{_kept(takes)}", f"{name(noted.flags)}, {places}, num_nodes"
        elif isinstance(listed, ir.InWords):
            count = self.expressions.expression(listed.count)
            function, whose = f"{function}_words", f"{name(listed.array)}, {count}, num_nodes"
            self.need_for_rows(function)
        elif listed is not None:
            behind = isinstance(loop, st.Gather) and loop.behind is not None
            nodes = ", num_nodes" * (isinstance(loop, st.Gather) and not behind)
            if behind:
                need("clusters", "team_bits", "gather_ready")
            function, whose = f"{function}_{'behind' if behind else 'listed'}", f"{self.listed(listed)}{nodes}"
            self.need_for_rows(function)
        elif members is None:
            function, whose = f"{function}_all", self.nodes(loop)
            if isinstance(loop, st.Advance) and loop.visit and not loop.test:
                function = "advance_visited"
                self.need_for_rows("kept_by_warps")
            self.need_for_rows(function)
        else:
            if isinstance(loop, st.Advance):
                need_advance(self.expressions.helpers, members)
            else:
                self.need_for_rows("gather_members")
            function, whose = f"{function}{_kept(takes)}", f"{name(members)}, num_nodes"
            need(function)
            if isinstance(loop, st.Advance) and loop.few and FORMS[packing_of(members)].list == "short":
                assert takes
                function = "advance_near"
                need(function)
            elif isinstance(loop, st.Advance) and loop.dear and not takes and self.in_parts(loop, members):
                function = "advance_in_parts"
                self.need_for_rows(function)
        return function, whose

    def in_parts(self, advance: st.Advance, members: ir.Array) -> bool:
        """Whether all warps share rows of few members, each of which has a place in the list."""
        return puts_in_together(members) and not self.reads_far(advance.body)

    def keep_and_visit(self, node: ir.Variable, keep: ir.Expression | None, visit: st.Body) -> Iterator[str]:
        """The arguments for the kept nodes, and for the work on one."""
        yield f"{INDENT}[&](int {self.expressions.local(node)}) {{"
        if keep is not None:
            yield f"{INDENT * 2}if ({self.expressions.expression(conditions.negated(keep))}) return false;"
        yield from self.printer.lines(visit, 2)
        yield f"{INDENT * 2}return true;"
        yield f"{INDENT}}},"

    def need_for_rows(self, *helpers: str) -> None:
        """Notes functions that walk rows, and what all of these call."""
        for helper in helpers:
            if helper in _BY_WARP_NUMBER:
                self.expressions.helpers.need("warp_number")
            self.expressions.helpers.need("long_rows", threads=str(launch.THREADS_TOGETHER))
            settings = {"long_rows": "few"} if helper == "share_arcs" and self.expressions.helpers.thin else {}
            if self.expressions.helpers.tests and helper in _BY_VALUES:
                self.expressions.helpers.need("where")
                settings["where"] = "true"
            self.expressions.helpers.need(helper, **settings)

    def listed(self, listed: ir.Listed) -> str:
        """The start and length of a list."""
        first, length = self.of_list(listed)
        return f"{first}, {length}"

    @overload
    def of_list(self, listed: ir.Listed) -> tuple[str, str]: ...

    @overload
    def of_list(self, listed: ir.Listed | ir.InWords | None) -> tuple[str, str] | None: ...

    def of_list(self, listed: ir.Listed | ir.InWords | None) -> tuple[str, str] | None:
        """The same apart; of words, the number of their nodes."""
        if listed is None:
            return None
        if isinstance(listed, ir.InWords):
            return self.expressions.local(listed.array), self.expressions.expression(listed_length(listed))
        length = known_length(listed) or build.minus(listed.last, listed.first, ir.Element.INT)
        return self.behind(listed.array, listed.first), self.expressions.expression(length)

    def behind(self, array: ir.Array, first: ir.Expression) -> str:
        name = self.expressions.local(array)
        return (
            name if isinstance(first, ir.Const) and first.value == 0 else f"{name} + {self.expressions.at(SUM, first)}"
        )


def _listed(loop: _OverNodes) -> ir.Listed | ir.InWords | None:
    return loop.listed if isinstance(loop, st.Advance | st.Gather) else None


def _neighbor(loop: st.Advance | st.Ask, body: st.Body) -> tuple[ir.Variable, ir.Array]:
    """The neighbor that a body declares, and the array that it is in."""
    for part in body:
        match part:
            case st.Declare(neighbor, ir.Load(columns, ir.Ref(position))) if position == loop.position:
                return neighbor, columns
    raise AssertionError("the body of an arc does not name its neighbor")


def _kept(takes: bool) -> str:
    """The suffix of a function that walks the members of a set."""
    return "" if takes else "_and_keep"


_BY_WARP_NUMBER = (
    *("advance_all", "advance_in_parts", "advance_listed", "advance_rows", "advance_visited", "advance_words"),
    *("ask_all", "count_rows", "gather_all", "gather_each", "gather_evenly", "gather_far_rows", "gather_listed"),
    *("gather_rows", "search_all"),
)
"""Functions that give nodes to warps by number."""

_BY_VALUES = ("long_values", "gather_step")
"""Functions that read values of several arcs, after their tests if there are any."""

_NEEDS: dict[tuple[type[st.Statement], bool], tuple[str, ...]] = {
    (st.Advance, True): ("warp_arcs", "share_arcs"),
    (st.Advance, False): ("warp_arcs", "share_arcs"),
    (st.Gather, True): ("long_values", "teams", "gather_step"),
    (st.Gather, False): ("warp_arcs", "share_values", "long_values"),
    (st.Search, True): ("teams",),
    (st.Ask, True): ("kept_by_warps", "ask_step"),
}
"""The functions called by those that share arcs, by what they do and whether they walk all nodes."""
