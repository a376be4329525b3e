// The panel of emitted code: a target's files, and the lines that belong to those of the program.
import { emittedView, lightUp, scrollTo, setText } from "./editor.js";

// The innermost link around a line of one side; all that share its lines, as several kernels may stand for one loop.
function around(links, side, line) {
  const holding = links.filter((link) => link[side][0] <= line && line <= link[side][1]);
  const width = (link) => link[side][1] - link[side][0];
  const least = Math.min(...holding.map(width));
  return holding.filter((link) => width(link) === least);
}

export class Emitted {
  constructor(element, program) {
    this.program = program;
    this.files = [];
    this.chooser = element.querySelector("select");
    this.shared = element.querySelector(".shared");
    this.view = emittedView(element.querySelector(".code"), (line) => this.lightFromHere(line));
    this.chooser.addEventListener("change", () => this.#show());
    const copy = element.querySelector(".copy");
    copy.hidden = !navigator.clipboard; // browsers lend it to pages from https and localhost only
    copy.addEventListener("click", () => this.files.length && navigator.clipboard.writeText(this.#file.text));
  }

  get #file() {
    return this.files[this.chooser.selectedIndex];
  }

  set({ files, shared }) {
    const before = this.chooser.value;
    this.files = files;
    this.chooser.replaceChildren(...files.map((file) => new Option(file.name)));
    this.chooser.value = files.some((file) => file.name === before) ? before : files[0].name;
    this.shared.textContent = shared.length ? `and ${shared.length} headers that all programs share` : "";
    this.#show();
  }

  // There is no code yet: the program has errors.
  clear() {
    if (!this.files.length) this.shared.textContent = "no code: the program has errors";
  }

  #show() {
    setText(this.view, this.#file.text);
    this.view.scrollDOM.scrollTop = 0;
  }

  lightFromHere(line) {
    const found = line === null || !this.files.length ? [] : around(this.#file.links, "emitted", line);
    lightUp(this.view, found.map((link) => link.emitted));
    lightUp(this.program, found.map((link) => link.program));
  }

  lightFromProgram(line, cause) {
    const found = line === null || !this.files.length ? [] : around(this.#file.links, "program", line);
    lightUp(this.view, found.map((link) => link.emitted));
    lightUp(this.program, found.map((link) => link.program));
    if (cause === "cursor" && found.length) scrollTo(this.view, found[0].emitted[0]);
  }
}
