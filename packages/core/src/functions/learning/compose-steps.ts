import type { Recipe, ValueProvenance } from "../../contract/function.ts";
import { piecesOf, placeholder, sourcesIn } from "../../contract/placeholders.ts";
import { FUNCTION_WORDS, stem } from "../../language/tokens/words.ts";
import { COMPOSE_SKILL } from "../recipe/compose-steps.ts";
import { fieldsWithOwnText } from "./known-outputs.ts";
import type { FactsOf, MadeCall } from "./learnable-run.ts";
import { stringsIn } from "../../contract/parse-json.ts";

/** An argument of a call that a model composed; the action uses it as the parameter `name`. Calls with equal texts share one. */
export interface ComposedValue {
  /** The index of its call. */
  index: number;
  arg: string;
  name: string;
  value: string;
}

interface Composing {
  /** The request, with `${parameter}` in place of the words that each parameter takes. */
  request: string;
  calls: readonly MadeCall[];
  actions: Recipe["actions"];
  provenance: readonly ValueProvenance[];
  /** The parameters whose values are words of the request. */
  requestParameters: ReadonlySet<string>;
  factsOf: FactsOf;
}

/** The maximum number of composed texts. Each one costs a model call per replay. */
const MAX_COMPOSED_TEXTS = 2;
/** The minimum share of a composed text's word stems that occur in the sources or in the request. */
const MIN_SHARED = 0.5;

/**
 * Adds a step before each composed text that composes it from the results of earlier calls. Returns undefined if a text
 * cannot be composed that way: its target is not named in the request, it replaces existing content, or it shares too
 * few words with its sources.
 */
export function withComposeSteps(
  composed: readonly ComposedValue[],
  composing: Composing,
): (Pick<Composing, "calls" | "actions"> & { provenance: ValueProvenance[] }) | undefined {
  const { calls, actions, provenance } = composing;
  const calledAt = composed.map(({ index }) => index);
  if (new Set(calledAt).size < calledAt.length) return undefined;
  const first = composed.filter((one, at) => composed.findIndex(({ name }) => name === one.name) === at);
  if (first.length > MAX_COMPOSED_TEXTS) return undefined;
  if (!composed.every((one) => isComposedFromFound(one, composing))) return undefined;
  const places = first.map(({ index }) => index);
  const shiftStep = (step: number): number => step + places.filter((index) => index <= step - 1).length;
  const made: { call: MadeCall; action: Recipe["actions"][number] }[] = [];
  const origins: ValueProvenance[] = [];
  const stepOfText = new Map<string, number>();
  for (const [index, call] of calls.entries()) {
    const action = actions[index];
    if (action === undefined) return undefined;
    const value = composed.find((one) => one.index === index);
    const args = withSteps(action.args, shiftStep);
    if (value) {
      if (!stepOfText.has(value.name)) {
        made.push(composeStep(value, shiftStep, composing));
        stepOfText.set(value.name, made.length);
        const detail = `what ${value.arg} is composed from`;
        origins.push({ step: made.length, argument: "context", from: "output", detail });
      }
      const step = stepOfText.get(value.name) ?? made.length;
      args[value.arg] = placeholder({ kind: "step", step, field: "response" });
    }
    made.push({ call, action: { ...action, args } });
    const isText = ({ from, argument }: ValueProvenance): boolean =>
      from === "composed" && argument === value?.arg;
    const ofCall = provenance.filter(({ step }) => step === index + 1);
    origins.push(
      ...ofCall.map((origin) => ({
        ...origin,
        step: made.length,
        ...(isText(origin) && { detail: "composed by the model each time" }),
      })),
    );
  }
  return {
    calls: made.map(({ call }) => call),
    actions: made.map(({ action }) => action),
    provenance: origins,
  };
}

function composeStep(
  { index, arg, value }: ComposedValue,
  shifted: (step: number) => number,
  { request, calls, actions }: Composing,
): { call: MadeCall; action: Recipe["actions"][number] } {
  const context = calls.slice(0, index).flatMap((call, index) => {
    const from = (field: string): string => placeholder({ kind: "step", step: shifted(index + 1), field });
    const title = typeof call.outputs["path"] === "string" ? from("path") : `(${String(index + 1)})`;
    return fieldsWithOwnText(call).map((field) => `${title}:\n${from(field)}`);
  });
  const args = {
    goal: `Write the ${arg} for ${actions[index]?.skill ?? ""}, as this request asks: ${request}`,
    context: context.join("\n\n"),
  };
  return {
    call: { skill: COMPOSE_SKILL, args, success: true, outputs: { response: value } },
    action: { skill: COMPOSE_SKILL, args, expect: [{ field: "response", is: "type", value: "string" }] },
  };
}

function isComposedFromFound(
  { index, arg, value }: ComposedValue,
  { request, calls, actions, requestParameters, factsOf }: Composing,
): boolean {
  const call = calls[index];
  const action = actions[index];
  const facts = factsOf(call?.skill ?? "");
  if (!call || !action || !facts?.textArgs.includes(arg) || call.args["overwrite"] === true) return false;
  // The person must have named the target of the text: a step that a file asked for names its own target.
  const places = facts.pathArgs.filter((name) => Object.hasOwn(action.args, name));
  if (
    places.length === 0 ||
    !places.every((name) => isRequestParameter(action.args[name], requestParameters))
  )
    return false;
  const earlier = calls.slice(0, index).filter((one) => factsOf(one.skill)?.finds === true);
  if (!earlier.some((one) => fieldsWithOwnText(one).length > 0)) return false;
  const known = stemsOf([request, ...earlier.flatMap(({ outputs }) => stringsIn(outputs))].join(" "));
  const words = [...stemsOf(value)];
  const shared = words.filter((word) => known.has(word)).length;
  return words.length > 0 && shared / words.length >= MIN_SHARED;
}

function isRequestParameter(template: unknown, requestParameters: ReadonlySet<string>): boolean {
  if (typeof template !== "string") return false;
  const [only, ...more] = piecesOf(template);
  return (
    typeof only === "object" &&
    only.kind === "parameter" &&
    more.length === 0 &&
    requestParameters.has(only.name)
  );
}

/** Renumbers the step references of a value after steps were added. */
function withSteps(
  args: Readonly<Record<string, unknown>>,
  shifted: (step: number) => number,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, shiftPlaceholders(value, shifted)]),
  );
}

function shiftPlaceholders(value: unknown, shifted: (step: number) => number): unknown {
  if (typeof value === "string") {
    if (sourcesIn(value).length === 0) return value;
    return piecesOf(value)
      .map((piece) => {
        if (typeof piece === "string") return piece;
        return placeholder(piece.kind === "step" ? { ...piece, step: shifted(piece.step) } : piece);
      })
      .join("");
  }
  if (Array.isArray(value)) return value.map((part) => shiftPlaceholders(part, shifted));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, shiftPlaceholders(part, shifted)]),
    );
  return value;
}

function stemsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return new Set(words.filter((word) => !FUNCTION_WORDS.has(word)).map(stem));
}
