import { oneOf } from "../../text/patterns.ts";
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
import { truncate } from "../../text/format.ts";
import { contentStems, escapeRegExp } from "../../text/words.ts";
import { describeFoundPath } from "./parameters.ts";
import { withComposeSteps } from "./compose-steps.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";
import { leavesOf, nameOfField } from "./leaves.ts";
import type { FactsOf, LearnableRun, MadeCall, SkillFacts } from "./learnable-run.ts";
import { ParameterTable } from "./parameter-table.ts";
import { type PromptSpan, promptSpans, withSlots } from "./prompt-spans.ts";
import { trimCalls, withoutUnusedReads } from "./trim.ts";
import { containsWords, repeatsValueWords } from "./text-pieces.ts";
import { createTemplater } from "./value-template.ts";

/** The procedure of a run, independent of its values. */
export interface GeneralizedRun {
  /** The remaining calls as they were made, and one call for each composed text. */
  calls: MadeCall[];
  parameters: FunctionParameter[];
  actions: Recipe["actions"];
  /** Absent if the request cannot be expressed with slots. */
  promptTemplate?: string;
  /** The request with slots for its quotations, names, days and amounts only, for the title of a guide. */
  subject?: string;
  example: FunctionExample;
  /** The values that a model composed, by their parameters; empty for steps that compose them anew. Long texts are cut. */
  composedValues: Record<string, unknown>;
  /** The source of each value of each call. */
  provenance: ValueProvenance[];
  /** False if a value must be composed anew, or depends on the request in an unknown way. */
  isReplayable: boolean;
}

/**
 * Generalizes a run: determines which values came from the request, an earlier call or an answer of the person, and
 * which are constant. With the values of the example, the result makes exactly the calls of the run.
 */
export function generalizeRun(run: LearnableRun, factsOf: FactsOf): GeneralizedRun | undefined {
  const calls = trimCalls(run, factsOf).map((call) => ({ ...call, args: nonDefaultArgs(call, factsOf) }));
  if (calls.length === 0) return undefined;
  const learned = generalizeCalls(run, calls, factsOf);
  // If every value has a source, a read that is not one of these sources only looked around.
  if (!run.explores || !learned.isReplayable || learned.actions.length !== calls.length) return learned;
  const { request } = run;
  const needed = withoutUnusedReads(calls, learned.actions, { request, factsOf });
  return needed.length === calls.length ? learned : generalizeCalls(run, needed, factsOf);
}

function generalizeCalls(run: LearnableRun, calls: readonly MadeCall[], factsOf: FactsOf): GeneralizedRun {
  const table = new ParameterTable(run.request);
  const templater = createTemplater({
    request: run.request,
    calls,
    spans: promptSpans(run),
    answers: answersIn(run),
    today: isoDay(wallTimeOf(run.now, run.timeZone)),
    table,
    factsOf,
  });
  templater.findWholeValues();
  const actions = calls.map((call, index) => {
    const args = templater.templatesOf(call, index);
    return {
      skill: call.skill,
      args,
      expect: expectationsOf(call, args, factsOf(call.skill)),
    };
  });
  for (const { step, list } of templater.singleItems) addOnce(actions[step - 1], `${list}.length`);
  const open = table.parameters.filter(
    ({ name, required }) => required && !Object.hasOwn(table.values, name),
  );
  const composed = templater.composedTexts;
  const areTexts = open.length > 0 && open.every(({ name }) => composed.some((one) => one.name === name));
  const restore = table.savepoint();
  if (areTexts) addAmounts(run, table);
  const stepped =
    areTexts && sourcesIn(run.request).length === 0
      ? withComposeSteps(composed, {
          request: table.withPlaceholders(run.request, (name) => placeholder({ kind: "parameter", name })),
          calls,
          actions,
          provenance: templater.provenance,
          requestParameters: new Set(Object.keys(table.values)),
          factsOf,
        })
      : undefined;
  if (stepped === undefined) restore();
  const { provenance } = stepped ?? templater;
  const composes = open.length > 0 && stepped === undefined;
  const isReplayable =
    !composes && !repeatsValueWords(table.values, actions) && !isUnsafeToReplay(run, calls, factsOf);
  const template = table.withPlaceholders(run.request);
  const resultPath = resultOf(calls, factsOf);
  const parameters = usedParameters(table.withDerivedPaths(), stepped?.actions ?? actions).filter(
    ({ name }) => !table.isComposed(name),
  );
  const learned = {
    calls: [...(stepped?.calls ?? calls)],
    parameters,
    actions: stepped?.actions ?? actions,
    ...(composes ? { subject: withoutNames(run, calls) } : { promptTemplate: template }),
    example: {
      prompt: run.request,
      parameters: { ...table.values },
      skillSequence: calls.map(({ skill }) => skill),
      ...(resultPath !== undefined && { resultPath }),
      ...(run.executionTimeMs !== undefined && { executionTimeMs: run.executionTimeMs }),
      ...(run.fixture && { fixture: run.fixture }),
    },
    composedValues: composes ? clipLongValues(templater.composedValues) : {},
    provenance,
    isReplayable,
  };
  return isReplayable ? learned : withoutFilesRead(learned, run.request, factsOf);
}

/**
 * The guide without defaults for the files that it reads and the request does not name: the next request needs other files, and
 * shows those of this one as examples. Where results are written is a habit and stays.
 */
function withoutFilesRead(guide: GeneralizedRun, request: string, factsOf: FactsOf): GeneralizedRun {
  const asked = contentStems(request);
  const isNamed = (path: string): boolean =>
    [...contentStems(path.replace(/\.\w+$/u, ""))].some((stem) => asked.has(stem));
  const found = guide.parameters.flatMap(({ name, type, default: path }) => {
    if (type !== "path" || typeof path !== "string" || sourcesIn(path).length > 0 || isNamed(path)) return [];
    const value = placeholder({ kind: "parameter", name });
    const places = guide.actions.flatMap(({ skill, args }, index) =>
      Object.entries(args).flatMap(([argument, template]) =>
        template === value ? [{ skill, argument, step: index + 1 }] : [],
      ),
    );
    const [first] = places;
    return first && factsOf(first.skill)?.reads === true ? [{ name, path, places, first }] : [];
  });
  if (found.length === 0) return guide;
  const why = { from: "composed", detail: "chosen by the model, not named by you" } as const;
  return {
    ...guide,
    parameters: guide.parameters.map((parameter) => {
      const file = found.find(({ name }) => name === parameter.name);
      if (file === undefined) return parameter;
      const { default: _, ...rest } = parameter;
      const { argument, skill } = file.first;
      return { ...rest, required: true, description: describeFoundPath(argument, skill, file.path) };
    }),
    composedValues: {
      ...guide.composedValues,
      ...Object.fromEntries(found.map(({ name, path }) => [name, path])),
    },
    provenance: guide.provenance.map((one) =>
      found.some(({ places }) => places.some((at) => at.step === one.step && at.argument === one.argument))
        ? { ...one, ...why }
        : one,
    ),
  };
}

/** The request with slots in place of the quotations, names, days and amounts that its calls take; places stay. */
function withoutNames(run: LearnableRun, calls: readonly MadeCall[]): string {
  const texts = leavesOf(calls.map(({ args }) => args)).map(({ value }) => String(value));
  const taken: PromptSpan[] = [];
  for (const span of promptSpans(run)) {
    const isFree = taken.every(({ start, end }) => end <= span.start || span.end <= start);
    const isUsed = texts.some((text) => containsWords(text, String(span.value)));
    if (span.kind === "named" && span.type !== "path" && isFree && isUsed) taken.push(span);
  }
  const slots = taken.map((span, index) => ({ name: `value${String(index + 1)}`, span }));
  return withSlots(run.request, slots);
}

/**
 * Adds a parameter for each amount of the request that is not a value of a call: "to 30 pieces" is what a composed text depends
 * on, and the next request may say 45.
 */
function addAmounts(run: LearnableRun, table: ParameterTable): void {
  const spans = promptSpans(run);
  const others = spans.filter(({ type, kind }) => type !== "number" && kind === "named");
  for (const span of spans) {
    const isInside = others.some(({ start, end }) => start <= span.start && span.end <= end);
    if (span.type !== "number" || isInside) continue;
    const noun = /^\s(\p{L}+)/u.exec(run.request.slice(span.end))?.[1] ?? "";
    const name = FUNCTION_WORDS.has(noun) ? undefined : nameOfField(noun);
    table.addFromSpan(span, name ?? "amount", name === undefined ? "The amount." : `How many ${noun}.`);
  }
}

/** True if a replay of the calls would do something else, or less, than the request says. */
export function isUnsafeToReplay(
  { request }: LearnableRun,
  calls: readonly MadeCall[],
  factsOf: FactsOf,
): boolean {
  return mayCopyEmptyText(calls, factsOf) || asksForMore(request, calls, factsOf);
}

/** Expects a list to have exactly one element, as it had when the run used that element. */
function addOnce(action: Recipe["actions"][number] | undefined, field: string): void {
  if (action && !action.expect.some((one) => one.field === field))
    action.expect.push({ field, is: "equals", value: 1 });
}

const ASKS_WORDS = oneOf(
  "number|total|sum|count|length|average|value|price|cost|costs|weight|worth|size|result|difference",
);
const ASKS = new RegExp(
  String.raw`^(?:(?:please|also|then)\s+)*(?:how (?:many|much)|(?:tell me|let me know|show me|say|report)\s+(?:how (?:many|much|long|often|big|far)|which|whether|if|what|who|where|the ${ASKS_WORDS}))(?!\p{L})`,
  "iu",
);

/**
 * True if the request also asks a question that only a model answered: "…, and then tell me how many lines it has",
 * after a change.
 */
function asksForMore(request: string, calls: readonly MadeCall[], factsOf: FactsOf): boolean {
  const last = request
    .replaceAll(/"[^"]*"|“[^“”]*”|`[^`]*`/gu, '""')
    .split(/[.!?;,:]+(?:\s+|$)|(?<!\s)\s+(?=(?:and|then)\s)/u)
    .map((clause) => clause.replace(/^(?:and|then)\s+/iu, ""))
    .findLast((clause) => clause.trim() !== "");
  return last !== undefined && ASKS.test(last) && factsOf(calls.at(-1)?.skill ?? "")?.reads !== true;
}

/**
 * True if a call wrote an empty text after a read that found nothing. Whether the text was empty for that reason is
 * unknown, and a replay would write nothing even if there were something to write.
 */
function mayCopyEmptyText(calls: readonly MadeCall[], factsOf: FactsOf): boolean {
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

/** The arguments that differ from their defaults. */
export function nonDefaultArgs({ skill, args }: MadeCall, factsOf: FactsOf): Record<string, unknown> {
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

/** The maximum length of a composed text in an example, in characters. */
const MAX_COMPOSED = 2_000;

const clipLongValues = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string" ? truncate(value, MAX_COMPOSED) : value,
    ]),
  );

/** The path of the last result. */
function resultOf(calls: readonly MadeCall[], factsOf: FactsOf): string | undefined {
  const places = calls.flatMap(({ skill, outputs }) => {
    const facts = factsOf(skill);
    const path = facts?.resultPath === undefined || facts.reads ? undefined : outputs[facts.resultPath];
    return typeof path === "string" ? [path] : [];
  });
  return places.at(-1);
}

/** The parameters that an action or the default of another parameter uses. */
function usedParameters(
  parameters: readonly FunctionParameter[],
  actions: Recipe["actions"],
): FunctionParameter[] {
  const named = new Set(
    [...actions.map(({ args }) => args), ...parameters.map((parameter) => parameter.default)]
      .flatMap(sourcesIn)
      .flatMap((source) => (source.kind === "parameter" ? [source.name] : [])),
  );
  return parameters.filter(({ name }) => named.has(name));
}

/**
 * The expectations on a call's outputs that hold for any values. For a read, booleans stay equal, paths end as
 * requested, and other outputs that the skill always returns keep their type. The booleans of a change are not compared,
 * because they state whether something existed before.
 */
export function expectationsOf(
  { args: given, outputs }: MadeCall,
  templates: Readonly<Record<string, unknown>>,
  facts: SkillFacts | undefined,
): Expectation[] {
  const reads = facts?.reads === true;
  return Object.entries(outputs).flatMap(([field, value]): Expectation[] => {
    if (value === null || value === undefined) return [];
    if (typeof value === "boolean" && reads) return [{ field, is: "equals", value }];
    const asked = given[field];
    const template = templates[field];
    if (typeof value === "string" && typeof asked === "string" && typeof template === "string") {
      if (value === asked) return [{ field, is: "equals", value: template }];
      if (value.endsWith(`/${asked}`)) return [{ field, is: "matches", value: endingPattern(template) }];
    }
    if (facts?.optionalOutputs?.includes(field)) return [];
    return [{ field, is: "type", value: Array.isArray(value) ? "array" : typeof value }];
  });
}

/** A regular expression for paths that end as a template does. */
export function endingPattern(template: string): string {
  const pattern = piecesOf(template)
    .map((piece) => (typeof piece === "string" ? escapeRegExp(piece) : placeholder(piece)))
    .join("");
  return `(^|/)${pattern}$`;
}
