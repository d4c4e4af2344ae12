import { exampleOf } from "./example.ts";
import { compileSkill } from "./grammar.ts";
import type { SkillGrammar, SlotType } from "./phrase.ts";
import { readRequest } from "../read-request.ts";

/** Longer values are not readable in a suggestion. */
const LONGEST_VALUE = 160;
/** Each attempt parses a whole sentence, so the number of attempts is limited. */
const MOST_TRIES = 4;
const QUOTED: ReadonlySet<SlotType> = new Set<SlotType>(["text", "wording", "title", "query"]);
const PAIRS = [
  ["“", "”"],
  ['"', '"'],
  ["«", "»"],
] as const;

function quotedAs(text: string): string | undefined {
  const pair = PAIRS.find(([open, close]) => !text.includes(open) && !text.includes(close));
  return pair && `${pair[0]}${text}${pair[1]}`;
}

/** Formats a value for a sentence; undefined if it cannot be written in one. */
function spoken(value: unknown, type: SlotType): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string" || value.length > LONGEST_VALUE || /[\r\n]/.test(value)) return undefined;
  return QUOTED.has(type) || !/^[\w./-]+$/.test(value) ? quotedAs(value) : value;
}

const same = (one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

/**
 * Returns a sentence that parses to exactly this call. Undefined if no phrase of the skill can express it or a value
 * is too long.
 */
export function sayCall(
  id: string,
  args: Readonly<Record<string, unknown>>,
  speech: readonly SkillGrammar[],
): string | undefined {
  const skill = speech.find((candidate) => candidate.id === id);
  if (skill === undefined) return undefined;
  let tries = MOST_TRIES;
  for (const { phrase, ...rule } of compileSkill(skill).rules) {
    const said = new Set(Object.keys(phrase.args ?? {}));
    const sentence = exampleOf({ phrase, ...rule }, undefined, (name, slot) => {
      said.add(name);
      return spoken(args[name], slot.type);
    });
    if (Object.keys(args).some((name) => !said.has(name))) continue;
    if (tries-- <= 0) return undefined;
    if (readsAs(sentence, id, args, speech)) return sentence;
  }
  return undefined;
}

function readsAs(
  sentence: string,
  id: string,
  args: Readonly<Record<string, unknown>>,
  speech: readonly SkillGrammar[],
): boolean {
  const reading = readRequest(sentence, speech, { now: new Date(0) });
  const [call, ...more] = reading.kind === "plan" ? reading.calls : [];
  if (call?.skill !== id || more.length > 0) return false;
  const said = Object.entries(call.args).map(([name, value]): [string, unknown] => [
    name,
    value.from === "request" ? value.value : undefined,
  ]);
  return same(Object.fromEntries(said), args);
}
