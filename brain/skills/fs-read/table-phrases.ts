import type { Phrase, Slot } from "@metahuman/core/language/grammar/phrase";
import type { Aggregate, Superlative } from "./table-figures.ts";
import type { Comparison } from "./table-choices.ts";

const column: Slot = { type: "name", sample: "amount" };
const amount: Slot = {
  type: "text",
  like: /^(?:[$€£]\s?)?[-+]?\d[\d.,]*(?:\s?(?:[$€£%]|\p{L}{1,8}))?[?.!]?$/u,
  sample: "100",
};
const value: Slot = { type: "text", like: /^\S+(?:\s\S+){0,3}$/u, sample: "food" };
/** Chooses rows by one of their values. */
const chosen =
  "[(for|by|of|from|on) {which}] [(where|whose|with) [the] {where} (is|=|equals) {which}] [(without|except|except for|excluding|not counting|apart from|other than) {without}]";
const chosenSlots: Record<string, Slot> = {
  which: value,
  without: value,
  where: { type: "description", sample: "category" },
};
const what: Slot = { type: "description", sample: "rows" };

const ask =
  "(what is|what was|show|give|tell|calculate|compute|get|find|work out|need|want|which is|which one is) [to]";
/** Asks for the row of a figure, which the answer shows: "…, and which run was it?" */
const whose =
  "[[and] (which|what|who|whose|when|where) [one|{what}] (is|was|are|were|has|had) (it|that|this|they|those)]";
const inFile = "(in|of|from|inside|within|according to) [file] {path}";
const cells = "[column|values|numbers|field|entries]";

const NAMES: Readonly<Record<Aggregate, string>> = {
  sum: "(sum|total|sum total|grand total|total sum|overall total)",
  average: "(average|mean|average value)",
  highest: "(highest|largest|biggest|maximum|max|greatest|top)",
  lowest: "(lowest|smallest|minimum|min|least)",
};

/** Words that begin a request by themselves: "average price in orders.csv". */
const FIRST: Readonly<Record<Aggregate, string>> = {
  sum: "(sum|total|sum total|grand total)",
  average: "(average|mean)",
  highest: "(highest|largest|biggest|maximum|max)",
  lowest: "(lowest|smallest|minimum|min)",
};

/** "Who has the most points": the row with the extreme. */
const MOST: Readonly<Partial<Record<Aggregate, string>>> = {
  highest: "(=most|highest|largest|biggest)",
  lowest: "(fewest|=least|lowest|smallest)",
};

const AGGREGATES: readonly Aggregate[] = ["sum", "average", "highest", "lowest"];

const figures: readonly Phrase[] = AGGREGATES.flatMap((name): Phrase[] => [
  {
    template: `${ask} [me] [the] ${NAMES[name]} [value|number|amount|count] [of|for|in] [all] [the] {column} ${cells} [for {which}] ${inFile} ${chosen} ${whose}|${FIRST[name]} [of|for] [all] [the] {column} ${cells} [for {which}] ${inFile} ${chosen}`,
    slots: { column, what, ...chosenSlots },
    view: { name, slots: ["column", "which", "without"], other: "which" },
  },
  {
    template: `and [what is] [the] ${NAMES[name]} [of|for] [all] [the|their|its|his|her] [{column}] [then|in all]|what (is|about) the ${NAMES[name]} [of|for] [all] [the|their|its|his|her] [{column}] [then|in all]|(show|give|tell) [me] the ${NAMES[name]} {column}|and [the] ${NAMES[name]} for {which}|(total|sum) for {which}|[and] [the] ${FIRST[name]} (of|for) {column}`,
    slots: { column, which: value },
    implies: "path",
    lastResort: true,
    view: { name, slots: ["column", "which"], other: "which" },
  },
  {
    template: `(which|what) {what} ${inFile} has [the] ${NAMES[name]} [number|amount|count] [of] {column}`,
    slots: { what, column },
    view: { name, slots: ["column"] },
  },
  ...(name in MOST
    ? [
        {
          template: `(who|which one|which {what}) (has|had|have|got|scored|made|sold|won) [the] ${MOST[name] ?? ""} [number of] {column} ${inFile}`,
          slots: { what, column },
          view: { name, slots: ["column"] },
        },
      ]
    : []),
  {
    template: `${ask} [me] [the] ${NAMES[name]} ${inFile} ${chosen}|${FIRST[name]} ${inFile} ${chosen}`,
    slots: chosenSlots,
    view: { name, slots: ["which", "without"], other: "which" },
  },
]);

const SUPERLATIVES: Readonly<Record<Superlative, string>> = {
  cheapest: "(cheapest|least expensive|most affordable)",
  dearest: "(most expensive|dearest|priciest|costliest)",
  youngest: "youngest",
  oldest: "oldest",
  shortest: "shortest",
  longest: "longest",
};

const superlatives: readonly Phrase[] = Object.entries(SUPERLATIVES).map(([name, words]): Phrase => ({
  template: `(${ask}|who is|which) [me] [the] ${words} [{what}] ${inFile}|(which|what|who) [{what}] ${inFile} (is|was|costs|cost) [the] ${words}|(which|what) {what} (is|was) [the] ${words} ${inFile}`,
  slots: { what },
  view: { name },
}));

const sums: Phrase = {
  template: `(sum up|sum|add up|add together|total|total up|tot up) [all] [of] [the] {column} ${cells} ${inFile} ${chosen}|what (do|does) [all] [the] {column} ${cells} ${inFile} (add up to|come to|sum to|sum up to|amount to)|how much (is|are|do|does) [all] [the] {column} ${cells} ${inFile} [come to|add up to|make] (in total|altogether|all together|together|all in all|in all)`,
  slots: { column, ...chosenSlots },
  view: { name: "sum", slots: ["column", "which", "without"], other: "which" },
};

/** "How much did Petra spend in total?": the sum of the one column of numbers, in a file that is named or that was just read. */
const totals: readonly Phrase[] = [
  { place: "", rest: { implies: "path", lastResort: true } },
  { place: ` ${inFile}`, rest: {} },
].map(({ place, rest }): Phrase => ({
  template: `how much (did|does|has|have|do) {which} (spend|spent|pay|paid|cost|owe|owed|earn|earned|make|made|use|used) [(on|for) {also}] [in total|altogether|all together|all in all|overall|in all]${place}`,
  slots: { which: value, also: value },
  ...rest,
  view: { name: "sum", slots: ["which", "also"], other: "which" },
}));

const doing =
  "(work|worked|made|make|done|do|spend|spent|use|used|log|logged|bill|billed|sell|sold|earn|earned|run|ran|drive|drove|drink|drank|get|got|take|took|book|booked|need|needed)";
/** "How much is that in total?" about the rows that were just shown. */
const together: Phrase = {
  template: `[and] how much (is|are|do|does|did|have|has|would) (that|those|these|they|it|this) [all] [(add up|come|amount) to|make|owe|cost|pay|paid|owed] [in total|altogether|all together|together|in all|all in all]|[and] what (do|does) (that|those|these|they|it|this) [all] (add up|come|amount|sum) (to|up to)|[and] (add|sum) (them|those|these|that) [all] up|[and] add up (them|those|these|the {column})`,
  slots: { column },
  implies: "path",
  lastResort: true,
  view: { name: "sum", slots: ["column"] },
};

/** "How many hours did I work for Nord in hours.csv?": the sum of a column, for some of its rows. */
const amounts: Phrase = {
  template: `how (much|many) {column} [did|do|does|have|has|had] [I|we|you|they|he|she] [did|have|has|had] ${doing} (for|on|with|by|at) {which} ${inFile}|how much {column} (for|by) {which} ${inFile}`,
  slots: { column, which: value },
  view: { name: "sum", slots: ["column", "which"] },
};

const COMPARED: Readonly<Record<Comparison, string>> = {
  over: "(over|above|more than|greater than|higher than|bigger than|larger than|older than|longer than|exceeding|more expensive than)",
  under: "(under|below|less than|lower than|smaller than|fewer than|younger than|shorter than|cheaper than)",
  least: "(at least|no less than|from)",
  most: "(at most|up to|no more than)",
  equal: "(exactly|equal to|equals)",
};
/** Verbs whose object is the amount of a row. */
const verbs =
  "cost|costs|pay|pays|paid|owe|owes|owed|earn|earns|earned|spend|spends|spent|weigh|weighs|score|scored|scores|sell|sells|sold|took|take|takes|need|needs|used|uses";
const are = `(is|are|was|were|has|have|had|with|${verbs}|having|where|that is|that are|that (${verbs})|which are|who is|who are|who (${verbs})|be)`;

const filters: readonly Phrase[] = Object.entries(COMPARED).flatMap(([name, than]): Phrase[] => {
  const condition = `${are} [a|the] [{column} [is|are|of]] ${than} {amount} [years old|each]`;
  const slots = { what, column, amount };
  return [
    {
      template: `(which|what|who|show|list|give|find|filter) [me] [only|all] [the] [{what}] ${inFile} ${condition}|(which|what) {what} ${inFile} ${than} {amount}|(show|list|give|find) [me] [only|all] [the] {what} ${than} {amount} ${inFile}|(which|what|who) [{what}] ${are} ${than} {amount} ${inFile}`,
      slots,
      view: { name: `rows-${name}`, slots: ["what", "column", "amount"] },
    },
    {
      template: `(which|what|who) [{what}] [of] [them|those|these] (is|are|was|were|has|have|cost|costs) [a|the] [{column} [is|of]] ${than} {amount}|(show|list|give) [me] [only] [the] (ones|those|rows|entries) ${than} {amount}|(show|list|give|find) [me] [only|all] [the] (=rows|=entries|=items|ones|those) (with|where) [an|a|the] {column} [is|are|of] ${than} {amount}`,
      slots,
      implies: "path",
      lastResort: true,
      view: { name: `rows-${name}`, slots: ["what", "column", "amount"] },
    },
    {
      template: `how many [of] [the] [{what}] ${inFile} ${condition}|how many {what} (are|cost|have) ${than} {amount} ${inFile}`,
      slots,
      view: { name: `count-${name}`, slots: ["what", "column", "amount"] },
    },
  ];
});

/** What is not marked in a row: "who has not paid in members.csv", "which members in members.csv are not active". */
const unmarked: Phrase = (() => {
  const has = "(has|have|had|did|does|do|is|are|was|were) not [yet]";
  const asks = "(which|what|show|list|give|find) [me] [only|all] [the] {what}";
  return {
    template: `[(show|list|tell|give) [me]] who [still] ${has} {without} ${inFile}|who [still] (has|have|had) no {without} ${inFile}|who ${inFile} [still] ${has} {without}|${asks} [that|who|which] [still] ${has} {without} ${inFile}|${asks} ${inFile} [that|who|which] [still] ${has} {without}`,
    slots: { what, without: value },
    view: { name: "rows-not", slots: ["what", "without"] },
  };
})();

const condition: Slot = { type: "text", like: /^\S+(?:\s\S+){0,9}$/u, sample: "in Bergen" };
/** A table by its ending, or a file that may have one: another file has no rows. */
const csv: Slot = { type: "path", like: /\.(?:csv|tsv|md)$/iu, sample: "members.csv" };
/** Words that refer to the rows shown before. */
const those = "(those|the ones|ones|these|rows|the rows|entries|the entries)";

/** Words after which a condition follows: "from may", "after 2020". */
const choosing: Slot = {
  type: "text",
  like: /^(?:from|of|in|with|during|since|after|before|over|under|above|below|that|who|which|where|whose)\s+\S+(?:\s\S+){0,8}$/iu,
  sample: "from may",
};
/** "Who has paid?" after a table; "who has the key?" is about something else. */
const participle: Slot = {
  type: "text",
  like: /^(?:not |n['’]?t )?\p{L}+(?:ed|id)(?: (?:yet|already|so far|now))?[?.!]?$/iu,
  sample: "paid",
};

/** What rows do or did: "owe their fee", "joined in May". */
const stating: Slot = {
  type: "text",
  like: /^(?!(?:is|are|was|were|has|have|had|did|do|does|can|could|will|should|would)\b)\p{L}+(?:s|ed|e|id)?(?:\s\S+){0,8}$/iu,
  sample: "owe their fee",
};

/** "Which clients in clients.csv are from Bergen?": rows by any condition in words. */
const conditions: readonly Phrase[] = [
  {
    template: `(which|what|who) [{what}] ${inFile} (is|are|was|were|has|have|had|did|do|does) {about}|(which|what|who) [{what}] (is|are|was|were|has|have|had|did|do|does) {about} ${inFile}|(which|what) rows ${inFile} {about}|(show|list|give|find) [me] [only|all] [of] [the] {what} ${inFile} (that|who|which|where) [is|are|was|were|has|have|had|did|do|does] {about}`,
    slots: { what, about: condition, path: csv },
    lastResort: true,
    view: { name: "rows-where", slots: ["about"] },
  },
  {
    template: `(which|what|who) [{what}] ${inFile} [still] {about}|(which|what|who) [{what}] [still] {about} ${inFile}`,
    slots: { what, about: stating, path: csv },
    lastResort: true,
    view: { name: "rows-where", slots: ["about"] },
  },
  // "The open invoices": a condition, and a word for the rows.
  {
    template: `(show|list|give|find) [me] [only|all] [of] [the] {about} {noun} ${inFile}`,
    slots: {
      about: {
        type: "text",
        like: /^(?!(?:last|first|whole|different|number)\b)\p{L}+(?:\s\p{L}+)?$/iu,
        sample: "open",
      },
      noun: { type: "name", like: /^\p{L}{3,}s$/iu, sample: "invoices" },
      path: csv,
    },
    lastResort: true,
    view: { name: "rows-where", slots: ["about", "noun"] },
  },
  {
    template: `(show|list|give|find) [me] [only|all] [of] [the] {what} ${inFile} {about}`,
    slots: { what, about: choosing, path: csv },
    lastResort: true,
    view: { name: "rows-where", slots: ["about"] },
  },
  {
    template: `how many [{what}] ${inFile} (is|are|was|were|has|have|had|did|do|does) {about}|how many [{what}] (is|are|was|were|has|have|had|did|do|does) {about} ${inFile}|how many rows ${inFile} {about}`,
    slots: { what, about: condition, path: csv },
    lastResort: true,
    view: { name: "count-where", slots: ["about"] },
  },
  {
    template: `[and] (show|list|give) [me] [only] ${those} {about}|[and] only ${those} {about}|just ${those} {about}`,
    slots: { about: choosing, path: csv },
    implies: "path",
    lastResort: true,
    view: { name: "rows-where", slots: ["about"] },
  },
  {
    template: "[and] how many [of them|of those] (is|are|was|were|has|have|had|did|do) {about}",
    slots: { about: participle, path: csv },
    implies: "path",
    lastResort: true,
    view: { name: "count-where", slots: ["about"] },
  },
  {
    template: "[and] who [still] (has|have|had|did|does|is) {about}",
    slots: { about: participle, path: csv },
    implies: "path",
    lastResort: true,
    view: { name: "rows-where", slots: ["about"] },
  },
];

/** Whom a question is about, and what of them. */
const named: Slot = {
  type: "text",
  like: /^(?!(?:i|you|he|she|it|we|they|there|this|that|these|those|any\p{L}*|some\p{L}*)\b)(?!.*[\p{L}\p{N}]\.\p{L})\S+(?:\s\S+){1,5}$/iu,
  sample: "Gerda paid",
};

/** "Has Gerda paid in members.csv?": one cell. */
const cell: readonly Phrase[] = [
  { place: "", slots: { path: { type: "path" as const, ending: ".csv" } }, rest: { implies: "path" } },
  { place: ` ${inFile}`, slots: {}, rest: {} },
].map(({ place, slots, rest }): Phrase => ({
  template: `(has|have|had|did|does|do|is|are|was|were) {about} [yet|already]${place} [yet|already]|${place === "" ? "(tell|check|see|find out) [me]" : "[(tell|check|see|find out) [me]]"} (if|whether) {about}${place}`,
  slots: { ...slots, about: named },
  lastResort: true,
  ...rest,
  view: { name: "cell", slots: ["about"], other: "about" },
}));

const spends =
  "(spent|spends|paid|pays|owes|owed|earned|earns|gave|gives|contributed|worked|works|drove|ran|sold|scored|made|used|logged|billed|booked|brought|collected|walked|baked|read|has (spent|paid|earned|given|contributed|worked|driven|run|sold|scored|made|used|logged|billed|booked|brought|collected))";

/** "Who spent the most?", "which client has the most rows?" */
const most: readonly Phrase[] = (
  [
    ["most", "who-most", "most-rows", "(most|highest|largest)"],
    ["least", "who-least", "fewest-rows", "(least|fewest|lowest)"],
  ] as const
).flatMap(([, people, rows, words]): Phrase[] => [
  {
    template: `who ${spends} [the] ${words} [money] [in total|altogether] ${inFile}|who ${inFile} ${spends} [the] ${words} [money]`,
    view: { name: people },
  },
  {
    template: `[and] who ${spends} [the] ${words} [money] [in total|altogether|so far]`,
    slots: { path: csv },
    implies: "path",
    lastResort: true,
    view: { name: people },
  },
  {
    template: `(which|what) {by} (has|have|had|did|does) [the] ${words} (=rows|=entries|=items|=lines|=records) ${inFile}|(which|what) {by} (has|have|had) [the] ${words} [of] [the] {path}`,
    slots: { by: column },
    view: { name: rows, slots: ["by"] },
  },
]);

/** Questions about the rows and columns of a table, each with the view that answers it. */
export const tablePhrases: readonly Phrase[] = [
  ...figures,
  ...superlatives,
  sums,
  {
    template: `[${ask}] [me] [the] (=sum|=sums|=total|=totals) [of] [the] {column} (by|per|for each|for every|grouped by) {by} ${inFile}|[${ask}] [me] [the] (=sum|=sums|=total|=totals) [of] [the] {column} ${inFile} (by|per|for each|for every|grouped by) {by}|[${ask}] [me] [the] (=total|=totals|=sum|=sums) (by|per|for each|for every) {by} ${inFile}`,
    slots: { column, by: column },
    view: { name: "sum-by", slots: ["column", "by"] },
  },
  {
    template: `${ask} [me] [the|all] {column} (per|for each|for every|grouped by) {by} ${inFile}|(add up|sum up|sum|total) [all] [the] {column} (by|per|for each|for every) {by} ${inFile}|how (much|many) {column} [is there|are there|do I have|does|did] [each|every] (per|for each|for every) {by} ${inFile}`,
    slots: { column, by: column },
    lastResort: true,
    view: { name: "sum-by", slots: ["column", "by"] },
  },
  {
    template: `[the|all] {column} (per|for each|for every|grouped by) {by} ${inFile}`,
    slots: { column: { ...column, like: /^\p{L}+$/u }, by: column, path: csv },
    mayStartWithSlot: true,
    lastResort: true,
    view: { name: "sum-by", slots: ["column", "by"] },
  },
  {
    template: `[${ask}] [me] [the] (=average|=averages|=mean|=means) [of] [the] {column} (by|per|for each|for every|grouped by) {by} ${inFile}|[${ask}] [me] [the] (=average|=averages|=mean|=means) [of] [the] {column} ${inFile} (by|per|for each|for every|grouped by) {by}|[${ask}] [me] [the] (=average|=averages|=mean|=means) (by|per|for each|for every) {by} ${inFile}`,
    slots: { column, by: column },
    view: { name: "average-by", slots: ["column", "by"] },
  },
  {
    template: `[and] [${ask}] [me] [the] (=sum|=sums|=total|=totals) [of] [the] [{column}] (by|per|for each|for every|grouped by) {by}|[and|how much is that] (per|for each|for every) {by}`,
    slots: { column, by: column, path: csv },
    implies: "path",
    lastResort: true,
    view: { name: "sum-by", slots: ["column", "by"] },
  },
  ...most,
  ...filters,
  {
    template: `(show|list|give|find|filter|which|what) [me] [only|all] [the] {what} ${inFile} (where|with|whose) [the|a] {column} (is|=|equals|of) {amount}`,
    slots: { what, column, amount: value },
    view: { name: "rows-equal", slots: ["what", "column", "amount"], other: "amount" },
  },
  {
    template:
      "(show|list|give|find|filter) [me] [only|all] [the] (=rows|=row|=entries|=items|=records|=lines|=ones) (where|with|whose|for) [the|a|an] {column} [is|are|=|equals|of] {amount}",
    slots: { column, amount: value },
    implies: "path",
    lastResort: true,
    view: { name: "rows-equal", slots: ["column", "amount"], other: "amount" },
  },
  ...totals,
  amounts,
  together,
  ...cell,
  ...conditions,
  unmarked,
  {
    template: `(which|what|show|list|give) [me] [only|all] [the] {what} ${inFile} (without|with no|missing|except|except for|excluding|apart from|other than) [a|an|any] {without}|(which|what) {what} ${inFile} (have|has) no {without}|(=rows|=entries|=items|=records|=lines) (without|with no|missing) [a|an|any] {without} ${inFile}|(show|list|give|find) [me] [only|all] [the] {what} (without|with no) [a|an|any] {without} ${inFile}|[(show|list|give|find)] [me] [the] (=rows|=entries|=items|=records|=lines) ${inFile} where {without} is (empty|missing|blank)`,
    slots: { what, without: value },
    view: { name: "rows-without", slots: ["without"] },
  },
  {
    template:
      "how many (=rows|=entries|=records|=items|=things|=points|=bullets) (are|are there|are listed|does|has|have|do I have|have I got) [there] [(in|inside|on|of)] [file] {path} [have|has|contain|got|hold]|(count|tell|give) [me] [the] [(number|count) of] (=rows|=entries|=records|=items) (in|of|inside|on) [file] {path}|how many {what} (are|are there|are listed) (in|inside|on) [file] {path}|how many {what} does [file] {path} (have|contain|list|show)|count [the|all] {what} (in|inside|on) [file] {path}",
    slots: { what: value },
    view: { name: "entries", slots: ["what"] },
  },
];
