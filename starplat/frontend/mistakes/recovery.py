"""The parser's state at a syntax error, and the ways to continue.

A `Situation` knows the parser's stack, the words and the position among them. It can try out words without taking
them, mend the words (put one in, leave one out, take one for another), go back to an earlier word, or give up the
statement in hand.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from lark import Token, Tree
from lark.parsers.lalr_analysis import Shift

from starplat.diagnostics import Label, Reporter
from starplat.frontend import ast
from starplat.frontend.parsing.lexer import END, Lexer, span_of
from starplat.source import Span

FUNCTION_WORDS = frozenset({"FUNCTION", "STATIC", "DYNAMIC"})
_CLOSING = {")": "(", "]": "[", "}": "{"}


class Situation:
    """The parser in front of `tokens[position]`."""

    def __init__(self, state: Any, tokens: list[Token], lexer: Lexer, reporter: Reporter) -> None:
        self.tokens = tokens
        self.position = 0
        self.lexer, self.reporter = lexer, reporter
        self._state_stack: list[Any] = state.state_stack
        self._value_stack: list[Any] = state.value_stack
        self._table: dict[Any, dict[str, tuple[Any, Any]]] = state.parse_conf.parse_table.states
        self._callbacks: dict[Any, Any] = state.parse_conf.callbacks
        self._end_state: Any = state.parse_conf.end_state
        self._given_up_at = -1

    # --- looking -------------------------------------------------------------------------------------------------

    @property
    def found(self) -> Token:
        return self.tokens[self.position]

    @property
    def previous(self) -> Token | None:
        return self.tokens[self.position - 1] if self.position else None

    @property
    def given_up_here(self) -> bool:
        """Whether the last mistake was left behind at this very word, so that this one is its echo."""
        return self._given_up_at == self.position

    def type_at(self, index: int) -> str:
        return self.tokens[min(index, len(self.tokens) - 1)].type

    def types(self, first: int, last: int) -> list[str]:
        """The types of the words `first` up to and with `last`."""
        return [token.type for token in self.tokens[first : last + 1]]

    def operator(self, text: str) -> str:
        """The type of the word that is written so."""
        return self.lexer.operators.get(text) or self.lexer.keywords[text]

    def fits(self) -> bool:
        """Whether the word found can be taken."""
        action = self._table[self._state_stack[-1]].get(self.found.type)
        return action is not None and (action[0] is Shift or self.accepts(self.found.type))

    def closes_two_types(self) -> bool:
        """Whether the word found is a `>>` that closes two types; it is two words then."""
        found, closer = self.found, self.lexer.operators[">"]
        if found.value != ">>" or not self.accepts(closer, closer):
            return False
        place = found.start_pos or 0
        words = [Token(closer, ">", start_pos=start, end_pos=start + 1) for start in (place, place + 1)]
        self.tokens[self.position : self.position + 1] = words
        return True

    def accepts(self, *types: str) -> bool:
        """Whether words of these types could come now, one after the other."""
        return self._accepts(len(self._state_stack), types)

    def accepted(self) -> set[str]:
        """The types of all words that could come now."""
        return {type for type in self._table[self._state_stack[-1]] if type.isupper() and self.accepts(type)}

    def starts_line(self) -> bool:
        """Whether the word found is the first on its line."""
        previous = self.previous
        return previous is None or "\n" in self.reporter.source.text[previous.end_pos : self.found.start_pos]

    def statement_start(self) -> int:
        """The index of the word that the statement in hand seems to begin with."""
        index = self.position
        while index and self.tokens[index - 1].value not in (";", "{", "}"):
            index -= 1
        return index

    def open_brackets(self) -> list[int]:
        """The indices of the brackets open before the word found, the innermost last."""
        stack: list[int] = []
        for index in range(self.position):
            value = self.tokens[index].value
            if value in ("(", "[", "{"):
                stack.append(index)
            elif value in _CLOSING and stack and self.tokens[stack[-1]].value == _CLOSING[value]:
                stack.pop()
        return stack

    def report(
        self, code: str, message: str, place: Token | Span, text: str = "", *, related: Iterable[Label] = (),
        help: str | None = None,
    ) -> None:  # fmt: skip
        """Says what is wrong with a word or a piece of text."""
        span = place if isinstance(place, Span) else span_of(place)
        self.reporter.report(code, message, span, text, related=related, help=help)

    # --- mending -------------------------------------------------------------------------------------------------

    def insert(self, *types: str) -> None:
        """Puts words in before the one found."""
        previous = self.previous
        place = previous.end_pos if previous else 0
        words = [Token(t, self.lexer.spellings.get(t, ""), start_pos=place, end_pos=place) for t in types]
        self.tokens[self.position : self.position] = words

    def leave_out(self) -> None:
        """Goes on behind the word found."""
        if self.found.type != END:
            self.position += 1

    def take_as(self, index: int, type: str) -> None:
        """Takes the word at `index`, which may be an earlier one, for a word of another type and goes on from it."""
        if (height := self._height_before(index)) is not None:
            self._cut(height)
        text = self.lexer.spellings.get(type, self.tokens[index].value)
        self.tokens[index] = Token.new_borrow_pos(type, text, self.tokens[index])
        self.position = index

    def replace(self, index: int, count: int, *types: str) -> None:
        """Puts words of these types in the place of some, which may begin earlier, and goes on with them."""
        place = self.tokens[index].start_pos
        words = [Token(t, self.lexer.spellings.get(t, ""), start_pos=place, end_pos=place) for t in types]
        self.rearrange(index, words, index + count)

    def rearrange(self, index: int, words: list[Token], end: int) -> None:
        """Puts words in the place of those from `index` to before `end`, and goes on with them."""
        if (height := self._height_before(index)) is not None:
            self._cut(height)
        self.tokens[index:end] = words
        self.position = index

    def fits_as(self, index: int, *types: str) -> bool:
        """Whether `take_as(index, …)` would do, if words of `types` came from there on."""
        height = self._height_before(index)
        return height is not None and self._accepts(height, types)

    def give_up_statement(self) -> None:
        """Skips to the end of the statement, or to the block that it carries, and takes it for an empty one."""
        start = self.position
        self._reduce_complete()
        height = self._height_of_unfinished()
        if self.given_up_here:
            self.leave_out()
        elif height is None:
            self._give_up_header()
        else:
            self._skip_statement(height)
        clean = self.position > start and self.tokens[self.position - 1].value == ";"
        self._given_up_at = -1 if clean else self.position
        if self.position == start and self.found.type == END:
            self._finish()

    def give_up_whole_statement(self) -> bool:
        """Takes the statement in hand, if there is one, with the block that follows it for an empty one."""
        if (height := self._height_of_unfinished()) is None:
            return False
        depth = 0
        while self.found.type != END and (depth or self.found.value != "}"):
            depth += {"{": 1, "}": -1}.get(self.found.value, 0)
            self.position += 1
            if depth == 0 and self.tokens[self.position - 1].value in (";", "}"):
                break
        self._cut(height)
        self._push_statement()
        return True

    def give_up_function(self) -> None:
        """Skips to the next function."""
        self._cut(self._height_of("function") or 1)
        self.leave_out()
        while self.found.type not in FUNCTION_WORDS and self.found.type != END:
            self.position += 1

    def skip_to_block(self) -> None:
        """Goes on at the next brace."""
        while self.found.value not in ("{", "}") and self.found.type != END:
            self.position += 1

    def _skip_statement(self, height: int) -> None:
        heads = [index for index in self.open_brackets() if self.tokens[index].value != "{"]
        in_for = bool(heads) and self.type_at(heads[-1] - 1) == "FOR" and heads[-1] > self.statement_start() - 8
        while True:
            token = self.found
            if token.value == ")":
                in_for = False
            elif token.value == "{":
                self._cut(self._height_of("statement") or height)
                return
            elif token.value == "}" or token.type in FUNCTION_WORDS or token.type == END:
                break
            elif token.value == ";" and not in_for:
                self.position += 1
                break
            self.position += 1
        self._cut(height)
        self._push_statement()

    def _give_up_header(self) -> None:
        """Takes a function's spoilt header for `function _()`, if a block follows."""
        self._cut(self._height_of("function") or 1)
        while self.found.value != "{" and self.found.type not in FUNCTION_WORDS and self.found.type != END:
            self.position += 1
        if self.found.value == "{":
            self.insert("FUNCTION", "NAME", self.operator("("), self.operator(")"))

    def _finish(self) -> None:
        """Closes what is open at the end of the file, so that the parser can return."""
        braces = [self.operator("}") for index in self.open_brackets() if self.tokens[index].value == "{"]
        if self.accepts(*braces, END):
            self.insert(*braces)
        else:
            self._cut(self._height_of("function") or 1)

    # --- the stack -----------------------------------------------------------------------------------------------

    def _accepts(self, height: int, types: tuple[str, ...]) -> bool:
        stack = self._state_stack[:height]
        for type in types:
            while True:
                action, argument = self._table[stack[-1]].get(type, (None, None))
                if action is None:
                    return False
                if action is Shift:
                    stack.append(argument)
                    break
                if argument.expansion:
                    del stack[-len(argument.expansion) :]
                stack.append(self._table[stack[-1]][argument.origin.name][1])
                if type == END and stack[-1] == self._end_state:
                    return True
        return True

    def _cut(self, height: int) -> None:
        del self._state_stack[height:]
        del self._value_stack[height - 1 :]

    def _height_before(self, index: int) -> int | None:
        """How high the stack of states was before the word at `index`; None if that is no longer to be seen."""
        if index == self.position:
            return len(self._state_stack)
        start = self.tokens[index].start_pos
        for height in range(len(self._value_stack), 0, -1):
            if next(_starts(self._value_stack[height - 1]), None) == start:
                return height
        return None

    def _height_of(self, rule: str, below: int | None = None) -> int | None:
        """How high the stack is up to the topmost state in which a whole `rule` may come."""
        for height in range(len(self._state_stack) if below is None else below, 0, -1):
            if rule in self._table[self._state_stack[height - 1]]:
                return height
        return None

    def _height_of_unfinished(self) -> int | None:
        """How high the stack was before the statement in hand; a whole statement there is some way on from here."""
        height = self._height_of("statement")
        while height and self._table[self._state_stack[height - 1]]["statement"][1] == self._state_stack[-1]:
            height = self._height_of("statement", height - 1)
        return height

    def _reduce_complete(self) -> None:
        """Turns what is read completely, whatever comes next, into nodes."""
        while True:
            actions = [action for type, action in self._table[self._state_stack[-1]].items() if type.isupper()]
            rule = actions[0][1]
            if actions[0][0] is Shift or any(argument is not rule for _, argument in actions):
                return
            height = len(self._value_stack) - len(rule.expansion)
            value = self._callbacks[rule](self._value_stack[height:])
            self._cut(height + 1)
            self._value_stack.append(value)
            self._state_stack.append(self._table[self._state_stack[-1]][rule.origin.name][1])

    def _push_statement(self) -> None:
        place = self.tokens[self.position - 1].end_pos or 0 if self.position else 0
        self._value_stack.append(ast.Block((), span=Span(place, place)))
        self._state_stack.append(self._table[self._state_stack[-1]]["statement"][1])


def _starts(value: Any) -> Iterator[int]:
    if isinstance(value, Token):
        yield value.start_pos or 0
    elif isinstance(value, ast.Syntax):
        yield value.span.start
    elif isinstance(value, Tree):
        for child in value.children:
            yield from _starts(child)
    elif isinstance(value, tuple | list):
        for child in value:
            yield from _starts(child)
