import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** A name that the person chose: a path as written, or words. */
const named: Slot = { type: "filename", named: true };
const withEnding: Slot = { type: "path", like: /\.\p{L}[\p{L}\p{N}]*$/u, sample: "song.txt" };
const empty = { content: "" };
const blank = "[one] [new] [empty|blank]";
const noun = "(text|content|heading|title|line|words|word|message|body|sentence) [of] [in it]";
const verbatimText = `((with|containing|that contains|which contains|holding|that has) [this|following] ${noun}|(with|containing|that contains|which contains) (this|following)|(=content|=contents|=text) [is|:]|(saying|that says|which says|reading|that reads|which reads|stating|that states|and (write|put) (in|into|inside) it|and it should (say|read|contain)) [this|following] [${noun}]|:) {content} [(in|inside) it|inside]`;
/** Text that may be a description: “with a list of my tasks”. */
const describedText = "(with|containing|that contains|which contains) {content} [(in|inside) it|inside]";
/** How the items of a list are to be written. */
const asList =
  "(as|in) a [bullet|bulleted|simple|short|shopping|little] list|(one|one item|each|each item|each one) (per|on a|on its own|on their own|on a separate) line|each on a line of its own|as bullet points|as bullets";
const withText = (template: string, { slots = {}, ...rest }: Omit<Phrase, "template"> = {}): Phrase[] => [
  { template: `${template} ${verbatimText}`, slots, ...rest },
  { template: `${template} ${describedText}`, slots: { ...slots, content: "wording" }, ...rest },
];

const table =
  "(create|start|begin|open|set up|put together|prepare) [me|us] a [new] [empty] (=table|=spreadsheet|=csv|=sheet) [=file]";
const itsColumns =
  "(with|having|that has|that have|:) [the|these] [=columns|=column|=headings|=headers|=header|=fields] [for|called|named|of] [:] {content}";
const cells: Slot = { type: "wording", cells: true, sample: "name, amount and paid" };
/** A table begins with the names of its columns. */
const tables: readonly Phrase[] = [
  {
    template: `${table} [called|named|with name|in] {path} ${itsColumns}`,
    slots: { path: { type: "path", like: /\.(?:csv|tsv)$/iu, sample: "fees.csv" }, content: cells },
  },
  {
    template: `${table} (called|named|with name|of|for|about) {path} ${itsColumns}`,
    slots: {
      path: { type: "filename", named: true, extension: ".csv", sample: "club fees" },
      content: cells,
    },
  },
  {
    template: `${table} ${itsColumns}`,
    slots: { content: cells },
    asks: { path: "What should the table be called?" },
  },
];

const items: Slot = { type: "wording", lines: true, sample: "milk, eggs and bread" };
/** "A list of my tasks" is not a text: it would have to be looked up. */
const SEVERAL_ITEMS = /^(?!(?:my|all|the|our|open)\b).*(?:,|\band\b)/isu;
const list = `(create|write|make|start|save|store|put together|prepare|draw up) [me|us] a ${blank} [{about}] (list|checklist) [for {purpose}]`;

export const phrases: readonly (string | Phrase)[] = [
  ...tables,
  {
    template: `(create|put together|set up|prepare|generate) a ${blank} [text] file (called|with name) {path}`,
    slots: { path: named },
    args: empty,
  },
  { template: `create a ${blank} [text] file {path}`, slots: { path: named }, args: empty },
  ...withText(
    `(create|write|add|save|start|put together|set up|prepare) a ${blank} [text] file [called|with name] {path}`,
    {
      slots: { path: named },
    },
  ),
  // A note, a list or a page whose name has an ending is a file.
  ...withText(
    `(create|write|add|save|start|put together) a ${blank} (note|list|page|log|memo|letter|draft) [file] [called|with name] {path}`,
    {
      slots: { path: withEnding },
    },
  ),
  {
    template: `(create|start|put together) a ${blank} (note|list|page|log|memo|letter|draft) [file] [called|with name] {path}`,
    slots: { path: withEnding },
    args: empty,
  },
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
  {
    template: `(create|start|open|begin) [me|us] a [new] (empty|blank) [text] file [called|with name] {path}`,
    slots: { path: named },
    args: empty,
  },
  { template: `(create|touch) ${blank} {path}`, args: empty },
  { template: `new [empty|blank] [text] file [called] {path}`, slots: { path: named }, args: empty },
  ...withText("new [text] file [called] {path}", { slots: { path: named } }),
  {
    template: `I (need|want|would like) a ${blank} [text] file called {path}`,
    slots: { path: named },
    args: empty,
  },
  ...withText(`I (need|want|would like) a ${blank} [text] file [called] {path}`, {
    slots: { path: withEnding },
  }),
  { template: `(add|start|save) a ${blank} [text] file called {path}`, slots: { path: named }, args: empty },
  ...withText(`(create|write) ${blank} {path}`),
  ...[
    `(create|write|make|start) ${blank} {path}`,
    `(create|write|make|start) a ${blank} [text] file [called|with name] {path}`,
  ].map((template): Phrase => ({
    template: `${template} (with|containing|that contains) [the|these|following] [{few}] (=lines|=points|=items|=bullets|=entries) [:] {content}`,
    slots: {
      path: named,
      few: "description",
      content: items,
    },
  })),
  ...[
    `(create|write|make|start) ${blank} {path}`,
    `(create|write|make|start) a ${blank} [text] file [called|with name] {path}`,
  ].map((template): Phrase => ({
    template: `${template} (with|containing|that contains|:) {content} (${asList})|${template} (${asList}) (with|containing|of|:) {content}`,
    slots: { path: named, content: items },
  })),
  {
    template: `create a ${blank} [text] file ${verbatimText} (called|and (call|name) it|and save it as) {path}`,
    slots: { path: named },
  },
  {
    template: `create a ${blank} [text] file ${describedText} (called|and (call|name) it|and save it as) {path}`,
    slots: { path: named, content: "wording" },
  },
  {
    template: `(create|write|make|start|begin) a ${blank} list (called|named|with name) {path} (with|containing|:) {content} [(in|inside|on) it]`,
    slots: {
      path: named,
      content: items,
    },
  },
  {
    template: `(create|write|start|put together|prepare|draw up) [me|us] a ${blank} {path} (with|containing|that contains|:) {content} [(in|inside|on) it]`,
    slots: {
      path: {
        type: "filename",
        ending: "list",
        except: ["task", "tasks", "todo", "to-do"],
        sample: "shopping list",
      },
      content: items,
    },
  },
  {
    template: `(create|make|write|start) [me|us] a ${blank} (list|checklist) (with|containing|of|:) {content}`,
    slots: { content: { ...items, like: SEVERAL_ITEMS } },
    asks: { path: "What should the list be called?" },
    lastResort: true,
  },
  ...[
    `${list} (with|containing|of|:) {content} (to|in|into|as|and save (it|that) (as|to|in|under)|and (call|name) it|saved (as|to|in)) [new] [file] [called] {path}`,
    `${list} (to|in|into|as) [new] [file] [called] {path} (with|containing|:) {content}`,
  ].map((template): Phrase => ({
    template,
    slots: { path: withEnding, purpose: "description", content: items },
  })),
  {
    template: `(create|write|make|start|save) a ${blank} [text] file [called|with name] {path} with a (list|checklist) of {content}`,
    slots: { path: named, content: { ...items, like: SEVERAL_ITEMS } },
  },
  {
    template:
      "(write|save|store|enter) [down] [text|line|words|word|sentence|message] {content} (to|in|as|inside|onto) [new] [text] [file] [called] {path}",
    slots: { content: "wording" },
  },
  {
    template:
      "(write|save|store|put) {about} (to|in|as|inside) [new] [text] [file] [called] {path} (.|:) (it is|that is|they are|this is|here it is|namely) [:] {content}",
  },
  {
    template:
      "(put|make|place|add|create|pop|stick|drop|start|write) a [new] [text] file [called] {path} (in|inside|into|under) {folder} [folder] " +
      verbatimText,
    slots: { path: named },
    join: { path: ["folder", "path"] },
  },
  {
    template:
      "(put|make|place|add|create|pop|stick|drop|start) a [new] [empty] file [called] {path} (in|inside|into|under) {folder} [folder]",
    slots: { path: named },
    args: empty,
    join: { path: ["folder", "path"] },
  },
  {
    template: "copy {content} (to|as|in) [new] [file] [called] {path}",
    // "Copy chapter 1 to backup/chapter1.md" copies a file, and writes no "chapter 1".
    slots: { content: { type: "wording", referring: true, sample: "my tasks" } },
    lastResort: true,
  },
  {
    template: "(save|store|write|put) (in|into|to|under) [new] [text] [file] [called] {path} : {content}",
    slots: { path: withEnding, content: items },
  },
  "write (to|in) [new] [file] {path} [text|that] {content}",
  "write (to|in) [new] [file] {path} (this|the|the following|following) (text|sentence|words|word|line|message) [:] {content}",
  "write [text|line|words|sentence] {content} and (save|store) [it|that|this] (as|to|in|into) [file] {path}",
  "(put|place) {content} (in|into) a =new [text] file [called] {path}",
  "in a =new [text] file [called] {path} (write|put|save) [:] {content}",
  `(create|start|write) ${blank} [a] [new] [text] [file] {path} . (=content|=contents|=text) [:|is] {content}`,
  {
    template: `(create|add|start) a ${blank} [text] file [called] {path} . (leave|keep) it empty`,
    args: empty,
  },
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
      "replace (the (contents|text) of [file]|[the] file) {path} (with|by) [text|content|contents|line] {content}",
    args: { overwrite: true },
  },
  {
    // Words without an ending are words in a file: replace "Tue" with "Wed" in list.md.
    template: "replace {path} (with|by) [text|content|contents|line] {content}",
    slots: { path: { type: "path", like: /\.\p{L}/u } },
    args: { overwrite: true },
  },
  {
    template:
      "(set|change) the (contents|text) of [file] {path} to {content}|make [file] {path} (say|read|contain) [only|just] {content}|(change|rewrite|update) [file] {path} (so it says|so that it says|to say|to read) {content}|overwrite [file] {path} (to|and) (say|write) {content}",
    args: { overwrite: true },
  },
  {
    template: "replace (everything|all|what is [written]) (in|inside) [file] {path} (with|by) {content}",
    args: { overwrite: true },
  },
  {
    template:
      "(empty|clear|blank) [out] [the (contents|text) of] [file] {path}|(delete|remove|erase|clear) (everything|all|all [of] the (text|lines|items|entries)|the (contents|content|text)) (in|from|of|inside) [file] {path}",
    args: { content: "", overwrite: true },
  },
  {
    template:
      "(write down|note down|jot down|put down|write|note|put) [this|the following] (in|into|to|on) [a|the] [new] [file] {path} : {content}",
    slots: { content: items },
    lastResort: true,
  },
  {
    template: "(write|save|put) [something [{about}]|it|this] (to|in|into) [a|the] [new] [file] {path}",
    asks: { content: "What should {path} say?" },
    lastResort: true,
  },
  {
    template: "overwrite [file] {path}",
    args: { overwrite: true },
    asks: { content: "What should {path} say instead?" },
  },
  {
    template: "create a [new] [empty|text] file",
    args: empty,
    asks: { path: "What should the file be called?" },
  },
];

export const slots: Record<string, SlotType | Slot> = {
  path: "path",
  content: "text",
  about: "description",
  folder: { type: "folder", pronoun: true },
};

export const results: Results = { path: "path" };
