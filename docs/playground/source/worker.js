// Runs the compiler in the browser's Python, away from the page. Messages in: {id, call, arguments}; out: {id, answer}
// with the answer of bridge.py, {id, failure} where that raised, {stage} while it starts.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const SITE = "/lib/python3.12/site-packages";

async function start() {
  postMessage({ stage: "loading Python" });
  const archive = fetch(new URL("./python.zip", import.meta.url)).then((reply) => {
    if (!reply.ok) throw new Error(`python.zip: ${reply.status} ${reply.statusText}`);
    return reply.arrayBuffer();
  });
  const python = await loadPyodide({
    indexURL: new URL("./pyodide/", import.meta.url).href,
    env: { STARPLAT_CACHE_DIR: `${SITE}/starplat_cache`, HOME: "/home/pyodide" },
  });
  postMessage({ stage: "loading the compiler" });
  python.unpackArchive(await archive, "zip", { extractDir: SITE });
  python.runPython(`import os; os.chmod("${SITE}/starplat_cache", 0o700)`);
  const answer = python.pyimport("bridge").answer;
  postMessage({ stage: "ready" });
  return { python, answer };
}

const started = start();
started.catch((error) => postMessage({ stage: "failed", reason: String(error) }));
const numbers = started.then(({ python }) => python.loadPackage("numpy"));
const WITHOUT_NUMPY = new Set(["check", "page", "gpu"]);
const CAN_WAIT = "Suspending" in WebAssembly; // Python can wait for promises, those of a GPU

async function reply({ id, call, given }) {
  try {
    const { answer } = await started;
    if (!WITHOUT_NUMPY.has(call)) await numbers;
    const text = JSON.stringify(given);
    postMessage({ id, answer: await (CAN_WAIT ? answer.callPromising(call, text) : answer(call, text)) });
  } catch (error) {
    postMessage({ id, failure: String(error.message ?? error) });
  }
}

// One after the other: Python that waits for a GPU is not entered anew.
let last = Promise.resolve();
addEventListener("message", ({ data }) => (last = last.then(() => reply(data))));
