// The compiler as the page calls it: promises of answers, a start that can be watched, a stop.

export class Wrong extends Error {
  // The input is wrong; `diagnostics` say what, `more` how many are left out.
  constructor({ diagnostics, more }) {
    super(diagnostics.map((one) => one.message).join("; "));
    this.diagnostics = diagnostics;
    this.more = more;
  }
}

export class Stopped extends Error {}

export class Compiler {
  #waiting = new Map();
  #last = 0;

  constructor(onStage) {
    this.onStage = onStage;
    this.#start();
  }

  #start() {
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.addEventListener("message", ({ data }) => this.#hear(data));
    this.worker.addEventListener("error", (event) => this.onStage("failed", event.message));
  }

  #hear({ id, stage, reason, answer, failure }) {
    if (stage !== undefined) return this.onStage(stage, reason);
    const { resolve, reject } = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure !== undefined) return reject(new Error(failure));
    const said = JSON.parse(answer);
    return "value" in said ? resolve(said.value) : reject(new Wrong(said));
  }

  ask(call, given) {
    const id = ++this.#last;
    this.worker.postMessage({ id, call, given });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  // Ends everything that is under way: Python starts anew, as nothing else can interrupt it without a server's headers.
  stop() {
    this.worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(new Stopped());
    this.#waiting.clear();
    this.#start();
  }
}
