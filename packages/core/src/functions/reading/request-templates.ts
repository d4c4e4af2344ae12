import type { FunctionMemory, FunctionParameter } from "../../contract/function.ts";
import { BLOCKING_WORDS } from "./families.ts";
import type { ReadableRequest, Unit } from "./request-units.ts";

type Worded = Pick<FunctionMemory, "recipe" | "examples" | "taught">;

/** The ways in which a function is asked for, with `{parameter}` where a value stands: its own, and those it was taught. */
export function templatesOf({ recipe, examples, taught = [] }: Worded): string[] {
  const said = [
    ...(recipe?.promptTemplates ?? []),
    ...taught.map(({ template }) => template),
    ...examples.flatMap(({ prompt, parameters }) => templateOf(prompt, parameters) ?? []),
  ];
  return [...new Set(said)];
}

/**
 * A request with its values as slots, one wherever the words of a value stand. Undefined when a value is not in it, or a
 * number or day is in it more than once: then nobody can tell which is meant. With `units`, a date or number may be written
 * in another way.
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
    let at = lower.indexOf(written.toLowerCase());
    written !== "" && at >= 0;
    at = lower.indexOf(written.toLowerCase(), at + 1)
  ) {
    const [before, after] = [prompt[at - 1] ?? " ", prompt[at + written.length] ?? " "];
    if (!/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after))
      found.push({ start: at, end: at + written.length });
  }
  if (found.length > 0) return found;
  return units.filter((unit) => unit.value === value).map(({ start, end }) => ({ start, end }));
}

const SLOT = /\{([A-Za-z]\w*)\}/u;

/**
 * The values of a request that is worded as the function was taught; undefined for other words. What turns or bounds a
 * request is no value without quotation marks.
 */
export function bindByTaughtTemplate(
  { text, units }: ReadableRequest,
  { taught = [], parameters }: Pick<FunctionMemory, "taught" | "parameters">,
): Record<string, unknown> | undefined {
  for (const { template, prompt } of taught) {
    if (prompt.trim() === text.trim()) return taught.find((one) => one.prompt === prompt)?.values;
    const bound = bindTemplate(template, text);
    if (bound === undefined) continue;
    const values: Record<string, unknown> = {};
    const fits = Object.entries(bound).every(([name, written]) => {
      const parameter = parameters.find((one) => one.name === name);
      const value = parameter && valueOf(parameter, written, units);
      values[name] = value;
      return value !== undefined;
    });
    if (fits) return values;
  }
  return undefined;
}

/** Whether a person said no to this function for the same words, whatever the values. */
export function isRefused(
  { text }: ReadableRequest,
  { refused = [] }: Pick<FunctionMemory, "refused">,
): boolean {
  return refused.some(
    ({ prompt, template }) => plain(prompt) === plain(text) || bindTemplate(template, text) !== undefined,
  );
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** What stands in the slots of a template. Undefined when the words around them differ, or no words are around them. */
function bindTemplate(template: string, text: string): Record<string, string> | undefined {
  const parts = template.split(SLOT);
  const names = parts.filter((_, at) => at % 2 === 1);
  const literals = parts.filter((_, at) => at % 2 === 0);
  if (literals.join("").replaceAll(/[^\p{L}]/gu, "").length < 3) return undefined;
  const pattern = literals.map((literal) => escaped(literal.trim()).replaceAll(/\s+/gu, "\\s+"));
  const body = pattern.reduce(
    (all, literal, at) => (at === 0 ? literal : `${all}\\s*(.+?)\\s*${literal}`),
    "",
  );
  const found = new RegExp(`^\\s*${body}[\\s.!]*$`, "isu").exec(text);
  if (found === null) return undefined;
  const bound: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const written = found[at + 1] ?? "";
    // A parameter that stands twice is said twice, in the same words.
    if (bound[name] !== undefined && bound[name].toLowerCase() !== written.toLowerCase()) return undefined;
    bound[name] ??= written;
  }
  return bound;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`);

/** The value that words are for a parameter; undefined where they are none. */
function valueOf({ type }: FunctionParameter, written: string, units: readonly Unit[]): unknown {
  const bare = written.replace(/^["“']|["”']$/gu, "").trim();
  const isWord = (unit: Unit): boolean => unit.kind === "word" && !unit.isProper;
  const said = units.filter(({ text }) => bare.toLowerCase().includes(text.toLowerCase()));
  switch (type) {
    case "date":
    case "number":
      return units.find(
        (unit) => unit.kind === type && written.toLowerCase().includes(unit.text.toLowerCase()),
      )?.value;
    case "path":
      return /\s/u.test(bare) && bare === written ? undefined : bare;
    case "string":
      if (bare === "" || bare.includes("\n")) return undefined;
      return bare === written && said.some((unit) => isWord(unit) && BLOCKING_WORDS.has(unit.text))
        ? undefined
        : bare;
    default:
      return undefined;
  }
}
