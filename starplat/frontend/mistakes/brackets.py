"""Syntax errors: unbalanced brackets, up to the end of the file. See `mistakes`."""

from lark import Token

from starplat.diagnostics import Label
from starplat.frontend.mistakes import recovery, wording
from starplat.frontend.parsing.lexer import END, span_of
from starplat.source import Span

_CLOSER = {"(": ")", "[": "]", "{": "}"}
_MOST_CLOSERS = 8


def end_of_file(situation: recovery.Situation) -> bool:
    if situation.found.type != END:
        return False
    open_brackets = [situation.tokens[index] for index in situation.open_brackets()]
    expected = wording.alternatives(situation.accepted(), situation.lexer)
    related: list[Label] = []
    if open_brackets:
        guess = _unclosed(situation, open_brackets)
        expected = f"'{_CLOSER[guess.value]}'" if guess.value == "{" else expected
        related = [Label(span_of(guess), "this is never closed")]
    situation.report("E0102", f"the file ends where {expected} is expected", situation.found, related=related)
    situation.give_up_statement()
    return True


def function_inside(situation: recovery.Situation) -> bool:
    """A new function begins although a bracket of the last is open."""
    if situation.found.type not in recovery.FUNCTION_WORDS or not situation.open_brackets():
        return False
    open_brackets = [situation.tokens[index] for index in situation.open_brackets()]
    guess = _unclosed(situation, open_brackets)
    message = f"a function begins, but this '{guess.value}' is never closed"
    situation.report("E0107", message, guess, related=[Label(span_of(situation.found), "begins here")])
    brace = situation.operator("}")
    count = next((n for n in range(1, len(open_brackets) + 1) if situation.accepts(*[brace] * n, "FUNCTION")), 0)
    if count:
        situation.insert(*[brace] * count)
    else:
        situation.give_up_statement()
    return True


def _unclosed(situation: recovery.Situation, open_brackets: list[Token]) -> Token:
    """The open bracket that was most likely forgotten: one whose partner seems to have closed an outer one."""
    text, innermost = situation.reporter.source.text, open_brackets[-1]
    if innermost.value != "{":
        return innermost
    stack: list[Token] = []
    for token in situation.tokens[: situation.position]:
        if token.value == "{":
            stack.append(token)
        elif token.value == "}" and stack:
            opener = stack.pop()
            one_line = "\n" not in text[opener.end_pos : token.start_pos]
            if stack and not one_line and _indent(text, token) < _indent(text, opener):
                return opener
    return innermost


def _indent(text: str, token: Token) -> int:
    """How far the line on which a word stands is indented."""
    line = text[text.rfind("\n", 0, token.start_pos) + 1 :]
    return len(line) - len(line.lstrip(" \t"))


def unclosed_bracket(situation: recovery.Situation) -> bool:
    """A `(` or `[` is open, and the word found would fit if it were closed."""
    found = situation.found
    open_brackets = [situation.tokens[index] for index in situation.open_brackets()]
    closers: list[str] = []
    for bracket in reversed(open_brackets[-_MOST_CLOSERS:]):
        if bracket.value == "{" or found.type == "NAME":
            return False
        closers.append(situation.operator(_CLOSER[bracket.value]))
        semicolon = [situation.operator(";")] if found.value == "}" else []
        if situation.accepts(*closers, *semicolon, found.type):
            closer = _CLOSER[bracket.value]
            message = f"this '{bracket.value}' is not closed: expected '{closer}' before {wording.quoted(found)}"
            label = Label(span_of(found), f"'{closer}' is expected before this")
            situation.report("E0107", message, bracket, related=[label])
            situation.insert(*closers, *semicolon)
            return True
    return False


def stray_closer(situation: recovery.Situation) -> bool:
    found = situation.found
    if found.value not in (")", "]", "}"):
        return False
    open_values = [situation.tokens[index].value for index in situation.open_brackets()]
    if open_values and _CLOSER[open_values[-1]] == found.value:
        return False
    if not open_values or open_values[-1] == "{":
        message = f"there is nothing open that '{found.value}' could close"
        situation.report("E0108", message, found)
        while situation.found.type == found.type:
            situation.leave_out()
        return True
    opener = situation.tokens[situation.open_brackets()[-1]]
    closer = _CLOSER[opener.value]
    if not situation.accepts(situation.operator(closer)):
        return False
    label = Label(span_of(opener), f"needs a '{closer}'")
    message = f"'{found.value}' cannot close '{opener.value}'"
    situation.report("E0108", message, found, related=[label])
    situation.take_as(situation.position, situation.operator(closer))
    return True


def missing_brace(situation: recovery.Situation) -> bool:
    """A `}` has closed the function because a loop or branch lacks its `{`, as the indents of its statements show."""
    if not situation.accepts("FUNCTION") or situation.found.type == END:
        return False
    tokens = situation.tokens[: situation.position]
    starts = [index for index, token in enumerate(tokens) if token.type in recovery.FUNCTION_WORDS]
    for head in range(starts[-1], len(tokens)) if starts else ():
        first = _behind_brackets(tokens, head + 1)
        second = _behind_statement(tokens, first)
        if tokens[head].value not in _GOVERNING or second is None or tokens[first].value == "{":
            continue
        if _are_indented(situation.reporter.source.text, tokens[head], tokens[first], tokens[second]):
            _report_missing_brace(situation, tokens[head], tokens[first - 1], tokens[second])
            situation.give_up_function()
            return True
    return False


_GOVERNING = ("forall", "for", "if", "while", "else", "loop")


def _report_missing_brace(situation: recovery.Situation, head: Token, last: Token, second: Token) -> None:
    message = f"a '{{' is missing: '{head.value}' governs one statement only"
    label = Label(span_of(second), "this is no part of it")
    end = span_of(last).end
    situation.report("E0129", message, Span(end, end), "here", related=[label])


def _behind_brackets(tokens: list[Token], index: int) -> int:
    """The index of the word behind the brackets that open at `index`, or `index` where none do."""
    depth = 0
    for place in range(index, len(tokens) - 1):
        depth += {"(": 1, ")": -1}.get(tokens[place].value, 0)
        if depth == 0:
            return place + 1 if tokens[place].value == ")" else place
    return min(index, len(tokens) - 1)


def _behind_statement(tokens: list[Token], index: int) -> int | None:
    """The index of the word behind the next `;`, unless that ends a block."""
    semicolon = next((place for place in range(index, len(tokens) - 1) if tokens[place].value == ";"), None)
    return None if semicolon is None or tokens[semicolon + 1].value == "}" else semicolon + 1


def _are_indented(text: str, head: Token, first: Token, second: Token) -> bool:
    """Whether two statements each begin a line, both indented alike and further than what governs the first."""
    begins = [not text[text.rfind("\n", 0, t.start_pos) + 1 : t.start_pos].strip() for t in (first, second)]
    return all(begins) and _indent(text, head) < _indent(text, first) == _indent(text, second)
