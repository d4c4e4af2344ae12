import { z } from "zod";
import { ConversationId, FunctionId, RunId, SkillId, Timestamp } from "./ids.ts";
import { ContextExplanation } from "./context.ts";
import { ModelCallRecord } from "./model-call.ts";
import { ErrorDetail } from "./problem.ts";

export const RunStatus = z.enum(["queued", "running", "waiting", "interrupted", "ended"]);
export type RunStatus = z.infer<typeof RunStatus>;

export const RunOutcome = z.enum(["answered", "stopped", "stuck", "failed", "cancelled"]);
export type RunOutcome = z.infer<typeof RunOutcome>;

export const PlannerName = z.enum(["replay", "structured", "tool-calling", "built-in", "conversation"]);
export type PlannerName = z.infer<typeof PlannerName>;

export const ObservationMode = z.enum(["narrative", "structured", "verbatim"]);
export type ObservationMode = z.infer<typeof ObservationMode>;

export const ResponseStyle = z.enum(["default", "strict", "summary"]);
export type ResponseStyle = z.infer<typeof ResponseStyle>;

/** The longest name of a tool that is taken down, in UTF-16 code units. */
export const MAX_TOOL_NAME = 200;

export const Args = z.record(z.string(), z.unknown());
export type Args = z.infer<typeof Args>;

/** What a planner wants called. A model may name what is no skill: then the observation says so. */
export const Action = z.strictObject({ tool: z.string().min(1).max(MAX_TOOL_NAME), args: Args });
export type Action = z.infer<typeof Action>;

export const Observation = z.strictObject({
  mode: ObservationMode,
  /** What the planner reads, rendered in `mode` and possibly clipped; the clip is stated in the text. */
  content: z.string(),
  success: z.boolean(),
  /** The skill's whole output, kept on the run. */
  outputs: z.record(z.string(), z.unknown()).optional(),
  error: ErrorDetail.optional(),
});
export type Observation = z.infer<typeof Observation>;

/** A stage of a call that takes its time; what is begun and never ends was broken off. */
export const CallStage = z.strictObject({
  name: z.string(),
  state: z.enum(["begun", "done", "failed"]),
  detail: z.string().optional(),
});
export type CallStage = z.infer<typeof CallStage>;

export const ScratchpadEntry = z.strictObject({
  step: z.int().positive(),
  thought: z.string(),
  action: Action.optional(),
  /** How far the call has come, for those that go through stages. */
  stages: z.array(CallStage).optional(),
  observation: Observation.optional(),
  functionId: z.string().optional(),
  timestamp: Timestamp,
  /** Wall time of the action, in milliseconds. */
  durationMs: z.number().nonnegative().optional(),
});
export type ScratchpadEntry = z.infer<typeof ScratchpadEntry>;

export const Usage = z.strictObject({
  planningCalls: z.int().nonnegative(),
  modelCalls: z.int().nonnegative(),
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  durationMs: z.number().nonnegative(),
});
export type Usage = z.infer<typeof Usage>;

export const FunctionUse = z.strictObject({ id: z.string(), title: z.string(), followed: z.boolean() });
export type FunctionUse = z.infer<typeof FunctionUse>;

/** A learned function that a request may mean, with all that it would do. Nothing happens until a person follows it. */
export const FunctionOffer = z.strictObject({
  functionId: FunctionId,
  version: z.int().positive(),
  title: z.string(),
  values: z.record(z.string(), z.unknown()),
  /** The calls in order; a value that only an earlier call yields stands as `${steps.N.field}`. */
  calls: z.array(Action),
});
export type FunctionOffer = z.infer<typeof FunctionOffer>;

export const Verdict = z.enum(["useful", "not_useful"]);
export type Verdict = z.infer<typeof Verdict>;

/** What the person thought of a run's answer; the last word counts. */
export const RunFeedback = z.strictObject({
  verdict: Verdict,
  note: z.string().optional(),
  at: Timestamp,
});
export type RunFeedback = z.infer<typeof RunFeedback>;

/** What a waiting run waits for. */
export const Pending = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("approval"),
    approvalId: z.string(),
    tool: SkillId,
    args: Args,
    title: z.string(),
  }),
  z.strictObject({ kind: z.literal("question"), question: z.string(), options: z.array(z.string()) }),
]);
export type Pending = z.infer<typeof Pending>;

/** One request carried out by the operator. */
export const Run = z.strictObject({
  id: RunId,
  conversationId: ConversationId,
  agentId: z.string(),
  goal: z.string(),
  /** The run whose steps this one goes on from. */
  continues: RunId.optional(),
  status: RunStatus,
  outcome: RunOutcome.optional(),
  planner: PlannerName.optional(),
  scratchpad: z.array(ScratchpadEntry),
  pending: Pending.optional(),
  /** The answer's text once there is one. */
  result: z.string().optional(),
  responseStyle: ResponseStyle.optional(),
  /** True when the answer is a pure read's own output, worded by code. */
  verbatim: z.boolean(),
  /** Requests that may be made next with a click, in place of what could not be done. */
  suggestions: z.array(z.string()).optional(),
  /** Functions that the request may mean, the likeliest first; nothing was done yet. */
  offers: z.array(FunctionOffer).optional(),
  error: ErrorDetail.optional(),
  warnings: z.array(z.string()),
  functionsUsed: z.array(FunctionUse),
  learnedFunction: z.strictObject({ id: z.string(), title: z.string() }).optional(),
  usage: Usage,
  context: ContextExplanation.optional(),
  /** What models were asked and replied, without secrets; told where one run is read, for its inspector. */
  modelCalls: z.array(ModelCallRecord).optional(),
  feedback: RunFeedback.optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  endedAt: Timestamp.optional(),
  /** The seq of the last committed event. */
  lastSeq: z.int().nonnegative(),
});
export type Run = z.infer<typeof Run>;

export const RunSummary = Run.omit({
  scratchpad: true,
  context: true,
  modelCalls: true,
  feedback: true,
}).extend({
  steps: z.int().nonnegative(),
});
export type RunSummary = z.infer<typeof RunSummary>;
