import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { SkillGrammar } from "@metahuman/core/language/grammar/phrase";
import type { Interpretation } from "@metahuman/core/language/grammar/plan";
import { readRequest } from "@metahuman/core/language/read-request";
import type { Skill } from "@metahuman/skills/define-skill";
import { skillGrammar } from "@metahuman/skills/skill-card";

/** One speech for one list of skills: what the grammar is compiled from is remembered by it. */
const speeches = new WeakMap<readonly Skill[], readonly SkillGrammar[]>();

/** What the grammar knows of these skills. */
export function grammarOfSkill(skills: readonly Skill[]): readonly SkillGrammar[] {
  const known = speeches.get(skills) ?? skills.map(skillGrammar);
  speeches.set(skills, known);
  return known;
}

/** A request with what it takes to read it. */
export interface Asked {
  request: string;
  requestedAt: Date;
  timeZone: string;
  /** The skills that may be called. */
  skills: readonly Skill[];
  /** What was asked before in the same conversation, the newest first; looked up only for words that need it. */
  earlier?: () => Promise<readonly EarlierRequest[]>;
}

/** The last request that was read, by the skills it was read for: functions and planners read the same one in turn. */
const lastRead = new WeakMap<
  readonly SkillGrammar[],
  Pick<Asked, "request" | "timeZone"> & { at: number; alone: Interpretation }
>();

/** What a request means by itself, whatever was asked before. */
export function readAlone({
  request,
  requestedAt,
  timeZone,
  skills,
}: Omit<Asked, "earlier">): Interpretation {
  const speech = grammarOfSkill(skills);
  const last = lastRead.get(speech);
  const at = requestedAt.getTime();
  if (last?.request === request && last.at === at && last.timeZone === timeZone) return last.alone;
  const alone = readRequest(request, speech, { now: requestedAt, timeZone });
  lastRead.set(speech, { request, at, timeZone, alone });
  return alone;
}

/** What a request means to the built-in planner. */
export async function readingOf({ earlier, ...asked }: Asked): Promise<Interpretation> {
  const alone = readAlone(asked);
  if (earlier === undefined || !mayLeanOnEarlier(alone)) return alone;
  const { request, requestedAt, timeZone, skills } = asked;
  const speech = grammarOfSkill(skills);
  return readRequest(request, speech, { now: requestedAt, timeZone, earlier: await earlier() });
}

/** True when words of the request stand for something that it does not name itself. */
export function leansOnEarlier(alone: Interpretation): boolean {
  return alone.kind === "not-understood" && alone.dangling !== undefined;
}

/** True when the request may mean more after the earlier ones: a correction, an answer, "it", "undo that". */
function mayLeanOnEarlier(alone: Interpretation): boolean {
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
