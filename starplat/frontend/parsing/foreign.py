"""Tables of words and operators of other languages with their replacements. Read by `lexer` and `mistakes`."""

from collections.abc import Mapping
from typing import NamedTuple


class Foreign(NamedTuple):
    """`stand_in` is a word or operator of the language with which the parser goes on, and `help` the remedy."""

    stand_in: str
    help: str


def by_name(table: Mapping[str, str]) -> dict[str, str]:
    """One row for each of the names that a key lists.

    >>> by_name({"a b": "x"})
    {'a': 'x', 'b': 'x'}
    """
    return {name: help for names, help in table.items() for name in names.split()}


OPERATORS = {
    "**": Foreign("*", "write 'x * x', or 'pow(x, y)'"),
    "**=": Foreign("*=", "write 'x = x * x', or 'x = pow(x, y)'"),
    "<>": Foreign("!=", "write '!='"),
    "===": Foreign("==", "write '=='"),
    "!==": Foreign("!=", "write '!='"),
    "~=": Foreign("!=", "write '!='"),
    "=>": Foreign(">=", "'greater or equal' is written '>='"),
    ":=": Foreign("=", "write '='"),
    "->": Foreign(".", "write '.'"),
}
"""Signs that can stand nowhere in a program."""

WORD_OPERATORS = {
    "and": Foreign("&&", "write '&&'"),
    "or": Foreign("||", "write '||'"),
    "not": Foreign("!", "write '!'"),
    "xor": Foreign("!=", "write '!=' between bools, '^' between integers"),
    "is": Foreign("==", "write '=='"),
    "mod": Foreign("%", "write '%'"),
    "div": Foreign("/", "write '/', which cuts the fraction off between integers"),
}

LOOKALIKES = {
    **dict.fromkeys("−–—‐‑", "-"),
    **dict.fromkeys("×⋅·", "*"),
    **dict.fromkeys("÷∕", "/"),
    "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=",
    "\N{NOT EQUAL TO}": "!=",
    "\N{LOGICAL AND}": "&&",
    "\N{LOGICAL OR}": "||",
    "\N{NOT SIGN}": "!",
    "\N{INFINITY}": "INF",
    "\N{ELEMENT OF}": "in",
    **{chr(ord(plain) + 0xFEE0): plain for plain in "()[]{};:,.<>=+-*/%!?&|^"},  # full width
}
"""Typographic signs, which editors and web pages put in the place of plain ones."""

TYPES = by_name(
    {
        "boolean logical _Bool": "did you mean 'bool'?",
        "integer unsigned signed uint uint32_t int32_t size_t short byte i32 u32": "did you mean 'int'?",
        "int64_t uint64_t i64 u64 int64 longlong": "did you mean 'long'?",
        "real number decimal float64 f64": "did you mean 'double'?",
        "float32 f32 half": "did you mean 'float'?",
        "vertex Vertex vertex_t node_t nodeid vid": "did you mean 'node'?",
        "arc Arc edge_t eid": "did you mean 'edge'?",
        "graph digraph DiGraph network": "did you mean 'Graph'?",
        "string String str char": "the language has no texts",
        "var let auto val mut dim const final static": (
            "a variable says its type: 'int x = 1;', 'double x = 0.5;', 'node v = src;'"
        ),
        "vector array Array deque queue stack List tuple": (
            "one value a node is a property: 'propNode<int> p;'; a set of nodes is 'SetN<g> s;'"
        ),
        "set unordered_set Set": "a set of nodes is 'SetN<g> s;', one of edges 'SetE<g> s;'",
        "map unordered_map dict HashMap hashmap": "one value a node is a property: 'propNode<int> p;'",
        "property prop nodeProperty NodeProp N_P": "did you mean 'propNode'?",
        "edgeProperty EdgeProp E_P": "did you mean 'propEdge'?",
    }
)
"""Names of types, each with its remedy."""

MODIFIERS = frozenset(
    ("const", "constexpr", "static", "final", "inline", "unsigned", "signed", "volatile", "mutable", "register")
)
"""Words before a type that the language does without."""

_ELSE_IF = Foreign("if", "write 'else if (…)'")
_FORALL = Foreign("forall", "write 'forall (v in …)', or 'for (v in …)' for one after the other")

BRANCHES = {
    **dict.fromkeys(("elif", "elsif", "elseif", "elsIf", "elseIf"), _ELSE_IF),
    **dict.fromkeys(("foreach", "forEach", "for_each", "parfor", "pfor", "parallel_for"), _FORALL),
    "unless": Foreign("if", "write 'if (!(…))'"),
    "repeat": Foreign("do", "write 'do { … } while (…);'"),
}
"""Words that begin a statement."""

ABSENT = by_name(
    {
        "switch case match select": "write 'if (…) … else if (…) …'",
        "try catch throw raise except finally": "there are no exceptions: return a value that tells",
        "struct class enum typedef union interface": "there are no types of your own: keep one property a field",
        "import include using require package": "write 'import \"other.sp\";' before all functions",
        "goto yield with lambda async await": "there is nothing like it",
    }
)
"""Words that begin a statement for which there is nothing."""
