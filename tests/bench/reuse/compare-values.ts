import type { LabelledRequest } from "./labelled-requests.ts";

/** True when values are those of the label or one of its further readings. */
export function valuesAgree(
  { values = {}, alsoAccepted = {} }: Pick<LabelledRequest, "values" | "alsoAccepted">,
  bound: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(values).every(([name, value]) =>
    [value, ...(alsoAccepted[name] ?? [])].some((accepted) => isSame(accepted, bound[name])),
  );
}

function isSame(wanted: string | number, bound: unknown): boolean {
  if (typeof wanted === "number") return Number(bound) === wanted;
  return plain(String(bound)) === plain(wanted);
}

/** Without regard to case, outer quotes, a closing dot and a leading article. */
function plain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[‘’]/gu, "'")
    .trim()
    .replace(/^["“”'](?<inner>.*)["“”']$/su, "$<inner>")
    .replace(/[.]$/u, "")
    .replace(/^(?:the|an?)\s+/u, "")
    .replaceAll(/\s+/gu, " ");
}
