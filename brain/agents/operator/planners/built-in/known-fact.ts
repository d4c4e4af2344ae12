import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { Skill } from "@metahuman/skills/define-skill";
import { records } from "@metahuman/skills/outputs";
import { correctedFacts } from "@metahuman/skills/support/amendment";

/** Words that mark a statement as new, which are not part of the fact. */
const FIRST = /^(?:actually|no|sorry|correction|wait|well|in fact|by the way|btw)[,:]?\s+/iu;
const LAST = /[,\s]+(?:now|by now|these days|nowadays|from now on|instead|actually)$/iu;

/** A look-up of what is remembered about a statement. Undefined if no skill remembers and answers. */
export function factsAbout(statement: string, skills: readonly Skill[]): PlannedCall | undefined {
  const search = skills.find(({ answers, finds }) => answers !== undefined && finds !== undefined);
  if (search?.answers === undefined || skills.every(({ keeps }) => keeps === undefined)) return undefined;
  const call = callOf(search.id, fromRequest({ [search.answers]: plainStatement(statement) }), statement);
  return { ...call, lookup: statement };
}

/** A statement without the words that say that it is new: "the boat is at berth 22". */
const plainStatement = (statement: string): string =>
  statement
    .replace(FIRST, "")
    .replace(LAST, "")
    .replace(/\s+now\s+/iu, " ")
    .trim();

/** A remembered fact, and what it says once a statement has corrected it. */
export interface KnownFact {
  id: string;
  fact: string;
  corrected: string;
}

/** Returns the first remembered fact that contradicts a statement: the same subject and verb with another value. */
export function conflictingFact(
  statement: string,
  outputs: Record<string, unknown>,
  { finds }: Pick<Skill, "finds">,
): KnownFact | undefined {
  const text = plainStatement(statement);
  const talk = new Set(
    records(outputs, "results").flatMap(({ id, type }) => (type === "conversation" ? [id] : [])),
  );
  for (const { id, label: fact } of finds?.candidates(outputs) ?? []) {
    // An exchange is not a fact, although it may have the same words.
    if (talk.has(id)) continue;
    const [corrected, ...others] = correctedFacts(fact, text);
    if (corrected !== undefined && others.length === 0 && corrected !== fact) return { id, fact, corrected };
  }
  return undefined;
}
