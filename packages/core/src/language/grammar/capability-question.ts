import type { Clause } from "./clauses.ts";
import { startsCommand, rulesFrom, type Grammar } from "./grammar.ts";
import { nearestSkills } from "./nearest-skills.ts";
import type { Token } from "../tokens/tokens.ts";
import { FUNCTION_WORDS } from "../tokens/words.ts";

/** Words that ask about possibility and carry no topic. */
const POSSIBILITY = /^(?:able|possible|way)$/;
const MAX_SKILLS = 3;
/** A question about an ability has few content words. */
const MAX_QUESTION_WORDS = 6;
/** Skills that score within this margin of the best match are included. */
const SCORE_MARGIN = 0.15;

/** True for a question about what the assistant can do: "how do I …", "can you …". */
export function asksAboutCapability(
  tokens: readonly Token[],
  { from, to, asksAbility }: Clause & { kind: "question" },
): boolean {
  const words = tokens.slice(from, to).filter((token) => token.kind === "word");
  const head = words.slice(0, 3).map((token) => token.text);
  return (
    asksAbility ||
    /^how (?:do|does|can|could|would|should|might|to)\b/.test(head.join(" ")) ||
    /^(?:is|are) (?:it|there|you) (?:possible|able|an?)\b/.test(head.join(" "))
  );
}

/**
 * Returns the ids of the skills that a question names by the first word of one of their phrases; empty if it names
 * none.
 */
export function skillsInQuestion(grammar: Grammar, tokens: readonly Token[]): string[] {
  const content = tokens.filter(
    ({ kind, text }) => kind === "word" && !FUNCTION_WORDS.has(text) && !POSSIBILITY.test(text),
  );
  const known = content.filter(
    (token) => grammar.stems.has(token.stem) || grammar.correctWord(token) !== undefined,
  );
  if (known.length === 0 || (known.length < content.length && known.length < 2)) return [];
  // "Can you make the pancakes for double, just tell me how much flour" asks for something, and not what can be done.
  if (content.length - known.length > 1 && content.length > MAX_QUESTION_WORDS) return [];
  const candidates = new Set(
    content
      .filter((token) => startsCommand(grammar, token))
      .flatMap((token) => rulesFrom(grammar, token))
      .filter((rule) => !grammar.beginningWithSlot.includes(rule))
      .map((rule) => rule.skill.id),
  );
  const near = nearestSkills(grammar, tokens).filter(
    ({ skill, score }) => candidates.has(skill.id) && score > 0,
  );
  return near
    .filter(({ score }) => score > (near[0]?.score ?? 0) - SCORE_MARGIN)
    .slice(0, MAX_SKILLS)
    .map(({ skill }) => skill.id);
}
