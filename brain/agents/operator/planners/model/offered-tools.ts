import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import type { Skill } from "@metahuman/skills/define-skill";
import { z } from "zod";
import { ANSWER_SKILL } from "../../answer/answer-writer.ts";
import type { PlanState } from "../../planner.ts";
import type { Catalog, CatalogSource } from "./catalog.ts";
import { plainSchema } from "./reply.ts";

/** A skill that a planner may call, with the JSON Schema of its arguments in widely supported keywords. */
export interface OfferedTool {
  id: string;
  summary: string;
  args: Record<string, unknown>;
}

type ToolRequest = Pick<PlanState, "request" | "skills" | "scratchpad"> & {
  /** The result of `recentSkills`. */
  recent?: readonly string[];
};

/** How many of the last requests a follow-up may mean, and how many of their skills are listed. */
const RECENT_REQUESTS = 2;
const MAX_RECENT = 6;

/**
 * The skills that the last requests of the conversation used and those that undo what they changed, the newest first. The
 * words of a follow-up, "undo that" or "do the same for Pavel", name none of them.
 */
export async function recentSkills({
  earlier,
  skills,
}: Pick<PlanState, "earlier" | "skills">): Promise<string[]> {
  const requests = (await earlier?.()) ?? [];
  const used = requests.slice(0, RECENT_REQUESTS).flatMap(({ calls }) =>
    calls.toReversed().flatMap(({ skill: id, args, outputs }) => {
      const skill = skills.find((one) => one.id === id);
      if (skill === undefined || outputs === undefined) return [];
      const undoing = skill.reverse?.({ args, outputs }) ?? [];
      return [id, ...undoing.map((call) => call.skill)];
    }),
  );
  return [...new Set(used)].slice(0, MAX_RECENT);
}

/** The maximum number of skills outside the catalog that the schema of the reply allows. */
const MAX_UNLISTED = 64;
const ANY_ARGS = { type: "object" };

/**
 * The catalog of this run and all tools that may be called: those of the catalog, those that `skill_search` has found
 * since, and the other installed skills by name, with any arguments. The answer skill is left out, because a planner ends
 * the run instead. The catalog stays as it was at the first step, so that the prompt keeps its prefix.
 */
export function offeredTools(
  state: ToolRequest,
  source: CatalogSource,
  budgetTokens: number,
): { text: string; tools: OfferedTool[] } {
  const catalog = source.catalogFor(state.request, budgetTokens, { recent: state.recent ?? [] });
  const listed = listedSkills(state, catalog);
  const others = state.skills.filter((skill) => !listed.includes(skill) && skill.id !== ANSWER_SKILL);
  const unlisted = others.length > MAX_UNLISTED ? [] : others;
  return {
    text: catalog.text,
    tools: [
      ...listed.map(grammarTool),
      ...unlisted.map(({ id, summary }) => ({ id, summary, args: ANY_ARGS })),
    ],
  };
}

/**
 * Additional tokens for tools listed as JSON Schema. Their prompts have shorter rules than those with a text catalog, so
 * both kinds of prompts cost the same.
 */
const SCHEMA_SHARE = 1.2;

/** The same for native tool calls: schemas without the parts that a model does not need. */
export function selectFunctions(
  state: ToolRequest,
  source: CatalogSource,
  budgetTokens: number,
): { notes: string; tools: OfferedTool[] } {
  const byId = new Map(state.skills.map((skill) => [skill.id, skill]));
  const costOf = (id: string): number => {
    const skill = byId.get(id);
    return skill ? functionTool(skill).tokens : 0;
  };
  const choice = { recent: state.recent ?? [], costOf };
  const catalog = source.catalogFor(state.request, Math.floor(budgetTokens * SCHEMA_SHARE), choice);
  return {
    notes: catalog.notes,
    tools: listedSkills(state, catalog).map((skill) => functionTool(skill).tool),
  };
}

function listedSkills({ skills, scratchpad }: ToolRequest, { offered }: Catalog): Skill[] {
  const found = foundBySearch(scratchpad);
  return skills.filter(({ id }) => offered.has(id) || found.has(id));
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
/** Cached, because a skill's schema never changes and its conversion costs more than the rest of a step. */
const grammarTools = new WeakMap<Skill, OfferedTool>();
const functionTools = new WeakMap<Skill, { tool: OfferedTool; tokens: number }>();

function grammarTool(skill: Skill): OfferedTool {
  const tool = grammarTools.get(skill) ?? {
    id: skill.id,
    summary: skill.summary,
    args: Schema.parse(plainSchema(jsonSchema(skill))),
  };
  grammarTools.set(skill, tool);
  return tool;
}

function functionTool(skill: Skill): { tool: OfferedTool; tokens: number } {
  const args = functionTools.get(skill)?.tool.args ?? Schema.parse(compactSchema(jsonSchema(skill)));
  const tool = { id: skill.id, summary: skill.summary, args };
  const declared = {
    type: "function",
    function: { name: skill.id, description: skill.summary, parameters: args },
  };
  const known = functionTools.get(skill) ?? { tool, tokens: estimateTokens(JSON.stringify(declared)) };
  functionTools.set(skill, known);
  return known;
}

function jsonSchema(skill: Skill): unknown {
  return z.toJSONSchema(skill.input, { io: "input" });
}

const Node = z.object({
  type: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).default([]),
  items: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
});

const MANY_VALUES = 8;

/** Optional arguments that are rarely needed: limits, counts, sizes, choices among many kinds. */
const isTuning = (property: unknown): boolean => {
  const { type, default: preset, items } = Node.parse(property);
  const values = items === undefined ? undefined : Node.parse(items).enum;
  return (type === "integer" && preset !== undefined) || (values?.length ?? 0) > MANY_VALUES;
};

/** The parts of a schema that a model needs: types, allowed values, required fields, and formats. */
function compactSchema(schema: unknown): unknown {
  const { type, properties, required, items, enum: values, anyOf, examples } = Node.parse(schema);
  const branch = anyOf?.find((one) => Node.parse(one).type !== "null");
  if (branch !== undefined && examples === undefined) return compactSchema(branch);
  return {
    type: type ?? (branch === undefined ? undefined : Node.parse(branch).type),
    ...(values && { enum: values }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties)
          .filter(([name, property]) => required.includes(name) || !isTuning(property))
          .map(([name, property]) => [name, compactSchema(property)]),
      ),
    }),
    ...(required.length > 0 && { required }),
    ...(items !== undefined && { items: compactSchema(items) }),
    ...(examples && examples.length > 0 && { description: JSON.stringify(examples[0]) }),
  };
}
