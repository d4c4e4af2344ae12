import { z } from "zod";
import type { SandboxLimits } from "./sandbox.ts";

/** A program for the engine. JSON is transferred as text, so that its keys have no effect on the way. */
export interface Program {
  module: string;
  /** The parameters as JSON. If absent, the module is only executed, as tests are. */
  parameters?: string;
  /** Only for tests: the export that contains them, and the value they resolve to at their end. */
  tests?: { name: string; end: string };
  skills: readonly string[];
  limits: SandboxLimits;
}

export type ToEngine =
  | { kind: "run"; program: Program }
  | { kind: "answer"; call: number; value: string }
  | { kind: "refusal"; call: number; error: string };

/** Why a run failed, before it becomes an error. */
export const FailureKind = z.enum(["timeout", "memory", "stack", "output", "calls", "crashed", "function"]);
export type FailureKind = z.infer<typeof FailureKind>;

/** An error as the code threw it; the code controls every field. */
export const Thrown = z.strictObject({
  name: z.string(),
  message: z.string(),
  /** The error code of a failed skill. */
  code: z.string().optional(),
  stack: z.string().optional(),
});
export type Thrown = z.infer<typeof Thrown>;

/** Validated, because the sending process runs untrusted code. */
export const FromEngine = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ready") }),
  z.strictObject({ kind: z.literal("call"), call: z.int(), skill: z.string(), args: z.string() }),
  z.strictObject({
    kind: z.literal("done"),
    /** The result as JSON; nothing for tests. */
    result: z.string(),
    assertions: z.int().nonnegative(),
    /** The number of assertions made after `main` had returned once. */
    afterMain: z.int().nonnegative(),
    logs: z.array(z.string()),
  }),
  z.strictObject({
    kind: z.literal("failed"),
    failure: FailureKind,
    /** The error that the code threw, as JSON of `Thrown`. */
    thrown: z.string().optional(),
    /** Whether an allocation failed before, which can cause any other error. */
    memoryRefused: z.boolean(),
    logs: z.array(z.string()),
  }),
]);
export type FromEngine = z.infer<typeof FromEngine>;
