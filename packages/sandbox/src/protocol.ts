import { z } from "zod";
import type { SandboxLimits } from "./sandbox.ts";

/** What the engine is asked to carry out. JSON travels as text, so that no key of it means anything on the way. */
export interface Program {
  module: string;
  /** The parameters as JSON. If absent, the module is only executed, as tests are. */
  parameters?: string;
  /** Tests only: the export that holds them, and what they resolve to at their end. */
  tests?: { name: string; end: string };
  skills: readonly string[];
  limits: SandboxLimits;
}

export type ToEngine =
  | { kind: "run"; program: Program }
  | { kind: "answer"; call: number; value: string }
  | { kind: "refusal"; call: number; error: string };

/** How a run failed, before it has words. */
export const FailureKind = z.enum(["timeout", "memory", "stack", "output", "calls", "crashed", "function"]);
export type FailureKind = z.infer<typeof FailureKind>;

/** An error as the code threw it; every part is the code's own word. */
export const Thrown = z.strictObject({
  name: z.string(),
  message: z.string(),
  /** Of a skill that failed. */
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
    /** JSON of the result, or of nothing for tests. */
    result: z.string(),
    assertions: z.int().nonnegative(),
    /** How many of them were made after `main` had returned once. */
    afterMain: z.int().nonnegative(),
    logs: z.array(z.string()),
  }),
  z.strictObject({
    kind: z.literal("failed"),
    failure: FailureKind,
    /** What the code threw, as JSON of `Thrown`. */
    thrown: z.string().optional(),
    /** Whether memory was denied before; errors of any kind follow from that. */
    memoryRefused: z.boolean(),
    logs: z.array(z.string()),
  }),
]);
export type FromEngine = z.infer<typeof FromEngine>;
