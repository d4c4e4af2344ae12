import { escapeRegExp } from "../../text/words.ts";
import { isDeepStrictEqual } from "node:util";
import type { FunctionExample, FunctionMemory, FunctionParameter, Recipe } from "../../contract/function.ts";
import { type Piece, piecesOf, type Source, sourcesIn } from "../../contract/placeholders.ts";
import { isoDay, wallTimeOf } from "../../language/dates/clock.ts";
import { isRecord } from "../../text/is-record.ts";
import { fillArgs, optionalNames, withDefaults } from "../recipe/instantiate.ts";
import { isUnsafeToReplay, nonDefaultArgs } from "./generalize-run.ts";
import { leavesOf } from "./leaves.ts";
import type { FactsOf, LearnableRun, MadeCall } from "./learnable-run.ts";
import { type PromptSpan, promptSpans, spansOf, withSlots } from "./prompt-spans.ts";
import { isUnaskedRead, trimCalls } from "./trim.ts";
import { indexOfWords } from "./text-pieces.ts";

/** A run as another example of a recipe, and its request with slots. */
export interface CoveredRun {
  example: FunctionExample;
  promptTemplate: string;
}

/** The maximum number of ways in which the actions of a recipe are compared with the calls of a run. */
const MAX_ASSIGNMENTS = 24;

/**
 * Finds the values with which a recipe makes exactly the calls of a run, each of them in the run's own request. So a recipe
 * that two runs taught takes a third one as an example, although that run alone does not show which of its words were composed.
 * The run may make calls that are independent of each other in another order, and reads that its request does not order.
 * Undefined if there are no such values.
 */
export function coverRun(
  { recipe, parameters }: Pick<FunctionMemory, "recipe" | "parameters">,
  run: LearnableRun,
  factsOf: FactsOf,
): CoveredRun | undefined {
  const calls = trimCalls(run, factsOf).map((call) => ({ ...call, args: nonDefaultArgs(call, factsOf) }));
  if (!recipe || isUnsafeToReplay(run, calls, factsOf)) return undefined;
  const needed = calls.filter((call) => !isUnaskedRead(call, { request: run.request, calls }, factsOf));
  const skills = recipe.actions.map(({ skill }) => skill);
  for (const some of needed.length < calls.length ? [calls, needed] : [calls]) {
    let left = MAX_ASSIGNMENTS;
    for (const assigned of assignments(skills, some)) {
      const covered = coverCalls({ recipe, parameters }, run, assigned, factsOf);
      if (covered) return covered;
      if ((left -= 1) === 0) break;
    }
  }
  return undefined;
}

/** The orders of all calls in which their skills are these; the calls' own order first. Calls that share a value keep it. */
export function* assignments(
  skills: readonly string[],
  calls: readonly MadeCall[],
): Generator<readonly MadeCall[]> {
  const [skill, ...others] = skills;
  if (skills.length !== calls.length) return;
  if (skill === undefined) yield [];
  for (const [index, call] of calls.entries()) {
    if (call.skill !== skill || calls.slice(0, index).some((one) => !areIndependent(one, call))) continue;
    for (const rest of assignments(others, calls.toSpliced(index, 1))) yield [call, ...rest];
  }
}

/** True if two calls take no text in common, and none takes a text that the other one found. */
function areIndependent(one: MadeCall, other: MadeCall): boolean {
  const given = new Set(textsIn(one.args));
  const found = new Set(textsIn(one.outputs));
  return !textsIn(other.args).some((text) => given.has(text) || found.has(text));
}

const textsIn = (value: unknown): string[] =>
  leavesOf(value).flatMap((leaf) =>
    typeof leaf.value === "string" && leaf.value.trim() !== "" && !/^\d{4}-\d{2}-\d{2}/u.test(leaf.value)
      ? [leaf.value.replace(/^out\//u, "")]
      : [],
  );

function coverCalls(
  { recipe, parameters }: { recipe: Recipe; parameters: readonly FunctionParameter[] },
  run: LearnableRun,
  calls: readonly MadeCall[],
  factsOf: FactsOf,
): CoveredRun | undefined {
  const today = isoDay(wallTimeOf(run.now, run.timeZone));
  const spans = promptSpans(run);
  const bound = new BoundSlots(parameters, spans, run.request);
  const outputs = calls.map((call) => call.outputs);
  for (const [index, action] of recipe.actions.entries()) {
    const call = calls[index];
    if (call === undefined) return undefined;
    for (const [arg, template] of Object.entries(action.args)) {
      const isPath = factsOf(call.skill)?.pathArgs.includes(arg) ?? false;
      if (call.args[arg] !== undefined) bound.read(template, call.args[arg], { isPath });
    }
  }
  const values = bound.values;
  const complete = withDefaults(parameters, values, today);
  if (!complete.ok) return undefined;
  const optional = optionalNames(parameters);
  for (const [index, action] of recipe.actions.entries()) {
    const filled = fillArgs(action, { parameters: complete.values, outputs, today }, optional);
    if (!filled.ok || !makesCall(filled.args, calls[index])) return undefined;
  }
  return {
    example: {
      prompt: run.request,
      parameters: values,
      skillSequence: calls.map(({ skill }) => skill),
      ...(run.executionTimeMs !== undefined && { executionTimeMs: run.executionTimeMs }),
      ...(run.fixture && { fixture: run.fixture }),
    },
    promptTemplate: withSlots(run.request, bound.slots, {
      texts: recipe.actions.flatMap(({ args }, index) => textsOfCall(args, calls[index])),
    }),
  };
}

/** The texts of a call that contain values, as written and with slots. */
const textsOfCall = (
  args: Readonly<Record<string, unknown>>,
  call: MadeCall | undefined,
): { text: string; template: string }[] =>
  Object.entries(args).flatMap(([name, template]) => {
    const text = call?.args[name];
    const hasValues = sourcesIn(template).length > 0 && soleParameter(String(template)) === undefined;
    return typeof template === "string" && typeof text === "string" && hasValues
      ? [{ text, template: template.replaceAll(/\$\{(\w+)(?:\|\w+)?\}/gu, "{$1}") }]
      : [];
  });

const makesCall = (args: Readonly<Record<string, unknown>>, call: MadeCall | undefined): boolean =>
  isDeepStrictEqual(args, call?.args);

/** The words of a request that a recipe's parameters take. */
class BoundSlots {
  readonly #spans: readonly PromptSpan[];
  readonly #request: string;
  readonly #parameters: readonly FunctionParameter[];
  readonly #found = new Map<string, PromptSpan>();

  constructor(parameters: readonly FunctionParameter[], spans: readonly PromptSpan[], request: string) {
    this.#parameters = parameters;
    this.#spans = spans;
    this.#request = request;
  }

  get values(): Record<string, unknown> {
    return Object.fromEntries([...this.#found].map(([name, { value }]) => [name, value]));
  }

  get slots(): { name: string; span: PromptSpan }[] {
    return [...this.#found].map(([name, span]) => ({ name, span }));
  }

  /** Reads the values of the parameters in a template from the value that it must become. */
  read(template: unknown, value: unknown, place: { isPath: boolean }): void {
    if (typeof template === "string") {
      if (typeof value === "number") this.#take(soleParameter(template), value, place);
      else if (typeof value === "string") this.#readText(template, value, place);
    } else if (Array.isArray(template) && Array.isArray(value))
      for (const [index, part] of template.entries()) this.read(part, value[index], place);
    else if (isRecord(template) && isRecord(value))
      for (const [key, part] of Object.entries(template)) this.read(part, value[key], place);
  }

  #readText(template: string, text: string, place: { isPath: boolean }): void {
    const pieces = piecesOf(template);
    const sole = soleParameter(template);
    if (sole) {
      const preset = this.#parameters.find(({ name }) => name === sole.name)?.default;
      const isFound = this.#take(sole, text, place);
      // A value that the request does not contain as a whole follows from the parameters of the default.
      if (!isFound && typeof preset === "string" && sourcesIn(preset).length > 0)
        this.#readText(preset, text, place);
      return;
    }
    const match = new RegExp(`^${pieces.map((piece) => this.#patternOf(piece)).join("")}$`, "su").exec(text);
    const sources = pieces.filter((piece) => typeof piece !== "string");
    for (const [index, source] of sources.entries())
      if (source.kind === "parameter") this.#take(source, match?.[index + 1], place);
  }

  #patternOf(piece: Piece): string {
    if (typeof piece === "string") return escapeRegExp(piece);
    const type = this.#parameters.find(({ name }) => piece.kind === "parameter" && name === piece.name)?.type;
    if (type === "date") return String.raw`(\d{4}-\d{2}-\d{2}\S*?)`;
    return type === "number" ? String.raw`(-?\d+(?:[.,]\d+)?)` : "(.+?)";
  }

  /** Words within a quotation or a path that a parameter takes: "A12" of "Berth A12, fee 90". */
  #partOfRequest(value: string | number, type: string | undefined): PromptSpan | undefined {
    const text = String(value);
    if (type !== "string" && type !== "number") return undefined;
    const isTaken = (at: number): boolean =>
      this.#spans.some((day) => day.type === "date" && day.start <= at && at < day.end);
    let start = indexOfWords(this.#request, text, 0);
    while (start >= 0 && isTaken(start)) start = indexOfWords(this.#request, text, start + 1);
    if (start < 0 || (type === "number" && String(Number(text)) !== text)) return undefined;
    return {
      start,
      end: start + text.length,
      value: type === "number" ? Number(text) : text,
      type,
      kind: "words",
    };
  }

  /** Takes words of the request for a parameter. False if the request does not contain them. */
  #take(
    source: Extract<Source, { kind: "parameter" }> | undefined,
    value: string | number | undefined,
    place: { isPath: boolean },
  ): boolean {
    if (source === undefined || value === undefined || this.#found.has(source.name)) return true;
    const type = this.#parameters.find(({ name }) => name === source.name)?.type;
    const { whole, capital, slug } = spansOf(value, this.#spans, place);
    const fitting = source.form === "capital" ? capital : source.form === "slug" ? slug : whole;
    const days = this.#spans.filter((span) => span.type === "date");
    // The 30 of "30 april" is not an amount.
    const isOfDay = (span: PromptSpan): boolean =>
      span.type !== "date" && days.some((day) => day.start <= span.start && span.end <= day.end);
    const free = fitting.filter(
      (span) => !isOfDay(span) && this.slots.every((one) => isApart(one.span, span)),
    );
    const [best] = free.toSorted((one, other) => rankSpan(other, type) - rankSpan(one, type));
    const found = best ?? (source.form === undefined ? this.#partOfRequest(value, type) : undefined);
    if (found === undefined) return false;
    this.#found.set(source.name, found);
    return true;
  }
}

const rankSpan = (span: PromptSpan, type: string | undefined): number =>
  Number(span.type === type) * 2 + Number(span.kind === "named");

const isApart = (one: PromptSpan, other: PromptSpan): boolean =>
  one.end <= other.start || other.end <= one.start;

function soleParameter(template: string): Extract<Source, { kind: "parameter" }> | undefined {
  const [only, ...more] = piecesOf(template);
  return typeof only === "object" && only.kind === "parameter" && more.length === 0 ? only : undefined;
}
