/**
 * `${name}`, `${name|slug}`, `${path|folder}`, `${steps.2.path}`, `${steps.2.content|trim}`, `${today}` inside a text.
 */
const PLACEHOLDER = /\$\{\s*([A-Za-z][\w.]*)(?:\s*\|\s*(slug|capital|folder|name|stem|trim))?\s*\}/g;

/**
 * How a parameter's value is written. `slug`: as a file name, "New York" as "new-york". `capital`: with an initial
 * capital. For the path `out/trips/oslo.md`: `folder` is "out/trips", `name` "oslo.md", `stem` "oslo".
 */
const PARAMETER_FORMS = ["slug", "capital", "folder", "name", "stem"] as const;
export type ParameterForm = (typeof PARAMETER_FORMS)[number];

/** The value that a placeholder refers to. */
export type Source =
  | { kind: "parameter"; name: string; form?: ParameterForm }
  /**
   * `step` counts a recipe's actions from 1; `field` may be nested with dots: `task.title`, `entries.0.path`,
   * `content.lines.0`. `trim`: without trailing white space.
   */
  | { kind: "step"; step: number; field: string; trim?: true }
  | { kind: "today" };

/** A template as literal text and placeholders. */
export type Piece = string | Source;

/** Parses a template. Braces without a valid source are literal text. */
export function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const source = sourceOf(match[1] ?? "", match[2]);
    if (source === undefined) continue;
    if (match.index > from) pieces.push(template.slice(from, match.index));
    pieces.push(source);
    from = match.index + match[0].length;
  }
  if (from < template.length) pieces.push(template.slice(from));
  return pieces;
}

/** Formats a source as a placeholder. */
export function placeholder(source: Source): string {
  switch (source.kind) {
    case "parameter":
      return `\${${source.name}${source.form === undefined ? "" : `|${source.form}`}}`;
    case "step":
      return `\${steps.${String(source.step)}.${source.field}${source.trim ? "|trim" : ""}}`;
    case "today":
      return "${today}";
    default:
      return source satisfies never;
  }
}

const FORM_LABELS: Readonly<Record<ParameterForm, (name: string) => string>> = {
  slug: (name) => `${name} as a file name`,
  capital: (name) => `${name} capitalized`,
  folder: (name) => `folder of ${name}`,
  name: (name) => `file name of ${name}`,
  stem: (name) => `file name of ${name} without its extension`,
};

/** A source as a person reads it: "name capitalized", "path of step 1", "line 1 of step 2", "today". */
export function sourceLabel(source: Source): string {
  switch (source.kind) {
    case "parameter":
      return source.form === undefined ? source.name : FORM_LABELS[source.form](source.name);
    case "step": {
      const line = /(?:^|\.)lines\.(\d+)$/.exec(source.field)?.[1];
      const field = source.field.split(".").findLast((part) => !/^\d+$/.test(part)) ?? source.field;
      return `${line === undefined ? field : `line ${String(Number(line) + 1)}`} of step ${String(source.step)}`;
    }
    case "today":
      return "today";
    default:
      return source satisfies never;
  }
}

/** Returns every source in a value, at any depth. */
export function sourcesIn(value: unknown): Source[] {
  if (typeof value === "string") return piecesOf(value).filter((piece) => typeof piece !== "string");
  if (Array.isArray(value)) return value.flatMap(sourcesIn);
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(sourcesIn);
  return [];
}

/** The folder of a path, "." without one; the name of its last part; and that name without its extension. */
export function partsOfPath(path: string): Record<"folder" | "name" | "stem", string> {
  const segments = path.replace(/\/+$/, "").split("/");
  const name = segments.pop() ?? "";
  return { folder: segments.join("/") || ".", name, stem: name.replace(/(?<=.)\.[^.]*$/, "") };
}

function sourceOf(expression: string, form: string | undefined): Source | undefined {
  const isName = !expression.includes(".");
  const known = PARAMETER_FORMS.find((one) => one === form);
  if (known !== undefined) return isName ? { kind: "parameter", name: expression, form: known } : undefined;
  const step = /^steps\.([1-9]\d{0,2})\.([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)$/.exec(expression);
  if (step)
    return {
      kind: "step",
      step: Number(step[1]),
      field: step[2] ?? "",
      ...(form === "trim" && { trim: true }),
    };
  if (form !== undefined) return undefined;
  if (expression === "today") return { kind: "today" };
  return isName ? { kind: "parameter", name: expression } : undefined;
}
