import type { SkillCard, SkillInput } from "@metahuman/core/contract/skill";
import { exampleOf } from "@metahuman/core/language/example";
import { compileSkill } from "@metahuman/core/language/grammar";
import { TrustLevel } from "@metahuman/core/contract/trust";
import { decide } from "@metahuman/core/policy/decide";
import { z } from "zod";
import type { Skill } from "./define-skill.ts";
import { skillSpeech } from "./speech.ts";

/** The parts of a JSON schema that say what one argument is. */
const Shape = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  get items() {
    return Shape.optional();
  },
  get anyOf() {
    return z.array(Shape).optional();
  },
});
type Shape = z.infer<typeof Shape>;

const InputSchema = z.object({
  properties: z.record(z.string(), Shape).default({}),
  required: z.array(z.string()).default([]),
});

/** `string`, `integer`, `string[]`, `string | null`. */
function typeOf(shape: Shape): string {
  if (shape.anyOf) return [...new Set(shape.anyOf.map(typeOf))].join(" | ");
  if (shape.type === "array") return `${shape.items ? typeOf(shape.items) : "any"}[]`;
  return [shape.type ?? "any"].flat().join(" | ");
}

function allowedBy(shape: Shape): string[] | undefined {
  const values = shape.enum ?? (shape.const === undefined ? shape.items?.enum : [shape.const]);
  return values?.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
}

function inputsOf(skill: Skill): SkillInput[] {
  const { properties, required } = InputSchema.parse(z.toJSONSchema(skill.input, { io: "input" }));
  return Object.entries(properties).map(([name, shape]) => {
    const allowed = allowedBy(shape);
    return {
      name,
      type: typeOf(shape),
      required: required.includes(name),
      ...(shape.description !== undefined && { description: shape.description }),
      ...(allowed && { allowed }),
      ...(shape.default !== undefined && { default: shape.default }),
    };
  });
}

/** How many ways to ask are shown. */
const EXAMPLES = 3;

/** Sentences that the built-in planner reads as a call of this skill. */
function examplesOf(skill: Skill): string[] {
  const { rules } = compileSkill(skillSpeech(skill));
  return [...new Set(rules.map((rule) => exampleOf(rule)))].slice(0, EXAMPLES);
}

function leastTrust({ id, effects, risk, requiresApproval }: Skill): TrustLevel | null {
  const call = { skill: id, effect: effects, risk, requiresApproval, paths: [], hosts: [] };
  const level = TrustLevel.options.find((trustLevel) => {
    const policy = { mode: "dual" as const, trustLevel, grants: [], now: new Date(0) };
    return decide(call, policy).decision === "allow";
  });
  return level ?? null;
}

/** A skill as catalog, page and CLI describe it; made from its schemas, so that it cannot say anything else. */
export function skillCard(skill: Skill): SkillCard {
  return {
    id: skill.id,
    summary: skill.summary,
    category: skill.category,
    effect: skill.effects,
    risk: skill.risk,
    cost: skill.cost,
    trust: leastTrust(skill),
    requiresApproval: skill.requiresApproval,
    ...(skill.notes !== undefined && { notes: skill.notes }),
    inputs: inputsOf(skill),
    outputs: Object.keys(skill.output.shape),
    examples: examplesOf(skill),
  };
}
