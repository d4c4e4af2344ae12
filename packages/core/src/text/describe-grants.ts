import type { SkillCard } from "../contract/skill.ts";
import { uncapitalize } from "./format.ts";

/** What a run may do without asking if it only reads. */
export const NO_CHANGES = "nothing that makes changes";

/** The number of permitted actions that a sentence lists one by one. */
const MAX_LISTED = 5;

/**
 * What an automation may do without asking, in words: "write a text file; create a task". Lists only what makes changes
 * or leaves the machine, because reading needs no permission; running its own function is left out. With more than five
 * actions, only their number.
 */
export function describeGrants(
  grants: readonly string[],
  cards: readonly Pick<SkillCard, "id" | "summary" | "effect">[],
): string {
  const permitted = cards.filter(
    ({ id, effect }) => grants.includes(id) && effect !== "read" && id !== "function_run",
  );
  if (permitted.length === 0) return NO_CHANGES;
  if (permitted.length > MAX_LISTED)
    return `all ${permitted.length} kinds of changes that its trust level allows`;
  return permitted
    .map(({ summary }) => uncapitalize(summary.replace(/[,:] into the archive$/u, "")))
    .join("; ");
}
