import { z } from "zod";
import type { FailureKind, FromEngine } from "./protocol.ts";
import { Thrown } from "./protocol.ts";

/** What the engine itself says when a limit of its own is met; it has no codes, these sentences are fixed in its source. */
const ENGINE_LIMITS: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ["out of memory", "memory"],
  ["string too long", "memory"],
  ["stack overflow", "stack"],
  ["interrupted", "timeout"],
]);

const Described = z
  .string()
  .transform((text, problems): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      problems.addIssue("not JSON");
      return z.NEVER;
    }
  })
  .pipe(Thrown);

/** Why a run failed: a limit that was met, or the code by itself. A description that is none means a broken process. */
export function failureOf({ failure, thrown, memoryRefused }: Extract<FromEngine, { kind: "failed" }>): {
  failure: FailureKind;
  thrown?: Thrown;
} {
  if (failure !== "function" || thrown === undefined) return { failure };
  const { success, data: described } = Described.safeParse(thrown);
  if (!success) return { failure: "crashed" };
  const limit = described.name === "InternalError" ? ENGINE_LIMITS.get(described.message) : undefined;
  if (limit) return { failure: limit };
  return memoryRefused ? { failure: "memory" } : { failure, thrown: described };
}
