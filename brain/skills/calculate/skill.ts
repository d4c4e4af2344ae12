import { oneOf } from "@metahuman/core/text/patterns";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { escapeInline } from "../markdown.ts";
import { textField } from "../outputs.ts";
import { aboutDay, calendarPhrases, CLOCK } from "./days.ts";
import { calculate, SUMMARIES, formatResult } from "./evaluate.ts";
import { exactNote, formatMoney } from "./money.ts";
import { aboutQuantities, AMOUNTS, SCALED } from "./quantities.ts";
import { aboutTimeZone, PLACE } from "./time-zones.ts";
import { UNIT_NAME } from "./units.ts";

/** A longer text is not a calculation. */
const MAX_LENGTH = 500;
const NUMBER_WORDS = [
  "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen",
  "sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred",
  "thousand|half|a third|a quarter",
].join("|");
const OPERATOR_WORDS = [
  "plus|minus|times|multiplied by|divided by|percent|per cent|to the power|squared|cubed",
  "the square root|square root|sqrt|half of|thirds? of|quarters? of|dozen|mod|modulo|twice|double|x",
].join("|");
const OPERATOR = `(?:[-+*/^%×÷·√]|\\b(?:${OPERATOR_WORDS})\\b)`;
const PIECE = `(?:${OPERATOR_WORDS}|${NUMBER_WORDS}|of|and|the|by|to|power|euros?|dollars?|EUR|USD|GBP|vat|tax|tip|service|discount|pi)\\b|a(?= dozen\\b)|\\d+(?:e\\d+)?|[-+*/^%×÷·√π€$£]|[.,()_=?\\s]+`;

/** One of these as often as possible. A lookahead is not backtracked into, so that the time grows with the length only. */
const repeated = (piece: string, group: number): string => `(?:(?=(${piece}))\\${String(group)})+`;

/** Looks at no more of a long text than it takes to see that it is long. */
const SHORT = `^(?![^]{${MAX_LENGTH + 1}})`;

/** Numbers and operators, and nothing that is neither. */
const CALCULATION = new RegExp(
  `${SHORT}(?=${repeated(PIECE, 1)}$)(?=.*(?:\\d|\\b(?:${NUMBER_WORDS})\\b)).*${OPERATOR}`,
  "iu",
);
const AMOUNT = `\\d+|[.,\\s-]+|(?:${NUMBER_WORDS}|and|an?)\\b`;
const CONVERSION = new RegExp(
  `${SHORT}(?=[-.]?\\d|${NUMBER_WORDS})${repeated(AMOUNT, 1)}${UNIT_NAME}\\s+(?:in|to|into|as)\\s+${UNIT_NAME}[?.!\\s]*$`,
  "iu",
);
const expression = (like: RegExp, sample: string): Slot => ({ type: "text", like, sample });
const sum = { expression: expression(CALCULATION, "12 % of 340") };
const amount = { expression: expression(CONVERSION, "5 miles in km") };
const quantities = { expression: expression(AMOUNTS, "2 h 35 min + 50 min") };
const scaled = { expression: expression(SCALED, "12.5 hours times 3") };
const clock: Slot = { type: "text", like: new RegExp(`^${CLOCK}[?.!]?$`, "iu"), sample: "9am" };
const place: Slot = { type: "text", like: new RegExp(`^${PLACE}[?.!]?$`, "iu"), sample: "New York" };

/** Numbers that are listed: "12, 30 and 8". */
const LIST = /^\d[\d.]*(?:(?:,\s*(?:and\s+)?|\s*;\s*|\s+(?:and|plus)\s+|\s+)\d[\d.]*){1,99}[?.!\s]*$/u;
const PERCENT = /^\d[\d.,]*\s?(?:%|percent|per cent)$/iu;
const rate: Slot = { type: "text", like: PERCENT, sample: "10 %" };
const price: Slot = {
  type: "text",
  like: /^[€$£]?\s?\d[\d.,]*\s?(?:€|euros?|dollars?|pounds?)?[?.!]?$/iu,
  sample: "86 euros",
};
const number: Slot = { type: "text", like: /^\d[\d.,]*[?.!]?$/u, sample: "240" };
const levy = "[(vat|tax|tip|service|surcharge|discount|sales tax|value added tax|gst|moms|alv)]";

/** Percentages in other words than "12 % of 340". */
const percentages: readonly Phrase[] = [
  {
    template: `[(what is|how much is|calculate|express)] {part} (as a percentage of|as a percent of|as percentage of|as percent of|in percent of|as a share of) {whole}|{part} is (what|which|how many) (percent|percentage) of {whole}|(what|which|how many|how much) (percent|percentage) (of|is) {whole} (is|are) {part}`,
    slots: { part: number, whole: number },
    compose: { expression: "{part} as % of {whole}" },
    mayStartWithSlot: true,
    lastResort: true,
  },
  {
    template: "(how many|how much|what) (percent|percentage) is {part} (of|out of) {whole}",
    slots: { part: number, whole: number },
    compose: { expression: "{part} as % of {whole}" },
  },
  {
    template:
      "(what is the (percentage change|change in percent|percent change|increase in percent|difference in percent)|percentage change|percent change) from {part} to {whole}|from {part} to {whole} (is|in|as) [how many|what] (percent|percentage)|how (many|much) percent is it from {part} to {whole}",
    slots: { part: number, whole: number },
    compose: { expression: "{part} to {whole} in %" },
  },
  {
    template: `[(what is|how much is|calculate|what would be)] [a] {rate} ${levy} (on|for) {price}`,
    slots: { rate, price },
    compose: { expression: "{rate} of {price}" },
    mayStartWithSlot: true,
    lastResort: true,
  },
  {
    template: `(what is|how much is|calculate|what would be) [a] {rate} from {price}`,
    slots: { rate, price },
    compose: { expression: "{rate} of {price}" },
  },
  {
    template:
      "[(how much is|what is)] [the] (vat|tax|sales tax|gst|moms|alv) of {rate} (in|included in|contained in) {price}|(how much|what) (vat|tax|sales tax|gst|moms|alv) is [included] in {price} at {rate}",
    slots: { rate, price },
    compose: { expression: "{price} - {price} / (1 + {rate})" },
  },
  {
    template: "(increase|raise) {price} by {rate}",
    slots: { rate, price },
    compose: { expression: "{price} + {rate}" },
  },
  {
    template: "(decrease|reduce|lower) {price} by {rate}",
    slots: { rate, price },
    compose: { expression: "{price} - {rate}" },
  },
  {
    template: `(add|put) {rate} ${levy} (to|on|on top of) {price}|(add|put) ${levy.slice(1, -1)} [of] {rate} (to|on|on top of) {price}`,
    slots: { rate, price },
    compose: { expression: "{price} + {rate}" },
  },
  {
    template: `(take|subtract|deduct|remove) {rate} ${levy} (off|from|of) {price}`,
    slots: { rate, price },
    compose: { expression: "{price} - {rate}" },
  },
  {
    template: `[(what is|how much is)] {rate} ${levy} off [of] {price}`,
    slots: { rate, price },
    compose: { expression: "{price} - {rate}" },
    mayStartWithSlot: true,
    lastResort: true,
  },
  {
    template: `(what is|how much is|calculate) {price} (without|excluding|before|net of|minus the|less the) {rate} (vat|tax|sales tax|gst|moms|alv)`,
    slots: { rate, price },
    compose: { expression: "{price} / (1 + {rate})" },
  },
];
const MONEY = /^[€$£]?\s?\d[\d.,]*\s?(?:€|euros?|dollars?|pounds?)?$/iu;
const QUANTITY = new RegExp(
  `^(?:half )?(?:an?|\\d[\\d.,]*|${NUMBER_WORDS})(?: and (?:a|one) half)?\\s*°?[\\p{L}²/]{1,14}(?: of \\p{L}+)?[?.!\\s]*$`,
  "iu",
);
/** A quantity with its number: "how many clients are active" asks for no unit. */
const NUMBERED =
  /^(?:\d|(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|a dozen)\s)\S*/iu;

const MEASURES = oneOf(
  "seconds?|minutes?|hours?|days?|weeks?|months?|years?|grams?|kilos?|kilograms?|ounces?|pounds?|stones?|tons?|tonnes?",
  "met(?:er|re)s?|centimet(?:er|re)s?|millimet(?:er|re)s?|kilomet(?:er|re)s?|miles?|yards?|f(?:oo|ee)t|inch(?:es)?",
  "lit(?:er|re)s?|millilit(?:er|re)s?|pints?|gallons?|cups?|(?:k?g|mg|[ckm]?m|m?l|oz|lbs?)",
);
/** "How many minutes have 3 hours"; "how many people have 2 dogs" asks for no unit. */
const MEASURE = new RegExp(`^${MEASURES}$`, "iu");

/** Calculations that are named by a word, not by a sign. */
const named: readonly Phrase[] = [
  {
    template: "[what is] [the] difference (between|of) {one} and {other}",
    slots: { one: number, other: number },
    compose: { expression: "difference between {one} and {other}" },
  },
  {
    template:
      "[what is] [the] (remainder|rest) (of|when) {one} [is] divided by {other}|[what is] [the] (remainder|rest) of {one} by {other}",
    slots: { one: number, other: number },
    compose: { expression: "{one} mod {other}" },
  },
  {
    template: "round {number} to {digits} [(decimals|decimal|decimal places|places|digits)]",
    slots: { number, digits: { type: "number" } },
    compose: { expression: "{number} rounded to {digits} decimals" },
  },
  {
    template: "round {number} [(to|to the nearest|to a) (integer|whole number)]",
    slots: { number },
    compose: { expression: "{number} rounded to 0 decimals" },
  },
  {
    template:
      "[(calculate|compute|what is|how much is)] {expression} [rounded] (to|with) {digits} (decimals|decimal|decimal places|places|digits)",
    slots: { ...sum, digits: { type: "number" } },
    compose: { expression: "{expression} rounded to {digits} decimals" },
    mayStartWithSlot: true,
    lastResort: true,
  },
  {
    template: "[(what is|express|write)] {expression} as [a] decimal [number]",
    slots: sum,
    compose: { expression: "{expression}" },
    mayStartWithSlot: true,
    lastResort: true,
  },
  {
    template: "[(what is|express|write)] {number} (as a|as|in) (percentage|percent)",
    slots: { number },
    compose: { expression: "{number} as % of 1" },
    mayStartWithSlot: true,
    lastResort: true,
  },
  {
    template:
      "(what|how much) (do|would|must|should) (I|we) pay for {count} [(items|pieces|tickets|of them|things)] at {price} [(each|apiece|per piece|a piece|per item)]|(what|how much) (is|are|do|would) {count} [(items|pieces|tickets|of them|things)] [cost] at {price} [(each|apiece|per piece|a piece|per item)]",
    slots: { count: number, price },
    compose: { expression: "{count} * {price}" },
  },
  {
    template:
      "{count} [(items|pieces|tickets|of them|things)] at {price} (each|apiece|per piece|a piece|per item)",
    slots: { count: number, price },
    compose: { expression: "{count} * {price}" },
    mayStartWithSlot: true,
    lastResort: true,
  },
];

const phrases: readonly (string | Phrase)[] = [
  {
    template:
      "(calculate|compute|work out|what is|what are|what does|how much is|how much are|how many is|solve|evaluate|tell me|add up) [the (result|value|sum) of] {expression}",
    slots: sum,
  },
  { template: "{expression}", slots: sum, mayStartWithSlot: true, lastResort: true },
  {
    template:
      "(convert|change|turn|what is|what are|how much is|how much are|how many is|how (far|long|hot|cold|warm|heavy|tall|high|fast|big|large) is|tell me) {expression}",
    slots: amount,
  },
  { template: "{expression}", slots: amount, mayStartWithSlot: true, lastResort: true },
  {
    template: "(what is|what are|how much is|how long is|calculate|add up|convert|tell me) {expression}",
    slots: quantities,
  },
  { template: "{expression}", slots: quantities, mayStartWithSlot: true, lastResort: true },
  {
    template: "[(what is|what are|how much is|how long is|calculate)] {expression}",
    slots: scaled,
    mayStartWithSlot: true,
    lastResort: true,
  },
  {
    template: "how many {to} (in|make|make up|fit in|fit into) {from}",
    slots: { to: { type: "name" }, from: { type: "text", like: QUANTITY, sample: "5 miles" } },
    compose: { expression: "{from} in {to}" },
  },
  {
    template: "how many {to} (are|is) [there] [in] {from}",
    slots: { to: { type: "name" }, from: { type: "text", like: NUMBERED, sample: "5 miles" } },
    compose: { expression: "{from} in {to}" },
  },
  {
    template: "how many {to} (have|has) {from}|how many {to} (do|does) {from} (have|contain|make)",
    slots: {
      to: { type: "name", like: MEASURE, sample: "minutes" },
      from: { type: "text", like: NUMBERED, sample: "5 miles" },
    },
    compose: { expression: "{from} in {to}" },
  },
  ...SUMMARIES.map((of): Phrase => ({
    template:
      of === "sum"
        ? "(add|sum|add up|add together|sum up|total|sum of) {list}|(calculate|compute|what is|tell me|work out) the (sum|total) of {list}"
        : `(calculate|compute|what is|tell me|work out) the (${of === "average" ? "average|mean" : of}) of {list}|${of === "average" ? "(average|mean)" : of} of {list}`,
    slots: { list: { type: "text", like: LIST, sample: "12, 30 and 8" } },
    compose: { expression: `${of} of {list}` },
  })),
  ...percentages,
  ...named,
  {
    template:
      "[if (I|we)] (split|divide|share) {amount} [equally|evenly] (between|among|amongst|by|into) {people} [people|persons|friends|of us|parts|ways|children|kids] (plus|with|and|including|add|adding) {rate} [tip|service|vat|tax]|(split|divide|share) {amount} (plus|with|and|including) {rate} [tip|service|vat|tax] [equally|evenly] (between|among|amongst|by|into) {people} [people|persons|friends|of us|parts|ways]",
    slots: { amount: price, rate, people: "number" },
    compose: { expression: "({amount} + {rate}) / {people}" },
  },
  {
    template:
      "[(how much is|what is)] {amount} (split|divided|shared) [equally] [between|among|by|into] {people} [people|persons|friends|of us|parts|ways]|split {amount} {people} ways",
    slots: { amount: price, people: "number" },
    compose: { expression: "{amount} / {people}" },
    mayStartWithSlot: true,
    lastResort: true,
  },
  {
    template:
      "how long (does it take|will it take|do I need|is it) [to (drive|go|run|walk|cycle|ride|sail|fly|travel|do)] {distance} at {speed}",
    slots: {
      distance: { type: "text", like: /^\d[\d.,]*\s?\p{L}+$/u, sample: "300 km" },
      speed: { type: "text", like: /^\d[\d.,]*\s?[\p{L}/]+(?: (?:per|an) hour)?[?.!]?$/u, sample: "80 km/h" },
    },
    compose: { expression: "{distance} at {speed}" },
  },
  {
    template:
      "how (many hours|many minutes|much time|long) (is it|are there|is there|lie|pass|are) [between|from] {start} (and|to|until|till) {end}|how (many hours|many minutes|much time|long) (between|from) {start} (and|to|until|till) {end}|from {start} to {end} [is] how (many hours|long|much time)|(hours|time) (between|from) {start} (and|to) {end}",
    slots: { start: clock, end: clock },
    compose: { expression: "time from {start} to {end}" },
  },
  {
    template:
      "how (long|many hours) (is|are|was|does|do|did|will|am|would) [a|an|the|my|our] [{what}] [be|last|take|work|working|run] from {start} (to|until|till) {end}|how (long|many hours) (do|does|did|am|are|will|is|was) (I|we|you|he|she|it|they) [be] [at|on] [{what}] [from] {start} (to|until|till) {end}",
    slots: { start: clock, end: clock, what: "description" },
    compose: { expression: "time from {start} to {end}" },
  },
  {
    template:
      "what time is it [right now|now|currently|at the moment] in {place} [right now|now|currently|at the moment]|what is the [current|local] time [now|right now] in {place} [right now|now]|[current] time in {place} [now|right now]",
    slots: { place },
    compose: { expression: "time in {place}" },
  },
  {
    template:
      "[(what time is|what is|convert|when it is|if it is|at)] {clock} [in|at] {from} [time] (in|to|into|is what time in) {to} [time]|(when it is|if it is|it is|at) {clock} [in|at] {from} [time] what time is it in {to}|what time is it in {to} (when it is|if it is|at|when) {clock} [in|at] {from} [time]",
    slots: { clock, from: place, to: place },
    compose: { expression: "{clock} {from} in {to}" },
    mayStartWithSlot: true,
    lastResort: true,
  },
  {
    template:
      "[what is the] time difference (between|from) {from} (and|to) {to}|how many hours (are|is) [there] between {from} and {to}",
    slots: { from: place, to: place },
    compose: { expression: "time difference between {from} and {to}" },
  },
  {
    template:
      "[if (I|we)] (split|divide|share) {amount} [equally|evenly] (between|among|amongst|by|into) {people} [people|persons|friends|of us|parts|ways|children|kids] [.] [how much (does|will|would|do|must|should) (each|everyone|everybody|each of us|each person|we each|one person) (pay|get|owe|have|receive)|how much is (it|that) [for] each]",
    slots: { amount: { type: "text", like: MONEY, sample: "86 euros" }, people: "number" },
    compose: { expression: "{amount} / {people}" },
  },
  {
    template:
      "what is the date [of] {date}|(what|which) date (is|was) [it|on] {date}|(what|which) (date|day) (is|will) it [be] {date}|[the] date {date}|{date} (is|falls on|will be) (what|which) (date|day)",
    mayStartWithSlot: true,
    slots: { date: "date" },
    compose: { expression: "date of {date}" },
  },
  {
    template:
      "how many days (are there|are|is it|lie|are left) (between|from) {start} (and|to|until|till) {end}|[how many] days (between|from) {start} (and|to|until|till) {end}",
    slots: { start: { type: "date", sample: "1 december" }, end: { type: "date", sample: "24 december" } },
    compose: { expression: "days from {start} to {end}" },
  },
  {
    template:
      "(what|which) (week|week number|calendar week) (is it|is this|is today|is this week|do we have|are we in) [now|today|right now]|what is the [current] (week number|calendar week|number of the week) [now|today|of today|of this week]",
    args: { expression: "week number" },
  },
  ...calendarPhrases,
  {
    template:
      "how many days (are there|are|is it|are left|do I have|do we have|have I got|have we got|remain) [left] [until|till|to|before] {date}|how many days [are there|is it|are left|left] (until|till|to|before) {date}|how (long|far) (is it|away is) [until|till|to] {date}|how long [left] (until|till|to) {date}|days (until|till|to) {date}|how many days [are there|is it|are left|left] (until|till|to|before) [the|my|our] {what} on {date}",
    // "From 19:30 to 8:00" is not a day.
    slots: { date: { type: "date", like: /^(?!(?:from|between)\b)/iu }, what: "description" },
    compose: { expression: "days until {date}" },
  },
  {
    template:
      "how many weeks (are there|are|is it|are left|do I have|do we have|have I got|have we got|remain) [left] (until|till|to|before) {date}|how many weeks [left] (until|till|to|before) {date}",
    slots: { date: "date" },
    compose: { expression: "weeks until {date}" },
  },
  {
    template:
      "how many days (ago was|ago is|have passed since|since|is it since|has it been since) {date}|days since {date}|how long ago was {date}|how many days ago was {date}",
    slots: { date: { type: "period", sample: "1 november" } },
    compose: { expression: "days since {date}" },
  },
  {
    template:
      "how old (is|would|am|are) [{what}] [be] [who was|if] [born] [on] {date}|how old is (someone|somebody|a person) [who was] born [on] {date}",
    slots: { date: "date", what: "description" },
    compose: { expression: "age on {date}" },
  },
  {
    template:
      "(what|which) (day|weekday|day of the week) (is|was|does|will be|falls) [on] {date} [fall on|be] [this year]|(on which|on what) (day|weekday|day of the week) (is|does|falls|will) {date} [fall|be] [this year]|what is the (day of the week|weekday) of {date}",
    slots: { date: "date" },
    compose: { expression: "weekday of {date}" },
  },
];

const slots: Record<string, SlotType | Slot> = {};

const results: Results = { text: (outputs) => textField(outputs, "result") };

export const calculateSkill = defineSkill({
  id: "calculate",
  summary: "Calculate, convert units, and count days",
  category: "system",
  input: z.strictObject({
    expression: z
      .string()
      .trim()
      .min(1)
      .max(MAX_LENGTH)
      .describe(
        "12 % of 340, (3 + 4) * 2, 5 miles in km, 2 h 35 min + 50 min, 9am Helsinki in New York, days until 2026-12-25, weekday of 2026-12-24, sum of 1, 2 and 3",
      ),
  }),
  output: z.strictObject({ expression: z.string(), result: z.string() }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  results,
  narrate: ({ expression, result }) =>
    `${formatExpression(expression)} = ${escapeInline(result)}${exactNote(expression)}`,
  structure: ({ expression, result }) =>
    `${formatExpression(expression.replace(/[?=.!\s]+$/u, ""))} = ${escapeInline(result)}${exactNote(expression)}`,
  run: async ({ expression }, { now, timeZone }) => {
    const resultOf = (one: string): string =>
      aboutDay(one, now, timeZone) ??
      aboutTimeZone(one, now, timeZone) ??
      aboutQuantities(one) ??
      formatMoney(calculate(one), one) ??
      formatResult(calculate(one));
    return { expression, result: separateExpressions(expression).map(resultOf).join("; ") };
  },
});

/** An expression without the markup that its asterisks would be. */
const formatExpression = (expression: string): string =>
  escapeInline(expression.replaceAll(/(?<!\*)\*(?!\*)/gu, "×"));

/** The expressions of "498.9 - 412.4; 1101.5 - 1020"; a list of numbers after "sum of" is one expression. */
function separateExpressions(expression: string): string[] {
  const parts = expression
    .split(/[;\n]/u)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return parts.length > 1 && parts.every((part) => OPERATION.test(part)) ? parts : [expression];
}

/** A number, and something to be done with it. */
const OPERATION = /\d.*(?:[-+*/^%×÷·]|\p{L}{2})/u;
