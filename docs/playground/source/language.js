// Colours of .sp programs: the words are the grammar's, in words.json.
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

export function programLanguage(words) {
  return StreamLanguage.define({
    name: "starplat",
    languageData: {
      commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
      closeBrackets: { brackets: ["(", "[", "{"] },
      autocomplete: Object.keys(words).map((label) => ({ label, type: "keyword" })),
    },
    startState: () => ({ inComment: false }),
    token(stream, state) {
      if (state.inComment || stream.match("/*")) {
        state.inComment = !stream.match(/^.*?\*\//);
        if (state.inComment) stream.skipToEnd();
        return "comment";
      }
      if (stream.eatSpace()) return null;
      if (stream.match(/^\/\/.*/)) return "comment";
      if (stream.match(/^(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?f?/)) return "number";
      if (stream.match(/^"([^"\\]|\\.)*"?/)) return "string";
      const word = stream.match(/^[A-Za-z_]\w*/);
      if (!word) return stream.next() && "operator";
      if (Object.hasOwn(words, word[0])) return words[word[0]];
      return stream.match(/^\s*\(/, false) ? "variableName.function" : "variableName";
    },
    indent: (state, after, context) => context.lineIndent(context.pos, -1) + (/^\s*\}/.test(after) ? -2 : 0),
  });
}

export const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword, tags.modifier], class: "t-keyword" },
    { tag: [tags.typeName, tags.standard(tags.typeName)], class: "t-type" },
    { tag: [tags.atom, tags.bool, tags.null, tags.number, tags.integer, tags.float], class: "t-number" },
    { tag: [tags.string, tags.character], class: "t-string" },
    { tag: [tags.comment, tags.lineComment, tags.blockComment], class: "t-comment" },
    { tag: [tags.meta, tags.processingInstruction], class: "t-meta" },
    { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))], class: "t-function" },
  ]),
);
