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
  QuestionKind,
  Reading,
  ResponseStyle,
  RunOutcome,
  Usage,
} from "./run.ts";

const step = z.int().positive();

/** The state of the target before a call changes it; `isWhole` is false if a part of it could not be stored. */
export const StateBefore = FunctionFixture.omit({ at: true }).extend({ isWhole: z.boolean() });
export type StateBefore = z.infer<typeof StateBefore>;

/** An event without its position in the run, as the loop yields it. */
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
    reading: Reading.optional(),
    asks: QuestionKind.optional(),
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
    /** True if nobody decided in time; then `decision` is `deny`. */
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
  /**
   * `offset`: the position of `text` in the answer, in UTF-16 code units. A repeated piece changes nothing; 0 restarts
   * the answer.
   */
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
  /** `queued`: continues as soon as a slot is free. `running`: continues immediately. */
  z.object({ type: z.literal("run-resumed"), reason: z.string(), status: z.enum(["queued", "running"]) }),
  z.object({ type: z.literal("run-ended"), outcome: RunOutcome, error: ErrorDetail.optional() }),
]);
export type RunEventBody = z.infer<typeof RunEventBody>;

/**
 * The position of an event. `seq` counts from 1 within its run. An `answer-delta` is never committed and carries the
 * last committed seq.
 */
export const RunEventStamp = z.object({ runId: RunId, seq: z.int().nonnegative(), at: Timestamp });
export type RunEventStamp = z.infer<typeof RunEventStamp>;

/** One event in the form in which it is stored, streamed and displayed: `{type, runId, seq, at, …}`. */
export const RunEvent = z.intersection(RunEventStamp, RunEventBody);
export type RunEvent = z.infer<typeof RunEvent>;
