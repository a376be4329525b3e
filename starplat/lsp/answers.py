"""The answers to an editor's questions about a document, in the records of the protocol."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path, PurePath

from lsprotocol import types as lsp

from starplat.diagnostics import Diagnostic, DiagnosticError, Label, Severity
from starplat.editing import completion as completing, hover as hovering
from starplat.editing.reading import declared, of_function, of_symbol
from starplat.editing.renaming import renamed
from starplat.frontend import ast, typed, types, unparse
from starplat.imports import path_of
from starplat.lsp.document import Document, located
from starplat.source import SourceFile, Span

_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
_KINDS = {
    completing.Kind.KEYWORD: lsp.CompletionItemKind.Keyword,
    completing.Kind.FUNCTION: lsp.CompletionItemKind.Function,
    completing.Kind.FILE: lsp.CompletionItemKind.File,
    completing.Kind.METHOD: lsp.CompletionItemKind.Method,
    completing.Kind.ATTRIBUTE: lsp.CompletionItemKind.Field,
    completing.Kind.PROPERTY: lsp.CompletionItemKind.Property,
    completing.Kind.VARIABLE: lsp.CompletionItemKind.Variable,
}
_UNUSED = frozenset(("W0201", "W0202", "W0203"))


def diagnostics(document: Document, uri: str) -> list[lsp.Diagnostic]:
    """Everything that is wrong or doubtful, as `starplat check` says it."""
    return [_diagnostic(found, document, uri) for found in document.diagnostics]


def _diagnostic(found: Diagnostic, document: Document, uri: str) -> lsp.Diagnostic:
    place = Label(Span(0, 0)) if found.place is None else found.place
    said = [found.message, *([place.text] if place.text else []), *([f"help: {found.help}"] if found.help else [])]
    told = [place] if _is_elsewhere(found, document) else []
    source = found.source or document.source
    elsewhere = uri if source.name == document.source.name else Path(source.name).resolve().as_uri()
    related = [
        lsp.DiagnosticRelatedInformation(
            location=located(source, label.span, elsewhere, document.encoding), message=label.text or found.message
        )
        for label in (*told, *found.related)
    ]
    shown = _import_of(source.file_at(place.span.start)[0], document) if told else place.span
    return lsp.Diagnostic(
        range=document.places.range(shown),
        message="\n".join(said),
        severity=_SEVERITIES[found.severity],
        code=found.code,
        source="starplat",
        related_information=related or None,
        tags=[lsp.DiagnosticTag.Unnecessary] if found.code in _UNUSED else None,
    )


def _is_elsewhere(found: Diagnostic, document: Document) -> bool:
    """Whether a diagnostic is about an imported file."""
    if found.source is None or found.place is None:
        return False
    return found.source.file_at(found.place.span.start)[0].name != document.source.name


def _import_of(file: SourceFile, document: Document) -> Span:
    """The import of a document that leads to a file, as far as names tell; else its first."""
    imports = document.reading.tree.imports
    named = (i for i in imports if PurePath(i.file.value).stem == PurePath(file.name).stem)
    return next(named, imports[0]).file.span


def hover(document: Document, position: lsp.Position) -> lsp.Hover | None:
    """What is known of the piece under the cursor."""
    found = hovering.hover(document.reading, document.good, document.places.offset(position))
    if found is None:
        return None
    text = lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value=found.text)
    return lsp.Hover(contents=text, range=document.places.range(found.span))


def completions(document: Document, position: lsp.Position) -> list[lsp.CompletionItem]:
    """What the word before the cursor may become."""
    span, candidates = completing.completions(
        document.source.text, document.places.offset(position), document.source.name
    )
    place = document.places.range(span)
    return [
        lsp.CompletionItem(
            label=candidate.name,
            kind=_KINDS[candidate.kind],
            detail=candidate.detail or None,
            text_edit=lsp.TextEdit(range=place, new_text=candidate.name),
        )
        for candidate in candidates
    ]


def definition(document: Document, position: lsp.Position, uri: str) -> lsp.Location | None:
    """Where the thing under the cursor is declared; the beginning of a file whose import that is."""
    offset = document.places.offset(position)
    for wanted in document.reading.tree.imports:
        path = path_of(wanted, document.source)
        if wanted.span.start <= offset <= wanted.span.end and path is not None:
            start = lsp.Position(line=0, character=0)
            return lsp.Location(uri=path.as_uri(), range=lsp.Range(start=start, end=start))
    if (span := document.reading.name_at(offset)) is None:
        return None
    return document.location(declared(document.reading.meanings[span]), uri)


def references(document: Document, position: lsp.Position, uri: str, declaration: bool) -> list[lsp.Location]:
    """Where the thing under the cursor is named."""
    if (span := document.reading.name_at(document.places.offset(position))) is None:
        return []
    meaning = document.reading.meanings[span]
    places = [place for place in document.reading.places_of(meaning) if declaration or place != declared(meaning)]
    return [document.location(place, uri) for place in places]


def renameable(document: Document, position: lsp.Position) -> lsp.Range | None:
    """The name under the cursor, if it is the program's."""
    span = document.reading.name_at(document.places.offset(position))
    return None if span is None else document.places.range(span)


def rename(document: Document, position: lsp.Position, uri: str, name: str) -> lsp.WorkspaceEdit:
    """The changes that give a thing another name. Raises RenameError: it cannot be called so."""
    places = renamed(document.reading, document.places.offset(position), name)
    return lsp.WorkspaceEdit(changes={uri: [_edit(document, place, name) for place in places]})


def actions(document: Document, asked: lsp.Range, uri: str) -> list[lsp.CodeAction]:
    """The remedies, where they are exact, of what is wrong in a range."""
    first, last = document.places.offset(asked.start), document.places.offset(asked.end)
    return [
        lsp.CodeAction(
            title=f"Write '{found.fix.text}'",
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[_diagnostic(found, document, uri)],
            edit=lsp.WorkspaceEdit(changes={uri: [_edit(document, found.fix.span, found.fix.text)]}),
            is_preferred=True,
        )
        for found in document.diagnostics
        if found.fix is not None
        and not _is_elsewhere(found, document)
        and found.fix.span.start <= last
        and first <= found.fix.span.end
    ]


def formatting(document: Document) -> list[lsp.TextEdit] | None:
    """The lines that `starplat fmt` would change; None where it refuses the program."""
    try:
        formatted = unparse.format_source(document.source)
    except DiagnosticError:  # the diagnostics of the document say why
        return None
    before, after = (text.splitlines(keepends=True) for text in (document.source.text, formatted))
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    changed = SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
    return [
        _edit(document, Span(starts[first], starts[last]), "".join(after[new_first:new_last]))
        for tag, first, last, new_first, new_last in changed
        if tag != "equal"
    ]


def _edit(document: Document, span: Span, text: str) -> lsp.TextEdit:
    return lsp.TextEdit(range=document.places.range(span), new_text=text)


def symbols(document: Document) -> list[lsp.DocumentSymbol]:
    """The functions, each with what it declares."""
    own = (f for f in document.reading.tree.functions if document.reading.source.owns(f.span))
    return [_function_symbol(document, function) for function in own]


def _function_symbol(document: Document, function: ast.Function) -> lsp.DocumentSymbol:
    name = function.kind.value if function.name is None else function.name.text
    return lsp.DocumentSymbol(
        name=name,
        detail=of_function(function, document.source),
        kind=lsp.SymbolKind.Function,
        range=document.places.range(function.span),
        selection_range=document.places.range(function.span if function.name is None else function.name.span),
        children=list(_declarations(document, function)),
    )


def _declarations(document: Document, function: ast.Function) -> Iterator[lsp.DocumentSymbol]:
    for span, found in sorted(document.reading.meanings.items(), key=lambda item: item[0].start):
        if (
            isinstance(found, typed.Symbol)
            and found.span == span
            and function.span.start <= span.start < function.span.end
        ):
            is_property = isinstance(found.type, types.PropertyType)
            yield lsp.DocumentSymbol(
                name=found.name,
                detail=of_symbol(found),
                kind=lsp.SymbolKind.Property if is_property else lsp.SymbolKind.Variable,
                range=document.places.range(span),
                selection_range=document.places.range(span),
            )
