import { oneOf } from "@metahuman/core/text/patterns";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { documentByWords } from "../support/file-by-words.ts";

/** A text file. The values of a JSON file are changed by `json_update`. */
const file: Slot = { type: "path", like: /\.(?!json$)[\p{L}\p{N}]+$/iu, sample: "shopping.md" };

/** A text file whose lines are not rows of a table: see `table_edit`. */
const prose: Slot = { type: "path", like: /\.(?!(?:json|csv|tsv)$)[\p{L}\p{N}]+$/iu, sample: "shopping.md" };

const NO_SUBJECT = oneOf(
  "all|every|each|everything|anything|it|them|that|this|these|those|one|both|line|up|down|back|over",
);
const OTHER_THINGS = oneOf(
  "tasks?|to-?dos?|lines?|rows?|files?|folders?|memory|memories|keys?|settings?|fields?|tags?|schedules?|reminders?",
);
/** What a line is about: words, but no other thing that the operator handles. */
const about: Slot = {
  type: "text",
  like: new RegExp(String.raw`^(?!${NO_SUBJECT}\b)(?!.*\b${OTHER_THINGS}\b)(?!\S*\.[a-z]\w*$)\S.*$`, "isu"),
  sample: "milk",
};
const words: Slot = { type: "text", like: /^(?!(?:it|them|everything|all)$)\S/isu, sample: '"Tuesday"' };
/** Words of the text itself, not a description of them ("the title"). */
const literal: Slot = { ...words, like: /^(?!(?:the|it|them|everything|all|this|that)\b)\S/isu };
/** New words, and no words for what another file has. */
const other: Slot = {
  type: "text",
  like: /^(?!(?:the )?(?:contents?|text|words) (?:of|in|from) (?:the )?(?:file )?\S+\.\p{L}\w*$)/isu,
  sample: '"Wednesday"',
};
/** A few new words, and no day, time or status. */
const shortText: Slot = {
  type: "text",
  like: /^(?!.*\b(?:in|on) (?:it|that|this|the)\b)(?!.*\b(?:today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next|done|high|low|urgent|priority)\b)(?!.*\d)\S+(?:\s\S+){0,5}$/iu,
  sample: '"Wednesday"',
};
const place: Slot = { type: "number", signed: true, sample: "3" };

/** The role of the words in a program. */
const symbol = "(function|variable|class|method|constant|type|interface|property|parameter)";
const term = "[the] [word|words|text|name|phrase|term|expression]";
const every = "(all|every|each|any) [occurrence|occurrences|instance|instances|mention|mentions] [of]";
const swap = "(replace|swap|exchange|substitute|switch)";
const change = "(change|turn|correct|fix|edit|amend|update|rename|make)";
const inside = "(in|inside|within) [file] {path}";
const remove = "(remove|drop|strike|cut|take|cross|scratch|get rid of|wipe)";
const off = "[out|away|off]";
const from = "(from|in|of|out of|off|off of) [list] [in] [file] {path}";
const line = "(line|entry|item|row|bullet|point|sentence|bit|part)";
const having =
  "(about|with|for|on|that says|which says|saying|that said|mentioning|that mentions|which mentions|containing|that contains|starting with|that starts with|called|reading|that reads|where it says|:)";
const put = "(add|insert|put|write|place|stick|prepend)";
const kind =
  "[a|another|the|this|new|following] [line|row|entry|item|heading|title] [saying|that says|with|:]";
const top = "(top|beginning|start|front|head)";

/** The words for a line by its place. */
const PLACES = [
  ["first|top|1st", 1],
  ["second|2nd", 2],
  ["third|3rd", 3],
  ["fourth|4th", 4],
  ["fifth|5th", 5],
  ["last|final|bottom", -1],
] as const;

const changeTo = "(to|into|with|by|so it says|so that it says|to say|to read)";

const replaceWords: readonly Phrase[] = [
  ...[
    `${swap} [out] ${term} {find} (with|by|for|to) ${term} {text} ${inside}`,
    `${change} ${term} [${symbol}] {find} (to|into) {text} ${inside}`,
    `in [file] {path} [please] ${swap} [out] ${term} {find} (with|by|for|to) {text}`,
    `in [file] {path} [please] ${change} ${term} {find} (to|into) {text}`,
    `in [file] {path} [it says|there is] ${term} {find} [but|and] [it|that] should (be|say|read|have been) {text}`,
    `${swap} in [file] {path} ${term} {find} (with|by|for|to) {text}`,
    `=the =word {find} ${inside} (should be|must be|should become|must become|shall be) {text}`,
    `in [file] {path} it should (say|read|be) ${term} {text} (instead of|rather than|and not) ${term} {find}`,
    `(fix|correct) the [spelling] (typo|mistake|error|misspelling) ${inside} [:] [it says|there is|it has] {find} [but] [it] (should be|instead of|must be|should say|should read) {text}`,
  ].map((template): Phrase => ({
    template,
    args: { action: "replace" },
    ...(template.includes(change) && { slots: { find: literal, path: prose } }),
  })),
  ...[
    `${swap} [out] ${every} ${term} {find} (with|by|for|to) {text} ${inside}`,
    `${change} ${every} ${term} {find} (to|into) {text} ${inside}`,
    `in [file] {path} [please] ${swap} [out] ${every} ${term} {find} (with|by|for|to) {text}`,
    `${every} ${term} {find} ${inside} (should be|must be|should become|must become|shall be) {text}`,
    `in [file] {path} [please] ${change} ${every} ${term} {find} (to|into) {text}`,
    `${swap} [out] ${term} {find} (with|by|for|to) {text} everywhere ${inside}`,
    `${swap} [out] ${term} {find} everywhere ${inside} (with|by|for|to) {text}`,
    `${swap} [out] ${term} {find} ${inside} (with|by|for|to) {text} (everywhere|throughout)`,
    `${swap} [out] ${term} {find} (with|by|for|to) {text} ${inside} (everywhere|throughout)`,
    `in [file] {path} [please] ${swap} [out] ${term} {find} (with|by|for|to) {text} (everywhere|throughout)`,
  ].map((template): Phrase => ({ template, args: { action: "replace", all: true } })),
  {
    template: `${swap} [out] ${term} {find} ${inside} (with|by|for|to) {text}`,
    args: { action: "replace" },
  },
];

/** "Swap Ola and Mette in rota.md". */
const swapWords: readonly Phrase[] = [
  `(swap|switch|exchange|interchange) [(the names|names|the words) [of]] {find} (and|with) {text} [around|over|round] ${inside}`,
  `in [file] {path} [please] (swap|switch|exchange|interchange) [the names] {find} and {text} [around|over|round]`,
].map((template) => ({ template, args: { action: "swap" }, slots: { find: literal } }));

const textOf = "the (content|contents|text|words) (of|in|from) [file]";

/** The text of one file in place of words in another. */
const replaceByFile: readonly Phrase[] = [
  `${swap} [out] ${term} {find} (with|by|for) ${textOf} {text} ${inside}`,
  `in [file] {path} [please] ${swap} [out] ${term} {find} (with|by|for) ${textOf} {text}`,
].map((template) => ({
  template,
  args: { action: "replace" },
  slots: { text: { type: "path", standsForText: true } },
}));

const removeWords: readonly Phrase[] = [
  {
    template: `${remove} ${off} the (word|words|text|phrase|name|term) {find} ${off} (from|in|out of) [file] {path}`,
    args: { action: "remove" },
  },
  {
    template: `${remove} ${off} ${every} [the] (word|words|text|phrase|name|term) {find} ${off} (from|in|out of) [file] {path}`,
    args: { action: "remove", all: true },
  },
];

const removeLines: readonly Phrase[] = [
  ...[
    `${remove} ${off} the ${line} ${having} {line} ${from}`,
    `(in|from) [file] {path} [please] ${remove} ${off} the ${line} ${having} {line}`,
  ].map((template): Phrase => ({ template, slots: { path: prose }, args: { action: "remove" } })),
  ...[
    `${remove} ${off} {item} (from|off|off of|out of|in|on) [the] [list] [in] [file] {path}`,
    `(in|from) [file] {path} [please] ${remove} ${off} {item}`,
  ].map((template): Phrase => ({ template, slots: { path: prose }, args: { action: "remove" } })),
  {
    template: `(I|we) [already] (have|have got|got|bought) [a|an|the|some|enough|plenty of] {item} [already|now] . [so] [please] ${remove} ${off} (it|them|that|those) (from|off|off of|out of|in|on) [the] [list] [in] [file] {path}`,
    slots: { path: prose },
    args: { action: "remove" },
  },
  {
    template: `${remove} ${off} (all|every|any|each) [of] [the] (lines|line|entries|entry|items|item|rows|row) ${having} {line} ${from}`,
    args: { action: "remove", all: true },
  },
  {
    template: `${remove} ${off} line [number] {line} ${from}`,
    slots: { line: place },
    args: { action: "remove" },
  },
  ...PLACES.map(([names, at]): Phrase => ({
    template: `${remove} ${off} the (${names}) ${line} ${from}|(in|from) [file] {path} ${remove} ${off} the (${names}) ${line}`,
    args: { action: "remove", line: at },
  })),
  {
    template: `${remove} ${off} {item} (from|off|off of|out of) the {path}`,
    slots: { path: documentByWords },
    args: { action: "remove" },
  },
];

/** Lines and words of the file that was read or written just before. */
const ofLastFile: readonly Phrase[] = [
  {
    template: `${swap} [out] ${term} {find} (with|by|for) ${term} {text}|(change|turn|correct|fix) ${term} {find} (to|into) ${term} {text}`,
    slots: { find: literal, text: shortText, path: prose },
    args: { action: "replace" },
  },
  { template: `${remove} ${off} the ${line} ${having} {line}`, args: { action: "remove" } },
  {
    template: `${remove} ${off} line [number] {line}`,
    slots: { line: place },
    args: { action: "remove" },
  },
  ...PLACES.map(([names, at]): Phrase => ({
    template: `${remove} ${off} the (${names}) =line`,
    args: { action: "remove", line: at },
  })),
].map((phrase) => ({ ...phrase, implies: "path", lastResort: true }));

const changeLines: readonly Phrase[] = [
  {
    template: `(change|replace|rewrite|set|turn|update|edit) the ${line} ${having} {line} (in|of) [file] {path} ${changeTo} {text}`,
    args: { action: "replace" },
  },
  {
    template: `(change|replace|rewrite|set|turn|update|edit) line [number] {line} (in|of) [file] {path} ${changeTo} {text}`,
    slots: { line: place },
    args: { action: "replace" },
  },
  ...PLACES.map(([names, at]): Phrase => ({
    template: `(change|replace|rewrite|set|turn|update|edit) the (${names}) line (in|of) [file] {path} ${changeTo} {text}|in [file] {path} (change|replace|rewrite|set|turn|update) the (${names}) line ${changeTo} {text}|make the (${names}) line (in|of) [file] {path} (say|read|:) {text}`,
    args: { action: "replace", line: at },
  })),
];

const insertLines: readonly Phrase[] = [
  {
    template: `${put} (a|the|this|another) [new] (heading|title) {text} (at|to|on|in|into) [the] [very] ${top} (of|in) [file] {path}|${put} (a|the|this) [new] (heading|title) (at|to|on) [the] [very] ${top} of [the] [file] {path} (:|saying|with|that says|reading) {text}|(give|add|put) [file] {path} (a|the) (heading|title) [:|called|saying|with] {text}`,
    slots: { path: { ...file, like: /\.md$/iu } },
    compose: { text: "# {text}" },
    args: { action: "insert_before", line: 1 },
  },
  {
    template: `${put} (a|another|this|the) [new] (line|row|entry|item|heading|title) (at|to|on) [the] [very] ${top} of [the] [file] {path} (:|saying|with|that says|reading) {text}|${put} ${kind} {text} (at|to|on|in|into) [very] ${top} (of|in) [file] {path}|${put} ${kind} {text} (as|to be) the (first|top) line (of|in|to) [file] {path}|${put} (at|to|on) [very] ${top} of [file] {path} ${kind} {text}|(at|on) [very] ${top} of [file] {path} ${put} ${kind} {text}|prepend ${kind} {text} to [file] {path}`,
    args: { action: "insert_before", line: 1 },
  },
  ...(["before", "after"] as const).map((side): Phrase => ({
    template: `${put} ${kind} {text} (to|in|into|on) [the] [list] [in] [file] {path} (${side}${side === "before" ? "|above" : "|below|under"}) [the] [${line}] [${having}] {line}`,
    args: { action: `insert_${side}` },
  })),
  ...(["before", "after"] as const).map((side): Phrase => {
    const preposition = side === "before" ? "(before|above|over)" : "(after|below|under|underneath|beneath)";
    return {
      template: `${put} ${kind} {text} ${preposition} [the] [${line}] [${having}] {line} (in|of) [file] {path}|in [file] {path} ${put} ${kind} {text} ${preposition} [the] [${line}] [${having}] {line}`,
      args: { action: `insert_${side}` },
    };
  }),
  ...(["before", "after"] as const).map((side): Phrase => {
    const preposition = side === "before" ? "(before|above)" : "(after|below|under|underneath)";
    return {
      template: `${put} ${kind} {text} ${preposition} line [number] {line} (in|of) [file] {path}`,
      slots: { line: place },
      args: { action: `insert_${side}` },
    };
  }),
];

/** "Tick milk off in shopping.md": the box of an item. */
const boxes: readonly Phrase[] = (["check", "uncheck"] as const).flatMap((action): Phrase[] => {
  const tick =
    action === "check"
      ? "(tick [off]|check off|mark off|put a (tick|check) (at|beside|next to|on))"
      : "(untick|uncheck|clear the box of)";
  const mark =
    action === "check"
      ? "(done|ticked|checked|bought|finished|complete|completed|packed)"
      : "(not done|undone|open|not ticked|unticked)";
  const inList = "(in|on|from|of|at) [the] [list|checklist] [in] [file] {path}";
  const args = { action };
  return [
    {
      template: `${tick} [the] [item|box|entry] [of|for] {item} [off] ${inList}|(mark|set|check|tick) [off] [the] [item|entry] {item} as ${mark} ${inList}|(in|on) [the] [file|list|checklist] {path} [please] ${tick} [the] [item|box|entry] {item} [off]|(in|on) [the] [file|list|checklist] {path} [please] (mark|set) [the] [item|entry] {item} as ${mark}`,
      slots: { path: prose },
      args,
    },
    {
      template: `[the] {item} (is|are|got|has been|have been) [now|already|all|finally] {how} . [so] [please] (${tick}|mark) (it|that|them) [off] [as ${mark}] ${inList}`,
      slots: { path: prose, how: "description" },
      mayStartWithSlot: true,
      args,
    },
    {
      template: `${tick} [the] [item|box|entry] {item} [off] (in|on|from|of|off) the {path}|(mark|set) [the] [item|entry] {item} as ${mark} (in|on) the {path}`,
      slots: { path: documentByWords },
      args,
    },
    {
      template: `${tick.replace("tick [off]|check off", "tick")} [the] [item|box|entry] {item}`,
      args,
      implies: "path",
      lastResort: true,
    },
  ];
});

const sort = "(sort|alphabetize|alphabetise|reorder|order|arrange|put)";
const lines = "[all] [the] (=lines|=items|=entries|=names|=list)";
const inOrder =
  "(alphabetically|in alphabetical order|in alphabetic order|in ABC order|by alphabet|by name|from a to z|a to z)";
const sorts = "(sort|alphabetize|alphabetise)";
const dedupe = "(remove|delete|drop|take out|clear out|clean up|get rid of)";
const twice =
  "(=duplicates|=duplicate|=doubles|=repeats|(=duplicate|=duplicated|=double|=repeated) (=lines|=line|=items|=item|=entries|=entry|=names|=rows))";

/** "Sort guests.txt", "remove the duplicates from guests.txt". */
const ordering: readonly Phrase[] = [
  {
    template: `${sorts} [${lines} (of|in|from)] [file] {path} [${inOrder}]|${sort} [${lines} (of|in|from)] [file] {path} ${inOrder}|(in|of) [file] {path} ${sort} ${lines} [${inOrder}]`,
    slots: { path: prose },
    args: { action: "sort" },
  },
  {
    template: `${sorts} (it|them|this|=the =list|=the =lines|=the =items) [${inOrder}]|${sort} (it|them|this|=the =list|=the =lines|=the =items) ${inOrder}`,
    implies: "path",
    slots: { path: prose },
    lastResort: true,
    args: { action: "sort" },
  },
  {
    template: `{path} [please] [in] ${inOrder}`,
    slots: { path: prose },
    args: { action: "sort" },
    mayStartWithSlot: true,
  },
  {
    template: `{path} has [some|a few|several|lots of] (things|lines|names|items|entries|duplicates|doubles) [in it] [twice|double|more than once] . [please] ${dedupe} [all] [of] ([the|any] ${twice}|them)`,
    args: { action: "dedupe" },
    mayStartWithSlot: true,
  },
  {
    template: `${dedupe} [all] [the|any] ${twice} (from|in|of) [file] {path}|(dedupe|deduplicate) [file] {path}|(in|from) [file] {path} ${dedupe} [all] [the|any] ${twice}`,
    args: { action: "dedupe" },
  },
  {
    template: `${dedupe} [all] [the|any] ${twice}|(dedupe|deduplicate) (it|them|=the =list)`,
    implies: "path",
    lastResort: true,
    args: { action: "dedupe" },
  },
];

export const phrases: readonly (string | Phrase)[] = [
  ...replaceWords,
  ...replaceByFile,
  ...swapWords,
  ...removeWords,
  ...removeLines,
  ...ofLastFile,
  ...changeLines,
  ...insertLines,
  ...boxes,
  ...ordering,
];

export const slots: Record<string, SlotType | Slot> = {
  path: file,
  find: words,
  text: other,
  line: about,
  item: about,
};

export const results: Results = { path: "path" };
