import { z } from "zod";
import { ConversationId, FunctionId, RunId, SkillId, Timestamp } from "./ids.ts";
import { ContextExplanation } from "./context.ts";
import { ModelCallRecord } from "./model-call.ts";
import { ErrorDetail } from "./problem.ts";

export const RunStatus = z.enum(["queued", "running", "waiting", "interrupted", "ended"]);
export type RunStatus = z.infer<typeof RunStatus>;

/** How a run ended. `stopped`: at a limit. `stuck`: without progress. */
export const RunOutcome = z.enum(["answered", "stopped", "stuck", "failed", "cancelled"]);
export type RunOutcome = z.infer<typeof RunOutcome>;

/** The planner that decided a step. */
export const PlannerName = z.enum(["replay", "structured", "tool-calling", "built-in", "conversation"]);
export type PlannerName = z.infer<typeof PlannerName>;

/** How an observation is rendered for the planner. */
export const ObservationMode = z.enum(["narrative", "structured", "verbatim"]);
export type ObservationMode = z.infer<typeof ObservationMode>;

/** The style of an answer. */
export const ResponseStyle = z.enum(["default", "strict", "summary"]);
export type ResponseStyle = z.infer<typeof ResponseStyle>;

/** The maximum length of a stored tool name, in UTF-16 code units. */
export const MAX_TOOL_NAME = 200;

/** The arguments of a call, before its skill validates them. */
export const Args = z.record(z.string(), z.unknown());
export type Args = z.infer<typeof Args>;

/** The call that a planner requests. The tool may not exist; then the observation says so. */
export const Action = z.strictObject({ tool: z.string().min(1).max(MAX_TOOL_NAME), args: Args });
export type Action = z.infer<typeof Action>;

/** The result of a call. */
export const Observation = z.strictObject({
  mode: ObservationMode,
  /** The text for the planner, rendered in `mode`. A clipped text says so. */
  content: z.string(),
  success: z.boolean(),
  /** The complete output of the skill, stored with the run. */
  outputs: z.record(z.string(), z.unknown()).optional(),
  error: ErrorDetail.optional(),
});
export type Observation = z.infer<typeof Observation>;

/** A stage of a long call. A stage that begins and never ends was interrupted. */
export const CallStage = z.strictObject({
  name: z.string(),
  state: z.enum(["begun", "done", "failed"]),
  detail: z.string().optional(),
});
export type CallStage = z.infer<typeof CallStage>;

/** How the built-in planner read the request for a step. A step without it carries out the request as it is written. */
export const Reading = z.strictObject({
  /** The request in the plainer words that were understood; absent if its own words were. */
  request: z.string().optional(),
  /** True if no phrase fits the request, and its likeliest meaning was taken. */
  isGuess: z.boolean(),
});
export type Reading = z.infer<typeof Reading>;

/**
 * What an answer to a question of the built-in planner may be: what some words of the request mean, the name of a person, whether a
 * statement replaces a remembered fact, or any words. Absent for all other questions.
 */
export const QuestionKind = z.enum(["meaning", "person", "replacement", "words"]);
export type QuestionKind = z.infer<typeof QuestionKind>;

/** One step of a run: thought, action and observation. */
export const ScratchpadEntry = z.strictObject({
  step: z.int().positive(),
  /** Why the step is taken, for people and models. */
  thought: z.string(),
  reading: Reading.optional(),
  /** For a question to the person. */
  asks: QuestionKind.optional(),
  action: Action.optional(),
  /** The progress of a call that has stages. */
  stages: z.array(CallStage).optional(),
  observation: Observation.optional(),
  functionId: z.string().optional(),
  timestamp: Timestamp,
  /** Wall time of the action, in milliseconds. */
  durationMs: z.number().nonnegative().optional(),
});
export type ScratchpadEntry = z.infer<typeof ScratchpadEntry>;

/** The costs of a run. */
export const Usage = z.strictObject({
  planningCalls: z.int().nonnegative(),
  modelCalls: z.int().nonnegative(),
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  durationMs: z.number().nonnegative(),
});
export type Usage = z.infer<typeof Usage>;

/** A function that was offered to a run's planner, and whether the run followed it. */
export const FunctionUse = z.strictObject({ id: z.string(), title: z.string(), followed: z.boolean() });
export type FunctionUse = z.infer<typeof FunctionUse>;

/**
 * A learned function that a request may mean, with everything it would do. Nothing happens until a person accepts it.
 */
export const FunctionOffer = z.strictObject({
  functionId: FunctionId,
  version: z.int().positive(),
  title: z.string(),
  values: z.record(z.string(), z.unknown()),
  /** The calls in order. A value that only an earlier call yields is written as `${steps.N.field}`. */
  calls: z.array(Action),
});
export type FunctionOffer = z.infer<typeof FunctionOffer>;

/** A person's verdict. */
export const Verdict = z.enum(["useful", "not_useful"]);
export type Verdict = z.infer<typeof Verdict>;

/** A person's verdict on the answer of a run; the last one counts. */
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

/** The execution of one request by the operator. */
export const Run = z.strictObject({
  id: RunId,
  conversationId: ConversationId,
  agentId: z.string(),
  goal: z.string(),
  /** The run that this one continues. */
  continues: RunId.optional(),
  status: RunStatus,
  outcome: RunOutcome.optional(),
  planner: PlannerName.optional(),
  scratchpad: z.array(ScratchpadEntry),
  pending: Pending.optional(),
  /** The text of the answer, once there is one. */
  result: z.string().optional(),
  responseStyle: ResponseStyle.optional(),
  /** True if the answer is the unchanged output of one read, formatted by code. */
  verbatim: z.boolean(),
  /** Requests that the person can send next, instead of what could not be done. */
  suggestions: z.array(z.string()).optional(),
  /** Functions that the request may mean, most likely first; none was executed. */
  offers: z.array(FunctionOffer).optional(),
  error: ErrorDetail.optional(),
  warnings: z.array(z.string()),
  functionsUsed: z.array(FunctionUse),
  learnedFunction: z.strictObject({ id: z.string(), title: z.string() }).optional(),
  usage: Usage,
  context: ContextExplanation.optional(),
  /** The run's model calls without secrets; only included when a single run is read. */
  modelCalls: z.array(ModelCallRecord).optional(),
  feedback: RunFeedback.optional(),
  createdAt: Timestamp,
  /** When it last started or continued; `usage.durationMs` is the time that it ran before. */
  runningSince: Timestamp.optional(),
  updatedAt: Timestamp,
  endedAt: Timestamp.optional(),
  /** The seq of the last committed event. */
  lastSeq: z.int().nonnegative(),
});
export type Run = z.infer<typeof Run>;

/** A run as lists show it. */
export const RunSummary = Run.omit({
  scratchpad: true,
  context: true,
  modelCalls: true,
  feedback: true,
}).extend({
  steps: z.int().nonnegative(),
});
export type RunSummary = z.infer<typeof RunSummary>;
