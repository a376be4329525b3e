"""Syntax errors: heads of loops, branches and functions as in other languages, and words in another order: filters
behind brackets, `a if c else b`, `v in s`. See `mistakes`.
"""

from lark import Token

from starplat.frontend.mistakes.recovery import FUNCTION_WORDS, Situation
from starplat.frontend.mistakes.wording import TYPE_WORDS, quoted
from starplat.frontend.parsing.lexer import END, span_of
from starplat.source import Span

_EXAMPLES = {
    "forall": "write 'forall (v in g.nodes()) { … }'",
    "for": "write 'for (v in g.nodes()) { … }' or 'for (int i = 0; i < n; i++) { … }'",
    "if": "write 'if (…) { … }'",
    "while": "write 'while (…) { … }'",
    "loop": "write 'loop (i in 0 to n by 1) { … }'",
}


def head_without_brackets(situation: Situation) -> bool:
    """`forall v in g.nodes() { … }`."""
    previous, found = situation.previous, situation.found
    if previous is None or previous.value not in _EXAMPLES or found.value == "(" or found.type == END:
        return False
    span = Span(span_of(found).start, span_of(situation.tokens[_end_of_head(situation)]).end)
    message = f"what follows '{previous.value}' stands in brackets"
    situation.report("E0128", message, span, help=_EXAMPLES[previous.value])
    situation.give_up_statement()
    return True


def _end_of_head(situation: Situation) -> int:
    """The last word of the head: before the block, the colon or the end of the line."""
    text = situation.reporter.source.text
    index = situation.position
    while index + 1 < len(situation.tokens):
        here, after = situation.tokens[index], situation.tokens[index + 1]
        if after.value in ("{", ":", ";", "}") or after.type == END or "\n" in text[here.end_pos : after.start_pos]:
            break
        index += 1
    return index


def iterator_with_type(situation: Situation) -> bool:
    """`forall (node v in …)`, `for (auto v : …)`."""
    for index in range(situation.position, max(situation.position - 3, 1), -1):
        words = situation.tokens[index - 2 : index + 3]
        if len(words) < 5 or words[0].value not in ("for", "forall") or words[1].value != "(":
            continue
        kind, name, joint = words[2:]
        if not _is_type(kind) or name.type != "NAME" or joint.value not in ("in", ":"):
            continue
        if not situation.fits_as(index, "NAME"):
            continue
        help = f"write '{words[0].value} ({name.value} in …)': what the loop runs over says what '{name.value}' is"
        situation.report("E0128", "the type of an iterator is not written", kind, help=help)
        situation.tokens[index + 2] = Token.new_borrow_pos("IN", "in", joint)
        situation.replace(index, 1)
        return True
    return False


def _is_type(token: Token) -> bool:
    return token.value in TYPE_WORDS or token.type == "NAME"


def colon_for_in(situation: Situation) -> bool:
    """`forall (v : g.nodes())`, also with `of`."""
    found, previous = situation.found, situation.previous
    if previous is None or previous.type != "NAME" or not situation.accepts("IN"):
        return False
    if found.value not in (":", "of", "<-", "over"):
        return False
    help = f"write '({previous.value} in …)'"
    situation.report("E0128", f"expected 'in', found {quoted(found)}", found, help=help)
    situation.take_as(situation.position, "IN")
    return True


def several_iterators(situation: Situation) -> bool:
    """`forall (u, v in g.edges())`."""
    words = situation.tokens[max(situation.position - 3, 0) : situation.position + 1]
    if len(words) < 4 or words[0].value not in ("for", "forall") or words[1].value != "(" or words[3].value != ",":
        return False
    help = "the ends of an edge e are e.source and e.destination; for pairs of nodes, write one loop inside the other"
    situation.report("E0128", "a loop has one iterator", words[3], help=help)
    situation.give_up_statement()
    return True


def colon_before_body(situation: Situation) -> bool:
    """`if (…):` and `else:`."""
    found, previous = situation.found, situation.previous
    if found.value != ":" or previous is None or previous.value not in (")", "else", "do"):
        return False
    if not situation.accepts("LBRACE"):
        return False
    help = "a body of several statements stands in braces: '{ … }'"
    situation.report("E0128", "there is no ':' before a body", found, help=help)
    if _in_header(situation):
        situation.give_up_function()
    else:
        situation.leave_out()
    return True


def type_repeated(situation: Situation) -> bool:
    """`int x = 3, int y = 4;`"""
    found, previous = situation.found, situation.previous
    first = situation.tokens[situation.statement_start()]
    if previous is None or previous.value != "," or found.value not in TYPE_WORDS or first.value not in TYPE_WORDS:
        return False
    if not situation.accepts("NAME"):
        return False
    help = "the type is said once: 'int x = 3, y = 4;'"
    situation.report("E0101", f"expected a name, found {quoted(found)}", found, help=help)
    situation.replace(situation.position, 1)
    return True


def reversed_parameter(situation: Situation) -> bool:
    """`g: Graph`."""
    place = situation.position
    for index in (place, place - 1):
        words = situation.tokens[index : index + 3] if index >= 0 else []
        if len(words) < 3 or words[0].type != "NAME" or words[1].value != ":" or not _is_type(words[2]):
            continue
        if not situation.fits_as(index, "INT", "NAME") or situation.fits_as(index, "RETURN"):
            continue
        last = _end_of_type(situation, index + 2)
        kind = situation.tokens[index + 2 : last + 1]
        text = situation.reporter.source.text[kind[0].start_pos : kind[-1].end_pos]
        help = f"write '{text} {words[0].value}'"
        situation.report("E0123", "the type of a parameter stands before its name", words[1], help=help)
        situation.rearrange(index, [*kind, words[0]], last + 1)
        return True
    return False


def _end_of_type(situation: Situation, index: int) -> int:
    """The last word of a type."""
    depth = 0
    while situation.type_at(index + 1) != END:
        depth += {"<": 1, ">": -1}.get(situation.tokens[index].value, 0)
        if depth == 0 and situation.tokens[index + 1].value != "<":
            break
        index += 1
    return index


def result_type(situation: Situation) -> bool:
    """`function int f(…)`, `function f(…) : int`, `function f(…) -> int`."""
    found, previous = situation.found, situation.previous
    if previous is None:
        return False
    after = situation.tokens[min(situation.position + 1, len(situation.tokens) - 1)]
    if previous.type in FUNCTION_WORDS and found.value in TYPE_WORDS and after.type == "NAME":
        span, count = span_of(found), 1
    elif found.value in (":", "->") and previous.value == ")" and _in_header(situation) and _is_type(after):
        span, count = Span(span_of(found).start, span_of(after).end), 2
    else:
        return False
    help = "what a function returns is found out from its 'return'"
    situation.report("E0124", "the type of a function is not written", span, help=help)
    situation.replace(situation.position, count)
    return True


def _in_header(situation: Situation) -> bool:
    """Whether the block of a function comes next."""
    return situation.accepts("LBRACE") and not situation.accepts("RETURN")


def size_behind_name(situation: Situation) -> bool:
    """`container<int> c(10);`, `container<int> c(g.num_nodes());`."""
    first = situation.tokens[situation.statement_start()]
    brackets = situation.open_brackets()
    if first.value not in ("container", "list") or not brackets:
        return False
    bracket = brackets[-1]
    name, size = situation.tokens[bracket - 1], situation.tokens[bracket + 1]
    if situation.tokens[bracket].value != "(" or name.type != "NAME":
        return False
    help = f"write '{first.value}<…>(…) {name.value};'"
    situation.report("E0123", "the size of a container stands behind its type", size, help=help)
    situation.give_up_statement()
    return True


_LOOPS = ("for", "forall")


def filter_behind_brackets(situation: Situation) -> bool:
    """`forall (v in g.nodes()).filter(c) { … }`."""
    place = situation.position
    if situation.found.value != "." or situation.type_at(place + 2) != situation.operator("("):
        return False
    if situation.tokens[place + 1].value != "filter" or not _closes_head(situation, place - 1):
        return False
    if (last := _partner(situation, range(place + 2, len(situation.tokens)))) is None:
        return False
    span = Span(span_of(situation.found).start, span_of(situation.tokens[last]).end)
    help = "write 'forall (v in g.nodes().filter(…)) { … }'"
    situation.report("E0128", "a filter belongs to the domain, inside the brackets", span, help=help)
    situation.replace(place, last - place + 1)
    return True


def condition_in_head(situation: Situation) -> bool:
    """`forall (v in g.nodes() if c)`, also with `where` and `when`."""
    if situation.found.value not in ("if", "where", "when") or not situation.accepts(situation.operator(")")):
        return False
    heads = situation.open_brackets()
    if not heads or situation.tokens[heads[-1]].value != "(" or not _is_head(situation, heads[-1]):
        return False
    help = "write 'forall (v in g.nodes().filter(…)) { … }'"
    message = f"there is no '{situation.found.value}' in the head of a loop"
    situation.report("E0128", message, situation.found, help=help)
    situation.give_up_whole_statement()
    return True


def counting_domain(situation: Situation) -> bool:
    """`for (i in 0 to n by 1)`, which is a `loop`."""
    heads = situation.open_brackets()
    if situation.found.value != "to" or not heads or not _is_head(situation, heads[-1]):
        return False
    head = heads[-1] - 1
    if not situation.fits_as(head, "LOOP", *situation.types(head + 1, situation.position)):
        return False
    word = situation.tokens[head]
    message = f"'{word.value}' runs over nodes, edges or a set, not over numbers"
    situation.report("E0128", message, word, help="write 'loop (i in 0 to n by 1)'")
    situation.take_as(head, "LOOP")
    return True


def condition_between(situation: Situation) -> bool:
    """`n = a if c else b;`."""
    if situation.found.value != "if" or situation.starts_line() or not situation.accepts(situation.operator("?")):
        return False
    words = _rest_of_statement(situation)
    if "else" not in words or "{" in words:
        return False
    help = "write 'c ? a : b' for 'a if c else b'"
    situation.report("E0128", "'if' begins a statement; it cannot stand between values", situation.found, help=help)
    situation.give_up_whole_statement()
    return True


def membership(situation: Situation) -> bool:
    """`if (v in s)`."""
    previous, found = situation.previous, situation.found
    if found.value != "in" or previous is None or previous.type not in ("NAME", "INTEGER"):
        return False
    if not situation.accepts(situation.operator("==")):
        return False
    help = f"of a set: 's.contains({previous.value})'; of edges: 'g.is_an_edge(u, v)'"
    situation.report("E0127", "there is no operator 'in'", found, help=help)
    same = Token.new_borrow_pos(previous.type, previous.value, found)
    equals = Token.new_borrow_pos(situation.operator("=="), "==", found)
    situation.rearrange(situation.position, [equals, same], _end_of_operand(situation))
    return True


def fixed_point_without_flag(situation: Situation) -> bool:
    """`fixedPoint until (!changed)`."""
    before = situation.tokens[max(situation.position - 3, 0) : situation.position + 1]
    if "until" not in [token.value for token in before] or situation.accepts(":"):
        return False
    if not (situation.accepts("NAME", situation.operator(":")) or situation.accepts(situation.operator(":"))):
        return False
    help = "write fixedPoint until (finished : condition) { … }, where 'finished' is a bool declared before"
    situation.report("E0115", "'fixedPoint' lacks its flag", situation.found, help=help)
    situation.give_up_statement()
    return True


def _is_head(situation: Situation, bracket: int) -> bool:
    return bracket > 0 and situation.tokens[bracket - 1].value in _LOOPS


def _closes_head(situation: Situation, closer: int) -> bool:
    """Whether the bracket at `closer` ends the head of a loop."""
    opener = _partner(situation, range(closer, 0, -1))
    return opener is not None and situation.tokens[opener].value == "(" and _is_head(situation, opener)


def _partner(situation: Situation, places: range) -> int | None:
    """The bracket among these words that belongs to the one that is the first of them."""
    depth = 0
    for index in places:
        depth += {"(": 1, ")": -1}.get(situation.tokens[index].value, 0)
        if depth == 0:
            return index
    return None


def _end_of_operand(situation: Situation) -> int:
    """Where what stands behind the word found ends: before a bracket that it does not open, `&&`, `||` or `;`."""
    depth = 0
    for index in range(situation.position + 1, len(situation.tokens)):
        value = situation.tokens[index].value
        if depth == 0 and value in (")", "&&", "||", ";", "{", "}", "?", ":", ","):
            return index
        depth += {"(": 1, ")": -1}.get(value, 0)
    return len(situation.tokens) - 1


def _rest_of_statement(situation: Situation) -> list[str]:
    words: list[str] = []
    for token in situation.tokens[situation.position :]:
        if token.value in (";", "}"):
            break
        words.append(token.value)
    return words
