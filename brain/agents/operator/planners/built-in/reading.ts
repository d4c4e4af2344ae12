import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { SkillGrammar } from "@metahuman/core/language/grammar/phrase";
import type { Interpretation } from "@metahuman/core/language/grammar/plan";
import { readRequest } from "@metahuman/core/language/read-request";
import type { Skill } from "@metahuman/skills/define-skill";
import { skillGrammar } from "@metahuman/skills/skill-card";

/** One list of grammars for each list of skills, because the compiled grammar is stored by that list. */
const listsOfGrammars = new WeakMap<readonly Skill[], readonly SkillGrammar[]>();

/** The parts of these skills that the grammar uses; the same list for the same skills. */
export function grammarOfSkill(skills: readonly Skill[]): readonly SkillGrammar[] {
  const known = listsOfGrammars.get(skills) ?? skills.map(skillGrammar);
  listsOfGrammars.set(skills, known);
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
  const skillGrammars = grammarOfSkill(skills);
  const last = lastRead.get(skillGrammars);
  const at = requestedAt.getTime();
  if (last?.request === request && last.at === at && last.timeZone === timeZone) return last.alone;
  const alone = readRequest(request, skillGrammars, { now: requestedAt, timeZone });
  lastRead.set(skillGrammars, { request, at, timeZone, alone });
  return alone;
}

/** What a request means to the built-in planner. */
export async function readingOf({ earlier, ...asked }: Asked): Promise<Interpretation> {
  const alone = readAlone(asked);
  if (earlier === undefined || !mayLeanOnEarlier(alone)) return alone;
  const { request, requestedAt, timeZone, skills } = asked;
  const skillGrammars = grammarOfSkill(skills);
  return readRequest(request, skillGrammars, { now: requestedAt, timeZone, earlier: await earlier() });
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
