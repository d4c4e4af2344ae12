import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import type { Skill } from "@metahuman/skills/define-skill";

/** `${path}`, `${steps.1.path}`, `{path}`: the placeholders of a template. */
const PLACEHOLDER = /\$?\{\s*[\p{L}_][\p{L}\p{N}_.]*\s*\}/gu;
const TEMPLATE_VALUE = /\$\{\s*[\p{L}_][\p{L}\p{N}_.]*\s*\}/u;
/** Arguments whose text may be a template itself: a script, a letter with fields. */
const PROSE = new Set(["content", "text", "description", "find", "item", "end"]);
const PATHS = new Set(["path", "from", "to"]);

/**
 * Throws `InvalidArgsError` for an argument with a placeholder of a guide that the model did not fill in. Written text
 * may contain placeholders but not consist of them. Words of the person are not placeholders.
 */
export function assertFilled(
  { id, category }: Pick<Skill, "id" | "category">,
  args: Record<string, unknown>,
  request: string,
): void {
  // The steps of functions and code are templates.
  if (category === "functions" || id === "execute_code") return;
  for (const { place, value } of leavesOf(args)) {
    if (typeof value !== "string") continue;
    const [found] = value.match(PLACEHOLDER) ?? [];
    if (found === undefined || request.includes(found)) continue;
    const [name = place] = place.split(".");
    const isOnlyPlaceholders = !/[\p{L}\p{N}]/u.test(value.replaceAll(PLACEHOLDER, ""));
    const isIncomplete = PATHS.has(name) || (!PROSE.has(name) && TEMPLATE_VALUE.test(value));
    if (!isOnlyPlaceholders && !isIncomplete) continue;
    throw new InvalidArgsError(`${id}: ${name} still has the placeholder ${found}.`, {
      suggestions: ["Fill it in: write the value itself, from the request or from an observation."],
      context: { argument: name },
    });
  }
}
