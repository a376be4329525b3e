// The grammar colours a program as the language has it.

import assert from "node:assert";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const file = (name) => readFileSync(new URL(name, import.meta.url));

async function colours(line) {
  const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength)).catch(() => {});
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(String(file("../syntaxes/starplat.tmLanguage.json")), "g.json"),
  });
  const grammar = await registry.loadGrammar("source.starplat");
  const { tokens } = grammar.tokenizeLine(line, textmate.INITIAL);
  return tokens
    .filter((token) => token.scopes.length > 1)
    .map((token) => [line.slice(token.startIndex, token.endIndex), token.scopes.at(-1).replace(".starplat", "")]);
}

test("a loop has its colours", async () => {
  assert.deepStrictEqual(await colours("forall (v in g.nodes()) v.dist = INF; // all"), [
    ["forall", "keyword.control"],
    ["in", "keyword.control"],
    [".", "punctuation.accessor"],
    ["nodes", "entity.name.function.member"],
    [".", "punctuation.accessor"],
    ["dist", "variable.other.property"],
    ["=", "keyword.operator"],
    ["INF", "constant.language"],
    ["// all", "comment.line.double-slash"],
  ]);
});

test("a function and its parameters have theirs", async () => {
  assert.deepStrictEqual(await colours("function f(Graph g, float x = 1e-6) {"), [
    ["function", "storage.type.function"],
    ["f", "entity.name.function"],
    ["Graph", "storage.type"],
    ["float", "storage.type"],
    ["=", "keyword.operator"],
    ["1e-6", "constant.numeric.float"],
  ]);
});
