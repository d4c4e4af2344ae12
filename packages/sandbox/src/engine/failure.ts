import type { FailureKind } from "../protocol.ts";

/** Ends a run of the engine. */
export class RunFailure extends Error {
  override readonly name = "RunFailure";
  readonly kind: FailureKind;
  /** What the code threw, described as JSON. */
  readonly thrown: string | undefined;
  constructor(kind: FailureKind, thrown?: string) {
    super(kind);
    this.kind = kind;
    this.thrown = thrown;
  }
}

/** A failure in the code's own name. */
export function functionFailure(name: string, message: string): RunFailure {
  return new RunFailure("function", JSON.stringify({ name, message }));
}
