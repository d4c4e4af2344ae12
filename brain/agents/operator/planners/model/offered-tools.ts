import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import type { Skill } from "@metahuman/skills/define-skill";
import { z } from "zod";
import type { PlanState } from "../../planner.ts";
import type { CatalogSource } from "./catalog.ts";
import { plainSchema } from "./reply.ts";

/** A skill that a planner may call, with the JSON Schema of its arguments in keywords that every server knows. */
export interface OfferedTool {
  id: string;
  summary: string;
  args: Record<string, unknown>;
}

/**
 * The catalog for this run and everything that may be called: what the catalog lists, and what `skill_search` has found
 * since. The catalog itself stays as it was at the first step, so that the prompt keeps its beginning.
 */
export function offeredTools(
  state: Pick<PlanState, "request" | "skills" | "scratchpad">,
  source: CatalogSource,
  budgetTokens: number,
): { text: string; tools: OfferedTool[] } {
  const { text, offered } = source.catalogFor(state.request, budgetTokens);
  const found = foundBySearch(state.scratchpad);
  const tools = state.skills.filter(({ id }) => offered.has(id) || found.has(id)).map(asTool);
  return { text, tools };
}

const Found = z.object({ skills: z.array(z.object({ id: z.string() })) });

function foundBySearch(scratchpad: readonly ScratchpadEntry[]): Set<string> {
  return new Set(
    scratchpad.flatMap(({ action, observation }) => {
      if (action?.tool !== "skill_search") return [];
      const found = Found.safeParse(observation?.outputs);
      return found.success ? found.data.skills.map(({ id }) => id) : [];
    }),
  );
}

const Schema = z.record(z.string(), z.unknown());
/** A skill's schema never changes, and turning it into JSON Schema costs more than the rest of a step. */
const known = new WeakMap<Skill, OfferedTool>();

function asTool(skill: Skill): OfferedTool {
  const tool = known.get(skill) ?? {
    id: skill.id,
    summary: skill.summary,
    args: Schema.parse(plainSchema(z.toJSONSchema(skill.input, { io: "input" }))),
  };
  known.set(skill, tool);
  return tool;
}
