import { z } from "zod";
import {
  FunctionKind,
  FunctionName,
  FunctionParameter,
  FunctionStatus,
  FunctionTrust,
  Verification,
} from "./function.ts";
import { RunId } from "./ids.ts";

/** A code function as a model or person submits it. */
export const CodeDraft = z.strictObject({
  name: FunctionName,
  title: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("The title that people see; derived from the name by default"),
  description: z
    .string()
    .trim()
    .min(1)
    .max(2_000)
    .describe("What it does and returns, in one or two sentences"),
  code: z
    .string()
    .min(1)
    .max(200_000)
    .describe("A TypeScript module without imports that exports main(parameters)"),
  parameters: z.array(FunctionParameter).max(50).default([]),
  examplePrompts: z.array(z.string().trim().min(1).max(2_000)).max(20).default([]),
  tests: z
    .string()
    .max(200_000)
    .default("")
    .describe("Statements with assert; fake(skill, answer) stands in for skills"),
  grants: z
    .array(z.string())
    .max(50)
    .optional()
    .describe("Skills it may call; by default those that its code calls"),
});
export type CodeDraft = z.infer<typeof CodeDraft>;

/** The host's findings about a draft. */
export const VerificationReport = Verification.pick({ ok: true, checks: true });
export type VerificationReport = z.infer<typeof VerificationReport>;

/** The result of registering a draft: a new function, or a proposal for the function that has its name. */
export const RegistrationResult = z.strictObject({
  id: z.string(),
  name: z.string(),
  title: z.string(),
  trust: FunctionTrust,
  status: FunctionStatus,
  proposalId: z
    .string()
    .optional()
    .describe("Present if a function of this name existed: the result is a proposal for it"),
  verification: VerificationReport,
});
export type RegistrationResult = z.infer<typeof RegistrationResult>;

/** A task for the curator: what to write, and from which source. */
export const CurationRequest = z.strictObject({
  userRequest: z.string().trim().min(1).max(20_000).describe("What the function should do, in plain words"),
  functionName: FunctionName.describe("Its name; for an existing function, the result is a proposal"),
  draft: CodeDraft.omit({ name: true })
    .optional()
    .describe("Code written by a person; without it, the curator's model writes the code"),
});
export type CurationRequest = z.infer<typeof CurationRequest>;

/** The body of a curation request over HTTP. */
export const CurationBody = CurationRequest.extend({
  background: z.boolean().optional().describe("Respond with 202 immediately and the id of the run"),
});

/**
 * One stage of a curation. `gather` reads the skills, functions and memories that the request concerns; `look` makes calls that
 * the model asks for before it writes.
 */
export const CurationStage = z.strictObject({
  name: z.enum(["gather", "look", "write", "verify", "publish"]),
  ok: z.boolean(),
  detail: z.string(),
});
export type CurationStage = z.infer<typeof CurationStage>;

/** The result of a curation. Nothing is published unless every check passes. */
export const CurationOutcome = z.strictObject({
  published: RegistrationResult.omit({ verification: true }).optional(),
  /**
   * In the order in which they ended. Writing and verifying appear twice after a failed attempt; looking appears once
   * for each use.
   */
  stages: z.array(CurationStage),
  /** The last draft; it stays in staging until it is published. */
  draft: CodeDraft.optional(),
  verification: VerificationReport.optional(),
});
export type CurationOutcome = z.infer<typeof CurationOutcome>;

/** The calls by which code or a recipe changed something, in order. */
export const CodeCalls = z.array(
  z.strictObject({
    skill: z.string(),
    args: z.record(z.string(), z.unknown()),
    /** The skill's sentence about its outcome. */
    sentence: z.string(),
    outputs: z.record(z.string(), z.unknown()),
  }),
);
export type CodeCalls = z.infer<typeof CodeCalls>;

/** The result of a function that a person ran. */
export const FunctionRunAnswer = z.strictObject({
  runId: RunId,
  function: z.strictObject({ id: z.string(), title: z.string(), kind: FunctionKind.optional() }),
  /** JSON; `null` if nothing was returned; `{steps}` for a recipe. */
  result: z.unknown(),
  logs: z.array(z.string()),
  /** Absent if nothing was changed. */
  calls: CodeCalls.optional(),
  durationMs: z.number().nonnegative(),
});
export type FunctionRunAnswer = z.infer<typeof FunctionRunAnswer>;

/** The result of a curation with its run. */
export const CurationAnswer = z.strictObject({ runId: RunId, ...CurationOutcome.shape });
export type CurationAnswer = z.infer<typeof CurationAnswer>;
