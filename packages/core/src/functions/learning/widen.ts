import { isDeepStrictEqual } from "node:util";
import type {
  FunctionChange,
  FunctionExample,
  FunctionMemory,
  FunctionParameter,
  Recipe,
} from "../../contract/function.ts";
import { type Piece, piecesOf, placeholder, sourcesIn } from "../../contract/placeholders.ts";
import { endingPattern, type GeneralizedRun } from "./generalize-run.ts";
import { leavesOf } from "./leaves.ts";
import { isRecord } from "../../text/is-record.ts";
import { contentWords, stemOf } from "../../text/words.ts";
import { composeSteps } from "../recipe/compose-steps.ts";
import { alignTexts } from "./align-texts.ts";
import { isCommon } from "./prompt-spans.ts";
import { containsWords, replaceInPieces } from "./text-pieces.ts";

/** The result of comparing a function with another run of the same shape (anti-unification, Plotkin 1970). */
export type WideningResult =
  /** The run does something else. */
  | { kind: "different" }
  /** The function already covers the run. */
  | { kind: "same"; example: FunctionExample }
  /** The function that covers both. `onlyWording`: the steps are the same, only the request is worded differently. */
  | {
      kind: "wider";
      change: FunctionChange;
      example: FunctionExample;
      reason: string;
      onlyWording: boolean;
    };

type Content = Pick<FunctionMemory, "recipe" | "parameters" | "examples">;

/** The maximum number of examples of a function; the newest are kept. */
const MAX_EXAMPLES = 8;

/** The least general function that covers the function and the new run. */
export function widenFunction(content: Content, learned: GeneralizedRun): WideningResult {
  const { recipe, parameters, examples } = content;
  if (recipe === undefined || recipe.actions.length !== learned.actions.length) return { kind: "different" };
  // An invented value cannot be an example of a value that a request states.
  if (!learned.isReplayable) return { kind: "different" };
  const pairs = new ParameterPairs(content, learned);
  const composing = composeSteps(recipe);
  const actions: Recipe["actions"] = [];
  for (const [index, action] of recipe.actions.entries()) {
    const other = learned.actions[index];
    if (other?.skill !== action.skill) return { kind: "different" };
    const generalizing = { pairs, mine: recipe.actions, theirs: learned.actions, examples };
    const goal = composing.has(index)
      ? joinedGoal(action.args["goal"], other.args["goal"], generalizing)
      : undefined;
    const theirs = goal === undefined ? other.args : { ...other.args, goal: action.args["goal"] };
    const joined = generalizeValues(action.args, theirs, generalizing);
    if (!isRecord(joined)) return { kind: "different" };
    const args = goal === undefined ? joined : { ...joined, goal };
    actions.push({ ...action, args });
  }
  const { added } = pairs;
  const example = { ...learned.example, parameters: pairs.valuesOf(learned.example) };
  const template = pairs.withOwnParameters(learned.promptTemplate);
  const moved = movedDefaults(content, learned, pairs);
  if (moved === undefined) return { kind: "different" };
  const isNewTemplate = template !== undefined && !recipe.promptTemplates.includes(template);
  if (added.length === 0 && moved.length === 0 && !isNewTemplate) return { kind: "same", example };
  return {
    kind: "wider",
    example,
    onlyWording: added.length === 0 && moved.every((one) => one.default === undefined) && pairs.areCompatible,
    reason: reasonFor(added, moved, template),
    change: {
      recipe: {
        // Templates in which a parameter is still a fixed word, or two are still one, would bind them to nothing.
        promptTemplates: withoutRepeats([
          ...(added.length > pairs.addedWords
            ? []
            : recipe.promptTemplates.map((one) => pairs.withWords(one, "mine"))),
          ...(isNewTemplate ? [template] : []),
        ]),
        actions,
      },
      parameters: [...parameters.map((one) => moved.find(({ name }) => name === one.name) ?? one), ...added],
      examples: [...examples.map((one) => pairs.completed(one)), example].slice(-MAX_EXAMPLES),
    },
  };
}

/** Maps the parameters of the run to those of the function. */
class ParameterPairs {
  readonly #known: Content;
  readonly #learned: GeneralizedRun;
  readonly #pairs: { mine: string; theirs: string; result: string }[] = [];
  /** Parameters that must be added to the function. */
  readonly added: FunctionParameter[] = [];
  /** The values of added parameters in the earlier examples: a constant text, or the value of another parameter. */
  readonly #earlier = new Map<string, { text: string } | { parameter: string }>();

  /** Words of all earlier requests, and of the new one in their place, that a composed text is about. */
  readonly #words: { mine: string; theirs: string; name: string }[] = [];

  constructor(known: Content, learned: GeneralizedRun) {
    this.#known = known;
    this.#learned = learned;
  }

  /** True if the parameters of each pair have the same type. A path of one name has the form of a word. */
  get areCompatible(): boolean {
    const typeIn = (parameters: readonly FunctionParameter[], name: string) => {
      const type = parameters.find((one) => one.name === name)?.type;
      return type === "path" ? "string" : type;
    };
    return this.#pairs.every(
      ({ mine, theirs }) => typeIn(this.#known.parameters, mine) === typeIn(this.#learned.parameters, theirs),
    );
  }

  /** The parameter for both. If one parameter of the function is two in the run, it becomes two parameters. */
  join(mine: string, theirs: string): string {
    const known = this.#pairs.find((pair) => pair.mine === mine && pair.theirs === theirs);
    if (known) return known.result;
    const isSplit = this.#pairs.some((pair) => pair.mine === mine);
    const parameter = this.#known.parameters.find(({ name }) => name === mine);
    const result = isSplit && parameter ? this.#add({ ...parameter, name: theirs }) : mine;
    if (isSplit) this.#earlier.set(result, { parameter: mine });
    this.#pairs.push({ mine, theirs, result });
    return result;
  }

  /** A parameter that replaces a constant text of the function. */
  replaceText(text: string, parameter: FunctionParameter): string {
    const known = this.#pairs.find(({ mine, theirs }) => mine === `"${text}"` && theirs === parameter.name);
    if (known) return known.result;
    const result = this.#add(parameter);
    this.#earlier.set(result, { text });
    this.#pairs.push({ mine: `"${text}"`, theirs: parameter.name, result });
    return result;
  }

  /** A parameter for words of the requests that only the goal of a composed text has. */
  replaceWords(mine: string, theirs: string): string {
    const known = this.#words.find((one) => one.mine === mine && one.theirs === theirs);
    if (known) return known.name;
    const description = `For example: ${mine}; ${theirs}`;
    const name = this.#add({ name: "topic", type: "string", description, required: true });
    this.#earlier.set(name, { text: mine });
    this.#words.push({ mine, theirs, name });
    return name;
  }

  /** The number of added parameters whose words every request has in the place of the others. */
  get addedWords(): number {
    return this.#words.length;
  }

  /** A template with slots for the words of the earlier requests, or for those of the new one. */
  withWords(template: string, side: "mine" | "theirs"): string {
    return this.#words.reduce(
      (text, words) =>
        replaceInPieces([text], words[side], { slot: `{${words.name}}` })
          .map((piece) => (typeof piece === "string" ? piece : piece.slot))
          .join(""),
      template,
    );
  }

  #add(parameter: FunctionParameter): string {
    const taken = [...this.#known.parameters, ...this.added].map(({ name }) => name);
    let { name } = parameter;
    for (let count = 2; taken.includes(name); count++) name = `${parameter.name}${String(count)}`;
    this.added.push({ ...parameter, name });
    return name;
  }

  /** The names of the function's parameters for a parameter of the run. */
  namesFor(theirs: string): string[] {
    const names = this.#pairs.flatMap((pair) => (pair.theirs === theirs ? [pair.result] : []));
    return names.length > 0 ? names : [theirs];
  }

  get request(): string {
    return this.#learned.example.prompt;
  }

  nameOfKnown(mine: string): string[] {
    return this.#pairs.flatMap((pair) => (pair.mine === mine ? [pair.theirs] : []));
  }

  valuesOf({ parameters = {} }: FunctionExample): Record<string, unknown> {
    const renamed = Object.entries(parameters).flatMap(([theirs, value]) =>
      this.namesFor(theirs).map((name): [string, unknown] => [name, value]),
    );
    const words = this.#words.map(({ name, theirs }): [string, unknown] => [name, theirs]);
    return Object.fromEntries([...renamed, ...words]);
  }

  /** The run's template with the function's own parameter names; undefined if one slot would become two parameters. */
  withOwnParameters(template: string | undefined): string | undefined {
    const slots = [...(template ?? "").matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    if (slots.some((name) => this.namesFor(name).length > 1)) return undefined;
    const renamed = template?.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => `{${this.namesFor(name)[0] ?? name}}`,
    );
    return renamed === undefined ? undefined : this.withWords(renamed, "theirs");
  }

  /** An earlier example with values for the added parameters. */
  completed(example: FunctionExample): FunctionExample {
    const { parameters = {} } = example;
    const values = [...this.#earlier].map(([name, from]): [string, unknown] => [
      name,
      "text" in from ? from.text : parameters[from.parameter],
    ]);
    return { ...example, parameters: { ...parameters, ...Object.fromEntries(values) } };
  }

  parameterOf(template: unknown): FunctionParameter | undefined {
    if (typeof template !== "string") return undefined;
    const [only, ...more] = piecesOf(template);
    if (typeof only !== "object" || only.kind !== "parameter" || only.form !== undefined || more.length > 0)
      return undefined;
    return this.#learned.parameters.find(({ name, required }) => name === only.name && required);
  }
}

interface Generalizing {
  pairs: ParameterPairs;
  mine: Recipe["actions"];
  theirs: Recipe["actions"];
  examples: readonly FunctionExample[];
}

/** The least general template that covers both values; undefined if no request could fill it. */
function generalizeValues(mine: unknown, theirs: unknown, generalizing: Generalizing): unknown {
  if (Array.isArray(mine) && Array.isArray(theirs)) {
    if (mine.length !== theirs.length) return undefined;
    const parts = mine.map((part, index) => generalizeValues(part, theirs[index], generalizing));
    return parts.includes(undefined) ? undefined : parts;
  }
  if (isRecord(mine) && isRecord(theirs)) {
    const names = Object.keys(mine);
    if (names.length !== Object.keys(theirs).length || !names.every((name) => Object.hasOwn(theirs, name)))
      return undefined;
    const parts = names.map((name): [string, unknown] => [
      name,
      generalizeValues(mine[name], theirs[name], generalizing),
    ]);
    return parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts);
  }
  if (typeof mine !== "string" || typeof theirs !== "string")
    return isDeepStrictEqual(mine, theirs) ? mine : undefined;
  const { pairs, examples } = generalizing;
  const joined = joinedTemplate(mine, theirs, generalizing);
  if (joined !== undefined) return joined;
  // Each request states its own value, so what seemed constant is a parameter.
  const parameter = pairs.parameterOf(theirs);
  if (parameter === undefined || !examples.every(({ prompt }) => prompt.includes(mine))) return undefined;
  return placeholder({ kind: "parameter", name: pairs.replaceText(mine, parameter) });
}

const BEFORE_TOPIC = /\b(?:the|a|an|all|any|each|every|my|our|on|of|for|about|from|with|by)\s+$/iu;
/** The maximum number of words that a composed text is about. */
const MAX_WORDS = 4;

/**
 * The goal of a composed text for both requests: the function's own if the other one says the same in another order, or
 * with a parameter for the only words in which they differ. Undefined if they ask for different texts.
 */
function joinedGoal(mine: unknown, theirs: unknown, { pairs, examples }: Generalizing): string | undefined {
  if (typeof mine !== "string" || typeof theirs !== "string") return undefined;
  if (isDeepStrictEqual(stemsOf(mine), stemsOf(theirs))) return mine;
  const [own, other] = [mine, theirs].map((goal) => goal.replaceAll(/\$\{[^}]*\}/gu, SLOT));
  const parts = alignTexts(own ?? "", other ?? "") ?? [];
  const differing = parts.flatMap((part) => (typeof part === "string" ? [] : [part.differs]));
  const [[word, otherWord] = ["", ""], ...more] = differing;
  // After such a word, the differing words are the subject of the text; elsewhere they may state the action.
  const before = parts[parts.findIndex((part) => typeof part !== "string") - 1];
  const isTopic = typeof before === "string" && BEFORE_TOPIC.test(before);
  const areWords = [word, otherWord].every(
    (words) => /^\p{L}[\p{L}\s'’-]*$/u.test(words) && words.trim().split(/\s+/u).length <= MAX_WORDS,
  );
  if (more.length > 0 || !areWords || !isTopic) return undefined;
  if (
    !examples.every(({ prompt }) => containsWords(prompt, word)) ||
    !containsWords(pairs.request, otherWord)
  )
    return undefined;
  const name = pairs.replaceWords(word, otherWord);
  return replaceInPieces([mine], word, { slot: placeholder({ kind: "parameter", name }) })
    .map((piece) => (typeof piece === "string" ? piece : piece.slot))
    .join("");
}

/** A placeholder with any name. */
const SLOT = "\u{e000}";

/** The stems of the words that say which text is wanted, without those for reading and saving it. */
function stemsOf(goal: string): Set<string> {
  const words = contentWords(goal.replaceAll(/\$\{[^}]*\}/gu, " "));
  return new Set(words.filter((word) => !isCommon(word)).map(stemOf));
}

/** The function's template with parameters that fit both; undefined if more than the parameters differs. */
function joinedTemplate(
  mine: string,
  theirs: string,
  { pairs, ...actions }: Generalizing,
): string | undefined {
  const [own, other] = [piecesOf(mine), piecesOf(theirs)];
  if (isDeepStrictEqual(own, other) && sourcesIn(mine).every(({ kind }) => kind !== "parameter")) return mine;
  if (own.length !== other.length || own.some((piece, index) => !areAlike(piece, other[index]))) {
    // A result may repeat an argument of an earlier call.
    const [given, givenThere] = [withInputs(own, actions.mine), withInputs(other, actions.theirs)];
    if (isDeepStrictEqual(own, given) && isDeepStrictEqual(other, givenThere)) return undefined;
    if (
      given.length !== givenThere.length ||
      given.some((piece, index) => !areAlike(piece, givenThere[index]))
    )
      return undefined;
    const renamed = renamedPieces(given, givenThere, pairs);
    // The reference is kept as long as its value is the same.
    return isDeepStrictEqual(renamed, given) ? mine : templateText(renamed);
  }
  return templateText(renamedPieces(own, other, pairs));
}

const templateText = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : placeholder(piece))).join("");

function renamedPieces(mine: readonly Piece[], theirs: readonly Piece[], pairs: ParameterPairs): Piece[] {
  return mine.map((piece, index) => {
    const other = theirs[index];
    if (typeof piece === "string" || piece.kind !== "parameter") return piece;
    if (typeof other !== "object" || other.kind !== "parameter") return piece;
    return { ...piece, name: pairs.join(piece.name, other.name) };
  });
}

/** True for equal texts or sources, and for two parameters of the same form with any names. */
function areAlike(one: Piece, other: Piece | undefined): boolean {
  if (typeof one === "string" || typeof other !== "object") return one === other;
  if (one.kind === "parameter" && other.kind === "parameter") return one.form === other.form;
  return placeholder(one) === placeholder(other);
}

/** Replaces a result by the argument of the call that is expected to equal it. */
function withInputs(pieces: readonly Piece[], actions: Recipe["actions"], depth = 0): readonly Piece[] {
  return pieces.flatMap((piece): readonly Piece[] => {
    if (typeof piece === "string" || piece.kind !== "step" || piece.trim || depth > actions.length)
      return [piece];
    const action = actions[piece.step - 1];
    const input = action?.args[piece.field];
    if (typeof input !== "string") return [piece];
    const isEqual = action?.expect.some(
      ({ field, is, value }) =>
        field === piece.field &&
        ((is === "equals" && value === input) || (is === "matches" && value === endingPattern(input))),
    );
    if (!isEqual) return [piece];
    return withInputs(piecesOf(input), actions, depth + 1);
  });
}

/**
 * The parameters whose default differs in the run, with the newer default. Undefined if a request names the difference,
 * because each default then belongs to its own wording.
 */
function movedDefaults(
  { parameters, examples }: Content,
  learned: GeneralizedRun,
  pairs: ParameterPairs,
): FunctionParameter[] | undefined {
  const moved: FunctionParameter[] = [];
  for (const mine of parameters) {
    const others = learned.parameters.filter(({ name }) => pairs.nameOfKnown(mine.name).includes(name));
    for (const { default: preset } of others) {
      if (preset === undefined) continue;
      const renamed = typeof preset === "string" ? renamedDefault(preset, pairs) : preset;
      if (isDeepStrictEqual(mine.default, renamed)) continue;
      const isInEveryExample = [...examples, { parameters: pairs.valuesOf(learned.example) }].every((one) =>
        Object.hasOwn(one.parameters ?? {}, mine.name),
      );
      if (isInEveryExample) {
        // If every request states another value, there can be no constant.
        const { default: _default, ...other } = mine;
        if (mine.default !== undefined) moved.push({ ...other, required: true });
        continue;
      }
      if (explainsDifference(mine.default, renamed, [...examples, learned.example])) return undefined;
      moved.push({ ...mine, required: false, default: renamed });
    }
  }
  return moved;
}

function renamedDefault(preset: string, pairs: ParameterPairs): string {
  return templateText(
    piecesOf(preset).map((piece) =>
      typeof piece === "string" || piece.kind !== "parameter"
        ? piece
        : { ...piece, name: pairs.namesFor(piece.name)[0] ?? piece.name },
    ),
  );
}

/** True if one of the requests contains a constant word that only one of the two defaults has. */
function explainsDifference(one: unknown, other: unknown, examples: readonly FunctionExample[]): boolean {
  const constantWords = (value: unknown): string[] =>
    leavesOf(value)
      .flatMap((leaf) => (typeof leaf.value === "string" ? piecesOf(leaf.value) : []))
      .flatMap((piece) => (typeof piece === "string" ? (piece.match(/[\p{L}\p{N}]{2,}/gu) ?? []) : []));
  const [mine, theirs] = [constantWords(one), constantWords(other)];
  const differing = [
    ...mine.filter((word) => !theirs.includes(word)),
    ...theirs.filter((word) => !mine.includes(word)),
  ];
  return differing.some((word) => examples.some(({ prompt }) => containsWords(prompt, word)));
}

function reasonFor(
  added: readonly FunctionParameter[],
  moved: readonly FunctionParameter[],
  template: string | undefined,
): string {
  if (added.length > 0) return `It also works with another ${added.map(({ name }) => name).join(" and ")}.`;
  if (moved.length > 0) return `The last time, ${moved.map(({ name }) => name).join(" and ")} was different.`;
  return `It is also asked for as “${template ?? ""}”.`;
}

const withoutRepeats = (templates: readonly string[]): string[] => [...new Set(templates)];
