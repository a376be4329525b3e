"""Syntax errors: casts, arrays, operators and words of other languages. See `mistakes`; their replacements are in
`foreign`.
"""

import re
from itertools import takewhile

from starplat.frontend.mistakes.recovery import Situation
from starplat.frontend.mistakes.wording import CASTS, TYPE_WORDS
from starplat.frontend.parsing import foreign
from starplat.frontend.parsing.lexer import END, FOREIGN, span_of
from starplat.source import Span

_NO_CASTS = {
    "bool": "compare: 'x != 0'",
    "node": "an int is taken for a node as it is",
    "edge": "an int is taken for an edge as it is",
}
_ARRAY = "one value a node is a property, 'propNode<int> p;', one an edge 'propEdge<int> p;'"


def cast(situation: Situation) -> bool:
    """`(double)x`, and `bool(x)`, which is none."""
    at = situation.position - 1 if situation.found.value == ")" else situation.position
    word = situation.tokens[at].value if at >= 0 else ""
    if word not in CASTS and (word not in _NO_CASTS or not situation.accepts("NAME")):
        return False
    bracketed = at > 0 and situation.tokens[at - 1].value == "("
    if bracketed and situation.type_at(at + 1) == "RPAR" and _begins_operand(situation, at + 2):
        first, last = at - 1, at + 1
    elif word in _NO_CASTS and situation.type_at(at + 1) == "LPAR":
        first, last = at, at
    else:
        return False
    span = Span(span_of(situation.tokens[first]).start, span_of(situation.tokens[last]).end)
    if word in CASTS:
        message, help = f"a cast is written '{word}(…)'", "the brackets stand around the value"
    else:
        message, help = f"there is no cast to '{word}'", _NO_CASTS[word]
    situation.report("E0125", message, span, help=help)
    situation.replace(first, last - first + 1)
    return True


def _begins_operand(situation: Situation, index: int) -> bool:
    token = situation.tokens[min(index, len(situation.tokens) - 1)]
    return token.type in ("NAME", "INTEGER", "REAL") or token.value in ("(", "-", "!", "~", "INF", "INT_MAX")


def array(situation: Situation) -> bool:
    """`int[10] a` and `int a[10]`."""
    found, place = situation.found, situation.position
    if found.value != "[" or not place:
        return False
    before, earlier = situation.tokens[place - 1], situation.tokens[place - 2] if place > 1 else None
    of_type = before.value in TYPE_WORDS
    declared = before.type == "NAME" and earlier is not None and (earlier.value in TYPE_WORDS or earlier.value == ">")
    if not of_type and not declared:
        return False
    last = next((i for i in range(place, len(situation.tokens)) if situation.tokens[i].value in ("]", ";", "{")), place)
    if situation.tokens[last].value != "]":
        return False
    span = Span(span_of(found).start, span_of(situation.tokens[last]).end)
    situation.report("E0126", "the language has no arrays", span, help=_ARRAY)
    situation.replace(place, last - place + 1)
    return True


def pointer(situation: Situation) -> bool:
    """`Graph *g`, and `int &x` where no parameter is declared."""
    found, previous = situation.found, situation.previous
    if found.value not in ("*", "&") or previous is None or not situation.accepts("NAME"):
        return False
    if previous.value not in (*TYPE_WORDS, ">"):
        return False
    if found.value == "*":
        help = "leave the '*' out: graphs, properties and sets are passed by reference"
        situation.report("E0126", "the language has no pointers", found, help=help)
    else:
        situation.report("E0126", "only a scalar parameter can be a reference", found, help="leave the '&' out")
    situation.replace(situation.position, 1)
    return True


def foreign_operator(situation: Situation) -> bool:
    """An operator of other languages, such as `**`, for which another one stands here."""
    found = situation.found
    if found.type != FOREIGN:
        return False
    stand_in, help = foreign.OPERATORS[found.value]
    _no_operator(situation, found.value, span_of(found), help)
    operator = situation.operator(stand_in)
    if situation.accepts(operator):
        situation.take_as(situation.position, operator)
    else:
        situation.leave_out()
    return True


def split_operator(situation: Situation) -> bool:
    """`=<`, whose two halves may stand side by side elsewhere."""
    place = situation.position
    for index in (place - 1, place):
        if index < 0 or index + 1 >= len(situation.tokens):
            continue
        first, second = situation.tokens[index], situation.tokens[index + 1]
        if (row := _SPLIT.get(first.value + second.value)) is None or first.end_pos != second.start_pos:
            continue
        stand_in, help = row
        if situation.fits_as(index, situation.operator(stand_in)):
            span = Span(span_of(first).start, span_of(second).end)
            _no_operator(situation, first.value + second.value, span, help)
            situation.replace(index, 2, situation.operator(stand_in))
            return True
    return False


_SPLIT = {"=<": foreign.Foreign("<=", "'less or equal' is written '<='")}


def word_operator(situation: Situation) -> bool:
    """`and`, `or`, `not` …"""
    place = situation.position
    for index in (place, place - 1):
        word = situation.tokens[index] if index >= 0 else None
        if word is None or word.type != "NAME" or word.value not in foreign.WORD_OPERATORS:
            continue
        stand_in, help = foreign.WORD_OPERATORS[word.value]
        operator = situation.operator(stand_in)
        if situation.fits_as(index, operator, *situation.types(index + 1, max(place, index + 1))):
            _no_operator(situation, word.value, span_of(word), help)
            situation.take_as(index, operator)
            return True
    return False


def _no_operator(situation: Situation, text: str, span: Span, help: str) -> None:
    situation.report("E0127", f"there is no operator '{text}'", span, help=help)


def comment_for_division(situation: Situation) -> bool:
    """`n // 2;`: what follows the slashes is a comment, and so the statement goes on in the next line."""
    previous, text = situation.previous, situation.reporter.source.text
    if previous is None or situation.accepts(situation.found.type):
        return False
    end = previous.end_pos or 0
    line = text[end:].split("\n", 1)[0]
    comment = line.lstrip(" \t")
    operand = previous.type in ("NAME", "INTEGER", "REAL") or previous.value in (")", "]")
    if not operand or not _DIVISOR.fullmatch(comment) or _WORDS.search(comment):
        return False
    start = end + len(line) - len(comment)
    help = "to divide, write '/'; between integers it cuts the fraction off"
    situation.report("E0127", "'//' begins a comment", Span(start, start + 2), help=help)
    brackets = [situation.tokens[index].value for index in reversed(situation.open_brackets())]
    closers = [situation.operator(_CLOSER[bracket]) for bracket in takewhile(_CLOSER.__contains__, brackets)]
    last = situation.operator("{" if comment.rstrip().endswith("{") else ";")
    if situation.accepts(*closers, last, situation.found.type):
        situation.insert(*closers, last)
    else:
        situation.give_up_statement()
    return True


_CLOSER = {"(": ")", "[": "]"}
_DIVISOR = re.compile(r"//([\w .+*/%()\[\]<>=!&|-]+[;)][ \t]*\{?|[ \t]*[0-9.]+)[ \t]*\r?")
_WORDS = re.compile(r"\w[ \t]+\w")
"""Two words side by side: a sentence, no expression."""


def modifier(situation: Situation) -> bool:
    """`const int k` and the like."""
    place = situation.position
    for index in (place - 1, place):
        if index < 0 or situation.tokens[index].value not in foreign.MODIFIERS:
            continue
        following = situation.tokens[min(index + 1, len(situation.tokens) - 1)]
        if following.value in TYPE_WORDS and situation.fits_as(index, following.type):
            word = situation.tokens[index]
            message = f"there is no word '{word.value}' in the language"
            situation.report("E0114", message, word, help=f"leave it out: '{following.value} …'")
            situation.replace(index, 1)
            return True
    return False


def foreign_statement(situation: Situation) -> bool:
    """`elif`, `foreach`, `switch` …"""
    start = situation.statement_start()
    word = situation.tokens[start]
    if word.type != "NAME" or situation.position - start > _NEAR:
        return False
    message = f"there is no word '{word.value}' in the language"
    branch = foreign.BRANCHES.get(word.value)
    if branch is not None and situation.fits_as(start, situation.operator(branch.stand_in)):
        situation.report("E0114", message, word, help=branch.help)
        situation.take_as(start, situation.operator(branch.stand_in))
        return True
    if word.value in foreign.ABSENT and situation.give_up_whole_statement():
        situation.report("E0114", message, word, help=foreign.ABSENT[word.value])
        return True
    return False


_NEAR = 8


def until_for_while(situation: Situation) -> bool:
    """`do { … } until (…);`"""
    if situation.found.value != "until" or not situation.accepts("WHILE"):
        return False
    help = "write 'while (!(…))': it goes on as long as the condition holds"
    situation.report("E0101", "expected 'while', found 'until'", situation.found, help=help)
    situation.take_as(situation.position, "WHILE")
    return True


def superfluous_then(situation: Situation) -> bool:
    previous, place = situation.previous, situation.position
    if previous is None or previous.value != "then" or situation.tokens[place - 2].value != ")":
        return False
    message = "there is no word 'then' in the language"
    situation.report("E0114", message, previous, help="leave it out: 'if (…) { … }'")
    situation.replace(place - 1, 1)
    return True


def property_without_element(situation: Situation) -> bool:
    """`propNode dist`."""
    previous, found = situation.previous, situation.found
    if previous is None or previous.value not in ("propNode", "propEdge") or found.value == "<" or found.type == END:
        return False
    message = f"'{previous.value}' does not say what it holds"
    help = f"write '{previous.value}<int>', '{previous.value}<double>' or the like"
    situation.report("E0123", message, previous, help=help)
    if found.type == "NAME":
        situation.insert(situation.operator("<"), situation.operator("int"), situation.operator(">"))
    else:
        situation.give_up_statement()
    return True
