/** Numbers of steps in brackets, as answers cite them: `[2]`, `[1, 3]`. The text of a link is none. */
const CITATION = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\](?!\()/g;

/** A stretch of text, or one citation. */
export type CitedPart = { text: string } | { steps: number[] };

/** The text in parts, in order. */
export function citedParts(text: string): CitedPart[] {
  const parts: CitedPart[] = [];
  let from = 0;
  for (const match of text.matchAll(CITATION)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ steps: (match[1] ?? "").split(",").map(Number) });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}

/** Every step that is cited, each once. */
export function citedSteps(text: string): number[] {
  return [...new Set(citedParts(text).flatMap((part) => ("steps" in part ? part.steps : [])))];
}

/** The text without citations of steps that are not among `steps`, nor the blank before such a one. */
export function keepCitations(text: string, steps: ReadonlySet<number>): string {
  return text.replaceAll(new RegExp(`[ \\t]?${CITATION.source}`, "g"), (whole, numbers: string) => {
    const cited = numbers.split(",").map(Number);
    const known = cited.filter((step) => steps.has(step));
    if (known.length === cited.length) return whole;
    return known.length === 0 ? "" : `${whole.startsWith("[") ? "" : " "}[${known.join(", ")}]`;
  });
}
