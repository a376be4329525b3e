"""Syntax errors in single words: unknown characters, misspelled, reserved, unknown types. See `mistakes`."""

from difflib import get_close_matches

from starplat.diagnostics import Rewrite
from starplat.frontend.mistakes.recovery import Situation
from starplat.frontend.mistakes.remedies import did_you_mean
from starplat.frontend.mistakes.wording import TYPE_WORDS
from starplat.frontend.parsing import foreign
from starplat.frontend.parsing.lexer import UNKNOWN, span_of

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
                situation.report("E0123", f"there is no type '{name.value}'", name, help=_type_help(name.value))
                situation.take_as(index, stand_in)
                return True
    return False


def _type_help(name: str) -> str:
    return foreign.TYPES.get(name) or did_you_mean(name, TYPE_WORDS) or f"types are {', '.join(TYPE_WORDS)}"


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
