import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/phrase";

/** A name that the person gives: a path as written, or words. */
const named: Slot = { type: "filename", named: true };
const empty = { content: "" };
const blank = "[new] [empty|blank]";
const withText = "(with|containing|saying|that says|that contains)";
const text =
  "[this|following] [(text|content|line|words|message|body) [of]] [in it] {content} [(in|inside) it]";

export const phrases: readonly (string | Phrase)[] = [
  {
    say: `(create|put together|set up|prepare|generate) a ${blank} [text] file (called|with name) {path}`,
    slots: { path: named },
    args: empty,
  },
  { say: `create a ${blank} [text] file {path}`, slots: { path: named }, args: empty },
  {
    say: `(create|write|add|save|start) a ${blank} [text] file [called|with name] {path} ${withText} ${text}`,
    slots: { path: named },
  },
  {
    say: `create a ${blank} [text] file [called|with name] {path} and (write|put) [text|line|words] {content} [(in|inside|into) it]`,
    slots: { path: named, content: "wording" },
  },
  {
    say: `create ${blank} {path} and (write|put) [text|line|words] {content} [(in|inside|into) it]`,
    slots: { content: "wording" },
  },
  { say: `create a ${blank} {path} (=file|=document|=doc)`, slots: { path: "filename" }, args: empty },
  {
    say: `(create|start|begin) a ${blank} file (for|about) {path}`,
    slots: { path: "filename" },
    args: empty,
  },
  { say: `create a ${blank} {about} file (called|with name) {path}`, slots: { path: named }, args: empty },
  {
    say: `create a ${blank} {about} file (called|with name) {path} ${withText} ${text}`,
    slots: { path: named },
  },
  { say: `(create|touch) ${blank} {path}`, args: empty },
  { say: `new [empty|blank] [text] file [called] {path}`, slots: { path: named }, args: empty },
  { say: `new [text] file [called] {path} ${withText} ${text}`, slots: { path: named } },
  {
    say: `I (need|want|would like) a ${blank} [text] file called {path}`,
    slots: { path: named },
    args: empty,
  },
  { say: `(add|start|save) a ${blank} [text] file called {path}`, slots: { path: named }, args: empty },
  `(create|write) ${blank} {path} ${withText} ${text}`,
  {
    say: `create a ${blank} [text] file (with|containing|saying) ${text} (called|and (call|name) it|and save it as) {path}`,
    slots: { path: named },
  },
  {
    say: "(write|save|put|store|jot|stick|pop) [text|line|words|sentence] {content} (to|in|as|inside) [new] [text] [file] [called] {path}",
    slots: { content: "wording" },
  },
  {
    say: "(copy|duplicate) [the (contents|text) of] [file] {content} (to|as|in) [new] [file] [called] {path}",
    slots: {
      content: { type: "path", standsForText: true, sample: "notes/today.md" },
      path: { type: "path", sample: "copy.md" },
    },
  },
  { say: "copy {content} (to|as|in) [new] [file] [called] {path}", slots: { content: "wording" } },
  "write (to|in) [new] [file] {path} [text|that] {content}",
  {
    say: `create a ${blank} {path} file (in|inside|under) [folder] {folder} [folder]`,
    slots: { path: "filename" },
    args: empty,
    join: { path: ["folder", "path"] },
  },
  {
    say: `create a ${blank} file called {path} (in|inside|under) [folder] {folder} [folder]`,
    slots: { path: named },
    args: empty,
    join: { path: ["folder", "path"] },
  },
  {
    say: `create a ${blank} file (in|inside|under) [folder] {folder} [folder] called {path}`,
    slots: { path: named },
    args: empty,
    join: { path: ["folder", "path"] },
  },
  {
    say: `create a ${blank} file called {path} (in|inside|under) [folder] {folder} [folder] ${withText} ${text}`,
    slots: { path: named },
    join: { path: ["folder", "path"] },
  },
  {
    say: "overwrite [the (contents|text) of] [file] {path} with [text|content|contents|line] {content}",
    args: { overwrite: true },
  },
  {
    say: "replace [the (contents|text) of] [file] {path} (with|by) [text|content|contents|line] {content}",
    args: { overwrite: true },
  },
  { say: "(set|change) the (contents|text) of [file] {path} to {content}", args: { overwrite: true } },
];

export const slots: Record<string, SlotType | Slot> = {
  path: "path",
  content: "text",
  about: "description",
  folder: "folder",
};

export const results: Results = { path: "path" };
