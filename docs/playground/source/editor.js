// The two texts: the program, which can be edited, and emitted code, which cannot; ranges of lines lit up in either.
import { cpp } from "@codemirror/lang-cpp";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, lineNumbers } from "@codemirror/view";
import { basicSetup } from "codemirror";
import { colours, programLanguage } from "./language.js";

const light = StateEffect.define();

const lit = StateField.define({
  create: () => Decoration.none,
  update(shown, change) {
    for (const effect of change.effects) if (effect.is(light)) return linesOf(change.state.doc, effect.value);
    return change.docChanged ? Decoration.none : shown;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function linesOf(text, ranges) {
  const numbers = new Set();
  for (const [first, last] of ranges) {
    for (let line = first; line <= Math.min(last, text.lines); line++) numbers.add(line);
  }
  const sorted = [...numbers].sort((a, b) => a - b);
  return Decoration.set(sorted.map((line) => Decoration.line({ class: "lit" }).range(text.line(line).from)));
}

export function lightUp(view, ranges) {
  view.dispatch({ effects: light.of(ranges) });
}

export function scrollTo(view, line) {
  const place = view.state.doc.line(Math.min(line, view.state.doc.lines)).from;
  view.dispatch({ effects: EditorView.scrollIntoView(place, { y: "start", yMargin: 24 }) });
}

// Tells `heard` the line under the pointer, or the cursor's when that moves; null when the pointer leaves.
function lineWatch(heard) {
  const lineAt = (view, event) => {
    const place = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
    return view.state.doc.lineAt(place).number;
  };
  return [
    EditorView.domEventHandlers({
      mousemove: (event, view) => heard(lineAt(view, event), "pointer"),
      mouseleave: () => heard(null, "pointer"),
    }),
    EditorView.updateListener.of((update) => {
      if (!update.selectionSet || update.docChanged || !update.view.hasFocus) return;
      heard(update.state.doc.lineAt(update.state.selection.main.head).number, "cursor");
    }),
  ];
}

export function programEditor(parent, words, { onChange, onLine, onRun }) {
  return new EditorView({
    parent,
    extensions: [
      EditorView.domEventHandlers({
        keydown: (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && (onRun(), true),
      }),
      basicSetup,
      EditorView.lineWrapping,
      programLanguage(words),
      colours,
      lit,
      lineWatch(onLine),
      EditorView.contentAttributes.of({ "aria-label": "Program" }),
      EditorView.updateListener.of((update) => update.docChanged && onChange()),
    ],
  });
}

export function emittedView(parent, onLine) {
  return new EditorView({
    parent,
    extensions: [
      lineNumbers(),
      EditorState.readOnly.of(true),
      cpp(),
      colours,
      lit,
      lineWatch(onLine),
      EditorView.contentAttributes.of({ "aria-label": "Emitted code" }),
    ],
  });
}

export function setText(view, text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

// Underlines what the compiler complains of; one without a place stands on the first line.
export function underline(view, diagnostics) {
  const end = view.state.doc.length;
  const marks = diagnostics.map((one) => ({
    from: Math.min(one.from, end),
    to: Math.min(Math.max(one.to, one.from + 1), end),
    severity: one.severity === "note" ? "info" : one.severity,
    message: one.help ? `${one.message}\n${one.help}` : one.message,
    source: one.code,
  }));
  view.dispatch(setDiagnostics(view.state, marks));
}
