import { exampleOf } from "./example.ts";
import { compileSkill } from "./grammar.ts";
import type { SkillGrammar, SlotType } from "./phrase.ts";
import { readRequest } from "../read-request.ts";

/** Longer values are not readable in a suggestion. */
const MAX_VALUE_LENGTH = 160;
/** Each attempt parses a whole sentence, so the number of attempts is limited. */
const MAX_ATTEMPTS = 4;
const QUOTED: ReadonlySet<SlotType> = new Set<SlotType>(["text", "wording", "title", "query"]);
const PAIRS = [
  ["“", "”"],
  ['"', '"'],
  ["«", "»"],
] as const;

function quote(text: string): string | undefined {
  const pair = PAIRS.find(([open, close]) => !text.includes(open) && !text.includes(close));
  return pair && `${pair[0]}${text}${pair[1]}`;
}

/** Formats a value for a sentence; undefined if it cannot be written in one. */
function formatValue(value: unknown, type: SlotType): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string" || value.length > MAX_VALUE_LENGTH || /[\r\n]/.test(value)) return undefined;
  return QUOTED.has(type) || !/^[\w./-]+$/.test(value) ? quote(value) : value;
}

const haveSameArgs = (
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): boolean => JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

/**
 * Returns a sentence that parses to exactly this call. Undefined if no phrase of the skill can express it or a value
 * is too long.
 */
export function describeCall(
  id: string,
  args: Readonly<Record<string, unknown>>,
  skillGrammars: readonly SkillGrammar[],
): string | undefined {
  const skill = skillGrammars.find((candidate) => candidate.id === id);
  if (skill === undefined) return undefined;
  let attempts = MAX_ATTEMPTS;
  for (const { phrase, ...rule } of compileSkill(skill).rules) {
    const presetArgs = new Set(Object.keys(phrase.args ?? {}));
    const sentence = exampleOf(rule, (name, slot) => {
      // The names of columns are not text word for word.
      if (slot.cells === true) return undefined;
      presetArgs.add(name);
      return formatValue(args[name], slot.type);
    });
    if (Object.keys(args).some((name) => !presetArgs.has(name))) continue;
    if (attempts-- <= 0) return undefined;
    if (parsesTo(sentence, id, args, skillGrammars)) return sentence;
  }
  return undefined;
}

function parsesTo(
  sentence: string,
  id: string,
  args: Readonly<Record<string, unknown>>,
  skillGrammars: readonly SkillGrammar[],
): boolean {
  const interpretation = readRequest(sentence, skillGrammars, { now: new Date(0) });
  const [call, ...more] = interpretation.kind === "plan" ? interpretation.calls : [];
  if (call?.skill !== id || more.length > 0) return false;
  const parsedArgs = Object.entries(call.args).map(([name, value]): [string, unknown] => [
    name,
    value.from === "request" ? value.value : undefined,
  ]);
  return haveSameArgs(Object.fromEntries(parsedArgs), args);
}
