"""What went wrong where a word does not fit: the sentence for the user, and how the parser goes on.

Each function of `_RECOGNISERS` looks for one kind of mistake; the first that sees its kind reports it, mends the words
in the situation and answers True. What none of them knows is reported as an unexpected word, and the statement is
given up.
"""

from __future__ import annotations

from difflib import get_close_matches

from lark import Token

from starplat.diagnostics import Label
from starplat.frontend.lexer import END, UNKNOWN, span_of
from starplat.frontend.recovery import FUNCTION_WORDS, Situation
from starplat.frontend.wording import STATEMENT_WORDS, TYPE_WORDS, alternatives, quoted
from starplat.source import Span

_CLOSER = {"(": ")", "[": "]", "{": "}"}
_MOST_CLOSERS = 8
_SIMILAR = 0.7


def explain(situation: Situation) -> None:
    """Reports why the word found does not fit and leaves the situation so that the parser can go on."""
    if situation.given_up_here:
        situation.give_up_statement()
    elif not any(recognise(situation) for recognise in _RECOGNISERS):
        _unexpected(situation)


def _unexpected(situation: Situation) -> None:
    expected = alternatives(situation.accepted(), situation.lexer)
    found = situation.found
    situation.reporter.report("E0101", f"expected {expected}, found {quoted(found)}", span_of(found))
    situation.give_up_statement()


# --- words ---------------------------------------------------------------------------------------------------------


def _no_word(situation: Situation) -> bool:
    """The lexer has already spoken; an operand or an operator is made of it, or nothing."""
    if situation.found.type != UNKNOWN:
        return False
    following = situation.type_at(situation.position + 1)
    if situation.accepts(following):
        situation.leave_out()
    elif situation.accepts("NAME", following):
        situation.take_as(situation.position, "NAME")
    elif situation.accepts("STAR", following):
        situation.take_as(situation.position, "STAR")
    else:
        situation.leave_out()
    return True


def _missing_until(situation: Situation) -> bool:
    previous = situation.previous
    if previous is None or previous.type != "FIXEDPOINT" or situation.found.type == "NAME":
        return False
    place = span_of(previous)
    situation.reporter.report(
        "E0115", "'fixedPoint' lacks its 'until'", place, help="write fixedPoint until (finished : condition) { … }"
    )
    if situation.accepts("UNTIL", situation.found.type):
        situation.insert("UNTIL")
    else:
        situation.give_up_statement()
    return True


def _misspelt_word(situation: Situation) -> bool:
    """A name stands where a similar reserved word would fit, itself and all that was read since."""
    words = situation.lexer.keywords
    for index in _suspects(situation, 4):
        name = situation.tokens[index]
        if name.type != "NAME":
            continue
        following = situation.types(index + 1, max(situation.position, index + 1))
        by_lower = {word.lower(): word for word in words}
        for lower in get_close_matches(name.value.lower(), by_lower, n=3, cutoff=_SIMILAR):
            word = by_lower[lower]
            if situation.fits_as(index, words[word], *following):
                message = f"there is no word '{name.value}' in the language"
                situation.reporter.report("E0114", message, span_of(name), help=f"did you mean '{word}'?")
                situation.take_as(index, words[word])
                return True
    return False


def _reserved_name(situation: Situation) -> bool:
    """A reserved word stands where a name would fit."""
    for index in _suspects(situation, 2):
        word = situation.tokens[index]
        if word.value not in situation.lexer.keywords or word.type == "NAME":
            continue
        if word.value not in TYPE_WORDS and situation.type_at(index + 1) in ("LPAR", "LBRACE"):
            continue
        following = situation.types(index + 1, max(situation.position, index + 1))
        if situation.fits_as(index, "NAME", *following):
            message = f"'{word.value}' is a word of the language and cannot be a name"
            situation.reporter.report("E0110", message, span_of(word), help=f"call it '{word.value}_' or the like")
            situation.take_as(index, "NAME")
            return True
    return False


def _unknown_type(situation: Situation) -> bool:
    """A name stands where a type would fit."""
    for index in _suspects(situation, 4):
        name = situation.tokens[index]
        following = situation.types(index + 1, max(situation.position, index + 1))
        if name.type != "NAME" or not (following and following[0] in ("NAME", "LESSTHAN", "BITAND", "AMPERSAND")):
            continue
        for stand_in in ("INT", "LIST", "SETN"):
            if situation.fits_as(index, stand_in, *following) and not situation.fits_as(index, "NAME", *following):
                message = f"there is no type '{name.value}'"
                situation.reporter.report("E0123", message, span_of(name), help=f"types are {', '.join(TYPE_WORDS)}")
                situation.take_as(index, stand_in)
                return True
    return False


def _parameter_without_type(situation: Situation) -> bool:
    found = situation.found
    if found.type != "NAME" or not situation.accepts("INT", "NAME") or situation.accepts("RETURN"):
        return False
    if not situation.accepts("INT", "NAME", situation.type_at(situation.position + 1)):
        return False
    advice = "a parameter is written: type name"
    situation.reporter.report("E0123", f"the parameter '{found.value}' has no type", span_of(found), help=advice)
    situation.insert("INT")
    return True


def _suspects(situation: Situation, most: int) -> list[int]:
    """Words that may be to blame: the one found, those before it, the first of the statement."""
    last = situation.position
    nearest = range(last, max(last - most, situation.statement_start() - 1, -1), -1)
    return [*nearest, situation.statement_start()]


# --- operators and brackets ----------------------------------------------------------------------------------------


def _assignment_for_comparison(situation: Situation) -> bool:
    found = situation.found
    equals = situation.operator("==")
    if found.value != "=" or not situation.accepts(equals, situation.type_at(situation.position + 1)):
        return False
    message = "'=' assigns; it cannot stand inside an expression"
    situation.reporter.report("E0109", message, span_of(found), help="to compare, write '=='")
    situation.take_as(situation.position, equals)
    return True


def _increment_in_expression(situation: Situation) -> bool:
    found = situation.found
    if found.value not in ("++", "--"):
        return False
    message = f"'{found.value}' is a statement of its own; it cannot stand inside an expression"
    advice = "for the negative of a negative, write '- -'" if found.value == "--" else None
    situation.reporter.report("E0120", message, span_of(found), help=advice)
    operator = situation.operator("-")
    if situation.accepts(operator, situation.type_at(situation.position + 1)):
        situation.take_as(situation.position, operator)
    else:
        situation.leave_out()
    return True


def _bare_comparison(situation: Situation) -> bool:
    """`<` or `>` between the angle brackets of a multi-assignment."""
    previous, found = situation.previous, situation.found
    first = situation.tokens[situation.statement_start()]
    if first.value != "<":
        return False
    after_close = previous is not None and previous.value == ">" and situation.accepts(situation.operator(";"))
    after_close = after_close and not situation.starts_line()
    if not after_close and found.value not in ("<", "<=", ">="):
        return False
    place = previous if after_close and previous is not None else found
    message = f"between '<' and '>' a comparison needs its own brackets, '{place.value}' ends it"
    situation.reporter.report("E0113", message, span_of(place), help="write <a, b> = <Min(a, e), (x < y)>;")
    situation.give_up_statement()
    return True


def _end_of_file(situation: Situation) -> bool:
    if situation.found.type != END:
        return False
    open_brackets = [situation.tokens[index] for index in situation.open_brackets()]
    expected = alternatives(situation.accepted(), situation.lexer)
    related: list[Label] = []
    if open_brackets:
        guess = _unclosed(situation, open_brackets)
        expected = f"'{_CLOSER[guess.value]}'" if guess.value == "{" else expected
        related = [Label(span_of(guess), "this is never closed")]
    message = f"the file ends where {expected} is expected"
    situation.reporter.report("E0102", message, span_of(situation.found), related=related)
    situation.give_up_statement()
    return True


def _function_inside(situation: Situation) -> bool:
    """A new function begins although a bracket of the last is open."""
    if situation.found.type not in FUNCTION_WORDS or not situation.open_brackets():
        return False
    open_brackets = [situation.tokens[index] for index in situation.open_brackets()]
    guess = _unclosed(situation, open_brackets)
    message = f"a function begins, but this '{guess.value}' is never closed"
    label = Label(span_of(situation.found), "begins here")
    situation.reporter.report("E0107", message, span_of(guess), related=[label])
    brace = situation.operator("}")
    count = next((n for n in range(1, len(open_brackets) + 1) if situation.accepts(*[brace] * n, "FUNCTION")), 0)
    if count:
        situation.insert(*[brace] * count)
    else:
        situation.give_up_statement()
    return True


def _unclosed(situation: Situation, open_brackets: list[Token]) -> Token:
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


def _unclosed_bracket(situation: Situation) -> bool:
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
            message = f"this '{bracket.value}' is not closed: expected '{closer}' before {quoted(found)}"
            label = Label(span_of(found), f"'{closer}' is expected before this")
            situation.reporter.report("E0107", message, span_of(bracket), related=[label])
            situation.insert(*closers, *semicolon)
            return True
    return False


def _stray_closer(situation: Situation) -> bool:
    found = situation.found
    if found.value not in (")", "]", "}"):
        return False
    open_values = [situation.tokens[index].value for index in situation.open_brackets()]
    if open_values and _CLOSER[open_values[-1]] == found.value:
        return False
    if not open_values or open_values[-1] == "{":
        message = f"there is nothing open that '{found.value}' could close"
        situation.reporter.report("E0108", message, span_of(found))
        while situation.found.type == found.type:
            situation.leave_out()
        return True
    opener = situation.tokens[situation.open_brackets()[-1]]
    closer = _CLOSER[opener.value]
    if not situation.accepts(situation.operator(closer)):
        return False
    label = Label(span_of(opener), f"needs a '{closer}'")
    message = f"'{found.value}' cannot close '{opener.value}'"
    situation.reporter.report("E0108", message, span_of(found), related=[label])
    situation.take_as(situation.position, situation.operator(closer))
    return True


# --- statements ----------------------------------------------------------------------------------------------------


def _missing_semicolon(situation: Situation) -> bool:
    found, previous = situation.found, situation.previous
    semicolon = situation.operator(";")
    if previous is None or not situation.accepts(semicolon, found.type):
        return False
    brackets = situation.open_brackets()
    in_header = bool(brackets) and situation.tokens[brackets[-1]].value == "("
    starts_statement = found.value == "}" or found.value in (*STATEMENT_WORDS, *TYPE_WORDS)
    if not (situation.starts_line() or starts_statement or (in_header and found.type == "NAME")):
        return False
    place = span_of(previous).end
    situation.reporter.report("E0106", "a ';' is missing", Span(place, place), "here")
    situation.insert(semicolon)
    return True


def _stray_semicolon(situation: Situation) -> bool:
    if situation.found.value != ";" or not situation.accepts("RETURN"):
        return False
    situation.reporter.report(
        "E0121", "there is no statement before this ';'", span_of(situation.found), help="leave it out, or write { }"
    )
    if situation.previous is not None and situation.previous.value in (")", "else", "do"):
        situation.give_up_statement()
    else:
        situation.leave_out()
    return True


def _part_without_whole(situation: Situation) -> bool:
    found = situation.found
    wholes = {"else": "if", "iterateInReverse": "iterateInBFS"}
    if found.value not in wholes or not situation.accepts("RETURN"):
        return False
    whole = wholes[found.value]
    message = f"'{found.value}' without an '{whole}' before it"
    advice = f"it stands right behind the statement or block of '{whole}'"
    situation.reporter.report("E0122", message, span_of(found), help=advice)
    situation.leave_out()
    if found.value == "iterateInReverse":
        situation.skip_to_block()
    return True


def _outside_of_functions(situation: Situation) -> bool:
    if not situation.accepts("FUNCTION") or situation.found.type == END:
        return False
    found, index = situation.found, situation.position
    if found.value == "}":
        return False
    if situation.type_at(index + 1) == "NAME" and situation.type_at(index + 2) == "LPAR":
        message = f"a function begins with 'function', not with '{found.value}'"
        advice = "what it returns is found out from its 'return'"
        situation.reporter.report("E0124", message, span_of(found), help=advice)
        situation.take_as(index, "FUNCTION")
        return True
    advice = "statements stand in the block of a function: function name(…) { … }"
    situation.reporter.report("E0116", f"{quoted(found)} stands outside of every function", span_of(found), help=advice)
    situation.give_up_function()
    return True


def _missing_expression(situation: Situation) -> bool:
    """Something that ends an expression stands where one should begin."""
    found = situation.found
    if found.value == "?" or not situation.accepts("NAME", found.type) or not situation.accepts("INTEGER"):
        return False
    expected = alternatives(situation.accepted(), situation.lexer)
    situation.reporter.report("E0101", f"expected {expected}, found {quoted(found)}", span_of(found))
    situation.insert("NAME")
    return True


_RECOGNISERS = (
    _no_word,
    _missing_until,
    _misspelt_word,
    _outside_of_functions,
    _unknown_type,
    _reserved_name,
    _parameter_without_type,
    _assignment_for_comparison,
    _bare_comparison,
    _increment_in_expression,
    _end_of_file,
    _function_inside,
    _part_without_whole,
    _stray_semicolon,
    _missing_semicolon,
    _unclosed_bracket,
    _stray_closer,
    _missing_expression,
)
"""In the order of trust: the more a mistake's traces are its own, the earlier."""
