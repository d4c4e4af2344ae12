import type { RelevantFunction } from "@metahuman/core/contract/context";
import type { FunctionParameter } from "@metahuman/core/contract/function";
import type { Reading } from "@metahuman/core/contract/run";
import type { PlannedCall, PlannedValue } from "@metahuman/core/language/grammar/plan";
import { slugify } from "@metahuman/core/text/slug";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlannerDecision, PlanState, Step } from "../../planner.ts";
import { ASK_SKILL, type CallToMake, follow } from "./follow.ts";
import { actingThought, askingThought, quote, sentences, THOUGHTS } from "./phrasing.ts";
import { report } from "./report.ts";
import { expandPlan, type Question } from "./resolve.ts";

/** What the answer of a plan says before its results. */
interface BeforeResults {
  /** The earlier request that the plan repeats. */
  repeats?: string | undefined;
  /** Clauses of the request that ask for nothing. */
  remarks?: readonly string[];
  /** Sentences about what was taken for granted. */
  assumed?: readonly string[];
}

/** The decision about a plan: its next call, a question about one of its values, or the answer at its end. */
export function stepOf(
  planned: readonly PlannedCall[],
  { scratchpad, skills, deniedSkills, context, timeZone, locale }: PlanState,
  { repeats, remarks = [], assumed = [] }: BeforeResults = {},
): PlannerDecision {
  const { calls: first, followed } = completeFromFunctions(planned, context?.relevantFunctions ?? [], skills);
  const calls = expandPlan(first, scratchpad, skills, deniedSkills);
  const position = follow(calls, scratchpad, skills, { timeZone, locale });
  switch (position.kind) {
    case "act": {
      const step = ({ call, action }: CallToMake, taken?: string): Step => {
        const skill = skills.find((candidate) => candidate.id === call.skill);
        const guide = followed.get(call);
        const thought = actingThought(call, skill, action, taken);
        if (!guide) return { thought, action };
        const guidedThought = `${thought} What was left out is done as in ${quote(guide.title)}.`;
        return { thought: guidedThought, action, functionId: guide.id };
      };
      const parallel = position.parallel.map((one) => step(one));
      return { kind: "act", ...step(position, position.taken), ...(parallel.length > 0 && { parallel }) };
    }
    case "ask":
      return ask(withKind(position.question, skills), askingThought(position.call, position.question));
    case "end": {
      const reported = report(position.outcomes, skills, { timeZone, locale });
      const remarksBefore = [
        ...assumed,
        ...assumptionsOf(calls, reported.text, repeats),
        ...remarks.map(sentences.remark),
      ];
      const text = [...remarksBefore, reported.text].join("\n\n");
      const verbatim = reported.verbatim && remarksBefore.length === 0;
      return {
        kind: "answer",
        thought: THOUGHTS.end,
        style: "strict",
        text,
        verbatim,
        outcome: reported.outcome,
        isUnanswered: reported.isUnanswered,
        suggestions: reported.suggestions,
      };
    }
    default:
      return position satisfies never;
  }
}

/**
 * Assumptions from the conversation that the answer does not show: the meaning of "it", and the request that was
 * repeated.
 */
function assumptionsOf(calls: readonly PlannedCall[], text: string, repeats: string | undefined): string[] {
  const meant = new Map<string, string[]>();
  const unnamed = new Set<string>();
  for (const { args, clause } of calls) {
    for (const value of Object.values(args)) {
      const [only, ...others] = value.from === "earlier" ? value.candidates : [];
      if (value.from !== "earlier" || only === undefined || others.length > 0 || text.includes(only.label))
        continue;
      // "Which rows are over 100?" has no word for the table that it is about.
      if (value.mention === clause) unnamed.add(only.label);
      else meant.set(value.mention, [...(meant.get(value.mention) ?? []), only.label]);
    }
  }
  return [
    ...(repeats === undefined ? [] : [sentences.repeated(repeats)]),
    ...(unnamed.size === 0 ? [] : [sentences.about([...unnamed])]),
    ...[...meant].map(([words, labels]) => sentences.meant(words, labels)),
  ];
}

/** Asks the person a question, and continues with the reply. */
export function ask(
  { question, kind, options }: Question,
  thought: string,
): Extract<PlannerDecision, { kind: "act" }> {
  const action = { tool: ASK_SKILL, args: { question, options: [...options] } };
  return { kind: "act", thought, ...(kind && { asks: kind }), action };
}

/** The types of slots that accept any words. */
const WORDS: ReadonlySet<string | undefined> = new Set(["text", "wording", "title", "query"]);

/** The question with its kind: phrases ask for values of slots that accept any words. */
export function withKind(asked: Question, skills: readonly Skill[]): Question {
  const isOfWords = skills.some(({ phrases, slots }) =>
    phrases.some((phrase) => {
      if (typeof phrase === "string") return false;
      return Object.entries(phrase.asks ?? {}).some(([name, question]) => {
        const slot = phrase.slots?.[name] ?? slots[name];
        return question === asked.question && WORDS.has(typeof slot === "string" ? slot : slot?.type);
      });
    }),
  );
  return isOfWords ? { kind: "words", ...asked } : asked;
}

/** The decision with the reading that it comes from, which its thoughts tell in this sentence. Answers stay as they are. */
export function withReading(decision: PlannerDecision, reading: Reading, sentence: string): PlannerDecision {
  if (decision.kind === "answer") return decision;
  const marked = <T extends Step>(step: T): T => ({
    ...step,
    thought: `${sentence} ${step.thought}`,
    reading: { ...step.reading, ...reading },
  });
  return { ...marked(decision), ...(decision.parallel && { parallel: decision.parallel.map(marked) }) };
}

/** True for the answer of a run that did not do what was asked. */
export const isStuck = (decision: PlannerDecision): boolean =>
  decision.kind === "answer" && decision.outcome === "stuck";

/** True for the end of a run that answers nothing. */
export const isLeftUndone = (decision: PlannerDecision): boolean =>
  decision.kind === "answer" && (isStuck(decision) || decision.isUnanswered === true);

/** True if the person denied a step, or if nobody knows whether it was done: then nothing else is tried. */
export const mustStop = ({ scratchpad }: Pick<PlanState, "scratchpad">): boolean =>
  scratchpad.some(
    ({ observation }) =>
      observation?.error?.code === "APPROVAL_DENIED" || observation?.error?.code === "OUTCOME_UNKNOWN",
  );

/** A plan completed by verified functions, with the function that completed each call. */
export interface GuidedPlan {
  calls: PlannedCall[];
  followed: ReadonlyMap<PlannedCall, RelevantFunction>;
}

/** `${name}`, `{name}`, `<name>`, each also with `|slug`. */
const SLOT = /\$?\{\s*\w+(?:\s*\|\s*slug)?\s*\}|<\s*\w+(?:\s*\|\s*slug)?\s*>/g;
const FOLDER_NAMES = /^(?:folder|directory|dir|place|location)$/i;

/**
 * Completes a plan from the functions that fit the request, best first: paths whose names the grammar chose, and
 * missing arguments. Values from the person never change.
 */
export function completeFromFunctions(
  calls: readonly PlannedCall[],
  functions: readonly RelevantFunction[],
  skills: readonly Skill[],
): GuidedPlan {
  const followed = new Map<PlannedCall, RelevantFunction>();
  const completed = calls.map((call) => {
    const skill = skills.find(({ id }) => id === call.skill);
    for (const relevant of functions) {
      if (!skill || !relevant.guide.skillsUsed.includes(call.skill)) continue;
      const args = { ...missingArguments(call, relevant, skill), ...chosenPaths(call, relevant, skill) };
      if (Object.keys(args).length === 0) continue;
      const given = Object.entries(args).map(([name, value]): [string, PlannedValue] => [
        name,
        { from: "function", value },
      ]);
      const full: PlannedCall = { ...call, args: { ...call.args, ...Object.fromEntries(given) } };
      followed.set(full, relevant);
      return full;
    }
    return call;
  });
  return { calls: completed, followed };
}

/** Paths in place of names that the grammar chose. */
function chosenPaths(call: PlannedCall, { guide }: RelevantFunction, skill: Skill): Record<string, unknown> {
  return Object.fromEntries(
    call.invented.flatMap((arg) => {
      const planned = call.args[arg];
      if (planned?.from !== "request" || typeof planned.value !== "string") return [];
      const path = choosePath(planned.value, arg, guide);
      return path !== undefined && isAccepted(skill, arg, path) ? [[arg, path]] : [];
    }),
  );
}

function choosePath(
  invented: string,
  arg: string,
  { parameters, examples }: RelevantFunction["guide"],
): string | undefined {
  const name = stemOf(invented);
  for (const parameter of parameters) {
    const preset = parameter.default;
    if (typeof preset !== "string" || preset === "") continue;
    if (preset.search(SLOT) >= 0 && isPlace(parameter, arg)) return preset.replaceAll(SLOT, name);
    if (preset.endsWith("/") || FOLDER_NAMES.test(parameter.name))
      return `${preset.replace(/\/+$/, "")}/${invented.split("/").at(-1) ?? invented}`;
  }
  for (const { prompt, resultPath } of examples) {
    const stem = resultPath === undefined ? "" : stemOf(resultPath);
    // A place that the request named does not show a habit.
    if (
      resultPath === undefined ||
      stem === "" ||
      mentionsPath(prompt, resultPath) ||
      !`-${slugify(prompt)}-`.includes(`-${slugify(stem)}-`)
    )
      continue;
    const index = resultPath.lastIndexOf(stem);
    return resultPath.slice(0, index) + name + resultPath.slice(index + stem.length);
  }
  return undefined;
}

function mentionsPath(prompt: string, path: string): boolean {
  const folders = path
    .split("/")
    .slice(0, -1)
    .filter((folder) => folder !== "out");
  const name = path.split("/").at(-1) ?? path;
  return (
    prompt.includes(name) || folders.some((folder) => prompt.toLowerCase().includes(folder.toLowerCase()))
  );
}

function isPlace({ name, type, default: preset }: FunctionParameter, arg: string): boolean {
  return name === arg || type === "path" || (typeof preset === "string" && preset.includes("/"));
}

/** Defaults of the function's parameters for missing arguments of the skill. */
function missingArguments(
  call: PlannedCall,
  { guide }: RelevantFunction,
  skill: Skill,
): Record<string, unknown> {
  return Object.fromEntries(
    guide.parameters.flatMap(({ name, default: preset }) => {
      if (preset === undefined || Object.hasOwn(call.args, name)) return [];
      if (typeof preset === "string" && preset.search(SLOT) >= 0) return [];
      return isAccepted(skill, name, preset) ? [[name, preset]] : [];
    }),
  );
}

function isAccepted(skill: Skill, name: string, value: unknown): boolean {
  return skill.input.partial().safeParse({ [name]: value }).success;
}

/** "out/kitchen/pizza.md" → "pizza" */
function stemOf(path: string): string {
  return (path.split("/").at(-1) ?? path).replace(/\.[^.]*$/, "");
}
