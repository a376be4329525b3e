// The page: wires the editor, the panels and the compiler together.
import { Compiler, Stopped, Wrong } from "./compiler.js";
import { programEditor, setText, underline } from "./editor.js";
import { Emitted } from "./emitted.js";
import { Run } from "./run.js";

const TARGETS = { cuda: "CUDA", opencl: "OpenCL", sycl: "SYCL", openacc: "OpenACC", openmp: "OpenMP", hip: "HIP", webgpu: "WebGPU" };
const BESIDE = ["cuda", "opencl", "sycl", "openacc"];
const FIRST = "sssp";
const PAUSE = 300; // milliseconds without typing before the program is checked

const shownTargets = (tab) => (tab === "beside" ? BESIDE : tab in TARGETS ? [tab] : []);
const find = (selector) => document.querySelector(selector);
const read = async (file) => (await fetch(file)).json();
const [words, examples, graphs] = await Promise.all(["words.json", "examples.json", "graphs.json"].map(read));

let name = FIRST;
let tab = "run";
let timer;
let version = 0; // of the text; an answer about an older one is dropped

const compiler = new Compiler((stage, reason) => {
  document.body.dataset.stage = stage;
  if (stage === "ready") offerGPU();
  find("#stage").textContent = stage === "ready" ? "" : stage === "failed" ? `Python did not start: ${reason}` : `${stage} …`;
});
const editor = programEditor(find("#editor"), words, {
  onChange: () => {
    version++;
    find("#go").disabled = true;
    clearTimeout(timer);
    timer = setTimeout(refresh, PAUSE);
  },
  onLine: (line, cause) => shownTargets(tab).length && emitted.lightFromProgram(line, cause),
  onRun: () => perform("run"),
});
const emitted = new Emitted(find("#panel-code"), find("#pane"), BESIDE.length, editor);
const run = new Run(find("#panel-run"), graphs, compiler);
const text = () => editor.state.doc.toString();

// --- asking ---------------------------------------------------------------------------------------------------------

// What a call gives for the text of now; null if that has changed meanwhile, or it is wrong, which `hear` is told.
async function asked(call, given, hear = (wrong) => complain(wrong, [])) {
  const asking = version;
  try {
    const value = await compiler.ask(call, given);
    return asking === version ? value : null;
  } catch (error) {
    if (error instanceof Stopped) return null;
    if (error instanceof Wrong) asking === version && hear(error);
    else find("#stage").textContent = `The compiler failed: ${error.message.trim().split("\n").at(-1)}`;
    return null;
  }
}

async function refresh() {
  const found = await asked("check", { name, text: text() });
  if (found === null) return;
  underline(editor, found.diagnostics);
  complain(found, found.diagnostics);
  judge(found.diagnostics);
  const isRight = !found.diagnostics.some((one) => one.severity === "error");
  find("#go").disabled = !isRight;
  if (!isRight) return;
  run.setEntry(found.entry);
  if (tab !== "run") await perform(tab);
}

async function perform(wanted) {
  if (wanted === "run") return runNow();
  const given = { name, text: text() };
  if (wanted === "explain") {
    const told = await asked("explain", { ...given, target: find("#plan-target").value });
    if (told === null) return;
    find("#facts").textContent = told.facts;
    find("#plan").textContent = told.plan;
  }
  const targets = shownTargets(wanted);
  for (const [place, target] of targets.entries()) {
    let refusal = "";
    const made = await asked("emit", { ...given, target }, (wrong) => (refusal = `no code: ${wrong.message}`));
    if (tab !== wanted || (made === null && !refusal)) return;
    if (made === null) emitted.panes[place].clear(TARGETS[target], refusal);
    else emitted.panes[place].set(TARGETS[target], made);
  }
  document.body.dataset.shown = wanted;
}

async function offerGPU() {
  try {
    run.offerGPU(await compiler.ask("gpu", {}));
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
}

async function runNow() {
  if (find("#go").disabled || find("#go").hidden) return;
  find("#go").hidden = true;
  find("#stop").hidden = false;
  find("#said").textContent = "";
  const found = await asked("run", { name, text: text(), ...run.given });
  find("#stop").hidden = true;
  find("#go").hidden = false;
  if (found === null) {
    const wrong = find("#diagnostics .error pre");
    if (wrong) find("#said").textContent = wrong.textContent.split("\n")[0];
    return;
  }
  complain({ diagnostics: found.warnings, more: "" }, []);
  run.show(found);
  document.body.dataset.ran = String(Number(document.body.dataset.ran ?? 0) + 1);
}

// --- saying ---------------------------------------------------------------------------------------------------------

// Lists diagnostics as a terminal shows them; those of the program lead to their place.
function complain({ diagnostics, more }, placed) {
  const items = diagnostics.map((one) => {
    const item = document.createElement("li");
    item.className = one.severity;
    const code = Object.assign(document.createElement("button"), { type: "button", textContent: one.code });
    code.title = `What ${one.code} means`;
    code.addEventListener("click", () => explainCode(one.code));
    const said = Object.assign(document.createElement("pre"), { textContent: one.text });
    if (placed.includes(one)) said.addEventListener("click", () => goTo(one.from));
    item.append(code, said);
    return item;
  });
  if (more) items.push(Object.assign(document.createElement("li"), { textContent: `and ${more}` }));
  find("#diagnostics").replaceChildren(...items);
}

// Says how many mistakes the program has.
function judge(diagnostics) {
  const errors = diagnostics.filter((one) => one.severity === "error").length;
  const others = diagnostics.length - errors;
  const count = (number, noun) => (number ? [`${number} ${noun}${number === 1 ? "" : "s"}`] : []);
  find("#verdict").textContent = [...count(errors, "error"), ...count(others, "warning")].join(", ") || "no errors";
  find("#verdict").className = errors ? "error" : others ? "warning" : "fine";
}

function goTo(place) {
  editor.dispatch({ selection: { anchor: place }, scrollIntoView: true });
  editor.focus();
}

async function explainCode(code) {
  const page = await compiler.ask("page", { code });
  find("#code-page pre").textContent = page;
  find("#code-page").showModal();
}

// --- tabs and examples ----------------------------------------------------------------------------------------------

function choose(wanted) {
  tab = wanted;
  for (const button of document.querySelectorAll("[role=tab]")) {
    const isChosen = button.dataset.tab === wanted;
    button.setAttribute("aria-selected", String(isChosen));
    button.tabIndex = isChosen ? 0 : -1;
  }
  for (const panel of document.querySelectorAll("[role=tabpanel]")) {
    panel.hidden = panel.id !== `panel-${shownTargets(wanted).length ? "code" : wanted}`;
    if (!panel.hidden) panel.setAttribute("aria-labelledby", `tab-${wanted}`);
  }
  document.body.dataset.tab = wanted;
  emitted.show(shownTargets(wanted).length);
  if (wanted !== "run") perform(wanted);
}

function makeTabs() {
  const tabs = { run: "Run", beside: "Side by side", ...TARGETS, explain: "Explain" };
  for (const [key, words] of Object.entries(tabs)) {
    const button = Object.assign(document.createElement("button"), { type: "button", id: `tab-${key}`, textContent: words });
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", `panel-${shownTargets(key).length ? "code" : key}`);
    button.dataset.tab = key;
    button.addEventListener("click", () => choose(key));
    find("#tabs").append(button);
  }
  find("#tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const buttons = [...find("#tabs").children];
    const next = buttons.at((buttons.indexOf(event.target) + step) % buttons.length);
    next.focus();
    choose(next.dataset.tab);
  });
}

function load(wanted) {
  const example = examples.find((one) => one.name === wanted) ?? examples[0];
  name = example.name;
  find("#example").value = name;
  setText(editor, example.text);
  history.replaceState(null, "", `#${name}`);
}

makeTabs();
find("#example").append(...examples.map((one) => Object.assign(new Option(one.name), { title: one.says })));
find("#plan-target").append(...Object.entries(TARGETS).map(([key, words]) => new Option(words, key)));
find("#plan-target").addEventListener("change", () => perform("explain"));
find("#example").addEventListener("change", (event) => load(event.target.value));
find("#go").addEventListener("click", () => runNow());
find("#stop").addEventListener("click", () => {
  compiler.stop();
  find("#said").textContent = "Stopped.";
});
addEventListener("hashchange", () => load(location.hash.slice(1)));
load(location.hash.slice(1) || FIRST);
choose("run");
