import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import type { Skill } from "@metahuman/skills/define-skill";
import { z } from "zod";
import { ANSWER_SKILL } from "../../answer/answer-writer.ts";
import type { PlanState } from "../../planner.ts";
import type { Catalog, CatalogSource } from "./catalog.ts";
import { plainSchema } from "./reply.ts";

/** A skill that a planner may call, with the JSON Schema of its arguments in keywords that every server knows. */
export interface OfferedTool {
  id: string;
  summary: string;
  args: Record<string, unknown>;
}

type Asked = Pick<PlanState, "request" | "skills" | "scratchpad">;

/** So many skills that the catalog does not list are still named to a server that constrains the reply. */
const MOST_UNLISTED = 64;
const ANY_ARGS = { type: "object" };

/**
 * The catalog for this run and everything that may be called: what the catalog lists, what `skill_search` has found
 * since, and by name alone, with any arguments, what is installed besides, but for the skill that answers: a planner
 * finishes instead. The catalog itself stays as it was at the first step, so that the prompt keeps its beginning.
 */
export function offeredTools(
  state: Asked,
  source: CatalogSource,
  budgetTokens: number,
): { text: string; tools: OfferedTool[] } {
  const catalog = source.catalogFor(state.request, budgetTokens);
  const listed = listedSkills(state, catalog);
  const others = state.skills.filter((skill) => !listed.includes(skill) && skill.id !== ANSWER_SKILL);
  const unlisted = others.length > MOST_UNLISTED ? [] : others;
  return {
    text: catalog.text,
    tools: [
      ...listed.map(grammarTool),
      ...unlisted.map(({ id, summary }) => ({ id, summary, args: ANY_ARGS })),
    ],
  };
}

/**
 * Prompts in which tools are listed as JSON Schema have shorter rules than those that list them as text: this much more
 * than the catalog's budget may go to the schemas, so that both kinds of prompt cost the same.
 */
const SCHEMA_SHARE = 1.2;

/** The same for native tool calls: schemas without what a model does not need to fill them in. */
export function selectFunctions(
  state: Asked,
  source: CatalogSource,
  budgetTokens: number,
): { notes: string; tools: OfferedTool[] } {
  const byId = new Map(state.skills.map((skill) => [skill.id, skill]));
  const costOf = (id: string): number => {
    const skill = byId.get(id);
    return skill ? functionTool(skill).tokens : 0;
  };
  const catalog = source.catalogFor(state.request, Math.floor(budgetTokens * SCHEMA_SHARE), costOf);
  return {
    notes: catalog.notes,
    tools: listedSkills(state, catalog).map((skill) => functionTool(skill).tool),
  };
}

function listedSkills({ skills, scratchpad }: Asked, { offered }: Catalog): Skill[] {
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
/** A skill's schema never changes, and turning it into JSON Schema costs more than the rest of a step. */
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

/** What nobody needs to set: a limit, a count, a size, a choice among many kinds. */
const isTuning = (property: unknown): boolean => {
  const { type, default: preset, items } = Node.parse(property);
  const values = items === undefined ? undefined : Node.parse(items).enum;
  return (type === "integer" && preset !== undefined) || (values?.length ?? 0) > MANY_VALUES;
};

/** What it takes to fill a schema in: types, allowed values, what is required, and a form that the type does not show. */
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
