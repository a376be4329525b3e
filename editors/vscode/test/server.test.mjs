// The command that the extension starts answers over pipes, by the library that the extension uses.

import assert from "node:assert";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";

const require = createRequire(import.meta.url);
const rpc = require("vscode-languageserver-protocol/node");
const settings = JSON.parse(readFileSync(new URL("../package.json", import.meta.url))).contributes.configuration;

test("the server tells the mistake of a program", { timeout: 60_000 }, async () => {
  const [command, ...args] = settings.properties["starplat.server"].default;
  const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const connection = rpc.createProtocolConnection(
    new rpc.StreamMessageReader(server.stdout),
    new rpc.StreamMessageWriter(server.stdin),
  );
  const told = new Promise((resolve) => connection.onNotification(rpc.PublishDiagnosticsNotification.type, resolve));
  connection.listen();
  const { capabilities } = await connection.sendRequest(rpc.InitializeRequest.type, {
    processId: process.pid, rootUri: null, capabilities: {},
  });
  assert.ok(capabilities.hoverProvider);
  await connection.sendNotification(rpc.InitializedNotification.type, {});
  const text = "function f(Graph g) { return g.num_node(); }";
  await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, {
    textDocument: { uri: "file:///f.sp", languageId: "starplat", version: 1, text },
  });
  const { diagnostics } = await told;
  assert.deepStrictEqual(diagnostics.map((d) => d.code), ["E0204"]);
  await connection.sendRequest(rpc.ShutdownRequest.type);
  await connection.sendNotification(rpc.ExitNotification.type);
  const code = await new Promise((resolve) => server.on("exit", resolve));
  assert.strictEqual(code, 0);
});
