import { isDeepStrictEqual } from "node:util";
import type {
  Expectation,
  FunctionExample,
  FunctionParameter,
  Recipe,
  ValueProvenance,
} from "../../contract/function.ts";
import { isoDay, wallTimeOf } from "../../language/dates/clock.ts";
import { piecesOf, placeholder, sourcesIn } from "../../contract/placeholders.ts";
import { withComposeSteps } from "./compose-steps.ts";
import { leavesOf } from "./leaves.ts";
import type { FactsOf, LearnableRun, MadeCall } from "./learnable-run.ts";
import { ParameterTable } from "./parameter-table.ts";
import { promptSpans } from "./prompt-spans.ts";
import { trimmed } from "./trim.ts";
import { holdsWordsOf } from "./text-pieces.ts";
import { createTemplater } from "./value-template.ts";

/** What a run shows how to do, whatever it was done with. */
export interface GeneralizedRun {
  /** The calls that were kept, as they were made, with one for each text that was composed. */
  calls: MadeCall[];
  parameters: FunctionParameter[];
  actions: Recipe["actions"];
  /** Absent when the request cannot be said with slots. */
  promptTemplate?: string;
  example: FunctionExample;
  /** Where each value of each call comes from. */
  provenance: ValueProvenance[];
  /** False when something in it has to be thought up anew, or depends on the request in a way that is not understood. */
  isReplayable: boolean;
}

/**
 * Tells what in a run came from the request, from an earlier call or from the person's answers, and what is its own.
 * Filling the example's parameters back in gives the very calls that were made.
 */
export function generalizeRun(run: LearnableRun, factsOf: FactsOf): GeneralizedRun | undefined {
  const calls = trimmed(run, factsOf).map((call) => ({ ...call, args: said(call, factsOf) }));
  if (calls.length === 0) return undefined;
  const table = new ParameterTable();
  const templater = createTemplater({
    request: run.request,
    calls,
    spans: promptSpans(run),
    answers: answersIn(run),
    today: isoDay(wallTimeOf(run.now, run.timeZone)),
    table,
    factsOf,
  });
  templater.findWholes();
  const actions = calls.map((call, index) => {
    const args = templater.templatesOf(call, index);
    return {
      skill: call.skill,
      args,
      expect: expectationsOf(call, args, factsOf(call.skill)?.reads === true),
    };
  });
  for (const { step, list } of templater.onlyOnes) addOnce(actions[step - 1], `${list}.length`);
  const open = table.parameters.filter(
    ({ name, required }) => required && !Object.hasOwn(table.values, name),
  );
  const composed = templater.composedTexts;
  const areTexts = open.length > 0 && open.every(({ name }) => composed.some((one) => one.name === name));
  const stepped =
    areTexts && sourcesIn(run.request).length === 0
      ? withComposeSteps(composed, {
          request: table.withPlaceholders(run.request, (name) => placeholder({ kind: "parameter", name })),
          calls,
          actions,
          provenance: templater.provenance,
          said: new Set(Object.keys(table.values)),
          factsOf,
        })
      : undefined;
  const { provenance } = stepped ?? templater;
  const composes = open.length > 0 && stepped === undefined;
  const template = table.withPlaceholders(run.request);
  const resultPath = resultOf(calls, factsOf);
  return {
    calls: [...(stepped?.calls ?? calls)],
    parameters: used(table.withDerivedPaths(), stepped?.actions ?? actions),
    actions: stepped?.actions ?? actions,
    ...(!composes && { promptTemplate: template }),
    example: {
      prompt: run.request,
      parameters: { ...table.values },
      skillSequence: calls.map(({ skill }) => skill),
      ...(resultPath !== undefined && { resultPath }),
      ...(run.executionTimeMs !== undefined && { executionTimeMs: run.executionTimeMs }),
      ...(run.fixture && { fixture: run.fixture }),
    },
    provenance,
    isReplayable:
      !composes &&
      !holdsWordsOf(table.values, actions) &&
      !mayWriteWhatWasEmpty(calls, factsOf) &&
      !asksForMore(run.request, calls, factsOf),
  };
}

/** Expects a list to have one element, as it had when that was taken without a choice. */
function addOnce(action: Recipe["actions"][number] | undefined, field: string): void {
  if (action && !action.expect.some((one) => one.field === field))
    action.expect.push({ field, is: "equals", value: 1 });
}

const ASKS =
  /^(?:(?:please|also|then)\s+)*(?:how (?:many|much)|(?:tell me|let me know|show me|say|report)\s+(?:how (?:many|much|long|often|big|far)|which|whether|if|what|who|where|the (?:number|total|sum|count|length|average)))(?!\p{L})/iu;

/** "…, and then tell me how many lines it has", where the last call changes something: only a model answered that. */
function asksForMore(request: string, calls: readonly MadeCall[], factsOf: FactsOf): boolean {
  const last = request
    .replaceAll(/"[^"]*"|“[^”]*”|`[^`]*`/gu, '""')
    .split(/[.!?;,:]+(?:\s+|$)|\s+(?=(?:and|then)\s)/u)
    .map((clause) => clause.replace(/^(?:and|then)\s+/iu, ""))
    .findLast((clause) => clause.trim() !== "");
  return last !== undefined && ASKS.test(last) && factsOf(calls.at(-1)?.skill ?? "")?.reads !== true;
}

/**
 * True when an empty text follows a read that found nothing: whether that was to be put down cannot be told, and made
 * again the call would write nothing also when there is something.
 */
function mayWriteWhatWasEmpty(calls: readonly MadeCall[], factsOf: FactsOf): boolean {
  return calls.some(
    ({ args }, index) =>
      Object.values(args).includes("") &&
      calls.slice(0, index).some((call) => factsOf(call.skill)?.reads && foundNothing(call)),
  );
}

function foundNothing({ outputs }: MadeCall): boolean {
  const texts = leavesOf(outputs).flatMap(({ value }) => (typeof value === "string" ? [value] : []));
  return texts.length === 0 || texts.includes("");
}

/** The arguments that say more than their defaults do. */
function said({ skill, args }: MadeCall, factsOf: FactsOf): Record<string, unknown> {
  const defaults = factsOf(skill)?.defaults ?? {};
  return Object.fromEntries(
    Object.entries(args).filter(
      ([name, value]) => !(Object.hasOwn(defaults, name) && isDeepStrictEqual(defaults[name], value)),
    ),
  );
}

function answersIn({ calls }: LearnableRun): string[] {
  return calls.flatMap(({ outputs: { answer } }) =>
    typeof answer === "string" && answer.trim() !== "" ? [answer.trim()] : [],
  );
}

/** Where the last result lies, among all that were made. */
function resultOf(calls: readonly MadeCall[], factsOf: FactsOf): string | undefined {
  const places = calls.flatMap(({ skill, outputs }) => {
    const facts = factsOf(skill);
    const path = facts?.resultPath === undefined || facts.reads ? undefined : outputs[facts.resultPath];
    return typeof path === "string" ? [path] : [];
  });
  return places.at(-1);
}

/** Those that an action or another's default names. */
function used(parameters: readonly FunctionParameter[], actions: Recipe["actions"]): FunctionParameter[] {
  const named = new Set(
    [...actions.map(({ args }) => args), ...parameters.map((parameter) => parameter.default)]
      .flatMap(sourcesIn)
      .flatMap((source) => (source.kind === "parameter" ? [source.name] : [])),
  );
  return parameters.filter(({ name }) => named.has(name));
}

/**
 * What a call's outputs show about how it went, whatever it is called with: yes and no of what was read are as they were, a
 * path ends as it was asked for, the rest is of the same type. What a change says with yes or no is whether something was
 * there before: another time, in the same folder, it is the other.
 */
function expectationsOf(
  { args: given, outputs }: MadeCall,
  templates: Readonly<Record<string, unknown>>,
  reads: boolean,
): Expectation[] {
  return Object.entries(outputs).flatMap(([field, value]): Expectation[] => {
    if (value === null || value === undefined) return [];
    if (typeof value === "boolean" && reads) return [{ field, is: "equals", value }];
    const asked = given[field];
    const template = templates[field];
    if (typeof value === "string" && typeof asked === "string" && typeof template === "string") {
      if (value === asked) return [{ field, is: "equals", value: template }];
      if (value.endsWith(`/${asked}`)) return [{ field, is: "matches", value: endingPattern(template) }];
    }
    return [{ field, is: "type", value: Array.isArray(value) ? "array" : typeof value }];
  });
}

/** The pattern of a path that ends as a template says. */
export function endingPattern(template: string): string {
  const pattern = piecesOf(template)
    .map((piece) =>
      typeof piece === "string" ? piece.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&") : placeholder(piece),
    )
    .join("");
  return `(^|/)${pattern}$`;
}
