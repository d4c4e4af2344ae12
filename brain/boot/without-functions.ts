import type { ContextSources } from "@metahuman/core/context/build-context-package";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { installedSkills } from "@metahuman/skills/installed";

const FUNCTION_SKILLS: ReadonlySet<string> = new Set(
  installedSkills.filter(({ category }) => category === "functions").map(({ id }) => id),
);
const NAMED = new RegExp(`\\b(?:${[...FUNCTION_SKILLS].join("|")})\\b`, "u");

/** True for what only makes sense where functions take part: uses of their skills, texts that name those, habits to freeze. */
export function isAboutFunctions({ type, content, metadata }: MemoryRecord): boolean {
  if (type === "pattern" || type === "function_usage") return true;
  return FUNCTION_SKILLS.has(metadata.toolName ?? "") || NAMED.test(content);
}

/** Recalls as if functions did not exist. */
export function recallWithoutFunctions({ recall }: ContextSources["memory"]): ContextSources["memory"] {
  return {
    recall: async (query, signal) =>
      (await recall(query, signal)).filter(({ memory }) => !isAboutFunctions(memory)),
  };
}
