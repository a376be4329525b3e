"""Wording of syntax errors: the word found, and those expected."""

from lark import Token

from starplat.frontend.parsing.lexer import END, Lexer

TYPE_WORDS = (
    *("int", "long", "float", "double", "bool", "Graph", "dirGraph", "node", "edge", "propNode", "propEdge"),
    *("SetN", "SetE", "list", "container", "map", "nodeMap", "updates"),
)
STATEMENT_WORDS = (
    *("if", "while", "do", "for", "forall", "loop", "fixedPoint", "iterateInBFS", "return", "break", "continue"),
    *("Batch", "OnAdd", "OnDelete"),
)
_OPERATORS = (
    *("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "&", "|", "^", "?", ".", "[", "("),
    *("++", "--", "<<", ">>"),
)
_CHANGES = ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "&&=", "||=")
_PREFIXES = ("(", "!", "-", "~", "+", "++", "--")
_VALUES = ("True", "true", "False", "false", "INF", "INT_MAX")
_SOFT = (
    *("in", "from", "to", "by", "until", "filter", "import"),
    *("Batch", "OnAdd", "OnDelete", "Incremental", "Decremental"),
)
CASTS = ("int", "long", "float", "double")
_CLOSERS = (";", ")", "]", "}", ",", ":", "{")
_MOST = 4


def quoted(token: Token) -> str:
    """The word as messages quote it."""
    return "the end of the file" if token.type == END else f"'{token.value}'"


def alternatives(accepted: set[str], lexer: Lexer) -> str:
    """What could stand where words of the types `accepted` could: at most four things, joined for reading."""
    left = {lexer.spellings.get(type, type) for type in accepted}
    phrases: list[str] = []
    for phrase, sign, covered in _groups():
        if sign <= left:
            phrases.append(phrase)
            left -= covered
    quotes = [f"'{text}'" for text in sorted(left - {END}, key=_closers_first)]
    if END in left:
        phrases.append("the end of the file")
    phrases = [*quotes[: max(1, _MOST - len(phrases))], *phrases][:_MOST]
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"


def _groups() -> list[tuple[str, set[str], set[str]]]:
    """Phrase, words that call for it if all of them could come, words that it stands for."""
    values = {"NAME", "INTEGER", "REAL", *_VALUES}
    expression = {*values, "TEXT", *_SOFT, *_PREFIXES, *CASTS}
    statement = {*expression, *TYPE_WORDS, *STATEMENT_WORDS, "{", "<"}
    return [
        ("a statement", {"return"}, statement),
        ("a function", {"function"}, {"function", "Static", "Dynamic", "Incremental", "Decremental"}),
        ("an expression", {"NAME", "INTEGER", "("}, expression),
        ("a number", {"INTEGER"}, {*values, "-", "+"}),
        ("a file in quotes", {"TEXT"}, {"TEXT"}),
        ("a name", {"NAME"}, {"NAME", *_SOFT}),
        ("a type", {"int"}, set(TYPE_WORDS)),
        ("an operator", {"*"}, set(_OPERATORS)),
        ("an assignment", {"+="}, set(_CHANGES)),
    ]


def _closers_first(text: str) -> tuple[int, str]:
    return (_CLOSERS.index(text) if text in _CLOSERS else len(_CLOSERS), text)
