import { formatCount } from "@metahuman/core/text/format";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { wallTimeOf } from "@metahuman/core/language/dates/clock";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { inline } from "../markdown.ts";
import { textField } from "../outputs.ts";
import { calculate, SUMMARIES, formatResult } from "./evaluate.ts";

/** A longer text is no calculation. */
const MAX_LENGTH = 500;
const NUMBER_WORDS =
  "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|a third|a quarter";
const OPERATOR_WORDS =
  "plus|minus|times|multiplied by|divided by|percent|per cent|to the power|squared|cubed|the square root|square root|half of|third of|quarter of|twice|double|x";
const OPERATOR = `(?:[-+*/^%×÷·]|\\b(?:${OPERATOR_WORDS})\\b)`;
const PIECE = `(?:${OPERATOR_WORDS}|${NUMBER_WORDS}|of|and|the|by|to|power|euros?|dollars?|EUR|USD|GBP)\\b|\\d+|[-+*/^%×÷·€$£]|[.,()_=?\\s]+`;

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
const UNIT = "(?:°?[\\p{L}²/]{1,14}\\d?|degrees? \\p{L}{1,14})";
const CONVERSION = new RegExp(
  `${SHORT}(?=\\d|${NUMBER_WORDS})${repeated(AMOUNT, 1)}${UNIT}\\s+(?:in|to|into|as)\\s+${UNIT}[?.!\\s]*$`,
  "iu",
);
const expression = (like: RegExp, sample: string): Slot => ({ type: "text", like, sample });
const sum = { expression: expression(CALCULATION, "12 % of 340") };
const amount = { expression: expression(CONVERSION, "5 miles in km") };

/** Numbers that are listed: "12, 30 and 8". */
const LIST = /^\d[\d.]*(?:(?:,\s*(?:and\s+)?|\s*;\s*|\s+(?:and|plus)\s+)\d[\d.]*){1,99}[?.!\s]*$/u;
const MONEY = /^[€$£]?\s?\d[\d.,]*\s?(?:€|euros?|dollars?|pounds?)?$/iu;
const QUANTITY = new RegExp(
  `^(?:half )?(?:an?|\\d[\\d.,]*|${NUMBER_WORDS})(?: and (?:a|one) half)?\\s*°?[\\p{L}²/]{1,14}[?.!\\s]*$`,
  "iu",
);

const phrases: readonly (string | Phrase)[] = [
  {
    template:
      "(calculate|compute|work out|what is|what are|what does|how much is|how much are|how many is|solve|evaluate|tell me|add up) [the (result|value|sum) of] {expression}",
    slots: sum,
  },
  { template: "{expression}", slots: sum, mayStartWithSlot: true, lastResort: true },
  {
    template:
      "(convert|change|turn|what is|what are|how much is|how much are|how many is|tell me) {expression}",
    slots: amount,
  },
  { template: "{expression}", slots: amount, mayStartWithSlot: true, lastResort: true },
  {
    template: "how many {to} (are|is) [there] [in] {from}",
    slots: { to: { type: "name" }, from: { type: "text", like: QUANTITY, sample: "5 miles" } },
    compose: { expression: "{from} in {to}" },
  },
  ...SUMMARIES.map((of): Phrase => ({
    template:
      of === "sum"
        ? "(add up|add together|sum up|total) {list}|(calculate|compute|what is|tell me|work out) the (sum|total) of {list}"
        : `(calculate|compute|what is|tell me|work out) the (${of === "average" ? "average|mean" : of}) of {list}`,
    slots: { list: { type: "text", like: LIST, sample: "12, 30 and 8" } },
    compose: { expression: `${of} of {list}` },
  })),
  {
    template:
      "[if (I|we)] (split|divide|share) {amount} [equally|evenly] (between|among|amongst|by|into) {people} [people|persons|friends|of us|parts|ways|children|kids] [.] [how much (does|will|would|do|must|should) (each|everyone|everybody|each of us|each person|we each|one person) (pay|get|owe|have|receive)|how much is (it|that) [for] each]",
    slots: { amount: { type: "text", like: MONEY, sample: "86 euros" }, people: "number" },
    compose: { expression: "{amount} / {people}" },
  },
  {
    template:
      "what is the date [of] {date}|(what|which) date (is|was) [it|on] {date}|(what|which) date (is|will) it be {date}",
    slots: { date: "date" },
    compose: { expression: "date of {date}" },
  },
  {
    template:
      "how many days (are there|are|is it|lie|are left) between {start} and {end}|how many days between {start} and {end}",
    slots: { start: { type: "date", sample: "1 december" }, end: { type: "date", sample: "24 december" } },
    compose: { expression: "days from {start} to {end}" },
  },
  {
    template:
      "(what|which) (week|week number|calendar week) (is it|is this|is today|is this week|do we have|are we in) [now|today|right now]|what is the [current] (week number|calendar week|number of the week) [now|today|of today|of this week]",
    args: { expression: "week number" },
  },
  {
    template:
      "how many days (are there|are|is it|are left|do I have|remain) [left] [until|till|to|before] {date}|how many days [are there|is it|are left|left] (until|till|to|before) {date}|how (long|far) (is it|away is) [until|till|to] {date}|days until {date}",
    slots: { date: "date" },
    compose: { expression: "days until {date}" },
  },
  {
    template:
      "(what|which) (day|weekday|day of the week) (is|does|will be|falls) [on] {date} [fall on|be] [this year]|(on which|on what) (day|weekday|day of the week) (is|does|falls|will) {date} [fall|be] [this year]|what is the (day of the week|weekday) of {date}",
    slots: { date: "date" },
    compose: { expression: "weekday of {date}" },
  },
];

const slots: Record<string, SlotType | Slot> = {};

const results: Results = { text: (outputs) => textField(outputs, "result") };

const ON_DAY = /^(days until|weekday of|date of) (\d{4}-\d{2}-\d{2})/u;
const BETWEEN_DAYS = /^days from (\d{4}-\d{2}-\d{2})\S* to (\d{4}-\d{2}-\d{2})/u;
const DAY_MS = 86_400_000;

const dayOf = (iso: string): number => Date.parse(`${iso}T00:00:00Z`);

/** The ISO 8601 week of a day: the one that holds its Thursday. */
function weekOf(day: number): number {
  const weekday = (new Date(day).getUTCDay() + 6) % 7;
  const thursday = new Date(day + (3 - weekday) * DAY_MS);
  return 1 + Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / (7 * DAY_MS));
}

/** Answers about a day, counted from today in the person's time zone. */
function aboutDay(expression: string, now: Date, timeZone: string): string | undefined {
  const wall = wallTimeOf(now, timeZone);
  const today = Date.UTC(wall.year, wall.month - 1, wall.day);
  if (/^week number\b/u.test(expression)) return `week ${String(weekOf(today))}`;
  const [, start, end] = BETWEEN_DAYS.exec(expression) ?? [];
  if (start !== undefined && end !== undefined)
    return formatCount(Math.abs(Math.round((dayOf(end) - dayOf(start)) / DAY_MS)), "day");
  const [, question, day] = ON_DAY.exec(expression) ?? [];
  if (day === undefined) return undefined;
  const date = dayOf(day);
  if (question === "date of")
    return new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" }).format(date);
  if (question === "weekday of")
    return new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" }).format(date);
  return formatCount(Math.round((date - today) / DAY_MS), "day");
}

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
        "12 % of 340, (3 + 4) * 2, 5 miles in km, days until 2026-12-25, weekday of 2026-12-24, sum of 1, 2 and 3",
      ),
  }),
  output: z.strictObject({ expression: z.string(), result: z.string() }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  results,
  narrate: ({ expression, result }) => `${inline(expression)} = ${inline(result)}`,
  structure: ({ expression, result }) =>
    `${inline(expression.replace(/[?=.!\s]+$/u, ""))} = ${inline(result)}`,
  run: async ({ expression }, { now, timeZone }) => ({
    expression,
    result: aboutDay(expression, now, timeZone) ?? formatResult(calculate(expression)),
  }),
});
