/** Step numbers in brackets, as in answers: `[2]`, `[1, 3]`. The text of a link is not a citation. */
const CITATION = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\](?!\()/g;

/** A span of text, or one citation. */
export type CitedPart = { text: string } | { steps: number[] };

/** Splits a text into spans and citations, in order. */
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

/** Returns every cited step once. */
export function citedSteps(text: string): number[] {
  return [...new Set(citedParts(text).flatMap((part) => ("steps" in part ? part.steps : [])))];
}

/** Removes citations of steps that are not in `steps`, with the space before them. */
export function keepCitations(text: string, steps: ReadonlySet<number>): string {
  return text.replaceAll(new RegExp(`[ \\t]?${CITATION.source}`, "g"), (whole, numbers: string) => {
    const cited = numbers.split(",").map(Number);
    const known = cited.filter((step) => steps.has(step));
    if (known.length === cited.length) return whole;
    return known.length === 0 ? "" : `${whole.startsWith("[") ? "" : " "}[${known.join(", ")}]`;
  });
}

/** Step numbers in parentheses at the end of a clause, as models also write them: "… in a.md (2).", "(1) (2)". */
const IN_PARENTHESES =
  /(?<=\p{L}[\p{L}\p{N}.,!?:;"'’”)\]*_`]*[ \t])\(\d{1,3}\)(?:[ \t]?\(\d{1,3}\))*(?=[\s.,;:!?]|$)/gmu;
/** "the open tasks (3)": the number may count them. */
const MAY_COUNT = /\p{L}s[ \t]$/u;

/** Writes citations in parentheses, of steps that are in `steps`, in brackets. */
export function inBrackets(text: string, steps: ReadonlySet<number>): string {
  return text.replaceAll(IN_PARENTHESES, (marks: string, at: number) => {
    const cited = (marks.match(/\d+/g) ?? []).map(Number);
    const mayCount = cited.length === 1 && MAY_COUNT.test(text.slice(0, at));
    return mayCount || cited.some((step) => !steps.has(step))
      ? marks
      : cited.map((step) => `[${String(step)}]`).join("");
  });
}
