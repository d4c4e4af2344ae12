import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export interface CodeEditorOptions {
  /** What it is drawn in; it gets a shadow root of its own. */
  host: HTMLElement;
  /** How it is called for who hears the page. */
  label: string;
  text: string;
  readOnly: boolean;
  onchange: (text: string) => void;
}

const inks = HighlightStyle.define([
  { tag: tags.comment, color: "var(--ink-3)" },
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.regexp], color: "var(--verified)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--draft)" },
]);

const paper = EditorView.theme({
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
});

/**
 * An editor for TypeScript. Tab moves on to the next field, as everywhere: who wants spaces types them. Returns what
 * ends it. It stands in a shadow root, where its styles need no exception from the content policy.
 */
export function openCodeEditor({ host, label, text, readOnly, onchange }: CodeEditorOptions): () => void {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        indentOnInput(),
        EditorView.lineWrapping,
        bracketMatching(),
        highlightActiveLine(),
        syntaxHighlighting(inks),
        javascript({ typescript: true }),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorState.readOnly.of(readOnly),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onchange(update.state.doc.toString());
        }),
        paper,
      ],
    }),
  });
  return () => view.destroy();
}
