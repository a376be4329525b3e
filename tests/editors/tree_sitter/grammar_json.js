// Prints a grammar.js as the JSON that tree-sitter's compiler takes: `node grammar_json.js DSL GRAMMAR`.
const Module = require("module");
const { resolve } = require("path");

class RuleBuilder {
  constructor() {
    return new Proxy(this, { get: (_, name) => ({ type: "SYMBOL", name }) });
  }
}

const load = Module._load;
Module._load = (name, ...rest) => (name === "./binding" ? { RuleBuilder } : load(name, ...rest));

const [dsl, grammar] = process.argv.slice(2);
Object.assign(globalThis, require(resolve(dsl)), { field: (_, rule) => rule });
process.stdout.write(JSON.stringify(require(resolve(grammar))));
