"""A client of the server over its pipes: plain JSON-RPC, so that what is tested is what an editor sees."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import IO, Any

PATIENCE = 120
"""Seconds that a client waits for a message, and for the end, on a busy machine."""
URI = "file:///programs/program.sp"


class Client:
    """`starplat lsp` as an editor runs it."""

    def __init__(self, encodings: tuple[str, ...] = ("utf-16",), folder: Path | None = None) -> None:
        command = [sys.executable, "-m", "starplat", "lsp", "--stdio"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.told: list[Any] = []
        self.versions = 0
        self._number = 0
        general: dict[str, Any] = {"general": {"positionEncodings": list(encodings)}}
        general["textDocument"] = {"rename": {"prepareSupport": True}}
        given = {"processId": None, "rootUri": None, "capabilities": general}
        self.capabilities = self.ask("initialize", given)["capabilities"]
        self.notify("initialized", {})

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if kind is not None:
            self.process.kill()
        else:
            self.ask("shutdown", None)
            self.notify("exit", None)
        code = self.process.wait(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
        assert kind is not None or code == 0

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        watch = Timer(PATIENCE, self.process.kill)
        watch.start()
        try:
            return self._received(self.process.stdout)
        finally:
            watch.cancel()

    def _received(self, stdout: IO[bytes]) -> dict[str, Any]:
        length = 0
        while (line := stdout.readline()).strip() or not length:
            assert line, "the server has ended, or did not answer in time"
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message: dict[str, Any] = json.loads(stdout.read(length))
        return message

    def reply(self, method: str, params: Any) -> dict[str, Any]:
        """The whole answer to a question, an error too; what the server tells meanwhile is kept in `told`."""
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        while (message := self.receive()).get("id") != self._number or "method" in message:
            self.told.append(message)
        return message

    def ask(self, method: str, params: Any) -> Any:
        """The result of a question."""
        answer = self.reply(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def open(self, text: str) -> list[Any]:
        """Opens a text and gives its diagnostics."""
        self.versions += 1
        document = {"uri": URI, "languageId": "starplat", "version": self.versions, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return self.diagnostics()

    def change(self, text: str) -> None:
        self.versions += 1
        document = {"uri": URI, "version": self.versions}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def diagnostics(self) -> list[Any]:
        """The diagnostics of the newest text."""
        while True:
            message = self.told.pop(0) if self.told else self.receive()
            assert message["method"] != "window/showMessage", message
            if message["params"].get("version") == self.versions:
                found: list[Any] = message["params"]["diagnostics"]
                return found

    def at(self, method: str, line: int, column: int, **more: Any) -> Any:
        """The answer to a question about a place, lines and columns from 0."""
        return self.ask(f"textDocument/{method}", at(line, column, **more))


def at(line: int, column: int, **more: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": URI}, "position": {"line": line, "character": column}, **more}
