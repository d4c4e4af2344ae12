import { z } from "zod";
import { Approval, ApprovalDecision } from "./approval.ts";
import { ContextExplanation } from "./context.ts";
import { FunctionFixture } from "./function.ts";
import { RunId, Timestamp } from "./ids.ts";
import { ErrorDetail } from "./problem.ts";
import {
  Action,
  CallStage,
  FunctionOffer,
  FunctionUse,
  Observation,
  PlannerName,
  ResponseStyle,
  RunOutcome,
  Usage,
} from "./run.ts";

const step = z.int().positive();

/** What a call is about to touch, as it is before; `isWhole` is false when some of it could not be kept. */
export const StateBefore = FunctionFixture.omit({ at: true }).extend({ isWhole: z.boolean() });
export type StateBefore = z.infer<typeof StateBefore>;

/** What happened, without its place in the run: what the loop yields. */
export const RunEventBody = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("run-started"),
    goal: z.string(),
    conversationId: z.string(),
    agentId: z.string(),
    planner: PlannerName,
  }),
  z.object({
    type: z.literal("context-built"),
    memories: z.int().nonnegative(),
    functions: z.int().nonnegative(),
    tokens: z.int().nonnegative(),
    durationMs: z.number().nonnegative(),
    warnings: z.array(z.string()),
    explanation: ContextExplanation,
  }),
  z.object({
    type: z.literal("function-matched"),
    function: FunctionUse,
    score: z.number(),
    reason: z.string(),
  }),
  z.object({
    type: z.literal("step-planned"),
    step,
    thought: z.string(),
    action: Action.optional(),
    functionId: z.string().optional(),
    planner: PlannerName,
  }),
  z.object({ type: z.literal("approval-requested"), step, approval: Approval }),
  z.object({
    type: z.literal("approval-resolved"),
    step,
    approvalId: z.string(),
    decision: ApprovalDecision,
    reason: z.string().optional(),
    /** True when nobody decided in time; `decision` is `deny` then. */
    expired: z.boolean().optional(),
  }),
  z.object({ type: z.literal("question-asked"), step, question: z.string(), options: z.array(z.string()) }),
  z.object({
    type: z.literal("action-started"),
    step,
    action: Action,
    idempotencyKey: z.string(),
    before: StateBefore.optional(),
  }),
  z.object({ type: z.literal("stage-reached"), step, stage: CallStage }),
  z.object({
    type: z.literal("observation-made"),
    step,
    observation: Observation,
    durationMs: z.number().nonnegative(),
  }),
  z.object({ type: z.literal("warning-raised"), message: z.string(), error: ErrorDetail.optional() }),
  /** `offset`: where in the answer `text` begins, in UTF-16 code units; a piece seen twice changes nothing, 0 begins anew. */
  z.object({ type: z.literal("answer-delta"), text: z.string(), offset: z.int().nonnegative() }),
  z.object({
    type: z.literal("answer-completed"),
    text: z.string(),
    style: ResponseStyle,
    verbatim: z.boolean(),
    suggestions: z.array(z.string()).optional(),
    offers: z.array(FunctionOffer).optional(),
  }),
  z.object({
    type: z.literal("function-learned"),
    function: z.strictObject({ id: z.string(), title: z.string() }),
  }),
  z.object({ type: z.literal("usage-recorded"), usage: Usage }),
  z.object({ type: z.literal("run-interrupted"), reason: z.string() }),
  /** `queued`: it is to go on as soon as there is room; `running`: it goes on now. */
  z.object({ type: z.literal("run-resumed"), reason: z.string(), status: z.enum(["queued", "running"]) }),
  z.object({ type: z.literal("run-ended"), outcome: RunOutcome, error: ErrorDetail.optional() }),
]);
export type RunEventBody = z.infer<typeof RunEventBody>;

/** Where an event stands. `seq` counts from 1 within its run; an `answer-delta` is never committed and carries the last committed seq. */
export const RunEventStamp = z.object({ runId: RunId, seq: z.int().nonnegative(), at: Timestamp });
export type RunEventStamp = z.infer<typeof RunEventStamp>;

/** One event as stored, streamed and shown: `{type, runId, seq, at, …}`. */
export const RunEvent = z.intersection(RunEventStamp, RunEventBody);
export type RunEvent = z.infer<typeof RunEvent>;
