import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** A name that the person chose: a path as written, or words. */
const named: Slot = { type: "filename", named: true };
const empty = { content: "" };
const blank = "[new] [empty|blank]";
const noun = "(text|content|line|words|message|body) [of] [in it]";
/** Verbatim text. */
const verbatimText = `((with|containing|that contains) [this|following] ${noun}|(with|containing|that contains) (this|following)|(saying|that says) [this|following] [${noun}]) {content} [(in|inside) it]`;
/** Text that may be a description: “with a list of my tasks”. */
const describedText = "(with|containing|that contains) {content} [(in|inside) it]";
const withText = (template: string, { slots = {}, ...rest }: Omit<Phrase, "template"> = {}): Phrase[] => [
  { template: `${template} ${verbatimText}`, slots, ...rest },
  { template: `${template} ${describedText}`, slots: { ...slots, content: "wording" }, ...rest },
];

export const phrases: readonly (string | Phrase)[] = [
  {
    template: `(create|put together|set up|prepare|generate) a ${blank} [text] file (called|with name) {path}`,
    slots: { path: named },
    args: empty,
  },
  { template: `create a ${blank} [text] file {path}`, slots: { path: named }, args: empty },
  ...withText(`(create|write|add|save|start) a ${blank} [text] file [called|with name] {path}`, {
    slots: { path: named },
  }),
  {
    template: `create a ${blank} [text] file [called|with name] {path} and (write|put) [text|line|words] {content} [(in|inside|into) it]`,
    slots: { path: named, content: "wording" },
  },
  {
    template: `create ${blank} {path} and (write|put) [text|line|words] {content} [(in|inside|into) it]`,
    slots: { content: "wording" },
  },
  { template: `create a ${blank} {path} (=file|=document|=doc)`, slots: { path: "filename" }, args: empty },
  {
    template: `(create|start|begin) a ${blank} file (for|about) {path}`,
    slots: { path: "filename" },
    args: empty,
  },
  {
    template: `create a ${blank} {about} file (called|with name) {path}`,
    slots: { path: named },
    args: empty,
  },
  ...withText(`create a ${blank} {about} file (called|with name) {path}`, { slots: { path: named } }),
  { template: `(create|touch) ${blank} {path}`, args: empty },
  { template: `new [empty|blank] [text] file [called] {path}`, slots: { path: named }, args: empty },
  ...withText("new [text] file [called] {path}", { slots: { path: named } }),
  {
    template: `I (need|want|would like) a ${blank} [text] file called {path}`,
    slots: { path: named },
    args: empty,
  },
  { template: `(add|start|save) a ${blank} [text] file called {path}`, slots: { path: named }, args: empty },
  ...withText(`(create|write) ${blank} {path}`),
  {
    template: `create a ${blank} [text] file ${verbatimText} (called|and (call|name) it|and save it as) {path}`,
    slots: { path: named },
  },
  {
    template: `create a ${blank} [text] file ${describedText} (called|and (call|name) it|and save it as) {path}`,
    slots: { path: named, content: "wording" },
  },
  {
    template: `(create|write|start) a ${blank} {path} (with|containing|that contains|:) {content} [(in|inside|on) it]`,
    slots: {
      path: {
        type: "filename",
        ending: "list",
        except: ["task", "tasks", "todo", "to-do"],
        sample: "shopping list",
      },
      content: { type: "wording", lines: true, sample: "milk, eggs and bread" },
    },
  },
  {
    template:
      "(write|save|put|store|jot|stick|pop) [text|line|words|sentence] {content} (to|in|as|inside) [new] [text] [file] [called] {path}",
    slots: { content: "wording" },
  },
  {
    template:
      "(copy|duplicate) [the (contents|text) of] [file] {content} (to|as|in) [new] [file] [called] {path}",
    slots: {
      content: { type: "path", standsForText: true, sample: "notes/today.md" },
      path: { type: "path", sample: "copy.md" },
    },
  },
  {
    template: "create a copy of [file] {content} (called|named|as|in|to) [new] [file] {path}",
    slots: {
      content: { type: "path", standsForText: true, sample: "notes/today.md" },
      path: { type: "path", sample: "copy.md" },
    },
  },
  {
    template:
      "(copy|duplicate|create a copy of) [file] {content} (to|in|inside|under) the [folder] {folder} [folder]",
    slots: {
      content: { type: "path", standsForText: true, sample: "notes/today.md" },
      folder: { type: "folder", bare: false },
    },
    join: { path: ["folder", "content"] },
  },
  { template: "copy {content} (to|as|in) [new] [file] [called] {path}", slots: { content: "wording" } },
  "write (to|in) [new] [file] {path} [text|that] {content}",
  {
    template: `create a ${blank} {path} file (in|inside|under) [folder] {folder} [folder]`,
    slots: { path: "filename" },
    args: empty,
    join: { path: ["folder", "path"] },
  },
  {
    template: `create a ${blank} file called {path} (in|inside|under) [folder] {folder} [folder]`,
    slots: { path: named },
    args: empty,
    join: { path: ["folder", "path"] },
  },
  {
    template: `create a ${blank} file (in|inside|under) [folder] {folder} [folder] called {path}`,
    slots: { path: named },
    args: empty,
    join: { path: ["folder", "path"] },
  },
  ...withText(`create a ${blank} file called {path} (in|inside|under) [folder] {folder} [folder]`, {
    slots: { path: named },
    join: { path: ["folder", "path"] },
  }),
  {
    template: "overwrite [the (contents|text) of] [file] {path} with [text|content|contents|line] {content}",
    args: { overwrite: true },
  },
  {
    template:
      "replace [the (contents|text) of] [file] {path} (with|by) [text|content|contents|line] {content}",
    args: { overwrite: true },
  },
  { template: "(set|change) the (contents|text) of [file] {path} to {content}", args: { overwrite: true } },
];

export const slots: Record<string, SlotType | Slot> = {
  path: "path",
  content: "text",
  about: "description",
  folder: "folder",
};

export const results: Results = { path: "path" };
