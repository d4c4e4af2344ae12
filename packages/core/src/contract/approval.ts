import { z } from "zod";
import { ApprovalId, GrantId, RunId, SkillId, Timestamp } from "./ids.ts";
import { Args } from "./run.ts";
import { Effect, Risk } from "./trust.ts";

const TextDiff = z.strictObject({ before: z.string(), after: z.string(), clipped: z.boolean() });

/** Shows a person exactly what a call would do, in the form in which it can be judged. */
export const ActionPreview = z.strictObject({
  /** A question: "Overwrite notes/today.md?" */
  title: z.string(),
  /** The path, URL or program the call is about. */
  target: z.string().optional(),
  diff: TextDiff.optional(),
  /** What several files would become, as a unified diff. */
  patch: z.strictObject({ text: z.string(), clipped: z.boolean() }).optional(),
  facts: z.array(z.strictObject({ label: z.string(), value: z.string() })),
});
export type ActionPreview = z.infer<typeof ActionPreview>;

/**
 * The part of the world that a standing permission covers. A path that ends in a slash is a folder with everything in
 * it, any other exactly that file.
 */
const GrantScope = z.strictObject({
  pathPrefix: z.string().optional(),
  /** For calls that touch several paths: these and no others. */
  paths: z.array(z.string()).optional(),
  host: z.string().optional(),
  /** When the permission ends. */
  expires: Timestamp.optional(),
});

/** What a call acts on, as a hash of all of it and of its first files. */
export const ReviewedContent = z.strictObject({
  hash: z.string(),
  files: z.array(z.strictObject({ path: z.string(), hash: z.string() })),
});
export type ReviewedContent = z.infer<typeof ReviewedContent>;

export const ApprovalDecision = z.enum(["once", "run", "always", "deny"]);
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

/** A call that waits for a person, bound to the hash of skill and exact arguments, and to the content it acts on. */
export const Approval = z.strictObject({
  id: ApprovalId,
  runId: RunId,
  step: z.int().positive(),
  tool: SkillId,
  args: Args,
  argsHash: z.string(),
  effect: Effect,
  risk: Risk,
  preview: ActionPreview,
  /** Absent when the call acts on nothing that could change meanwhile. */
  content: ReviewedContent.optional(),
  /** The same call was allowed before, but what it acts on has changed since. */
  changedSince: z
    .strictObject({
      approvalId: ApprovalId,
      /** One line for each change: "out/notes/today.md changed". */
      changes: z.array(z.string()),
      /** What was shown then and what is shown now, where that is text. */
      diff: TextDiff.optional(),
    })
    .optional(),
  /** Where the call's target came from, when the person did not name it: "named in notes/today.md, not by you". */
  targetSource: z
    .strictObject({
      text: z.string(),
      /** A file, a page, "a memory", "the model". */
      from: z.string(),
      /** What the person named and the target is a part of; the answer counts for the rest of it in the run. */
      set: z.string().optional(),
    })
    .optional(),
  /** What "always" would cover; absent when always is not offered (critical effects). */
  grantOffer: GrantScope.optional(),
  status: z.enum(["pending", "allowed", "denied", "expired", "withdrawn"]),
  decision: ApprovalDecision.optional(),
  reason: z.string().optional(),
  createdAt: Timestamp,
  /** From then on nobody can decide it any more, and the call counts as refused. */
  expiresAt: Timestamp.optional(),
  decidedAt: Timestamp.optional(),
});
export type Approval = z.infer<typeof Approval>;

/** A visible, revocable standing permission. */
export const Grant = GrantScope.extend({ id: GrantId, skill: SkillId, createdAt: Timestamp });
export type Grant = z.infer<typeof Grant>;
