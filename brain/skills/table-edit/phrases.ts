import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** A file of rows and columns. */
const table: Slot = { type: "path", like: /\.(?:csv|tsv)$/iu, sample: "members.csv" };
/** A file of rows and columns, or a text that may have a table. */
const tableOrText: Slot = { type: "path", like: /\.(?:csv|tsv|md)$/iu, sample: "members.csv" };
/** Words that name a row, or a row and a column: "Otto", "Otto's email". */
const row: Slot = {
  type: "text",
  like: /^(?!(?:it|them|that|this|these|those|all|every|each|everything|everybody|everyone|line)\b)\S+(?:\s\S+){0,5}$/iu,
  sample: "Otto",
};
const owner: Slot = { type: "text", like: /^\S+(?:\s\S+){0,3}?(?:['’]s?|s)$/iu, sample: "Otto's" };
const column: Slot = { type: "name", like: /^\p{L}/u, sample: "paid" };
/** A new value, without the file that follows it. */
const value: Slot = {
  type: "text",
  like: /^(?!.*\.(?:csv|tsv)\b)(?!.*\band\s+(?:he|she|they|it)\s+(?:has|have|is|are|was|were)\b)\S.{0,200}$/isu,
  sample: "yes",
};
/** A new value that names no place: "inactive in the clients file" does. */
const plainValue: Slot = {
  ...value,
  like: /^(?!.*\band\s+(?:he|she|they|it)\s+(?:has|have|is|are|was|were)\b)(?!.*(?:\s(?:in|on|of)\s|\.(?:csv|tsv)\b))\S.{0,200}$/isu,
};
/** The values of a row in words. A row as it is in the file, "Mia,2,vegan", is text. */
const values: Slot = {
  type: "text",
  like: /^(?!(?:another|a|the|this|one more|it|them)\b(?!\s+\S+,))(?!.*\.(?:csv|tsv)\b)(?![^\s,;]+(?:[,;][^\s,;]+)+$)\S.{0,500}$/isu,
  sample: "Nina Falk, 12 euros, paid",
};

const change =
  "(set|change|update|put|correct|fix|make|edit|amend|turn|switch|raise|bump|increase|lower|reduce|decrease)";
const to = "(to|into|as|=|:)";
const inFile = "(in|on|of|inside|within) [the] [file|table|list] {path}";
const remove = "(remove|delete|drop|strike|take|cross|kick|erase|scratch)";
const off = "[out|off|away]";
const rowWord = "(row|entry|line|record)";
const has = "(has|have|had)";
const isNow = "(is|are|was) [now]";
const update = "(update|change|correct|note|mark|put|enter|record|set) [that|it|this] [in|into]";

const phrase = (action: string, template: string, rest: Partial<Phrase> = {}): Phrase => ({
  template,
  ...rest,
  args: { action, ...rest.args },
});
const set = (template: string, rest: Partial<Phrase> = {}): Phrase => phrase("set", template, rest);

/** The cell of a row that is named by both, and whether the words say so: only then, a text may have the table. */
const cells = [
  { cell: `{owner} {column}`, slots: {} },
  { cell: `[the] {column} (of|for) [the] {row}`, slots: { path: tableOrText } },
  { cell: `[the] {row}`, slots: {} },
];

const setCells: readonly Phrase[] = [
  ...cells.flatMap(({ cell, slots: own }): Phrase[] => [
    set(`${change} ${cell} ${to} {value} ${inFile}`, { slots: own }),
    set(`${change} ${cell} ${inFile} ${to} {value}`, { slots: own }),
    set(`in [the] [file|table|list] {path} [please] ${change} ${cell} ${to} {value}`, { slots: own }),
  ]),
  set(`${change} [the] {column} ${to} {value} for [the] {row} ${inFile}`),
  set(`in [the] [file|table|list] {path} [please] ${change} [the] {column} ${to} {value} for [the] {row}`),
];

/** "Mark Gerda as paid in members.csv", "Gerda has paid, update members.csv": yes or no in a column of that name. */
const marks: readonly Phrase[] = (["yes", "no"] as const).flatMap((mark): Phrase[] => {
  const not = mark === "no" ? "(not|not yet)" : "";
  const args = { value: mark };
  return [
    set(`(mark|tick|check|flag|list|record|note|set) [off] {row} as ${not} {column} ${inFile}`, { args }),
    set(
      `in [the] [file|table|list] {path} [please] (mark|tick|check|flag|record|note) [off] {row} as ${not} {column}`,
      {
        args,
      },
    ),
    set(`(note|record|write|enter) ${inFile} that {row} (${has}|is) ${not} {column}`, { args }),
    set(
      `{row} (${has}|is|are) ${not} [now|already|also|just] {column} [now|already|too|yet] [.] [please] ${update} [the] [file|table|list] {path}`,
      {
        args,
        mayStartWithSlot: true,
      },
    ),
  ];
});

const everyRow =
  "(everyone|everybody|all of them|(all|every|each) [of] [the] (rows|row|members|member|people|persons|person|entries|entry|lines|line|names|name|items|item))";

/** "Mark everyone as paid in members.csv": one value in all rows. */
const allRows: readonly Phrase[] = [
  ...marks
    .filter(({ template }) => / as .*\{column\}/u.test(template))
    .map((one) =>
      phrase("set_all", one.template.replace("{row}", everyRow), {
        args: { ...one.args, action: "set_all" },
      }),
    ),
  phrase("set_all", `${change} [the] {column} (of|for) ${everyRow} ${to} {value} ${inFile}`),
  phrase("set_all", `${change} [the] {column} ${to} {value} (of|for|in) ${everyRow} ${inFile}`),
];

/** "Otto paid already": a verb in the past that is a column. */
const didIt: Slot = { type: "name", like: /^\p{L}+(?:ed|id)$/iu, sample: "paid" };

const statements: readonly Phrase[] = [
  set(
    `{row} [now|already|also|just] {column} [now|already|too] [.] [please] ${update} [the] [file|table|list] {path}`,
    {
      args: { value: "yes" },
      slots: { column: didIt },
      mayStartWithSlot: true,
    },
  ),
  set(`=the {column} of [the] {row} ${isNow} {value} [.] [please] ${update} [the] [file|table|list] {path}`),
  set(
    `{owner} {column} (changed to|has changed to|was changed to|is now|will be) {value} [.] [please] ${update} [the] [file|table|list] {path}`,
    {
      mayStartWithSlot: true,
    },
  ),
  set(
    `=the {column} of [the] {row} (changed to|has changed to|was changed to) {value} [.] [please] ${update} [the] [file|table|list] {path}`,
  ),
  set(`{owner} {column} ${isNow} {value} [.] [please] ${update} [the] [file|table|list] {path}`, {
    mayStartWithSlot: true,
  }),
  set(`{owner} {column} ${inFile} (should be|must be|has to be|needs to be|is now) {value}`, {
    mayStartWithSlot: true,
  }),
  set(`=the {column} of [the] {row} ${inFile} (should be|must be|has to be|needs to be|is now) {value}`, {
    slots: { path: tableOrText },
  }),
];

const add = "(add|append|put|insert|enter|include|write)";
const newRow =
  "[(another|one more|a new|a further|a|the|this|new|following) (row|line|entry|record) [with|for|saying|:]]";
const additions: readonly Phrase[] = [
  phrase("add", `${add} ${newRow} {values} (to|in|into|onto) [the] [end of] [file|table|list] {path}`),
  phrase(
    "add",
    `${add} (another|one more|a new|a|new) (row|line|entry|record) (to|in|into) [the] [file|table|list] {path} (with|for|:|saying) {values}`,
  ),
  phrase(
    "add",
    `${add} (to|in|into) [the] [file|table|list] {path} [a|one|another] [new] (row|line|entry|record) (with|for|:|saying) {values}`,
  ),
  phrase(
    "add",
    `${add} (another|one more|a new|a|new|this) =row (to|in|into) [the] [table] [in] [file] {path} [(with|for|:|saying)] {values}`,
    { slots: { path: { ...tableOrText, like: /\.md$/iu, sample: "stock.md" } } },
  ),
  phrase("add", `in [the] [file|table|list] {path} [please] ${add} ${newRow} {values}`),
  phrase("add", `${add} to [the] [file|table|list] {path} : {values}`),
  phrase("add", `${add} (in|into|to) [the] [file|table|list] {path} {values}`, { lastResort: true }),
  // "Add Nina Falk to members.csv, 12 euros, paid"
  phrase(
    "add",
    `${add} ${newRow} {first} (to|in|into|onto) [the] [file|table|list] {path} [.] [(with|for)] {others}`,
    {
      slots: { first: values, others: values },
      compose: { values: "{first}, {others}" },
    },
  ),
];

const removals: readonly Phrase[] = [
  phrase(
    "remove",
    `${remove} ${off} [the ${rowWord} (of|for|with|about)] {row} ${off} (from|in|off|out of) [the] [file|table|list] {path}`,
  ),
  phrase("remove", `${remove} ${off} [the] {row} ${rowWord} (from|in) [the] [file|table|list] {path}`),
  phrase(
    "remove",
    `(from|in) [the] [file|table|list] {path} [please] ${remove} ${off} [the ${rowWord} (of|for|with|about)] {row}`,
  ),
];

const sort = "(sort|order|arrange|rank)";
const rows = "[all] [the] [(rows|entries|lines) (of|in)]";
const greatest =
  "(highest|largest|biggest|heaviest|longest|tallest|newest|latest|most recent|most expensive|dearest|best)";
const least = "(lowest|smallest|lightest|shortest|oldest|earliest|cheapest|youngest)";
/** Each direction with the words for it. */
const DIRECTIONS = [
  [
    undefined,
    `[(ascending|in ascending order|alphabetically|[with] [the] ${least} [one] first|(so|so that|such that) [the] ${least} [one|row|entry] (is|comes|stands|goes|appears) (first|on top|at the top)|from (a to z|low to high|lowest to highest|old to new|oldest to newest|smallest to largest))]`,
  ],
  [
    true,
    `(descending|in descending order|[with] [the] ${greatest} [one] first|(so|so that|such that) [the] ${greatest} [one|row|entry] (is|comes|stands|goes|appears) (first|on top|at the top)|from (z to a|high to low|highest to lowest|new to old|newest to oldest|largest to smallest))`,
  ],
] as const;

/** "Sort hours.csv by date, newest first". */
const sorts: readonly Phrase[] = DIRECTIONS.flatMap(([descending, direction]): Phrase[] => {
  const args = descending === undefined ? {} : { descending };
  const by = `by [the] [column] {column} [column] [.] ${direction}`;
  return [
    phrase("sort", `${sort} ${rows} [the] [file|table|list] {path} ${by}`, {
      args,
      slots: { path: tableOrText },
    }),
    phrase("sort", `${sort} (it|them|=the =table|=the =rows|=the =list) ${by}`, {
      args,
      implies: "path",
      lastResort: true,
    }),
  ];
});

const called = "[called|named|with the name|for|:]";
const newName: Slot = { type: "name", sample: "phone" };
const ofTable = "(to|in|into|of|from) [the] [file|table|list] {path}";

/** "Add a column phone to members.csv", "rename the column fee to dues in members.csv". */
const columns: readonly Phrase[] = [
  phrase(
    "add_column",
    `${add} [a|another|the] [new|empty] [new|empty] =column ${called} {column} ${ofTable}`,
    {
      slots: { column: newName, path: tableOrText },
    },
  ),
  phrase("add_column", `${add} ${ofTable} [a|another|the] [new|empty] =column ${called} {column}`, {
    slots: { column: newName, path: tableOrText },
  }),
  phrase(
    "add_column",
    `{path} (needs|should have|must have|could use) (a|an|one|another) [more|new|extra|further] =column [.] ${called} {column}`,
    { slots: { column: newName, path: tableOrText }, mayStartWithSlot: true },
  ),
  phrase("rename_column", `(rename|change|call) [the] =column {column} (to|into|as) {value} ${ofTable}`, {
    slots: { value: newName, path: tableOrText },
  }),
  phrase("rename_column", `(rename|change) [the] {column} =column (to|into|as) {value} ${ofTable}`, {
    slots: { value: newName, path: tableOrText },
  }),
  phrase("rename_column", `(rename|change) [the] =column {column} ${ofTable} (to|into|as) {value}`, {
    slots: { value: newName, path: tableOrText },
  }),
  phrase("remove_column", `${remove} ${off} [the] (=column {column}|{column} =column) ${ofTable}`, {
    slots: { path: tableOrText },
  }),
  ...[
    phrase("add_column", `${add} [a|another|the] [new|empty] =column ${called} {column}`, {
      slots: { column: newName },
    }),
    phrase(
      "rename_column",
      "(rename|change) [the] (=column {column}|{column} =column) (to|into|as) {value}",
      {
        slots: { value: newName },
      },
    ),
    phrase("remove_column", `${remove} ${off} [the] (=column {column}|{column} =column)`),
  ].map((one): Phrase => ({ ...one, implies: "path" })),
];

/** The same about the table of the request before. */
const ofLastTable: readonly Phrase[] = [
  set(`${change} {owner} {column} ${to} {value}`),
  set(`${change} [the] {column} (of|for) [the] {row} ${to} {value}`),
].map((one) => ({ ...one, slots: { value: plainValue }, implies: "path", lastResort: true }));

export const phrases: readonly (string | Phrase)[] = [
  ...allRows,
  ...setCells,
  ...statements,
  ...marks,
  ...additions,
  ...removals,
  ...sorts,
  ...columns,
  ...ofLastTable,
].map((one) => (one.template.includes("{owner}") ? { ...one, compose: { row: "{owner}" } } : one));

export const slots: Record<string, SlotType | Slot> = {
  path: table,
  row,
  owner,
  column,
  value,
  values,
};

export const results: Results = { path: "path" };
