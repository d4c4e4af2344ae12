import { setImmediate } from "node:timers/promises";
import type { SkillGrammar } from "@metahuman/core/language/grammar/phrase";
import type { Interpretation } from "@metahuman/core/language/grammar/plan";
import { type InterpretationOptions, readRequest } from "@metahuman/core/language/read-request";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { Skill } from "@metahuman/skills/define-skill";
import { skillGrammar } from "@metahuman/skills/skill-card";

/** One list of grammars for each list of skills, because the compiled grammar is stored by that list. */
const listsOfGrammars = new WeakMap<readonly Skill[], readonly SkillGrammar[]>();

/** The grammars of the skills; the same list for the same skills. */
export function grammarsOf(skills: readonly Skill[]): readonly SkillGrammar[] {
  const known = listsOfGrammars.get(skills) ?? skills.map(skillGrammar);
  listsOfGrammars.set(skills, known);
  return known;
}

/** An interpretation, and what it was made from. */
interface KeptReading {
  request: string;
  options: InterpretationOptions;
  interpretation: Interpretation;
}

/** For one list of skills. */
const MAX_KEPT = 32;
/** The maximum length of all requests whose interpretations are kept: the longest one, which takes longest to read, and some others. */
const MAX_KEPT_LENGTH = 250_000;
const LONG = 1_000;
const keptReadings = new WeakMap<readonly SkillGrammar[], KeptReading[]>();

/**
 * The interpretation of a request, which is the same for the same options. A run asks for that of its request where its recipe is looked
 * for, where its planner is chosen and at each step, and for those of its parts and rewordings. It is not passed on, because the planner
 * has no state: a run may resume in another process. Half of the interpretations that a run asks for were made before and are kept here.
 */
function interpret(
  request: string,
  skills: readonly Skill[],
  options: Pick<InterpretationOptions, "now" | "timeZone" | "earlier">,
): Interpretation {
  const skillGrammars = grammarsOf(skills);
  const kept = keptReadings.get(skillGrammars) ?? [];
  keptReadings.set(skillGrammars, kept);
  const same = kept.find(
    (one) =>
      one.request === request &&
      one.options.now.getTime() === options.now.getTime() &&
      one.options.timeZone === options.timeZone &&
      one.options.earlier === options.earlier,
  );
  if (same) return same.interpretation;
  const interpretation = readRequest(request, skillGrammars, options);
  kept.unshift({ request, options, interpretation });
  let length = 0;
  const tooMany = kept.findIndex((one) => (length += one.request.length) > MAX_KEPT_LENGTH);
  kept.splice(tooMany < 0 ? MAX_KEPT : Math.min(tooMany, MAX_KEPT));
  return interpretation;
}

/** A request with the data that its interpretation needs. */
export interface RequestToRead {
  request: string;
  requestedAt: Date;
  timeZone: string;
  /** The skills that may be called. */
  skills: readonly Skill[];
  /** Earlier requests of the conversation, newest first; loaded only if the request refers to them. */
  earlier?: () => Promise<readonly EarlierRequest[]>;
}

/** The interpretation of a request without the conversation. */
export function interpretAlone({
  request,
  requestedAt,
  timeZone,
  skills,
}: Omit<RequestToRead, "earlier">): Interpretation {
  return interpret(request, skills, { now: requestedAt, timeZone });
}

/** The interpretation of a request in its conversation. */
export async function interpretRequest({ earlier, ...asked }: RequestToRead): Promise<Interpretation> {
  const alone = interpretAlone(asked);
  if (earlier === undefined || !mayReferToEarlier(alone)) return alone;
  const { request, requestedAt, timeZone, skills } = asked;
  const before = await earlier();
  // Other requests are answered between two readings of a long one.
  if (request.length > LONG) await setImmediate();
  return interpret(request, skills, { now: requestedAt, timeZone, earlier: before });
}

/** True if earlier requests may complete the request: a correction, an answer, "it", "undo that". */
function mayReferToEarlier(alone: Interpretation): boolean {
  switch (alone.kind) {
    case "not-understood":
    case "refrain":
      return true;
    case "small-talk":
      return alone.topic === "undo";
    case "plan":
      return alone.calls.some(({ args }) => Object.values(args).some(({ from }) => from === "answer"));
    case "ambiguous":
    case "empty":
    case "clock":
    case "capabilities":
      return false;
    default:
      return alone satisfies never;
  }
}
