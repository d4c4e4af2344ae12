import { formatCount } from "@metahuman/core/text/format";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { wallTimeOf } from "@metahuman/core/language/dates/clock";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { inline } from "../markdown.ts";
import { textField } from "../outputs.ts";
import { calculate, writtenResult } from "./evaluate.ts";

/** A longer text is no calculation. */
const MAX_LENGTH = 500;
const NUMBER_WORDS =
  "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|a third|a quarter";
const OPERATOR_WORDS =
  "plus|minus|times|multiplied by|divided by|percent|per cent|to the power|squared|cubed|the square root|square root|half of|third of|quarter of|twice|double|x";
const OPERATOR = `(?:[-+*/^%×÷·]|\\b(?:${OPERATOR_WORDS})\\b)`;
const PIECE = `(?:${OPERATOR_WORDS}|${NUMBER_WORDS}|of|and|the|by|to|power)\\b|\\d+|[-+*/^%×÷·]|[.,()_=?\\s]+`;

/** One of these as often as possible. A lookahead is not backtracked into, so that the time grows with the length only. */
const repeated = (piece: string, group: number): string => `(?:(?=(${piece}))\\${String(group)})+`;

/** Numbers and operators, and nothing that is neither. */
const CALCULATION = new RegExp(`^(?=${repeated(PIECE, 1)}$)(?!.{${MAX_LENGTH + 1}}).*${OPERATOR}`, "iu");
const AMOUNT = `\\d+|[.,\\s-]+|(?:${NUMBER_WORDS}|and|an?)\\b`;
const UNIT = "(?:°?[\\p{L}²/]{1,14}\\d?|degrees? \\p{L}{1,14})";
const CONVERSION = new RegExp(
  `^(?=\\d|${NUMBER_WORDS})${repeated(AMOUNT, 1)}${UNIT}\\s+(?:in|to|into|as)\\s+${UNIT}[?.!\\s]*$`,
  "iu",
);
const expression = (like: RegExp, sample: string): Slot => ({ type: "text", like, sample });
const sum = { expression: expression(CALCULATION, "12 % of 340") };
const amount = { expression: expression(CONVERSION, "5 miles in km") };

const phrases: readonly (string | Phrase)[] = [
  {
    template:
      "(calculate|compute|work out|what is|what are|what does|how much is|how much are|how many is|solve|evaluate|tell me|add up) [the (result|value|sum) of] {expression}",
    slots: sum,
  },
  { template: "{expression}", slots: sum, leads: true, lastResort: true },
  {
    template:
      "(convert|change|turn|what is|what are|how much is|how much are|how many is|tell me) {expression}",
    slots: amount,
  },
  { template: "{expression}", slots: amount, leads: true, lastResort: true },
  {
    template: "how many {to} (are|is) [there] [in] {from}",
    slots: {
      to: { type: "name" },
      from: { type: "text", like: /^(?:a|an|\d[\d.,]*)\s*°?[\p{L}²/]{1,14}[?.!\s]*$/u, sample: "5 miles" },
    },
    compose: { expression: "{from} in {to}" },
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

const ON_DAY = /^(days until|weekday of) (\d{4}-\d{2}-\d{2})/u;
const DAY_MS = 86_400_000;

/** Answers about a day, counted from today in the person's time zone. */
function aboutDay(expression: string, now: Date, timeZone: string): string | undefined {
  const [, question, day] = ON_DAY.exec(expression) ?? [];
  if (day === undefined) return undefined;
  const date = Date.parse(`${day}T00:00:00Z`);
  if (question === "weekday of")
    return new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" }).format(date);
  const today = wallTimeOf(now, timeZone);
  return formatCount(Math.round((date - Date.UTC(today.year, today.month - 1, today.day)) / DAY_MS), "day");
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
      .describe("12 % of 340, (3 + 4) * 2, 5 miles in km, days until 2026-12-25, weekday of 2026-12-24"),
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
    `${inline(expression.replace(/[?=.!\s]+$/u, ""))} = **${inline(result)}**`,
  run: async ({ expression }, { now, timeZone }) => ({
    expression,
    result: aboutDay(expression, now, timeZone) ?? writtenResult(calculate(expression)),
  }),
});
