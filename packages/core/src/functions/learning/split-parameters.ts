import type { Expectation, FunctionExample, FunctionParameter, Recipe } from "../../contract/function.ts";
import { type Piece, piecesOf, placeholder, type Source, sourcesIn } from "../../contract/placeholders.ts";
import { capitalize } from "../../text/format.ts";
import { isRecord } from "../../text/is-record.ts";
import { slugify } from "../../text/slug.ts";
import { escapeRegExp } from "../../text/words.ts";
import { alignColumns, type Gap, type Segments } from "./align-columns.ts";
import { namesForGap } from "./parameters.ts";
import { indexOfWords } from "./text-pieces.ts";

/** The parts of a function that change when its parameters are split. */
export interface SplitContent {
  recipe: Recipe;
  parameters: FunctionParameter[];
  examples: FunctionExample[];
}

/** Two runs show which part of a value varies. */
const MIN_RUNS = 2;

/**
 * Splits the values of a recipe into what varies and what is the same in all of its examples: values that vary together in several
 * arguments become one parameter, and the constant text around them becomes a part of the step. "Berth A12, fee 180" and "Sanna Virta,
 * A12" become `Berth ${berth}, fee ${fee}` and `${name}, ${berth}`, and `members/sanna-virta.md` becomes `members/${name|slug}.md`
 * (anti-unification over the examples, Plotkin 1970). With their new values, the examples make exactly the same calls. A value of
 * which no part occurs in another argument stays whole. Undefined if nothing can be split.
 */
export function splitParameters({
  recipe,
  parameters,
  examples,
}: Readonly<SplitContent>): SplitContent | undefined {
  if (examples.length < MIN_RUNS) return undefined;
  const columns = parameters.flatMap((one) => columnOf(one, { recipe, parameters, examples }));
  const divided = divide(columns);
  if (divided.length === 0) return undefined;
  const kept = parameters.filter((one) => !divided.some(({ name }) => name === one.name));
  const values = valuesOf(columns, divided, kept);
  const templates = new Map(
    divided.map(({ name, segments }): [string, Piece[]] => [
      name,
      segments.map((segment) => (typeof segment === "string" ? segment : sourceOf(segment.column, values))),
    ]),
  );
  const added = values.filter(({ whole }) => whole === undefined);
  return {
    recipe: {
      promptTemplates: withShortTemplate(
        recipe.promptTemplates.map((one) =>
          withValuesAsSlots(requestTemplate(one, templates, quotedIn(examples)), values),
        ),
        // A day that is the same in these runs is another one in the next.
        [...added.map(parameterOf), ...kept.filter((one) => one.type === "date" || isWhole(one, values))],
      ),
      actions: recipe.actions.map((action) => ({
        ...action,
        args: filledRecord(action.args, templates),
        expect: action.expect.map((one) => filledExpectation(one, templates)),
      })),
    },
    parameters: [...added.map(parameterOf), ...kept],
    examples: examples.map((example, run) => ({
      ...example,
      parameters: {
        ...Object.fromEntries(added.map((value) => [value.name, storedValue(value, run)])),
        ...Object.fromEntries(
          Object.entries(example.parameters ?? {}).filter(([name]) => !templates.has(name)),
        ),
      },
    })),
  };
}

/** A parameter with its text in each example. */
interface Column {
  parameter: FunctionParameter;
  texts: readonly string[];
}

/** The texts of a required parameter that every example states. One that a step takes in another form stays as it is. */
function columnOf(parameter: FunctionParameter, { recipe, parameters, examples }: SplitContent): Column[] {
  const uses = sourcesIn([recipe.actions, parameters.map((one) => one.default)]);
  const hasForm = uses.some(
    (source) => source.kind === "parameter" && source.name === parameter.name && source.form !== undefined,
  );
  if (hasForm || !parameter.required) return [];
  const texts = examples.flatMap((example) => {
    const value = example.parameters?.[parameter.name];
    return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
  });
  return texts.length === examples.length && isVarying(texts) ? [{ parameter, texts }] : [];
}

const isVarying = ([first, ...others]: readonly string[]): boolean => others.some((one) => one !== first);

interface Divided {
  /** The parameter that is divided. */
  name: string;
  segments: Segments;
}

/** The parameters whose texts have a part in common with another parameter, in the division with the most such parts. */
function divide(columns: readonly Column[]): Divided[] {
  const divisions = columns.map(({ parameter: { name, type }, texts }) => {
    const options = type === "string" || type === "path" ? alignColumns(texts) : [];
    const divisible = type === "path" ? options.filter(namesPlace) : options;
    return { name, options: divisible, parts: [texts, ...divisible.flatMap(gapsOf)] };
  });
  return divisions.flatMap(({ name, options }): Divided[] => {
    const others = divisions.flatMap((one) => (one.name === name ? [] : one.parts));
    const isShared = (column: readonly string[]): boolean =>
      others.some((other) => formOf(column, other) !== undefined || formOf(other, column) !== undefined);
    const [best] = options
      .map((segments) => {
        const gaps = gapsOf(segments);
        return { segments, count: gaps.length, shared: gaps.filter(isShared).length };
      })
      .toSorted(
        (one, other) => other.shared / other.count - one.shared / one.count || one.count - other.count,
      );
    return best !== undefined && best.shared > 0 && best.segments.length > 1
      ? [{ name, segments: best.segments }]
      : [];
  });
}

/** True if the constant part of a path is more than a root and an extension: "may.csv" is a file, and no value with ".csv". */
const namesPlace = (segments: Segments): boolean =>
  segments.some(
    (segment) =>
      typeof segment === "string" &&
      /\p{L}{2}/u.test(segment.replace(/^(?:out|inbox)\//u, "").replace(/\.\w{1,5}$/u, "")),
  );

const gapsOf = (segments: Segments): (readonly string[])[] =>
  segments.flatMap((segment) => (typeof segment === "string" ? [] : [segment.column]));

/** The form in which values are written as these texts, in each example; undefined if they are not. */
function formOf(
  values: readonly string[],
  texts: readonly string[],
): "plain" | "slug" | "capital" | undefined {
  const areWritten = (write: (value: string) => string): boolean =>
    values.every((value, run) => write(value) === texts[run]);
  if (areWritten((value) => value)) return "plain";
  if (areWritten(capitalize)) return "capital";
  return texts.every((text) => text !== "") && areWritten(slugify) ? "slug" : undefined;
}

/** What varies: a part of several texts, or the whole value of a parameter. */
interface VaryingValue {
  name: string;
  texts: readonly string[];
  /** The parameter whose value it is. */
  whole?: FunctionParameter;
}

/** The values that vary; one for all texts that are written forms of it. */
function valuesOf(
  columns: readonly Column[],
  divided: readonly Divided[],
  kept: readonly FunctionParameter[],
): VaryingValue[] {
  const wholes = columns.filter(({ parameter }) => !divided.some(({ name }) => name === parameter.name));
  const found: VaryingValue[] = wholes.map(({ parameter, texts }) => ({
    name: parameter.name,
    texts,
    whole: parameter,
  }));
  const parts = divided.flatMap(({ segments }) => partsOf(segments));
  // "Sanna Virta" comes before "sanna-virta", which is a form of it.
  const plainFirst = parts.toSorted((one, other) => countCapitals(other.texts) - countCapitals(one.texts));
  const unnamed: (readonly string[])[] = [];
  for (const { texts } of plainFirst) {
    const isKnown = [...found.map((one) => one.texts), ...unnamed].some((one) => formOf(one, texts));
    if (!isKnown) unnamed.push(texts);
  }
  // In the order of the steps.
  const firstPlace = (texts: readonly string[]): number =>
    parts.findIndex((part) => formOf(texts, part.texts) !== undefined);
  const candidates = unnamed
    .toSorted((one, other) => firstPlace(one) - firstPlace(other))
    .map((texts) => ({
      texts,
      names: namesForGap(
        texts,
        parts.filter((part) => formOf(texts, part.texts) !== undefined),
      ),
    }));
  const names = new Map<readonly string[], string>();
  const taken = kept.map(({ name }) => name);
  // A value that only one name fits gets it first.
  for (const { texts, names: fitting } of candidates.toSorted(
    (one, other) => one.names.length - other.names.length,
  )) {
    const [first = "value"] = fitting;
    let name = fitting.find((one) => !taken.includes(one)) ?? first;
    for (let count = 2; taken.includes(name); count++) name = `${first}${String(count)}`;
    names.set(texts, name);
    taken.push(name);
  }
  return [...candidates.map(({ texts }) => ({ name: names.get(texts) ?? "value", texts })), ...found];
}

/** A part of a text that varies, with the constant text before and after it. */
export interface VaryingPart {
  texts: readonly string[];
  before: string;
  after: string;
}

function partsOf(segments: Segments): VaryingPart[] {
  const constantAt = (at: number): string => {
    const segment = segments[at];
    return typeof segment === "string" ? segment : "";
  };
  return segments.flatMap((segment, at) =>
    typeof segment === "string"
      ? []
      : [{ texts: segment.column, before: constantAt(at - 1), after: constantAt(at + 1) }],
  );
}

const isWhole = (parameter: FunctionParameter, values: readonly VaryingValue[]): boolean =>
  values.some(({ whole }) => whole === parameter);

const countCapitals = (texts: readonly string[]): number =>
  texts.filter((text) => /\p{Lu}/u.test(text)).length;

/** The placeholder of the value that is written as these texts. */
function sourceOf(texts: Gap["column"], values: readonly VaryingValue[]): Source {
  const found = values.find((value) => formOf(value.texts, texts) !== undefined);
  const form = found && formOf(found.texts, texts);
  return {
    kind: "parameter",
    name: found?.name ?? "",
    ...(form !== undefined && form !== "plain" && { form }),
  };
}

/** A number that is written as it is stored: not "007" and not "12.50". */
const isNumber = (text: string): boolean =>
  /^\d{1,9}(?:\.\d{1,6})?$/u.test(text) && String(Number(text)) === text;

function parameterOf({ name, texts }: VaryingValue): FunctionParameter {
  return {
    name,
    type: texts.every(isNumber) ? "number" : "string",
    description: `For example: ${[...new Set(texts)].slice(0, 2).join("; ")}`,
    required: true,
  };
}

const storedValue = ({ texts }: VaryingValue, run: number): string | number => {
  const text = texts[run] ?? "";
  return texts.every(isNumber) ? Number(text) : text;
};

type Templates = ReadonlyMap<string, readonly Piece[]>;

/** The pieces of a template with those of the divided parameters. */
const filledPieces = (template: string, templates: Templates): Piece[] =>
  piecesOf(template).flatMap((piece) =>
    typeof piece === "object" && piece.kind === "parameter"
      ? (templates.get(piece.name) ?? [piece])
      : [piece],
  );

const written = (pieces: readonly Piece[], constant = (text: string): string => text): string =>
  pieces.map((piece) => (typeof piece === "string" ? constant(piece) : placeholder(piece))).join("");

function filled(value: unknown, templates: Templates): unknown {
  if (typeof value === "string") return written(filledPieces(value, templates));
  if (Array.isArray(value)) return value.map((one) => filled(one, templates));
  return isRecord(value) ? filledRecord(value, templates) : value;
}

const filledRecord = (
  record: Readonly<Record<string, unknown>>,
  templates: Templates,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, filled(value, templates)]));

/** An expectation about the new values. In a pattern, the constant text of a value stands for itself. */
function filledExpectation(expectation: Expectation, templates: Templates): Expectation {
  const { is, value } = expectation;
  if (is !== "matches" || typeof value !== "string")
    return { ...expectation, ...(value !== undefined && { value: filled(value, templates) }) };
  const pieces = piecesOf(value).map((piece) =>
    typeof piece === "string" ? piece : written(filledPieces(placeholder(piece), templates), escapeRegExp),
  );
  return { ...expectation, value: pieces.join("") };
}

/** A request with the slots of the new values: `"Berth {berth}, fee {fee}"` for `{content}`. */
function requestTemplate(
  template: string,
  templates: Templates,
  isQuoted: (name: string) => boolean,
): string {
  return template.replaceAll(/\{(\w+)\}/gu, (slot, name: string) => {
    const pieces = templates.get(name);
    if (pieces === undefined) return slot;
    const text = pieces
      .map((piece) =>
        typeof piece === "string" ? piece : piece.kind === "parameter" ? `{${piece.name}}` : "",
      )
      .join("");
    return isQuoted(name) ? `"${text}"` : text;
  });
}

/** Whether the requests put the value of a parameter in quotation marks. */
const quotedIn =
  (examples: readonly FunctionExample[]) =>
  (name: string): boolean =>
    examples.every(({ prompt, parameters = {} }) => prompt.includes(`"${String(parameters[name])}"`));

/** The request with slots in place of values of its own run that it says outside of the parameters. */
function withValuesAsSlots(template: string, values: readonly VaryingValue[]): string {
  const slots = values
    .flatMap(({ name, texts }) => [...new Set(texts)].map((text) => ({ name, text })))
    .filter(({ text }) => /\p{L}{2}|\p{L}\d/u.test(text))
    .toSorted((one, other) => other.text.length - one.text.length);
  let result = template;
  for (const { name, text } of slots)
    for (const words of [text, slugify(text)])
      for (let at = indexOfWords(result, words, 0); at >= 0; at = indexOfWords(result, words, at + 1)) {
        const isSlotName = result[at - 1] === "{";
        if (!isSlotName) result = `${result.slice(0, at)}{${name}}${result.slice(at + words.length)}`;
      }
  return result;
}

/** Words before a colon that name all that follows: "new member {name}: create …". */
const HEADING = /^([^:.;!?\n"“]{3,60}):\s/u;

/**
 * The templates, and a short one for those that name their procedure before a colon: its name with the values, as the texts of its steps label
 * them. "New member {name}, berth {berth}, fee {fee}, by {due}".
 */
function withShortTemplate(templates: readonly string[], parameters: readonly FunctionParameter[]): string[] {
  const [headed] = templates.filter((template) => HEADING.test(template));
  const heading = HEADING.exec(headed ?? "")?.[1];
  const short =
    headed === undefined || heading === undefined
      ? []
      : [[heading, ...parameters.flatMap((one) => labelled(one, heading, headed))].join(", ")];
  // The short one comes first, because it names the function best.
  return [...new Set([...short, ...templates])];
}

/** The slot of a value with its label or unit in a request; empty if the heading has it. */
function labelled({ name, type }: FunctionParameter, heading: string, request: string): string[] {
  const slot = `{${name}}`;
  if (heading.includes(slot)) return [];
  if (type === "date") {
    const [, preposition] = new RegExp(`(\\p{L}+)\\s+\\{${name}\\}`, "u").exec(request) ?? [];
    return [preposition === undefined ? slot : `${preposition} ${slot}`];
  }
  if (new RegExp(`\\{${name}\\}\\s+${name}(?!\\p{L})`, "iu").test(request)) return [`${slot} ${name}`];
  return [
    new RegExp(`(?<!\\p{L})${name}[\\s:#-]*\\{${name}\\}`, "iu").test(request) ? `${name} ${slot}` : slot,
  ];
}
