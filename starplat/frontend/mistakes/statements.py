"""Syntax errors: malformed statements, and single words: unknown, misspelled, reserved. See `mistakes`."""

from difflib import get_close_matches

from starplat.diagnostics import Rewrite
from starplat.frontend.mistakes.recovery import Situation
from starplat.frontend.mistakes.remedies import did_you_mean
from starplat.frontend.mistakes.wording import STATEMENT_WORDS, TYPE_WORDS, alternatives, quoted
from starplat.frontend.parsing import foreign
from starplat.frontend.parsing.lexer import END, UNKNOWN, span_of
from starplat.source import Span


def assignment_for_comparison(situation: Situation) -> bool:
    found = situation.found
    equals = situation.operator("==")
    if found.value != "=" or not situation.accepts(equals, situation.type_at(situation.position + 1)):
        return False
    message = "'=' assigns; it cannot stand inside an expression"
    situation.report("E0109", message, found, help=Rewrite("to compare, write '=='", "=="))
    situation.take_as(situation.position, equals)
    return True


def increment_between_values(situation: Situation) -> bool:
    """`a--b`: a value follows `--` or `++`, which has changed the one before it."""
    previous = situation.previous
    if previous is None or previous.value not in ("++", "--") or situation.starts_line():
        return False
    operator = situation.operator(previous.value[0])
    if not situation.fits_as(situation.position - 1, operator, situation.found.type):
        return False
    message = f"'{previous.value}' changes a variable; it cannot stand between two values"
    advice = {"--": "for the negative of a negative, write '- -'", "++": "to add, write '+'"}[previous.value]
    situation.report("E0120", message, previous, help=advice)
    situation.take_as(situation.position - 1, operator)
    return True


def bare_comparison(situation: Situation) -> bool:
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
    situation.report("E0113", message, place, help="write <a, b> = <Min(a, e), (x < y)>;")
    situation.give_up_statement()
    return True


def missing_semicolon(situation: Situation) -> bool:
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
    situation.report("E0106", "a ';' is missing", Span(place, place), "here")
    situation.insert(semicolon)
    return True


def stray_semicolon(situation: Situation) -> bool:
    if situation.found.value != ";" or not situation.accepts("RETURN"):
        return False
    situation.report(
        "E0121", "there is no statement before this ';'", situation.found, help="leave it out, or write { }"
    )
    if situation.previous is not None and situation.previous.value in (")", "else", "do"):
        situation.give_up_statement()
    else:
        situation.leave_out()
    return True


def part_without_whole(situation: Situation) -> bool:
    found = situation.found
    wholes = {"else": "if", "iterateInReverse": "iterateInBFS"}
    if found.value not in wholes or not situation.accepts("RETURN"):
        return False
    whole = wholes[found.value]
    message = f"'{found.value}' without an '{whole}' before it"
    situation.report("E0122", message, found, help=f"it stands right behind the statement or block of '{whole}'")
    situation.leave_out()
    if found.value == "iterateInReverse":
        situation.skip_to_block()
    return True


def outside_of_functions(situation: Situation) -> bool:
    if not situation.accepts("FUNCTION") or situation.found.type == END:
        return False
    found, index = situation.found, situation.position
    if found.value == "}":
        return False
    if situation.type_at(index + 1) == "NAME" and situation.type_at(index + 2) == "LPAR":
        message = f"a function begins with 'function', not with '{found.value}'"
        advice = "what it returns is found out from its 'return'"
        situation.report("E0124", message, found, help=advice)
        situation.take_as(index, "FUNCTION")
        return True
    advice = foreign.ABSENT.get(found.value, "statements stand in the block of a function: function name(…) { … }")
    situation.report("E0116", f"{quoted(found)} stands outside of every function", found, help=advice)
    situation.give_up_function()
    return True


def missing_expression(situation: Situation) -> bool:
    """Something that ends an expression stands where one should begin."""
    found = situation.found
    if found.value == "?" or not situation.accepts("NAME", found.type) or not situation.accepts("INTEGER"):
        return False
    expected = alternatives(situation.accepted(), situation.lexer)
    situation.report("E0101", f"expected {expected}, found {quoted(found)}", found)
    situation.insert("NAME")
    return True


_SIMILAR = 0.7


def no_word(situation: Situation) -> bool:
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


def missing_until(situation: Situation) -> bool:
    previous = situation.previous
    if previous is None or previous.type != "FIXEDPOINT" or situation.found.type == "NAME":
        return False
    place = span_of(previous)
    situation.report(
        "E0115", "'fixedPoint' lacks its 'until'", place, help="write fixedPoint until (finished : condition) { … }"
    )
    if situation.accepts("UNTIL", situation.found.type):
        situation.insert("UNTIL")
    else:
        situation.give_up_statement()
    return True


def misspelt_word(situation: Situation) -> bool:
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
                situation.report("E0114", message, name, help=Rewrite(f"did you mean '{word}'?", word))
                situation.take_as(index, words[word])
                return True
    return False


def reserved_name(situation: Situation) -> bool:
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
            situation.report("E0110", message, word, help=f"call it '{word.value}_' or the like")
            situation.take_as(index, "NAME")
            return True
    return False


def unknown_type(situation: Situation) -> bool:
    """A name stands where a type would fit."""
    for index in _suspects(situation, 4):
        name = situation.tokens[index]
        following = situation.types(index + 1, max(situation.position, index + 1))
        if name.type != "NAME" or not (following and following[0] in ("NAME", "LESSTHAN", "BITAND", "AMPERSAND")):
            continue
        for stand_in in ("INT", "LIST", "SETN"):
            if situation.fits_as(index, stand_in, *following) and not situation.fits_as(index, "NAME", *following):
                help = foreign.TYPES.get(name.value) or did_you_mean(name.value, TYPE_WORDS)
                help = help or f"types are {', '.join(TYPE_WORDS)}"
                situation.report("E0123", f"there is no type '{name.value}'", name, help=help)
                situation.take_as(index, stand_in)
                return True
    return False


def parameter_without_type(situation: Situation) -> bool:
    found = situation.found
    if found.type != "NAME" or not situation.accepts("INT", "NAME") or situation.accepts("RETURN"):
        return False
    if not situation.accepts("INT", "NAME", situation.type_at(situation.position + 1)):
        return False
    advice = "a parameter is written: type name"
    situation.report("E0123", f"the parameter '{found.value}' has no type", found, help=advice)
    situation.insert("INT")
    return True


def _suspects(situation: Situation, most: int) -> list[int]:
    """Words that may be to blame: the one found, those before it, the first of the statement."""
    last = situation.position
    nearest = range(last, max(last - most, situation.statement_start() - 1, -1), -1)
    return [*nearest, situation.statement_start()]
