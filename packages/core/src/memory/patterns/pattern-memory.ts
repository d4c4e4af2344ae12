import { createHash } from "node:crypto";
import { z } from "zod";
import type { FunctionParameter, NewFunction } from "../../contract/function.ts";
import { Timestamp } from "../../contract/ids.ts";
import type { MemoryRecord, NewMemory } from "../../contract/memory.ts";
import { capitalize, formatCount, oneLine, truncateLine } from "../../text/format.ts";
import { commonWords, similarity } from "./align.ts";
import type { FoundPattern } from "./find-patterns.ts";
import { requestWords } from "./request-words.ts";
import { contentStems, contentWords } from "../../text/words.ts";
import { isCommon } from "../../functions/learning/prompt-spans.ts";

/** The metadata of a `pattern` memory under `pattern`. */
export const PatternFacts = z.object({
  /** Stays the same when the template changes. */
  key: z.string(),
  template: z.string(),
  /** What repeats. */
  kind: z.enum(["request", "observation"]).default("request"),
  slots: z.array(z.object({ name: z.string(), kind: z.string(), values: z.array(z.string()) })),
  skills: z.array(z.string()),
  examples: z.array(z.object({ id: z.string(), request: z.string() })),
  occurrences: z.int().positive(),
  confidence: z.number().min(0).max(1),
  firstSeen: Timestamp,
  lastSeen: Timestamp,
  /** The context that all occurrences share. */
  context: z.record(z.string(), z.string()),
  /** The id of the last counted interaction. */
  countedThrough: z.string(),
  /** When an answer offered to make it a function. */
  offeredAt: Timestamp.optional(),
});
export type PatternFacts = z.infer<typeof PatternFacts>;

/** The facts of a mined `pattern` memory; undefined for other memories. */
export function patternFacts({
  type,
  metadata,
}: Pick<MemoryRecord, "type" | "metadata">): PatternFacts | undefined {
  return type === "pattern" ? PatternFacts.safeParse(metadata["pattern"]).data : undefined;
}

/** The tag that identifies a mined pattern. */
export function keyTag(key: string): string {
  return `pattern:${key}`;
}

const EXAMPLES = 5;
const MAX_EXAMPLE_LENGTH = 300;
/** The minimum similarity of the templates of one pattern as it grows. */
const SAME = 0.6;

/** Whether a found pattern is a known one: equal kind and skills, and a shared example or a similar template. */
export function isSamePattern(known: PatternFacts, found: FoundPattern): boolean {
  if (known.kind !== found.kind || known.skills.join("\n") !== found.skills.join("\n")) return false;
  const ids = new Set(found.members.map(({ id }) => id));
  if (known.examples.some(({ id }) => ids.has(id))) return true;
  return similarity(requestWords(known.template), requestWords(found.text)) >= SAME;
}

/**
 * Updates a pattern's facts from a found pattern. Counts each occurrence once; returns undefined if there is no new one.
 */
export function updatedFacts(found: FoundPattern, known?: PatternFacts): PatternFacts | undefined {
  const fresh = known ? found.members.filter(({ id }) => id > known.countedThrough) : found.members;
  const [first] = found.members;
  const last = fresh.at(-1);
  if (!first || !last) return undefined;
  const examples = found.members
    .slice(0, EXAMPLES)
    .map(({ id, request }) => ({ id, request: truncateLine(request, MAX_EXAMPLE_LENGTH) }));
  const occurrences = (known?.occurrences ?? 0) + fresh.length;
  return {
    key: known?.key ?? keyOf(found),
    template: found.text,
    kind: found.kind,
    slots: found.slots.map(({ name, kind, values }) => ({
      name,
      kind,
      values: values.map((text) => truncateLine(text, MAX_EXAMPLE_LENGTH)),
    })),
    skills: [...found.skills],
    examples: known ? mergeExamples(known.examples, examples) : examples,
    occurrences,
    // Grows with cohesion and with the number of occurrences; stays below 1.
    confidence: Math.round(found.cohesion * (1 - 1 / (1 + occurrences)) * 100) / 100,
    firstSeen: known?.firstSeen ?? first.at,
    lastSeen: last.at,
    context: sharedContext(found.members.map(({ context }) => context)),
    countedThrough: last.id,
    ...(known?.offeredAt !== undefined && { offeredAt: known.offeredAt }),
  };
}

/** The memory of a pattern, described from its facts alone. */
export function patternMemory(
  facts: PatternFacts,
): Required<Pick<NewMemory, "content" | "tags" | "metadata">> {
  const { template, kind, occurrences, skills, examples } = facts;
  const what = kind === "request" ? "asked" : "noted";
  const after = skills.length > 0 ? `; ${skills.join(", then ")} followed` : "";
  const exampleLines = examples.map(({ request }) => `- ${request}`);
  return {
    content: [
      `“${template}” was ${what} ${occurrences} times${after}.`,
      "For example:",
      ...exampleLines,
    ].join("\n"),
    tags: ["pattern", keyTag(facts.key)],
    metadata: { pattern: facts },
  };
}

/** The request that makes a function of a pattern: what an answer suggests, and `function_from_pattern` understands. */
export function patternOffer({ template, occurrences }: PatternFacts): string {
  return `You asked “${template}” ${formatCount(occurrences, "time")}: make it a function`;
}

/** True for the request that `patternOffer` returns. */
export const isPatternOffer = (request: string): boolean =>
  /^You asked “.+” [\d,]+ times: make it a function$/su.test(request);

/** The template in an offer, or in any words that quote it. */
export function quotedTemplate(words: string): string {
  return (/“([^“”]+)”/u.exec(words)?.[1] ?? /^\s*"([^"]+)"\s*$/u.exec(words)?.[1] ?? words).trim();
}

/** Whether a template is the same as a pattern's, apart from case and spacing. */
export function isTemplateOf({ template }: PatternFacts, words: string): boolean {
  const plain = (text: string): string => oneLine(text).toLowerCase();
  return plain(template) === plain(quotedTemplate(words));
}

/** The minimum share of the words of the shorter template that both have. */
const SAME_HABIT = 0.5;

/** True for patterns of the same skills that are about the same: another wording of what a person asks for. */
export function isSameHabit(one: PatternFacts, other: PatternFacts): boolean {
  if (one.skills.join("\n") !== other.skills.join("\n")) return false;
  const [words, others] = [subjectOf(one), subjectOf(other)];
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared > 0 && shared / Math.min(words.size, others.size) >= SAME_HABIT;
}

/** The stems of the words that tell what a template is about, without slots, kinds of things and verbs. */
const subjectOf = ({ template }: PatternFacts): ReadonlySet<string> =>
  contentStems(
    contentWords(template.replaceAll(/\{\w+\}/gu, " "))
      .filter((word) => !isCommon(word))
      .join(" "),
  );

function keyOf({ kind, skills, text, members }: FoundPattern): string {
  // Derived from the first two members, so the same interactions give the same key in every process.
  const [one, other] = members;
  const shape = commonWords(requestWords(one?.request ?? text), requestWords(other?.request ?? text));
  const name = [...(kind === "request" ? [] : [kind]), ...skills, ...shape.map(({ key }) => key)].join("\n");
  return createHash("sha256").update(name).digest("hex").slice(0, 16);
}

function mergeExamples(
  known: PatternFacts["examples"],
  found: PatternFacts["examples"],
): PatternFacts["examples"] {
  const ids = new Set(known.map(({ id }) => id));
  return [...known, ...found.filter(({ id }) => !ids.has(id))].slice(0, EXAMPLES);
}

function sharedContext(contexts: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const [first = {}, ...others] = contexts;
  return Object.fromEntries(
    Object.entries(first).filter(([key, value]) => others.every((other) => other[key] === value)),
  );
}

/** The parameter type for each form of a pattern's slot. */
const TYPES: Readonly<Record<string, FunctionParameter["type"]>> = {
  file: "path",
  date: "date",
  number: "number",
};

/**
 * The draft of a guide for a repeated request: the skills become steps, the slots parameters, the requests examples.
 * `summaryOf` describes a skill. The pattern's tag identifies the guide later.
 */
export function functionFromPattern(
  { key, template, slots, skills, examples, occurrences }: PatternFacts,
  summaryOf: (skill: string) => string,
): NewFunction {
  return {
    title: titled(template),
    summary: `Asked ${occurrences} times: “${template}”.`.slice(0, 2_000),
    tags: [keyTag(key)],
    steps: skills.map((skill) => `${summaryOf(skill)} (${skill})`),
    skillsUsed: [...new Set(skills)],
    examples: examples.map(({ request }) => ({ prompt: request, skillSequence: skills })),
    parameters: slots.map(({ name, kind, values }) => ({
      name,
      type: TYPES[kind] ?? "string",
      description: values.length > 0 ? `For example: ${values.slice(0, 3).join(", ")}` : "",
      required: true,
    })),
    kind: "guide",
  };
}

function titled(template: string): string {
  const words = template.replaceAll(/\{\w+\}/gu, "…").trim();
  return capitalize(words).slice(0, 200);
}
