import { z } from "zod";
import { ApprovalId, GrantId, RunId, SkillId, Timestamp } from "./ids.ts";
import { Args } from "./run.ts";
import { Effect, Risk } from "./trust.ts";

const TextDiff = z.strictObject({ before: z.string(), after: z.string(), clipped: z.boolean() });

/** The preview of a call: what it would change, in the form in which a person can judge it. */
export const ActionPreview = z.strictObject({
  /** A question, for example "Overwrite notes/today.md?" */
  title: z.string(),
  /** The path, URL or program that the call affects. */
  target: z.string().optional(),
  diff: TextDiff.optional(),
  /** The changes of several files as a unified diff. */
  patch: z.strictObject({ text: z.string(), clipped: z.boolean() }).optional(),
  facts: z.array(
    z.strictObject({
      label: z.string(),
      value: z.string(),
      /** True if the value changes with time alone: an approval holds although it differs. */
      varies: z.boolean().optional(),
    }),
  ),
});
export type ActionPreview = z.infer<typeof ActionPreview>;

/**
 * The scope of a standing permission. A path that ends with a slash covers the folder with its content; any other path
 * covers exactly that file.
 */
const GrantScope = z.strictObject({
  pathPrefix: z.string().optional(),
  /** For calls that affect several paths: exactly these paths. */
  paths: z.array(z.string()).optional(),
  host: z.string().optional(),
  /** When the permission ends. */
  expires: Timestamp.optional(),
});

/** A hash of the content that a call affects, and the hashes of its first files. */
export const ReviewedContent = z.strictObject({
  hash: z.string(),
  files: z.array(z.strictObject({ path: z.string(), hash: z.string() })),
});
export type ReviewedContent = z.infer<typeof ReviewedContent>;

/**
 * `once`: this call. `run`: this call and equal calls of the same run. `always`: creates a grant. `deny`: refuses the
 * call.
 */
export const ApprovalDecision = z.enum(["once", "run", "always", "deny"]);
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

/**
 * A call that waits for a person's decision. It is bound to the hash of skill and exact arguments, and to the content
 * it affects.
 */
export const Approval = z.strictObject({
  id: ApprovalId,
  runId: RunId,
  step: z.int().positive(),
  tool: SkillId,
  args: Args,
  argsHash: z.string(),
  effect: Effect,
  risk: Risk,
  /** True if nothing is lost by the call: it can be undone, or the archive keeps what it replaces. */
  canBeUndone: z.boolean().optional(),
  /** The earlier request of the conversation that the call undoes. */
  undoes: z.string().optional(),
  preview: ActionPreview,
  /** Absent if the call affects no content that could change in the meantime. */
  content: ReviewedContent.optional(),
  /** Present if the same call was approved before but the affected content has changed since. */
  changedSince: z
    .strictObject({
      approvalId: ApprovalId,
      /** One line per change: "out/notes/today.md changed". */
      changes: z.array(z.string()),
      /** The difference between the content shown then and now, for text. */
      diff: TextDiff.optional(),
    })
    .optional(),
  /** The source of the call's target if the person did not name it: "named in notes/today.md, not by you". */
  targetSource: z
    .strictObject({
      text: z.string(),
      /** The source: a file, a page, "a memory", "the model". */
      from: z.string(),
      /** The named set that the target belongs to; the decision applies to the rest of the set in this run. */
      set: z.string().optional(),
    })
    .optional(),
  /** The scope that "always" would cover; absent if "always" is not offered (critical effects). */
  grantOffer: GrantScope.optional(),
  status: z.enum(["pending", "allowed", "denied", "expired", "withdrawn"]),
  decision: ApprovalDecision.optional(),
  reason: z.string().optional(),
  createdAt: Timestamp,
  /** The time from which the approval can no longer be decided and the call counts as refused. */
  expiresAt: Timestamp.optional(),
  decidedAt: Timestamp.optional(),
});
export type Approval = z.infer<typeof Approval>;

/** A standing permission, which the page lists and a person can revoke. */
export const Grant = GrantScope.extend({ id: GrantId, skill: SkillId, createdAt: Timestamp });
export type Grant = z.infer<typeof Grant>;
