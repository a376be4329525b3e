// Panes of emitted code, each a target's files, and the lines in all of them that belong to those of the program.
import { emittedView, lightUp, scrollTo, setText } from "./editor.js";

// The innermost link around a line of one side; all that share its lines, as several kernels may stand for one loop.
function around(links, side, line) {
  const holding = links.filter((link) => link[side][0] <= line && line <= link[side][1]);
  const width = (link) => link[side][1] - link[side][0];
  const least = Math.min(...holding.map(width));
  return holding.filter((link) => width(link) === least);
}

const same = (one, other) => one[0] === other[0] && one[1] === other[1];

class Pane {
  constructor(element, onLine) {
    this.element = element;
    this.files = [];
    this.chooser = element.querySelector("select");
    this.shared = element.querySelector(".shared");
    this.view = emittedView(element.querySelector(".code"), (line) => onLine(this, line));
    this.chooser.addEventListener("change", () => this.#show());
    const copy = element.querySelector(".copy");
    copy.hidden = !navigator.clipboard; // browsers lend it to pages from https and localhost only
    copy.addEventListener("click", () => this.files.length && navigator.clipboard.writeText(this.#file.text));
  }

  get #file() {
    return this.files[this.chooser.selectedIndex];
  }

  get links() {
    return this.files.length ? this.#file.links : [];
  }

  // The file with most of the program's lines is shown first: the kernels, where they have one of their own.
  set(title, { files, shared }) {
    const before = this.chooser.value;
    const fullest = files.reduce((most, file) => (file.links.length > most.links.length ? file : most));
    this.element.querySelector("b").textContent = title;
    this.element.classList.remove("refused");
    this.files = files;
    this.chooser.replaceChildren(...files.map((file) => new Option(file.name)));
    this.chooser.value = files.some((file) => file.name === before) ? before : fullest.name;
    this.shared.textContent = shared.length ? `and ${shared.length} headers that all programs share` : "";
    this.#show();
  }

  // There is no code: the program has errors, or the target refuses it.
  clear(title, reason) {
    this.element.querySelector("b").textContent = title;
    this.element.classList.add("refused");
    this.files = [];
    this.chooser.replaceChildren();
    this.shared.textContent = reason;
    setText(this.view, "");
  }

  #show() {
    setText(this.view, this.#file.text);
    this.view.scrollDOM.scrollTop = 0;
  }
}

export class Emitted {
  constructor(element, template, count, program) {
    this.program = program;
    this.panes = Array.from({ length: count }, () => {
      element.append(template.content.cloneNode(true));
      return new Pane(element.lastElementChild, (pane, line) => this.lightFromPane(pane, line));
    });
  }

  // Shows as many panes.
  show(count) {
    this.panes.forEach((pane, place) => (pane.element.hidden = place >= count));
  }

  lightFromPane(pane, line) {
    const found = line === null ? [] : around(pane.links, "emitted", line);
    lightUp(this.program, found.map((link) => link.program));
    this.#light(found, pane, found.map((link) => link.emitted));
  }

  // Scrolls to the code of the line at the cursor, and, in several panes, of the piece under the pointer.
  lightFromProgram(line, cause) {
    const shown = this.panes.filter((pane) => !pane.element.hidden);
    const found = line === null ? [] : around(shown.flatMap((pane) => pane.links), "program", line);
    const piece = String(found[0]?.program);
    const scrolls = cause === "cursor" || (shown.length > 1 && piece !== this.piece);
    this.piece = piece;
    lightUp(this.program, found.map((link) => link.program));
    this.#light(found, null, [], scrolls);
  }

  // Lights up what was made of the same lines of the program; of `origin`, under the pointer, only `its` lines.
  #light(found, origin, its, scrolls = false) {
    for (const pane of this.panes) {
      const linked = pane.links.filter((link) => found.some((one) => same(one.program, link.program)));
      lightUp(pane.view, pane === origin ? its : linked.map((link) => link.emitted));
      if (scrolls && linked.length) scrollTo(pane.view, linked[0].emitted[0]);
    }
  }
}
