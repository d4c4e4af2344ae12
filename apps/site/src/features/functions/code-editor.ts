import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, nextDiagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Text } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { CodePlace } from "@metahuman/core/contract/code-inspection";

export interface CodeEditorOptions {
  /** The parent element; the editor gets its own shadow root. */
  host: HTMLElement;
  /** The accessible name. */
  label: string;
  text: string;
  readOnly: boolean;
  onchange: (text: string) => void;
}

/** A problem with a position in this text. */
export interface PlacedProblem {
  at: CodePlace;
  message: string;
}

export interface CodeEditor {
  /** Replaces the problems that are marked in the text and in the gutter. */
  showProblems(problems: readonly PlacedProblem[]): void;
  /** Moves the cursor to a position, scrolls to it and focuses the editor. */
  moveCursorTo(at: CodePlace): void;
  destroy(): void;
}

const codeColors = HighlightStyle.define([
  { tag: tags.comment, color: "var(--ink-3)" },
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.regexp], color: "var(--verified)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--draft)" },
]);

const editorTheme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--raised)", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.25rem", maxHeight: "20rem", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", minHeight: "8rem" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--ink-3)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--sunken)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-wash)",
  },
  // The library's markers are images, which the content policy refuses.
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--risk)" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0 0 0 4px" },
  ".cm-lint-marker-error": { content: "normal", width: "auto", color: "var(--risk)", fontWeight: "700" },
  ".cm-lint-marker-error::after": { content: "'!'" },
  ".cm-tooltip": {
    maxWidth: "30rem",
    border: "1px solid var(--line)",
    borderRadius: "var(--radius)",
    backgroundColor: "var(--raised)",
    boxShadow: "var(--float)",
    font: "var(--text-small)",
  },
  ".cm-diagnostic-error": { borderLeft: "2px solid var(--risk)" },
});

/**
 * A TypeScript editor. Tab moves to the next field, as everywhere on the page; F8 moves to the next problem. It is in a
 * shadow root, where its styles need no exception in the content policy.
 */
export function openCodeEditor({ host, label, text, readOnly, onchange }: CodeEditorOptions): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lintGutter(),
        lineNumbers(),
        history(),
        indentOnInput(),
        EditorView.lineWrapping,
        bracketMatching(),
        highlightActiveLine(),
        syntaxHighlighting(codeColors),
        javascript({ typescript: true }),
        keymap.of([...defaultKeymap, ...historyKeymap, { key: "F8", run: nextDiagnostic }]),
        EditorState.readOnly.of(readOnly),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onchange(update.state.doc.toString());
        }),
        editorTheme,
      ],
    }),
  });
  return {
    showProblems(problems) {
      const { doc } = view.state;
      const diagnostics = problems.map(({ at, message }) => {
        const from = offsetOf(doc, at.line, at.column);
        const to = Math.max(from, offsetOf(doc, at.endLine, at.endColumn));
        return { from, to, severity: "error" as const, message };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    moveCursorTo({ line, column }) {
      const anchor = offsetOf(view.state.doc, line, column);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

/** Clamps a position to a text that may have become shorter. */
function offsetOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(line, doc.lines));
  return Math.min(from + column - 1, to);
}
