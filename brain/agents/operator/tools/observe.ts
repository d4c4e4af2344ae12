import type { ErrorCode, ErrorDetail } from "@metahuman/core/contract/problem";
import type { Region } from "@metahuman/core/contract/region";
import type { Observation, ObservationMode, Run } from "@metahuman/core/contract/run";
import type { Skill } from "@metahuman/skills/define-skill";

/** Categories whose outputs may contain text by other authors, which must never be read as an instruction. */
const UNTRUSTED_CATEGORIES: ReadonlySet<Skill["category"]> = new Set<Skill["category"]>([
  "files",
  "memory",
  "web",
  "git",
  "system",
]);

/** Effects whose result is information, not a change. */
const INFORMING: ReadonlySet<Skill["effects"]> = new Set<Skill["effects"]>(["read", "network", "execute"]);

/** True for a skill whose result is information, not a change. */
export function isInforming({ effects }: Pick<Skill, "effects">): boolean {
  return INFORMING.has(effects);
}

/** Reads and programs show their data; a change is described in a sentence. */
export function usualMode(skill: Skill): ObservationMode {
  return isInforming(skill) ? "structured" : "narrative";
}

/** Outputs as planners read them: rendered in `mode`, clipped to `maxCharacters`. Prompts mark them as data where they show them. */
export function observe(
  skill: Skill,
  outputs: Record<string, unknown>,
  { mode, maxCharacters, region }: { mode: ObservationMode; maxCharacters: number; region?: Region },
): Observation {
  const whole = render(skill, outputs, mode, region);
  const text = clipOutput(whole, maxCharacters);
  const readOn = text === whole ? undefined : skill.readOn(outputs, whole, text.lastIndexOf(CLIPPED));
  return {
    mode,
    content: readOn === undefined ? text : `${text}\n${readOn}`,
    success: true,
    outputs,
  };
}

export function observeFailure(error: ErrorDetail): Observation {
  return { mode: "narrative", content: error.message, success: false, error };
}

/** A finding of the operator about its own run. */
export function observeNote(content: string): Observation {
  return { mode: "narrative", content, success: true };
}

export function hasUntrustedOutput(skill: Skill): boolean {
  return INFORMING.has(skill.effects) && UNTRUSTED_CATEGORIES.has(skill.category);
}

function render(
  skill: Skill,
  outputs: Record<string, unknown>,
  mode: ObservationMode,
  region: Region | undefined,
): string {
  switch (mode) {
    case "narrative":
      return skill.narrate(outputs, region);
    case "structured":
      return skill.observed(outputs, region);
    case "verbatim":
      return JSON.stringify(outputs, null, 2);
    default:
      return mode satisfies never;
  }
}

const CLIPPED = "\n[clipped: ";

/** Keeps the beginning of a rendered output and states its full length; never splits a surrogate pair. */
export function clipOutput(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maxCharacters - 1)) ? maxCharacters - 1 : maxCharacters;
  return `${text.slice(0, end)}${CLIPPED}${end} of ${text.length} characters; the run keeps the whole output]`;
}

const PATH_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "FILE_NOT_FOUND",
  "PATH_OUTSIDE_WORKSPACE",
  "PERMISSION_DENIED",
]);

const HINTS = [
  "Leave the folder out: a bare name is taken from out/.",
  "List what is there with fs_list.",
  "Ask the person where it is with ask_user.",
  "Once it works, keep the way as a function, so that the next request finds it.",
];

/** Adds hints on how to find the right path to the second path failure of a run that follows no function. */
export function withPathHints(error: ErrorDetail, run: Run): ErrorDetail {
  if (!PATH_FAILURES.has(error.code) || run.functionsUsed.some((use) => use.followed)) return error;
  const before = run.scratchpad.filter(
    ({ observation }) => observation?.error && PATH_FAILURES.has(observation.error.code),
  ).length;
  return before === 1 ? { ...error, suggestions: [...(error.suggestions ?? []), ...HINTS] } : error;
}

/** A JSON value whose texts are clipped to `maxText` characters and lists to `maxItems`; each cut states the full length. */
function clipValue(value: unknown, maxText: number, maxItems = 50): unknown {
  if (typeof value === "string")
    return value.length <= maxText ? value : `${value.slice(0, maxText)}… [${value.length} characters]`;
  if (Array.isArray(value)) {
    const clippedItems = value.slice(0, maxItems).map((item) => clipValue(item, maxText, maxItems));
    return value.length > maxItems ? [...clippedItems, `… [${value.length} items]`] : clippedItems;
  }
  if (typeof value === "object" && value !== null)
    return clipTexts(Object.fromEntries(Object.entries(value)), maxText, maxItems);
  return value;
}

export function clipTexts(
  record: Record<string, unknown>,
  maxText: number,
  maxItems = 50,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, clipValue(value, maxText, maxItems)]),
  );
}
