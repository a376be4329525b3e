// The panel that runs the program: a graph, the arguments, the picture, the table.
import { coloured, drawn, placed } from "./drawing.js";

const RANDOM = [["uniform", "random pairs"], ["rmat", "few hubs (RMAT)"], ["grid", "a grid of roads"]];

export class Run {
  constructor(element, graphs, compiler) {
    this.compiler = compiler;
    this.graphs = graphs;
    this.find = (selector) => element.querySelector(selector);
    this.parameters = [];
    this.chosen = this.find("#graph");
    this.edges = this.find("#edges");
    const ready = graphs.map((graph, place) => new Option(graph.name, String(place)));
    const random = RANDOM.map(([kind, words]) => new Option(words, kind));
    this.chosen.append(group("Ready", ready), group("Made up", random), new Option("your own", "own"));
    this.chosen.addEventListener("change", () => this.chooseGraph());
    this.find("#size").addEventListener("change", () => this.chooseGraph());
    this.find("#again").addEventListener("click", () => this.chooseGraph(true));
    this.edges.addEventListener("input", () => this.#graphChanged("own"));
    this.find("#undirected").addEventListener("change", () => this.#graphChanged(this.chosen.value));
    this.find("#shown").addEventListener("change", () => this.#draw());
    this.seed = 1;
    this.chooseGraph();
  }

  // Lets the visitor choose the GPU, or says why there is none.
  offerGPU({ name, lacking }) {
    const option = this.find("#device option[value=webgpu]");
    option.disabled = lacking !== null;
    option.textContent = name === null ? "your GPU, by WebGPU" : `${name}, by WebGPU`;
    this.find("#lacking").textContent = lacking === null ? "" : `not on your GPU: ${lacking}`;
  }

  async chooseGraph(again = false) {
    const kind = this.chosen.value;
    const isRandom = RANDOM.some(([name]) => name === kind);
    this.find("#making").hidden = !isRandom;
    if (isRandom) {
      this.seed += again ? 1 : 0;
      const size = Math.min(Math.max(Number(this.find("#size").value) || 1, 1), 4096);
      this.edges.value = "";
      this.edges.placeholder = "making it …";
      const made = await this.compiler.ask("generate", { kind, size, seed: this.seed }).catch(() => "");
      if (this.chosen.value !== kind) return;
      this.edges.value = made;
      this.find("#undirected").checked = true;
    } else if (kind !== "own") {
      this.edges.value = this.graphs[kind].edges;
      this.find("#undirected").checked = this.graphs[kind].undirected;
    }
    this.#graphChanged(kind);
  }

  #graphChanged(kind) {
    this.chosen.value = kind;
    this.setEntry(this.entry);
  }

  // Fields for what the function asks of its caller; nodes that it needs are the graph's first.
  setEntry(entry) {
    this.entry = entry;
    const written = new Map([...this.#fields()].filter((field) => field.dataset.mine).map((f) => [f.name, f.value]));
    const ids = this.edges.value.split("\n").filter((line) => line && !/^[#%]/.test(line)).map((line) => line.split(/\s+/)[0]);
    const first = [...new Set(ids)];
    const fields = (entry?.parameters ?? []).map(({ name, type, default: usual }) => {
      const input = document.createElement("input");
      Object.assign(input, { name, autocomplete: "off", spellcheck: false, placeholder: usual ?? "" });
      const guess = type === "node" ? first[0] : type === "SetN" ? first.slice(0, 2).join(",") : "";
      input.value = written.get(name) ?? (usual === null ? guess ?? "" : "");
      if (written.has(name)) input.dataset.mine = "yes";
      input.addEventListener("input", () => (input.dataset.mine = "yes"));
      const label = document.createElement("label");
      label.append(`${name} `, Object.assign(document.createElement("small"), { textContent: type }), input);
      return label;
    });
    this.find("#arguments").replaceChildren(...fields);
  }

  #fields() {
    return this.find("#arguments").querySelectorAll("input");
  }

  get given() {
    const filled = [...this.#fields()].filter((field) => field.value.trim() !== "");
    return {
      edges: this.edges.value,
      undirected: this.find("#undirected").checked,
      target: this.find("#device").value,
      arguments: Object.fromEntries(filled.map((field) => [field.name, field.value.trim()])),
    };
  }

  show(answers) {
    this.answers = answers;
    const { graph, function: name, returned, seconds, properties, ids, arcs } = answers;
    const time = seconds < 1 ? `${(seconds * 1000).toPrecision(2)} ms` : `${seconds.toPrecision(3)} s`;
    this.find("#said").textContent = `${graph.described}. '${name}' ran in ${time} on ${answers.device}.`;
    this.find("#printed").textContent = answers.printed;
    this.find("#returned").hidden = returned === null;
    this.find("#returned output").textContent = String(returned);
    this.find("#answers").hidden = false;
    this.width = this.#width;
    this.places = arcs && ids.length ? placed(ids.length, arcs, this.width) : null;
    const chooser = this.find("#shown");
    const before = chooser.value;
    chooser.replaceChildren(...properties.map((property) => new Option(property.name)));
    const changed = properties.filter((property) => property.name !== "weight");
    chooser.value = properties.some((p) => p.name === before) ? before : (changed[0] ?? properties[0])?.name;
    this.find("#picture-of").hidden = !properties.length;
    this.#draw();
    this.#tabulate();
  }

  get #width() {
    return Math.min(Math.max(this.find("#picture").clientWidth - 40, 300), 720);
  }

  #draw() {
    const property = this.answers.properties.find((one) => one.name === this.find("#shown").value);
    const ofNodes = property?.carrier === "propNode";
    const { colours, legend } = property && ofNodes ? coloured(property) : { legend: [] };
    const marked = property && !ofNodes && property.type === "bool" ? property.words.map((word) => word === "True") : null;
    const title = property ? `The graph, coloured by ${property.name}; the table has the same values` : "The graph";
    const look = { width: this.width, title, colours, values: ofNodes ? property.words : null, marked };
    const none = Object.assign(document.createElement("p"), { textContent: "This graph is too large to draw." });
    this.find("#picture").replaceChildren(this.places ? drawn(this.answers, this.places, look) : none);
    this.find("#legend").replaceChildren(...legend.map(([colour, words]) => swatch(colour, words)));
  }

  #tabulate() {
    const { ids, properties, arcs } = this.answers;
    const ofNodes = properties.filter((property) => property.carrier === "propNode");
    const ofArcs = properties.filter((property) => property.carrier === "propEdge");
    const nodes = table("Nodes", ["node", ...ofNodes.map((p) => p.name)], [ids, ...ofNodes.map((p) => p.words)]);
    const tables = ofNodes.length ? [nodes] : [];
    if (ofArcs.length && arcs) {
      const ends = [0, 1].map((end) => arcs.map((arc) => ids[arc[end]]));
      tables.push(table("Arcs", ["from", "to", ...ofArcs.map((p) => p.name)], [...ends, ...ofArcs.map((p) => p.words)]));
    }
    this.find("#tables").replaceChildren(...tables);
  }
}

function group(label, options) {
  const made = Object.assign(document.createElement("optgroup"), { label });
  made.append(...options);
  return made;
}

function swatch(colour, words) {
  const item = document.createElement("li");
  const square = document.createElement("i");
  square.style.background = colour;
  item.append(square, words);
  return item;
}

function table(caption, heads, columns) {
  const made = document.createElement("table");
  made.createCaption().textContent = caption;
  const row = made.createTHead().insertRow();
  for (const head of heads) row.append(Object.assign(document.createElement("th"), { scope: "col", textContent: head }));
  const body = made.createTBody();
  for (let at = 0; at < Math.min(...columns.map((column) => column.length)); at++) {
    const cells = body.insertRow();
    for (const column of columns) cells.insertCell().textContent = column[at];
  }
  return made;
}
