"""Syntax errors: words in another language's order: filters behind brackets, `a if c else b`, `v in s`. See
`mistakes`.
"""

from lark import Token

from starplat.frontend.mistakes.recovery import Situation
from starplat.frontend.parsing.lexer import span_of
from starplat.source import Span

_LOOPS = ("for", "forall")


def filter_behind_brackets(situation: Situation) -> bool:
    """`forall (v in g.nodes()).filter(c) { … }`."""
    place = situation.position
    if situation.found.value != "." or situation.type_at(place + 2) != situation.operator("("):
        return False
    if situation.tokens[place + 1].value != "filter" or not _closes_head(situation, place - 1):
        return False
    if (last := _closing(situation, place + 2)) is None:
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
    depth = 0
    for index in range(closer, 0, -1):
        depth += {")": 1, "(": -1}.get(situation.tokens[index].value, 0)
        if depth == 0:
            return situation.tokens[index].value == "(" and _is_head(situation, index)
    return False


def _closing(situation: Situation, opener: int) -> int | None:
    """The bracket that closes the one at `opener`."""
    depth = 0
    for index in range(opener, len(situation.tokens)):
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
