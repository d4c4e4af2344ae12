import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { withoutListMark } from "@metahuman/core/text/list-marks";
import { textField } from "../outputs.ts";
import { checklistPhrases } from "./checklist.ts";
import { tablePhrases } from "./table-phrases.ts";
import { documentByWords, fileByWords } from "../support/file-by-words.ts";

const byWords: Record<string, Slot> = { path: fileByWords };
const document: Record<string, Slot> = { path: documentByWords };

const about: Slot = { type: "query", sample: "port" };
const word: Slot = { type: "query", sample: "deposit" };
const place: Slot = { type: "number", sample: "3" };
const path: Slot = { type: "path", sample: "notes/today.md" };

const having =
  "(with|containing|contain|contains|that contain|that have|that mention|mentioning|mention|have|has|say|saying|that say|include|including) [the (word|words|text)]";
const inFile = "(in|of|inside|from|within) [file] {path}";
const show = "(what is|show|give|read|print|tell|get|see|cat) [me]";

/** Questions about a part of a file, each with the view that answers it. */
const parts: readonly Phrase[] = [
  ...(["last", "first"] as const).map((end): Phrase => {
    const named = end === "last" ? "(last|final|bottom)" : "(first|top|opening)";
    return {
      template: `${show} the ${named} line (of|in|from) [file] {path}|[the] ${named} line (of|in|from) [file] {path}|what does the ${named} line (of|in|from) [file] {path} say|how does [file] {path} (${end === "last" ? "end" : "start|begin"})|(${end === "last" ? "tail" : "head"}) {path}`,
      view: { name: `${end}-line` },
    };
  }),
  ...(["last", "first"] as const).map((end): Phrase => {
    const named = end === "last" ? "(last|final|bottom)" : "(first|top|opening)";
    return {
      template: `[${show}] [the] ${named} {place} lines (of|in|from) [file] {path}`,
      slots: { place },
      view: { name: `${end}-lines`, slots: ["place"] },
    };
  }),
  ...(["last", "first"] as const).map((end): Phrase => ({
    template: `[${show}] [only] [the] ${end === "last" ? "(last|final|bottom)" : "(first|top|opening)"} {place} lines [of it]`,
    slots: { place },
    implies: "path",
    lastResort: true,
    view: { name: `${end}-lines`, slots: ["place"] },
  })),
  {
    template: `(any|which|what) lines (about|with|containing|that mention|mentioning|that contain) {word}|(show|list|give|find) [me] [only|all] [the] lines (about|with|containing|that mention|mentioning|that contain) {word}`,
    slots: { word },
    implies: "path",
    lastResort: true,
    view: { name: "lines-with", slots: ["word"] },
  },
  {
    template: `how many lines ${having} {word} ${inFile}|how many lines ${inFile} ${having} {word}|(count|tell me the number of) [the] [number of] lines ${having} {word} ${inFile}|how (often|many times) (does|is|do|are) {word} (mentioned|occur|appear|written|come up|occurring) ${inFile}|(grep|find|search for|look for) {word} ${inFile} and count [them|the lines|it]`,
    slots: { word },
    view: { name: "count-lines", slots: ["word"] },
  },
  {
    template: `(show|list|give|find|get|grep|print|what are) [me] [only|all] [the] lines ${having} {word} ${inFile}|(which|what) lines ${inFile} ${having} {word}|(which|what) lines ${having} {word} ${inFile}`,
    slots: { word },
    view: { name: "lines-with", slots: ["word"] },
  },
  {
    template: `${show} line [number] {place} (of|in|from) [file] {path}|what does line {place} (of|in|from) [file] {path} say|what is (on|in) line {place} (of|in|from) [file] {path}`,
    slots: { place },
    view: { name: "line", slots: ["place"] },
  },
  ...(["lines", "words", "characters"] as const).map((unit): Phrase => ({
    template: `how many =${unit} (are|are there|does|has|have) [there] [(in|inside)] [file] {path} [have|has|contain|got|hold]|how many =${unit} (in|inside) [file] {path}|[the] =${unit.slice(0, -1)} count (of|for|in) [file] {path}|(count|tell|give|get|show) [me] [the] [(number|count) of] =${unit} (in|of|inside) [file] {path}|what is the (=${unit.slice(0, -1)} count|number of =${unit}) (in|of) [file] {path}`,
    view: { name: unit },
  })),
  {
    template: `(find|show|list|give|check for|look for|are there|is there|do I have|have I got|any|count) [me] [any|all|the] (=duplicates|=duplicate|=doubles|=repeats|(=duplicate|=double|=repeated) (lines|items|entries|names|rows)) (in|on|of) [file] {path}|(is|are) (anything|something|anyone|anybody|any lines|any names|any items) (=twice|=double|=doubled|=duplicated|=repeated|more than once|listed twice|there twice) (in|on) [file] {path}|(what|who|which lines|which names|which items) (is|are|occurs|occur|appears|appear) [listed|there|in there] (=twice|=double|=duplicated|=repeated|more than once) (in|on) [file] {path}`,
    view: { name: "repeated" },
  },
  {
    template: `is {word} [already|still|also] (on|in) [file] {path} [already|yet|too]|(do|have) (I|we) [have|got] {word} [already] (on|in) [file] {path} [already|yet]`,
    slots: { word },
    lastResort: true,
    view: { name: "mentions", slots: ["word"] },
  },
  {
    template:
      "is [file] {path} empty|is there anything (in|inside|on) [file] {path}|does [file] {path} (have|contain) anything",
    view: { name: "empty" },
  },
  { template: "how long is [file] {path}", view: { name: "lines" } },
  { template: "how (big|large) is [file] {path}|what is the size of [file] {path}", view: { name: "size" } },
  {
    template:
      "does [file] {path} (mention|contain|say|include|talk about|have|list|hold|say anything about|have anything about|mention anything about) [the (word|words|text|name)] {word} [in it]|is [the (word|words|text|name)] {word} (mentioned|written|listed|included|noted) (in|inside|on) [file] {path}|is there (anything|something|a word|a line) about {word} (in|inside) [file] {path}",
    slots: { word },
    view: { name: "mentions", slots: ["word"] },
  },
  {
    template:
      "what [value] is [the] {about} [set to|set|given|written|stated|configured|listed|used|now|currently] (in|inside|according to|from) [file] {path}|(what|which) {about} (is|are) [set|given|written|stated|configured|listed|used|there] (in|inside|according to|on) [file] {path}|(what|which) {about} does [file] {path} (have|use|say|set|list|contain|mention|give)|what (does|do) [file] {path} say [about|on|regarding] {about}|what is written about {about} in [file] {path}|(read|get|show|give|tell|look up|check|find) [me] [the value of] the {about} (from|in|of|inside) [file] {path}",
    slots: { about },
    view: { name: "about", slots: ["about"] },
  },
  {
    template:
      "(who|when|where|how much|how many|how often|how) {about} (according to|in|inside|as written in) [file] {path}|(is|are|do|does|did|was|were|has|have) {about} (according to|as written in) [file] {path}",
    slots: { about },
    view: { name: "about", slots: ["about"] },
    lastResort: true,
  },
];

export const phrases: readonly (string | Phrase)[] = [
  "read [me] [out] [back] [contents of] [file [called]] {path} [out] [loud|aloud] [back] [to me] [from start to end]",
  "(show|open|view|print|cat|pull up|bring up|output|dump|give|peek at|peek into|go through|check out) [me] [file [called]] {path}",
  "(show|read|print|get|give|tell|need|want) [me] the (contents|text|whole text) of [file] {path}",
  "what is [written|stored|saved|noted] (in|inside|on) [file] {path} [now|at the moment]",
  "what does [file] {path} (say|contain|have|look like|hold) [in it] [now]",
  "what does it say (in|inside) [file] {path}",
  "(how|what) does [file] {path} look [like] [now]",
  "(show|tell|see) [me] what is [written] (in|inside) [file] {path}",
  "(show|tell) [me] (how|what) [file] {path} (looks|looks like) [now]",
  "what are the contents of [file] {path}",
  "what (stands|have I written|did I write|have I put|did I put|have I got|do I have|did I note) [down] (in|inside|into) [file] {path}",
  "what I (wrote|put|noted|have written|have) [down] (in|inside|into) [file] {path}",
  "(look|have a look|take a look|take a peek|have a peek|give me a peek|give me a look) (at|in|into|inside) [file] {path}",
  "who is [listed|named|written] (in|on) [the] [file] {path}",
  {
    template:
      "(show|give|read|print) [me] =the (=result|=outcome|new version|whole file) [then|after that|now]",
    implies: "path",
    lastResort: true,
  },
  "(see|check|get|fetch|load) [file] {path}",
  "(can|could|may) I (see|read|look at|have a look at|take a look at|view) [the (contents|text) of] [file] {path}",
  "I (want|need|would like) (to (see|read|look at)|to have a look at) [the (contents|text) of] [file] {path}",
  "what [file] {path} (says|contains|looks like) [now]",
  "what (it|it all) says (in|inside) [file] {path}|(know|hear|find out|tell me|see) what (it says|stands|is said) (in|inside|on) [file] {path}",
  "the (contents|text) of [file] {path}",
  { template: "(read|show|open|view|print|check) [me] the {path} =file", slots: byWords },
  { template: "(read|show) [me] the contents of the {path} =file", slots: byWords },
  { template: "what is [written] (in|inside) the {path} =file", slots: byWords },
  { template: "what does the {path} =file (say|contain)", slots: byWords },
  {
    template:
      "what is [written|noted] (on|in) the {path} [now|so far]|what have I got on the {path}|what does the {path} say",
    slots: document,
  },
  { template: "(read|show|open|print|give|check) [me] the {path}", slots: document },
  {
    template: "(show|read|open|print|give) [me] (=the|this|that) =file [again]",
    implies: "path",
  },
  ...parts,
  ...checklistPhrases,
  ...tablePhrases,
];

export const slots: Record<string, SlotType | Slot> = { path };

/** The lines of a list, without list marks, headings and blank lines. */
const itemsIn = (outputs: Record<string, unknown>): { id: string; label: string }[] =>
  outputs.truncated === true || outputs.from !== undefined
    ? []
    : textField(outputs, "content")
        .split(/\r?\n/u)
        .filter((line) => !/^\s*#{1,6}\s/u.test(line))
        .map((line) => withoutListMark(line).trim())
        .filter((line) => line !== "")
        .map((line) => ({ id: line, label: line }));

export const results: Results = {
  path: "path",
  items: { kind: "line", of: itemsIn },
  text: (outputs) =>
    outputs.truncated === true || outputs.from !== undefined ? undefined : textField(outputs, "content"),
  textOf: "path",
};
