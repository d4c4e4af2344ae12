/** `${name}`, `${name|slug}`, `${steps.2.path}`, `${today}` inside a text. */
const PLACEHOLDER = /\$\{\s*([A-Za-z][\w.]*)(\s*\|\s*slug)?\s*\}/g;

/** What a placeholder stands for. */
export type Source =
  /** `slug`: written as file names are, "New York" as "new-york". */
  | { kind: "parameter"; name: string; slug?: true }
  /** `step` counts a recipe's actions from 1; `field` may go down with dots: `task.title`, `entries.0.path`. */
  | { kind: "step"; step: number; field: string }
  | { kind: "today" };

/** A text as its pieces: what stands as it is, and what is filled in. */
export type Piece = string | Source;

/** Takes a template apart. Something in braces that names no source is text. */
export function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const source = sourceOf(match[1] ?? "", match[2] !== undefined);
    if (source === undefined) continue;
    if (match.index > from) pieces.push(template.slice(from, match.index));
    pieces.push(source);
    from = match.index + match[0].length;
  }
  if (from < template.length) pieces.push(template.slice(from));
  return pieces;
}

export function placeholder(source: Source): string {
  switch (source.kind) {
    case "parameter":
      return `\${${source.name}${source.slug ? "|slug" : ""}}`;
    case "step":
      return `\${steps.${String(source.step)}.${source.field}}`;
    case "today":
      return "${today}";
    default:
      return source satisfies never;
  }
}

/** Every source that occurs in a value, however deep. */
export function sourcesIn(value: unknown): Source[] {
  if (typeof value === "string") return piecesOf(value).filter((piece) => typeof piece !== "string");
  if (Array.isArray(value)) return value.flatMap(sourcesIn);
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(sourcesIn);
  return [];
}

/** Lower case, with hyphens for all that is neither letter nor digit. Letters of every script are kept. */
export function slugOf(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
}

function sourceOf(expression: string, slug: boolean): Source | undefined {
  if (slug) return expression.includes(".") ? undefined : { kind: "parameter", name: expression, slug };
  if (expression === "today") return { kind: "today" };
  const step = /^steps\.([1-9]\d{0,2})\.([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)$/.exec(expression);
  if (step) return { kind: "step", step: Number(step[1]), field: step[2] ?? "" };
  return expression.includes(".") ? undefined : { kind: "parameter", name: expression };
}
