import type { SkillCard, SkillInput } from "@metahuman/core/contract/skill";
import { exampleOf } from "@metahuman/core/language/grammar/example";
import { compileSkill } from "@metahuman/core/language/grammar/grammar";
import { TrustLevel } from "@metahuman/core/contract/trust";
import { decide } from "@metahuman/core/policy/decide";
import type { Skill } from "./define-skill.ts";
import { argumentShape, type ArgumentShape } from "./read-arguments.ts";
import type { SkillGrammar } from "@metahuman/core/language/grammar/phrase";
import { asText } from "@metahuman/core/text/format";

/** Returns a type name: `string`, `integer`, `string[]`, `string | null`. */
function typeOf(shape: ArgumentShape): string {
  if (shape.anyOf) return [...new Set(shape.anyOf.map(typeOf))].join(" | ");
  if (shape.type === "array") return `${shape.items ? typeOf(shape.items) : "any"}[]`;
  return [shape.type ?? "any"].flat().join(" | ");
}

function allowedBy(shape: ArgumentShape): string[] | undefined {
  const values = shape.enum ?? (shape.const === undefined ? shape.items?.enum : [shape.const]);
  return values?.map(asText);
}

/** Maximum number of enum values in a form; an error lists all. */
const MAX_VALUES = 6;

/** Returns an example or the values of an input; undefined if the type is sufficient. */
function formOf(shape: ArgumentShape): string | undefined {
  if (shape.form !== undefined) return shape.form;
  const [example] = shape.examples ?? [];
  if (example !== undefined) return JSON.stringify(example);
  const inner = shape.anyOf?.map(formOf).find((form) => form !== undefined);
  if (inner !== undefined) return inner;
  if (shape.enum) {
    const values = shape.enum.map(String);
    const range = rangeOf(values);
    if (range !== undefined) return range;
    return [...values.slice(0, MAX_VALUES), ...(values.length > MAX_VALUES ? ["…"] : [])].join("|");
  }
  if (shape.type === "array") return `[${(shape.items && formOf(shape.items)) ?? '"…"'}]`;
  if (shape.properties === undefined) return undefined;
  const fields = Object.entries(shape.properties).map(([name, field]) => {
    const form = formOf(field);
    return form === undefined ? name : `${name}: ${form}`;
  });
  return `{${fields.join(", ")}}`;
}

/** Returns `P0–P3` for consecutive values. */
function rangeOf(values: readonly string[]): string | undefined {
  const [first, last] = [values[0], values.at(-1)];
  const counts =
    values.length > 2 && values.every((value, index) => value === `${value.slice(0, -1)}${String(index)}`);
  return counts && values.every((value) => value.slice(0, -1) === first?.slice(0, -1))
    ? `${String(first)}–${String(last)}`
    : undefined;
}

function inputsOf(skill: Skill): SkillInput[] {
  const { properties = {}, required } = argumentShape(skill.input);
  return Object.entries(properties).map(([name, shape]) => {
    const allowed = allowedBy(shape);
    const form = formOf(shape);
    return {
      name,
      type: typeOf(shape),
      required: required.includes(name),
      ...(shape.description !== undefined && { description: shape.description }),
      ...(allowed && { allowed }),
      ...(form !== undefined && form !== allowed?.join("|") && { form }),
      ...(shape.default !== undefined && { default: shape.default }),
    };
  });
}

/** Maximum number of example phrases on a card. */
const EXAMPLES = 3;

/** Returns sentences that the built-in planner parses as a call of this skill. */
function examplesOf(skill: Skill): string[] {
  const { rules } = compileSkill(skillGrammar(skill));
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

/** The phrases of the skill that a card describes. */
const phrasesOfCards = new WeakMap<SkillCard, Skill["phrases"]>();

/** Returns the words of all phrases of a skill, of which its card shows only a few. */
export function wordsOfPhrases(card: SkillCard): string {
  const phrases = phrasesOfCards.get(card) ?? [];
  const templates = phrases.map((phrase) => (typeof phrase === "string" ? phrase : phrase.template));
  return templates.join(" ").replaceAll(/\{\w+\}|[^\p{L}]+/gu, " ");
}

/** Returns the description of a skill for catalog, page and CLI, generated from its schemas. */
export function skillCard(skill: Skill): SkillCard {
  const card = describe(skill);
  phrasesOfCards.set(card, skill.phrases);
  return card;
}

function describe(skill: Skill): SkillCard {
  return {
    id: skill.id,
    summary: skill.summary,
    category: skill.category,
    effect: skill.effects,
    risk: skill.risk,
    cost: skill.cost,
    trust: leastTrust(skill),
    requiresApproval: skill.requiresApproval,
    ...(skill.asksPerHost && { asksPerHost: true }),
    ...(skill.notes !== undefined && { notes: skill.notes }),
    inputs: inputsOf(skill),
    outputs: Object.keys(skill.output.shape),
    examples: examplesOf(skill),
  };
}

/** Returns the part of a skill that the grammar of the built-in planner uses. */
export function skillGrammar(skill: Skill): SkillGrammar {
  return {
    id: skill.id,
    reads: skill.effects === "read",
    ...(skill.effects !== "read" && skill.risk !== "low" && { isRisky: true }),
    phrases: skill.phrases,
    slots: skill.slots,
    ...(skill.finds && { finds: skill.finds }),
    ...(skill.results && { results: skill.results }),
    ...(skill.answers !== undefined && { answers: skill.answers }),
    ...(skill.keeps !== undefined && { keeps: skill.keeps }),
    ...(skill.views && { views: skill.views }),
    ...(skill.narrow && { narrow: skill.narrow }),
    ...(skill.reverse && { reverse: skill.reverse }),
    ...(skill.amend && { amend: skill.amend }),
    ...(skill.moves && { moves: skill.moves }),
    ...(skill.checks && { checks: skill.checks }),
  };
}
