"""The server: which question of the protocol is answered by what, and when diagnostics are told.

Texts come whole. A text is checked when it has stood still for a moment. pygls turns an exception of an answer into an
error of that answer, so that the server goes on.
"""

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from starplat.editing.renaming import RenameError
from starplat.lsp import answers
from starplat.lsp.document import Document
from starplat.source import SourceFile
from starplat.version import __version__

STILL = 0.15
"""Seconds for which a text has not changed when it is checked."""

_log = logging.getLogger(__name__)


def serve() -> None:
    """Serves an editor over stdin and stdout until it says that it is done; nothing else is written to stdout."""
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_mistake)
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as replies, redirect_stdout(sys.stderr):
        Service().server.start_io(sys.stdin.buffer, replies)


def _is_mistake(record: logging.LogRecord) -> bool:
    """Whether the log speaks of a mistake of ours, not of a question that was refused."""
    return record.exc_info is None or not isinstance(record.exc_info[1], JsonRpcInvalidParams)


class Service:
    """The open documents of one editor."""

    def __init__(self) -> None:
        kind = lsp.TextDocumentSyncKind.Full
        self.server = LanguageServer("starplat", __version__, text_document_sync_kind=kind)
        self.documents: dict[str, Document] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        for name, options, answer in self._answers():
            self.server.feature(name, options)(partial(answer))  # which pygls marks: a method cannot be

    def _answers(self) -> tuple[tuple[str, Any, Callable[[Any], Any]], ...]:
        points = lsp.CompletionOptions(trigger_characters=["."])
        fixes = lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
        return (
            (lsp.TEXT_DOCUMENT_DID_OPEN, None, self.opened),
            (lsp.TEXT_DOCUMENT_DID_CHANGE, None, self.changed),
            (lsp.TEXT_DOCUMENT_DID_CLOSE, None, self.closed),
            (lsp.TEXT_DOCUMENT_DID_SAVE, None, self.saved),
            (lsp.TEXT_DOCUMENT_HOVER, None, lambda p: answers.hover(self._of(p), p.position)),
            (lsp.TEXT_DOCUMENT_COMPLETION, points, lambda p: answers.completions(self._of(p), p.position)),
            (lsp.TEXT_DOCUMENT_DEFINITION, None, lambda p: answers.definition(self._of(p), p.position, _uri(p))),
            (lsp.TEXT_DOCUMENT_REFERENCES, None, self.references),
            (lsp.TEXT_DOCUMENT_PREPARE_RENAME, None, lambda p: answers.renameable(self._of(p), p.position)),
            (lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True), self.rename),
            (lsp.TEXT_DOCUMENT_CODE_ACTION, fixes, lambda p: answers.actions(self._of(p), p.range, _uri(p))),
            (lsp.TEXT_DOCUMENT_FORMATTING, None, lambda p: answers.formatting(self._of(p))),
            (lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, None, lambda p: answers.symbols(self._of(p))),
        )

    def _of(self, params: Any) -> Document:
        """The document that a question is about."""
        try:
            return self.documents[_uri(params)]
        except KeyError:
            raise JsonRpcInvalidParams(message=f"{_uri(params)} is not open") from None

    # --- texts ---

    def opened(self, params: lsp.DidOpenTextDocumentParams) -> None:
        """Checks a program that was opened."""
        given = params.text_document
        encoding = self.server.workspace.position_encoding
        name = to_fs_path(given.uri) or given.uri.rpartition("/")[2]
        self.documents[given.uri] = Document(
            SourceFile(name, given.text, opened=self._opened), getattr(encoding, "value", encoding), given.version
        )
        self.tell(given.uri)

    def changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        """Takes the new text, which is checked when it has stood still."""
        uri = params.text_document.uri
        text = params.content_changes[-1].text
        self.documents[uri] = self._of(params).next(text, params.text_document.version)
        self._forget(uri)
        self._waiting[uri] = asyncio.get_running_loop().call_later(STILL, self._settled, uri)

    def _settled(self, uri: str) -> None:
        """Checks a text that has stood still, and the programs that may import it."""
        self.tell(uri)
        self._check_importing(except_for=uri)

    def _opened(self, path: Path) -> str | None:
        """The text of a file that is open here."""
        texts = (d.source.text for d in self.documents.values() if os.path.realpath(d.source.name) == str(path))
        return next(texts, None)

    def saved(self, _: lsp.DidSaveTextDocumentParams) -> None:
        """Checks the programs that import files anew: one of these may be the one that was saved."""
        self._check_importing()

    def _check_importing(self, except_for: str | None = None) -> None:
        for uri, document in list(self.documents.items()):
            if uri != except_for and document.reading.tree.imports:
                self.documents[uri] = document.next(document.source.text, document.version)
                self.tell(uri)

    def closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        """Forgets a program and takes its diagnostics back."""
        uri = _uri(params)
        self._forget(uri)
        del self.documents[uri]
        self._publish(uri, None, [])
        self._check_importing()  # what was not saved is gone

    def _forget(self, uri: str) -> None:
        if (waiting := self._waiting.pop(uri, None)) is not None:
            waiting.cancel()

    def tell(self, uri: str) -> None:
        """Tells the diagnostics of a text."""
        document = self.documents[uri]
        try:
            found = answers.diagnostics(document, uri)
        except Exception as error:  # a mistake of ours ends neither the timer's loop nor the server
            _log.exception("the check of %s failed", uri)
            self.server.report_server_error(error, Exception)
            return
        self._publish(uri, document.version, found)

    def _publish(self, uri: str, version: int | None, found: list[lsp.Diagnostic]) -> None:
        self.server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=found)
        )

    # --- questions ---

    def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """Where a thing is named."""
        wanted = params.context.include_declaration
        return answers.references(self._of(params), params.position, _uri(params), wanted)

    def rename(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        """The changes that give a thing another name; a refusal is told to the user."""
        try:
            return answers.rename(self._of(params), params.position, _uri(params), params.new_name)
        except RenameError as refused:
            raise JsonRpcInvalidParams(message=str(refused)) from refused


def _uri(params: Any) -> str:
    return str(params.text_document.uri)
