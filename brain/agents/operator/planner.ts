import type { Persona } from "@metahuman/core/contract/profile";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { ContextPackage, ConversationContext } from "@metahuman/core/contract/context";
import type {
  Action,
  FunctionOffer,
  PlannerName,
  QuestionKind,
  Reading,
  ResponseStyle,
  ScratchpadEntry,
} from "@metahuman/core/contract/run";
import type { EarlierCall, EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { ModelCall } from "@metahuman/models/ask";
import type { Skill } from "@metahuman/skills/define-skill";

/** The input for the next decision of a planner. */
export interface PlanState {
  runId: string;
  request: string;
  /** When the request was made. Relative dates count from here, also after a restart. */
  requestedAt: Date;
  /** The time now, which is later than `requestedAt` after a wait for the person; default: `requestedAt`. */
  now?: Date;
  /** The person's IANA time zone, for relative dates. */
  timeZone: string;
  /** The person's BCP 47 language tag. */
  locale: string;
  scratchpad: readonly ScratchpadEntry[];
  /** Absent when `useContextPackage` is off. */
  context: ContextPackage | undefined;
  /** The persona for a guest, who gets no context. */
  persona?: Persona;
  /** The earlier conversation, whatever the flags. */
  conversation: ConversationContext;
  /** The workspace's roots with their entry counts; absent when they were not counted. */
  workspace?: readonly { root: string; entries: number }[];
  /** Earlier requests of the conversation, newest first; absent when unknown. */
  earlier?: () => Promise<readonly EarlierRequest[]>;
  /** The calls of `earlier`, oldest first: evidence for an answer. */
  earlierCalls?: readonly EarlierCall[];
  /** How many calls the run may still make; absent when unlimited. */
  stepsLeft?: number;
  /** True when the step budget is one call and an answer. */
  isSingleStep?: boolean;
  /** The answer that the review rejected; absent when there is none, or after a restart. */
  rejectedAnswer?: string;
  /** The installed skills this run may call. */
  skills: readonly Skill[];
  /** The ids of the skills that the policy denies now by their manifests; absent when unknown. */
  deniedSkills?: ReadonlySet<string>;
  /** How to get a model for planning; absent if one plans. */
  modelAdvice?: string;
  /** Called when a model call ends, also for a failed call. */
  onModelCall?: (call: ModelCall) => void;
  /** Called with a warning for the person, for example about a fallback to another model. */
  onWarning?: (message: string) => void;
  /** Called with each piece of an answer that the planner itself writes, and its offset. */
  onAnswerText?: (text: string, offset: number) => void;
  /** The part of the latest answer given to `onAnswerText` that the person sees: its claims are checked. */
  shownAnswer?: () => string;
}

/** A planned call and its reason. */
export interface Step {
  thought: string;
  reading?: Reading;
  /** For a question to the person. */
  asks?: QuestionKind;
  action: Action;
  functionId?: string;
  /** The arguments of a read that the model gave although the skill has none of these names; `action` does not contain them. */
  leftOut?: readonly string[];
}

export type PlannerDecision =
  /** `parallel`: next calls that do not depend on this call's result and may run in parallel. */
  | ({ kind: "act"; parallel?: readonly Step[] } & Step)
  /**
   * `text` is the planner's own text, based on observations or the catalog; without it the `conversational_response`
   * skill writes the answer. `verbatim`: a read whose output is the answer. `streamed`: `onAnswerText` already received
   * `text`.
   */
  | {
      kind: "answer";
      thought: string;
      style: ResponseStyle;
      text?: string;
      verbatim?: boolean;
      streamed?: boolean;
      /** `answered` by default. `stopped`: the step budget ran out before the request was finished. */
      outcome?: "answered" | "stopped" | "stuck" | "failed";
      /** True if `text` says why the observations do not answer the question. */
      isUnanswered?: boolean;
      /** Why the run failed. */
      error?: ErrorDetail;
      /** True when nothing was said or done, so that there is no exchange to remember. */
      isIdle?: boolean;
      /** Follow-up requests that the page offers as buttons. */
      suggestions?: readonly string[];
      /** Learned functions that the request may mean; a person decides. */
      offers?: readonly FunctionOffer[];
    };

/** The function that a replay follows. */
export interface MatchedFunction {
  id: string;
  title: string;
  score: number;
  reason: string;
  /** The values of its parameters in this request. */
  values: Record<string, unknown>;
  /** True if the replay follows a change of the function that nobody has accepted yet. */
  isUnacceptedChange?: boolean;
}

/** Decides the next step of a run. A planner is stateless: everything it needs is in `PlanState`. */
export interface Planner {
  readonly name: PlannerName;
  readonly matched?: MatchedFunction | undefined;
  /** Why the replay deviated from the matched function; undefined while it follows it. */
  readonly deviation?: string | undefined;
  /** True when this step composes text for a later call instead of answering the run. */
  composes?(step: number): boolean;
  next(state: PlanState, signal: AbortSignal): Promise<PlannerDecision>;
}
