"""Prints the syntax tree as canonical text.

Two spaces a level, a block's `{` on its header's line, a statement that is no block on a line of its own below its
header, `else` behind its `}`, `iterateInReverse` on a line of its own. `format_source` is what `starplat fmt` writes:
it also keeps comments, and single blank lines between statements. A comment inside a statement moves in front of it.
"""

import re
from dataclasses import dataclass

from starplat.frontend import ast, parser
from starplat.frontend.parsing import expression_text, lexer
from starplat.source import SourceFile, Span


@dataclass
class Trivia:
    """The comments not yet written, and where the text had blank lines."""

    text: str
    waiting: list[Span]

    def __post_init__(self) -> None:
        self.waiting.reverse()

    def before(self, position: int) -> list[Span]:
        """Takes the comments that start before `position`."""
        taken = []
        while self.waiting and self.waiting[-1].start < position:
            taken.append(self.waiting.pop())
        return taken

    def beside(self, position: int) -> list[Span]:
        """Takes the comments that follow `position` on its line, nothing but blanks between."""
        taken: list[Span] = []
        while self.waiting and self.waiting[-1].start >= position:
            gap = self.text[position : self.waiting[-1].start]
            if gap.strip(" \t"):
                break
            taken.append(self.waiting.pop())
            position = taken[-1].end
        return taken

    def spelling(self, comment: Span) -> str:
        lines = re.split(r"\r\n|\r|\n", self.text[comment.start : comment.end])
        return "\n".join(line.rstrip() for line in lines)

    def blank_before(self, position: int) -> bool:
        """Whether a blank line stands directly before `position`."""
        start = position
        while start and self.text[start - 1].isspace():
            start -= 1
        return len(re.findall(r"\r\n|\r|\n", self.text[start:position])) > 1


_INDENT = "  "


def unparse(program: ast.Program) -> str:
    """The program as text; `parse(unparse(program)) == program`."""
    return _Printer(Trivia("", [])).program(program)


def format_source(source: SourceFile) -> str:
    """The text of `source` in canonical style, comments and single blank lines kept. Raises DiagnosticError: it does
    not parse."""
    program = parser.parse(source)
    return _Printer(Trivia(source.text, parser.comments(source))).program(program)


class _Printer:
    def __init__(self, trivia: Trivia) -> None:
        self._trivia = trivia
        self._expressions = expression_text.ExpressionPrinter(trivia.text or None)
        self._lines: list[str] = []
        self._depth = 0
        self._fresh = True
        """Whether nothing has been written in the block in hand yet."""

    def program(self, program: ast.Program) -> str:
        for found in program.imports:
            self._begin(found.span.start, found.span.end)
            self._line(f"import {lexer.quoted(found.file.value)};")
            self._beside(found.span.end)
        for number, function in enumerate(program.functions):
            after_another = number > 0 or bool(program.imports)
            self._begin(function.span.start, function.body.span.start, force_blank=after_another)
            self._open(self._header(function), function.body)
            self._block_inside(function.body)
            self._close(function.body)
        self._begin(len(self._trivia.text) + 1, 0, at_end=True)
        return "".join(f"{line}\n" for line in self._lines)

    # --- lines and comments ----------------------------------------------------------------------------------------

    def _line(self, text: str) -> None:
        self._lines.append(_INDENT * self._depth + text if text else "")
        self._fresh = False

    def _begin(self, start: int, end: int, *, force_blank: bool = False, at_end: bool = False) -> None:
        """Writes the comments up to `end`, one a line, and the blank line that what starts at `start` has before it."""
        taken = self._trivia.before(max(start, end))
        for comment in taken:
            if comment.start < start:
                self._blank(comment.start, force=force_blank)
                force_blank = False
                self._line(self._trivia.spelling(comment))
        if at_end:
            return
        self._blank(start, force=force_blank)
        for comment in taken:
            if comment.start >= start:
                self._line(self._trivia.spelling(comment))

    def _blank(self, position: int, *, force: bool) -> None:
        wanted = force or (bool(self._trivia.text) and self._trivia.blank_before(position))
        if wanted and self._lines and not self._fresh:
            self._lines.append("")

    def _beside(self, position: int) -> None:
        """Writes the comments that stand to the right of what ended at `position`."""
        for comment in self._trivia.beside(position):
            self._lines[-1] += f" {self._trivia.spelling(comment)}"

    # --- functions and blocks --------------------------------------------------------------------------------------

    def _header(self, function: ast.Function) -> str:
        name = f" {function.name.text}" if function.name else ""
        return f"{function.kind.value}{name}({', '.join(map(self._parameter, function.parameters))})"

    def _parameter(self, parameter: ast.Parameter) -> str:
        kind = self._expressions.type(parameter.type)
        graph = f"({parameter.graph.text})" if parameter.graph else ""
        default = f" = {self._expressions.expression(parameter.default)}" if parameter.default else ""
        return f"{kind}{'&' if parameter.by_reference else ''} {parameter.name.text}{graph}{default}"

    def _open(self, header: str, body: ast.Block, *, continues: bool = False) -> None:
        """Writes `header {`, on the line of the last `}` if it `continues` that."""
        opening = f"{header} {{" if header else "{"
        if continues:
            self._lines[-1] += f" {opening}"
        else:
            self._line(opening)
        self._beside(body.span.start + 1)

    def _block_inside(self, body: ast.Block) -> None:
        self._depth += 1
        self._fresh = True
        for statement in body.statements:
            self.statement(statement)
        self._begin(body.span.end - 1, 0, at_end=True)
        self._depth -= 1

    def _close(self, body: ast.Block, suffix: str = "", *, end: int | None = None) -> None:
        self._line("}" + suffix)
        self._beside(body.span.end if end is None else end)

    def _body(self, header: str, body: ast.Statement, *, continues: bool = False, more: bool = False) -> None:
        """What a header governs; with `more` to follow, the line of the `}` stays open."""
        if not isinstance(body, ast.Block):
            if not continues:
                self._line(header)
            elif header:
                self._lines[-1] += f" {header}"
            self._depth += 1
            self._fresh = True
            self.statement(body)
            self._depth -= 1
            return
        self._open(header, body, continues=continues)
        self._block_inside(body)
        if more:
            self._line("}")
        else:
            self._close(body)

    # --- statements ------------------------------------------------------------------------------------------------

    def statement(self, node: ast.Statement) -> None:
        self._begin(node.span.start, _header_end(node))
        self._statement(node)

    def _statement(self, node: ast.Statement) -> None:
        write = self._expressions.expression
        match node:
            case ast.Block():
                self._body("", node)
            case ast.If():
                self._if(node, continues=False)
            case ast.While(condition, body):
                self._body(f"while ({write(condition)})", body)
            case ast.DoWhile():
                self._do_while(node)
            case ast.ForEach(parallel, iterator, domain, body):
                word = "forall" if parallel else "for"
                self._body(f"{word} ({iterator.text} in {self._domain(domain)})", body)
            case ast.For():
                self._body(self._for_header(node), node.body)
            case ast.Loop(name, first, last, step, body):
                self._body(f"loop ({name.text} in {write(first)} to {write(last)} by {write(step)})", body)
            case ast.FixedPoint(flag, condition, body):
                self._body(f"fixedPoint until ({flag.text} : {write(condition)})", body)
            case ast.IterateInBFS():
                self._bfs(node)
            case ast.Batch(updates, size, body):
                self._body(f"Batch ({updates.text} : {write(size)})", body)
            case ast.OnUpdate(kind, iterator, domain, body):
                self._body(f"{kind.value} ({iterator.text} in {self._domain(domain)}):", body)
            case _:
                self._line(self._simple(node) + ";")
                self._beside(node.span.end)

    def _simple(self, node: ast.Statement) -> str:
        """A statement of one line, without its `;`."""
        write = self._expressions.expression
        match node:
            case ast.Declaration(kind, declarators):
                return f"{self._expressions.type(kind)} {', '.join(map(self._declarator, declarators))}"
            case ast.Assignment(target, operator, value):
                return f"{write(target)} {operator} {write(value)}"
            case ast.Increment(target, operator):
                return f"{write(target)}{operator}"
            case ast.MultiAssignment(targets, values):
                return f"<{self._expressions.between(targets)}> = <{self._expressions.between(values)}>"
            case ast.CallStatement(call):
                return write(call)
            case ast.Return(values):
                return f"return {', '.join(map(write, values))}".rstrip()
            case ast.Break():
                return "break"
            case ast.Continue():
                return "continue"
        raise TypeError(f"{type(node).__name__} is no statement")

    def _declarator(self, declarator: ast.Declarator) -> str:
        graph = f"({declarator.graph.text})" if declarator.graph else ""
        value = f" = {self._expressions.expression(declarator.value)}" if declarator.value else ""
        return f"{declarator.name.text}{graph}{value}"

    def _domain(self, domain: ast.Domain) -> str:
        filter = f".filter({self._expressions.expression(domain.filter)})" if domain.filter else ""
        return self._expressions.expression(domain.over) + filter

    def _for_header(self, node: ast.For) -> str:
        write = self._expressions.expression
        kind = f"{self._expressions.type(node.type)} " if node.type else ""
        start = f"{kind}{node.name.text} = {write(node.start)}"
        return f"for ({start}; {write(node.condition)}; {self._simple(node.step)})"

    def _if(self, node: ast.If, *, continues: bool) -> None:
        header = f"if ({self._expressions.expression(node.condition)})"
        if node.otherwise is None:
            self._body(header, node.then, continues=continues)
            return
        then = ast.Block((node.then,), span=node.then.span) if _swallows_else(node.then) else node.then
        self._body(header, then, continues=continues, more=True)
        if isinstance(then, ast.Block):
            self._lines[-1] += " else"
        else:
            self._line("else")
        if isinstance(node.otherwise, ast.If):
            self._if(node.otherwise, continues=True)
        else:
            self._body("", node.otherwise, continues=True)

    def _do_while(self, node: ast.DoWhile) -> None:
        ending = f"while ({self._expressions.expression(node.condition)});"
        if isinstance(node.body, ast.Block):
            self._open("do", node.body)
            self._block_inside(node.body)
            self._close(node.body, f" {ending}", end=node.span.end)
        else:
            self._body("do", node.body)
            self._line(ending)
            self._beside(node.span.end)

    def _bfs(self, node: ast.IterateInBFS) -> None:
        write = self._expressions.expression
        filter = f".filter({write(node.filter)})" if node.filter else ""
        header = f"iterateInBFS ({node.iterator.text} in {node.graph.text}.nodes() from {write(node.source)}){filter}"
        self._body(header, node.body)
        if node.reverse:
            self._begin(node.reverse.span.start, node.reverse.body.span.start)
            condition = f" ({write(node.reverse.filter)})" if node.reverse.filter else ""
            self._body(f"iterateInReverse{condition}", node.reverse.body)


def _header_end(node: ast.Statement) -> int:
    """Where the part of a statement ends that is written before its block; the comments in it move in front."""
    match node:
        case ast.Block():
            return node.span.start
        case ast.If(then=body) | ast.While(body=body) | ast.DoWhile(body=body) | ast.ForEach(body=body):
            return _header_end(body)
        case ast.For(body=body) | ast.Loop(body=body) | ast.FixedPoint(body=body) | ast.IterateInBFS(body=body):
            return _header_end(body)
        case ast.Batch(body=body) | ast.OnUpdate(body=body):
            return _header_end(body)
    return node.span.end


def _swallows_else(node: ast.Statement) -> bool:
    """Whether an `else` behind `node` would be taken for a part of it."""
    match node:
        case ast.If(_, _, None):
            return True
        case ast.If(_, _, ast.Statement() as last) | ast.While(_, last) | ast.ForEach(_, _, _, last):
            return _swallows_else(last)
        case ast.For(body=last) | ast.Loop(body=last):
            return _swallows_else(last)
    return False
