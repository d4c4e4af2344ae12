import type { FunctionCode, FunctionParameter } from "../contract/function.ts";

/** Longer types are shown as `JSON`. */
const MAX_TYPE_LENGTH = 300;

/** The signature of code in one line: `main(words: list, most?: number) → { longest: string }`. */
export function codeSignature(
  { source }: Pick<FunctionCode, "source">,
  parameters: readonly FunctionParameter[],
): string {
  const taken = parameters.map(({ name, type, required }) => `${name}${required ? "" : "?"}: ${type}`);
  return `main(${taken.join(", ")}) → ${returnType(source)}`;
}

/** The declared return type of `main`, or the fields of a returned object; `JSON` when the text shows neither. */
function returnType(source: string): string {
  const begin = /\bfunction\s+main\s*\(/u.exec(source);
  if (!begin) return "JSON";
  const end = closing(source, begin.index + begin[0].length - 1);
  const declared = /^\s*:\s*/u.exec(source.slice(end + 1));
  const type = declared ? typeAt(source, end + 1 + declared[0].length) : fieldsReturned(source.slice(end));
  const plain = type
    .replaceAll(/\s+/gu, " ")
    .trim()
    .replace(/^Promise<(.*)>$/u, "$1");
  return plain === "" || plain.length > MAX_TYPE_LENGTH ? "JSON" : plain;
}

const BRACKETS: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };
const TYPE_BRACKETS: Readonly<Record<string, string>> = { ...BRACKETS, "<": ">" };

/** The index of the bracket that closes the one at `open`; the length of the text when it is unclosed. */
function closing(text: string, open: number, pairs = TYPE_BRACKETS): number {
  const waiting: string[] = [];
  for (let index = open; index < text.length; index += 1) {
    const character = text.charAt(index);
    const pair = pairs[character];
    const isArrow = character === ">" && text.charAt(index - 1) === "=";
    if (pair !== undefined) waiting.push(pair);
    else if (character === waiting.at(-1) && !isArrow) waiting.pop();
    if (waiting.length === 0) return index;
  }
  return text.length;
}

/** The type that starts at `from`. It ends before the function body: the first brace without an operator before it. */
function typeAt(text: string, from: number): string {
  for (let index = from; index < text.length; index += 1) {
    const before = text.slice(from, index).trim();
    if (text.charAt(index) === "{" && before !== "" && !/[|&,:=]$/u.test(before)) return before;
    if (TYPE_BRACKETS[text.charAt(index)] !== undefined) index = closing(text, index);
  }
  return "";
}

/** The field names of the last returned object, such as `{ path, count }`. */
function fieldsReturned(body: string): string {
  const last = [...body.matchAll(/\breturn\s*\{/gu)].at(-1);
  if (!last) return "";
  const open = last.index + last[0].length - 1;
  const inside = body.slice(open + 1, closing(body, open, BRACKETS));
  const names: string[] = [];
  for (let index = 0; index < inside.length;) {
    const name = /^\s*([A-Za-z_$][\w$]*)/u.exec(inside.slice(index))?.[1];
    if (name !== undefined) names.push(name);
    while (index < inside.length && inside.charAt(index) !== ",")
      index = BRACKETS[inside.charAt(index)] === undefined ? index + 1 : closing(inside, index, BRACKETS) + 1;
    index += 1;
  }
  return names.length === 0 ? "" : `{ ${names.join(", ")} }`;
}
