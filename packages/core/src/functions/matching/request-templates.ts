import { escapeRegExp, bareWords } from "../../text/words.ts";
import type { FunctionMemory, FunctionParameter } from "../../contract/function.ts";
import { BLOCKING_WORDS } from "./families.ts";
import type { ReadableRequest, Unit } from "./request-units.ts";

/** The parts of a function that requests are compared with. */
export type TemplateSource = Pick<FunctionMemory, "recipe" | "examples" | "taught">;

/** The templates of a function, with `{parameter}` in place of each value: its own, and the taught ones. */
export function templatesOf({ recipe, examples, taught = [] }: TemplateSource): string[] {
  const templates = [
    ...(recipe?.promptTemplates ?? []),
    ...taught.map(({ template }) => template),
    ...examples.flatMap(({ prompt, parameters }) => templateOf(prompt, parameters) ?? []),
  ];
  return [...new Set(templates)];
}

/**
 * A request with its values replaced by slots. Undefined if a value is not in it, or if a number or day is in it more
 * than once: then its position is ambiguous. With `units`, a date or number may be written in another way.
 */
export function templateOf(
  prompt: string,
  values: Readonly<Record<string, unknown>> | undefined,
  units: readonly Unit[] = [],
): string | undefined {
  if (values === undefined) return undefined;
  const spans: { name: string; start: number; end: number }[] = [];
  const byLength = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .toSorted(([, one], [, other]) => String(other).length - String(one).length);
  for (const [name, value] of byLength) {
    const isFree = ({ start, end }: { start: number; end: number }): boolean =>
      spans.every((span) => span.end <= start || end <= span.start);
    const places = spansOf(prompt, value, units).filter(isFree);
    const isWords = typeof value === "string" && !/^[\d\W]+$/u.test(value);
    if (places.length === 0 || (places.length > 1 && !isWords)) return undefined;
    spans.push(...places.map((span) => ({ name, ...span })));
  }
  return spans
    .toSorted((one, other) => other.start - one.start)
    .reduce((text, { name, start, end }) => `${text.slice(0, start)}{${name}}${text.slice(end)}`, prompt);
}

function spansOf(prompt: string, value: unknown, units: readonly Unit[]): { start: number; end: number }[] {
  if (typeof value !== "string" && typeof value !== "number") return [];
  const written = String(value);
  const found: { start: number; end: number }[] = [];
  const lower = prompt.toLowerCase();
  for (
    let index = lower.indexOf(written.toLowerCase());
    written !== "" && index >= 0;
    index = lower.indexOf(written.toLowerCase(), index + 1)
  ) {
    const [before, after] = [prompt[index - 1] ?? " ", prompt[index + written.length] ?? " "];
    if (!/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after))
      found.push({ start: index, end: index + written.length });
  }
  if (found.length > 0) return found;
  return units.filter((unit) => unit.value === value).map(({ start, end }) => ({ start, end }));
}

const SLOT = /\{([A-Za-z]\w*)\}/u;

/**
 * The values of a request in the words that the function was taught; undefined for other words. Words that negate or
 * limit the request are not a value without quotation marks. Of the same words as before, the values are those that were
 * accepted, and days are read again.
 */
export function bindByTaughtTemplate(
  request: ReadableRequest,
  { taught = [], parameters }: Pick<FunctionMemory, "taught" | "parameters">,
): Record<string, unknown> | undefined {
  const takesDay = parameters.some(({ type }) => type === "date");
  for (const { template, prompt, values: taughtValues } of taught) {
    const isSameRequest = prompt.trim() === request.text.trim();
    if (isSameRequest && !namesRelativeDay(prompt, taughtValues)) return taughtValues;
    const bound = bindTemplate(template, request, parameters);
    if (bound === undefined || (takesDay && holdsDay(bound, parameters, request))) continue;
    const values: Record<string, unknown> = {};
    const fits = Object.entries(bound).every(([name, written]) => {
      const parameter = parameters.find((one) => one.name === name);
      const value = parameter && valueOf(parameter, written, request);
      values[name] = value;
      return value !== undefined;
    });
    if (fits) return values;
  }
  return undefined;
}

/** True if a person accepted this function for exactly this request. */
export const isAcceptedRequest = (
  request: string,
  { taught = [] }: Pick<FunctionMemory, "taught">,
): boolean => taught.some(({ prompt }) => prompt.trim() === request.trim());

/** True if a value is a day that the words name in another form: "tomorrow" is another day each time. */
const namesRelativeDay = (prompt: string, values: Readonly<Record<string, unknown>>): boolean =>
  Object.values(values).some(
    (value) => typeof value === "string" && /^\d{4}-\d{2}-\d{2}/u.test(value) && !prompt.includes(value),
  );

/** True if a text contains a day outside of quotation marks: then it may or may not be the requested day. */
function holdsDay(
  bound: Readonly<Record<string, string>>,
  parameters: readonly FunctionParameter[],
  { text, units }: ReadableRequest,
): boolean {
  const days = units.filter(({ kind }) => kind === "date").map(({ start, end }) => text.slice(start, end));
  return parameters.some(
    ({ name, type }) => type === "string" && days.some((day) => bound[name]?.includes(day) === true),
  );
}

/** True if a person refused this function for the same words, with any values. */
export function isRefused(
  request: ReadableRequest,
  { refused = [], parameters }: Pick<FunctionMemory, "refused" | "parameters">,
): boolean {
  return refused.some(
    ({ prompt, template }) =>
      bareWords(prompt) === bareWords(request.text) ||
      bindTemplate(template, request, parameters) !== undefined,
  );
}

/** The words before a day that are not part of a text. */
const BEFORE_DAY = String.raw`(?:(?:on|by|at|for|until|till|before)\s+)?`;

/**
 * The contents of a template's slots. Undefined if the words around them differ, if there are no words around them, or
 * if the border between two texts is unclear. A day or a number fills its slot alone, and no value is a part of a word.
 */
function bindTemplate(
  template: string,
  request: ReadableRequest,
  parameters: readonly FunctionParameter[],
): Record<string, string> | undefined {
  const parts = template.split(SLOT);
  const names = parts.filter((_, index) => index % 2 === 1);
  const literals = parts.filter((_, index) => index % 2 === 0).map((literal) => literal.trim());
  if (literals.join("").replaceAll(/[^\p{L}]/gu, "").length < 3) return undefined;
  const types = names.map((name) => parameters.find((one) => one.name === name)?.type ?? "string");
  const touching = types.filter(
    (type, index) => literals[index] === "" && type === "string" && types[index - 1] === type,
  );
  const values = types.map((type) => valuePattern(type, request));
  if (touching.length > 0 || values.includes(undefined)) return undefined;
  const body = values.reduce<string>(
    (all, value, index) =>
      `${all}\\s*(?<![\\p{L}\\p{N}])(${value})(?![\\p{L}\\p{N}])\\s*${literalPattern(literals[index + 1])}`,
    literalPattern(literals[0]),
  );
  const found = new RegExp(`^\\s*${body}[\\s.!]*$`, "isu").exec(request.text);
  if (found === null) return undefined;
  const bound: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const written = found[index + 1] ?? "";
    // A parameter that occurs twice has the same words twice.
    if (bound[name] !== undefined && bound[name].toLowerCase() !== written.toLowerCase()) return undefined;
    bound[name] ??= written;
  }
  return bound;
}

/** The pattern of a slot's possible values; undefined if the request contains no value of this type. */
function valuePattern(type: FunctionParameter["type"], { text, units }: ReadableRequest): string | undefined {
  if (type !== "date" && type !== "number") return ".+?";
  const alternatives = units
    .filter(({ kind }) => kind === type)
    .map(({ start, end }) => escapeRegExp(text.slice(start, end)));
  return alternatives.length === 0
    ? undefined
    : `${type === "date" ? BEFORE_DAY : ""}(?:${alternatives.join("|")})`;
}

/** The pattern of a template's own words, with any spacing. */
const literalPattern = (literal = ""): string => escapeRegExp(literal).replaceAll(/\s+/gu, String.raw`\s+`);

/** The value of words for a parameter; undefined if they are not a value. */
function valueOf({ type }: FunctionParameter, written: string, { text, units }: ReadableRequest): unknown {
  const bare = written.replace(/^["“']|["”']$/gu, "").trim();
  const isWord = (unit: Unit): boolean => unit.kind === "word" && !unit.isProper;
  const valueUnits = units.filter(({ text }) => bare.toLowerCase().includes(text.toLowerCase()));
  switch (type) {
    case "date":
    case "number":
      return units.find(({ kind, start, end }) => kind === type && written.endsWith(text.slice(start, end)))
        ?.value;
    case "path":
      return /\s/u.test(bare) && bare === written ? undefined : bare;
    case "string":
      if (bare === "" || bare.includes("\n")) return undefined;
      return bare === written && valueUnits.some((unit) => isWord(unit) && BLOCKING_WORDS.has(unit.text))
        ? undefined
        : bare;
    default:
      return undefined;
  }
}
