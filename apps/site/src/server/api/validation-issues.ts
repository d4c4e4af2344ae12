import type { z } from "zod";

/** One thing that is wrong with a request. */
export interface Fault {
  path: string;
  message: string;
  /** Well formed, but not a value that is taken here; otherwise the shape is wrong. */
  onlyValue: boolean;
}

const valueCodes: ReadonlySet<string> = new Set([
  "too_small",
  "too_big",
  "invalid_format",
  "invalid_value",
  "not_multiple_of",
  "custom",
]);

/** What an issue comes down to. Where several shapes are possible, the faults under the one that comes closest. */
export function faultsIn(
  { code, path, message, ...issue }: z.core.$ZodIssue,
  base: readonly PropertyKey[] = [],
): Fault[] {
  const place = [...base, ...path];
  const shapes = "errors" in issue ? issue.errors : [];
  const [closest] = shapes
    .map((issues) => issues.flatMap((inner) => faultsIn(inner, place)))
    .sort((a, b) => closeness(b) - closeness(a));
  return closest ?? [{ path: place.join("."), message, onlyValue: valueCodes.has(code) }];
}

/** Nothing comes closer than a shape that fits but for its values; then, the deeper the faults lie, the more was right. */
function closeness(faults: readonly Fault[]): number {
  if (faults.every(({ onlyValue }) => onlyValue)) return Number.POSITIVE_INFINITY;
  return Math.max(...faults.map(({ path }) => path.split(".").length));
}
