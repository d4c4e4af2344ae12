import type { FailureKind, Thrown } from "../protocol.ts";

/** Ends a run of the engine. */
export class RunFailure extends Error {
  override readonly name = "RunFailure";
  readonly kind: FailureKind;
  readonly thrown: Thrown | undefined;
  constructor(kind: FailureKind, thrown?: Thrown) {
    super(kind);
    this.kind = kind;
    this.thrown = thrown;
  }
}

/** What the engine itself says when a limit of its own is met; it has no codes, these sentences are fixed in its source. */
const ENGINE_LIMITS: Readonly<Record<string, FailureKind>> = {
  "out of memory": "memory",
  "string too long": "memory",
  "stack overflow": "stack",
  interrupted: "timeout",
};

/** An error that came out of the code: a limit that was met, or the code's own. */
export function failureOf(thrown: Thrown, memoryRefused: boolean): RunFailure {
  const limit = thrown.name === "InternalError" ? ENGINE_LIMITS[thrown.message] : undefined;
  if (limit) return new RunFailure(limit);
  // Once memory was refused, errors of any kind follow from it.
  return memoryRefused ? new RunFailure("memory") : new RunFailure("function", thrown);
}
